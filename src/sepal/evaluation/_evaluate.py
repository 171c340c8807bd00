"""Cross-validation with everything fitted inside the folds."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.utils.parallel import Parallel, delayed

from sepal.data import (
    Rows,
    Table,
    as_rows,
    check_class_labels,
    class_codes,
    shown,
)
from sepal.estimators import AnyTable
from sepal.evaluation._evaluation import Evaluation
from sepal.evaluation._held_out import held_out, rows_of_their_own
from sepal.evaluation._scorers import Scorer, scored, scorers
from sepal.exceptions import DataError, ParameterError
from sepal.neighbors import recall_in, thread_count
from sepal.parameters import checked
from sepal.progress import Progress


@checked()
def evaluate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = 10,
    test: Any = None,
    groups: Any = None,
    random_state: int | None = 0,
    scoring: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Cross-validation: hold rows out, fit on the others, answer them; everything is fitted inside the folds.

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
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise ParameterError(f"estimator must be a classifier or regressor; got {estimator!r}")
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
        class_codes(table)  # refuses measured numbers, and a single class
        check_class_labels(table.y, "y" if table.target is None else f"target {shown(table.target)}")
    held = (
        held_out(table, cv, groups, regression, random_state)
        if test is None
        else rows_of_their_own(table, test, regression)
    )
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
        recall=_least([part["recall"] for part in parts]),
    )


def _answers(
    folds: list[NDArray[np.intp]],
    before: tuple[Any, ...],
    after: tuple[Any, ...],
    n_jobs: int | None,
    progress: Progress | None,
) -> list[dict[str, Any]]:
    """The result of :func:`_answer` for each fold; ``before`` and ``after`` are its other arguments."""
    at_a_time = 1 if n_jobs is None else min(thread_count(n_jobs), len(folds))
    parts: list[dict[str, Any]] = []
    with Parallel(n_jobs=at_a_time) as pool:
        for begin in range(0, len(folds), at_a_time):
            some = [*enumerate(folds)][begin : begin + at_a_time]
            parts += pool(delayed(_answer)(*before, number, rows, *after) for number, rows in some)
            if progress is not None:
                progress(f"fold {len(parts)} of {len(folds)}", len(parts) / len(folds))
    return parts


def _least(recalls: list[float | None]) -> float | None:
    """The least recall of the folds; None where neighbours are exact."""
    return min((each for each in recalls if each is not None), default=None)


def _scheme(estimator: Any) -> str:
    """The learner as Python code; of :class:`AnyTable` that of the machine inside."""
    if isinstance(estimator, AnyTable):
        return f"{_scheme(estimator.machine)} on levels as indicators"
    return " ".join(repr(estimator).split())


def _parameters(estimator: Any) -> dict[str, str]:
    """Parameters of the learner, or of the machine inside of :class:`AnyTable`, as texts."""
    within = getattr(estimator, "machine", estimator)
    return {name: " ".join(repr(value).split()) for name, value in within.get_params(deep=False).items()}


def _answer(
    estimator: Any,
    table: Rows,
    number: int,
    rows: NDArray[np.intp],
    classes: NDArray[Any] | None,
    codes: NDArray[Any],
    groups: Any,
    asked_for: Mapping[str, Scorer],
) -> dict[str, Any]:
    """Fit on all other rows and answer these; who leaves rows out to choose is told of the groups."""
    others = np.setdiff1d(np.arange(table.n_rows), rows)
    model = _for_all_rows(clone(estimator), table, others)
    told = {}
    if groups is not None and "groups" in signature(model.fit).parameters:
        labels = groups if isinstance(groups, str) else np.asarray(groups)[others]
        told = {"groups": labels} if isinstance(labels, str) or len(np.unique(labels)) > 1 else {}
    try:
        model.fit(_rows_for(model, table, others), np.asarray(table.y)[others], **told)
    except ValueError as error:
        if classes is None or len(np.unique(codes[others])) > 1:
            raise
        raise _one_class_left(number, others, classes[codes[others[0]]], groups is not None) from error
    asked = _rows_for(model, table, rows)
    answer = np.asarray(model.predict(asked))
    told_by = {
        "scores": scored(asked_for, model, asked, np.asarray(table.y)[rows]),
        "recall": recall_in(model),
    }
    if classes is None:
        mean = float(codes[others].mean())
        prior = np.full(len(rows), mean)
        return {
            "actual": codes[rows],
            "predicted": answer,
            "share": None,
            "prior": prior,
            **told_by,
        }
    share = None
    if hasattr(model, "predict_proba"):
        share = np.zeros((len(rows), len(classes)))
        share[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(asked)
    # As in Weka every class starts with one row, so that none has a prior of 0.
    counts = np.bincount(codes[others], minlength=len(classes)) + 1.0
    prior = np.tile(counts / counts.sum(), (len(rows), 1))
    predicted = np.searchsorted(classes, answer)
    return {
        "actual": codes[rows],
        "predicted": predicted,
        "share": share,
        "prior": prior,
        **told_by,
    }


def _one_class_left(number: int, others: NDArray[np.intp], label: Any, groups: bool) -> DataError:
    """What is said where a fold has nothing to tell apart, though the target has several classes."""
    called = shown(label.item() if isinstance(label, np.generic) else label)
    whole = ", since groups are held out as a whole" if groups else ""
    return DataError(
        f"fold {number} leaves one class only to learn from, {called}, in all "
        f"{len(others):,} rows that are not held out{whole}",
        hint="use fewer folds (cv, --cv)" + (" or finer groups" if groups else ""),
    )


def _for_all_rows(model: Any, table: Rows, others: NDArray[np.intp]) -> Any:
    """The model, told to expect missing cells where only rows that are held out have any.

    ``distance="auto"`` goes by its training rows: of complete ones it would be Euclid's, which then refuses the others.
    """
    if not isinstance(table, Table) or not table.has_missing or getattr(model, "distance", None) != "auto":
        return model
    if not np.isnan(table.values[others]).any() and type(model).__module__.startswith("sepal."):
        model.set_params(distance="heom")
    return model


def _rows_for(model: Any, table: Rows, rows: NDArray[np.intp]) -> Any:
    part, is_ours = table.take(rows), type(model).__module__.startswith("sepal.")
    if not isinstance(part, Table):
        return part if is_ours and part.elements is not None else part.matrix
    if is_ours:
        return part
    return part.values if set(part.kinds) <= {"numeric"} else part.frame("pandas")
