"""Each finding by its code: when it is said, and when it is not."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sepal.auto._baselines import Baseline
from sepal.auto._findings import ARBITRARY, RULES, CopyScores, Facts, find
from sepal.auto._narrow import NarrowModel
from sepal.auto._trace import MemberLine, Trace, Trial
from sepal.evaluation import reliability


def _trial(score, picked_by=(), member="kernel-rank"):
    return Trial(member, 100, 100, 1.0, 0.1, {"squared": 1.0 - score}, score, 0.02, picked_by)


def _members(standard=0.90, minmax=0.90, rank=0.90, forest=0.2):
    views = {"kernel-standard": standard, "kernel-minmax": minmax, "kernel-rank": rank}
    lines = [MemberLine(name, (1 - forest) / 3, score, 0.02, 0.1) for name, score in views.items()]
    return (*lines, MemberLine("forest", forest, 0.88, 0.02, 0.1))


TRACE = Trace((_trial(0.90, ("squared",)), _trial(0.87, ("error",)), _trial(0.5)), _members(), 0.90, 0.02, (), 1.0)


def _facts(**changes):
    facts = Facts(
        trace=TRACE,
        baselines={
            "majority": Baseline("majority", 0.6, 0.02),
            "1-NN": Baseline("1-NN", 0.85, 0.02),
            "linear": Baseline("linear", 0.87, 0.02),
        },
        class_counts={"a": 60, "b": 40},
        balanced=False,
        n_rows=100,
        n_searched=100,
        n_features=4,
        subset=None,
        subset_score=None,
    )
    return replace(facts, **changes)


def _numbers(**changes):
    baselines = {**_facts().baselines, "mean": Baseline("mean", 0.0, 0.02)}
    return _facts(**{"class_counts": None, "baselines": baselines, "worst_share": 0.2} | changes)


def _with(name, score):
    return {"baselines": {**_facts().baselines, name: Baseline(name, score, 0.02)}}


def _reliability(confidence, n_right, n=100):
    """All rows answered with one confidence, so many of them right."""
    return {"reliability": reliability([[confidence, 1 - confidence]] * n, [0] * n_right + [1] * (n - n_right))}


def _trace(**changes):
    return {"trace": replace(TRACE, **changes)}


FEW = NarrowModel(("x17", "x99"), 0.97, (0.94, 0.99))
CASES = [
    ("few_columns_win", {"narrow": FEW}, {"narrow": replace(FEW, score=0.94, interval=(0.90, 0.97))}),
    ("no_better_than_majority", _with("majority", 0.87), _with("majority", 0.85)),
    ("nearest_is_enough", _with("1-NN", 0.885), _with("1-NN", 0.875)),
    ("linear_is_enough", _with("linear", 0.885), _with("linear", 0.875)),
    ("not_linear", _with("linear", 0.85), _with("linear", 0.87)),
    ("thresholds", _trace(members=_members(forest=0.5)), _trace(members=_members(forest=0.4))),
    ("distances", _trace(members=_members(forest=0.0)), _trace(members=_members(forest=0.1))),
    ("scaling_hardly_matters", _trace(members=_members(rank=0.89)), _trace(members=_members(rank=0.87))),
    ("scaling_matters", _trace(members=_members(rank=0.85)), _trace(members=_members(rank=0.87))),
    ("few_rows_of_a_class", {"class_counts": {"a": 60, "b": 9}}, {"class_counts": {"a": 60, "b": 10}}),
    ("imbalanced", {"class_counts": {"a": 50, "b": 10}}, {"class_counts": {"a": 49, "b": 10}}),
    # 0.8 said of 100 rows: the standard error of the share right is about 0.04.
    ("calibrated", _reliability(0.8, 80), _reliability(0.8, 65)),
    ("overconfident", _reliability(0.8, 65), _reliability(0.8, 75)),
    ("underconfident", _reliability(0.6, 80), _reliability(0.6, 65)),
    ("time_limit", _trace(notes=("time_limit: the forest was left out",)), _trace(notes=("kernel-rank: raised",))),
    ("raised_ridge", _trace(notes=("kernel-rank: raised",)), _trace(notes=("time_limit: no forest",))),
    ("chosen_on_a_sample", {"n_rows": 20000, "n_searched": 10000}, {}),
    ("copies", {"copies": CopyScores(0.5, "rows", 0.9, 0.6, 100)}, {"copies": None}),
    ("subset_advice", {"subset": ("x1", "x3"), "subset_score": 0.9}, {"subset": None}),
]


NUMBER_CASES = [
    ("no_better_than_mean", _with("mean", 0.87), _with("mean", 0.85)),
    ("few_rows_make_the_error", {"worst_share": 0.5}, {"worst_share": 0.49}),
]
ABOUT_CLASSES = {
    "few_columns_win",
    "no_better_than_majority",
    "few_rows_of_a_class",
    "imbalanced",
    "calibrated",
    "overconfident",
    "underconfident",
    "subset_advice",
}
NUMBER_CASES += [case for case in CASES if case[0] not in ABOUT_CLASSES]


@pytest.mark.parametrize(("code", "holds", "fails"), NUMBER_CASES, ids=[case[0] for case in NUMBER_CASES])
def test_what_is_said_about_numbers(code, holds, fails):
    mean = {"baselines": {"mean": Baseline("mean", 0.0, 0.02)}}
    said = []
    for changes in (holds, fails):
        baselines = mean["baselines"] | changes.get("baselines", _facts().baselines)
        said.append({finding.code for finding in find(_numbers(**changes | {"baselines": baselines}))})
    assert code in said[0]
    assert code not in said[1]
    assert not (said[0] | said[1]) & ABOUT_CLASSES


@pytest.mark.parametrize(("code", "holds", "fails"), CASES, ids=[case[0] for case in CASES])
def test_a_finding_is_said_when_its_condition_holds_and_only_then(code, holds, fails):
    assert code in {finding.code for finding in find(_facts(**holds))}
    assert code not in {finding.code for finding in find(_facts(**fails))}


def test_what_remains_arbitrary_is_always_said_with_how_little_it_matters():
    trials = (*TRACE.trials, _trial(0.91, ("squared",), "kernel-minmax"), _trial(0.9, ("error",), "kernel-minmax"))
    changes = _trace(trials=trials, members=_members(rank=0.88)) | {"n_ties": 1}
    (finding,) = (each for each in find(_facts(**changes)) if each.code == "arbitrary_choices")
    assert finding.facts["choices"] == ARBITRARY
    assert finding.facts["scaling"] == pytest.approx(0.02)  # the views score 0.90, 0.90 and 0.88
    assert finding.facts["grid"] == pytest.approx(
        0.03
    )  # within ranks the picks score 0.90 and 0.87; 0.5 was not picked
    assert "2.0 points" in finding.text
    assert "at most 3.0 points, 1 left-out row had tied classes" in finding.text
    (finding,) = (each for each in find(_numbers()) if each.code == "arbitrary_choices")
    assert finding.facts["choices"] == ARBITRARY[:-1]  # numbers have no ties between classes
    assert "0.030" in finding.text


def test_noise_is_not_interpreted():
    """Shape and calibration were told of models that are no better than the majority."""
    codes = {finding.code for finding in find(_facts(**_with("majority", 0.88) | _reliability(0.8, 20)))}
    assert codes == {"no_better_than_majority", "arbitrary_choices"}


def test_advice_names_the_columns_that_near_best_subsets_hold():
    advice = {"subset": ("x1",), "subset_score": 0.9, "inclusion": {"x1": 0.75, "x2": 1.0, "x3": 0.25}}
    (finding,) = (each for each in find(_facts(**advice)) if each.code == "subset_advice")
    assert "x2 100%, x1 75%." in finding.text


def test_nothing_is_said_about_shape_where_few_columns_are_better():
    """200 rows of 5,000 columns were called curved from a model that hardly learned anything."""
    told = _facts(**_with("linear", 0.5), narrow=FEW, subset=("x17",), subset_score=0.9)
    assert "not_linear" in {finding.code for finding in find(replace(told, narrow=None))}
    assert {finding.code for finding in find(told)} == {"few_columns_win"}
    (found,) = find(told)
    assert "x17, x99" in found.text
    assert "97.0% (95 % interval 94.0% to 99.0%)" in found.text


def test_every_rule_has_its_case():
    codes = {code for code, *_ in CASES + NUMBER_CASES} | {"arbitrary_choices"}
    assert len(codes) == len(RULES) + 3  # scaling has two codes, calibration three


def test_balanced_needs_no_word_about_imbalance():
    codes = {finding.code for finding in find(_facts(class_counts={"a": 90, "b": 10}, balanced=True))}
    assert "imbalanced" not in codes


def test_a_subset_of_all_columns_is_no_advice():
    found = find(_facts(subset=("x1", "x2", "x3", "x4"), subset_score=0.9))
    assert "subset_advice" not in {finding.code for finding in found}


def test_texts_carry_their_numbers():
    found = {finding.code: finding.text for finding in find(_facts(**_with("linear", 0.85)))}
    assert "5.0 points" in found["not_linear"]


def test_codes_are_written_as_in_the_report_and_the_cautions():
    codes = {code for code, *_ in CASES + NUMBER_CASES} | {"arbitrary_choices"}
    assert all(re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", code) for code in codes)
