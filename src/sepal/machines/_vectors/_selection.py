"""Feature vector selection: a few rows that span, in feature space, nearly what all rows span.

The fitness of a row is the squared cosine between its image and the span of the selected ones, J_i = 1 - d_i / k_ii
with d the residual of an incomplete Cholesky factorisation K ~ G G'. Each step adds the row that is represented worst
("local") or the one that raises the mean fitness most ("global"). The columns of G are orthonormal coordinates.

References
----------
G. Baudat, F. Anouar, "Feature vector selection and projection using kernels", Neurocomputing 55, 2003.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from sklearn.utils import check_random_state

from sepal.exceptions import SepalWarning

Array = NDArray[np.float64]
SparsityCriterion = Literal["local", "global"]
KernelColumns = Callable[[NDArray[np.intp]], Array]  # rows -> kernel values of all rows with these
Decide = Callable[[NDArray[np.intp]], int]
KernelBlock = Callable[[NDArray[np.intp], NDArray[np.intp]], Array]  # rows, columns -> their kernel values
_TIE = 1e-12
_FIRST_ROWS = 2000  # the first vector is sought among, and judged by, at most this many distinct rows
_JUDGES = 2000  # distinct rows that candidates are judged by
_GOLDEN = 0.6180339887498949  # multiples of it, less their whole part, fill the unit interval evenly
_PIVOT = 0.1  # of the largest residual: what a candidate must have of its own
_INDEFINITE = -1e-6  # a relative residual below this is no rounding error


@dataclass(frozen=True, eq=False)
class VectorSelection:
    """Selected rows, in order.

    Attributes
    ----------
    rows : ndarray of int, shape (L,)
    coordinates : ndarray, shape (n, L)
        Orthonormal coordinates in the span; the first L of them belong to the first L rows.
    fitness : ndarray, shape (L,)
        The mean fitness after each row.
    stopped : {"fitness", "limit", "span"}
        Fit enough, as many as allowed, or nothing left to represent.
    """

    rows: NDArray[np.intp]
    coordinates: Array
    fitness: Array
    stopped: str

    @property
    def factor(self) -> Array:
        """The Cholesky factor of the kernel matrix of the selected rows, lower triangular."""
        return np.tril(self.coordinates[self.rows])


def project(factor: Array, columns: Array) -> Array:
    """Coordinates of rows whose kernel values with the selected ones are given, shape (rows, L)."""
    return np.ascontiguousarray(solve_triangular(factor, columns.T, lower=True).T)


def lowest_row(rows: NDArray[np.intp]) -> int:
    """Decides between equally good rows by their number."""
    return int(rows[0])


def _best(rows: NDArray[np.intp], values: Array, decide: Decide) -> int:
    """The row of the largest value; values equal up to rounding are tied."""
    top = values.max()
    tied = rows[values >= top - _TIE * abs(top)]
    return int(tied[0]) if len(tied) == 1 else decide(tied)


def _distinct(keys: Array, relative: Array) -> tuple[NDArray[np.intp], Array]:
    """One row for each key, in the order of the keys, and what all rows of that key count."""
    order = np.argsort(keys, kind="stable")
    first = np.concatenate([[True], np.diff(keys[order]) != 0])
    return order[first], np.bincount(np.cumsum(first) - 1, weights=relative[order]).astype(np.float64)


def _first_row(
    rows: NDArray[np.intp], mass: Array, block: KernelBlock, diagonal: Array, random_state: object, decide: Decide
) -> int:
    """The row that alone gives the best mean fitness, sum_i K_ij^2 / (k_ii k_jj).

    Sought among distinct rows and judged by them: if they are many by a sample, drawn in the order of their keys, so
    that neither the order of the rows nor their copies matter.
    """
    seen = diagonal[rows] > 0
    rows, mass = rows[seen], mass[seen]
    if len(rows) > _FIRST_ROWS:
        taken = np.sort(check_random_state(random_state).choice(len(rows), _FIRST_ROWS, replace=False))
        rows, mass = rows[taken], mass[taken]
    return _best(rows, mass @ block(rows, rows) ** 2 / diagonal[rows], decide)


class _Factor:
    """G, row by row of its transpose. Memory is asked for at once, but the system gives it as it is used."""

    def __init__(self, n: int, most: int) -> None:
        self.most = most
        self.lines = np.empty((most, n))
        self.size = 0

    def append(self, line: Array) -> None:
        self.lines[self.size] = line
        self.size += 1

    @property
    def used(self) -> Array:
        return self.lines[: self.size]


class _Candidates:
    """Distinct rows in the order of their keys; a few of them as candidates, and as judges of these.

    Nothing depends on the order of the rows, nor on whether a row was repeated or weighted.
    """

    def __init__(self, rows: NDArray[np.intp], mass: Array, block: KernelBlock, count: int, decide: Decide) -> None:
        self.rows = rows
        n = len(rows)
        taken = np.arange(n) if n <= _JUDGES else ((np.arange(_JUDGES) + 0.5) * (n / _JUDGES)).astype(np.intp)
        self.judges, self.mass = self.rows[taken], mass[taken]
        self.block, self.count, self.decide = block, count, decide

    def best(self, G: Array, residual: Array, left: Array, tol: float) -> int:
        """The most useful of the candidates of this step, the row that is represented worst among them."""
        worst = _best(self.rows, left[self.rows], self.decide)
        n, step = len(self.rows), G.shape[0]
        turn = np.arange(n)
        if self.count < n:
            turn = np.unique(
                (np.arange(step * self.count, (step + 1) * self.count) * _GOLDEN % 1.0 * n).astype(np.intp)
            )
        among = np.union1d(self.rows[turn], [worst])
        # A pivot far smaller than the largest one would blow up rounding errors.
        among = among[left[among] > max(tol, _PIVOT * float(left[worst]))]
        apart = self.block(self.judges, among) - G[:, self.judges].T @ G[:, among]
        return _best(among, self.mass @ apart**2 / residual[among], self.decide)


def _most_useful(
    columns: KernelColumns, G: Array, residual: Array, open_rows: NDArray[np.intp], relative: Array, decide: Decide
) -> int:
    """The open row whose addition raises the mean fitness most, of all."""
    gain = np.empty(len(open_rows))
    step = max(1, 10_000_000 // len(residual))
    for start in range(0, len(open_rows), step):
        part = open_rows[start : start + step]
        left = columns(part) - G.T @ G[:, part]
        gain[start : start + step] = relative @ left**2 / residual[part]
    return _best(open_rows, gain, decide)


def select_vectors(
    columns: KernelColumns,
    diagonal: Array,
    *,
    n_vectors: int,
    fitness: float = 1.0,
    criterion: SparsityCriterion = "local",
    n_candidates: int | None = 59,
    weights: Array | None = None,
    tol: float = 1e-10,
    random_state: object = 0,
    decide: Decide = lowest_row,
    keys: Array | None = None,
    block: KernelBlock | None = None,
) -> VectorSelection:
    """Select rows one by one, by incremental Cholesky: O(n L^2) time, O(n L) memory, n L kernel values.

    Parameters
    ----------
    columns : callable
        Row numbers -> the kernel values of all rows with these, shape (n, numbers).
    diagonal : ndarray, shape (n,)
        k(x, x).
    n_vectors : int
        At most this many.
    fitness : float
        Stop when the mean fitness reaches it.
    criterion : {"local", "global"}
        Add the row that is represented worst, or the one that raises the mean fitness most.
    n_candidates : int or None
        "global" tries this many distinct rows per step, others in each, spread evenly in the order of ``keys``, and
        judges them by at most 2,000 (59 random ones hold one of the best 5 % with probability 0.95). None tries all
        rows and judges by all, at O(n^2) per vector.
    weights : ndarray, optional
        What each row counts in the mean.
    tol : float
        Rows whose residual is below this share of k(x, x) are in the span.
    random_state : int or RandomState
        For the sample of distinct rows that the first vector is sought in, when there are more than 2,000.
    decide : callable
        Picks one of several equally good rows.
    keys : ndarray, optional
        One number per row, the same for equal rows; by default the number of the row.
    block : callable, optional
        Rows and columns -> their kernel values; by default cut out of ``columns``.
    """
    n = len(diagonal)
    mass = np.ones(n) if weights is None else weights
    share = mass / mass.sum()
    per_row = np.where(diagonal > 0, 1.0 / np.where(diagonal > 0, diagonal, 1.0), 0.0)
    if not np.any(diagonal > 0):
        return VectorSelection(np.empty(0, np.intp), np.empty((n, 0)), np.empty(0), "span")
    all_rows = np.arange(n)
    cut = block if block is not None else lambda rows, cols: columns(cols)[rows]
    distinct, counts = _distinct(all_rows.astype(np.float64) if keys is None else keys, share * per_row)
    candidates = None
    if criterion == "global" and n_candidates is not None:
        candidates = _Candidates(distinct, counts, cut, n_candidates, decide)
    G = _Factor(n, min(n_vectors, n))
    residual = diagonal.copy()
    rows: list[int] = []
    path: list[float] = []
    lowest = 0.0
    j, stopped = _first_row(distinct, counts, cut, diagonal, random_state, decide), "limit"
    while True:
        line = columns(np.array([j]))[:, 0]
        if G.size:
            line -= G.used[:, j] @ G.used
        line /= np.sqrt(residual[j])
        G.append(line)
        residual -= line**2
        lowest = min(lowest, float((residual * per_row).min()))
        np.maximum(residual, 0.0, out=residual)
        residual[j] = 0.0
        rows.append(j)
        path.append(float(1.0 - share @ (residual * per_row)))
        left = residual * per_row
        if path[-1] >= fitness or len(rows) == G.most:
            stopped = "fitness" if path[-1] >= fitness else "limit"
            break
        if left[distinct].max() <= tol:  # of a copy rounding may leave a trifle more
            stopped = "span"
            break
        if criterion == "local":
            j = _best(all_rows, left, decide)
        elif candidates is not None:
            j = candidates.best(G.used, residual, left, tol)
        else:
            j = _most_useful(columns, G.used, residual, np.flatnonzero(left > tol), share * per_row, decide)
    if lowest < _INDEFINITE:
        warnings.warn(
            f"the kernel is not positive semidefinite on these rows (relative residual {lowest:.2g}); "
            "coordinates and fitness are not to be trusted",
            SepalWarning,
            stacklevel=2,
        )
    return VectorSelection(np.array(rows, dtype=np.intp), G.used.T, np.array(path), stopped)
