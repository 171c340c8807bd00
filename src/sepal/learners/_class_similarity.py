"""Class-wise similarity: the vote of a class is the sum of the similarities of its own k most similar rows.

Where one class is much larger than another, the k nearest rows of all are often of that class alone, and the vote says
nothing more; here every class is heard, and the share of a class moves with how near its best rows are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sepal.data import Rows, Table
from sepal.exceptions import ParameterError
from sepal.learners._neighbor_lists import NeighborLists, TiedGroups
from sepal.learners._neighborhood import Neighborhood
from sepal.learners._vote_weights import VoteWeights
from sepal.learners._votes import running_sums


@dataclass(frozen=True, eq=False)
class ClassLists:
    """The nearest rows of one class for some queries.

    ``lists`` holds training rows, ``mass`` the weight of each entry, and ``column`` the tied group of its query that it
    belongs to.
    """

    lists: NeighborLists
    mass: NDArray[np.float64]
    column: NDArray[np.intp]

    def groups(self) -> TiedGroups:
        """Tied groups that hold mass only."""
        query = self.lists.query
        shape = (len(self.lists), int(self.column.max(initial=0)) + 1)
        mass, distance = np.zeros(shape), np.full(shape, np.inf)
        np.add.at(mass, (query, self.column), self.mass)
        distance[query, self.column] = self.lists.distance
        return TiedGroups(distance, mass, mass[:, :, None])


def class_lists(
    hood: Neighborhood,
    codes: NDArray[np.int32],
    n_classes: int,
    queries: Rows | None,
    k: float,
    groups: NDArray[np.intp] | None,
) -> Iterator[ClassLists]:
    """For each class the nearest mass k of its rows; without queries every training row asks, and is left out."""
    if queries is None:
        _check_can_leave_out(hood)
    for code in range(n_classes):
        rows = np.flatnonzero(codes == code)
        part = hood.for_rows().among(rows)
        found = _lists(hood, part, rows, queries, k, groups)
        lists = replace(found, voter=rows[found.voter])
        mass = hood.weights[lists.voter]
        if queries is None:
            mass = np.where(lists.voter == lists.query, mass - np.minimum(mass, 1.0), mass)
            lists, mass = lists.where(mass > 0), mass[mass > 0]
        opens = np.ones(len(lists.voter), dtype=bool)
        if hood.ties == "expected":
            opens[1:] = (lists.query[1:] != lists.query[:-1]) | (lists.distance[1:] != lists.distance[:-1])
        number = np.cumsum(opens) - 1
        first = lists.start[:-1][lists.query]
        yield ClassLists(lists, mass, number - number[first])


def _lists(
    hood: Neighborhood,
    part: Neighborhood,
    rows: NDArray[np.intp],
    queries: Rows | None,
    k: float,
    groups: NDArray[np.intp] | None,
) -> NeighborLists:
    if queries is not None:
        if hood.search is None and isinstance(queries, Table):
            queries = queries.select(rows.tolist())  # distances to all training rows: those of the class
        return part.lists(queries, k)
    largest = 1.0 if groups is None else float(np.bincount(groups[rows], weights=part.weights).max())
    if hood.search is None:
        found = part.lists(np.asarray(hood.matrix)[:, rows], k + largest)
    else:
        found = part.lists(hood.search.table, k + largest)
    return found if groups is None else found.where(groups[rows[found.voter]] != groups[found.query])


def _check_can_leave_out(hood: Neighborhood) -> None:
    """A distance that has learnt from the labels would have to be learnt anew without each row."""
    if getattr(getattr(hood.search, "fitted", None), "counts", None) is not None:
        raise ParameterError(
            "weights='class_similarity' leaves no row out of a distance that is learnt from the classes",
            hint="give n_neighbors as a number and new rows, or another distance",
        )


def similarity_votes(
    hood: Neighborhood,
    codes: NDArray[np.int32],
    n_classes: int,
    weights: VoteWeights,
    queries: Rows | None,
    ks: NDArray[np.intp],
    groups: NDArray[np.intp] | None = None,
) -> NDArray[np.float64]:
    """(n_queries, n_ks, n_classes) sums of the similarities of the k most similar rows of each class."""
    votes = []
    for found in class_lists(hood, codes, n_classes, queries, float(ks[-1]), groups):
        tied = found.groups()
        similar = np.where(tied.mass > 0, weights.by_distance(tied.distance, np.inf), 0.0)
        votes.append(running_sums(tied, (tied.mass * similar)[:, :, None], int(ks[-1]))[:, ks - 1, 0])
    return np.stack(votes, axis=2)


def similar_entries(
    hood: Neighborhood, codes: NDArray[np.int32], n_classes: int, weights: VoteWeights, queries: Rows, k: int
) -> tuple[NeighborLists, NDArray[np.float64]]:
    """The rows behind the votes, nearest first, and the similarity that each brings."""
    query, voter, distance, share = [], [], [], []
    for found in class_lists(hood, codes, n_classes, queries, float(k), None):
        lists = found.lists
        inside = found.groups().inside(float(k))[lists.query, found.column]
        query.append(lists.query)
        voter.append(lists.voter)
        distance.append(lists.distance)
        share.append(inside * weights.by_distance(lists.distance, np.inf) * found.mass)
    all_queries, all_voters = np.concatenate(query), np.concatenate(voter)
    all_distances, shares = np.concatenate(distance), np.concatenate(share)
    order = np.lexsort((all_voters, all_distances, all_queries))
    order = order[shares[order] > 0]
    start = np.concatenate([[0], np.cumsum(np.bincount(all_queries[order], minlength=queries.n_rows))])
    return NeighborLists(start.astype(np.int64), all_voters[order], all_distances[order]), shares[order]


def no_groups(n_queries: int, n_classes: int) -> TiedGroups:
    """Nothing to break an equal vote by: then the larger class wins."""
    return TiedGroups(np.full((n_queries, 1), np.inf), np.zeros((n_queries, 1)), np.zeros((n_queries, 1, n_classes)))
