"""Every rule of the verdict speaks when it should, and only then."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.report import separability
from sepal.report._facts import (
    ClassFacts,
    CurveFacts,
    CurvePoint,
    MajorityFacts,
    SettingsFacts,
    ThorntonFacts,
)
from sepal.report._verdict import CHAPTERS, percent, quoted, verdicts


def spoken(
    *,
    score=0.8,
    interval=(0.75, 0.85),
    chance=0.5,
    z=8.0,
    p_value=1e-9,
    majority=0.6,
    scores=(0.8, 0.8),
    accuracies=(0.70, 0.705),
    n_rows=200,
    n_classes=2,
    n_groups=None,
):
    """The sentences for a made-up case, as code -> text."""
    classes = tuple(ClassFacts(f"c{i}", 10, 0.1, scores[i % len(scores)], 0.1, (0.0, 1.0)) for i in range(n_classes))
    settings = SettingsFacts("auto", "euclidean", "minmax", "distance", "expected", n_rows, 0, n_rows, 0, (), n_groups)
    corrected = (score - chance) / (1 - chance)
    thornton = ThorntonFacts(score, interval, 0.95, chance, corrected, score, z, p_value, None, None, 0)
    points = tuple(
        CurvePoint(int(share * n_rows), share, accuracy, 0.1, None if n_groups is None else int(share * n_groups))
        for share, accuracy in zip((0.5, 0.9), accuracies, strict=True)
    )
    curve = CurveFacts(1, n_rows, points, n_groups)
    found = verdicts(classes, MajorityFacts("c0", majority), settings, thornton, curve)
    return {verdict.code: verdict.text for verdict in found}


CASES = [
    ("unequal_classes", {"majority": 0.81}, {"majority": 0.79}),
    ("unequal_like_chance", {"majority": 0.81, "p_value": 0.3, "z": 0.5}, {"majority": 0.79, "p_value": 0.3, "z": 0.5}),
    ("always_agree", {"score": 1.0}, {"score": 1.0, "p_value": 0.2}),
    ("nearly_always_agree", {"score": 0.96}, {"score": 0.94}),
    ("mostly_agree", {"score": 0.81}, {"score": 0.79}),
    ("better_than_chance", {"score": 0.6}, {"score": 0.6, "p_value": 0.002}),
    ("perhaps_better_than_chance", {"p_value": 0.04}, {"p_value": 0.06}),
    ("worse_than_chance", {"p_value": 1.0, "z": -3.5}, {"p_value": 0.9, "z": -1.3}),
    ("like_chance", {"p_value": 0.3, "z": 0.5}, {"p_value": 0.01}),
    ("above_majority", {"majority": 0.74}, {"majority": 0.76}),
    ("near_majority", {"majority": 0.79}, {"majority": 0.79, "interval": (0.70, 0.78)}),
    ("below_majority", {"majority": 0.79, "interval": (0.70, 0.78)}, {"majority": 0.79}),
    ("narrow_interval", {"interval": (0.76, 0.85)}, {"interval": (0.74, 0.85)}),
    ("wide_interval_of_groups", {"interval": (0.74, 0.85), "n_groups": 30}, {"interval": (0.74, 0.85)}),
    ("wide_interval", {"interval": (0.74, 0.85)}, {"interval": (0.74, 0.85), "n_groups": 30}),
    ("weak_class", {"scores": (0.9, 0.4)}, {"scores": (0.9, 0.5)}),
    ("rows_help", {"accuracies": (0.70, 0.72)}, {"accuracies": (0.70, 0.708)}),
    ("few_rows", {"n_rows": 49}, {"n_rows": 50}),
    ("many_classes", {"n_classes": 41}, {"n_classes": 40}),
]


@pytest.mark.parametrize(("code", "held", "not_held"), CASES, ids=[case[0] for case in CASES])
def test_each_rule_speaks_when_it_should(code, held, not_held):
    assert code in spoken(**held)
    assert code not in spoken(**not_held)


def test_every_rule_has_its_case():
    assert [case[0] for case in CASES] == [rule.code for chapter in CHAPTERS for rule in chapter]


def test_the_texts_name_the_numbers():
    texts = spoken(scores=(0.9, 0.4), accuracies=(0.70, 0.72), majority=0.62)
    assert "80.0%; chance 50.0%" in texts["mostly_agree"]
    assert 'always answering "c0"' in texts["above_majority"]
    assert "62.0%" in texts["above_majority"]
    assert '"c1"' in texts["weak_class"]
    assert "40.0%" in texts["weak_class"]
    assert "70.0% with 100, 72.0% with 180" in texts["rows_help"]


def test_where_one_class_has_nearly_all_rows_shares_of_all_rows_are_not_told():
    """A share of 99.6 % beside a largest class of 99.5 % says nothing; every class counted alike does."""
    texts = spoken(majority=0.995, score=0.996, interval=(0.994, 0.998), chance=0.99, scores=(0.999, 0.3))
    assert set(texts) == {"unequal_classes", "weak_class"}
    assert "guessing would give 50.0%" in texts["unequal_classes"]


def test_without_a_p_value_the_interval_decides():
    assert "mostly_agree" in spoken(score=0.81, z=None, p_value=None)
    assert "like_chance" in spoken(score=0.51, interval=(0.46, 0.56), z=None, p_value=None)
    assert "worse_than_chance" in spoken(score=0.3, interval=(0.25, 0.35), z=None, p_value=None)


def test_a_sampled_class_without_a_score_is_not_the_weakest():
    assert "weak_class" not in spoken(scores=(0.9, None))


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        # Thornton's index 1.0 on 20 rows; and for liver 0.6261, which is above chance (0.51) and far from 1.
        ("athletes", {"always_agree", "few_rows"}),
        ("liver", {"better_than_chance"}),
    ],
)
def test_verdicts_on_known_sets(report_of, name, codes):
    assert codes <= {verdict.code for verdict in report_of(name).verdict}


def test_chessboard_and_noise(rng):
    board = np.array([[i, j] for i in range(8) for j in range(8)], dtype=float)
    # On a lattice with alternating classes every nearest neighbour is of the other class: the index is 0.
    facts = separability(board, (board.sum(axis=1) % 2).astype(int))
    assert facts.thornton.score == 0.0
    assert facts.verdict[0].code == "worse_than_chance"
    noise = separability(rng.normal(size=(100, 3)), np.arange(100) % 2)
    assert noise.verdict[0].code == "like_chance"


@pytest.mark.parametrize(
    ("share", "text"), [(0.5, "50.0%"), (1.0, "100.0%"), (0.9999, ">99.9%"), (0.0, "0.0%"), (0.0001, "<0.1%")]
)
def test_percent_does_not_round_to_certainty(share, text):
    assert percent(share) == text


def test_labels_in_sentences_are_short_and_harmless():
    assert quoted("a\x1b[31m") == '"a\\x1b[31m"'
    assert len(quoted("x" * 100)) == 32


def test_what_more_groups_bring_is_said_of_groups():
    text = spoken(accuracies=(0.70, 0.75), n_groups=30)["rows_help"]
    assert "with more training groups (70.0% with 15, 75.0% with 27)" in text
