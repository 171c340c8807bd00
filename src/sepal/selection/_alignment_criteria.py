"""Kernel alignment as a criterion of selection, plain and centred."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import ParameterError
from sepal.parameters import Parameter
from sepal.selection._criterion import Asking, DistanceCriterion
from sepal.selection._problem import FeatureProblem
from sepal.selection._program import Program
from sepal.selection._sweep import Kernels, Spread, bin_edges

# Widths to try, in units of the median distance: the best one grows with the subset about as that distance does.
SCANNED_WIDTHS = tuple(float(2.0 ** (i / 4)) for i in range(-12, 6))
_DOUBLINGS = len(SCANNED_WIDTHS) // 2 - 1  # every other width doubles gamma: two exponentials serve them all
_FLAT = 1e-12  # a centered kernel with less than this share of its norm left is constant


@dataclass(frozen=True)
class Alignment(DistanceCriterion):
    """Alignment of the radial kernel exp(-d^2 / 2 sigma^2) with the classes (1 same class, -1/(C-1) different).

    See N. Cristianini et al., NIPS 2001; C. Cortes, M. Mohri, A. Rostamizadeh, JMLR 13, 2012 (centered).

    Parameters
    ----------
    width : {"median", "scan"}, float or sequence of float, default "median"
        Sigma: the median distance of the subset (to within 1/64), the best of ``SCANNED_WIDTHS`` times it, or sigma
        itself, one number or several of which the best counts.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import Alignment, subset_sweep
    >>> subset_sweep(table, criterion=Alignment(width="scan")).best.features
    ('speed',)
    """

    name = "alignment"
    n_walks = 2
    cost = 15.0
    centered: ClassVar[bool] = False
    parameter_table = (Parameter("width", "number", "sigma", above=0.0, words=("median", "scan"), also=("sequence",)),)
    width: Literal["median", "scan"] | float | Sequence[float] = "median"

    def _widths(self) -> NDArray[np.float64] | None:
        """Values of sigma that were given; None where the median distance is to be found first."""
        if isinstance(self.width, str) and self.width in ("median", "scan"):
            return None
        sigma = np.atleast_1d(np.asarray(() if isinstance(self.width, str) else self.width, dtype=np.float64))
        if sigma.ndim != 1 or sigma.size == 0 or not np.all(np.isfinite(sigma) & (sigma > 0)):
            raise ParameterError(f"width must be 'median', 'scan' or positive numbers; got {self.width!r}")
        return sigma

    def ask(self, problem: FeatureProblem, program: Program) -> Asking:
        sigma, n_doublings = self._widths(), 0
        if sigma is None:
            scan = self.width == "scan"
            factors, n_doublings = np.array(SCANNED_WIDTHS[-2:] if scan else [1.0]), _DOUBLINGS if scan else 0
            sigma = np.sqrt(median_squares((yield Spread()), bin_edges(problem)))[:, None] * factors
        gamma = np.broadcast_to(1.0 / (2.0 * sigma**2), (program.n_out, sigma.shape[-1]))
        sums = yield Kernels(gamma, n_doublings, self.centered)
        formula = centered_alignment if self.centered else plain_alignment
        best: NDArray[np.float64] = formula(sums, problem.class_counts).max(axis=1)
        return best


class CenteredAlignment(Alignment):
    """Alignment after centring both matrices, which no imbalance of the classes can raise.

    Parameters
    ----------
    width : {"median", "scan"}, float or sequence of float, default "median"
        As in :class:`Alignment`.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import CenteredAlignment, subset_sweep
    >>> subset_sweep(table, criterion=CenteredAlignment()).best.features
    ('speed',)
    """

    name = "centered_alignment"
    centered = True


def plain_alignment(sums: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """<K,T> / (|K||T|) from sums over pairs."""
    others = len(counts) - 1
    n, same = counts.sum(), np.sum(counts.astype(np.float64) ** 2)
    norm = np.sqrt(same + (n**2 - same) / others**2)
    result: NDArray[np.float64] = (sums[..., 0] - sums[..., 1] / others) / (np.sqrt(sums[..., 2]) * norm)
    return result


def centered_alignment(sums: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """<HKH,HSH> / (|HKH||HSH|), S the matrix of equal classes; 0 where the kernel is constant."""
    n = float(counts.sum())
    m = counts.astype(np.float64)
    same = np.sum(m**2)
    total = sums[..., 0] + sums[..., 1]
    inner = sums[..., 0] - 2.0 * sums[..., 4] / n + same * total / n**2
    square = sums[..., 2] - 2.0 * sums[..., 3] / n + total**2 / n**2
    target = same - 2.0 * np.sum(m**3) / n + same**2 / n**2
    flat = square <= _FLAT * sums[..., 2]
    return np.where(flat, 0.0, inner / np.sqrt(np.where(flat, 1.0, square) * target))


def median_squares(counts: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """The median squared distance of each subset; where half the pairs are at distance 0, the mean; never 0."""
    used = np.flatnonzero(counts.any(axis=0))
    first, end = (int(used[0]), int(used[-1]) + 1) if len(used) else (0, 1)
    counts, low, high = counts[:, first:end], edges[first:end], edges[first + 1 : end + 1]
    cumulative = np.cumsum(counts, axis=1)
    half = cumulative[:, -1] / 2.0
    at = np.argmax(cumulative >= half[:, None], axis=1)
    rows = np.arange(len(counts))
    share = (half - (cumulative[rows, at] - counts[rows, at])) / counts[rows, at]
    median = low[at] + share * (high[at] - low[at])
    middle = np.where(low == 0, 0.0, (low + high) / 2)
    mean = counts @ middle / cumulative[:, -1]
    scale = np.where(low[at] == 0, mean, median)
    return np.where(scale > 0, scale, 1.0)
