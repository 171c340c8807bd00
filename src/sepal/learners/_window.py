"""k-NN over a moving window of labelled rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sepal.data import ScaleName
from sepal.estimators import TableClassifierMixin
from sepal.learners._moving_window import MovingWindow
from sepal.learners._parameters import WINDOW
from sepal.learners._prequential import PrequentialResult
from sepal.parameters import check_number, check_whole


class WindowKNNClassifier(TableClassifierMixin, MovingWindow):
    """k-NN over the most recent rows: learns one row or many at a time, and forgets.

    Parameters
    ----------
    window : int or None
        How many rows it holds; the oldest goes when a new one comes. None for no such limit. Where it or
        ``class_quota`` was made smaller the oldest go when the next rows are learnt.
    n_neighbors : int
        How many rows vote; all of them while there are fewer.
    max_age : float, optional
        Rows older than this, in the units of ``times`` (row numbers if no times are given), are forgotten when a row
        is learnt.
    class_quota : int, optional
        How many rows of one class it holds; a new one takes the place of the oldest of its class. A rare class is
        then not pushed out by a frequent one.
    weights : {"uniform", "distance"}
        Votes count alike, or one over the distance (rows at distance 0 vote alone).
    distance : str
        ``"auto"`` (Euclidean; HEOM once there are nominal columns or missing cells), or ``"euclidean"``,
        ``"manhattan"``, ``"chebyshev"``, ``"minkowski"``, ``"nan_euclidean"``, ``"heom"``, ``"cosine"``.
    distance_params : mapping, optional
        ``p`` (minkowski), ``weights`` (one per column).
    scale : {"minmax"} or None
        Divide each numeric column by its range among the rows now in the window.
    edit_neighbors : int, optional
        Take out, after every ``edit_every`` rows, those that the vote of so many neighbours in the window gets wrong.
    edit_every : int
        See above.
    drift : {"adwin", "ddm"} or None
        Watch the errors of test-then-train for a change.
    on_drift : {"signal", "forget"}
        Only say so, or also keep no more than the rows the detector thinks are of the new kind.
    n_jobs : int, optional
        Threads for predicting many rows; all cores by default. The answer does not depend on it.

    Attributes
    ----------
    classes_ : array
        All classes seen so far, sorted.
    n_features_in_, feature_names_in_
        Fixed by the first rows.
    n_window_, n_seen_ : int
        Rows in the window, and rows learnt in all.
    prequential_score_ : float
        Share of right predictions of all rows tested before they were learnt; NaN if there were none.
    drift_detector_ : ADWIN, DDM or None
    drift_detected_ : bool
        Whether the last rows learnt brought a drift signal.

    Notes
    -----
    Rows tied for the last of the ``n_neighbors`` places share it. A tied vote goes to the class with the nearer row.

    Examples
    --------
    >>> learner = WindowKNNClassifier(window=3, n_neighbors=1)
    >>> learner.partial_fit([[0.0], [1.0], [2.0]], ["a", "a", "b"]).predict([[0.2]]).tolist()
    ['a']
    >>> learner.partial_fit([[0.1], [5.0]], ["c", "c"]).predict([[0.2]]).tolist()
    ['c']
    """

    parameter_table = WINDOW

    def __init__(
        self,
        window: int | None = 1000,
        *,
        n_neighbors: int = 5,
        max_age: float | None = None,
        class_quota: int | None = None,
        weights: Literal["uniform", "distance"] = "uniform",
        distance: str = "auto",
        distance_params: Mapping[str, Any] | None = None,
        scale: ScaleName | None = "minmax",
        edit_neighbors: int | None = None,
        edit_every: int = 100,
        drift: Literal["adwin", "ddm"] | None = None,
        on_drift: Literal["signal", "forget"] = "signal",
        n_jobs: int | None = None,
    ) -> None:
        self.window = window
        self.n_neighbors = n_neighbors
        self.max_age = max_age
        self.class_quota = class_quota
        self.weights = weights
        self.distance = distance
        self.distance_params = distance_params
        self.scale = scale
        self.edit_neighbors = edit_neighbors
        self.edit_every = edit_every
        self.drift = drift
        self.on_drift = on_drift
        self.n_jobs = n_jobs

    # ---------------------------------------------------------------- learning

    def fit(self, X: Any, y: Any = None, *, times: ArrayLike | None = None) -> WindowKNNClassifier:
        """Start anew and learn rows in their order.

        Parameters
        ----------
        X : Table, ndarray or data frame
            The rows, oldest first.
        y : array-like
            Their classes; not needed for a Table with a target.
        times : array-like, optional
            When each row came, ascending. Rows without times come at their number (from 0), which is refused if that
            is before the latest row in the window.

        Returns
        -------
        WindowKNNClassifier
            Itself.
        """
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("__")]:
            delattr(self, name)
        return self.partial_fit(X, y, times=times)

    def partial_fit(
        self, X: Any, y: Any = None, classes: ArrayLike | None = None, *, times: ArrayLike | None = None
    ) -> WindowKNNClassifier:
        """Learn more rows in their order; new classes are welcome.

        Parameters
        ----------
        X, y, times
            As in :meth:`fit`.
        classes : array-like, optional
            Classes that may come later; never needed.

        Returns
        -------
        WindowKNNClassifier
            Itself.
        """
        rows, codes, when = self._take_in(X, y, classes, times)
        if self.drift is None:
            self._learn(rows, codes, when, test=False)
        else:
            self._test_then_train(rows, codes, when)
        return self

    def prequential(self, X: Any, y: Any = None, *, times: ArrayLike | None = None) -> PrequentialResult:
        """Test, then train: predict each row from those before it, then learn it.

        Parameters
        ----------
        X, y, times
            As in :meth:`fit`. What was learnt before is kept.

        Returns
        -------
        PrequentialResult

        Examples
        --------
        >>> stream = [[float(i % 2)] for i in range(20)]
        >>> WindowKNNClassifier(n_neighbors=1).prequential(stream, [i % 2 for i in range(20)]).score
        0.9473684210526315
        """
        rows, codes, when = self._take_in(X, y, None, times)
        said, drift_rows, warning_rows = self._test_then_train(rows, codes, when)
        tested = np.flatnonzero(said >= 0)
        return PrequentialResult(
            tested,
            self.classes_[said[tested]],
            self.classes_[codes[tested]],
            np.array(drift_rows, dtype=np.intp),
            np.array(warning_rows, dtype=np.intp),
        )

    def forget(self, n: int | None = None, *, before: float | None = None, label: Any = None) -> WindowKNNClassifier:
        """Delete rows from the window, really: the oldest ``n``, those before a time, those of a class.

        Parameters
        ----------
        n : int, optional
            How many of the oldest rows go. With ``before`` or ``label`` the oldest of those.
        before : float, optional
            Rows with an earlier time go.
        label : optional
            Rows of this class go.

        Returns
        -------
        WindowKNNClassifier
            Itself. Without any argument all rows go; classes stay known.
        """
        check_is_fitted(self)
        slots = self._rows_.by_age()
        goes = np.ones(len(slots), dtype=bool)
        if before is not None:
            goes &= self._rows_.time[slots] < check_number("before", before, infinite=True)
        if label is not None:
            goes &= np.asarray(self.classes_[self._rows_.codes[slots]] == label)
        if n is not None:
            goes &= np.cumsum(goes) <= check_whole("n", n)
        self._rows_.keep(slots[~goes])
        self.n_window_ = self._rows_.n
        return self

    # ---------------------------------------------------------------- answering

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row. Does not change the window.

        Parameters
        ----------
        X : Table, ndarray or data frame
            The rows.

        Returns
        -------
        ndarray
            Labels.
        """
        _, codes = self._ask(X)
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of the votes of each class, in the order of ``classes_``.

        Parameters
        ----------
        X : Table, ndarray or data frame
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        votes, codes = self._ask(X)
        shares = votes / votes.sum(axis=1, keepdims=True)
        # Where shares are tied the class that predict names stands ahead by less than any share could.
        late = np.flatnonzero(shares.argmax(axis=1) != codes)
        votes[late, codes[late]] = votes[late].max(axis=1) * (1.0 + 1e-12)
        shares[late] = votes[late] / votes[late].sum(axis=1, keepdims=True)
        return np.asarray(shares)

    def window_rows(self) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.float64]]:
        """What is in the window, oldest first: number of arrival (from 0), label and time of each row."""
        check_is_fitted(self)
        slots = self._rows_.by_age()
        rows = self._rows_
        return rows.arrival[slots], self.classes_[rows.codes[slots]], rows.time[slots]

    def _test_then_train(
        self, rows: NDArray[np.float64], codes: NDArray[np.int32], when: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], list[int], list[int]]:
        """What was said of each row before it was learnt (-1: nothing), and where the detector gave a signal."""
        step = 1 if self.drift is not None and self.on_drift == "forget" else max(len(rows), 1)
        said = np.empty(len(rows), dtype=np.int32)
        drift_rows: list[int] = []
        warning_rows: list[int] = []
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            said[part] = self._learn(rows[part], codes[part], when[part], test=True)
            self._watch(start, said[part], codes[part], drift_rows, warning_rows)
        self.drift_detected_ = bool(drift_rows)
        tested = said >= 0
        self._tested_ += [tested.sum(), np.sum(said[tested] == codes[tested])]
        if self._tested_[0]:
            self.prequential_score_ = float(self._tested_[1] / self._tested_[0])
        return said, drift_rows, warning_rows

    def _watch(
        self,
        start: int,
        said: NDArray[np.int32],
        codes: NDArray[np.int32],
        drift_rows: list[int],
        warning_rows: list[int],
    ) -> None:
        detector = self.drift_detector_
        if detector is None:
            return
        for i, (answer, code) in enumerate(zip(said.tolist(), codes.tolist(), strict=True), start):
            if answer < 0:
                continue
            if detector.update(answer != code):
                drift_rows.append(i)
                if self.on_drift == "forget" and self.n_window_ > detector.width:
                    self.forget(self.n_window_ - max(detector.width, 1))
            elif detector.warning:
                warning_rows.append(i)
