"""Cross-validation with everything fitted inside the folds, and what came out of it."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import signature
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.utils.parallel import Parallel, delayed

from sepal.data import (
    Rows,
    Table,
    as_rows,
    class_codes,
    data_frame,
)
from sepal.evaluation._class_scores import COLUMNS, confusion, kappa, per_class
from sepal.evaluation._held_out import held_out, rows_of_their_own
from sepal.evaluation._scorers import Scorer, scored, scorers
from sepal.exceptions import DataError
from sepal.measures import independent_trials, wilson_interval
from sepal.neighbors import thread_count
from sepal.parameters import checked

_MORE_VARIANCE = 1.4  # than independent trials have: rows of different folds answer each other
_LEAST_SHARE = 1e-6  # a class that was called impossible costs this much


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What an estimator answered for rows it had not seen.

    Attributes
    ----------
    scheme : str
        The estimator, as it would be written.
    data : str
        The name of the table.
    columns : tuple of str
    task : {"classification", "regression"}
    test_mode : str
        How rows were held out.
    rows : (n,) array
        Positions of the answered rows in the table; they stay what they are, whatever the folds.
    fold : (n,) array
        In which fold each was answered.
    actual, predicted : (n,) arrays
        Class codes (positions in ``classes``), or numbers.
    share : (n, n_classes) array or None
        Probabilities.
    prior : (n, n_classes) or (n,) array
        What the training rows of the fold alone would say: class shares, or the mean.
    classes : array or None
    fold_sizes : (n_folds, 2) array
        Training and test rows of each fold.
    groups : (n,) array or None
        Numbers of the groups that were held out together; None where each row was alone.
    scores : dict of str to (n_folds,) array
        What ``scoring`` asked for, one number per fold.
    random_state : int or None
        The seed of the folds; None where no chance had a part in them.
    parameters : dict of str to str
        All parameters of the estimator, as they would be written.
    """

    scheme: str
    data: str
    columns: tuple[str, ...]
    task: Literal["classification", "regression"]
    test_mode: str
    rows: NDArray[np.intp]
    fold: NDArray[np.intp]
    actual: NDArray[Any]
    predicted: NDArray[Any]
    share: NDArray[np.float64] | None
    prior: NDArray[np.float64]
    classes: NDArray[Any] | None
    fold_sizes: NDArray[np.intp]
    groups: NDArray[np.intp] | None = None
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    random_state: int | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """How many rows were answered."""
        return len(self.rows)

    @cached_property
    def confusion(self) -> NDArray[np.int64]:
        """Rows of each class (down) by what they were taken for (across)."""
        return confusion(self.actual, self.predicted, len(self._classes))

    @property
    def _classes(self) -> NDArray[Any]:
        if self.classes is None:
            raise DataError("a regression has no classes")
        return self.classes

    @property
    def n_right(self) -> int:
        """Rows answered rightly."""
        return int(np.sum(self.actual == self.predicted))

    @property
    def accuracy(self) -> float:
        """Share of rows answered rightly."""
        return self.n_right / self.n_rows

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Wilson's interval for the accuracy of the estimator, fitted to all rows, on further rows.

        One test set is as many independent trials as it has rows, or groups of rows that stand or fall together. Where
        there are several folds the rows of one answer those of the others, and the accuracy varies more: by 1.4 in its
        variance, which is near the mean of what was measured (``docs/guide/how-sure.md``).
        """
        right = (self.actual == self.predicted).astype(np.float64)
        trials = independent_trials(right, np.full(self.n_rows, 1.0 / self.n_rows), self.groups)
        more = _MORE_VARIANCE if len(self.fold_sizes) > 1 else 1.0
        return wilson_interval(self.accuracy, trials / more, confidence)

    @property
    def balanced_accuracy(self) -> float:
        """Mean of the class recalls."""
        sizes = self.confusion.sum(axis=1)
        return float(np.mean(np.diag(self.confusion)[sizes > 0] / sizes[sizes > 0]))

    @property
    def majority_rate(self) -> float:
        """Accuracy of always answering the largest class."""
        return float(self.confusion.sum(axis=1).max() / self.n_rows)

    @property
    def kappa(self) -> float:
        """Cohen's kappa."""
        return kappa(self.confusion)

    @property
    def log_loss(self) -> float:
        """Minus the mean logarithm of the probability of the true class, none below a millionth; NaN without any."""
        if self.share is None:
            return float("nan")
        return float(-np.log(np.maximum(self.share[np.arange(self.n_rows), self.actual], _LEAST_SHARE)).mean())

    @property
    def majority(self) -> Evaluation:
        """What the training rows of each fold alone would have answered: the largest class, or the mean."""
        if self.classes is None:
            return replace(self, scheme="mean", predicted=self.prior, parameters={})
        answer = self.prior.argmax(axis=1)
        return replace(self, scheme="majority", predicted=answer, share=self.prior, parameters={})

    @cached_property
    def errors(self) -> dict[str, float]:
        """Mean absolute, root mean squared and both relative to the prior; of probabilities for classes."""
        if self.task == "classification":
            truth = np.eye(len(self._classes))[self.actual]
            share = np.eye(len(self._classes))[self.predicted] if self.share is None else self.share
            off, prior = share - truth, self.prior - truth
        else:
            off, prior = self.predicted - self.actual, self.prior - self.actual
        mean, root = float(np.mean(np.abs(off))), float(np.sqrt(np.mean(off**2)))
        mean_prior, root_prior = float(np.mean(np.abs(prior))), float(np.sqrt(np.mean(prior**2)))
        return {
            "mae": mean,
            "rmse": root,
            "rae": mean / mean_prior if mean_prior else float("nan"),
            "rrse": root / root_prior if root_prior else float("nan"),
        }

    @property
    def correlation(self) -> float:
        """Between actual and predicted numbers; 0 where one of them is constant."""
        if np.ptp(self.actual) == 0 or np.ptp(self.predicted) == 0:
            return 0.0
        return float(np.corrcoef(self.actual, self.predicted)[0, 1])

    @cached_property
    def by_class(self) -> dict[str, list[float]]:
        """The columns of the table by class, one number per class."""
        share = np.eye(len(self._classes))[self.predicted] if self.share is None else self.share
        return per_class(self.confusion, share, self.actual)

    def fold_scores(self) -> NDArray[np.float64]:
        """Of each fold the accuracy, or for numbers minus the mean squared error."""
        good = (
            (self.actual == self.predicted).astype(np.float64)
            if self.task == "classification"
            else -((self.actual - self.predicted) ** 2)
        )
        return np.bincount(self.fold, weights=good) / np.bincount(self.fold)

    def frame(self) -> Any:
        """One line per row: its position, fold, the truth, the answer and the probabilities."""
        actual, predicted = self.actual, self.predicted
        if self.classes is not None:
            actual, predicted = self.classes[actual], self.classes[predicted]
        columns: dict[str, Any] = {"row": self.rows, "fold": self.fold, "actual": actual, "predicted": predicted}
        if self.classes is not None:
            columns["right"] = self.actual == self.predicted
            for c, label in enumerate(self.classes.tolist()):
                if self.share is not None:
                    columns[f"p({label})"] = self.share[:, c]
        return data_frame(columns)

    def class_frame(self) -> Any:
        """One line per class."""
        return data_frame({"class": self._classes, **self.by_class})

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values, for JSON."""
        facts: dict[str, Any] = {
            "scheme": self.scheme,
            "data": self.data,
            "task": self.task,
            "test_mode": self.test_mode,
            "seed": self.random_state,
            "parameters": dict(self.parameters),
            "columns": list(self.columns),
            "n_rows": self.n_rows,
            "errors": self.errors,
        }
        if self.scores:
            numbers = {name: each.tolist() for name, each in self.scores.items()}
            facts["scores"] = {name: [None if np.isnan(v) else v for v in each] for name, each in numbers.items()}
        if self.classes is None:
            return {**facts, "correlation": self.correlation}
        return {
            **facts,
            "classes": self.classes.tolist(),
            "right": self.n_right,
            "accuracy": self.accuracy,
            "interval": list(self.interval()),
            "balanced_accuracy": self.balanced_accuracy,
            "majority_rate": self.majority_rate,
            "kappa": self.kappa,
            "log_loss": None if self.share is None else self.log_loss,
            "by_class": {name: [None if np.isnan(v) else v for v in self.by_class[name]] for name in COLUMNS},
            "confusion": self.confusion.tolist(),
        }

    def summary(self) -> str:
        """The text a Weka user knows, then what it leaves out."""
        from sepal.evaluation._summary import summary_text

        return summary_text(self)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"

    def plot(self, ax: Any = None) -> Any:
        """The confusion matrix as a map; for numbers, predicted against actual."""
        from sepal.plots import draw_actual_predicted, draw_confusion

        if self.classes is None:
            return draw_actual_predicted(self.actual, self.predicted, ax)
        return draw_confusion(self.confusion, [str(label) for label in self.classes], ax)


@checked()
def evaluate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = 10,
    test: Any = None,
    groups: Any = None,
    random_state: int | None = 1,
    scoring: Any = None,
    n_jobs: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Evaluation:
    """Hold rows out, fit on the others, answer them; everything is fitted inside the folds.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Is cloned for every fold and never fitted itself.
    X : Table, ndarray, data frame, sparse matrix or list of sets
        The rows. Estimators of Sepal get Tables; others get the array, or a data frame where columns are nominal.
        Sparse rows stay sparse.
    y : array-like, optional
        The target; left out, that of the Table.
    cv : int, "loo", float, splitter or list of test rows
        Number of folds (stratified by class, shuffled by ``random_state``), leave-one-out, the share of rows to train
        on in one split (0.66; of each class the same share), a scikit-learn splitter, or the test rows of each fold.
    test : Table, or tuple of X and y, optional
        Rows to be answered instead, by an estimator that was fitted to all rows of ``X``. ``cv`` then has no part, and
        ``rows`` of the result are positions in these.
    groups : array-like, "rows", "copies" or None
        Rows of one group stay together in one fold; with ``cv="loo"`` each group is a fold. "copies": rows that are
        equal in every column. None: these where their numbers show that records were repeated (a copy in the training
        part would answer for the one that was held out), else "rows": each alone. Estimators whose ``fit`` takes
        ``groups`` get those of their training rows.
    random_state : int or None
        Seed of the folds.
    scoring : str, callable, list or mapping, optional
        As in scikit-learn's ``cross_validate``: the name of a score, a function of the fitted model, rows and target,
        several names, or names of one's own with either. What they say of each fold is in ``scores``.
    n_jobs : int, optional
        How many folds are fitted at a time, each in a process of its own; -1: one for each core. None: one after the
        other, since most estimators use all cores themselves. The answers do not depend on it.
    progress : callable, optional
        Called after each fold (with ``n_jobs`` after so many of them) with the share of the folds that is done.

    Returns
    -------
    Evaluation
        With stable row positions, ``summary()``, ``frame()`` and ``plot()``.

    Examples
    --------
    >>> import sepal.datasets
    >>> from sepal.learners import KNNClassifier
    >>> evaluation = evaluate(KNNClassifier(1), sepal.datasets.load("athletes"), cv="loo")
    >>> evaluation.n_right, evaluation.n_rows
    (20, 20)
    >>> evaluate(KNNClassifier(1), sepal.datasets.load("athletes"), cv=2, scoring="roc_auc").scores["roc_auc"].tolist()
    [0.75, 0.875]
    """
    asked = scorers(scoring)
    table = as_rows(X, y)
    if table.y is None:
        raise DataError("there is no target to predict", hint="give it as y, or name the target of the table")
    regression = bool(is_regressor(estimator))
    if regression and np.asarray(table.y).dtype.kind not in "biuf":
        raise DataError(
            f"target {table.target or 'y'!r}: {type(estimator).__name__} predicts numbers, "
            f"found {str(np.asarray(table.y)[0])!r}",
            hint="use a classifier, or choose another target",
        )
    if not regression:
        class_codes(table)  # refuses numbers that are no classes, and a single class
    held = held_out(table, cv, groups, regression, random_state) if test is None else rows_of_their_own(table, test)
    table, target = held.rows, np.asarray(held.rows.y)
    classes, codes = (None, target.astype(np.float64)) if regression else np.unique(target, return_inverse=True)
    parts = _answers(held.folds, (estimator, table), (classes, codes, groups, asked), n_jobs, progress)
    answered = np.concatenate(held.folds)
    order = np.argsort(answered, kind="stable")

    def joined(name: str) -> NDArray[Any]:
        return np.asarray(np.concatenate([part[name] for part in parts])[order])

    return Evaluation(
        scheme=_scheme(estimator),
        data=(table.name if isinstance(table, Table) else None) or "data",
        columns=(*table.names, table.target or "class"),
        task="regression" if regression else "classification",
        test_mode=held.mode,
        rows=answered[order] - held.first,
        fold=np.repeat(np.arange(len(held.folds)), [len(rows) for rows in held.folds])[order],
        actual=joined("actual"),
        predicted=joined("predicted"),
        share=None if parts[0]["share"] is None else joined("share"),
        prior=joined("prior"),
        classes=classes,
        fold_sizes=np.array([[table.n_rows - len(rows), len(rows)] for rows in held.folds]),
        groups=None if held.groups is None else held.groups[answered[order]],
        scores={name: np.array([part["scores"][name] for part in parts]) for name in parts[0]["scores"]},
        random_state=random_state if held.drawn else None,
        parameters=_parameters(estimator),
    )


def _answers(
    folds: list[NDArray[np.intp]],
    before: tuple[Any, ...],
    after: tuple[Any, ...],
    n_jobs: int | None,
    progress: Callable[[float], object] | None,
) -> list[dict[str, Any]]:
    """What :func:`_answer` says of each fold, some folds at a time; they stand between its other arguments."""
    at_a_time = 1 if n_jobs is None else min(thread_count(n_jobs), len(folds))
    parts: list[dict[str, Any]] = []
    with Parallel(n_jobs=at_a_time) as pool:
        for begin in range(0, len(folds), at_a_time):
            some = folds[begin : begin + at_a_time]
            parts += pool(delayed(_answer)(*before, rows, *after) for rows in some)
            if progress is not None:
                progress(len(parts) / len(folds))
    return parts


def _scheme(estimator: Any) -> str:
    return " ".join(repr(estimator).split())


def _parameters(estimator: Any) -> dict[str, str]:
    """Those of the machine inside, where there is one."""
    within = getattr(estimator, "machine", estimator)
    return {name: " ".join(repr(value).split()) for name, value in within.get_params(deep=False).items()}


def _answer(
    estimator: Any,
    table: Rows,
    rows: NDArray[np.intp],
    classes: NDArray[Any] | None,
    codes: NDArray[Any],
    groups: Any,
    asked_for: Mapping[str, Scorer],
) -> dict[str, Any]:
    """Fit on all other rows and answer these; who leaves rows out to choose is told of the groups."""
    others = np.setdiff1d(np.arange(table.n_rows), rows)
    model = clone(estimator)
    told = {}
    if groups is not None and "groups" in signature(model.fit).parameters:
        labels = groups if isinstance(groups, str) else np.asarray(groups)[others]
        told = {"groups": labels} if isinstance(labels, str) or len(np.unique(labels)) > 1 else {}
    model.fit(_rows_for(model, table, others), np.asarray(table.y)[others], **told)
    asked = _rows_for(model, table, rows)
    answer = np.asarray(model.predict(asked))
    scores = scored(asked_for, model, asked, np.asarray(table.y)[rows])
    if classes is None:
        mean = float(codes[others].mean())
        prior = np.full(len(rows), mean)
        return {"actual": codes[rows], "predicted": answer, "share": None, "prior": prior, "scores": scores}
    share = None
    if hasattr(model, "predict_proba"):
        share = np.zeros((len(rows), len(classes)))
        share[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(asked)
    # As in Weka every class starts with one row, so that none has a prior of 0.
    counts = np.bincount(codes[others], minlength=len(classes)) + 1.0
    prior = np.tile(counts / counts.sum(), (len(rows), 1))
    predicted = np.searchsorted(classes, answer)
    return {"actual": codes[rows], "predicted": predicted, "share": share, "prior": prior, "scores": scores}


def _rows_for(model: Any, table: Rows, rows: NDArray[np.intp]) -> Any:
    part, is_ours = table.take(rows), type(model).__module__.startswith("sepal.")
    if not isinstance(part, Table):
        return part if is_ours and part.elements is not None else part.matrix
    if is_ours:
        return part
    return part.values if set(part.kinds) <= {"numeric"} else part.frame("pandas")
