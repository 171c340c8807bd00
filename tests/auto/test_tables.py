"""Tables of every sort: small, wide, mixed, gappy, constant, with many classes, and larger ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sepal.datasets
from sepal.auto import SepalClassifier, SepalRegressor, _solve
from sepal.data import as_table
from tests.drawn import normal


@pytest.fixture
def rng():
    return np.random.RandomState(11)


def test_mixed_and_missing_cells_in_every_container(rng):
    n = 80
    number = rng.randn(n)
    color = np.array(["red", "green", "blue"])[rng.randint(0, 3, n)]
    y = np.where(color == "red", number > 0, number < 0.5)
    number[::9] = np.nan
    frame = pd.DataFrame({"number": number, "color": pd.Categorical(color), "size": rng.randint(0, 3, n)})
    frame.loc[::13, "color"] = None
    one = SepalClassifier().fit(frame, y)
    assert one.leave_one_out_score_ > 0.8
    columns = {
        "number": pl.Series(number, nan_to_null=True),
        "color": [None if i % 13 == 0 else color[i] for i in range(n)],
    }
    polar = pl.DataFrame(columns | {"size": frame["size"].to_numpy()})
    np.testing.assert_allclose(SepalClassifier().fit(polar, y).predict_proba(polar), one.predict_proba(frame))
    new = pd.DataFrame({"number": [0.1], "color": ["violet"], "size": [1]})  # a level nobody has seen
    assert np.isfinite(one.predict_proba(new)).all()


def test_the_bundled_sets_with_their_gaps():
    voting = sepal.datasets.load("voting")
    model = SepalClassifier().fit(voting)
    assert model.leave_one_out_score_ > 0.94
    assert list(model.classes_) == ["democrat", "republican"]


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (normal(11, 130, 2), np.repeat(np.arange(26), 5)),  # many classes
        (normal(12, 30, 200), np.arange(30) % 2),  # more columns than rows
        (np.ones((20, 3)), np.arange(20) % 2),  # nothing to see
        (np.repeat(normal(13, 5, 2), 6, axis=0), np.arange(30) % 3),  # copies
        (normal(14, 20, 2), np.arange(20)),  # one row per class
        (normal(15, 20, 1), np.arange(20) % 2),  # twenty rows
        (
            np.column_stack([np.full(24, np.nan), normal(16, 24)]),
            np.arange(24) % 2,
        ),  # an empty column
        (np.array([[0.0], [1.0]]), np.array([0, 1])),  # two rows
        (np.full((30, 3), np.nan), np.arange(30) % 2),  # nothing is known
        (normal(17, 60, 3) > 0.0, normal(18, 60) > 0.0),  # truth values
        (
            normal(19, 40, 1100),
            np.arange(40) % 2,
        ),  # more subsets of columns than a double can count
        (np.array([[f"id{i}", "pq"[i % 2]] for i in range(40)], dtype=object), np.arange(40) % 3),  # every cell a level
        (1e200 * normal(20, 30, 2), np.arange(30) % 2),
    ],
)
def test_degenerate_tables_get_probabilities_and_an_explanation(X, y):
    """Above a thousand columns the number of subsets was too large for a double, and there was no explanation."""
    model = SepalClassifier().fit(X, y)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(X), len(np.unique(y)))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    np.testing.assert_allclose(model.left_out_proba_.sum(axis=1), 1.0)
    assert 0.0 <= model.leave_one_out_score_ <= 1.0
    told = model.explain(time_limit=0.2)
    assert np.isfinite(told.frame()["score"]).all()
    assert "arbitrary_choices" in told.codes


def test_nothing_to_see_gives_the_class_shares():
    model = SepalClassifier().fit(np.ones((20, 3)), np.repeat([0, 1], [15, 5]))
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 3))), [[0.75, 0.25]], atol=0.08)
    assert model.leave_one_out_score_ == 0.75


def test_random_labels_score_like_the_majority():
    rng, y = np.random.RandomState(12), np.arange(200) % 2
    model = SepalClassifier().fit(rng.randn(200, 4), y)
    assert abs(model.leave_one_out_score_ - 0.5) < 0.12
    assert model.predict_proba(rng.randn(50, 4)).max() < 0.8


def test_thresholds_and_rings_are_both_found(rng):
    X = rng.randn(300, 6)
    stairs = ((X[:, 0] > 0.4) ^ (X[:, 1] > 0)).astype(int)
    ring = (X[:, :2] ** 2).sum(axis=1) > 1.4
    by_trees, by_distance = SepalClassifier().fit(X, stairs), SepalClassifier().fit(X[:, :2], ring)
    assert by_trees.leave_one_out_score_ > 0.93
    assert {line.name: line.weight for line in by_trees.trace_.members}["forest"] > 0.5
    assert by_distance.leave_one_out_score_ > 0.95


def test_balanced_answers_the_rare_class_more_often(rng):
    X = np.concatenate([rng.randn(180, 2), rng.randn(20, 2) + 1.2])
    y = np.repeat(["often", "rare"], [180, 20])
    plain, fair = SepalClassifier().fit(X, y), SepalClassifier(balanced=True).fit(X, y)
    recalls = [(model.predict(X)[y == "rare"] == "rare").mean() for model in (plain, fair)]
    assert recalls[1] > recalls[0] + 0.2
    left_out = fair.classes_[fair.left_out_proba_.argmax(axis=1)]
    per_class = [(left_out[y == label] == label).mean() for label in fair.classes_]
    assert fair.leave_one_out_score_ == pytest.approx(np.mean(per_class))  # the score is the balanced one


def test_the_score_is_that_of_the_left_out_probabilities():
    liver = sepal.datasets.load("liver")
    model = SepalClassifier().fit(liver)
    left_out = model.classes_[model.left_out_proba_.argmax(axis=1)]
    assert model.leave_one_out_score_ == pytest.approx(np.mean(left_out == liver.y))
    # Probabilities that were made without the row are calibrated: mean confidence is the accuracy.
    assert model.left_out_proba_.max(axis=1).mean() == pytest.approx(model.leave_one_out_score_, abs=0.04)


def test_no_time_leaves_one_view(rng):
    model = SepalClassifier(time_limit=1e-6).fit(rng.randn(60, 2), np.arange(60) % 2)
    assert [line.name for line in model.trace_.members] == ["kernel-standard"]
    assert len(model.trace_.notes) == 4  # two views, the linear rule, the forest
    assert "time_limit" in model.explain().codes


def test_explain_tells_everything_in_one_place():
    model = SepalClassifier().fit(sepal.datasets.load("heart"))
    told = model.explain(time_limit=1.0)
    assert [baseline.name for baseline in told.baselines] == ["majority", "1-NN", "linear"]
    assert told.baselines[0].score == pytest.approx(164 / 303)
    assert "arbitrary_choices" in told.codes
    assert set(told.inclusion) == set(sepal.datasets.load("heart").names)
    frame = told.frame()
    assert frame["rule"].tolist()[:2] == ["average", "kernel-standard"]
    assert frame["weight"][1:].sum() == pytest.approx(1.0)
    assert "leave-one-out score" in str(told)
    assert "<table>" in told._repr_html_()
    trials = model.trace_.frame()
    assert trials["picked_by"].ne("").sum() >= 3
    assert {"squared", "log_loss", "error", "width", "ridge", "score", "standard_error"} <= set(trials)


def test_feature_vectors_take_over_when_rows_are_many(rng, monkeypatch):
    X = rng.randn(400, 2)
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    whole = SepalClassifier().fit(X, y)
    monkeypatch.setattr(_solve, "WHOLE_ROWS", 100)
    monkeypatch.setattr(_solve, "VECTORS", (30, 60, 120))
    few = SepalClassifier().fit(X, y)
    assert len(few.average_.kernels[0].points) in (30, 60, 120)
    assert few.leave_one_out_score_ == pytest.approx(whole.leave_one_out_score_, abs=0.03)
    monkeypatch.setattr(_solve, "SEARCH_ROWS", 200)
    streamed = SepalClassifier().fit(X, y)
    assert streamed.leave_one_out_score_ == pytest.approx(whole.leave_one_out_score_, abs=0.03)
    order = rng.permutation(400)
    again = SepalClassifier(n_jobs=1).fit(X[order], y[order])
    np.testing.assert_array_equal(again.predict_proba(X), streamed.predict_proba(X))


def test_widths_are_chosen_on_a_part_and_fitted_to_all_rows(rng, monkeypatch):
    X = rng.randn(300, 2)
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    whole = SepalClassifier().fit(X, y)
    monkeypatch.setattr(_solve, "_CHOICE_ROWS", (100, 100))
    part = SepalClassifier().fit(X, y)
    assert {trial.rows for trial in part.trace_.trials} == {100}
    assert all(len(member.points) == 300 for member in part.average_.kernels)
    assert part.leave_one_out_score_ == pytest.approx(whole.leave_one_out_score_, abs=0.03)
    order = rng.permutation(300)
    again = SepalClassifier(n_jobs=1).fit(X[order], y[order])
    np.testing.assert_array_equal(again.predict_proba(X), part.predict_proba(X))


def test_numbers_are_predicted_with_an_honest_error(rng):
    X = rng.randn(150, 3)
    y = np.sin(X[:, 0]) + 0.1 * rng.randn(150)
    model = SepalRegressor().fit(X, y)
    residuals = model.left_out_predictions_ - y
    assert model.residual_std_ == pytest.approx(np.sqrt(np.mean(residuals**2)))
    assert 0.1 < model.residual_std_ < 0.25
    assert model.leave_one_out_score_ > 0.85
    mixed = as_table([[1.0, "a"], [2.0, None], [None, "b"], [4.0, "a"]] * 6)
    assert np.isfinite(SepalRegressor().fit(mixed, np.arange(24.0)).predict(mixed)).all()


def test_a_regressor_explains_itself(rng):
    X = rng.randn(150, 3)
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.randn(150)
    model = SepalRegressor().fit(X, y)
    told = model.explain()
    assert told.task == "numbers"
    assert [baseline.name for baseline in told.baselines] == ["mean", "1-NN", "linear"]
    assert told.baselines[0].score == pytest.approx(0.0)
    assert told.score == model.leave_one_out_score_
    assert {"not_linear", "arbitrary_choices"} <= set(told.codes)
    assert told.frame()["rule"].tolist()[:2] == ["average", "kernel-standard"]
    assert str(told).startswith("leave-one-out R squared")
    assert max(len(line) for line in str(told).splitlines()) <= 100
    assert "-0.0000" not in str(told)
    assert "<table>" in told._repr_html_()
    squares = np.sort((model.left_out_predictions_ - y) ** 2)[::-1]
    assert model.worst_share_ == pytest.approx(squares[:8].sum() / squares.sum())  # 8 of 150 are a twentieth


@pytest.mark.parametrize("y", [np.zeros(20), np.r_[np.zeros(19), 1e6]])
def test_numbers_that_do_not_vary_or_hardly(rng, y):
    for X in (np.ones((20, 2)), rng.randn(20, 2)):
        told = SepalRegressor().fit(X, y).explain()
        assert np.isfinite(told.frame()["score"]).all()
        assert "no_better_than_mean" in told.codes


def test_reliability_is_that_of_the_left_out_probabilities():
    liver = sepal.datasets.load("liver")
    model = SepalClassifier().fit(liver)
    codes = np.unique(liver.y, return_inverse=True)[1]
    own = model.left_out_proba_[np.arange(len(codes)), codes]
    assert model.reliability_.log_loss == pytest.approx(-np.log(own).mean())
    assert model.reliability_.accuracy == pytest.approx(model.leave_one_out_score_)
    told = model.explain(time_limit=0.1)
    assert told.reliability is model.reliability_
    assert len({"calibrated", "overconfident", "underconfident"} & set(told.codes)) == 1
