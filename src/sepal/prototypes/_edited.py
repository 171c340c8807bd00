"""Editing: rows that their neighbours contradict are taken out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import ParameterError
from sepal.measures import PREPARING, Prepared, Preparing, groups_of, nearest_of_other_groups
from sepal.neighbors import DistinctRanking
from sepal.parameters import Parameter, check_whole, checked
from sepal.progress import SEARCHING, Progress, stage
from sepal.prototypes._cases import as_cases, label_rows, row_mass
from sepal.prototypes._condense import CaseMetric
from sepal.prototypes._prototype_set import PrototypeSet, prototype_set, removed_rounds

Remove = Literal["both", "larger"]
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


def _vote(data: Prepared, n_neighbors: int, kind_sel: KindSel, protect: Any, groups: Groups | None = None) -> Vote:
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


def _finish(
    name: str, data: Prepared, passes: list[NDArray[np.intp]], progress: Progress | None, notes: tuple[str, ...] = ()
) -> PrototypeSet:
    """The set left after taking out data positions, pass by pass."""
    cases = as_cases(data)
    kept = np.ones(data.n_rows, dtype=bool)
    for removed_pos in passes:
        kept[removed_pos] = False
    history = removed_rounds(data.rows, [data.rows[removed_pos] for removed_pos in passes])
    return prototype_set(name, cases, CaseMetric.of(cases, progress), data.rows[kept], history, notes)


def enn_solve(data: Prepared, k: int, progress: Progress | None, groups: Groups | None = None) -> NDArray[np.intp]:
    """Data positions that Wilson's rule takes out."""
    return np.flatnonzero(enn_pass(data, np.arange(data.n_rows), _vote(data, k, "mode", None, groups), progress))


@checked(passes_on=PREPARING)
def enn(
    X: Any,
    y: Any = None,
    *,
    n_neighbors: int = 3,
    kind_sel: KindSel = "mode",
    protect: Any = None,
    groups: Any = None,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> PrototypeSet:
    """Wilson's editing: takes out every row that its nearest others vote into another class.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`hart`.
    n_neighbors : int
        How many others vote. Rows tied for the last place share it, so nothing depends on row order; a tied vote goes
        to the class with the nearer row. Where a table has row weights, a row of weight w counts as w copies of it.
    kind_sel : {"mode", "all"}
        A row goes if most of these are of another class, or, more severe, if any of them is.
    protect : class, or list of classes, optional
        Rows of these classes stay, whatever their neighbours say: the smallest class of an unbalanced table, for
        instance.
    groups : array-like, "copies" or None
        Rows that do not vote on each other: those with the same label in an array (of one patient, for instance), or
        "copies", equal in every column. None: every other row votes, as Wilson has it.

    Returns
    -------
    PrototypeSet
        Smoother than the data, not smaller by much; use it before a condenser where labels are noisy. A class of which
        no row is left is named in the notes.

    Raises
    ------
    DataError
        If no row at all would be left.

    Notes
    -----
    imbalanced-learn's ``EditedNearestNeighbours`` has ``kind_sel="all"`` and protects the smallest class by default.

    References
    ----------
    D. L. Wilson, "Asymptotic properties of nearest neighbor rules using edited data", IEEE Trans. SMC 2, 1972.

    Examples
    --------
    >>> enn([[0.0], [1.0], [2.0], [3.0], [9.0], [10.0], [11.0]], list("aabaccc"), n_neighbors=3).rows.tolist()
    [0, 1, 3, 4, 5, 6]
    """
    data = label_rows(X, y, **how)
    vote = _vote(data, n_neighbors, kind_sel, protect, groups_of(data, groups, X, y))
    return _finish("enn", data, [np.flatnonzero(enn_pass(data, np.arange(data.n_rows), vote, progress))], progress)


@checked(
    Parameter("max_passes", "whole", "passes at most; no limit by default", at_least=1, optional=True),
    passes_on=PREPARING,
)
def renn(
    X: Any,
    y: Any = None,
    *,
    n_neighbors: int = 3,
    kind_sel: KindSel = "mode",
    protect: Any = None,
    max_passes: int | None = None,
    groups: Any = None,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> PrototypeSet:
    """Repeated editing: :func:`enn` on what is left, until nothing more goes.

    Parameters
    ----------
    X, y, n_neighbors, kind_sel, protect, distance, distance_params, scale, missing, groups, n_jobs, progress
        As in :func:`enn`.
    max_passes : int, optional
        Stop after so many passes.

    Returns
    -------
    PrototypeSet
        ``history`` has one entry per pass. It also stops when no more than ``n_neighbors`` rows are left.

    References
    ----------
    I. Tomek, "An experiment with the edited nearest-neighbor rule", IEEE Trans. SMC 6, 1976.

    Examples
    --------
    >>> len(renn([[0.0], [1.0], [2.0], [3.0], [9.0], [10.0], [11.0]], list("aabaccc")).history)
    1
    """
    data = label_rows(X, y, **how)
    vote = _vote(data, n_neighbors, kind_sel, protect, groups_of(data, groups, X, y))
    kept_pos: NDArray[np.intp] = np.arange(data.n_rows)
    passes: list[NDArray[np.intp]] = []
    while len(kept_pos) > vote.k and (max_passes is None or len(passes) < max_passes):
        wrong = enn_pass(data, kept_pos, vote, progress)
        if not np.any(wrong):
            break
        passes.append(kept_pos[wrong])
        kept_pos = kept_pos[~wrong]
    return _finish("renn", data, passes, progress)


@checked(passes_on=PREPARING)
def all_knn(
    X: Any,
    y: Any = None,
    *,
    n_neighbors: int = 3,
    kind_sel: KindSel = "mode",
    protect: Any = None,
    groups: Any = None,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> PrototypeSet:
    """All k-NN: takes out every row that the vote of its k nearest gets wrong for some k up to ``n_neighbors``.

    All votes are taken among all rows, and the rows go together at the end, as Tomek has it. (imbalanced-learn edits
    the already edited rows again for each k.)

    Parameters
    ----------
    X, y, n_neighbors, kind_sel, protect, distance, distance_params, scale, missing, groups, n_jobs, progress
        As in :func:`enn`.

    Returns
    -------
    PrototypeSet
        ``history`` has one entry for each k: the rows that this k is the first to get wrong.

    References
    ----------
    I. Tomek, "An experiment with the edited nearest-neighbor rule", IEEE Trans. SMC 6, 1976.

    Examples
    --------
    >>> all_knn([[0.0], [1.0], [2.0], [3.0], [9.0], [10.0], [11.0]], list("aabaccc")).rows.tolist()
    [0, 1, 4, 5, 6]
    """
    data = label_rows(X, y, **how)
    vote = _vote(data, n_neighbors, kind_sel, protect, groups_of(data, groups, X, y))
    mass = row_mass(data)
    ranking = data.ranking(depth(mass, vote.k, vote.groups), progress=progress)
    gone = vote.protected[data.codes]
    passes: list[NDArray[np.intp]] = []
    for k in range(1, vote.k + 1):
        wrong = misjudged(ranking, data.codes, mass, k, vote.kind_sel, vote.groups) & ~gone
        gone |= wrong
        passes.append(np.flatnonzero(wrong))
    return _finish("all_knn", data, passes, progress)


def tomek_solve(data: Prepared, progress: Progress | None, groups: Groups | None = None) -> NDArray[np.intp]:
    """The links as pairs of data positions, one pair per line, lower position first."""
    if groups is None:
        ranking = data.ranking(1, progress=progress)
        lists = ranking.per_row(1, "expected", np.arange(data.n_rows))
        source = np.repeat(np.arange(data.n_rows), np.diff(lists["start"]))
        target = lists["flat_rows"]
        # A row heavier than 1 is nearest to its own rest, so that only rows at distance 0 are as near.
        nearest = (row_mass(data)[source] <= 1.0) | (lists["flat_distances"] == 0.0)
        source, target = source[nearest], target[nearest]
    else:
        source, target = nearest_of_other_groups(data, groups, progress)
    forward = source * data.n_rows + target
    mutual = np.isin(forward, target * data.n_rows + source)
    link = mutual & (data.codes[source] != data.codes[target]) & (source < target)
    return np.stack([source[link], target[link]], axis=1)


@checked(
    Parameter("remove", "word", "both rows of a link, or that of the larger class", looked_up=True), passes_on=PREPARING
)
def tomek_links(
    X: Any,
    y: Any = None,
    *,
    remove: Remove = "both",
    protect: Any = None,
    groups: Any = None,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> PrototypeSet:
    """Takes out Tomek links: two rows of different classes, each the nearest of the other.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`hart`.
    remove : {"both", "larger"}
        Both rows of each link, or only the one of the class with more rows (both where the classes are equally large).
        Where several rows are tied for nearest, each of them counts as nearest.
    protect : class, or list of classes, optional
        Rows of these classes stay.
    groups : array-like, "copies" or None
        As in :func:`enn`: rows of one group are not each other's nearest.

    Returns
    -------
    PrototypeSet
        The links are in the notes only as a number; the removed rows are in ``history``.

    References
    ----------
    I. Tomek, "Two modifications of CNN", IEEE Trans. SMC 6, 1976.

    Examples
    --------
    >>> tomek_links([[0.0], [1.0], [1.4], [3.0]], list("aabb")).rows.tolist()
    [0, 3]
    """
    if remove not in ("both", "larger"):
        raise ParameterError(f"remove must be 'both' or 'larger'; got {remove!r}")
    data = label_rows(X, y, **how)
    links = tomek_solve(data, progress, groups_of(data, groups, X, y))
    protected = _vote(data, 1, "mode", protect).protected
    sizes = np.bincount(data.codes, weights=row_mass(data))[data.codes[links]]
    goes = np.ones(links.shape, dtype=bool) if remove == "both" else sizes == sizes.max(axis=1, keepdims=True)
    removed_pos = np.unique(links[goes & ~protected[data.codes[links]]])
    return _finish("tomek_links", data, [removed_pos], progress, (f"{len(links)} Tomek links",))
