"""One member of the average: bagged trees, for structure that follows the axes, judged by the trees that missed a row.

A gaussian kernel sees distances in all coordinates at once and does badly where a few columns decide by thresholds.
Trees are the opposite. Each tree draws its rows with replacement and so misses about a third; the mean of the trees
that missed a row decides on it without knowing its answer, as honest as leave-one-out and at no cost.

References
----------
L. Breiman, "Random forests", Machine Learning 45, 2001.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native
from sepal.data import Table
from sepal.estimators import View

Array = NDArray[np.float64]

_MOST_EDGES = 255
_EDGE_ROWS = 50_000  # more rows do not move the edges of the bins
_MOST_DRAWN = 20_000  # rows drawn for one tree
_BLOCK_NUMBERS = 8_000_000
_FOLDS = 5
TREE_ARRAYS = ("tree_start", "column", "cut", "child", "leaf_start", "leaf_output", "leaf_value")


@dataclass(frozen=True, eq=False)
class ForestMember:
    """Trees on the coordinates of a view, cut into bins.

    Attributes
    ----------
    view : View
    edges : tuple of ndarray
        Per coordinate; bin b holds what lies above edge b - 1 and not above edge b.
    tree_start, column, cut, child, leaf_start, leaf_output, leaf_value : ndarray
        Nodes of all trees: rows with bin <= cut go to ``child``, others to the next; a leaf has column -1 and its
        entries at ``leaf_start[child]``.
    n_outputs : int
    """

    view: View
    edges: tuple[Array, ...]
    tree_start: NDArray[np.int64]
    column: NDArray[np.int32]
    cut: NDArray[np.int32]
    child: NDArray[np.int64]
    leaf_start: NDArray[np.int64]
    leaf_output: NDArray[np.int32]
    leaf_value: Array
    n_outputs: int

    name = "forest"

    def decisions(self, table: Table, threads: int = 1) -> Array:
        """The mean of all trees for new rows."""
        out = np.empty((table.n_rows, self.n_outputs))
        step = max(64, _BLOCK_NUMBERS // max(1, len(self.edges)))
        for start in range(0, table.n_rows, step):
            rows = np.arange(start, min(start + step, table.n_rows))
            bins = _bins(self.view.coordinates(table.take(rows)), self.edges)
            trees = {name: getattr(self, name) for name in TREE_ARRAYS}
            means = _native.forest_means(bins=bins, **trees, n_outputs=self.n_outputs, threads=threads)
            out[rows] = means.reshape(len(rows), self.n_outputs)
        return out


def _edges(column: Array) -> Array:
    """Between the distinct cells; where these are too many, between quantiles."""
    cells = np.unique(column)
    if len(cells) > _MOST_EDGES + 1:
        places = np.arange(1, _MOST_EDGES + 1) / (_MOST_EDGES + 1.0)
        return np.unique(np.quantile(column, places, method="inverted_cdf"))
    return np.asarray(0.5 * (cells[1:] + cells[:-1]))


def _bins(coordinates: Array, edges: tuple[Array, ...]) -> NDArray[np.uint8]:
    """Column by column, shape (coordinates, rows)."""
    out = np.empty((len(edges), len(coordinates)), dtype=np.uint8)
    for j, own in enumerate(edges):
        out[j] = np.searchsorted(own, coordinates[:, j])
    return out


def grow_forest(
    view: View,
    table: Table,
    answers: NDArray[np.int32] | Array,
    n_outputs: int,
    *,
    n_trees: int,
    seed: int,
    threads: int,
    groups: NDArray[np.intp] | None = None,
    mass: Array | None = None,
) -> tuple[ForestMember, Array]:
    """Trees, and for each row the mean of those that did not see it.

    Parameters
    ----------
    view : View
        Any: trees see only the order of the cells.
    table : Table
        Training rows.
    answers : ndarray of int or float
        Classes, or numbers.
    n_outputs : int
        The number of classes; 1 for numbers.
    n_trees, seed, threads : int
        The answer does not depend on the threads.
    groups : ndarray of int, optional
        Rows of the same number are decided on without each other: by trees that grew on the other fifths of the
        groups, since hardly any tree misses a whole group by chance.
    mass : ndarray, optional
        How many rows each row counts as: it is drawn so much more often. As of groups, hardly any tree misses a row
        of a large mass, and rows are decided on by trees of the other fifths.

    Returns
    -------
    member : ForestMember
    left_out : ndarray, shape (n, n_outputs)
        A row that every tree has seen gets the mean of all answers.
    """
    member, left_out = _grown(view, table, answers, n_outputs, n_trees, seed, threads, mass)
    n = table.n_rows
    if groups is None and mass is None:
        return member, left_out
    left_out = np.empty_like(left_out)
    number = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
    fold = (np.random.RandomState(seed).permutation(number.max() + 1) % min(_FOLDS, number.max() + 1))[number]
    for k in range(fold.max() + 1):
        rest, missed = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        part = _grown(
            view, table.take(rest), answers[rest], n_outputs, n_trees // 3, seed + k, threads, _rows_of(mass, rest)
        )[0]
        left_out[missed] = part.decisions(table.take(missed), threads)
    return member, left_out


def _grown(
    view: View,
    table: Table,
    answers: NDArray[np.int32] | Array,
    n_outputs: int,
    n_trees: int,
    seed: int,
    threads: int,
    mass: Array | None,
) -> tuple[ForestMember, Array]:
    """Trees, and for each row the mean of those that did not draw it."""
    coordinates = view.coordinates(table)
    n, d = coordinates.shape
    edges = tuple(_edges(column) for column in coordinates[:_EDGE_ROWS].T)
    labelled = answers.dtype.kind == "i"
    grown = _native.grow_forest(
        bins=_bins(coordinates, edges),
        classes=np.ascontiguousarray(answers if labelled else np.empty(0), dtype=np.int32),
        numbers=np.ascontiguousarray(np.empty(0) if labelled else answers, dtype=np.float64),
        n_outputs=n_outputs,
        n_trees=n_trees,
        sample=min(n if mass is None else max(n, round(mass.sum())), _MOST_DRAWN),
        tries=max(1, min(-(-d // 2), round(3 * np.sqrt(d)))),
        least=1 if labelled else 3,
        seed=seed,
        threads=threads,
        progress=None,
        drawn=None if mass is None else np.cumsum(mass) / mass.sum(),
    )
    mean = _mean(answers, n_outputs, mass)
    counts = grown.left_out_counts
    votes = grown.left_out_sums.reshape(n, n_outputs) / np.maximum(counts, 1)[:, None]
    left_out = np.where(counts[:, None] > 0, votes, mean)
    trees = {name: getattr(grown, name) for name in TREE_ARRAYS}
    member = ForestMember(view, edges, **trees, n_outputs=n_outputs)
    return member, left_out


def _rows_of(mass: Array | None, rows: NDArray[np.intp]) -> Array | None:
    return None if mass is None else mass[rows]


def _mean(answers: NDArray[np.int32] | Array, n_outputs: int, mass: Array | None) -> Array:
    """The share of each class, or the mean of the numbers."""
    if answers.dtype.kind == "i":
        counts = np.bincount(answers, weights=mass, minlength=n_outputs)
        return np.asarray(counts / (len(answers) if mass is None else counts.sum()))
    return np.array([answers.mean() if mass is None else np.average(answers, weights=mass)])
