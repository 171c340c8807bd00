"""The facts of a report: figures known from elsewhere, hand calculations, and hard tables.

Indices and accuracies of the bundled sets have their source in tests/measures/test_published_figures.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sepal
from sepal.data import as_table
from sepal.exceptions import DataError, ParameterError
from sepal.measures import suspects
from sepal.report import measure_facts, separability

# One dimension, labels by hand: row 6 stands among the a's, and makes rows 1 and 2 look wrong as well.
LINE = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 1.5])[:, None]
LINE_LABELS = np.array(["a", "a", "a", "b", "b", "b", "b"])


@pytest.fixture(scope="module")
def line():
    return separability(LINE, LINE_LABELS, scale=None)


def test_breast_cancer_complete_rows():
    facts = separability(sepal.datasets.load("breast-cancer"), missing="drop")
    assert facts.thornton.score == pytest.approx(0.95778, abs=5e-6)
    assert facts.settings.n_dropped == 16
    assert facts.settings.n_rows == 683
    assert facts.settings.distance == "euclidean"
    assert {entry.label: entry.n_rows for entry in facts.classes} == {"benign": 444, "malignant": 239}
    assert facts.majority.label == "benign"
    assert facts.majority.share == pytest.approx(444 / 683)
    # sum n_c(n_c-1) / n(n-1)
    assert facts.thornton.chance == pytest.approx((444 * 443 + 239 * 238) / (683 * 682))
    assert facts.table.n_rows == 699
    assert facts.table.n_missing == 16
    half = next(point for point in facts.curve.points if point.train_rows == 342)
    assert half.accuracy == pytest.approx(0.9586, abs=5e-5)
    # Of the 449 distinct rows none has two classes: numpy's unique with and without the class.
    assert facts.suspects.conflicts == ()


@pytest.mark.parametrize(("name", "score", "half"), [("sonar", 0.8750, 0.8300), ("liver", 0.6261, 0.6042)])
def test_known_scores_and_accuracies(report_of, name, score, half):
    facts = report_of(name)
    assert facts.thornton.score == pytest.approx(score, abs=5e-5)
    assert facts.curve.points[4].accuracy == pytest.approx(half, abs=5e-5)
    assert [round(point.train_share * 10) for point in facts.curve.points] == list(range(1, 10))


def test_measures_at_the_sizes_asked_for():
    facts = measure_facts(sepal.datasets.load("sonar"), train_sizes=[0.9, 104])
    assert [point.train_rows for point in facts.curve.points] == [104, 187]
    assert facts.curve.points[0].accuracy == pytest.approx(0.8300, abs=5e-5)
    assert facts.curve.points[1].accuracy == pytest.approx(0.8678, abs=5e-5)
    assert facts.thornton.n_permutations == 0
    assert facts.thornton.permutation_p is None


def test_suspects_by_hand(line):
    found = line.to_dict()["suspects"]
    assert (found["n_contradicted"], found["n_checked"]) == (3, 7)
    # All three have two of five neighbours of their class, and each is among the five of three that contradict it or
    # of two; the margins are (0.5 - 8.5) / 2 / 9 and (0.5 - 1) / 2 / 1.5.
    assert {each["row"]: round(each["margin"], 6) for each in found["shown"]} == {
        6: -0.444444,
        1: -0.166667,
        2: -0.166667,
    }
    row = next(each for each in found["shown"] if each["row"] == 6)
    assert (row["row"], row["label"], row["voted"], row["own_share"]) == (6, "b", "a", pytest.approx(0.4))
    assert (row["nearest_row"], row["nearest_label"]) == (1, "a")
    assert row["nearest_distance"] == 0.5
    # 0.5, 0.5, 1.5 to the a's, 8.5 and 9.5 to two b's.
    assert row["neighborhood"] == [{"label": "a", "n_rows": 3}, {"label": "b", "n_rows": 2}]


def test_everyone_tied_with_the_fifth_neighbor_is_counted():
    # Around 0 stand four b's at distance 1 and three at distance 2; the fifth is tied with two more.
    X = np.array([0.0, 1.0, -1.0, 1.0, -1.0, 2.0, -2.0, 2.0, 9.0])[:, None]
    first = separability(X, ["a"] + ["b"] * 7 + ["a"], scale=None).to_dict()["suspects"]["shown"][0]
    assert (first["row"], first["neighborhood"]) == (0, [{"label": "b", "n_rows": 7}])


def test_margin_summary_by_hand():
    summary = measure_facts(LINE, LINE_LABELS, scale=None, train_sizes=[3]).margins
    # hit and miss: 0: 1, 1.5; 1 and 2: 1, 0.5; 3: 1, 8; 4: 1, 9; 5: 1, 10; 6: 8.5, 0.5
    expected = sorted([0.5 / 5, -0.5 / 3, -0.5 / 3, 7 / 18, 8 / 20, 9 / 22, -8 / 18])
    assert summary.minimum == pytest.approx(expected[0])
    assert summary.median == pytest.approx(expected[3])
    assert summary.maximum == pytest.approx(expected[6])
    assert summary.lower_quartile == pytest.approx((expected[1] + expected[2]) / 2)
    assert (summary.n_negative, summary.n_checked) == (3, 7)


def test_row_numbers_are_those_of_the_data_before_rows_were_dropped():
    X = np.vstack([[[np.nan]], LINE])
    shown = separability(X, ["a", *LINE_LABELS], scale=None, missing="drop").to_dict()["suspects"]["shown"]
    found = {each["row"]: each for each in shown}
    assert set(found) == {2, 3, 7}
    assert (found[7]["row"], found[7]["nearest_row"]) == (7, 2)


@pytest.mark.parametrize("absent", [0.0, np.nan])
def test_conflicting_duplicates(absent):
    X = np.array([[0.0, absent], [-0.0, absent], [0.0, absent], [1.0, 2.0], [1.0, 2.0], [3.0, 4.0]])
    found = separability(X, ["a", "b", "a", "b", "b", "a"]).to_dict()["suspects"]
    assert (found["n_conflict_groups"], found["n_conflict_rows"], found["n_copies"]) == (1, 3, 1)


def test_order_of_rows_and_columns_does_not_matter(rng):
    table = sepal.datasets.load("heart")
    order = rng.permutation(table.n_rows)
    moved = table.take(order).select(table.names[::-1])
    there, again = (measure_facts(given, train_sizes=[0.5]) for given in (table, moved))
    assert again.thornton.score == pytest.approx(there.thornton.score, abs=1e-12)
    assert again.curve.points[0].accuracy == pytest.approx(there.curve.points[0].accuracy, abs=1e-9)
    assert again.margins.median == pytest.approx(there.margins.median)
    before, after = (suspects(given).rows for given in (table, moved))
    assert {int(order[each.row]): each.margin for each in after} == pytest.approx(
        {each.row: each.margin for each in before}
    )


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0], [1.0]], ["a", "b"]),
        ([[0.0], [1.0], [2.0]], ["a", "b", "a"]),
        ([[1.0], [1.0], [1.0], [1.0]], ["a", "b", "a", "b"]),
        ([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "c", "d"]),
        ([["x"], ["y"], ["x"], ["y"]], [1, 2, 1, 2]),
        ([[0.0, np.nan], [np.nan, 1.0], [2.0, np.nan], [np.nan, np.nan]], [True, False, True, False]),
    ],
)
def test_the_smallest_and_strangest_tables(X, y):
    facts = separability(X, y)
    assert 0.0 <= facts.thornton.score <= 1.0
    assert facts.to_text()
    assert facts.to_json()
    measured = measure_facts(X, y, train_sizes=[1])
    assert measured.to_text()
    assert measured.to_json()


def test_unused_row_weights_are_said():
    table = replace(as_table(LINE, LINE_LABELS), weights=np.ones(7))
    assert "the row weights of the file are not used" in measure_facts(table, train_sizes=[3]).table.notes


def test_constant_columns_are_said():
    facts = measure_facts(np.hstack([LINE, np.ones_like(LINE)]), LINE_LABELS, train_sizes=[3])
    assert any("constant" in note and "x2" in note for note in facts.settings.notes)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"train_sizes": [7]}, "from 1 to 6"),
        ({"train_sizes": [1.0]}, "between 0 and 1"),
        ({"train_sizes": []}, "at least one"),
        ({"n_neighbors": 2}, "odd"),
        ({"n_neighbors": 7}, "from 1 to 6"),
        ({"missing": "impute"}, "missing"),
        ({"distance": "euclid"}, "distance"),
    ],
)
def test_wrong_parameters_are_named(options, named):
    with pytest.raises(ParameterError, match=named):
        measure_facts(LINE, LINE_LABELS, **options)


def test_one_class_is_refused():
    with pytest.raises(DataError, match="two classes"):
        separability(LINE, ["a"] * 7)


def test_progress_is_told_from_start_to_end():
    told = []
    separability(LINE, LINE_LABELS, progress=lambda what, done: told.append((what, done)))
    shares = [done for _, done in told]
    assert shares[0] == 0.0
    assert shares == sorted(shares)
    assert told[-1] == ("done", 1.0)


def test_the_curve_of_large_groups_is_that_of_a_sample(monkeypatch):
    rng = np.random.default_rng(3)
    groups = np.arange(60) % 6
    X, y = rng.normal(size=(60, 2)), groups % 2
    whole = measure_facts(X, y, groups=groups, train_sizes=[3])
    assert (whole.curve.n_rows, whole.curve.n_groups) == (60, 6)
    monkeypatch.setattr("sepal.report._gather._RANKED_PAIRS", 1_000)
    monkeypatch.setattr("sepal.report._gather.SAMPLE_ROWS", 30)
    part = measure_facts(X, y, groups=groups, train_sizes=[3])
    assert (part.curve.n_rows, part.curve.points[0].train_groups, part.settings.n_asked) == (30, 3, 60)
    assert "groups with 30 rows" in " ".join(part.to_text().split())
    with pytest.raises(ParameterError, match="a number of groups from 1 to 5"):
        measure_facts(X, y, groups=groups, train_sizes=[6])
    with pytest.raises(ParameterError, match="n_neighbors must be 1 with groups"):
        measure_facts(X, y, groups=groups, n_neighbors=3)
