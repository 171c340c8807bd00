"""What a selector maximises: a table of criteria, each scoring all subsets of a program together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import DataError, ParameterError
from sepal.measures import Prepared, prepare, share_of_groups_samples, thornton_samples
from sepal.parameters import Parameter
from sepal.progress import Share, part
from sepal.selection._alignment_criteria import Alignment, CenteredAlignment
from sepal.selection._criterion import Asking, Criterion, DistanceCriterion
from sepal.selection._problem import FeatureProblem
from sepal.selection._program import Program, of_masks
from sepal.selection._sweep import Agreement, Neighbors, sweep

CriterionTies = Literal["expected", "index", "pessimistic", "optimistic"]
CRITERION_TIES: tuple[CriterionTies, ...] = ("expected", "index", "pessimistic", "optimistic")

PAIRS_PER_SECOND = 2.0e9  # by Thornton's index on one thread: a careful estimate, to say how long something would take
_COST_OF_GROUPS = 300.0  # of a pair of rows, as a multiple of Thornton's, where whole groups are drawn
_MANY_ROWS = 5_000  # from here on a search for each subset is faster than a walk over all pairs for all of them
_COST_OF_A_SEARCH = 0.3  # of a pair of rows, where subsets are searched one by one: a careful estimate
_NEGLIGIBLE = 1e-12  # probability of the ranks that are not looked at


def _subsets(problem: FeatureProblem, program: Program) -> Iterator[Prepared]:
    """The rows with the columns of each subset, prepared for questions of their own."""
    for mask in program.masks:
        part = problem.table.select(problem.columns_of(int(mask)))
        yield prepare(part, scale=problem.scaling.how, n_jobs=problem.threads)


@dataclass(frozen=True)
class Thornton(DistanceCriterion):
    """The share of rows whose nearest neighbour has their class: leave-one-out accuracy of 1-NN.

    Parameters
    ----------
    ties : {"expected", "index", "pessimistic", "optimistic"}, default "expected"
        Of several nearest rows: the share that has the class, the first of them in the table, or whether all of them or
        any of them has it.

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
    parameter_table = (Parameter("ties", "word", "what happens when several rows are nearest", words=CRITERION_TIES),)
    ties: CriterionTies = "expected"

    def cost_on(self, problem: FeatureProblem) -> float:
        return self.cost if self.asks(problem) else _COST_OF_A_SEARCH

    def asks(self, problem: FeatureProblem) -> bool:
        """The walk over all pairs shares work between subsets, but many rows are searched faster one by one."""
        return problem.n_rows < _MANY_ROWS or problem.groups is not None

    def ask(self, problem: FeatureProblem, program: Program) -> Asking:
        return (yield Agreement(self.ties))[:, 0] / problem.n_rows

    def scores(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        if self.asks(problem):
            return super().scores(problem, program, progress)
        return np.array([each.mean() for each in self._searched(problem, program, progress)])

    def samples(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        if self.asks(problem):
            return sweep(problem, program, [Agreement(self.ties, samples=True)], progress)[0]
        return np.array(list(self._searched(problem, program, progress)))

    def _searched(
        self, problem: FeatureProblem, program: Program, progress: Share | None
    ) -> Iterator[NDArray[np.float64]]:
        """Samples of one subset after the other, each by a search of its own."""
        for i, ready in enumerate(_subsets(problem, program)):
            yield thornton_samples(ready, ties=self.ties)
            if progress is not None:
                progress((i + 1) / program.n_out)


@dataclass(frozen=True)
class ExpectedAccuracy(DistanceCriterion):
    """The exact mean accuracy of 1-NN over all splits that train on ``train_size`` of the rows.

    Where groups of rows were given, over all splits that train on that share of the groups: as
    :func:`sepal.expected_accuracy` with ``groups``. These are ranked subset by subset and not on a common walk, which
    takes about ten times as long.

    Parameters
    ----------
    train_size : float, default 0.5
        The share of the rows (or groups) to train on, between 0 and 1.

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
    parameter_table = (Parameter("train_size", "number", "the share of rows to train on", above=0.0, below=1.0),)
    train_size: float = 0.5

    def cost_on(self, problem: FeatureProblem) -> float:
        return self.cost if self.asks(problem) else _COST_OF_GROUPS

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
        for i, ready in enumerate(_subsets(problem, program)):
            result[i] = share_of_groups_samples(ready, groups, self.train_size)
            if progress is not None:
                progress((i + 1) / program.n_out)
        return result


@dataclass(frozen=True)
class LooKnn(DistanceCriterion):
    """Leave-one-out accuracy of k-NN; without ``n_neighbors`` that of each subset's best k up to ``k_max``.

    A tied group that does not fit among the k votes with the share of it that fits; a tied vote counts as a share.

    Parameters
    ----------
    n_neighbors : int, optional
        k; without it each subset has its own, the best from 1 to ``k_max``.
    k_max : int, default 25
        The largest k that is tried where ``n_neighbors`` is not given.
    ties : {"expected", "index"}, default "expected"
        Rows at the same distance: all of them, each with its share, or those that come first in the table.

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
    parameter_table = (
        Parameter("n_neighbors", "whole", "k; else the best of each subset", at_least=1, optional=True),
        Parameter("k_max", "whole", "the largest k that is tried", at_least=1),
        Parameter("ties", "word", "what happens when several rows are equally near", words=("expected", "index")),
    )
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
        most = k or self.n_neighbors or min(self.k_max, others)
        return Neighbors(most, k_max=most, ties=self.ties, samples=samples)

    def ask(self, problem: FeatureProblem, program: Program) -> Asking:
        by_k = (yield self._question(problem)) / problem.n_rows
        best: NDArray[np.float64] = by_k.max(axis=1) if self.n_neighbors is None else by_k[:, self.n_neighbors - 1]
        return best

    def samples(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        if self.n_neighbors is not None:
            return sweep(problem, program, [self._question(problem, samples=True)], progress)[0]
        first = part(progress, 0.0, 0.5)
        chosen = sweep(problem, program, [self._question(problem)], first)[0].argmax(axis=1) + 1
        position = {int(mask): i for i, mask in enumerate(program.masks)}
        result = np.empty((program.n_out, problem.n_rows))
        different = np.unique(chosen).tolist()
        for at, k in enumerate(different):
            of_k = of_masks(problem, [mask for mask, i in position.items() if chosen[i] == k])
            tell = part(progress, 0.5 + 0.5 * at / len(different), 0.5 + 0.5 * (at + 1) / len(different))
            samples = sweep(problem, of_k, [self._question(problem, k, samples=True)], tell)[0]
            result[[position[int(mask)] for mask in of_k.masks]] = samples
        return result


@dataclass(frozen=True)
class Mahalanobis(Criterion):
    """The Mahalanobis distance of the class means; for more classes the root mean square over pairs of rows.

    With the pooled covariance of all classes it never falls when a feature is added, so branch and bound may use it.

    Attributes
    ----------
    name : str
        ``"mahalanobis"``, as ``criterion=`` takes it; there is nothing to set.
    monotone : bool
        True: see above.

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
