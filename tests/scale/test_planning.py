"""What the plan says, and what the first blocks add: arithmetic, with clocks that tests set."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sepal.neighbors import PartSearch
from sepal.progress import SEARCHING
from sepal.report._besides import besides
from sepal.scale import PassPlan, Plan, fit_parts, partitioned
from sepal.scale._clock import SearchClock
from sepal.scale._pass_plan import PlanStep, drawing_step, kernels_step
from sepal.scale._planning import Growth, Rates, Stages, improved, make_plan
from tests.scale.frames import frame

STAGES = Stages(before=1.0, search=40.0, after=4.0)


def heard(*reports: tuple[float, str, float]) -> float | None:
    """What a clock says that is told at these seconds that a share is done."""
    now = iter([0.0, *(at for at, _, _ in reports)])
    clock = SearchClock(lambda text, share: None, STAGES, lambda: next(now))
    for _, text, share in reports:
        clock.tell(text, share)
    return clock.total


def test_the_estimate_is_mended_by_the_first_blocks():
    """By hand: 3 s from 0.1 of the search to 0.2, so that 0.8 take 24 s; the trial said 32 s.

    It counts a fifth (0.05 against 0.2): 25.6 s, after 2 s before the search and 8 s of it, and 4 s after it.
    """
    read, first, second = (2.0, "reading rows", 1.0), (7.0, SEARCHING, 0.1), (10.0, SEARCHING, 0.2)
    assert heard(read, first, second) == pytest.approx(10 + 25.6 + 4)
    assert heard(read, first, second, (99.0, SEARCHING, 0.5)) == pytest.approx(39.6)  # the first that tells is kept
    assert heard(read, (6.0, SEARCHING, 0.0), first, second) == pytest.approx(39.6)  # the start is counted once


def test_one_report_of_a_search_tells_how_fast_it_goes_on_the_whole():
    """By hand: a half took 10 s, so that the other takes 10 s; the trial said 20, and counts 0.05 against 0.5."""
    left = (0.5 * 10 + 0.05 * 20) / 0.55
    assert heard((2.0, "drawing rows", 1.0), (12.0, "asking for neighbours", 0.5)) == pytest.approx(12 + left + 4)
    assert heard((2.0, "reading rows", 1.0), (12.0, SEARCHING, 1.0)) == 12 + 4  # all is done but what comes after


def test_too_little_tells_nothing():
    assert heard((2.0, "reading rows", 1.0)) is None
    assert heard((2.0, "reading rows", 1.0), (3.0, SEARCHING, 0.09), (4.0, SEARCHING, 0.19)) is None


def test_a_search_that_begins_anew_is_timed_anew():
    """A tree that is tried says how far it is, too, before it gives up: 6 s from 0.1 to 0.2 are 60 s for all."""
    told = heard((3.0, SEARCHING, 0.15), (4.0, SEARCHING, 0.1), (10.0, SEARCHING, 0.2))
    left = 0.8 * (0.8 * 60 + 0.2 * 40)
    assert told == pytest.approx(10 + left + 4)


def test_the_plan_takes_over_what_was_learnt():
    plan = Plan(1000, 5, 8, 1, True, 1000, "it is quick", 60.0, 0.1, 10**6, 10**5, 1e-6, 1e8)
    assert improved(plan, 26.0).seconds == 26.0
    assert improved(plan, 26.0).sampled_seconds == 0.1
    assert improved(plan, None) == plan


def test_what_grows_with_rows_is_told_from_what_grows_with_pairs(cut, here, monkeypatch):
    """Rows of small partitions were tried as copies of themselves, which are found too fast."""
    # A clock by which a search takes 1 ms a row and 1 us a pair: the plan for eight times the rows says the same.
    now = [0.0]

    class Timed(PartSearch):
        def lists(self, queries, points, k, numbers, threads=1, progress=None):
            asking = len(points) if queries is None else len(queries)
            now[0] += 1e-3 * len(points) + 1e-6 * asking * len(points)
            return super().lists(queries, points, k, numbers, threads, progress)

    monkeypatch.setattr("sepal.scale._planning.PartSearch", Timed)
    monkeypatch.setattr("sepal.scale._planning.time.perf_counter", lambda: now[0])
    monkeypatch.setattr("sepal.scale._planning._TRIED_ROWS", (200, 300))
    given = fit_parts(partitioned(cut(frame("real", 1600), [100] * 16)), here)
    assert make_plan(given, exact=True).stages.search == pytest.approx(1e-3 * 1600 + 1e-6 * 1600**2)
    assert make_plan(given, n_queries=300).stages.search == pytest.approx(1e-3 * 1600 + 1e-6 * 1600 * 300)


@pytest.fixture
def told(cut, here, monkeypatch):
    """Fitted partitions of 1,600 rows of 10 columns, of which a pass over the columns took 2 s."""
    monkeypatch.setattr("sepal.report._besides.slowness", lambda: 1.0)
    found = fit_parts(partitioned(cut(frame("real", 1600), [400] * 4)), here)
    return replace(found, schema=replace(found.schema, seconds=2.0))


RATES = Rates(load_seconds=1e-3, asked=Growth(1e-4, 1e-6), own=Growth(0.0, 0.0), pairs_per_second=1.0,
              own_pairs_per_second=1.0)  # fmt: skip


def test_what_a_report_does_besides_is_added_up(told):
    """By hand, 1,600 rows x 10 and a sample of 200: 0.4 + 200 * (2.8e-4 + 2e-5) = 0.46 s for its sections.

    The angle: 2 s, and 0.6 ns for each of 1,600 * 100 products. The suspects of 80 rows: 1.6 s to load all, and 1.6
    again for the 40 that ask, with 1,600 * (1e-4 + 40e-6) = 0.224 s. Where all rows asked 2 s go into the drawing,
    and 2,000 rows ask: 1.6 + 1,600 * (1e-4 + 2e-3), then 1,000 of them with 1.6 + 1,600 * (1e-4 + 1e-3).
    """
    sampled = besides(told, RATES, False, 80, 200, True)
    assert sampled.seconds == pytest.approx(0.46 + 2 + 0.6e-9 * 160_000 + 1.6 + 1.6 + 0.224)
    exact = besides(told, RATES, True, 1600, 200, True)
    angle = 2 + 0.6e-9 * 160_000
    assert exact.seconds == pytest.approx(0.46 + 2 + angle + (1.6 + 3.36) + 1.6 + (1.6 + 1.76))
    assert besides(told, RATES, True, 1600, 2000, True).seconds == pytest.approx(0.4 + 1600 * 3e-4)  # all are few
    assert besides(told, RATES, False, 80, 200, False).seconds == pytest.approx(0.05 + 200 * 2.8e-5, abs=5e-4)


def test_the_plan_says_what_is_done_besides_and_all_together():
    plan = Plan(1000, 5, 8, 1, True, 1000, "it is quick", 60.0, 0.1, 10**6, 10**5, 1e-6, 1e8)
    whole = replace(plan, besides=PlanStep("the report of a sample of 200 rows", 30.0))
    assert (whole.seconds, whole.total_seconds, plan.total_seconds) == (60.0, 90.0, 60.0)
    assert str(whole).splitlines()[-1] == (
        "then:   the report of a sample of 200 rows, about 30 s; all together about 90 s"
    )


def test_a_pass_and_products_are_added_up(told):
    """By hand: 2 s for the pass; 3 passes of kernels at 1,000 points are 1,600 * 1,000 * (15e-9 + 30e-9) each."""
    schema, work = told.schema, told.work
    assert drawing_step(schema, 100).seconds == 2.0
    assert kernels_step(schema, work, "", 1000, 3).seconds == pytest.approx(3 * (2.0 + 0.072))
    plan = PassPlan.of(schema, work, (PlanStep("one", 1.0), PlanStep("two", 0.5)), 100)
    assert (plan.seconds, plan.exact, plan.rows_seen) == (1.5, False, 100)
    assert PassPlan.of(schema, work, (PlanStep("one", None), PlanStep("two", 0.5))).seconds is None
