"""The limit on the time: a clock that tests turn by hand, and tables with more rows than there is time for."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from sepal._waiting import each
from sepal.auto import SepalClassifier, SepalRegressor, _affordable, _answering, _classifier, _solve
from sepal.auto._affordable import affordable, solve_in_time
from sepal.auto._canonical_order import spread_order
from sepal.auto._clock import GivenUpError, StageClock
from sepal.auto._judging import class_judge
from sepal.auto._solve import Problem
from sepal.data import as_table


@pytest.fixture
def rng():
    return np.random.RandomState(5)


class Hand:
    """The time, moved by the test."""

    def __init__(self):
        self.time = 100.0

    def __call__(self):
        return self.time


@pytest.fixture
def small_sizes(monkeypatch):
    """Tables of some hundred rows are treated as large ones."""
    for module in (_solve, _affordable):
        monkeypatch.setattr(module, "SEARCH_ROWS", 200)
    monkeypatch.setattr(_solve, "WHOLE_ROWS", 100)
    monkeypatch.setattr(_affordable, "_FEWEST_ROWS", 100)
    monkeypatch.setattr(_solve, "VECTORS", (30, 60, 120))
    monkeypatch.setattr(_affordable, "_SURE", 1.0)


def _problem(rng, n=900, rare=True):
    X = rng.randn(n, 2)
    codes = (X[:, 0] * X[:, 1] > 0).astype(np.int32)
    if rare:
        codes[17] = 2  # a class of one row
    order = spread_order(codes, np.random.RandomState(0))
    return Problem(as_table(X), np.eye(codes.max() + 1)[codes], codes, class_judge(codes, False), order)


def test_the_clock_counts_from_its_start():
    hand = Hand()
    clock = StageClock(10.0, now=hand)
    hand.time += 4.0
    assert (clock.elapsed, clock.left) == (4.0, 6.0)
    assert clock.allows(6.0)
    assert not clock.allows(6.5)


def test_steps_are_heard_until_the_work_is_given_up():
    heard = []
    clock = StageClock(10.0, heard.append)
    clock.step(0.25)
    clock.step(0.5)
    clock.step(0.5)
    assert heard == [0.25, 0.75, 1.0]
    clock.give_up()
    with pytest.raises(GivenUpError):
        clock.step(0.1)


def test_rows_are_as_many_as_the_timed_block_allows(rng, monkeypatch, small_sizes):
    problem = _problem(rng)
    monkeypatch.setattr(_affordable, "seconds_per_row", lambda problem, clock: 0.001)
    hand = Hand()
    # 0.4 of the time, less six looks at the 200 rows of the search, over two rounds of views: 0.4 T = 1.2 + 0.002 n.
    assert len(affordable(problem, StageClock(7.5, now=hand), threads=2)) == pytest.approx(900, abs=1)
    rows = affordable(problem, StageClock(5.0, now=hand), threads=2)
    assert len(rows) - (17 not in rows[:400]) == pytest.approx(400, abs=1)
    assert set(problem.order[:399].tolist()) <= set(rows.tolist())
    assert len(affordable(problem, StageClock(5.0, now=hand), threads=3)) == pytest.approx(800, abs=1)
    rows = affordable(problem, StageClock(3.1, now=hand), threads=2)  # less than the search needs
    assert rows.tolist() == [*problem.order[:100].tolist(), 17]
    assert len(affordable(problem, StageClock(np.inf, now=hand), threads=2)) == 900


def test_no_time_at_all_asks_no_block(rng, monkeypatch, small_sizes):
    monkeypatch.setattr(_affordable, "seconds_per_row", None)
    hand = Hand()
    clock = StageClock(1e-3, now=hand)
    hand.time += 1.0
    problem = _problem(rng)
    rows = affordable(problem, clock, threads=2)
    assert rows.tolist() == [*problem.order[:100].tolist(), 17]  # and the only row of its class
    assert 17 in rows  # the only row of its class


def test_a_block_is_timed_by_the_clock(rng, monkeypatch):
    hand, plain = Hand(), _affordable.gaussian

    def slow(squares, width):
        hand.time += 2.0
        return plain(squares, width)

    monkeypatch.setattr(_affordable, "gaussian", slow)
    # Two passes over 1,024 rows, two seconds each.
    assert _affordable.seconds_per_row(_problem(rng, 2000), StageClock(10.0, now=hand)) == pytest.approx(4.0 / 1024)


def test_a_fit_to_a_part_says_so_and_scores_that_part(rng, monkeypatch, small_sizes):
    """``time_limit`` was not kept where one fit to all rows took longer."""
    monkeypatch.setattr(_affordable, "_affordable_count", lambda problem, clock, threads: 400)
    X = rng.randn(900, 2)
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    y[5] = "rare"
    drawn = []

    def seen(codes, random):
        drawn.append((codes, spread_order(codes, random)))
        return drawn[-1][1]

    monkeypatch.setattr(_classifier, "spread_order", seen)
    model = SepalClassifier(balanced=True).fit(X, y)
    used = ~np.isnan(model.left_out_proba_).any(axis=1)
    codes, order = drawn[0]
    assert used.sum() == len({*order[:400], *np.flatnonzero(codes == 1)})  # and the only row of the class "rare"
    assert used[5]
    assert model.trace_.notes == (f"time_limit: fitted to {used.sum()} of 900 rows",)
    assert model.n_rows_ == used.sum()
    right = (model.classes_[np.nan_to_num(model.left_out_proba_).argmax(axis=1)] == y)[used]
    per_class = [right[y[used] == label].mean() for label in model.classes_]
    assert model.leave_one_out_score_ == pytest.approx(np.mean(per_class))
    assert np.isfinite(model.predict_proba(X)).all()
    assert "time_limit" in model.explain(time_limit=0.1).codes
    order = rng.permutation(900)  # which rows take part does not depend on where they stood
    np.testing.assert_array_equal(
        SepalClassifier(balanced=True).fit(X[order], y[order]).left_out_proba_, model.left_out_proba_[order]
    )


def test_numbers_of_a_part(rng, monkeypatch, small_sizes):
    monkeypatch.setattr(_affordable, "_affordable_count", lambda problem, clock, threads: 300)
    X = rng.randn(700, 2)
    y = 5.0 + X[:, 0] ** 2
    model = SepalRegressor().fit(X, y)
    used = np.isfinite(model.left_out_predictions_)
    assert used.sum() == 300
    assert model.residual_std_ == pytest.approx(np.sqrt(np.mean((model.left_out_predictions_ - y)[used] ** 2)))
    assert model.trace_.notes == ("time_limit: fitted to 300 of 700 rows",)


def test_a_part_has_no_more_vectors_than_the_whole_would(rng, monkeypatch, small_sizes):
    monkeypatch.setattr(_affordable, "_affordable_count", lambda problem, clock, threads: 300)
    monkeypatch.setattr(_solve, "_MOST_WORK", 900 * 40**2)  # 40 vectors for 900 rows, 69 for 300
    done = solve_in_time(_problem(rng, rare=False), clock=StageClock(50.0), seed=0, threads=1)
    assert len(done.rows) == 300
    assert {len(member.points) for member in done.solution.average.kernels} <= {30, 40}


def test_a_view_is_left_out_when_the_last_one_took_too_long(rng, monkeypatch, small_sizes):
    hand, plain = Hand(), _solve.stream_ridge

    def slow(*given, **named):
        hand.time += 4.0
        return plain(*given, **named)

    monkeypatch.setattr(_solve, "stream_ridge", slow)
    solution = _solve.solve(_problem(rng, rare=False), clock=StageClock(7.0, now=hand), seed=0, threads=1)
    assert [line.name for line in solution.trace.members][:1] == ["kernel-standard"]
    assert "time_limit: the view minmax was left out" in solution.trace.notes


def test_progress_goes_up_to_one_and_may_end_the_work(rng, small_sizes):
    problem, heard = _problem(rng), []
    model = SepalClassifier().fit(problem.table, problem.answers, progress=lambda text, share: heard.append(share))
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    assert len(heard) > 5
    assert isinstance(model, SepalClassifier)

    def enough(text, done):
        if done > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SepalRegressor(n_jobs=2).fit(problem.table, problem.table.values[:, 0], progress=enough)


def test_an_interrupted_wait_drops_what_has_not_begun_and_ends_the_rest():
    begun, over = [], threading.Event()

    def work(task):
        begun.append(task)
        if task == 0:
            raise KeyboardInterrupt
        assert over.wait(timeout=30)

    with pytest.raises(KeyboardInterrupt):
        each(work, range(6), 2, over.set)
    assert over.is_set()
    assert len(begun) < 6


def test_answers_do_not_depend_on_the_blocks(rng, monkeypatch):
    problem = _problem(rng, 120)
    model = SepalClassifier().fit(problem.table, problem.answers)
    whole = model.predict_proba(problem.table)
    monkeypatch.setattr(_answering, "_BLOCK_ROWS", 7)
    np.testing.assert_allclose(model.predict_proba(problem.table), whole, rtol=1e-10)
