"""The road from a table and its answers to an average of members: what classifier and regressor share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sepal._waiting import each
from sepal.auto._average import Average, mixed_by
from sepal.auto._candidates import Candidates
from sepal.auto._clock import StageClock
from sepal.auto._forest import ForestMember, grow_forest
from sepal.auto._judging import ClassJudge, Judge
from sepal.auto._kernel_member import STEPS, KernelMember, KernelSearch, MemberFit
from sepal.auto._linear_member import LinearMember, fit_linear
from sepal.auto._nested import Fold, chosen_anew
from sepal.auto._stable_fit import stable_fit
from sepal.auto._stream import stream_ridge
from sepal.auto._trace import MemberLine, Trace, Trial
from sepal.data import Table
from sepal.estimators import VIEWS, View, ViewName, fit_view

Array = NDArray[np.float64]
Positions = NDArray[np.intp]
Views = dict[ViewName, View]  # those that were fitted already

WHOLE_ROWS = 2500  # up to here every row carries a coefficient
_CHOICE_ROWS = (400, 600)  # widths and ridges are chosen on half of them, but on no fewer and no more than this
_THREAD_ROWS = 1000  # fewer are done before a thread has started
_SAMPLE_ROWS = 150  # widths are first looked at on so many rows, and on no more than half of them
_FEW_ROWS = 100  # there is no point in a sample of fewer
_BOTH_SIDES = 500  # up to here the walk from the sample's width may also widen
SEARCH_ROWS = 4000  # of a larger table: widths, ridges and the number of vectors are chosen on so many
VECTORS = (300, 600, 1200)
_MOST_SHARE = 0.3  # of the rows become vectors, once that is more than the second size
_MOST_WORK = 5e10  # rows times vectors squared: 100,000 rows get 707 vectors, a million 223
_MOST_LINEAR = 20_000_000  # rows times coordinates
_TREES = 150
SEARCH_SHARE, FIT_SHARE = 0.2, 0.4  # shares of the work; the rest is for the trees


@dataclass(frozen=True, eq=False)
class Problem:
    """Training rows in canonical order, what to predict, who judges, and a random order to take samples from.

    ``most`` is how many feature vectors the work allows; None for what the number of rows allows. ``scores_only``: the
    columns are what one linear machine says of texts, and nothing else; then a linear rule alone answers. Kernels and
    trees flatten its scores where a class is rare, and the order of rows is lost there.
    """

    table: Table
    targets: Array
    answers: NDArray[np.int32] | Array
    judge: Judge
    order: Positions
    most: int | None = None
    scores_only: bool = False

    def sample(self, n_rows: int) -> Problem:
        """The problem of the first rows of the random order."""
        return self if n_rows >= self.table.n_rows else self.part(self.order[:n_rows])

    def part(self, chosen: Positions) -> Problem:
        """The problem of some rows, given in the order to take samples from."""
        rows = np.sort(chosen)
        place = np.full(self.table.n_rows, -1)
        place[rows] = np.arange(len(rows))
        judge = self.judge.take(rows)
        return replace(
            self,
            table=self.table.take(rows),
            targets=self.targets[rows],
            answers=self.answers[rows],
            judge=judge,
            order=place[chosen],
        )


@dataclass(frozen=True, eq=False)
class Solution:
    """The average, its answers for the training rows (each made without the row), and how it came about.

    ``folds`` are there for few rows: answers by choices that the rows put aside took no part in.
    """

    average: Average
    left_out: Array
    folds: tuple[Fold, ...]
    trace: Trace

    @property
    def honest(self) -> Array:
        """The answers, by choices that the row took no part in where there are folds."""
        out = self.left_out.copy()
        for fold in self.folds:
            out[fold.aside] = fold.mixed[fold.aside]
        return out


Member = TypeVar("Member", KernelMember, LinearMember, ForestMember)


@dataclass(frozen=True, eq=False)
class _Grown(Generic[Member]):
    """A member, its answers for the training rows (each made without the row), and what it was picked from.

    With many rows it is not known any more what it was picked from.
    """

    member: Member
    left_out: Array
    candidates: Candidates | None
    seconds: float


@dataclass
class _Log:
    """What becomes the trace."""

    trials: list[Trial]
    notes: list[str]


def solve(problem: Problem, *, clock: StageClock, seed: int, threads: int) -> Solution:
    """Fit the members and average them.

    Parameters
    ----------
    problem : Problem
        Rows and answers.
    clock : Clock
        Asked between members; the first member is always fitted.
    seed : int
        Of the trees.
    threads : int
        Of the trees; the answer does not depend on it.
    """
    log = _Log([], [])
    kernels = _kernels(problem, clock, log, threads)
    views = {found.member.view.how: found.member.view for found in kernels}
    linear = _linear(problem, views, clock, log)
    alone = problem.scores_only and linear is not None
    forest = None if alone else _forest(problem, views, clock, log, seed, threads)
    others: list[_Grown[Any]] = [found for found in (linear, forest) if found is not None]
    kernel = np.mean([k.left_out for k in kernels], axis=0)
    mixed = mixed_by(kernel, [o.left_out for o in others], problem.judge, first_other=alone)
    average = Average(
        tuple(found.member for found in kernels),
        mixed.temperature,
        tuple(found.member for found in others),
        mixed.weights,
    )
    folds, members = _folds(problem, kernels, others, alone)
    shares = [mixed.weights[0] / len(kernels)] * len(kernels) + mixed.weights[1:].tolist()
    scores = (problem.judge.scores(answers[None])[0].tolist() for answers in members)
    lines = tuple(
        MemberLine(found.member.name, share, score, standard_error, found.seconds)
        for found, share, (score, standard_error) in zip((*kernels, *others), shares, scores, strict=True)
    )
    trace = Trace(tuple(log.trials), lines, 0.0, 0.0, tuple(log.notes), clock.elapsed)
    solution = Solution(average, mixed.answers, folds, trace)
    score, standard_error = problem.judge.scores(solution.honest[None])[0].tolist()
    return replace(solution, trace=replace(trace, score=score, standard_error=standard_error))


def _folds(
    problem: Problem, kernels: list[_Grown[KernelMember]], others: Sequence[_Grown[Any]], first_other: bool
) -> tuple[tuple[Fold, ...], Sequence[Array]]:
    """Choices made anew for few rows, and each member's answers by them; else no folds, and its own answers."""
    first, second = [found.candidates for found in kernels], [found.candidates for found in others]
    known = [found for found in (*first, *second) if found is not None]
    if len(known) < len(first) + len(second):
        return (), [found.left_out for found in (*kernels, *others)]
    nested = chosen_anew(known[: len(first)], known[len(first) :], problem.judge, problem.order, first_other)
    return nested.folds, list(nested.members)


def _kernels(problem: Problem, clock: StageClock, log: _Log, threads: int) -> list[_Grown[KernelMember]]:
    """One member per view, the first always, the others while there is time."""
    searched = problem.sample(_searched_rows(problem.table.n_rows))
    begin = clock.elapsed
    first = _first_search(
        fit_view(problem.table, VIEWS[0], problem.judge.mass), searched, clock, log, problem.table.n_rows
    )
    longest = clock.elapsed - begin
    clock.step(SEARCH_SHARE)

    def fit(how: ViewName) -> tuple[KernelSearch, _Grown[KernelMember]] | None:
        nonlocal longest
        began = clock.elapsed
        if how == VIEWS[0]:
            search = first
        elif clock.allows(longest):
            search = _search(fit_view(problem.table, how, problem.judge.mass), searched, first.vectors)
            # By range and by spread the same widths are best; ranks change the shape of the cloud.
            search.walk(sorted(first.steps()), clock, sides=(-1, 1) if how == "rank" else ())
        else:
            return None
        found, ridge = _fitted(search, problem, searched, clock, log)
        candidates = search.candidates(ridge) if searched is problem else None
        seconds = clock.elapsed - began
        longest = max(longest, seconds)
        return search, _Grown(found.member, found.left_out, candidates, seconds)

    # Levels look the same in every view.
    views = VIEWS if first.view.numbers.size else VIEWS[:1]
    fitted = each(fit, views, 1 if problem.table.n_rows <= _THREAD_ROWS else threads, clock.give_up)
    members = []
    for how, result in zip(views, fitted, strict=True):
        if result is None:
            log.notes.append(f"time_limit: the view {how} was left out")
            continue
        log.trials.extend(result[0].judged())
        members.append(result[1])
    return members


def _searched_rows(n: int) -> int:
    """On how many of n rows widths and ridges are chosen."""
    fewest, most = _CHOICE_ROWS
    return SEARCH_ROWS if n > WHOLE_ROWS else max(fewest, min(n // 2, most))


def _search(view: View, problem: Problem, vectors: Positions | None) -> KernelSearch:
    return KernelSearch(view, problem.table, problem.targets, problem.judge, vectors)


def _first_search(view: View, problem: Problem, clock: StageClock, log: _Log, n_all: int) -> KernelSearch:
    """Of the first view: from a small sample to all rows, or to as many feature vectors as pay for ``n_all`` rows."""
    n = problem.table.n_rows
    start = sorted(STEPS)[1:]
    if n > _FEW_ROWS:
        sample = _search(view, problem.sample(min(_SAMPLE_ROWS, n // 2)), None).walk(start, clock)
        start = sorted(sample.steps())  # with more rows the best width shrinks, hardly ever grows
    if n_all <= WHOLE_ROWS:
        return _search(view, problem, None).walk(start, clock, sides=(-1, 1) if n <= _BOTH_SIDES else (-1,))
    most = min(max(VECTORS[1], int(_MOST_SHARE * n)), problem.most or most_vectors(n_all))
    first, *larger = sorted({min(size, most) for size in VECTORS})
    best = _search(view, problem, np.sort(problem.order[:first])).walk(start, clock, sides=(-1,))
    for size in larger:
        before = clock.elapsed
        more = _search(view, problem, np.sort(problem.order[:size])).walk(sorted(best.steps()), clock, sides=(-1,))
        gain = _gain(best.left_out, more.left_out, problem.targets, problem.judge.mass)
        better = gain[0] > gain[1]
        log.trials.extend(best.trials if better else more.trials)  # tried, and not what was picked
        if not better:
            break
        best = more
        if not clock.allows(5.0 * (clock.elapsed - before)):
            log.notes.append(f"time_limit: no more than {size} feature vectors were tried")
            break
    return best


def most_vectors(n_rows: int) -> int:
    """How many feature vectors the work for so many rows allows."""
    return min(VECTORS[-1], int(np.sqrt(_MOST_WORK / n_rows)))


def _gain(before: Array, after: Array, targets: Array, mass: Array | None) -> tuple[float, float]:
    """By how much the squared error falls, and the standard error of that, row by row."""
    fall = ((before - targets) ** 2).sum(axis=1) - ((after - targets) ** 2).sum(axis=1)
    if mass is not None:
        fall = fall * (mass / mass.mean())
    return float(fall.mean()), float(fall.std() / np.sqrt(len(fall)))


def _fitted(
    search: KernelSearch, problem: Problem, searched: Problem, clock: StageClock, log: _Log
) -> tuple[MemberFit, float]:
    """The member on all rows, by a ridge at which it answers as its solver says, and below which it does not."""
    share = FIT_SHARE / len(VIEWS)
    streams = search.vectors is not None and searched is not problem
    if not streams:
        clock.step(share)

    def fit(least_ridge: float) -> MemberFit:
        if not streams:
            return search.fit(problem.table, problem.targets, problem.judge, least_ridge)
        trial = search.trials[search.picks[search.judge.names[0]].place]
        return stream_ridge(
            search.view,
            problem.table,
            problem.targets,
            search.points,
            trial.width,
            max(trial.ridge, least_ridge),
            step=lambda part: clock.step(share * part) if least_ridge == 0.0 else None,
            groups=problem.judge.groups,
            mass=problem.judge.mass,
        )

    found, ridge = stable_fit(fit, problem.table)
    if ridge > 0.0:
        log.notes.append(f"{found.member.name}: ridges below {ridge:g} could not be solved exactly and were raised")
    return found, ridge


def _linear(problem: Problem, views: Views, clock: StageClock, log: _Log) -> _Grown[LinearMember] | None:
    """Fisher's discriminant, where there are classes and more rows than coordinates."""
    view = views.get("standard") or fit_view(problem.table, "standard", problem.judge.mass)
    n, p = problem.table.n_rows, view.n_coordinates
    if not isinstance(problem.judge, ClassJudge) or not 0 < p < n or n * p > _MOST_LINEAR:
        return None
    if not clock.allows(6e-9 * n * p * (p + problem.targets.shape[1])):
        log.notes.append(f"time_limit: the linear rule was left out after {clock.elapsed:.1f} s")
        return None
    begin = clock.elapsed
    member, tried = fit_linear(view, problem.table, problem.judge.codes, problem.judge)
    return _Grown(member, tried.picked(problem.judge.weights), tried, clock.elapsed - begin)


def _forest(
    problem: Problem, views: Views, clock: StageClock, log: _Log, seed: int, threads: int
) -> _Grown[ForestMember] | None:
    view = views.get("rank") or fit_view(problem.table, "rank", problem.judge.mass)
    if view.n_coordinates == 0:
        return None
    if not clock.allows(_forest_seconds(problem.table.n_rows, view.n_coordinates)):
        log.notes.append(f"time_limit: the forest was left out after {clock.elapsed:.1f} s")
        return None
    begin = clock.elapsed
    n_outputs = problem.targets.shape[1]
    member, votes = grow_forest(
        view,
        problem.table,
        problem.answers,
        n_outputs,
        n_trees=_TREES,
        seed=seed,
        threads=threads,
        groups=problem.judge.groups,
        mass=problem.judge.mass,
    )
    return _Grown(member, votes, Candidates(votes[None], np.zeros((1, 1, len(votes)))), clock.elapsed - begin)


def _forest_seconds(n_rows: int, n_coordinates: int) -> float:
    """A rough guess, measured on one core."""
    drawn = min(n_rows, 20_000)
    return float(_TREES * (2e-8 * drawn * min(n_coordinates, 8 * np.sqrt(n_coordinates)) + 2e-7 * n_rows))
