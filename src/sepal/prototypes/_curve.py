"""How small, and at what price: size against accuracy for every method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import (
    Missing,
    Rows,
    ScaleName,
    Table,
    as_labelled_table,
    as_rows,
    class_codes,
    data_frame,
    frame_html,
    left_out_together,
    numbered_by_first_row,
    rows_in_groups,
)
from sepal.exceptions import DataError, ParameterError
from sepal.measures import Prepared, settled
from sepal.neighbors import AnySearch, prepare_search
from sepal.parameters import Parameter, checked
from sepal.progress import Progress
from sepal.prototypes._methods import METHODS, method_named, takes_groups


@dataclass(frozen=True, eq=False)
class CondenseCurve:
    """Size and held-out accuracy of each method.

    Attributes
    ----------
    methods : tuple of str
    kept_share : array
        Mean share of the training rows that the method keeps, over the folds.
    consistency : array
        Mean share of the training rows that the kept ones classify rightly.
    accuracy, standard_error : arrays
        Of 1-NN on the kept rows, on rows held out; ties count by their share. The error is over all held-out rows, or
        the groups that were held out together.
    full_accuracy : float
        The same with all training rows.
    cv : int

    Examples
    --------
    >>> import sepal
    >>> from sepal.prototypes import condense_curve
    >>> curve = condense_curve(sepal.datasets.load("athletes"), methods=["hart"], cv=4)
    >>> curve.kept_share.round(2).tolist(), curve.accuracy.tolist(), curve.full_accuracy
    ([0.27], [0.9], 0.95)
    """

    methods: tuple[str, ...]
    kept_share: NDArray[np.float64]
    consistency: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    full_accuracy: float
    cv: int

    def frame(self) -> Any:
        """One line per method, smallest first."""
        order = np.argsort(self.kept_share, kind="stable")
        return data_frame(
            {
                "method": [self.methods[i] for i in order],
                "kept_share": self.kept_share[order],
                "consistency": self.consistency[order],
                "accuracy": self.accuracy[order],
                "standard_error": self.standard_error[order],
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """A point per method: share of rows kept against held-out accuracy."""
        from sepal.plots import draw_size_accuracy

        return draw_size_accuracy(
            self.methods, self.kept_share.tolist(), self.accuracy.tolist(), self.full_accuracy, ax
        )

    def _repr_html_(self) -> str:
        return frame_html(self)


def nearest_share(
    search: AnySearch, codes: NDArray[np.int32], held_out: Rows, held_codes: NDArray[np.int32]
) -> NDArray[np.float64]:
    """For each held-out row the share of its class among the training rows tied for nearest."""
    found = search.query_ranking(held_out, 1)  # type: ignore[arg-type]  # made from rows like these
    lists = found.per_row(1, "expected", None)
    query = np.repeat(np.arange(held_out.n_rows), np.diff(lists["start"]))
    right = codes[lists["flat_rows"]] == held_codes[query]
    return np.asarray(np.bincount(query, weights=right, minlength=held_out.n_rows) / np.diff(lists["start"]))


@checked(
    Parameter("methods", "other", "names of the methods to compare; all by default", also=("sequence",), optional=True),
    Parameter("method_params", "other", "parameters by the name of the method", also=("mapping",), optional=True),
    Parameter("cv", "whole", "how many folds", at_least=2),
)
def condense_curve(
    X: Any,
    y: Any = None,
    *,
    methods: Sequence[str] | None = None,
    method_params: Mapping[str, Mapping[str, Any]] | None = None,
    cv: int = 10,
    groups: Any = None,
    random_state: int | None = 0,
    distance: str = "auto",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> CondenseCurve:
    """Compare methods by the size of what they keep and its accuracy on rows held out.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs
        As in :func:`hart`.
    methods : sequence of str, optional
        Names in ``METHODS``; all of them by default.
    method_params : mapping of str to mapping, optional
        Further parameters by method.
    cv : int
        Folds, stratified and shuffled. Scaling and choice of rows see the training part only.
    groups : array-like, "rows", "copies" or None
        Rows of one group are held out together: those with the same label in an array; "rows": each alone; "copies":
        all that are equal in every column. None: copies together where their numbers show that records were repeated.
        Methods that judge a row by others ask without its group, as :func:`enn` and :func:`drop3` do; the condensers,
        whose rows answer for themselves, count single rows.
    random_state : int or None
        For the folds.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

    Returns
    -------
    CondenseCurve

    Examples
    --------
    >>> import sepal
    >>> curve = condense_curve(sepal.datasets.load("athletes"), methods=["hart", "mss"], cv=4)
    >>> curve.methods, bool((curve.kept_share < 1).all())
    (('hart', 'mss'), True)
    """
    names = tuple(METHODS if methods is None else methods)
    if not names:
        raise ParameterError("methods must name at least one method")
    solvers = [method_named(name) for name in names]
    common = settled(X, y=y, distance=distance, distance_params=distance_params, scale=scale, missing=missing)
    if isinstance(X, Prepared):
        X, missing = X.given, X.missing
    table: Rows = as_rows(X, y)
    together = left_out_together(table, groups).groups
    if isinstance(table, Table):
        table, used, _ = as_labelled_table(table, None, missing)
        together = None if together is None else together[used]
    codes, _ = class_codes(table)
    order = rows_in_groups(table, codes, together)  # neither folds nor methods may see where a row stood
    table, codes = table.take(order), codes[order]
    units = numbered_by_first_row(together, order)
    folds = _folds(codes, units, cv, random_state)
    params = method_params or {}
    unasked = next((name for name in params if name not in names), None)
    if unasked is not None:
        raise ParameterError(f"method_params: {unasked!r} is none of the methods {', '.join(names)}")
    common["n_jobs"] = n_jobs
    if common["distance"] == "auto" and isinstance(table, Table) and table.has_missing:
        common["distance"] = "heom"  # of all rows: the training part of a fold may be complete where the other is not
    right = np.zeros((len(names) + 1, table.n_rows))
    kept, consistency = np.zeros((len(names), cv)), np.zeros((len(names), cv))
    for fold, (train_rows, test_rows) in enumerate(folds):
        train, test = table.take(train_rows), table.take(test_rows)
        search = prepare_search(train, **common)
        right[-1, test_rows] = nearest_share(search, codes[train_rows], test, codes[test_rows])
        for m, (name, solve) in enumerate(zip(names, solvers, strict=True)):
            told = {} if units is None or not takes_groups(solve) else {"groups": units[train_rows]}
            found = solve(train, **(common | told | dict(params.get(name, {}))))
            kept[m, fold], consistency[m, fold] = 1.0 - found.reduction, found.consistency
            if found.n_kept:
                part = search.among(found.rows)
                right[m, test_rows] = nearest_share(part, codes[train_rows[found.rows]], test, codes[test_rows])
            if progress is not None:
                progress(f"{name}, fold {fold + 1} of {cv}", (fold * len(names) + m + 1) / (cv * len(names)))
    accuracy = right.mean(axis=1)
    error = _standard_errors(right, np.arange(table.n_rows) if units is None else units)
    return CondenseCurve(
        names, kept.mean(axis=1), consistency.mean(axis=1), accuracy[:-1], error[:-1], float(accuracy[-1]), cv
    )


def _standard_errors(right: NDArray[np.float64], units: NDArray[np.intp]) -> NDArray[np.float64]:
    """Of the mean of each line, whose entries vary by whole units."""
    off = np.array([np.bincount(units, line) for line in right - right.mean(axis=1, keepdims=True)])
    n_units = off.shape[1]
    return np.asarray(np.sqrt((off**2).sum(axis=1) * n_units / (n_units - 1)) / right.shape[1])


def _folds(
    codes: NDArray[np.int32], units: NDArray[np.intp] | None, cv: int, random_state: int | None
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    found, of_class = np.unique(codes, return_inverse=True)
    places = np.arange(len(codes)) if units is None else units
    sizes = [len(np.unique(places[of_class == c])) for c in range(len(found))]
    what = "rows" if units is None else "groups"
    if min(sizes) < 2:
        rows = "one row" if units is None else "rows of one group"
        raise DataError(
            f"the smallest class has {rows} only, and while it is held out there is none of it to learn from",
            hint="leave that class out, or collect more rows of it",
        )
    if min(sizes) < cv:
        raise DataError(
            f"the smallest class has {min(sizes)} {what}, which is fewer than the {cv} folds",
            hint=f"use cv={min(sizes)}",
        )
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold  # late: slow to import

    kind = StratifiedKFold if units is None else StratifiedGroupKFold
    splitter = kind(int(cv), shuffle=True, random_state=random_state)
    return list(splitter.split(np.zeros((len(codes), 1)), codes, units))
