"""Editing: rows that their neighbours contradict are taken out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName
from sepal.exceptions import ParameterError
from sepal.measures._labelled import Labelled, Missing
from sepal.neighbors import DistinctRanking
from sepal.prototypes._cases import as_cases, label_rows
from sepal.prototypes._condense import CaseMetric, Progress
from sepal.prototypes._set import PrototypeSet, prototype_set, removed_rounds

Remove = Literal["both", "larger"]


def _check_neighbors(n_neighbors: int, n_rows: int) -> int:
    if isinstance(n_neighbors, bool) or not isinstance(n_neighbors, (int, np.integer)) or n_neighbors < 1:
        raise ParameterError(f"n_neighbors must be an integer of at least 1; got {n_neighbors!r}")
    if n_neighbors >= n_rows:
        raise ParameterError(
            f"n_neighbors must be at most {n_rows - 1}, one less than the number of rows, since a row is not its own "
            f"neighbour; got {n_neighbors}"
        )
    return int(n_neighbors)


def misjudged(ranking: DistinctRanking, codes: NDArray[np.int32], n_classes: int, k: int) -> NDArray[np.bool_]:
    """Which rows the vote of their k nearest others gets wrong.

    The k-th place is shared by all rows tied for it. Of classes with as many votes the one with the nearer row wins;
    a row whose own class is level with the best in both is not wrong.
    """
    n = len(codes)
    lists = ranking.per_row(k, "expected", np.arange(n))
    start, near, distance = lists["start"], lists["flat_rows"], lists["flat_distances"]
    query = np.repeat(np.arange(n), np.diff(start))
    last = distance[start[1:] - 1]
    is_last = distance == last[query]
    n_last = np.bincount(query[is_last], minlength=n)
    n_before = np.diff(start) - n_last
    weight = np.where(is_last, ((k - n_before) / n_last)[query], 1.0)
    cell = query * n_classes + codes[near]
    votes = np.bincount(cell, weights=weight, minlength=n * n_classes).reshape(n, n_classes)
    nearest = np.full((n, n_classes), np.inf)
    np.minimum.at(nearest.reshape(-1), cell, distance)
    rows = np.arange(n)
    own_votes, own_nearest = votes[rows, codes][:, None], nearest[rows, codes][:, None]
    level = np.abs(votes - own_votes) <= 1e-9
    beaten = (votes > own_votes + 1e-9) | (level & (nearest < own_nearest))
    return np.asarray(beaten.any(axis=1))


def enn_pass(data: Labelled, kept_pos: NDArray[np.intp], k: int, progress: Progress | None) -> NDArray[np.bool_]:
    """Which of the kept data positions the others kept get wrong."""
    search = data.dense if len(kept_pos) == data.n_rows else data.dense.among(kept_pos)
    ranking = search.distinct_ranking(k, progress=progress)
    return misjudged(ranking, data.codes[kept_pos], len(data.classes), k)


def _finish(
    name: str, data: Labelled, passes: list[NDArray[np.intp]], progress: Progress | None, notes: tuple[str, ...] = ()
) -> PrototypeSet:
    """The set left after taking out data positions, pass by pass."""
    cases = as_cases(data)
    kept = np.ones(data.n_rows, dtype=bool)
    for removed_pos in passes:
        kept[removed_pos] = False
    history = removed_rounds(data.rows, [data.rows[removed_pos] for removed_pos in passes])
    return prototype_set(name, cases, CaseMetric.of(cases, progress), data.rows[kept], history, notes)


def enn_solve(data: Labelled, k: int, progress: Progress | None) -> NDArray[np.intp]:
    """Data positions that Wilson's rule takes out."""
    k = _check_neighbors(k, data.n_rows)
    return np.flatnonzero(enn_pass(data, np.arange(data.n_rows), k, progress))


def enn(
    X: Any,
    y: Any = None,
    *,
    n_neighbors: int = 3,
    distance: str = "auto",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> PrototypeSet:
    """Wilson's editing: takes out every row that its nearest others vote into another class.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`hart`.
    n_neighbors : int
        How many others vote. Rows tied for the last place share it, so nothing depends on row order; a tied vote goes
        to the class with the nearer row.

    Returns
    -------
    PrototypeSet
        Smoother than the data, not smaller by much; use it before a condenser where labels are noisy.

    References
    ----------
    D. L. Wilson, "Asymptotic properties of nearest neighbor rules using edited data", IEEE Trans. SMC 2, 1972.

    Examples
    --------
    >>> enn([[0.0], [1.0], [2.0], [3.0], [9.0], [10.0], [11.0]], list("aabaccc"), n_neighbors=3).rows.tolist()
    [0, 1, 3, 4, 5, 6]
    """
    data = label_rows(X, y, distance, distance_params, scale, missing, n_jobs)
    return _finish("enn", data, [enn_solve(data, n_neighbors, progress)], progress)


def renn(
    X: Any,
    y: Any = None,
    *,
    n_neighbors: int = 3,
    max_passes: int | None = None,
    distance: str = "auto",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> PrototypeSet:
    """Repeated editing: :func:`enn` on what is left, until nothing more goes.

    Parameters
    ----------
    X, y, n_neighbors, distance, distance_params, scale, missing, n_jobs, progress
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
    data = label_rows(X, y, distance, distance_params, scale, missing, n_jobs)
    k = _check_neighbors(n_neighbors, data.n_rows)
    if max_passes is not None and (isinstance(max_passes, bool) or max_passes < 1):
        raise ParameterError(f"max_passes must be None or an integer of at least 1; got {max_passes!r}")
    kept_pos: NDArray[np.intp] = np.arange(data.n_rows)
    passes: list[NDArray[np.intp]] = []
    while len(kept_pos) > k and (max_passes is None or len(passes) < max_passes):
        wrong = enn_pass(data, kept_pos, k, progress)
        if not np.any(wrong):
            break
        passes.append(kept_pos[wrong])
        kept_pos = kept_pos[~wrong]
    return _finish("renn", data, passes, progress)


def all_knn(
    X: Any,
    y: Any = None,
    *,
    n_neighbors: int = 3,
    distance: str = "auto",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> PrototypeSet:
    """All k-NN: takes out every row that the vote of its k nearest gets wrong for some k up to ``n_neighbors``.

    All votes are taken among all rows, and the rows go together at the end, as Tomek has it. (imbalanced-learn edits
    the already edited rows again for each k.)

    Parameters
    ----------
    X, y, n_neighbors, distance, distance_params, scale, missing, n_jobs, progress
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
    data = label_rows(X, y, distance, distance_params, scale, missing, n_jobs)
    k_max = _check_neighbors(n_neighbors, data.n_rows)
    ranking = data.dense.distinct_ranking(k_max, progress=progress)
    gone = np.zeros(data.n_rows, dtype=bool)
    passes: list[NDArray[np.intp]] = []
    for k in range(1, k_max + 1):
        wrong = misjudged(ranking, data.codes, len(data.classes), k) & ~gone
        gone |= wrong
        passes.append(np.flatnonzero(wrong))
    return _finish("all_knn", data, passes, progress)


def tomek_solve(data: Labelled, progress: Progress | None) -> NDArray[np.intp]:
    """The links as pairs of data positions, one pair per line, lower position first."""
    ranking = data.dense.distinct_ranking(1, progress=progress)
    lists = ranking.per_row(1, "expected", np.arange(data.n_rows))
    source = np.repeat(np.arange(data.n_rows), np.diff(lists["start"]))
    target = lists["flat_rows"]
    forward = source * data.n_rows + target
    mutual = np.isin(forward, target * data.n_rows + source)
    link = mutual & (data.codes[source] != data.codes[target]) & (source < target)
    return np.stack([source[link], target[link]], axis=1)


def tomek_links(
    X: Any,
    y: Any = None,
    *,
    remove: Remove = "both",
    distance: str = "auto",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> PrototypeSet:
    """Takes out Tomek links: two rows of different classes, each the nearest of the other.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`hart`.
    remove : {"both", "larger"}
        Both rows of each link, or only the one of the class with more rows (both where the classes are equally large).
        Where several rows are tied for nearest, each of them counts as nearest.

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
    data = label_rows(X, y, distance, distance_params, scale, missing, n_jobs)
    links = tomek_solve(data, progress)
    sizes = data.class_counts[data.codes[links]]
    goes = np.ones(links.shape, dtype=bool) if remove == "both" else sizes == sizes.max(axis=1, keepdims=True)
    removed_pos = np.unique(links[goes])
    return _finish("tomek_links", data, [removed_pos], progress, (f"{len(links)} Tomek links",))
