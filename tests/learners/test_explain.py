from __future__ import annotations

import numpy as np
import pytest

import sepal.datasets
from sepal.data import as_table
from sepal.learners import KNNClassifier, KNNRegressor
from sepal.neighbors import Search


def athletes(**options):
    table = sepal.datasets.load("athletes")
    return table, KNNClassifier(3, scale=None, **options).fit(table)


def test_athletes_by_hand():
    # D. Greene, slides on nearest-neighbour classifiers (UCD COMP30120, 2015): query (3, 8), k = 3; the rest by hand.
    table, model = athletes()
    why = model.explain(as_table([[3.0, 8.0]], names=table.names))
    assert why.rows.tolist() == [3, 4, 1]
    np.testing.assert_allclose(why.distances, [0.3536, 0.5590, 0.7500], atol=5e-5)
    # row 4 of the list, (3.25, 8.25): 0.25 in both columns; row 2, (3.75, 8): all in speed.
    np.testing.assert_allclose(why.parts, [[0.5, 0.5], [0.2, 0.8], [1.0, 0.0]], atol=1e-12)
    np.testing.assert_allclose(why.shares, 1 / 3)
    assert why.votes.tolist() == [[1.0, 0.0]]
    assert (why.margin[0], why.flips[0]) == (1.0, 2)
    # nearest yes: (4.75, 6.25) at sqrt(1.75^2 + 1.75^2)
    assert (why.other_row[0], why.other_label[0]) == (14, "yes")
    assert why.other_distance[0] == pytest.approx(np.hypot(1.75, 1.75))
    assert why.frame()["by speed"].tolist() == pytest.approx([0.5, 0.2, 1.0])
    assert "nearest of another class: row 14 (yes)" in str(why)
    assert "<pre>" in why._repr_html_()


def test_a_close_vote():
    model = KNNClassifier(3, scale=None).fit([[0.0], [1.0], [2.0], [9.0]], ["a", "a", "b", "b"])
    why = model.explain([[1.1]])
    assert why.predicted.tolist() == ["a"]
    assert why.margin[0] == pytest.approx(1 / 3)
    assert why.flips[0] == 1
    assert why.runner_up.tolist() == ["b"]


@pytest.mark.parametrize(
    ("distance", "power"),
    [("euclidean", 2), ("manhattan", 1), ("minkowski", 3), ("chebyshev", 1), ("mahalanobis", 2), ("nan_euclidean", 2),
     ("heom", 2), ("gower", 1), ("hamming", 1), ("cosine", 1), ("hvdm", 2), ("tanimoto", 1), ("kernel", 2)],
)  # fmt: skip
def test_parts_add_up_to_the_distance(distance, power):
    rng = np.random.default_rng(0)
    X = rng.random((30, 3))
    if distance in ("tanimoto", "hamming"):
        X = np.round(X)
    if distance in ("nan_euclidean", "heom", "gower"):
        X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.integers(0, 2, size=30)
    table = as_table(X, y)
    if distance in ("heom", "gower", "hvdm"):
        third = as_table(np.where(np.isnan(X[:, 2:]), np.nan, np.round(X[:, 2:] * 3)), kinds={0: [0, 1, 2, 3]})
        values = np.hstack([X[:, :2], third.values])
        table = as_table(as_table(values, y, kinds={2: [0, 1, 2, 3]}), kinds={2: "nominal"})
    params = {"p": 3.0} if distance == "minkowski" else None
    if distance == "kernel":
        params = {"kernel": "polynomial", "degree": 2}
    model = KNNClassifier(5, distance=distance, distance_params=params).fit(table)
    search = model.neighborhood_.search
    distances, rows = model.kneighbors(table)
    queries = np.repeat(np.arange(30), 5)
    parts = search.fitted.parts(table.take(queries), table.take(rows.ravel()))
    finite = np.isfinite(distances.ravel())
    np.testing.assert_allclose(parts.sum(axis=1)[finite], distances.ravel()[finite] ** power, atol=1e-9)
    assert model.explain(table).parts.shape[1] == 3


def test_class_weights_and_ties_are_in_the_shares():
    X, y = np.array([[0.0], [1.0], [-1.0]]), ["a", "b", "b"]
    why = KNNClassifier(2, scale=None, class_weight={"b": 3}).fit(X, y).explain([[0.0]])
    # a counts 1; the two b share one place, three times: 1.5 each
    assert why.rows.tolist() == [0, 1, 2]
    np.testing.assert_allclose(why.shares, [1 / 4, 1.5 / 4, 1.5 / 4])
    np.testing.assert_allclose(why.votes, [[0.25, 0.75]])


def test_precomputed_has_neighbours_but_no_columns():
    X = np.array([[0.0], [1.0], [5.0]])
    D = np.abs(X - X.T)
    why = KNNClassifier(1, distance="precomputed").fit(D, ["a", "a", "b"]).explain(np.array([[0.4, 0.6, 4.6]]))
    assert why.rows.tolist() == [0]
    assert (why.other_row[0], why.other_distance[0]) == (2, 4.6)
    assert why.names == ()


def test_plot_draws_a_bar_per_neighbour_and_column():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    table, model = athletes()
    ax = model.explain(as_table([[3.0, 8.0]], names=table.names)).plot()
    assert len(ax.patches) == 6
    plt.close("all")


def test_a_number_is_explained_by_its_neighbours():
    """By hand: the query (1, 0) has rows 0 and 1 at 1 and row 2 at 2; 1/d weighs them 2 : 2 : 1."""
    X, y = [[0.0, 0.0], [1.0, 1.0], [3.0, 0.0], [9.0, 9.0]], [10.0, 20.0, 60.0, 900.0]
    model = KNNRegressor(3, weights="distance", scale=None).fit(X, y)
    why = model.explain([[1.0, 0.0]])
    assert why.rows.tolist() == [0, 1, 2]
    np.testing.assert_allclose(why.distances, [1.0, 1.0, 2.0])
    np.testing.assert_allclose(why.shares, [0.4, 0.4, 0.2])
    np.testing.assert_allclose(why.contributions, [4.0, 8.0, 12.0])
    assert why.predicted[0] == pytest.approx(24.0)
    assert why.std[0] == pytest.approx(np.sqrt(0.4 * 14**2 + 0.4 * 4**2 + 0.2 * 36**2))
    np.testing.assert_allclose(why.parts, [[1, 0], [0, 1], [1, 0]])
    assert why.frame()["target"].tolist() == [10.0, 20.0, 60.0]
    assert "24: mean of 3 neighbours" in str(why)
    assert why.plot().get_xlabel() == "distance"


@pytest.mark.parametrize("aggregate", ["mean", "median", "linear"])
def test_explained_numbers_are_the_predicted_ones(aggregate):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    model = KNNRegressor(5, aggregate=aggregate).fit(X, y)
    why = model.explain(X[:7])
    np.testing.assert_array_equal(why.predicted, model.predict(X[:7]))
    np.testing.assert_array_equal(why.std, model.predict(X[:7], return_std=True)[1])
    if aggregate == "mean":
        np.testing.assert_allclose(np.add.reduceat(why.contributions, why.start[:-1]), why.predicted)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("repeated", [1, 3])
def test_explain_says_what_predict_says_and_searches_the_same_rows_once(monkeypatch, weights, repeated):
    """It searched three times: for the votes, for the answer and for the rows."""
    table = sepal.datasets.load("liver")
    model = KNNClassifier(5, weights=weights).fit(table.values.repeat(repeated, axis=0), table.y.repeat(repeated))
    rows = np.round(table.values[::9] + 0.3, 1)
    votes, answers = model.predict_proba(rows), model.predict(rows)
    asked: list[int] = []
    search = Search.query_ranking
    monkeypatch.setattr(Search, "query_ranking", lambda self, q, k, *more: asked.append(k) or search(self, q, k, *more))
    why = model.explain(rows)
    np.testing.assert_array_equal(why.votes, votes)
    np.testing.assert_array_equal(why.predicted, answers)
    assert asked == [5, 1, 1]  # the neighbours, and the nearest row of another class for the answers of each class


@pytest.mark.parametrize("aggregate", ["mean", "median", "linear"])
def test_explaining_numbers_says_what_predict_says_and_searches_once(monkeypatch, aggregate):
    """It searched the same rows again for the answer and for its spread."""
    table = sepal.datasets.load("liver")
    model = KNNRegressor(5, aggregate=aggregate).fit(table.values[:, 1:], table.values[:, 0])
    rows = table.values[::9, 1:] + 0.25
    answers, spread = model.predict(rows, return_std=True)
    asked: list[int] = []
    search = Search.query_ranking
    monkeypatch.setattr(Search, "query_ranking", lambda self, q, k, *more: asked.append(k) or search(self, q, k, *more))
    why = model.explain(rows)
    np.testing.assert_array_equal(why.predicted, answers)
    np.testing.assert_array_equal(why.std, spread)
    assert asked == [5]
