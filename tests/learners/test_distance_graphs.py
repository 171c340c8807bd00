"""Distances as sparse graphs: what is stored counts, a stored zero too, and what is not stored is out of reach."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from sepal.exceptions import DataError
from sepal.learners import KNNClassifier, KNNRegressor
from sepal.neighbors import kneighbors_graph, neighbor_ranking, radius_neighbors_graph, radius_ranking

# Four places on a line, 0, 0, 1 and 3; each row of the graph holds itself and two others, in no order.
GRAPH = csr_array(
    (
        [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 3.0, 2.0, 0.0],
        [2, 0, 1, 1, 0, 2, 2, 1, 0, 1, 2, 3],
        [0, 3, 6, 9, 12],
    ),
    shape=(4, 4),
)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def test_by_hand():
    found = neighbor_ranking(GRAPH, 2, distance="precomputed")
    assert found.rows.tolist() == [[1, 2], [0, 2], [0, 1], [2, 1]]
    assert found.distances.tolist() == [[0, 1], [0, 1], [1, 1], [2, 3]]
    reached = radius_ranking(GRAPH, np.inf, distance="precomputed")
    assert [rows.tolist() for rows in reached.rows] == [[1, 2], [0, 2], [0, 1], [2, 1]]
    model = KNNRegressor(1, distance="precomputed", ties="index").fit(GRAPH, [10.0, 20.0, 30.0, 40.0])
    asked = csr_array(([0.0, 0.5, 0.25], [3, 0, 2], [0, 1, 3]), shape=(2, 4))
    assert model.predict(asked).tolist() == [40.0, 30.0]
    assert model.predict(None).tolist() == [20.0, 10.0, 10.0, 30.0]
    assert [rows.tolist() for rows in model.radius_neighbors(asked, np.inf)[1]] == [[3], [0, 2]]


def test_a_graph_answers_as_the_rows_it_was_made_of(rng):
    X, y = rng.integers(0, 6, size=(40, 2)).astype(float), np.arange(40) % 3
    asked = rng.normal(size=(9, 2)) * 3
    plain = KNNClassifier(4, scale=None, ties="index").fit(X, y)
    graph = kneighbors_graph(X, 9, mode="distance", include_self=True)
    queries = plain.kneighbors_graph(asked, 7, mode="distance")
    for layout in ("csr", "csc", "coo", "lil"):
        model = KNNClassifier(4, distance="precomputed", ties="index").fit(graph.asformat(layout), y)
        np.testing.assert_array_equal(model.predict_proba(queries.asformat(layout)), plain.predict_proba(asked))
        np.testing.assert_array_equal(model.kneighbors()[1], plain.kneighbors()[1])
    wide = radius_neighbors_graph(X, 100.0, mode="distance")
    auto = KNNClassifier(distance="precomputed").fit(wide, y)
    assert auto.n_neighbors_ == KNNClassifier(scale=None).fit(X, y).n_neighbors_
    assert KNNClassifier(distance="precomputed").fit(graph, y).loo_curve_.k[-1] <= 9


@pytest.mark.parametrize("radius", [1.7e308, np.finfo(float).max, np.inf])
def test_no_radius_reaches_what_is_not_stored(radius):
    """Radii were cut to a quarter of the largest float, beyond which stored distances were lost."""
    # Two rows as far apart as numbers go, and a third that the graph does not connect with them.
    far = 1.7e308
    graph = csr_array(([0.0, far, far, 0.0, 0.0], [0, 1, 0, 1, 2], [0, 2, 4, 5]), shape=(3, 3))
    reached = radius_ranking(graph, radius, distance="precomputed")
    assert [rows.tolist() for rows in reached.rows] == [[1], [0], []]
    assert reached.flat_distances.tolist() == [far, far]
    model = KNNRegressor(1, distance="precomputed").fit(graph, [1.0, 2.0, 3.0])
    assert [rows.tolist() for rows in model.radius_neighbors(None, radius)[1]] == [[1], [0], []]
    assert [rows.tolist() for rows in model.radius_neighbors(graph[:2], radius)[1]] == [[0, 1], [0, 1]]
    assert model.radius_neighbors_graph(None, radius).toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_a_cell_stored_twice_holds_the_sum_in_every_layout():
    """Of a cell that CSR holds twice the last value counted, where scipy adds them."""
    twice = csr_array(([1.0, 2.0, 5.0], [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    for layout in ("csr", "csc", "coo", "lil"):
        graph = twice.copy().asformat(layout)
        assert neighbor_ranking(graph, 1, distance="precomputed").distances.tolist() == [[3.0], [5.0]]
    neighbor_ranking(twice, 1, distance="precomputed")
    assert twice.data.tolist() == [1.0, 2.0, 5.0]


def test_too_few_neighbours_are_counted():
    with pytest.raises(DataError, match=r"3 neighbors .* besides the row itself, .* have only 2 .* row 0"):
        neighbor_ranking(GRAPH, 3, distance="precomputed")
    model = KNNClassifier(2, distance="precomputed").fit(GRAPH, list("aabb"))
    with pytest.raises(DataError, match=r"2 neighbors per samples are required, but some samples have only 1 .* row 0"):
        model.predict(csr_array(([1.0], [2], [0, 1]), shape=(1, 4)))
    with pytest.raises(DataError, match="at least 0; found -1"):
        model.predict(csr_array(([1.0, -1.0], [2, 1], [0, 2]), shape=(1, 4)))
    with pytest.raises(TypeError, match="handling of explicit zeros"):
        model.predict(GRAPH.todok())
