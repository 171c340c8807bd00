"""The report as text: it says the facts, fits the width, and shows no control characters."""

from __future__ import annotations

import re

import numpy as np
import pytest

import sepal
from sepal.data import as_table
from sepal.report import measure_facts, separability
from sepal.report._shown import Shown

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def facts(report_of):
    return report_of("voting")


@pytest.fixture(scope="module")
def measured():
    return measure_facts(sepal.datasets.load("voting"), n_permutations=9)


def test_the_text_says_the_facts(facts):
    text = facts.to_text(100)
    joined = " ".join(text.split())
    for verdict in facts.verdict:
        assert verdict.text in joined
    for entry in facts.classes:
        assert re.search(rf"{entry.label} +{entry.n_rows} +{entry.share:.1%}", text)
        assert re.search(rf"{entry.label} +{entry.score:.4f}", text)
    low, high = facts.thornton.interval
    assert f"{facts.thornton.score:.4f} 95% interval {low:.4f} to {high:.4f}" in joined
    assert f"{facts.thornton.chance:.4f} corrected {facts.thornton.corrected:.4f}" in joined
    for point in facts.curve.points:
        assert f"{point.accuracy:.3f}" in text
        assert f"{point.split_std:.3f}" in text
    for each in facts.suspects.rows[:20]:
        row = rf"{each.row} +{each.label} +{each.voted} +{each.own_share:.0%} +{each.margin:.2f} +{each.mutual}"
        assert re.search(rf"^ *{row} ", text, re.MULTILINE)
    for note in facts.table.notes:
        assert note in joined
    assert facts.table.licence in joined
    assert "392 cells in 203 rows" in text
    assert "chosen for columns that are not numbers and missing cells" in joined


def test_the_measures_say_the_facts(measured):
    joined = " ".join(measured.to_text(100).split())
    assert f"{measured.thornton.score:.4f}" in joined
    assert "from 9 random permutations" in joined
    assert f"{measured.margins.n_negative} of 435 rows" in joined
    for point in measured.curve.points:
        assert f"{point.train_rows} {point.train_share:.0%} {point.accuracy:.4f} {point.split_std:.4f}" in joined


@pytest.mark.parametrize("width", [1, 40, 60, 80, 100, 500])
@pytest.mark.parametrize("unicode", [True, False])
def test_no_line_is_too_long(facts, measured, width, unicode):
    for text in (facts.to_text(width, unicode=unicode), measured.to_text(width, unicode=unicode)):
        assert max(map(len, text.splitlines())) <= min(max(width, 40), 100)
        assert all(line == line.rstrip() for line in text.splitlines())
        assert "\x1b" not in text
        assert unicode or text.isascii()


def test_color_adds_styles_and_changes_no_word(facts):
    colored = facts.to_text(80, color=True)
    assert ANSI.search(colored)
    stripped = "\n".join(line.rstrip() for line in ANSI.sub("", colored).splitlines())
    assert stripped == facts.to_text(80).rstrip("\n")


def test_labels_cannot_steer_the_terminal_or_the_markup():
    X = np.array([[0.0], [1.0], [2.0], [0.5]])
    evil = "[red]\x1b[2J\u202e\n"
    table = as_table(X, [evil, evil, "b", "b"], names=["x\x1b[31m"])
    text = separability(table).to_text(100)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[red]" in text


def test_many_classes_are_cut_and_counted():
    y = np.arange(42) % 14
    text = separability(np.arange(42.0)[:, None], y).to_text()
    assert "and 2 smaller classes" in text
    assert "The 12 classes that agree least" in text


def test_long_labels_do_not_break_the_width():
    X = np.arange(8.0)[:, None]
    facts = separability(X, ["a" * 200, "b" * 200] * 4)
    assert max(map(len, facts.to_text(60).splitlines())) <= 60


def test_conflicts_are_said():
    facts = separability([[0.0], [0.0], [1.0], [2.0]], ["a", "b", "a", "b"])
    assert "2 rows in 1 group are equal in every column but not in class" in " ".join(facts.to_text().split())
    assert "Equal, different classes: rows 0 (a), 1 (b)" in " ".join(facts.to_text().split())


def test_one_column_too_many_is_one_more_column():
    rng = np.random.default_rng(0)
    report = separability(rng.normal(size=(30, 16)), ["a", "b"] * 15)
    assert "and 1 more column\n" in report.to_text()
    assert report.to_html().count("and 1 more column<") == 1  # of the columns alone; of the features only bars count


@pytest.mark.parametrize("width", [40, 48, 60, 80])
def test_no_number_is_cut_on_a_narrow_terminal(facts, width):
    """Columns that did not fit cut numbers in two."""
    joined = " ".join(facts.to_text(width).split())
    pair, region = facts.angle.pairs[0], facts.overlap.regions[0]
    wanted = [f"{pair.mahalanobis:.2f}", f"{region.mixing:.1%}", "{:.2f} to {:.2f}".format(*pair.hotelling.interval)]
    for point in (facts.curve.points[0], facts.curve.points[-1]):
        wanted += [f"{point.train_rows}", f"{point.accuracy:.3f}", f"{point.split_std:.3f}"]
    for each in facts.suspects.rows[:5]:
        wanted += [f"{each.row}", f"{each.margin:.2f}", f"{each.own_share:.0%}", f"{each.neighbors[0]},"]
    for number in wanted:
        assert re.search(rf"(?<!\S){re.escape(number)}(?!\d)", joined), number
    assert "one split, ± 1 sd" in joined


def test_rows_that_do_not_fit_become_sentences(facts):
    worst = facts.suspects.rows[0]
    said = f"row {worst.row}: labelled {worst.label}; neighbours say {worst.voted}; agree {worst.own_share:.0%};"
    assert said in " ".join(facts.to_text(40).split())
    assert said not in " ".join(facts.to_text(80).split())


def test_each_section_says_once_what_it_did_about_missing_cells():
    joined = " ".join(separability(sepal.datasets.load("breast-cancer")).to_text(100).split())
    assert "class means and angle and kernel alignment: 16 of 699 rows with missing cells were dropped" in joined
    assert "complexity: 16 of 699 rows have missing cells, filled with the mean of the column" in joined
    assert joined.count("16 of 699 rows") == 2
    assert "and no row is left out" in joined
    dropped = " ".join(separability(sepal.datasets.load("breast-cancer"), missing="drop").to_text(100).split())
    assert "16 of 699 rows with missing cells were dropped" in dropped
    assert "filled with the mean" not in dropped


def test_copies_that_are_not_there_are_not_counted():
    plain = separability([[0.0], [1.0], [4.0], [9.0], [16.0], [25.0]], list("aaabbb")).to_text()
    assert "No row is a copy of another, and no two of different classes are nearly equal." in " ".join(plain.split())
    copied = separability([[0.0], [0.0], [4.0], [9.0], [16.0], [25.0]], list("aaabbb")).to_text()
    assert "none equals a row of another class" in " ".join(copied.split())


def test_facts_without_a_text_of_their_own_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        Shown()
