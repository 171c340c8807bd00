"""Many classes as a tree of two-class questions.

Each question splits the classes that are left into the two groups with the highest Thornton index. A row counts for the
index if its nearest neighbour is in its own group, so the best split cuts the least of the flow of nearest neighbours
between classes: it is the minimum cut of a small graph, found exactly without trying 2^(C-1) - 1 splits.

References
----------
M. Stoer, F. Wagner, "A simple min-cut algorithm", Journal of the ACM 44, 1997.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.auto._paper_chain_link import ChainLink, Codes
from sepal.data import Table
from sepal.neighbors import neighbor_ranking

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassQuestion:
    """A node: is a row of one of ``first`` or one of ``second``? Both are class codes, ascending."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    link: ChainLink


def class_flow(
    table: Table, codes: Codes, n_classes: int, n_jobs: int | None, groups: NDArray[np.intp] | None = None
) -> Array:
    """(n_classes, n_classes): how many rows of one class have their nearest neighbour in another.

    Where several rows are equally near each counts its share. Rows of one group are no neighbours; one whose group is
    all there is has none.
    """
    groups = np.arange(table.n_rows) if groups is None else groups
    depth = min(int(np.unique(groups, return_counts=True)[1].max()), table.n_rows - 1)
    ranking = neighbor_ranking(table, depth, distance="auto", scale="minmax", ties="expected", n_jobs=n_jobs)
    query = np.repeat(np.arange(table.n_rows), np.diff(ranking.start))
    other = groups[query] != groups[ranking.flat_rows]
    query, near, distance = query[other], ranking.flat_rows[other], ranking.flat_distances[other]
    least = np.full(table.n_rows, np.inf)
    np.minimum.at(least, query, distance)
    nearest = distance == least[query]
    query, near = query[nearest], near[nearest]
    pairs = codes[query].astype(np.int64) * n_classes + codes[near]
    shares = 1.0 / np.bincount(query, minlength=table.n_rows)[query]
    flow: Array = np.bincount(pairs, weights=shares, minlength=n_classes**2).astype(np.float64)
    return flow.reshape(n_classes, n_classes)


def best_split(flow: Array, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which classes are on one side of the least cut of the flow, both directions added.

    Of equal cuts that the algorithm meets the one that splits the rows most evenly, then the first.
    """
    W = flow + flow.T
    np.fill_diagonal(W, 0.0)
    scale = max(1.0, float(W.sum()))
    merged = [{c} for c in range(len(W))]
    best: tuple[float, int] | None = None
    side: set[int] = set()
    while len(merged) > 1:
        last, before, cut = _phase(W)
        rows = int(sizes[sorted(merged[last])].sum())
        found = (round(cut / scale, 12), abs(int(sizes.sum()) - 2 * rows))
        if best is None or found < best:
            best, side = found, set(merged[last])
        W[before] += W[last]
        W[:, before] += W[:, last]
        W[before, before] = 0.0
        W = np.delete(np.delete(W, last, axis=0), last, axis=1)
        merged[before] |= merged[last]
        del merged[last]
    return np.isin(np.arange(len(sizes)), sorted(side))


def _phase(W: Array) -> tuple[int, int, float]:
    """Add vertices, always the one most tightly bound to those added: the last, the one before it, the last's cut."""
    bound = W[0].copy()
    added = np.zeros(len(W), dtype=bool)
    added[0] = True
    before, last, cut = 0, 0, 0.0
    for _ in range(len(W) - 1):
        before, last = last, int(np.argmax(np.where(added, -np.inf, bound)))
        cut = float(bound[last])
        added[last] = True
        bound += W[last]
    return last, before, cut


def questions_solve(
    table: Table,
    codes: Codes,
    n_classes: int,
    fit: Callable[[Table, Codes, NDArray[np.intp] | None], ChainLink],
    sample: Callable[[Table, Codes], NDArray[np.intp]],
    n_jobs: int | None,
    groups: NDArray[np.intp] | None = None,
) -> tuple[ClassQuestion, ...]:
    """The nodes of the tree, the root first. ``sample`` says which rows the flow is taken from."""
    nodes = []
    open_groups = [np.arange(n_classes)]
    while open_groups:
        classes = open_groups.pop()
        if len(classes) == 1:
            continue
        rows = np.flatnonzero(np.isin(codes, classes))
        part, place = table.take(rows), np.searchsorted(classes, codes[rows]).astype(np.int32)
        asked, apart = sample(part, place), None if groups is None else groups[rows]
        flow = class_flow(part.take(asked), place[asked], len(classes), n_jobs, None if apart is None else apart[asked])
        sizes = np.bincount(place, minlength=len(classes))
        order = _by_place(part, place, sizes)
        side = np.zeros(len(classes), dtype=bool)
        side[order] = best_split(flow[np.ix_(order, order)], sizes[order])
        if side[0]:  # the group of the lowest class is the first
            side = ~side
        link = fit(part, side[place].astype(np.int32), apart)
        first, second = classes[~side], classes[side]
        nodes.append(ClassQuestion(tuple(first.tolist()), tuple(second.tolist()), link))
        open_groups += [second, first]
    return tuple(nodes)


def _by_place(table: Table, place: Codes, sizes: NDArray[np.int64]) -> NDArray[np.intp]:
    """The classes in the order of their means, so that equal cuts are not decided by the names of the classes."""
    means = np.array([np.bincount(place, weights=column) for column in np.nan_to_num(table.values.T)]) / sizes
    return np.lexsort(np.round(means, 9)[::-1])


def tree_probabilities(questions: tuple[ClassQuestion, ...], table: Table, n_classes: int) -> Array:
    """For each class the product of the answers on the way to it."""
    out = np.ones((table.n_rows, n_classes))
    for question in questions:
        share = question.link.probabilities(table)
        out[:, question.first] *= share[:, :1]
        out[:, question.second] *= share[:, 1:]
    return out
