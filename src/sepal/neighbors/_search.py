"""The search itself, and the only door to the native code that does it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

import sepal._native as _native
from sepal.data import ScaleName, Table, as_table, match_table
from sepal.distances import FittedDistance, fit_distance
from sepal.exceptions import DataError, ParameterError
from sepal.neighbors._ranking import DistinctRanking, NeighborRanking, Ties, cut

Method = Literal["auto", "brute", "tree"]
Progress = Callable[[float], object]
METHODS = ("auto", "brute", "tree")

# Values are equal, and so tied, when they differ by less than rounding can explain. Scaled integers keep their ties
# with this, whatever the order of the columns; unscaled integers are exact and need none.
TIE_TOLERANCE = 2.0**-40

# Rows from which on a tree beats tiles, by the number of columns (measured: benchmarks/speed/neighbors.py).
_TREE_FROM = {1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 40_000, 7: 80_000, 8: 160_000}
_WORTH_THREADS = 4_000_000  # coordinate differences; below this starting threads costs more than it saves
_TREE_METRICS = frozenset({"l2", "l1", "linf", "lp"})
_EXACT_METRICS = frozenset({"l2", "l1", "linf"})


def thread_count(n_jobs: int | None) -> int:
    """Threads to use: all cores for None, and as in scikit-learn -1 for all, -2 for all but one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return cores
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise ParameterError(f"n_jobs must be None or an integer other than 0; got {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))


def _is_exact(*arrays: NDArray[np.float64]) -> bool:
    """Whether sums of squared differences of these values have no rounding error."""
    if not all(np.all(a == np.floor(a)) for a in arrays):  # NaN is no whole number
        return False
    high = np.max([a.max(axis=0) for a in arrays], axis=0)
    low = np.min([a.min(axis=0) for a in arrays], axis=0)
    with np.errstate(over="ignore"):
        return bool(np.sum((high - low) ** 2) <= 2.0**53)


def _exponent(power: float, *arrays: NDArray[np.float64]) -> int:
    """The power of two that brings the coordinates into a range where their powers neither overflow nor vanish."""
    largest = max(float(np.fmax.reduce(np.abs(a), axis=None)) for a in arrays)
    if largest == 0.0 or np.isnan(largest):
        return 0
    top, room = int(np.frexp(largest)[1]), int(1000 / power)
    if -room < top <= room:
        return 0
    if top < 0:
        return -top
    typical = max(float(np.median(np.abs(a[np.isfinite(a) & (a != 0.0)]))) for a in arrays)
    # One huge row must not cost all others their digits: then it is infinitely far, and that is near enough.
    return room - top if np.frexp(typical)[1] + room - top > -room else 0


@dataclass(frozen=True, eq=False)
class Search:
    """Training rows prepared for neighbour queries under one distance.

    Embedding, grouping of equal rows and the choice of method happen once, in :meth:`prepare`; after that any number
    of rankings can be asked for.
    """

    table: Table
    fitted: FittedDistance
    points: NDArray[np.float64]  # coordinates of the distinct rows
    group_of: NDArray[np.int32]
    first: NDArray[np.int32]
    n_copies: NDArray[np.int64]
    method: str
    threads: int

    @classmethod
    def prepare(
        cls,
        table: Table,
        *,
        distance: str = "euclidean",
        distance_params: Mapping[str, Any] | None = None,
        scale: ScaleName | None = None,
        method: Method = "auto",
        n_jobs: int | None = None,
    ) -> Search:
        """Fit the distance and group equal rows."""
        if method not in METHODS:
            raise ParameterError(f"method must be 'auto', 'brute' or 'tree'; got {method!r}")
        fitted = fit_distance(table, distance, scale=scale, params=distance_params)
        points = fitted.embed(table)
        # Copies are rows at distance 0; some are not, because of what is missing in them.
        group_of, first = apart(*_native.distinct(points), fitted.compares_nothing(points))
        return cls(
            table,
            fitted,
            points if len(first) == len(points) else np.ascontiguousarray(points[first]),
            group_of,
            first,
            np.bincount(group_of, minlength=len(first)).astype(np.int64),
            _choose(method, fitted, _effective_metric(fitted, points), points.shape[1], len(first)),
            thread_count(n_jobs),
        )

    def fits_together(self) -> bool:
        """Whether the parts belong to one search: a model file may hold anything."""
        fitted, points = self.fitted, self.points
        return (
            fitted.kinds == self.table.kinds
            and points.ndim == 2
            and points.shape[1] == len(fitted.mismatch)
            and (fitted.allows_missing or fitted.unit_length or not np.isnan(points).any())
            and self.method in ("tiles", "direct", "tree")
            and groups_fit(self.table.n_rows, len(points), self.group_of, self.first, self.n_copies)
            and self.threads >= 1
        )

    @property
    def n_rows(self) -> int:
        """Training rows, copies included."""
        return self.table.n_rows

    def distinct_ranking(
        self, k: int, *, rows: NDArray[np.int64] | None = None, progress: Progress | None = None
    ) -> DistinctRanking:
        """The k nearest distinct rows of every distinct training row, or of those that ``rows`` belong to."""
        if rows is None:
            queries = np.arange(len(self.first), dtype=np.int64)
            start, entries, distances = self._native_search(None, min(k, len(self.first) - 1), progress)
        else:
            queries = np.unique(self.group_of[rows]).astype(np.int64)
            found = self._native_search(self.points[queries], min(k + 1, len(self.first)), progress)
            start, entries, distances = _drop_own(*found, queries)
        start, entries, distances = list_copies(start, entries, distances, queries, self.n_copies)
        return DistinctRanking(queries, start, entries, distances, self.group_of, self.n_copies, self.first)

    def query_ranking(self, queries: Table, k: int, progress: Progress | None = None) -> DistinctRanking:
        """The k nearest distinct training rows of rows that are not among them."""
        start, entries, distances = self._native_search(self.fitted.embed(queries), min(k, len(self.first)), progress)
        return DistinctRanking(
            np.full(queries.n_rows, -1, dtype=np.int64),
            start,
            entries,
            distances,
            self.group_of,
            self.n_copies,
            self.first,
        )

    def among(self, rows: NDArray[np.intp]) -> Search:
        """The same search over some of the training rows only (same scaling, same distance)."""
        groups, first, group_of, n_copies = np.unique(
            self.group_of[rows], return_index=True, return_inverse=True, return_counts=True
        )
        return replace(
            self,
            table=self.table.take(rows),
            points=np.ascontiguousarray(self.points[groups]),
            group_of=group_of.astype(np.int32),
            first=first.astype(np.int32),
            n_copies=n_copies.astype(np.int64),
        )

    def nearest_distance(self, among: NDArray[np.intp], asking: NDArray[np.intp]) -> NDArray[np.float64]:
        """Distance from each asking training row to the nearest of some others.

        ``asking`` must be the same rows as ``among``, then a row is not its own neighbour, or share none with them.
        """
        part = self.among(among)
        if among is asking:
            found = part.distinct_ranking(1)
            return found.distances[found.start[:-1]][part.group_of]
        groups, list_of = np.unique(self.group_of[asking], return_inverse=True)
        start, _, distances = part._native_search(np.ascontiguousarray(self.points[groups]), 1, None)
        return distances[start[:-1]][list_of]

    def nearest_among(
        self, among: NDArray[np.intp], asking: NDArray[np.intp]
    ) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float64], NDArray[np.intp]]:
        """The nearest of the rows ``among``, ties included, for each distinct row of those asking; none is in both.

        Returns ``start, found, distances, groups``: distinct row ``groups[i]`` has the nearest distinct rows
        ``found[start[i]:start[i+1]]`` (numbers as in ``group_of``) at ``distances[i]``.
        """
        kept, groups = np.unique(self.group_of[among]), np.unique(self.group_of[asking])
        part = self.among(among)
        start, entries, distances = part._native_search(np.ascontiguousarray(self.points[groups]), 1, None)
        return start, kept[entries].astype(np.intp), distances[start[:-1]], groups.astype(np.intp)

    def block(self, asking: NDArray[np.intp], among: NDArray[np.intp]) -> NDArray[np.float64]:
        """Distances from some training rows (rows of the matrix) to others (columns)."""
        points, queries = (np.ascontiguousarray(self.points[self.group_of[rows]]) for rows in (among, asking))
        return self.fitted.distances(
            _native.pair_block(points, queries, *self._metric(), self._team(len(points), len(queries)))
        )

    def count_within(
        self,
        asking: NDArray[np.intp],
        among: NDArray[np.intp],
        radius: NDArray[np.float64],
        progress: Progress | None,
        *,
        to_the_digit: bool = False,
    ) -> NDArray[np.float64]:
        """How many of the rows ``among`` are nearer than ``radius`` to each asking row, itself counted if it is there.

        Several rows of radii give as many rows of counts, from one pass. What differs from the radius by rounding only
        is not nearer; ``to_the_digit`` the last digit decides.
        """
        groups, copies = np.unique(self.group_of[among], return_counts=True)
        limits = np.atleast_2d(self._at(radius) if to_the_digit else self._below(radius))
        counts = _native.count_within(
            np.ascontiguousarray(self.points[groups]),
            copies.astype(np.float64),
            np.ascontiguousarray(self.points[self.group_of[asking]]),
            np.ascontiguousarray(limits),
            *self._metric(),
            self._team(len(groups), len(asking)),
            progress,
        )
        return counts.reshape(radius.shape)

    def near_graph(
        self, rows: NDArray[np.intp], radius: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Which of these training rows are nearer to each other than the ``radius`` of one of both.

        Returns ``start, neighbors, shared``: row i of them has the neighbours ``neighbors[start[i]:start[i+1]]``, and
        ``shared[i]`` is the sum, over these, of the neighbours they share with it. Needs a bit for every pair.
        """
        points = np.ascontiguousarray(self.points[self.group_of[rows]])
        limits = np.ascontiguousarray(self._below(radius))
        return _native.near_graph(points, limits, *self._metric(), self._team(len(points), len(points)))

    def _below(self, radius: NDArray[np.float64]) -> NDArray[np.float64]:
        """The native value below which a distance is smaller than the radius by more than rounding."""
        exponent = {"square": 2.0, "power": self.fitted.p}.get(self.fitted.value_is, 1.0)
        return radius**exponent * (2.0 if self.fitted.value_is == "double" else 1.0) * (1 - TIE_TOLERANCE)

    def _at(self, radius: NDArray[np.float64]) -> NDArray[np.float64]:
        """The smallest native value that is no smaller distance than the radius."""
        if self.fitted.value_is != "square":
            return radius if self.fitted.value_is == "distance" else self._below(radius)
        limit = radius**2
        for _ in range(3):  # squares of roots are off by a digit or two
            limit = np.where(np.sqrt(limit) < radius, np.nextafter(limit, np.inf), limit)
        for _ in range(3):
            lower = np.nextafter(limit, 0.0)
            limit = np.where(np.sqrt(lower) >= radius, lower, limit)
        return limit

    def spanning_tree(
        self, codes: NDArray[np.int32], progress: Progress | None
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        """Both rows and the length of every edge of the minimum spanning tree of the training rows.

        Among edges of equal length those inside one class (``codes``) come first, then those of lower rows, so that the
        tree is unique.
        """
        points = np.ascontiguousarray(self.points[self.group_of])
        first, second, values = _native.spanning_tree(
            points, np.ascontiguousarray(codes, dtype=np.int32), *self._metric(), progress
        )
        return first, second, self.fitted.distances(values)

    def _team(self, n_points: int, n_queries: int) -> int:
        """Threads worth starting: what one finishes in a moment should not wait for others."""
        return self.threads if n_points * n_queries * self.points.shape[1] > _WORTH_THREADS else 1

    def _metric(self) -> tuple[str, float, int, NDArray[np.float64]]:
        return self.fitted.metric, self.fitted.p, self.fitted.n_numeric, self.fitted.mismatch

    def _native_search(
        self, queries: NDArray[np.float64] | None, k: int, progress: Progress | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Ragged lists of distinct rows and distances: start, entries, distances."""
        if k < 1:  # all rows are equal: nobody else to list
            return np.zeros(len(self.first) + 1, dtype=np.int64), np.zeros(0, np.int32), np.zeros(0)
        given = (self.points,) if queries is None else (self.points, queries)
        fitted, metric = self.fitted, _effective_metric(self.fitted, *given)
        exponent = self._exponent(metric, *given)
        scaled = given if exponent == 0 else tuple(np.ldexp(a, exponent) for a in given)
        weights = np.ldexp(fitted.mismatch, 2 * exponent) if metric == "mixed" else fitted.mismatch
        start, entries, values = _native.search(
            scaled[0],
            None if queries is None else np.ascontiguousarray(scaled[-1]),
            k,
            self._path(metric),
            metric,
            fitted.p,
            fitted.n_numeric,
            weights,
            0.0 if metric in _EXACT_METRICS and _is_exact(*given) else TIE_TOLERANCE,
            # Unit vectors of one direction differ by rounding: that is no distance.
            4 * self.points.shape[1] * np.finfo(float).eps ** 2 if fitted.unit_length else 0.0,
            self._team(len(self.first), len(given[-1])),
            progress,
        )
        distances = fitted.distances(values)
        return start, entries, distances if exponent == 0 else np.ldexp(distances, -exponent)

    def _exponent(self, metric: str, *given: NDArray[np.float64]) -> int:
        if self.fitted.value_is not in ("square", "distance", "power") or metric in ("gower", "tanimoto"):
            return 0  # bounded, or not proportional to the coordinates
        power = {"square": 2.0, "distance": 1.0}.get(self.fitted.value_is, self.fitted.p)
        exponent = _exponent(power, *given)
        return min(exponent, 0) if metric == "mixed" else exponent

    def _path(self, metric: str) -> str:
        """The native path for a metric that may be simpler, or less so, than the training rows promised."""
        if metric == "l2":
            return "tiles" if self.method == "direct" else self.method
        return self.method if self.method == "tree" and metric in _TREE_METRICS else "direct"


def _effective_metric(fitted: FittedDistance, *given: NDArray[np.float64]) -> str:
    """Without missing cells several metrics are plain Euclidean ones: unit vectors, and mixed columns all numeric."""
    plain = fitted.metric == "unit_l2" or (fitted.metric == "mixed" and fitted.n_numeric == given[0].shape[1])
    return "l2" if plain and not any(np.isnan(a).any() for a in given) else fitted.metric


def _choose(method: Method, fitted: FittedDistance, metric: str, n_columns: int, n_rows: int) -> str:
    """The native path: a tree in few dimensions, float32 tiles for Euclidean, else direct sums."""
    can_tree = metric in _TREE_METRICS and fitted.metric != "mixed"
    if method == "tree" and not can_tree:
        raise ParameterError(
            f"method='tree' cannot search under the distance {fitted.name!r} on these rows",
            hint="use method='auto'",
        )
    if method == "tree" or (method == "auto" and can_tree and n_rows >= _TREE_FROM.get(n_columns, np.inf)):
        return "tree"
    return "tiles" if metric == "l2" else "direct"


def groups_fit(
    n_rows: int,
    n_points: int,
    group_of: NDArray[np.int32],
    first: NDArray[np.int32],
    n_copies: NDArray[np.int64],
) -> bool:
    """Whether every row has a distinct row, every distinct row its first row and the number of its copies."""
    return (
        n_points > 0
        and group_of.shape == (n_rows,)
        and first.shape == n_copies.shape == (n_points,)
        and bool(np.all((group_of >= 0) & (group_of < n_points)))
        and bool(np.all((first >= 0) & (first < n_rows)))
        and np.array_equal(n_copies, np.bincount(group_of, minlength=n_points))
    )


def apart(
    group_of: NDArray[np.int32], first: NDArray[np.int32], alone: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Groups in which rows that are not at distance 0 from their own copies stand for themselves."""
    if not alone.any():
        return group_of, first
    key = np.where(alone, len(first) + np.arange(len(alone)), group_of)
    _, at, inverse = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(at)  # groups are numbered by their first row
    number = np.empty(len(at), dtype=np.int32)
    number[order] = np.arange(len(at), dtype=np.int32)
    return number[inverse], at[order].astype(np.int32)


def rank_distances(
    distances: NDArray[np.float64], k: int, *, n_jobs: int | None = None, may_be_exact: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float64]]:
    """The k nearest columns of each row of a matrix, everyone tied with the k-th included: start, rows, distances.

    Distances that are all whole numbers are tied only where they are equal, unless they cannot be exact.
    """
    given = np.ascontiguousarray(distances, dtype=np.float64)
    tie = 0.0 if may_be_exact and _is_exact(np.where(np.isinf(given), 0.0, given)) else TIE_TOLERANCE
    start, rows, found = _native.search_distances(given, False, k, tie, thread_count(n_jobs), None)
    return start, rows.astype(np.intp), found


def _drop_own(
    start: NDArray[np.int64],
    entries: NDArray[np.int32],
    values: NDArray[np.float64],
    queries: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    query = np.repeat(np.arange(len(queries)), np.diff(start))
    other = entries != queries[query]
    lengths = np.bincount(query[other], minlength=len(queries))
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), entries[other], values[other]


def list_copies(
    start: NDArray[np.int64],
    entries: NDArray[np.int32],
    values: NDArray[np.float64],
    queries: NDArray[np.int64],
    n_copies: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Put a query's own distinct row first, at distance 0, where other rows equal it."""
    copied = np.flatnonzero(n_copies[queries] > 1)
    if len(copied) == 0:
        return start, entries, values
    extra = np.zeros(len(start), dtype=np.int64)
    extra[copied + 1] = 1
    at = start[:-1][copied]
    return start + np.cumsum(extra), np.insert(entries, at, queries[copied]), np.insert(values, at, 0.0)


def _check_k(k: int, largest: int, what: str) -> int:
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError(f"k must be an integer of at least 1; got {k!r}")
    if k > largest:
        raise ParameterError(f"k must be at most {largest}, {what}; got {k}")
    return int(k)


def neighbor_ranking(
    X: Any,
    k: int,
    *,
    queries: Any = None,
    distance: str = "euclidean",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = None,
    ties: Ties = "index",
    method: Method = "auto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> NeighborRanking:
    """Find the k nearest training rows of each query, exactly.

    Parameters
    ----------
    X : Table, ndarray or data frame
        The training rows, or with ``distance="precomputed"`` the square matrix of distances between them.
    k : int
        How many neighbours.
    queries : Table, ndarray or data frame, optional
        The rows to find neighbours for. Left out, every training row asks about the others: itself is left out by
        its index, copies of it at distance 0 are not. With ``distance="precomputed"`` the distances from queries (rows)
        to training rows (columns).
    distance : str
        A name in ``sepal.distances.DISTANCES``, ``"auto"`` or ``"precomputed"``.
    distance_params : mapping, optional
        ``weights``, ``p`` or ``covariance``, as the distance takes them.
    scale : {"minmax", "standard"} or None
        Scaling of numeric columns, from the training rows only.
    ties : {"index", "expected"}
        ``"index"`` keeps exactly k neighbours, the lowest rows among those tied at the k-th place; ``"expected"`` keeps
        everyone tied there.
    method : {"auto", "brute", "tree"}
        How to search. All give the same answer; the result says which was used.
    n_jobs : int, optional
        Threads; all cores by default. The answer does not depend on it.
    progress : callable, optional
        Called now and then with the share of the work that is done.

    Returns
    -------
    NeighborRanking

    Notes
    -----
    Distances are sums in float64 over the columns in their order. Two of them are tied when they differ by less than a
    2**-40 part of their square, which covers the rounding of scaled values; for integers they must be equal.

    Examples
    --------
    >>> ranking = neighbor_ranking([[0.0], [1.0], [3.0]], k=1)
    >>> ranking.rows.ravel().tolist(), ranking.distances.ravel().tolist()
    ([1, 0, 1], [1.0, 1.0, 2.0])
    """
    if ties not in ("index", "expected"):
        raise ParameterError(f"ties must be 'index' or 'expected'; got {ties!r}")
    if method not in METHODS:
        raise ParameterError(f"method must be 'auto', 'brute' or 'tree'; got {method!r}")
    if distance == "precomputed":
        if method == "tree":
            raise ParameterError("method='tree' has no meaning with distance='precomputed'", hint="use method='auto'")
        return _from_matrix(X, k, queries, scale, distance_params, ties, n_jobs, progress)
    table = as_table(X)
    search = Search.prepare(
        table, distance=distance, distance_params=distance_params, scale=scale, method=method, n_jobs=n_jobs
    )
    if queries is None:
        k = _check_k(k, table.n_rows - 1, "one less than the number of rows, since a row is not its own neighbour")
        found = search.distinct_ranking(k, progress=progress)
        lists = found.per_row(k, ties, np.arange(table.n_rows))
    else:
        k = _check_k(k, table.n_rows, "the number of training rows")
        found = search.query_ranking(_as_queries(queries, table), k, progress)
        lists = found.per_row(k, ties, None)
    method_used = "tree" if search.method == "tree" else "brute"
    return NeighborRanking(k, ties, distance=search.fitted.name, method=method_used, notes=search.fitted.notes, **lists)


def _as_queries(queries: Any, training: Table) -> Table:
    asked = as_table(queries)
    if asked.n_columns != training.n_columns:
        raise DataError(f"the training rows have {training.n_columns} columns, the queries have {asked.n_columns}")
    return match_table(asked, training)


def _check_distances(given: ArrayLike, name: str) -> NDArray[np.float64]:
    array = np.asarray(given)
    if array.dtype.kind not in "fiub":
        raise DataError(f"{name} must hold numbers with distance='precomputed'; got {array.dtype}")
    D = np.ascontiguousarray(array, dtype=np.float64)
    if D.ndim != 2 or 0 in D.shape:
        raise DataError(f"{name} must be a matrix of distances with distance='precomputed'; got shape {D.shape}")
    wrong = np.isnan(D) | (D < 0)
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise DataError(f"{name}, row {row}, column {column}: a distance is at least 0; found {D[row, column]}")
    return D


def _from_matrix(
    X: ArrayLike,
    k: int,
    queries: ArrayLike | None,
    scale: Any,
    distance_params: Any,
    ties: Ties,
    n_jobs: int | None,
    progress: Progress | None,
) -> NeighborRanking:
    for name, value in (("scale", scale), ("distance_params", distance_params)):
        if value is not None:
            raise ParameterError(f"{name} has no meaning with distance='precomputed': X holds the distances already")
    D = _check_distances(X, "X")
    if D.shape[0] != D.shape[1]:
        raise DataError(
            f"X must be square with distance='precomputed': from every training row to every other; got {D.shape}",
            hint="give the distances from queries (rows) to training rows (columns) as queries=",
        )
    n_points, self_join = len(D), queries is None
    if queries is not None:
        D = _check_distances(queries, "queries")
        if D.shape[1] != n_points:
            raise DataError(f"queries must have one column per training row, {n_points}; got {D.shape[1]}")
    k = _check_k(k, n_points - self_join, "the number of rows a query may be near to")
    tie = 0.0 if _is_exact(np.where(np.isinf(D), 0.0, D)) else TIE_TOLERANCE
    start, rows, distances = _native.search_distances(D, self_join, k, tie, thread_count(n_jobs), progress)
    lists = cut(start, rows.astype(np.intp), distances, k, ties)
    return NeighborRanking(k, ties, distance="precomputed", method="precomputed", **lists)
