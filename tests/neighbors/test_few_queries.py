"""Few queries are answered by looking at every row where it stands: the same lists as by a tree, tiles, direct sums."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import sepal._native as native
from sepal.data import as_table
from sepal.learners import KNNClassifier
from sepal.neighbors import _planner, neighbor_ranking
from sepal.neighbors._rounding import Extent
from sepal.neighbors._search import Search

DISTANCES = ["euclidean", "manhattan", "chebyshev", "canberra", "cosine", "heom", "gower"]


@pytest.mark.parametrize("n_columns", [1, 3, 8, 9, 21])
@pytest.mark.parametrize("distance", DISTANCES)
def test_the_same_bits_as_by_any_other_path(distance, n_columns, monkeypatch):
    rng = np.random.default_rng(n_columns)
    rows = np.round(rng.normal(size=(203, n_columns)), 1)  # ties and copies
    rows[::50] *= 1e6
    search = Search.prepare(as_table(rows), distance=distance)
    asked = as_table(np.round(rng.normal(size=(6, n_columns)), 1))
    radius = np.full(6, float(np.median(search.query_ranking(asked, 20).distances)))

    def lists():
        found = [search.query_ranking(asked, k) for k in (1, 7, 60)] + [search.within(radius, asked)]
        return [(each.start, each.entries.number, each.distances) for each in found]

    paths = {path: cost for path, cost in _planner.COSTS.items() if cost(_work(search)) < np.inf}
    answers = []
    for path, cost in paths.items():
        monkeypatch.setattr(_planner, "COSTS", {path: cost})
        answers.append(lists())
        assert search._went["path"] == path
    assert len(answers) >= 2
    for other in answers[1:]:
        for ours, theirs in zip(answers[0], other, strict=True):
            for a, b in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(a, b)


def _work(search):
    extent = Extent.of(search.points)
    return _planner.SearchSize(extent, 6, 1, _planner.effective_metric(search.fitted, extent))


def test_one_query_builds_nothing():
    search = Search.prepare(as_table(np.random.default_rng(2).normal(size=(3000, 4))))
    search.query_ranking(as_table(np.zeros((1, 4))), 3)
    assert search._went["path"] == "scan"


@pytest.mark.parametrize("n_columns", [2, 40])
def test_a_tree_that_would_cost_more_than_the_next_path_gives_up(n_columns):
    rng = np.random.default_rng(n_columns)
    rows = rng.normal(size=(1500, n_columns))
    asked = {
        "points": rows, "queries": None, "k": 3, "limits": None, "method": "tree", "metric": "l2", "p": 2.0,
        "n_numeric": n_columns, "weights": np.ones(n_columns), "tie": 0.0, "zero": 0.0, "threads": 2, "progress": None,
    }  # fmt: skip
    assert native.search(**asked, budget=1.0) is None
    for ours, theirs in zip(
        native.search(**asked), native.search(**asked | {"method": "tiles"}, budget=1.0), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_rows_near_a_plane_are_asked_by_a_tree_and_noise_by_tiles():
    rng = np.random.default_rng(3)
    flat = rng.normal(size=(6000, 2)) @ rng.normal(size=(2, 40))
    noise = rng.normal(size=(6000, 40))
    assert [neighbor_ranking(X, 1).method for X in (flat, noise)] == ["tree", "brute"]


def test_a_plain_scan_of_squares():
    rng = np.random.default_rng(0)
    rows, asked = rng.normal(size=(500, 30)), rng.normal(size=(4, 30))
    true = np.sqrt(((asked[:, None] - rows) ** 2).sum(axis=2))
    found = Search.prepare(as_table(rows)).query_ranking(as_table(asked), 5)
    assert found.entries.number.reshape(4, 5).tolist() == np.argsort(true)[:, :5].tolist()
    np.testing.assert_allclose(found.distances.reshape(4, 5), np.sort(true)[:, :5], rtol=1e-14)


def test_rows_that_ask_each_other_are_not_scanned():
    with pytest.raises(ValueError, match="a scan needs queries"):
        native.search(
            points=np.zeros((3, 1)), queries=None, k=1, limits=None, method="scan", metric="l2", p=2.0, n_numeric=1,
            weights=np.ones(1), tie=0.0, zero=0.0, threads=1, progress=None,
        )  # fmt: skip


def test_what_a_learner_keeps_for_the_next_question_is_not_copied_with_it():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 40, 400)
    model = KNNClassifier(5).fit(X, y)
    before = len(pickle.dumps(model))
    first = model.predict_proba(X[:1])
    assert len(pickle.dumps(model)) < before + 1000  # 400 x 40 sums would be 128,000
    np.testing.assert_array_equal(model.predict_proba(X[:1]), first)
    model.fit(X, y[::-1])
    assert model.predict(X[:1]) == KNNClassifier(5).fit(X, y[::-1]).predict(X[:1])
