"""What a selector maximises: a table of criteria, each scoring all subsets of a program together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import DataError, ParameterError
from sepal.measures import prepare, share_of_groups_samples
from sepal.progress import Share
from sepal.selection._problem import FeatureProblem
from sepal.selection._program import Program, of_masks
from sepal.selection._sweep import Agreement, Kernels, Neighbors, Question, Spread, bin_edges, sweep

CriterionTies = Literal["expected", "index", "pessimistic", "optimistic"]
CRITERION_TIES: tuple[CriterionTies, ...] = ("expected", "index", "pessimistic", "optimistic")

# Widths to try, in units of the median distance: the best one grows with the subset about as that distance does.
SCANNED_WIDTHS = tuple(float(2.0 ** (i / 4)) for i in range(-12, 6))
_DOUBLINGS = len(SCANNED_WIDTHS) // 2 - 1  # every other width doubles gamma: two exponentials serve them all
PAIRS_PER_SECOND = 2.0e9  # by Thornton's index on one thread: a careful estimate, to say how long something would take
_NEGLIGIBLE = 1e-12  # probability of the ranks that are not looked at
_FLAT = 1e-12  # a centered kernel with less than this share of its norm left is constant

# Asks questions one after the other, is sent their answers, and returns scores.
Asking = Generator[Question, NDArray[np.float64], NDArray[np.float64]]


class Criterion(ABC):
    """A score of a subset; higher is better.

    Examples
    --------
    >>> from sepal.selection import Criterion, LooKnn
    >>> isinstance(LooKnn(3), Criterion)
    True
    """

    name: ClassVar[str]
    monotone: ClassVar[bool] = False  # never falls when a feature is added
    per_row: ClassVar[bool] = False  # a mean over rows of values in [0, 1]
    cost: ClassVar[float] = 50.0  # of a pair of rows, roughly, as a multiple of Thornton's

    def check(self, problem: FeatureProblem) -> None:  # noqa: B027
        """Refuse data the criterion is not defined for."""

    @abstractmethod
    def scores(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        """One score per subset of the program."""

    def samples(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        """For criteria that are a mean over rows: (n_subsets, n_rows)."""
        raise ParameterError(
            f"the criterion {self.name!r} is not a mean over rows, so that two subsets cannot be compared row by row",
            hint='sweep with criterion=("thornton", ...): the first criterion judges what is near the best',
        )


class DistanceCriterion(Criterion):
    """A criterion that looks at distances, and can share them with others."""

    n_walks: ClassVar[int] = 1  # questions one after the other, at most

    def asks(self, problem: FeatureProblem) -> bool:
        """Whether the common walks can answer; else ``scores`` has its own way."""
        return True

    @abstractmethod
    def ask(self, problem: FeatureProblem, program: Program) -> Asking:
        """What to ask of the distances, and the scores that follow from the answers."""

    def scores(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        return scores_together(problem, program, [self], progress)[0]


def scores_together(
    problem: FeatureProblem, program: Program, criteria: Sequence[Criterion], progress: Share | None = None
) -> list[NDArray[np.float64]]:
    """Scores by each criterion; what all of them ask of the distances is answered on common walks."""
    walking = {i: c for i, c in enumerate(criteria) if isinstance(c, DistanceCriterion) and c.asks(problem)}
    asking = {i: c.ask(problem, program) for i, c in walking.items()}
    found: dict[int, NDArray[np.float64]] = {}
    n_walks = max((c.n_walks for c in walking.values()), default=0)
    parts, done = n_walks + len(criteria) - len(asking), 0

    def report(fraction: float) -> None:
        if progress is not None:
            progress((done + fraction) / parts)

    questions = {i: next(each) for i, each in asking.items()}
    while questions:
        different = list(dict.fromkeys(questions.values()))
        answers = dict(zip(different, sweep(problem, program, different, report), strict=True))
        done, asked, questions = done + 1, questions, {}
        for i, question in asked.items():
            try:
                questions[i] = asking[i].send(answers[question])
            except StopIteration as end:
                found[i] = end.value
    for i, criterion in enumerate(criteria):
        if i not in asking:
            found[i] = criterion.scores(problem, program, report)
            done += 1
    return [found[i] for i in range(len(criteria))]


@dataclass(frozen=True)
class Thornton(DistanceCriterion):
    """The share of rows whose nearest neighbour has their class: leave-one-out accuracy of 1-NN.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import Thornton, subset_sweep
    >>> subset_sweep(table, criterion=Thornton(ties="pessimistic")).best.score
    1.0
    """

    name = "thornton"
    per_row = True
    cost = 1.0
    ties: CriterionTies = "expected"

    def ask(self, problem: FeatureProblem, program: Program) -> Asking:
        return (yield Agreement(self.ties))[:, 0] / problem.n_rows

    def samples(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        return sweep(problem, program, [Agreement(self.ties, samples=True)], progress)[0]


@dataclass(frozen=True)
class ExpectedAccuracy(DistanceCriterion):
    """The exact mean accuracy of 1-NN over all splits that train on ``train_size`` of the rows.

    Where groups of rows were given, over all splits that train on that share of the groups: as
    :func:`sepal.expected_accuracy` with ``groups``. These are ranked subset by subset and not on a common walk, which
    takes about a hundred times as long.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import ExpectedAccuracy, subset_sweep
    >>> round(subset_sweep(table, criterion=ExpectedAccuracy()).best.score, 3)
    0.883
    """

    name = "expected_accuracy"
    per_row = True
    cost = 20.0
    train_size: float = 0.5

    def check(self, problem: FeatureProblem) -> None:
        if not 0 < self.train_size < 1:
            raise ParameterError(f"train_size must be a share between 0 and 1; got {self.train_size!r}")

    def asks(self, problem: FeatureProblem) -> bool:
        groups = problem.groups
        return problem.left_out.together != "groups" or groups is None or len(np.unique(groups)) == problem.n_rows

    def _question(self, problem: FeatureProblem, samples: bool) -> Neighbors:
        self.check(problem)
        others = problem.n_rows - 1
        m = min(max(1, round(self.train_size * problem.n_rows)), others)
        # Q_j = C(N-j, m) / C(N, m): no training row among the j nearest of N others.
        j = np.arange(others)
        survival = np.concatenate([[1.0], np.cumprod(np.maximum(others - j - m, 0) / (others - j))])
        return Neighbors(max(1, int(np.argmax(survival <= _NEGLIGIBLE))), survival=survival, samples=samples)

    def ask(self, problem: FeatureProblem, program: Program) -> Asking:
        return (yield self._question(problem, samples=False))[:, 0] / problem.n_rows

    def scores(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        if self.asks(problem):
            return super().scores(problem, program, progress)
        return np.asarray(self._of_groups(problem, program, progress).mean(axis=1))

    def samples(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        if self.asks(problem):
            return sweep(problem, program, [self._question(problem, samples=True)], progress)[0]
        return self._of_groups(problem, program, progress)

    def _of_groups(self, problem: FeatureProblem, program: Program, progress: Share | None) -> NDArray[np.float64]:
        """Samples where whole groups train, subset by subset."""
        self.check(problem)
        groups = problem.groups
        assert groups is not None  # noqa: S101 - else it asks
        result = np.empty((program.n_out, problem.n_rows))
        for i, mask in enumerate(program.masks):
            part = problem.table.select(problem.columns_of(int(mask)))
            ready = prepare(part, scale=problem.scaling.how, n_jobs=problem.threads)
            result[i] = share_of_groups_samples(ready, groups, self.train_size)
            if progress is not None:
                progress((i + 1) / program.n_out)
        return result


@dataclass(frozen=True)
class LooKnn(DistanceCriterion):
    """Leave-one-out accuracy of k-NN; without ``n_neighbors`` that of each subset's best k up to ``k_max``.

    A tied group that does not fit among the k votes with the share of it that fits; a tied vote counts as a share.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import LooKnn, subset_sweep
    >>> subset_sweep(table, criterion=LooKnn(3)).best.score
    0.9
    """

    name = "loo_knn"
    per_row = True
    cost = 20.0
    n_neighbors: int | None = None
    k_max: int = 25
    ties: CriterionTies = "expected"

    def _question(self, problem: FeatureProblem, k: int | None = None, samples: bool = False) -> Neighbors:
        others = problem.n_others
        if self.n_neighbors is not None and not 1 <= self.n_neighbors <= others:
            left = (
                "one less than the number of rows" if problem.groups is None else "the rows outside the largest group"
            )
            raise ParameterError(f"n_neighbors must be from 1 to {others}, {left}; got {self.n_neighbors!r}")
        if self.ties not in ("expected", "index"):
            raise ParameterError(f"ties must be 'expected' or 'index' for the criterion 'loo_knn'; got {self.ties!r}")
        most = k or self.n_neighbors or min(self.k_max, others)
        return Neighbors(most, k_max=most, ties=self.ties, samples=samples)

    def ask(self, problem: FeatureProblem, program: Program) -> Asking:
        by_k = (yield self._question(problem)) / problem.n_rows
        best: NDArray[np.float64] = by_k.max(axis=1) if self.n_neighbors is None else by_k[:, self.n_neighbors - 1]
        return best

    def samples(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        if self.n_neighbors is not None:
            return sweep(problem, program, [self._question(problem, samples=True)], progress)[0]
        chosen = sweep(problem, program, [self._question(problem)], progress)[0].argmax(axis=1) + 1
        position = {int(mask): i for i, mask in enumerate(program.masks)}
        result = np.empty((program.n_out, problem.n_rows))
        for k in np.unique(chosen).tolist():
            part = of_masks(problem, [mask for mask, i in position.items() if chosen[i] == k])
            samples = sweep(problem, part, [self._question(problem, k, samples=True)], progress)[0]
            result[[position[int(mask)] for mask in part.masks]] = samples
        return result


@dataclass(frozen=True)
class Alignment(DistanceCriterion):
    """Alignment of the radial kernel exp(-d^2 / 2 sigma^2) with the classes (1 same class, -1/(C-1) different).

    ``width``: ``"median"`` (sigma = median distance of the subset, to within 1/64), ``"scan"`` (the best of
    ``SCANNED_WIDTHS`` times it), or sigma itself, one number or several of which the best counts.

    References: N. Cristianini et al., NIPS 2001; C. Cortes, M. Mohri, A. Rostamizadeh, JMLR 13, 2012 (centered).

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


@dataclass(frozen=True)
class Mahalanobis(Criterion):
    """The Mahalanobis distance of the class means; for more classes the root mean square over pairs of rows.

    With the pooled covariance of all classes it never falls when a feature is added, so branch and bound may use it.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import Mahalanobis, search_subsets
    >>> search_subsets(table, criterion=Mahalanobis(), strategy="branch_and_bound", n_features=1).best.features
    ('speed',)
    """

    name = "mahalanobis"
    monotone = True
    cost = 5.0

    def check(self, problem: FeatureProblem) -> None:
        if problem.table.has_missing or "nominal" in problem.table.kinds:
            raise DataError(
                "the criterion 'mahalanobis' needs numbers in every cell; there are nominal columns or missing cells",
                hint='use criterion="thornton", which compares all kinds of columns',
            )
        if problem.n_rows <= len(problem.classes):
            raise DataError("the criterion 'mahalanobis' needs more rows than classes")

    def scores(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        self.check(problem)
        within, between = scatter(problem)
        result = np.empty(program.n_out)
        for i, mask in enumerate(program.masks):
            columns = np.array(problem.columns_of(int(mask)), dtype=np.intp)
            result[i] = mahalanobis_score(within[np.ix_(columns, columns)], between[:, columns])
            if progress is not None:
                progress(i / program.n_out)
        return result


def scatter(problem: FeatureProblem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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

    def scores(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
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


def as_criterion(criterion: Any, ties: CriterionTies = "expected") -> Criterion:
    """A criterion from its name, a function, or itself."""
    if ties not in CRITERION_TIES:
        raise ParameterError(f"ties must be one of {', '.join(CRITERION_TIES)}; got {ties!r}")
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
