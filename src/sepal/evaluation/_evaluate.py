"""Cross-validation with everything fitted inside the folds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, StratifiedGroupKFold, StratifiedKFold
from sklearn.utils.parallel import Parallel, delayed

from sepal.data import (
    Rows,
    Table,
    as_rows,
    class_codes,
    left_out_together,
    numbered_by_first_row,
    rows_by_content,
)
from sepal.evaluation._evaluation import Evaluation
from sepal.evaluation._scorers import Scorer, scored, scorers
from sepal.exceptions import DataError, ParameterError
from sepal.neighbors import thread_count
from sepal.parameters import checked
from sepal.progress import Progress


@checked()
def evaluate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = 10,
    groups: Any = None,
    random_state: int | None = 0,
    scoring: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
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
    cv : int, "loo", splitter or list of test rows
        Number of folds (stratified by class, shuffled by ``random_state``), leave-one-out, a scikit-learn splitter, or
        the test rows of each fold.
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
        Called after each fold (with ``n_jobs`` after so many of them) with a few words and the share that is done.

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
    [1.0, 0.875]
    """
    asked = scorers(scoring)
    table = as_rows(X, y)
    if table.y is None:
        raise DataError("there is no target to predict", hint="give it as y, or name the target of the table")
    regression = bool(is_regressor(estimator))
    target = np.asarray(table.y)
    if regression and target.dtype.kind not in "biuf":
        raise DataError(
            f"target {table.target or 'y'!r}: {type(estimator).__name__} predicts numbers, found {str(target[0])!r}",
            hint="use a classifier, or choose another target",
        )
    if not regression:
        class_codes(table)  # refuses numbers that are no classes, and a single class
    classes, codes = (None, target.astype(np.float64)) if regression else np.unique(target, return_inverse=True)
    together = left_out_together(table, groups)
    ranks = np.unique(target, return_inverse=True)[1]
    folds, mode = _folds(cv, target, together.groups, regression, random_state, rows_by_content(table, ranks))
    if together.together == "copies":
        mode += ", copies kept together"
    parts = _answers(folds, (estimator, table), (classes, codes, groups, asked), n_jobs, progress)
    order = np.argsort(np.concatenate(folds), kind="stable")

    def joined(name: str) -> NDArray[Any]:
        return np.asarray(np.concatenate([part[name] for part in parts])[order])

    return Evaluation(
        scheme=_scheme(estimator),
        data=(table.name if isinstance(table, Table) else None) or "data",
        columns=(*table.names, table.target or "class"),
        task="regression" if regression else "classification",
        test_mode=mode,
        rows=np.concatenate(folds)[order],
        fold=np.repeat(np.arange(len(folds)), [len(rows) for rows in folds])[order],
        actual=joined("actual"),
        predicted=joined("predicted"),
        share=None if parts[0]["share"] is None else joined("share"),
        prior=joined("prior"),
        classes=classes,
        fold_sizes=np.array([[table.n_rows - len(rows), len(rows)] for rows in folds]),
        groups=None if together.groups is None else together.groups[np.concatenate(folds)[order]],
        scores={name: np.array([part["scores"][name] for part in parts]) for name in parts[0]["scores"]},
    )


def _answers(
    folds: list[NDArray[np.intp]],
    before: tuple[Any, ...],
    after: tuple[Any, ...],
    n_jobs: int | None,
    progress: Progress | None,
) -> list[dict[str, Any]]:
    """What :func:`_answer` says of each fold, some folds at a time; they stand between its other arguments."""
    at_a_time = 1 if n_jobs is None else min(thread_count(n_jobs), len(folds))
    parts: list[dict[str, Any]] = []
    with Parallel(n_jobs=at_a_time) as pool:
        for begin in range(0, len(folds), at_a_time):
            some = folds[begin : begin + at_a_time]
            parts += pool(delayed(_answer)(*before, rows, *after) for rows in some)
            if progress is not None:
                progress(f"fold {len(parts)} of {len(folds)}", len(parts) / len(folds))
    return parts


def _scheme(estimator: Any) -> str:
    return " ".join(repr(estimator).split())


def _folds(
    cv: Any,
    target: NDArray[Any],
    groups: NDArray[Any] | None,
    regression: bool,
    random_state: int | None,
    order: NDArray[np.intp],
) -> tuple[list[NDArray[np.intp]], str]:
    """The test rows of each fold, and what to call it; a number of folds is dealt out in ``order``."""
    n = len(target)
    place = np.arange(n)
    if isinstance(cv, str):
        if cv != "loo":
            raise ParameterError(f"cv must be a number of folds, 'loo', a splitter or lists of rows; got {cv!r}")
        if groups is None:
            return [np.array([i]) for i in range(n)], "leave-one-out"
        return [np.flatnonzero(groups == group) for group in range(groups.max() + 1)], "leave-one-group-out"
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        if not 2 <= cv <= n:
            raise ParameterError(f"cv must be at least 2 and at most the number of rows, {n}; got {cv}")
        splitter: Any
        if groups is not None:
            splitter = (
                GroupKFold(cv) if regression else StratifiedGroupKFold(cv, shuffle=True, random_state=random_state)
            )
            mode = f"{cv}-fold cross-validation by group"
        else:
            kind = KFold if regression else StratifiedKFold
            splitter, mode = kind(cv, shuffle=True, random_state=random_state), f"{cv}-fold cross-validation"
            if not regression and _largest_class(target) < cv:
                mode += ", classes in as many folds as they have rows"
                return [np.sort(order[rows]) for rows in _dealt(target[order], int(cv), random_state)], mode
        cv, place, target = splitter, order, target[order]
        groups = numbered_by_first_row(groups, order)
    else:
        mode = f"{type(cv).__name__}" if hasattr(cv, "split") else "given folds"
    if hasattr(cv, "split"):
        folds = [np.sort(place[test]) for _, test in cv.split(np.zeros((n, 1)), target, groups)]
    elif isinstance(cv, Iterable):
        folds = [np.asarray(rows) for rows in cv]
    else:
        raise ParameterError(f"cv must be a number of folds, 'loo', a splitter or lists of rows; got {cv!r}")
    _check_folds(folds, n)
    return folds, "leave-one-out" if isinstance(cv, LeaveOneOut) else mode


def _largest_class(target: NDArray[Any]) -> int:
    return int(np.unique(target, return_counts=True)[1].max())


def _dealt(target: NDArray[Any], n_folds: int, random_state: int | None) -> list[NDArray[np.intp]]:
    """Folds for classes that all have fewer rows than there are folds: shuffled, then dealt out class by class."""
    shuffled = np.random.default_rng(random_state).permutation(len(target))
    dealt = shuffled[np.argsort(target[shuffled], kind="stable")]
    return [dealt[fold::n_folds] for fold in range(n_folds)]


def _check_folds(folds: list[NDArray[np.intp]], n: int) -> None:
    for number, rows in enumerate(folds):
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or len(rows) == 0:
            raise ParameterError(f"cv: fold {number} must list the positions of at least one test row")
        if rows.min() < 0 or rows.max() >= n:
            raise ParameterError(f"cv: fold {number} names row {rows.max()}, but rows go from 0 to {n - 1}")
        if len(rows) == n:
            raise ParameterError(f"cv: fold {number} leaves no row to train on")
    asked = np.concatenate(folds)
    if len(np.unique(asked)) < len(asked):
        raise ParameterError("cv: a row is in the test part of two folds; every row is answered once")


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
