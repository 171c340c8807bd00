"""What the plan says, and what the first blocks add: arithmetic, with clocks that tests set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sepal
from sepal.neighbors import WHOLE, PartSearch
from sepal.progress import SEARCHING
from sepal.report._besides import besides
from sepal.scale import PassPlan, Plan, _trial, evaluate_partitions, fit_parts, partitioned, predict_partitions
from sepal.scale._blocks import Loading
from sepal.scale._clock import SearchClock
from sepal.scale._pass_plan import PlanStep, drawing_step, kernels_step
from sepal.scale._planning import Stages, improved, make_plan
from sepal.scale._trial import Distinct, Growth, Rates
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
    # By this clock a search takes 1 ms a row and 1 us a pair: the plan for eight times the rows says the same.
    timed(monkeypatch, "tiles", lambda n: 1e-6 * n)
    given = fit_parts(partitioned(cut(frame("real", 1600), [100] * 16)), here)
    assert make_plan(given, exact=True).stages.search == pytest.approx(1e-3 * 1600 + 1e-6 * 1600**2)
    assert make_plan(given, n_queries=300).stages.search == pytest.approx(1e-3 * 1600 + 1e-6 * 1600 * 300)


def timed(monkeypatch, path, asking):
    """A clock by which a search takes 1 ms for each row, and this for each row that asks so many; by this path."""
    now = [0.0]

    class Timed(PartSearch):
        def path(self, points, k, turn=WHOLE, threads=1):
            now[0] += len(points) * (1e-3 + asking(len(points)) / turn.of)
            return path

        def lists(self, queries, points, k, numbers, threads=1, progress=None):
            now[0] += 1e-3 * len(points) + len(queries) * asking(len(points))
            return super().lists(queries, points, k, numbers, threads, progress)

    monkeypatch.setattr("sepal.scale._trial.PartSearch", Timed)
    monkeypatch.setattr("sepal.scale._trial.time.perf_counter", lambda: now[0])
    monkeypatch.setattr("sepal.scale._planning.n_tried", lambda n_rows: 300)


def test_a_tree_that_leaves_out_more_pairs_the_more_rows_there_are(cut, here, monkeypatch):
    """The plan was twice too long, since it took the pairs of a tree for all pairs.

    By hand: rows that ask take 1 us times the root of the rows, 1,600 of them 1 us * 40 each.
    """
    timed(monkeypatch, "tree", lambda n: 1e-6 * n**0.5)
    given = fit_parts(partitioned(cut(frame("real", 1600), [100] * 16)), here)
    assert make_plan(given, exact=True).stages.search == pytest.approx(1600 * (1e-3 + 40e-6))


def test_equal_rows_ask_once(cut, here, monkeypatch):
    """The plan was twice too long for rows with many copies: these are found together, and a copy asks nobody.

    By hand: 10 rows, each 160 times in any order, are 10 of 300 that are tried, of a quarter of these, and of all.
    """
    timed(monkeypatch, "tiles", lambda n: 1e-6 * n)
    table = frame("real", 10).iloc[np.random.default_rng(0).permutation(1600) % 10]
    given = fit_parts(partitioned(cut(table, [100] * 16)), here)
    assert make_plan(given, exact=True).stages.search == pytest.approx(10 * (1e-3 + 10e-6))


def test_all_that_is_done_with_rows_is_tried(cut, here, monkeypatch):
    """Hashing and drawing were taken for 0.4 times loading, and rows that are asked were not hashed at all.

    By this clock each row takes 1 s to be loaded, 2 to be known, 4 to be drawn, and 8 to be asked, whoever asks.
    """
    now = [0.0]
    monkeypatch.setattr("sepal.scale._trial.time.perf_counter", lambda: now[0])

    def takes(where, name, seconds, n_rows):
        found = getattr(where, name)

        def slowly(*given):
            answer = found(*given)
            now[0] += seconds * n_rows(*given)
            return answer

        monkeypatch.setattr(where, name, slowly)

    takes(Loading, "rows", 1, lambda loading, part: 100)
    takes(_trial, "known_rows", 2, lambda points, *_: len(points))
    takes(_trial, "near_among", 4, lambda table, *_: table.n_rows)
    takes(_trial, "ask_rows", 8, lambda search, table, *_: table.n_rows)
    given = fit_parts(partitioned(cut(frame("real", 1600), [100] * 16)), here)
    assert make_plan(given, exact=True).stages.before == pytest.approx(1600 * (1 + 2), abs=0.01)
    sampled = make_plan(given, n_queries=300).stages
    assert sampled.before == pytest.approx(1600 * (1 + 4), abs=0.01)
    assert sampled.search == pytest.approx(1600 * (1 + 8), abs=0.01)


def test_distinct_rows_grow_as_in_the_trial():
    """By hand: 100 of 400 rows, by the root, are 200 of 1,600; where all are distinct, all are."""
    assert Distinct(400, 100, 0.5).among(1600) == 200
    assert Distinct(400, 400, 1.0).among(1600) == 1600


@pytest.fixture
def told(cut, here, monkeypatch):
    """Fitted partitions of 1,600 rows of 10 columns, of which a pass over the columns took 2 s."""
    monkeypatch.setattr("sepal.report._besides.slowness", lambda: 1.0)
    found = fit_parts(partitioned(cut(frame("real", 1600), [400] * 4)), here)
    return replace(found, schema=replace(found.schema, seconds=2.0))


RATES = Rates(load_seconds=1e-3, asked=Growth(1e-4, 1e-6), own=Growth(0.0, 0.0), pairs_per_second=1.0,
              own_pairs_per_second=1.0)  # fmt: skip


def test_what_a_report_does_besides_is_added_up(told):
    """By hand, 1,600 rows x 10 and a sample of 200: 1.45 + 200 * (2e-5 + 5e-5) = 1.464 s for its sections.

    The angle: 2 s, and 0.6 ns for each of 1,600 * 100 products. The suspects of 80 rows: 1.6 s to load all, and 1.6
    again for the 40 that ask, with 1,600 * (1e-4 + 40e-6) = 0.224 s. Where all rows asked 2 s go into the drawing,
    and 2,000 rows ask: 1.6 + 1,600 * (1e-4 + 2e-3), then 1,000 of them with 1.6 + 1,600 * (1e-4 + 1e-3).
    """
    sampled = besides(told, RATES, False, 80, 200, True)
    assert sampled.seconds == pytest.approx(1.464 + 2 + 0.6e-9 * 160_000 + 1.6 + 1.6 + 0.224)
    exact = besides(told, RATES, True, 1600, 200, True)
    angle = 2 + 0.6e-9 * 160_000
    assert exact.seconds == pytest.approx(1.464 + 2 + angle + (1.6 + 3.36) + 1.6 + (1.6 + 1.76))
    assert besides(told, RATES, True, 1600, 2000, True).seconds == pytest.approx(1.45 + 1600 * 7e-5)  # all are few
    assert besides(told, RATES, False, 80, 200, False).seconds == pytest.approx(0.05 + 200 * 2.8e-5, abs=5e-4)


def test_the_plan_says_what_is_done_besides_and_all_together():
    plan = Plan(1000, 5, 8, 1, True, 1000, "it is quick", 60.0, 0.1, 10**6, 10**5, 1e-6, 1e8)
    whole = replace(plan, besides=PlanStep("the report of a sample of 200 rows", 30.0))
    assert (whole.seconds, whole.total_seconds, plan.total_seconds) == (60.0, 90.0, 60.0)
    assert str(whole).splitlines()[-1] == (
        "then:   the report of a sample of 200 rows, about 30 s; all together about 90 s"
    )


def test_answers_are_timed_on_some_rows(cut, monkeypatch, tmp_path):
    """`sepal predict` over partitions said what it would do, and not how long it takes.

    By this clock the model takes 2 s for a partition and 1 s for a row, and whoever uses answers 3 s for a row: by
    hand 3 * 2 + 300 * (1 + 3) s. One partition of 120 rows, 10 columns, 2 classes and the answer are held here.
    """
    now, said = [0.0], []
    table = frame("real", 300)
    model = sepal.KNNClassifier(1).fit(table.drop(columns="class"), table["class"])
    answer = sepal.KNNClassifier.predict_proba

    def slowly(self, X):
        now[0] += 2 + X.n_rows
        return answer(self, X)

    def use(answers):
        now[0] += 3 * answers.rows_seen

    monkeypatch.setattr(sepal.KNNClassifier, "predict_proba", slowly)
    monkeypatch.setattr("sepal.scale._predict.time.perf_counter", lambda: now[0])
    source = partitioned(cut(table.drop(columns="class"), [100, 80, 120]), target=False)
    file = sepal.save_model(model, tmp_path / "m.sepal")
    for each in (model, file):
        next(predict_partitions(each, source, n_jobs=1, say=said.append, use=use))
    assert [plan.seconds for plan in said] == pytest.approx([1206.0, 1206.0])
    assert [plan.n_bytes for plan in said] == [120 * 8 * (10 + 1 + 2)] * 2
    assert str(said[0]).endswith("about 20.1 min, less than 1 MB here")


def test_plans_of_passes_tell_their_memory(told):
    """By hand: a partition of 400 rows of 12 numbers, a sample of 100 rows beside it, and 8 MB to count rows in."""
    schema, work, step = told.schema, told.work, (PlanStep("one", 1.0),)
    assert PassPlan.of(schema, work, step).n_bytes == 400 * 12 * 8
    assert PassPlan.of(schema, work, step, 100).n_bytes == 400 * 12 * 8 + 100 * 12 * 8 + 8 * 2**20
    assert str(PassPlan.of(schema, work, step, 100)).endswith("one, about 1.0 s, 8 MB here")


def test_an_evaluation_speaks_before_rows_are_drawn(cut):
    """It spoke only after that, which may be the longest part of it."""
    heard = []
    evaluate_partitions(
        sepal.KNNClassifier(1),
        cut(frame("real", 300), [100, 80, 120]),
        n_sample=60,
        cv=3,
        n_jobs=1,
        say=lambda plan: heard.append(("plan", [step.what for step in plan.steps], plan.n_bytes > 0)),
        progress=lambda text, share: heard.append(text) if text not in heard else None,
    )
    steps = ["a stratified sample of 60 rows is drawn", "KNNClassifier is fitted 3 times to 40 rows"]
    assert heard[:3] == ["reading columns", ("plan", steps, True), "drawing rows"]


def test_a_pass_and_products_are_added_up(told):
    """By hand: 2 s for the pass; 3 passes of kernels at 1,000 points are 1,600 * 1,000 * (15e-9 + 30e-9) each."""
    schema, work = told.schema, told.work
    assert drawing_step(schema, 100).seconds == 2.0
    assert kernels_step(schema, work, "", 1000, 3).seconds == pytest.approx(3 * (2.0 + 0.072))
    plan = PassPlan.of(schema, work, (PlanStep("one", 1.0), PlanStep("two", 0.5)), 100)
    assert (plan.seconds, plan.exact, plan.rows_seen) == (1.5, False, 100)
    assert PassPlan.of(schema, work, (PlanStep("one", None), PlanStep("two", 0.5))).seconds is None
