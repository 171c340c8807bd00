"""Which rows are held out: folds, leave-one-out, one split, or rows of a file of their own."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import (
    LeftOut,
    Rows,
    Table,
    as_rows,
    copies_of,
    joined_rows,
    left_out_together,
    match_table,
    numbered_by_first_row,
    rows_in_groups,
    same_labels,
    shown,
)
from sepal.exceptions import DataError, ParameterError
from sepal.parameters import Parameter

_NUMBERS = "biuf"  # and booleans
CV = Parameter(
    "cv",
    "number",
    "a number of folds, 'loo', a share between 0 and 1 of the rows to train on, a splitter or lists of rows",
    above=0.0,
    words=("loo",),
    also=("folds",),
)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows, which of them are held out in each fold, and what to call that.

    ``groups`` number the rows that stand or fall together, ``first`` is the row that is called row 0, and ``drawn``
    says whether chance had a part.
    """

    rows: Rows
    folds: list[NDArray[np.intp]]
    mode: str
    groups: NDArray[np.intp] | None
    first: int = 0
    drawn: bool = False


def held_out(table: Rows, cv: Any, groups: Any, regression: bool, random_state: int | None) -> HeldOut:
    """The folds of a table."""
    together = left_out_together(table, groups)
    target = np.asarray(table.y)
    codes = np.unique(target, return_inverse=True)[1]
    order = rows_in_groups(table, codes, together.groups)
    # Classes by their codes: scikit-learn knows no dates, Decimals or numbers beyond 64 bits, and deals them out alike.
    # A splitter that was given may look at the labels themselves.
    dealt = target if regression or hasattr(cv, "split") else codes
    folds, mode = _folds(cv, dealt, together, regression, random_state, order)
    if together.together == "copies":
        mode += ", copies kept together"
    return HeldOut(table, folds, mode, together.groups, drawn=isinstance(cv, (int, float, np.number)))


def _folds(
    cv: Any,
    target: NDArray[Any],
    together: LeftOut,
    regression: bool,
    random_state: int | None,
    order: NDArray[np.intp],
) -> tuple[list[NDArray[np.intp]], str]:
    """The test rows of each fold, and what to call it; a number of folds is dealt out in ``order``."""
    n, groups = len(target), together.groups
    place, few = np.arange(n), False
    CV.check(cv, hint=f"cv is {CV.help}")
    if n < 2:
        raise DataError("there is 1 row only, and none can be held out", hint="collect more rows")
    if isinstance(cv, str):
        if groups is None:
            return [np.array([i]) for i in range(n)], "leave-one-out"
        return [np.flatnonzero(groups == group) for group in range(groups.max() + 1)], "leave-one-group-out"
    if isinstance(cv, (float, np.floating)):
        train = _split(target, groups, float(cv), random_state, order)
        return [np.setdiff1d(place, train)], f"split, {100 * cv:g} % of the rows for training"
    from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, StratifiedGroupKFold, StratifiedKFold

    if isinstance(cv, (int, np.integer)):
        _check_number(int(cv), n, together)
        counts = np.full(1, n) if regression else np.unique(target, return_counts=True)[1]
        few = counts.min() < cv
        splitter: Any
        shuffled: dict[str, Any] = {"shuffle": True, "random_state": random_state}
        if groups is not None:
            # Shares of classes cannot be kept where every class has fewer rows than there are folds.
            by_class = StratifiedGroupKFold if counts.max() >= cv else GroupKFold
            splitter = GroupKFold(cv) if regression else by_class(cv, **shuffled)
            mode = f"{cv}-fold cross-validation by group"
        else:
            splitter, mode = (KFold if regression else StratifiedKFold)(cv, **shuffled), f"{cv}-fold cross-validation"
        mode += f", classes of fewer than {cv} rows in fewer folds" if few else ""
        if groups is None and counts.max() < cv:
            return [np.sort(order[rows]) for rows in _dealt(target[order], int(cv), random_state)], mode
        cv, place, target = splitter, order, target[order]
        groups = numbered_by_first_row(groups, order)
    else:
        mode = f"{type(cv).__name__}" if hasattr(cv, "split") else "given folds"
    if hasattr(cv, "split"):
        with warnings.catch_warnings():
            if few:  # the mode says it
                warnings.filterwarnings("ignore", "The least populated class in y has only", UserWarning)
            splits = enumerate(cv.split(np.zeros((n, 1)), target, groups))
            folds = [np.sort(place[_test_rows(pair, n, number)]) for number, pair in splits]
    else:
        folds = [_test_rows(rows, n, number) for number, rows in enumerate(cv)]
    _check_folds(folds, n)
    return folds, "leave-one-out" if isinstance(cv, LeaveOneOut) else mode


def _test_rows(given: Any, n: int, number: int) -> NDArray[Any]:
    """The test rows of a fold: as they are, or of a pair of training and test rows as scikit-learn's splitters give."""
    pair = isinstance(given, tuple) and len(given) == 2 and all(np.ndim(rows) == 1 for rows in given)
    if not pair:
        return np.asarray(given)
    train, test = (np.asarray(rows) for rows in given)
    others = np.setdiff1d(np.arange(n), test)
    if not np.array_equal(np.sort(train), others):
        raise ParameterError(
            f"cv: fold {number} trains on {len(train):,} rows, and not on all {len(others):,} that it does not answer",
            hint="give the test rows of each fold; all others are trained on",
        )
    return test


def _check_number(cv: int, n: int, together: LeftOut) -> None:
    """Refuse a number of folds that rows, or what stays together of them, cannot be dealt to."""
    if not 2 <= cv <= n:
        raise ParameterError(f"cv must be at least 2 and at most the number of rows, {n}; got {cv}")
    units = n if together.groups is None else int(together.groups.max()) + 1
    if cv > units:
        what = "groups" if together.together == "groups" else "different rows, whose copies stay together"
        raise ParameterError(
            f"cv={cv}: there are {units:,} {what}, and each fold needs one at least", hint=f"cv={units}, --cv {units}"
        )


def _split(
    target: NDArray[Any], groups: NDArray[Any] | None, share: float, random_state: int | None, order: NDArray[np.intp]
) -> NDArray[np.intp]:
    """The training rows of one split: that share of each class, to one row; groups are on one side as a whole."""
    n = len(target)
    if not 0.0 < share < 1.0:
        raise ParameterError(f"cv must leave rows to train on and rows to answer: a share between 0 and 1; got {share}")
    n_train = round(share * n)
    if not 0 < n_train < n:
        lost = "answer" if n_train else "train on"
        raise ParameterError(f"cv={share:g}: of {n:,} rows this leaves none to {lost}", hint="cv=0.5, --split 50")
    generator = np.random.default_rng(random_state)
    if groups is not None:
        found = np.asarray(numbered_by_first_row(groups, order))
        shuffled = generator.permutation(found.max() + 1)
        before = np.cumsum(np.bincount(found)[shuffled])
        chosen = shuffled[: max(1, int(np.searchsorted(before, n_train, side="right")))]
        if len(chosen) == len(shuffled):
            raise ParameterError(f"cv={share}: no group is left to answer")
        return order[np.isin(found, chosen)]
    shuffled = generator.permutation(n)
    dealt = shuffled[np.argsort(target[order][shuffled], kind="stable")]
    steps = np.arange(n + 1) * n_train // n
    return order[dealt[np.diff(steps) > 0]]


def _dealt(target: NDArray[Any], n_folds: int, random_state: int | None) -> list[NDArray[np.intp]]:
    """Folds for classes that all have fewer rows than there are folds: shuffled, then dealt out class by class."""
    shuffled = np.random.default_rng(random_state).permutation(len(target))
    dealt = shuffled[np.argsort(target[shuffled], kind="stable")]
    return [dealt[fold::n_folds] for fold in range(n_folds)]


def _check_folds(folds: list[NDArray[np.intp]], n: int) -> None:
    if not folds:
        raise ParameterError("cv: there is no fold in it")
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


def _as_in_training(new: NDArray[Any], old: NDArray[Any], regression: bool) -> NDArray[Any]:
    """The target of test rows in the type that the training rows have: 1 and "1" name one class."""
    kinds = new.dtype.kind + old.dtype.kind
    if (kinds[0] in _NUMBERS) == (kinds[1] in _NUMBERS) or set(kinds) & set("mM") or not new.size:
        return new
    labels, classes = np.unique(new).tolist(), np.unique(old).tolist()
    meant = {} if regression else same_labels(labels, classes, target=True)
    if not meant or (len(meant) < len(labels) and old.dtype.kind in _NUMBERS):
        strange = [label for label in labels if label not in meant][:3]
        raise DataError(
            f"test: the target holds {', '.join(map(shown, strange))} where that of the training rows holds "
            f"{', '.join(map(shown, classes[:3]))}: numbers and texts do not name the same classes",
            hint="write the target in one way in both, for instance as texts: [str(label) for label in y]",
        )
    own = [meant.get(label, str(label)) for label in labels]  # a class that no training row has is one more text
    return np.array([own[place] for place in np.searchsorted(labels, new)])


def rows_of_their_own(table: Rows, test: Any, regression: bool = False) -> HeldOut:
    """The rows, behind them those of ``test`` with their own target, which are the one fold."""
    X, y = test if isinstance(test, tuple) and len(test) == 2 else (test, None)
    new = as_rows(X, y)
    if not isinstance(table, Table) or not isinstance(new, Table):
        raise DataError("test: expected a table of columns, found sparse rows", hint="model.fit(X, y).score(X2, y2)")
    if new.y is None:
        raise DataError("test: there is no target to compare with", hint="give (X, y), or a Table with a target")
    new = replace(match_table(X, table), y=_as_in_training(np.asarray(new.y), np.asarray(table.y), regression))
    both = joined_rows(table, new if table.weights is not None else replace(new, weights=None))
    copies = copies_of(both)
    known = int(np.isin(copies[table.n_rows :], copies[: table.n_rows]).sum())
    mode = "test rows of their own" + (f", {known:,} of them equal to training rows" if known else "")
    alone = len(np.unique(copies[table.n_rows :])) < 2
    together = left_out_together(new, "rows" if alone else None).groups
    groups = None if together is None else np.concatenate([np.zeros(table.n_rows, dtype=np.intp), together])
    return HeldOut(both, [np.arange(table.n_rows, both.n_rows)], mode, groups, first=table.n_rows)
