"""Approximate neighbours: recall is measured and told, distances are exact, and nothing else is pretended."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.sparse

import sepal
from sepal.exceptions import MissingDependencyError, ParameterError, SepalWarning
from sepal.measures import suspects
from sepal.neighbors import neighbor_ranking
from sepal.neighbors._approximate import ApproximateSearch

pytestmark = pytest.mark.filterwarnings("ignore:approximate neighbours")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 8))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=3000) > 0, "b", "a")


def _nearest(X, k):
    """By all distances, none of Sepal's."""
    squares = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    return np.argsort(squares, axis=1, kind="stable")[:, :k], np.sqrt(np.sort(squares, axis=1)[:, :k])


def test_recall_is_that_of_all_rows_and_distances_are_exact(rows):
    X, _ = rows
    X = X[:1500]
    with pytest.warns(SepalWarning, match=r"% of the 10 nearest are found"):
        found = neighbor_ranking(X, 10, method="approximate")
    wanted, distances = _nearest(X, 10)
    recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found.rows.tolist(), wanted.tolist(), strict=True)])
    told = float(found.notes[-1].split(": ")[1].split("%")[0]) / 100
    assert recall >= 0.9
    assert told == pytest.approx(recall, abs=0.04)  # from 200 of 1,500 rows
    each = np.sqrt(((X[:, None] - X[found.rows]) ** 2).sum(axis=2))
    np.testing.assert_allclose(found.distances, each, rtol=1e-12)
    assert np.all(found.distances >= distances - 1e-12)


def test_every_result_says_it(rows):
    X, y = rows
    ready = sepal.prepare(X, y, method="approximate")
    assert isinstance(ready.search, ApproximateSearch)
    test, exact = sepal.thornton_test(ready), sepal.thornton_test(X, y)
    assert test.method == "approximate"
    assert test.score == pytest.approx(exact.score, abs=0.01)
    for result in (test, suspects(ready), ready, neighbor_ranking(X, 3, method="approximate")):
        assert "nearest are found (recall, measured on 200 rows" in repr(result)
    assert "recall" not in repr(exact)
    new = neighbor_ranking(X, 3, queries=X[:50] + 0.01, method="approximate")
    assert new.rows[:, 0].tolist() == list(range(50))


def test_no_result_without_its_recall(rows):
    """Bare numbers, arrays and sets of rows came from approximate neighbours without a word on their recall."""
    # They are refused, and the error names who tells it.
    X, y = rows
    ready = sepal.prepare(X, y, method="approximate")
    for ask, other in (
        (sepal.thornton_score, "thornton_test"),
        (sepal.measures.thornton_samples, "thornton_test"),
        (lambda given: sepal.measures.expected_accuracy(given, train_size=0.5), "expected_accuracy_curve"),
        (lambda given: sepal.neighbors.kneighbors_graph(given, 3), "neighbor_ranking"),
        (sepal.prototypes.enn, "without method='approximate'"),
        (sepal.prototypes.drop3, "without method='approximate'"),
    ):
        with pytest.raises(ParameterError, match="recall of approximate neighbours") as refused:
            ask(ready)
        assert other in refused.value.hint
    with pytest.raises(ParameterError, match="bare index"):
        sepal.thornton_score(X, y, method="approximate")
    assert "recall" in sepal.separability(sepal.prepare(X[:500], y[:500], method="approximate")).to_text()


def test_neither_the_order_of_rows_nor_threads_matter(rows):
    X, y = rows
    order = np.random.default_rng(1).permutation(len(X))
    first = sepal.thornton_test(X, y, method="approximate", n_jobs=1)
    again = sepal.thornton_test(X[order], y[order], method="approximate", n_jobs=2)
    assert first.score == pytest.approx(again.score, abs=1e-12)


def test_few_rows_are_all_looked_at():
    X = np.array([[0.0], [1.0], [1.0], [3.0]])
    found = neighbor_ranking(X, 1, method="approximate")
    assert found.rows.ravel().tolist() == neighbor_ranking(X, 1).rows.ravel().tolist()
    assert "100.0%" in found.notes[-1]


@pytest.mark.parametrize(
    ("given", "how", "message"),
    [
        (np.eye(4), {"distance": "manhattan"}, "manhattan"),
        (np.eye(4), {"distance": lambda a, b: 0.0}, "distance function"),
        (np.eye(4), {"distance": "precomputed"}, "precomputed"),
        (scipy.sparse.csr_array(np.eye(4)), {}, "sparse rows"),
        ([[1.0, np.nan], [2.0, 3.0], [1.0, 1.0]], {"distance": "heom"}, "heom"),
    ],
)
def test_what_it_cannot_search_is_refused(given, how, message):
    with pytest.raises(ParameterError, match=message):
        neighbor_ranking(given, 1, method="approximate", **how)


def test_the_line_that_installs_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingDependencyError, match=r"pip install sepal-learn\[approximate\]"):
        neighbor_ranking(np.eye(4), 1, method="approximate")
