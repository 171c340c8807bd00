"""Every sentence about geometry, columns and suspects speaks when it should, and only then."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from sepal import datasets
from sepal.data import p_phrase, p_text
from sepal.measures import angle_of_separability
from sepal.report import separability
from sepal.report._facts import Verdict
from sepal.report._geometry_verdict import GEOMETRY_CHAPTERS, geometry_verdicts
from sepal.report._model import SHAPES

FACTS = separability(datasets.load("liver"))
OTHERS = ("model", "suspects", "overlap", "projections")


def group(*labels):
    return SimpleNamespace(rows=tuple(range(len(labels))), labels=labels)


def spoken(
    *,
    means_p=1e-9,
    degrees=40.0,
    null_norm=0.0,
    n_pairs=1,
    shape=None,
    mixing=0.3,
    single=0.5,
    plane=0.55,
    n_columns=6,
    score=0.8,
    p_value=1e-9,
    majority=0.6,
    n_suspects=0,
    conflicts=(),
    duplicates=(),
    without=(),
):
    """The sentences for a made-up case, as code -> text."""
    facts = replace(
        FACTS,
        table=replace(FACTS.table, n_columns=n_columns),
        thornton=replace(FACTS.thornton, score=score, p_value=p_value),
        majority=replace(FACTS.majority, share=majority),
    )
    pair = SimpleNamespace(degrees=degrees, null_norm=null_norm, mahalanobis=0.79)
    region = SimpleNamespace(classes=("a", "b"), mixing=mixing)
    suspect = SimpleNamespace(row=276, label="1", voted="2")
    sections = {
        "angle": SimpleNamespace(pairs=(pair,) * n_pairs, n_columns=n_columns, wilks=SimpleNamespace(p_value=means_p)),
        "model": SimpleNamespace(shape=None if shape is None else Verdict(shape, f"said by the model: {shape}")),
        "suspects": SimpleNamespace(
            rows=(suspect,) * n_suspects, n_checked=345, n_rows=345, conflicts=conflicts, duplicates=duplicates
        ),
        "overlap": SimpleNamespace(regions=(region,) * n_pairs, k=5),
        "projections": SimpleNamespace(
            single={"x1": single, "x2": 0.1}, planes=(SimpleNamespace(first="x1", second="x2", score=plane),)
        ),
    }
    sections |= dict.fromkeys(without)
    return {verdict.code: verdict.text for verdict in geometry_verdicts(replace(facts, **sections))}


CASES = [
    ("means_apart_without_spread", {"null_norm": 0.5}, {"null_norm": 0.0}),
    ("small_angle_means_differ", {"degrees": 3.8}, {"degrees": 10.5}),
    ("means_differ", {"means_p": 0.0009}, {"means_p": 0.0011}),
    ("means_perhaps_differ", {"means_p": 0.049}, {"means_p": 0.051}),
    ("means_alike_neighbors_agree", {"means_p": 0.5}, {"means_p": 0.5, "p_value": 0.3}),
    ("means_alike", {"means_p": 0.5, "p_value": 0.3}, {"means_p": None}),
    (
        "no_better_though_means_differ",
        {"shape": "no_better_than_majority", "means_p": 0.0009},
        {"shape": "no_better_than_majority", "means_p": 0.0011},
    ),
    *((code, {"shape": code, "means_p": 0.2}, {"shape": None}) for code in SHAPES),
    ("mixed_pair", {"n_pairs": 3, "mixing": 0.11}, {"n_pairs": 3, "mixing": 0.09}),
    ("one_column_enough", {"single": 0.79}, {"single": 0.78}),
    ("two_columns_enough", {"plane": 0.79}, {"plane": 0.79, "n_columns": 2}),
    ("conflicting_copies", {"conflicts": (group("a", "b"),)}, {"duplicates": (group("a", "a"),)}),
    ("suspect_rows", {"n_suspects": 115}, {"n_suspects": 0}),
    ("many_contradicted", {"n_suspects": 116}, {"n_suspects": 115}),
    ("many_copies", {"duplicates": (group(*"a" * 36),)}, {"duplicates": (group(*"a" * 35),)}),
]


def test_columns_below_the_largest_class_are_no_claim():
    """A column alone was called as good as all, at 99.2 % beside a largest class of 99.5 %."""
    assert "one_column_enough" not in spoken(single=0.992, score=0.996, majority=0.995)
    assert "two_columns_enough" not in spoken(plane=0.992, score=0.996, majority=0.995)
    assert "one_column_enough" in spoken(single=0.79, majority=0.78)
    assert "one_column_enough" not in spoken(single=0.79, majority=0.79)


def test_neighbours_that_agree_by_chance_contradict_no_label():
    assert "suspect_rows" not in spoken(n_suspects=3, p_value=0.2)


@pytest.mark.parametrize(("code", "when", "not_when"), CASES)
def test_a_sentence_and_its_limit(code, when, not_when):
    assert code in spoken(**when)
    assert code not in spoken(**not_when)


def test_every_rule_has_its_test():
    assert [rule.code for chapter in GEOMETRY_CHAPTERS for rule in chapter] == [code for code, *_ in CASES]


def test_the_sentences_name_their_numbers():
    found = spoken(degrees=3.8, means_p=8e-9, n_suspects=3, conflicts=(group("a", "b"),), n_pairs=1)
    assert "3.8 degrees" in found["small_angle_means_differ"]
    assert "p = 8e-9" in found["small_angle_means_differ"]
    assert "3 of 345 rows" in found["suspect_rows"]
    assert "row 276" in found["suspect_rows"]
    assert found["conflicting_copies"].startswith("2 rows")
    for text in spoken(n_pairs=3, single=0.9, shape="not_linear").values():
        assert "{" not in text


@pytest.mark.parametrize("section", ["angle", "model", "suspects", "overlap", "projections"])
def test_a_section_left_out_is_silent(section):
    told = {
        "angle": "means",
        "model": "linear",
        "suspects": "suspect",
        "overlap": "pair",
        "projections": "column",
    }
    every = {"n_suspects": 1, "n_pairs": 3, "single": 0.9, "shape": "not_linear"}
    assert any(told[section] in code for code in spoken(**every))
    assert not any(told[section] in code for code in spoken(**every, without=[section]))
    assert not spoken(without=["angle", "model", "suspects", "overlap", "projections"])


def test_liver_is_not_called_inseparable_for_its_small_angle():
    """Ben-Israel and Levin (2005) take liver's 4 degrees for inseparable classes."""
    angle = angle_of_separability(datasets.load("liver"), n_permutations=0)
    found = geometry_verdicts(replace(FACTS, angle=angle, **dict.fromkeys(OTHERS)))
    assert [verdict.code for verdict in found] == ["small_angle_means_differ"]
    assert "p = 8e-9" in found[0].text


@pytest.mark.parametrize(
    ("p", "text"), [(None, "no test"), (0.0, "< 1e-300"), (0.2345, "0.234"), (8.3e-9, "8e-9"), (4e-264, "4e-264")]
)
def test_p_values_for_people(p, text):
    assert p_text(p) == text


def test_p_values_in_a_sentence():
    """A p of 0 stood in sentences as "p = < 1e-300"."""
    assert [p_phrase(p) for p in (None, 0.0, 0.02)] == ["no test", "p < 1e-300", "p = 0.020"]
    assert "(p < 1e-300)" in spoken(means_p=0.0)["means_differ"]


def test_rings_have_equal_means_and_agreeing_neighbors():
    rng = np.random.default_rng(0)
    turn, y = rng.uniform(0, 2 * np.pi, 300), np.arange(300) % 2
    X = np.column_stack([np.cos(turn), np.sin(turn)]) * (1 + 2 * y[:, None]) + rng.normal(0, 0.1, (300, 2))
    facts = separability(X, y)
    angle = angle_of_separability(X, y, n_permutations=0)
    found = geometry_verdicts(replace(facts, angle=angle, **dict.fromkeys(OTHERS)))
    assert angle.wilks.p_value > 0.5  # 0.53: in truth the means are equal
    assert found[0].code == "means_alike_neighbors_agree"
