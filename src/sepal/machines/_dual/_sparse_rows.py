"""Sparse rows with more columns than rows: scaled and compared by their inner products, never written out.

A scaled row is a - o, with ``a`` as sparse as the row and ``o`` the same for all: (a - o).(b - o) is a.b - a.o - b.o +
o.o, and distances do not change with ``o``. So the kernels are those of the rows written out, up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, issparse

from sepal.data import ScaleName, Scaling, as_table, equal_sparse_rows, fit_scaling, places
from sepal.distances import squared_lengths
from sepal.machines._dual._kernel_choice import choose_kernel
from sepal.machines._equal_rows import MergedRows
from sepal.machines._kernel_rows import KernelChoice, aligned_width

Floats = NDArray[np.float64]
_BLOCK_COLUMNS = 256  # written out together to learn the scaling
_BLOCK_ROWS = 512  # whose products are taken together
_ALIGNED_ROWS = 2000  # among which the width is looked for

SPARSE_KERNELS = ("linear", "poly", "rbf", "sigmoid", "cosine")


def is_wide(X: Any, kernel: str | None) -> bool:
    """Whether rows are better not written out: they would take more memory than their kernel matrix."""
    sparse = bool(issparse(X))
    return sparse and kernel in SPARSE_KERNELS and X.shape[1] > X.shape[0]


def written_out(X: Any) -> Any:
    """Sparse rows as an array; anything else as it is."""
    sparse = bool(issparse(X))
    return X.toarray() if sparse else X


def canonical(X: Any) -> csr_array:
    """One form for equal rows: sorted columns, no zeros, no cell twice."""
    rows = csr_array(X, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    rows.sort_indices()
    return rows


def row_ranks(rows: csr_array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rank of each canonical row in an order by content, the same for equal rows; and a place for each rank."""
    group_of, first = equal_sparse_rows(rows)
    columns, start = rows.indices.astype(np.int64), rows.indptr

    def content(row: int) -> bytes:
        part = slice(start[row], start[row + 1])
        return columns[part].tobytes() + rows.data[part].tobytes()

    by_content = np.array(sorted(first.tolist(), key=content), dtype=np.intp)
    return places(group_of[by_content])[group_of], by_content


@dataclass(frozen=True, eq=False)
class SparseKernel:
    """A kernel fitted to sparse rows.

    Attributes
    ----------
    name : str
        One of ``SPARSE_KERNELS``.
    gamma, coef0, degree
        Its parameters, as numbers.
    factor, origin : ndarray of float64, shape (n_columns,)
        A scaled row is the row times ``factor``, less ``origin``.
    """

    name: str
    gamma: float
    coef0: float
    degree: int
    factor: Floats
    origin: Floats

    def scaled(self, X: Any) -> csr_array:
        """Rows times ``factor``; without ``origin`` they stay sparse."""
        return csr_array(canonical(X) @ diags_array(self.factor))

    def matrix(self, A: csr_array, B: csr_array) -> Floats:
        """Kernel values of all pairs of scaled rows."""
        out = np.empty((A.shape[0], B.shape[0]))
        other = B.T.tocsc()
        for start in range(0, len(out), _BLOCK_ROWS):
            part = A[start : start + _BLOCK_ROWS]
            out[start : start + _BLOCK_ROWS] = self._of_products((part @ other).toarray(), part, B)
        return out

    def _of_products(self, products: Floats, A: csr_array, B: csr_array) -> Floats:
        if self.name == "rbf":
            distances = squared_lengths(A)[:, None] + squared_lengths(B)[None, :] - 2.0 * products
            return np.asarray(np.exp(-self.gamma * np.maximum(distances, 0.0)))
        inner = products - (A @ self.origin)[:, None] - (B @ self.origin)[None, :] + self.origin @ self.origin
        return np.asarray(_OF_INNER[self.name](self, inner, A, B))

    def lengths(self, A: csr_array) -> Floats:
        """Those of scaled rows, 1 for a row of zeros."""
        square = squared_lengths(A) - 2.0 * (A @ self.origin) + self.origin @ self.origin
        return np.where(square > 0, np.sqrt(np.maximum(square, 0.0)), 1.0)


_OF_INNER: dict[str, Callable[[SparseKernel, Floats, csr_array, csr_array], Any]] = {
    "linear": lambda kernel, inner, A, B: inner,
    "poly": lambda kernel, inner, A, B: (kernel.gamma * inner + kernel.coef0) ** kernel.degree,
    "sigmoid": lambda kernel, inner, A, B: np.tanh(kernel.gamma * inner + kernel.coef0),
    "cosine": lambda kernel, inner, A, B: inner / kernel.lengths(A)[:, None] / kernel.lengths(B)[None, :],
}


def sparse_scaling(rows: csr_array, how: ScaleName | None, weights: Floats) -> tuple[Floats, Floats, float]:
    """``factor`` and ``origin`` of the columns, and the variance of all scaled cells together."""
    parts: list[Scaling] = []
    total = mean = spread = 0.0
    for values in _column_blocks(rows):
        parts.append(fit_scaling(values, ["numeric"] * values.shape[1], how, weights=weights))
        cells = parts[-1].apply(values)
        mass = float(weights.sum()) * cells.shape[1]
        own = float(weights @ cells.sum(axis=1)) / mass
        spread += float(weights @ ((cells - own) ** 2).sum(axis=1)) + (own - mean) ** 2 * total * mass / (total + mass)
        mean += (own - mean) * mass / (total + mass)
        total += mass
    shrink, offset, divisor = (np.concatenate([getattr(p, name) for p in parts]) for name in _FIELDS)
    if how is None:
        return np.ones(rows.shape[1]), np.zeros(rows.shape[1]), spread / total
    return shrink / divisor, offset / divisor, spread / total


_FIELDS = ("shrink", "offset", "divisor")


def _column_blocks(rows: csr_array) -> Iterator[Floats]:
    columns = rows.tocsc()
    for start in range(0, rows.shape[1], _BLOCK_COLUMNS):
        yield columns[:, start : start + _BLOCK_COLUMNS].toarray()


def sparse_aligned_width(
    kernel: SparseKernel, scaled: csr_array, codes: NDArray[np.intp], weights: Floats, n_jobs: int | None
) -> float:
    """The width of best alignment; some rows of each class if they are many.

    Alignment only asks for distances, and these are kept by the coordinates of a decomposition of the products.
    """
    step = -(-len(codes) // _ALIGNED_ROWS)
    some = np.concatenate([np.flatnonzero(codes == code)[::step] for code in np.unique(codes)])
    products = replace(kernel, name="linear").matrix(scaled[some], scaled[some])
    products -= products.mean(axis=0)
    products -= products.mean(axis=1)[:, None]
    values, vectors = np.linalg.eigh((products + products.T) / 2)
    coordinates = vectors * np.sqrt(np.maximum(values, 0.0))
    return aligned_width(as_table(coordinates), codes[some], weights[some], "rbf", n_jobs, capped=True)


class SparseTraining(NamedTuple):
    """Scaled training rows and their kernel, with the width and gamma that were used."""

    kernel: SparseKernel
    rows: csr_array
    width: float | None
    gamma: float | None


def sparse_training(name: str, choice: KernelChoice, given: csr_array, merged: MergedRows) -> SparseTraining:
    """Fit scaling and kernel to the distinct rows ``given``, which ``merged`` has the classes and weights of."""
    factor, origin, variance = sparse_scaling(given, choice.scale, merged.weight)
    kernel = SparseKernel(name, 1.0, 0.0, 1, factor, origin)
    scaled = kernel.scaled(given)
    if name in ("linear", "cosine"):
        return SparseTraining(kernel, scaled, None, None)
    gamma: Any = "scale" if choice.gamma is None and name != "rbf" else choice.gamma
    width = choice.width
    if isinstance(gamma, str) and gamma in ("scale", "auto"):
        spread = variance if gamma == "scale" else 1.0
        gamma = 1.0 / (given.shape[1] * spread) if spread > 0 else 1.0
    if gamma is None and isinstance(width, str) and width == "aligned":
        width = sparse_aligned_width(kernel, scaled, merged.codes, merged.weight, choice.n_jobs)
    found, width = choose_kernel(name, width, gamma, choice.degree, choice.coef0, merged, choice.n_jobs)
    kernel = replace(kernel, gamma=found.gamma, coef0=found.coef0, degree=found.degree)
    return SparseTraining(kernel, scaled, width, found.gamma)
