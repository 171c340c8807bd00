"""The report's first figures, what to do next, and rows beside their neighbours."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sepal
from sepal.data import as_table, read_table
from sepal.report import separability
from sepal.report._beside import cell_text, rows_beside, told_beside
from sepal.report._first_figures import model_lines, tiles
from sepal.report._model import MODEL_ROWS
from sepal.report._next_steps import COLLECT, MODEL, ROWS, doubling, next_steps
from sepal.report._svg import DATES, plane_svg


@pytest.fixture(scope="module")
def heart():
    return separability(sepal.datasets.load("heart"))


def test_report_and_explanation_say_the_same(heart):
    """The report called a straight boundary enough, from training error, where explain() said that it loses."""
    table = sepal.datasets.load("heart")
    model = sepal.SepalClassifier(random_state=0).fit(table)
    told = model.explain(time_limit=1.0)
    assert heart.model.score == model.leave_one_out_score_
    assert heart.model.interval == model.leave_one_out_interval_
    said = {finding.code: finding.text for finding in told.findings}
    assert heart.model.shape.text == said[heart.model.shape.code]
    assert heart.model.shape in heart.verdict
    rows = [name for name in str(told).splitlines() if name.strip().startswith("linear")]
    assert len(rows) == 1
    assert heart.model.linear == next(rule.score for rule in told.baselines if rule.name == "linear")
    assert f"{100 * heart.model.linear:.2f}" in rows[0]


def test_the_first_figure_is_that_of_the_model(heart):
    (name, number, small), nearest, majority, more = tiles(heart)
    low, high = heart.model.interval
    assert (name, number) == ("To expect on new rows", f"{heart.model.score:.1%}")
    assert f"{low:.1%} to {high:.1%}" in small
    assert nearest[1] == f"{heart.thornton.score:.1%}"
    assert majority[1] == f"{heart.majority.share:.1%}"
    assert more[1].endswith("points")
    lines = model_lines(heart)["lines"]
    assert [line["score"] for line in lines[:2]] == [f"{heart.model.score:.1%}", f"{heart.model.linear:.1%}"]


def test_without_a_model_the_nearest_neighbour_stands_first(heart):
    bare = replace(heart, model=None)
    assert tiles(bare)[0][2].startswith("nearest neighbour")
    assert model_lines(bare) is None
    assert next_steps(bare)[0].code == "try_a_model"


def test_a_rise_that_is_rounded_to_nothing_has_no_minus(heart):
    """The step said that twice the rows brought the nearest neighbour -0.0 points."""
    half = doubling(heart)[0]
    *others, last = heart.curve.points
    level = (*others, replace(last, accuracy=half.accuracy - 1e-5))
    steps = next_steps(replace(heart, model=None, curve=replace(heart.curve, points=level)))
    assert steps[2].code == "collect_columns"
    assert "brought the nearest neighbour +0.0 points" in steps[2].text


@pytest.fixture(scope="module")
def rare():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    X[:10] += 1.5
    return separability(X, np.where(np.arange(2000) < 10, "pos", "neg"))


def test_a_rare_class_counts_alike_first(rare):
    """Shares of all rows stood first, and were claims, beside a largest class of 99.5 %."""
    first = rare.verdict[0]
    assert first.code == "unequal_classes"
    assert "every class counted alike" in first.text
    assert not {"one_column_enough", "two_columns_enough", "above_majority"} & {each.code for each in rare.verdict}
    for name, number, small in tiles(rare)[:3]:
        assert "every class counted alike" in small, name
        assert float(number.rstrip("%")) < 99
    assert rare.model.balanced
    assert rare.model.n_rows == MODEL_ROWS // 2 + 10  # all of the rare class, and half the sample of the other
    assert [step.code for step in rare.next_steps][2] == "collect_rare_rows"


def test_chance_is_not_sold_as_advice():
    report = separability(np.random.default_rng(1).normal(size=(80, 3)), ["a", "b"] * 40)
    assert [step.code for step in report.next_steps] == [
        "find_other_columns",
        "rows_cannot_be_checked",
        "collect_nothing_yet",
    ]
    assert "suspect_rows" not in {each.code for each in report.verdict}


def test_means_that_differ_are_not_called_nothing():
    """Beside "the class means differ beyond doubt" stood "these columns may say nothing of the classes"."""
    rng = np.random.default_rng(12)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 12)) + 0.5 * y[:, None] * (np.arange(12) == 0)
    report = separability(X, y)
    assert report.angle.wilks.p_value < 0.001
    assert not report.model.learns
    texts = " ".join(each.text for each in (*report.verdict, *report.next_steps))
    assert "the class means differ, but by too little to answer single rows" in texts
    assert "nothing" not in texts
    assert [step.code for step in report.next_steps][2] == "collect_since_means_differ"


def test_every_chapter_ends_with_a_sentence(heart):
    for chapter in (MODEL, ROWS, COLLECT):
        assert chapter[-1].holds(heart)
    assert len({step.code for chapter in (MODEL, ROWS, COLLECT) for step in chapter}) == sum(
        map(len, (MODEL, ROWS, COLLECT))
    )


def test_a_row_beside_its_neighbours():
    """By hand: size differs by 8 of a range of 9, colour in two of three, weight in nothing."""
    frame = pd.DataFrame(
        {
            "weight": [5.0] * 6,
            "size": [9.0, 1.0, 1.0, 1.0, 0.0, 0.5],
            "colour": ["red", "red", "blue", "green", "red", "red"],
        }
    )
    table = as_table(frame, list("abbbab"))

    class Suspect:
        row, neighbors = 0, (1, 2, 3)

    (found,) = rows_beside(table, (Suspect,))
    assert [(each.name, each.own, each.neighbors) for each in found.columns] == [
        ("size", 9, "1"),
        ("colour", "red", "1 red, 1 blue, 1 green"),
        ("weight", 5, "5"),
    ]
    assert told_beside(found).startswith("size 9 (1), colour red (")
    assert [cell_text(cell) for cell in (20817.4, -1234.56, 1.5, 2e12, None)] == [
        "20817", "-1235", "1.5", "2e+12", "missing"
    ]  # fmt: skip


def test_dates_of_a_row_and_its_neighbours_are_dates():
    """They were seconds; in order of time, which is not that of their texts."""
    days = ["2.10.2024", "9.1.2024", "11.1.2024", "10.1.2024", "1.12.2024"]
    lines = "".join(f"{day},{label}\n" for day, label in zip(days, "abbba", strict=True))
    table = read_table(io.BytesIO(f"day,class\n{lines}".encode()), target="class")

    class Suspect:
        row, neighbors = 0, (1, 2, 3)

    (found,) = rows_beside(table, (Suspect,))
    assert [(each.own, each.neighbors) for each in found.columns] == [("2.10.2024", "9.1.2024 to 11.1.2024")]


def test_suspects_stand_with_their_identifiers(tmp_path):
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.normal(0, 1, 30), rng.normal(8, 1, 30)])
    labels = np.array(["a"] * 30 + ["b"] * 30)
    labels[4] = "b"
    lines = "".join(f"C{700 + i},{v:.3f},{label}\n" for i, (v, label) in enumerate(zip(x, labels, strict=True)))
    file = tmp_path / "customers.csv"
    file.write_text("customer,x,class\n" + lines)
    report = separability(sepal.read_table(file))
    assert report.suspects.rows[0].row == 4
    assert "row 4, customer C704" in report.to_text()
    assert "4, customer C704" in report.to_html()
    assert "counted from 0" in report.to_text()


def test_a_plane_of_dates_has_months_below_it():
    """Its ticks were 1.6e+09, 1.6e+09 and 1.7e+09."""
    days = np.datetime64("2020-01-01") + np.arange(0, 1200, 300)
    seconds = days.astype("datetime64[s]").astype(float)
    drawn = plane_svg(
        seconds, np.array([0.0, 40000.0, 20000.0, 0.0]), np.zeros(4, int), (("day", DATES), ("euro", None))
    )
    assert all(f">{month}<" in drawn for month in ("2020-05", "2021-03", "2022-01"))
    assert ">40000<" in drawn
    assert "e+0" not in drawn


def test_planes_have_ticks_and_names_of_levels():
    x, y = np.array([0.0, 1.0, 2.0, 1.0]), np.array([10.0, 20.0, 30.0, np.nan])
    svg = plane_svg(x, y, np.zeros(4, dtype=np.int32), (("size", ("S", "M", "extra large")), ("price", None)))
    for word in (">S<", ">M<", ">extra l…<", ">10<", ">20<", ">30<", ">size<", ">price<"):
        assert word in svg, word


def test_print_frame_and_html_without_the_extras(heart, monkeypatch):
    import builtins

    real = builtins.__import__

    def bare(name, *args, **kwargs):
        if name.split(".")[0] in ("pandas", "polars", "rich", "jinja2", "matplotlib"):
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", bare)
    assert heart.verdict[0].text in str(heart)
    assert heart.next_steps[0].text in str(heart)


def test_more_contradictions_than_labels_can_be_wrong_are_no_list_to_check():
    """Of 20 classes 625 of 1,000 rows were to be checked, "row 728 first"."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 12, 240)
    report = separability(rng.normal(size=(240, 5)) + 0.6 * y[:, None] * (np.arange(5) < 2), y)
    assert report.thornton.p_value < 0.001
    codes = {each.code for each in (*report.verdict, *report.next_steps)}
    assert {"many_contradicted", "too_many_contradicted"} <= codes
    assert not {"suspect_rows", "check_rows"} & codes


def test_distances_are_said_in_plain_words_first(heart):
    text = " ".join(heart.to_text(width=100).split())
    assert "the difference of numbers, and equal or not for names (heom), numbers scaled to 0..1" in text
    assert "rows are compared by the mean difference over the columns (gower)" in text
