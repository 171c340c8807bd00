"""The window behind :class:`WindowKNNClassifier`: rows come in, are learnt, asked and forgotten by the native loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

import sepal._native as _native
from sepal.data import Table, as_table, rows_inside
from sepal.estimators import Diet, TableEstimator, check_column_count, refuse_sets
from sepal.exceptions import DataError
from sepal.learners._drift import DETECTORS
from sepal.learners._stream_columns import StreamColumns
from sepal.learners._stream_labels import checked_times, joined_labels, stream_labels
from sepal.learners._window_rows import WindowRows
from sepal.learners._window_rules import WindowRules


class MovingWindow(TableEstimator):
    """Columns, rows and classes of the window, and the door to the native code; see there for the parameters."""

    window: int | None
    class_quota: int | None
    distance: str
    distance_params: Mapping[str, Any] | None
    drift: Any
    classes_: NDArray[Any]
    _native_: tuple[Any, _native.Window] | None

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_columns_")

    def _diet(self) -> Diet:
        return Diet(
            levels=self.distance in ("auto", "heom"), missing=self.distance in ("auto", "heom", "nan_euclidean")
        )

    def _native_window(self) -> _native.Window:
        """What native code is to do. Kept until a parameter changes: one row at a time must be quick."""
        key = (*self._columns_.metric, *(getattr(self, name) for name in WindowRules.parameters))
        if self._native_ is not None and self._native_[0] == key:
            return self._native_[1]
        made = _native.Window(**WindowRules(self).for_native(self._columns_))
        self._native_ = (key, made)
        return made

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {**state, "_native_": None} if "_native_" in state else state

    def fits_together(self) -> bool:
        """Whether the arrays of the window are such as this learner leaves them: a file may hold anything."""
        if not self.__sklearn_is_fitted__():
            return True
        n_columns = len(self._columns_.kinds)
        return (
            self._rows_.fits(n_columns, len(self.classes_))
            and self._seen_.shape == (len(self.classes_),)
            and self._columns_.fits_together()
            and self._native_ is None
        )

    def _start(self, X: Any) -> None:
        """Fix the columns and begin with an empty window."""
        WindowRules(self).check()
        table = as_table(X)
        self._columns_ = StreamColumns.of(table, self.distance, self.distance_params or {})
        self._remember_columns(X, table)
        self._rows_ = WindowRows.empty(table.n_columns)
        self._native_ = None
        self._seen_ = np.zeros(0)
        self._tested_ = np.zeros(2, dtype=np.int64)  # rows tested, and rightly predicted
        self.drift_detector_ = None if self.drift is None else DETECTORS[self.drift]()
        self.drift_detected_ = False
        self.prequential_score_ = float("nan")
        self.n_seen_ = self.n_window_ = 0

    def _read(self, X: Any, *, learn: bool = False) -> NDArray[np.float64]:
        """Rows as native coordinates, their columns as in the first rows."""
        plain = type(X) is np.ndarray and X.ndim == 2 and not hasattr(self, "feature_names_in_")
        if not plain:
            refuse_sets(X, self)
            X = as_table(self._in_training_order(X)[0])
        check_column_count(X.n_columns if isinstance(X, Table) else X.shape[1], self.n_features_in_, self)
        return self._columns_.read(X, learn=learn)

    def _take_in(
        self, X: Any, y: Any, classes: ArrayLike | None, times: ArrayLike | None
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        """Check rows, labels and times; begin if these are the first."""
        X = rows_inside(X)
        refuse_sets(X, self)
        if isinstance(X, Table) and y is None:
            y = X.y
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        first = not self.__sklearn_is_fitted__()
        labels = stream_labels(y, first)
        if first:
            self._start(X)
            self.classes_ = labels[:0]
        rows = self._read(X, learn=True)
        if len(rows) != len(labels):
            raise DataError(f"X has {len(rows)} rows and y has {len(labels)} labels")
        latest = self._rows_.time[: self._rows_.n].max(initial=-np.inf)
        when = checked_times(times, len(rows), self.n_seen_, float(latest))
        return rows, self._encode(labels, classes), when

    def _encode(self, labels: NDArray[Any], classes: ArrayLike | None) -> NDArray[np.int32]:
        """Codes of labels; new classes are put in their place among the sorted ones."""
        merged, codes = joined_labels(self.classes_, labels, classes)
        if len(merged) > len(self.classes_):
            moved = np.searchsorted(merged, self.classes_).astype(np.int32)
            self._rows_.codes = moved[self._rows_.codes] if len(moved) else self._rows_.codes
            seen = np.zeros(len(merged))
            seen[moved] = self._seen_
            self._seen_, self.classes_ = seen, merged
        return codes.astype(np.int32)

    def _learn(
        self, rows: NDArray[np.float64], codes: NDArray[np.int32], when: NDArray[np.float64], *, test: bool
    ) -> NDArray[np.int32]:
        state, before = self._rows_, self._native_
        native = self._native_window()
        state.own()
        if self._native_ is not before:  # parameters may have changed
            state.keep_at_most(self.window, self.class_quota)
        wanted = state.n + len(rows)
        state.make_room(min(int(self.window or 0) or wanted, wanted))
        try:
            return native.learn(
                cells=state.cells,
                codes=state.codes,
                arrival=state.arrival,
                time=state.time,
                ranges=state.ranges,
                counters=state.counters,
                given=rows,
                given_codes=codes,
                given_times=when,
                seen=self._seen_,
                test=test,
            )
        finally:
            self.n_window_, self.n_seen_ = int(state.counters[0]), int(state.counters[1])

    def _ask(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        if not self.__sklearn_is_fitted__():  # check_is_fitted costs more than the answer for one row
            check_is_fitted(self)
        rows = self._read(X)
        state = self._rows_
        votes, codes = self._native_window().predict(
            cells=state.cells,
            codes=state.codes,
            arrival=state.arrival,
            time=state.time,
            ranges=state.ranges,
            n=state.n,
            queries=rows,
            seen=self._seen_,
        )
        return votes.reshape(len(rows), -1), codes
