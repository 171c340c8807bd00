"""Editing: rows that their neighbours contradict are taken out."""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import ParameterError
from sepal.measures import PREPARING, Prepared, Preparing, groups_of, nearest_of_other_groups
from sepal.parameters import Parameter, checked
from sepal.progress import Progress
from sepal.prototypes._cases import as_cases, label_rows, row_mass
from sepal.prototypes._condense import CaseMetric
from sepal.prototypes._neighbor_vote import Groups, KindSel, as_vote, depth, enn_pass, misjudged
from sepal.prototypes._prototype_set import PrototypeSet, prototype_set, removed_rounds

Remove = Literal["both", "larger"]


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
    vote = as_vote(data, n_neighbors, kind_sel, protect, groups_of(data, groups, X, y))
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
    vote = as_vote(data, n_neighbors, kind_sel, protect, groups_of(data, groups, X, y))
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
    vote = as_vote(data, n_neighbors, kind_sel, protect, groups_of(data, groups, X, y))
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
    protected = as_vote(data, 1, "mode", protect).protected
    sizes = np.bincount(data.codes, weights=row_mass(data))[data.codes[links]]
    goes = np.ones(links.shape, dtype=bool) if remove == "both" else sizes == sizes.max(axis=1, keepdims=True)
    removed_pos = np.unique(links[goes & ~protected[data.codes[links]]])
    return _finish("tomek_links", data, [removed_pos], progress, (f"{len(links)} Tomek links",))
