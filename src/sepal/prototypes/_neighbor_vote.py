"""The vote of the neighbours that editing asks: which rows it contradicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import ParameterError
from sepal.measures import Prepared
from sepal.neighbors import DistinctRanking
from sepal.parameters import check_whole
from sepal.progress import SEARCHING, Progress, stage
from sepal.prototypes._cases import row_mass

KindSel = Literal["mode", "all"]
Groups = NDArray[np.intp]


def _check_neighbors(n_neighbors: int, data: Prepared, groups: Groups | None) -> int:
    check_whole("n_neighbors", n_neighbors)
    most = data.n_rows - largest_group(groups)
    if n_neighbors > most:
        why = "one less than the number of rows, since a row is not its own neighbour"
        if groups is not None:
            why = "the rows outside the largest group"
        raise ParameterError(f"n_neighbors must be at most {most}, {why}; got {n_neighbors}")
    return int(n_neighbors)


def largest_group(groups: Groups | None) -> int:
    """How many rows it has; a row alone where there are none."""
    return 1 if groups is None else int(np.bincount(groups).max())


@dataclass(frozen=True, eq=False)
class Vote:
    """Who judges a row, and what it takes to send it away.

    Attributes
    ----------
    k : int
        How many of the nearest others vote, counted by weight.
    kind_sel : {"mode", "all"}
        A row goes if most of them are of another class, or if any of them is.
    protected : (n_classes,) array of bool
        Classes whose rows stay.
    groups : array or None
        Numbers of the rows that do not vote on each other, by data position.
    """

    k: int
    kind_sel: KindSel
    protected: NDArray[np.bool_]
    groups: Groups | None = None

    def groups_at(self, kept_pos: NDArray[np.intp]) -> Groups | None:
        """Of some data positions."""
        return None if self.groups is None else self.groups[kept_pos]


def as_vote(data: Prepared, n_neighbors: int, kind_sel: KindSel, protect: Any, groups: Groups | None = None) -> Vote:
    """How neighbours vote, from what the user said."""
    if kind_sel not in ("mode", "all"):
        raise ParameterError(f"kind_sel must be 'mode' or 'all'; got {kind_sel!r}")
    if protect is None:
        wanted: list[Any] = []
    else:
        wanted = list(protect) if isinstance(protect, (list, tuple, set, frozenset, np.ndarray)) else [protect]
    known = data.classes.tolist()
    for label in wanted:
        if label not in known:
            raise ParameterError(f"protect: there is no class {label!r}; the classes are {', '.join(map(str, known))}")
    protected = np.array([label in wanted for label in known], dtype=bool)
    return Vote(_check_neighbors(n_neighbors, data, groups), kind_sel, protected, groups)


def misjudged(
    ranking: DistinctRanking,
    codes: NDArray[np.int32],
    mass: NDArray[np.float64],
    k: int,
    kind_sel: KindSel,
    groups: Groups | None = None,
) -> NDArray[np.bool_]:
    """Which rows the vote of their k nearest others gets wrong; ``mass`` is what each row counts for.

    The k-th place is shared by all rows tied for it. Of classes with as many votes the one with the nearer row wins;
    a row whose own class is level with the best in both is not wrong. With ``"all"`` every vote must be for the own
    class. When a row asks, one unit of its own weight leaves; what is left votes, as copies of it would. Rows of one
    group do not vote on each other, nor does the rest of a row's own weight where there are groups.
    """
    n, n_classes = len(codes), int(codes.max()) + 1
    lists = ranking.per_row(depth(mass, k, groups), "expected", np.arange(n))
    near, distance = lists["flat_rows"], lists["flat_distances"]
    query = np.repeat(np.arange(n), np.diff(lists["start"]))
    if groups is not None:
        other = groups[near] != groups[query]
        query, near, distance = query[other], near[other], distance[other]
    heavy = np.flatnonzero((mass > 1.0) & (groups is None))  # their rest is their nearest copy
    query, near = np.concatenate([query, heavy]), np.concatenate([near, heavy])
    distance = np.concatenate([distance, np.zeros(len(heavy))])
    order = np.lexsort((near, distance, query))
    query, near, distance = query[order], near[order], distance[order]
    own = near == query
    weight = _shares(query, distance, np.where(own, mass[near] - 1.0, mass[near]), k)
    cell = query * n_classes + codes[near]
    votes = np.bincount(cell, weights=weight, minlength=n * n_classes).reshape(n, n_classes)
    rows = np.arange(n)
    own_votes = votes[rows, codes][:, None]
    if kind_sel == "all":
        return np.asarray(votes.sum(axis=1) > own_votes[:, 0] + 1e-9)
    nearest = np.full((n, n_classes), np.inf)
    np.minimum.at(nearest.reshape(-1), cell[weight > 0], distance[weight > 0])
    own_nearest = nearest[rows, codes][:, None]
    level = np.abs(votes - own_votes) <= 1e-9
    beaten = (votes > own_votes + 1e-9) | (level & (nearest < own_nearest))
    return np.asarray(beaten.any(axis=1))


def depth(mass: NDArray[np.float64], k: int, groups: Groups | None = None) -> int:
    """How many of the nearest others surely hold a mass of k outside the group of a row."""
    inside = largest_group(groups) - 1
    if mass.min() >= 1.0:
        return min(k + inside, len(mass) - 1)
    return min(int(np.searchsorted(np.cumsum(np.sort(mass)), k)) + 1 + inside, len(mass) - 1)


def _shares(
    query: NDArray[np.intp], distance: NDArray[np.float64], mass: NDArray[np.float64], k: int
) -> NDArray[np.float64]:
    """How much of each entry is within the nearest mass k; everyone tied at the end has the same share."""
    opens = np.ones(len(query), dtype=bool)
    opens[1:] = (query[1:] != query[:-1]) | (distance[1:] != distance[:-1])
    group = np.cumsum(opens) - 1
    inside = np.bincount(group, weights=mass)
    before = np.cumsum(inside) - inside
    starts = np.ones(len(inside), dtype=bool)
    of_query = query[opens]
    starts[1:] = of_query[1:] != of_query[:-1]
    before -= before[starts][np.cumsum(starts) - 1]
    taken = np.clip(k - before, 0.0, inside)
    part = np.divide(taken, inside, out=np.zeros_like(taken), where=inside > 0)
    return np.asarray(part[group] * mass)


def enn_pass(data: Prepared, kept_pos: NDArray[np.intp], vote: Vote, progress: Progress | None) -> NDArray[np.bool_]:
    """Which of the kept data positions the others kept get wrong and no protection keeps."""
    search = data.dense if len(kept_pos) == data.n_rows else data.dense.among(kept_pos)
    codes, mass, groups = data.codes[kept_pos], row_mass(data)[kept_pos], vote.groups_at(kept_pos)
    ranking = search.distinct_ranking(depth(mass, vote.k, groups), progress=stage(progress, SEARCHING))
    return misjudged(ranking, codes, mass, vote.k, vote.kind_sel, groups) & ~vote.protected[codes]


def enn_solve(data: Prepared, k: int, progress: Progress | None, groups: Groups | None = None) -> NDArray[np.intp]:
    """Data positions that Wilson's rule takes out."""
    return np.flatnonzero(enn_pass(data, np.arange(data.n_rows), as_vote(data, k, "mode", None, groups), progress))
