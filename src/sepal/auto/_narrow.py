"""Few of very many columns: whether a model of a selected subset is better on rows that took no part in selecting.

With more columns than rows distances drown in those that say nothing. In each fold the columns that tell the classes
apart one by one are ranked, a forward search by Thornton's index picks a few of the best, and the classifier without
choices is fitted to these; the rows held out took part in none of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone

from sepal.auto._canonical_order import canonical_columns
from sepal.data import Table, class_codes
from sepal.estimators import Diet, TableClassifierMixin, TableEstimator
from sepal.evaluation import evaluate
from sepal.exceptions import SepalError
from sepal.selection import Procedure

Array = NDArray[np.float64]
WIDE = 0.25  # columns per row, from which on a subset is looked for
FEWEST_COLUMNS = 20
MOST_NARROWED_ROWS = 1_000
MOST_NARROWED_CELLS = 20_000_000
RANKED = 40  # columns that the search may choose from
NARROW_FOLDS = 5
_COLUMNS_AT_A_TIME = 1_000


@dataclass(frozen=True)
class NarrowModel:
    """A model of few columns.

    Attributes
    ----------
    columns : tuple of str
        Selected from all rows.
    score : float
        Accuracy of selecting and fitting on rows that took part in neither.
    interval : tuple of float
        A 95 % interval for it.
    """

    columns: tuple[str, ...]
    score: float
    interval: tuple[float, float]


def has_many_columns(table: Table) -> bool:
    """Whether a subset of the columns may be worth looking for."""
    n, p = table.n_rows, table.n_columns
    return p >= FEWEST_COLUMNS and p >= WIDE * n and n <= MOST_NARROWED_ROWS and n * p <= MOST_NARROWED_CELLS


def narrow_model(table: Table, model: Any, groups: Any = None) -> NarrowModel | None:
    """Judge the model on a selected subset; None where there is none, or too few rows to tell."""
    _, counts = np.unique(np.asarray(table.y), return_counts=True)
    if not has_many_columns(table) or counts.min() < NARROW_FOLDS:
        return None
    try:
        found = evaluate(NarrowClassifier(model), table, cv=NARROW_FOLDS, groups=groups, random_state=0)
        columns = chosen_columns(table)
    except SepalError:
        return None  # a fold with one class, or nothing that varies
    return NarrowModel(tuple(table.names[j] for j in columns), found.accuracy, found.interval())


class NarrowClassifier(TableClassifierMixin, TableEstimator):
    """Select few columns, and fit a classifier to these."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def _diet(self) -> Diet:
        return Diet(levels=True, missing=True)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Select and fit."""
        table = self._training_rows(X, y)
        assert isinstance(table, Table)  # noqa: S101 - sparse rows were not asked for
        self.chosen_ = chosen_columns(table)
        self.model_ = clone(self.model).fit(table.select(self.chosen_))
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        return np.asarray(self.model_.predict(self._new_table(X).select(self.chosen_)))


def chosen_columns(table: Table) -> list[int]:
    """The columns that a forward search by Thornton's index picks among the best ranked."""
    codes, _ = class_codes(table)
    order = canonical_columns(table.values, codes.astype(np.intp))  # which of equal columns comes first must not decide
    told = explained(table, codes)[order]
    ranked = order[np.sort(np.argsort(-told, kind="stable")[:RANKED])]
    part = table.select(ranked.tolist())
    procedure = Procedure(strategy="forward", prefer="smallest", n_jobs=1)
    best = procedure.choose(procedure.run(procedure.prepare(part)))
    return [int(ranked[j]) for j in best.columns]


def explained(table: Table, codes: NDArray[np.int32]) -> Array:
    """Per column the share of its variation that the classes explain, less what chance would: eta squared of ranks.

    Of a nominal column it is the share of the variation of the classes that the levels explain (Goodman and Kruskal's
    tau), which is the same for two classes and two levels.
    """
    indicators = np.eye(int(codes.max()) + 1)[codes]
    numbers = np.array([kind != "nominal" for kind in table.kinds])
    whole = numbers & ~np.isnan(table.values).any(axis=0)
    found = np.zeros(table.n_columns)
    for start in range(0, table.n_columns, _COLUMNS_AT_A_TIME):
        some = np.flatnonzero(whole[start : start + _COLUMNS_AT_A_TIME]) + start
        if len(some):
            found[some] = _shares(rankdata(table.values[:, some], axis=0), indicators)
    for j in np.flatnonzero(~whole):
        known = ~np.isnan(table.values[:, j])
        column = table.values[known, j]
        if known.sum() < 3:
            continue
        if numbers[j]:
            told = _shares(rankdata(column)[:, None], indicators[known])[0]
        else:
            levels = np.unique(column, return_inverse=True)[1]
            told = _share(indicators[known], np.eye(int(levels.max()) + 1)[levels])
        found[j] = told * known.mean()
    return found


def _shares(values: Array, groups: Array) -> Array:
    """Of the sum of squares of each column, what lies between groups; less its expectation under chance."""
    between, total = _between_and_total(values, groups)
    return _adjusted(between, total, groups)


def _share(values: Array, groups: Array) -> float:
    """The same of the sums over all columns."""
    between, total = _between_and_total(values, groups)
    return float(_adjusted(between.sum(keepdims=True), total.sum(keepdims=True), groups)[0])


def _between_and_total(values: Array, groups: Array) -> tuple[Array, Array]:
    centred = values - values.mean(axis=0)
    counts = groups.sum(axis=0)
    sums = groups[:, counts > 0].T @ centred
    return (sums**2 / counts[counts > 0, None]).sum(axis=0), (centred**2).sum(axis=0)


def _adjusted(between: Array, total: Array, groups: Array) -> Array:
    n, k = len(groups), int((groups.sum(axis=0) > 0).sum())
    if k < 2 or n <= k:
        return np.zeros(len(total))
    share = np.divide(between, total, out=np.zeros(len(total)), where=total > 0.0)
    return np.where(total > 0.0, 1.0 - (1.0 - share) * (n - 1) / (n - k), 0.0)
