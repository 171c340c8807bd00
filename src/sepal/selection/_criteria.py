"""What a selector maximises: a table of criteria, each scoring all subsets of a program together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import DataError, ParameterError
from sepal.selection._problem import Problem
from sepal.selection._program import Program
from sepal.selection._sweep import (
    Progress,
    agreement_samples,
    agreement_sums,
    distance_histogram,
    kernel_sums,
    neighbor_sums,
)

Ties = Literal["expected", "index", "pessimistic", "optimistic"]
TIES: tuple[Ties, ...] = ("expected", "index", "pessimistic", "optimistic")

# Widths to try, in units of the median distance: the best one grows with the subset about as that distance does.
SCANNED_WIDTHS = tuple(float(2.0 ** (i / 4)) for i in range(-12, 6))
_DOUBLINGS = len(SCANNED_WIDTHS) // 2 - 1  # every other width doubles gamma: two exponentials serve them all
_HISTOGRAM_SUBSETS = 256  # subsets whose histograms are in memory together
_NEGLIGIBLE = 1e-12  # probability of the ranks that are not looked at
_FLAT = 1e-12  # a centered kernel with less than this share of its norm left is constant


class Criterion(ABC):
    """A score of a subset; higher is better."""

    name: ClassVar[str]
    monotone: ClassVar[bool] = False  # never falls when a feature is added
    per_row: ClassVar[bool] = False  # a mean over rows of values in [0, 1]

    def check(self, problem: Problem) -> None:  # noqa: B027
        """Refuse data the criterion is not defined for."""

    @abstractmethod
    def scores(self, problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
        """One score per subset of the program."""

    def samples(self, problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
        """For criteria that are a mean over rows: (n_subsets, n_rows)."""
        raise ParameterError(
            f"the criterion {self.name!r} is not a mean over rows, so that two subsets cannot be compared row by row",
            hint='sweep with criterion=("thornton", ...): the first criterion judges what is near the best',
        )


@dataclass(frozen=True)
class Thornton(Criterion):
    """The share of rows whose nearest neighbour has their class: leave-one-out accuracy of 1-NN."""

    name = "thornton"
    per_row = True
    ties: Ties = "expected"

    def scores(self, problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
        return agreement_sums(problem, program, self.ties, progress) / problem.n_rows

    def samples(self, problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
        return agreement_samples(problem, program, self.ties, progress)


@dataclass(frozen=True)
class ExpectedAccuracy(Criterion):
    """The exact mean accuracy of 1-NN over all splits that train on ``train_size`` of the rows."""

    name = "expected_accuracy"
    per_row = True
    train_size: float = 0.5

    def _ask(self, problem: Problem) -> dict[str, Any]:
        if not 0 < self.train_size < 1:
            raise ParameterError(f"train_size must be a share between 0 and 1; got {self.train_size!r}")
        others = problem.n_rows - 1
        m = min(max(1, round(self.train_size * problem.n_rows)), others)
        # Q_j = C(N-j, m) / C(N, m): no training row among the j nearest of N others.
        j = np.arange(others)
        survival = np.concatenate([[1.0], np.cumprod(np.maximum(others - j - m, 0) / (others - j))])
        return {"ranks": max(1, int(np.argmax(survival <= _NEGLIGIBLE))), "survival": survival, "ties": "expected"}

    def scores(self, problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
        return neighbor_sums(problem, program, progress=progress, **self._ask(problem))[:, 0] / problem.n_rows

    def samples(self, problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
        return neighbor_sums(problem, program, samples=True, progress=progress, **self._ask(problem))


@dataclass(frozen=True)
class LooKnn(Criterion):
    """Leave-one-out accuracy of k-NN; with ``k=None`` that of the best k up to ``k_max``, for each subset its own.

    A tied group that does not fit among the k votes with the share of it that fits; a tied vote counts as a share.
    """

    name = "loo_knn"
    per_row = True
    k: int | None = None
    k_max: int = 25
    ties: Ties = "expected"

    def _largest(self, problem: Problem) -> int:
        others = problem.n_rows - 1
        if self.k is not None and not 1 <= self.k <= others:
            raise ParameterError(f"k must be from 1 to {others}, one less than the number of rows; got {self.k!r}")
        if self.ties not in ("expected", "index"):
            raise ParameterError(f"ties must be 'expected' or 'index' for the criterion 'loo_knn'; got {self.ties!r}")
        return self.k or min(self.k_max, others)

    def by_k(self, problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
        """Accuracy for k = 1, 2, ... per subset."""
        most = self._largest(problem)
        sums = neighbor_sums(problem, program, k_max=most, ranks=most, ties=self.ties, progress=progress)
        return sums / problem.n_rows

    def scores(self, problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
        table = self.by_k(problem, program, progress)
        best: NDArray[np.float64] = table.max(axis=1) if self.k is None else table[:, self.k - 1]
        return best

    def samples(self, problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
        if self.k is not None:
            return neighbor_sums(
                problem, program, k_max=self.k, ranks=self.k, ties=self.ties, samples=True, progress=progress
            )
        chosen = self.by_k(problem, program, progress).argmax(axis=1) + 1
        result = np.empty((program.n_out, problem.n_rows))
        for k in np.unique(chosen).tolist():
            result[chosen == k] = LooKnn(k, ties=self.ties).samples(problem, program, progress)[chosen == k]
        return result


@dataclass(frozen=True)
class Alignment(Criterion):
    """Alignment of the radial kernel exp(-d^2 / 2 sigma^2) with the classes (1 same class, -1/(C-1) different).

    ``width``: ``"median"`` (sigma = median distance of the subset, to within 1/64), ``"scan"`` (the best of
    ``SCANNED_WIDTHS`` times it), or sigma itself, one number or several of which the best counts.

    References: N. Cristianini et al., NIPS 2001; C. Cortes, M. Mohri, A. Rostamizadeh, JMLR 13, 2012 (centered).
    """

    name = "alignment"
    centered: ClassVar[bool] = False
    width: Literal["median", "scan"] | float | Sequence[float] = "median"

    def _gamma(self, problem: Problem, program: Program, progress: Progress | None) -> tuple[NDArray[np.float64], int]:
        """Per subset the values of gamma = 1 / 2 sigma^2 to start from, and how often to double each."""
        if not isinstance(self.width, str):
            sigma = np.atleast_1d(np.asarray(self.width, dtype=np.float64))
            if sigma.ndim != 1 or not np.all(np.isfinite(sigma) & (sigma > 0)):
                raise ParameterError(f"width must be 'median', 'scan' or positive numbers; got {self.width!r}")
            return np.tile(1.0 / (2.0 * sigma**2), (program.n_out, 1)), 0
        if self.width not in ("median", "scan"):
            raise ParameterError(f"width must be 'median', 'scan' or positive numbers; got {self.width!r}")
        factors = np.array([1.0] if self.width == "median" else SCANNED_WIDTHS[-2:])
        gamma = 1.0 / (2.0 * median_squares(problem, program, progress)[:, None] * factors**2)
        return gamma, 0 if self.width == "median" else _DOUBLINGS

    def scores(self, problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
        gamma, n_doublings = self._gamma(problem, program, progress)
        sums = kernel_sums(problem, program, gamma, n_doublings, progress)
        formula = centered_alignment if self.centered else plain_alignment
        best: NDArray[np.float64] = formula(sums, problem.class_counts).max(axis=1)
        return best


class CenteredAlignment(Alignment):
    """Alignment after centring both matrices, which no imbalance of the classes can raise."""

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


def median_squares(problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
    """The median squared distance of each subset; where half the pairs are at distance 0, the mean; never 0."""
    result = np.ones(program.n_out)
    for piece, outs in _pieces(program, _HISTOGRAM_SUBSETS):
        counts, edges = distance_histogram(problem, piece, progress)
        cumulative = np.cumsum(counts, axis=1)
        half = cumulative[:, -1:] / 2.0
        at = np.argmax(cumulative >= half, axis=1)
        rows = np.arange(len(counts))
        below = cumulative[rows, at] - counts[rows, at]
        share = (half[:, 0] - below) / counts[rows, at]
        median = edges[at] + share * (edges[at + 1] - edges[at])
        middle = (edges[1:] + edges[:-1]) / 2
        middle[0] = 0.0
        mean = (counts * middle).sum(axis=1) / cumulative[:, -1]
        scale = np.where(at == 0, mean, median)
        result[outs] = np.where(scale > 0, scale, 1.0)
    return result


def _pieces(program: Program, most: int) -> Any:
    """The program in pieces that score at most so many subsets, each with the way to its first step."""
    if program.n_out <= most:
        yield program, np.arange(program.n_out)
        return
    asked = np.flatnonzero(program.out >= 0)
    path: dict[int, int] = {}
    begin = 0
    for first in range(0, len(asked), most):
        end = int(asked[min(first + most, len(asked)) - 1]) + 1
        lead = [path[d] for d in range(1, int(program.depth[begin]))]
        steps = np.array([*lead, *range(begin, end)])
        base = program.scores_base and begin == 0
        out = np.where(np.arange(len(steps)) < len(lead), -1, program.out[steps])
        outs = np.concatenate([[0] if base else [], out[out >= 0]]).astype(np.int64)
        renumbered = np.where(out >= 0, np.cumsum(out >= 0) - 1 + base, -1)
        masks = [int(program.masks[o]) for o in outs]
        yield Program(program.depth[steps], program.column[steps], renumbered, program.base, base, masks), outs
        for t in range(begin, end):
            path[int(program.depth[t])] = t
        begin = end


@dataclass(frozen=True)
class Mahalanobis(Criterion):
    """The Mahalanobis distance of the class means; for more classes the root mean square over pairs of rows.

    With the pooled covariance of all classes it never falls when a feature is added, so branch and bound may use it.
    """

    name = "mahalanobis"
    monotone = True

    def check(self, problem: Problem) -> None:
        if problem.table.has_missing or "nominal" in problem.table.kinds:
            raise DataError(
                "the criterion 'mahalanobis' needs numbers in every cell; there are nominal columns or missing cells",
                hint='use criterion="thornton", which compares all kinds of columns',
            )
        if problem.n_rows <= len(problem.classes):
            raise DataError("the criterion 'mahalanobis' needs more rows than classes")

    def scores(self, problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
        self.check(problem)
        within, between = scatter(problem)
        result = np.empty(program.n_out)
        for i, mask in enumerate(program.masks):
            columns = np.array(problem.columns_of(int(mask)), dtype=np.intp)
            result[i] = mahalanobis_score(within[np.ix_(columns, columns)], between[:, columns])
            if progress is not None and i % 256 == 0:
                progress(i / program.n_out)
        return result


def scatter(problem: Problem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pooled covariance, and the class means around the overall mean, weighted so that squares add up to a mean."""
    X = problem.scaling.apply(problem.table.values)
    counts = problem.class_counts
    means = np.array([X[problem.codes == c].mean(axis=0) for c in range(len(counts))])
    centered = X - means[problem.codes]
    within = centered.T @ centered / (problem.n_rows - len(counts))
    overall = counts @ means / counts.sum()
    # sum over pairs of classes of n_c n_d |m_c - m_d|^2 = n sum_c n_c |m_c - m|^2
    n = counts.sum()
    pairs = (n**2 - np.sum(counts**2)) / 2
    return within, (means - overall) * np.sqrt(counts * n / pairs)[:, None]


def mahalanobis_score(within: NDArray[np.float64], between: NDArray[np.float64]) -> float:
    """Root of the sum of b' W^+ b; directions without spread inside the classes are left out."""
    values, vectors = np.linalg.eigh(within)
    kept = values > max(float(values.max(initial=0.0)), 0.0) * len(values) * np.finfo(float).eps
    along = between @ vectors[:, kept]
    return float(np.sqrt(np.sum(along**2 / values[kept])))


@dataclass(frozen=True)
class Custom(Criterion):
    """Any function of the scaled values of a subset (an array, columns in table order) and the labels."""

    name = "custom"
    function: Callable[[NDArray[np.float64], NDArray[Any]], float]

    def scores(self, problem: Problem, program: Program, progress: Progress | None = None) -> NDArray[np.float64]:
        labels = problem.classes[problem.codes]
        result = np.empty(program.n_out)
        for i, mask in enumerate(program.masks):
            result[i] = float(self.function(problem.values(int(mask)), labels))
            if not np.isfinite(result[i]):
                raise DataError(f"the criterion returned {result[i]} for columns {problem.columns_of(int(mask))}")
            if progress is not None:
                progress(i / program.n_out)
        return result


CRITERIA: dict[str, type[Criterion]] = {
    entry.name: entry for entry in (Thornton, ExpectedAccuracy, LooKnn, Alignment, CenteredAlignment, Mahalanobis)
}

CriterionLike = str | Criterion | Callable[..., float]


def as_criterion(criterion: Any, ties: Ties = "expected") -> Criterion:
    """A criterion from its name, a function, or itself."""
    if ties not in TIES:
        raise ParameterError(f"ties must be one of {', '.join(TIES)}; got {ties!r}")
    if isinstance(criterion, Criterion):
        return criterion
    if isinstance(criterion, str):
        if criterion not in CRITERIA:
            raise ParameterError(f"criterion must be one of {', '.join(CRITERIA)}, or a function; got {criterion!r}")
        if criterion == "thornton":
            return Thornton(ties)
        return LooKnn(ties=ties) if criterion == "loo_knn" else CRITERIA[criterion]()
    if callable(criterion):
        return Custom(criterion)
    raise ParameterError(f"criterion must be one of {', '.join(CRITERIA)}, or a function; got {criterion!r}")
