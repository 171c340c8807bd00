"""A fitted search that is asked again and again keeps a tree: the same lists, and it is built when it pays."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import sepal._native as native
from sepal.data import as_table
from sepal.learners import KNNClassifier, KNNRegressor
from sepal.neighbors import neighbor_ranking
from sepal.neighbors._search import Search


def _asked(n_columns, k=5, metric="l2", limits=None):
    return {
        "k": k, "limits": limits, "metric": metric, "p": 3.0, "n_numeric": n_columns, "weights": np.ones(n_columns),
        "tie": 2.0**-40, "zero": 0.0, "threads": 2, "progress": None,
    }  # fmt: skip


def _same(ours, theirs):
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("metric", ["l2", "l1", "linf", "lp"])
@pytest.mark.parametrize("n_columns", [1, 2, 4, 7, 20])
@pytest.mark.parametrize("reach", [0.5, 1.9, 2.1, 1e3, 1e12])
def test_a_kept_tree_gives_the_lists_of_a_scan(metric, n_columns, reach):
    """Far queries do not fit into the float32 form of the points, which is made before anybody asks."""
    rng = np.random.default_rng(n_columns)
    rows = np.round(rng.normal(size=(700, n_columns)), 1)  # ties
    tree = native.KeptTree(points=rows, threads=2)
    widest = np.abs(rows).max()
    for m in (1, 33, 100):
        queries = np.round(rng.uniform(-1, 1, size=(m, n_columns)) * widest * reach, 1)
        for k in (1, 5, 60):
            asked = _asked(n_columns, k, metric)
            _same(
                tree.search(queries=queries, **asked),
                native.search(points=rows, queries=queries, method="scan", **asked),
            )


def test_within_a_radius():
    rng = np.random.default_rng(5)
    rows, queries = rng.normal(size=(900, 3)), rng.normal(size=(40, 3))
    asked = _asked(3, limits=rng.uniform(0, 2, 40))
    _same(
        native.KeptTree(points=rows, threads=1).search(queries=queries, **asked),
        native.search(points=rows, queries=queries, method="direct", **asked),
    )


def test_what_does_not_fit_is_refused():
    rows = np.random.default_rng(6).normal(size=(90, 3))
    tree = native.KeptTree(points=rows, threads=1)
    with pytest.raises(ValueError, match="columns"):
        tree.search(queries=np.zeros((1, 2)), **_asked(2))
    with pytest.raises(ValueError, match="not a number"):
        tree.search(queries=np.full((1, 3), np.nan), **_asked(3))
    with pytest.raises(ValueError, match="not a number"):
        native.KeptTree(points=np.full((5, 3), np.nan), threads=1)
    assert tree.search(queries=rows + 0.1, **_asked(3), budget=1.0) is None


def test_the_points_live_as_long_as_the_tree():
    tree = native.KeptTree(points=np.arange(4000.0).reshape(1000, 4), threads=1)
    _, rows, values = tree.search(queries=np.array([[400.0, 401.0, 402.0, 403.0]]), **_asked(4, k=1))
    assert (rows.tolist(), values.tolist()) == ([100], [0.0])


def test_it_is_built_after_some_questions_and_answers_the_same():
    """Every question looked at all 200,000 rows, and a few hundred at once built a tree that was then thrown away."""
    rng = np.random.default_rng(7)
    search = Search.prepare(as_table(rng.normal(size=(5000, 3))))
    questions = [as_table(rng.normal(size=(1, 3))) for _ in range(60)]
    paths, answers = [], []
    for each in questions:
        answers.append(search.query_ranking(each, 4))
        paths.append(search._went["path"])
    assert (paths[0], paths[-1]) == ("scan", "tree")
    tree = search._kept.tree
    search.query_ranking(as_table(rng.normal(size=(500, 3))), 4)
    assert search._kept.tree is tree is not None
    plain = Search.prepare(search.table, method="brute")
    for each, found in zip(questions, answers, strict=True):
        wanted = plain.query_ranking(each, 4)
        np.testing.assert_array_equal(found.entries.number, wanted.entries.number)
        np.testing.assert_array_equal(found.distances, wanted.distances)


@pytest.mark.parametrize("scale", [1e200, 1e-180])
def test_squares_that_overflow_or_vanish_are_tied_with_a_tree_as_without(scale):
    """Filters told apart what squares in float64 do not: a model answered otherwise once its tree was kept."""
    rng = np.random.default_rng(11)
    X, asked = rng.normal(size=(3000, 2)) * scale, rng.normal(size=(5, 2)) * scale
    model = KNNRegressor(3, distance="kernel", scale=None).fit(X, np.arange(3000.0))
    with np.errstate(over="ignore", under="ignore"):
        answers = [model.predict(asked) for _ in range(30)]
    np.testing.assert_array_equal(answers, np.full((30, 5), 1499.5))  # all are equally far: the mean of all


def test_rows_of_two_sizes_that_share_no_power_of_two():
    rng = np.random.default_rng(12)
    X = np.concatenate([rng.normal(size=(42, 2)) * 1e-100, rng.normal(size=(28, 2)) * 1e210])
    asked = np.concatenate([rng.normal(size=(3, 2)) * 1e-100, rng.normal(size=(2, 2)) * 1e210])
    with np.errstate(over="ignore"):
        model = KNNRegressor(3, scale=None).fit(X, np.arange(70.0))
        answers = np.array([model.predict(asked) for _ in range(60)])
    np.testing.assert_array_equal(answers, np.broadcast_to(answers[0], answers.shape))
    np.testing.assert_array_equal(answers[:, 3:], 34.5)  # all are infinitely far
    for method in ("auto", "brute", "tree"):
        near = neighbor_ranking(X, 3, queries=asked, method=method, ties="expected")
        assert np.diff(near.start)[3:].tolist() == [70, 70]


def test_none_is_built_where_it_would_leave_out_nothing():
    rng = np.random.default_rng(8)
    search = Search.prepare(as_table(rng.normal(size=(5000, 60))))
    for _ in range(120):
        search.query_ranking(as_table(rng.normal(size=(1, 60))), 1)
    assert search._kept.tree is None
    assert search._went["path"] == "scan"


def test_a_pickled_model_builds_its_own():
    rng = np.random.default_rng(9)
    X, asked = rng.normal(size=(3000, 4)), rng.normal(size=(200, 4))
    y = np.where(X[:, 0] > 0, "right", "left")
    model = KNNClassifier(5).fit(X, y)
    before = model.predict_proba(asked)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(again.predict_proba(asked), before)
    np.testing.assert_array_equal([again.predict_proba(row[None])[0] for row in asked], before)


def test_rows_that_are_added_are_found():
    rng = np.random.default_rng(10)
    X = rng.uniform(size=(2000, 2))
    y = np.where(X[:, 0] > 0.5, "right", "left")
    model = KNNClassifier(1).fit(X, y)
    model.predict(X)  # a tree is kept now
    new = np.array([[0.25, 0.5]])
    assert model.predict(new).tolist() == ["left"]
    model.partial_fit(new, ["right"])
    assert model.predict(new).tolist() == ["right"]
