"""Search by radius: everybody up to a distance, on every path, and the graphs made of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from sepal.exceptions import ParameterError
from sepal.learners import KNNClassifier, KNNRegressor
from sepal.neighbors import kneighbors_graph, neighbor_ranking, radius_neighbors_graph, radius_ranking
from tests.oracles import neighbors as oracle

PATHS = [("brute", 3), ("tree", 3), ("tree", 7), ("brute", 20)]


def assert_within(found, D, limits, *, exclude_self, tolerance, squared):
    for query, values in enumerate(D):
        wanted = oracle.within(values.tolist(), limits[query], tolerance, query if exclude_self else None)
        assert found.rows[query].tolist() == [row for row, _ in wanted]
        distances = [np.sqrt(value) if squared else value for _, value in wanted]
        np.testing.assert_allclose(found.distances[query], distances, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("method", "p"), PATHS)
@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "chebyshev"])
def test_lattice_with_copies_and_rows_at_the_radius(method, p, distance, rng):
    train, queries = rng.integers(0, 3, size=(90, p)).astype(float), rng.integers(0, 3, size=(15, p)).astype(float)
    for radius in (0.0, 1.0, 2.0, 3.0, np.inf):
        squared = distance == "euclidean"
        limit = radius**2 if squared else radius
        options = {"tolerance": 0.0, "squared": squared}
        call = {"distance": distance, "method": method}
        D = oracle.compared_values(distance, train, train)
        found = radius_ranking(train, radius, **call)
        assert found.method == method
        assert_within(found, D, [limit] * 90, exclude_self=True, **options)
        D = oracle.compared_values(distance, queries, train)
        found = radius_ranking(train, radius, queries=queries, **call)
        assert_within(found, D, [limit] * 15, exclude_self=False, **options)


@pytest.mark.parametrize(("method", "p"), PATHS)
def test_a_radius_for_each_query(method, p, rng):
    train, queries = rng.normal(size=(300, p)), rng.normal(size=(40, p))
    radius = rng.uniform(0.0, 2.0 * np.sqrt(p), size=40)
    D = oracle.compared_values("euclidean", queries, train)
    found = radius_ranking(train, radius, queries=queries, method=method)
    assert_within(found, D, radius**2, exclude_self=False, tolerance=oracle.TIE_TOLERANCE, squared=True)


@pytest.mark.parametrize(
    "distance", ["cosine", "nan_euclidean", "heom", "canberra", "bray_curtis", "correlation", "minkowski", "gower"]
)
def test_every_distance_gives_the_beginning_of_its_complete_ranking(distance, rng):
    rows = rng.integers(0, 5, size=(40, 3)).astype(float)
    params = {"p": 3} if distance == "minkowski" else None
    complete = neighbor_ranking(rows, 39, distance=distance, distance_params=params)
    for radius in np.quantile(complete.flat_distances, [0.0, 0.2, 0.7, 1.0]):
        found = radius_ranking(rows, radius, distance=distance, distance_params=params)
        for query in range(40):
            inside = complete.distances[query] <= radius * (1 + 1e-12)
            assert found.rows[query].tolist() == complete.rows[query][inside].tolist()


def test_rounding_does_not_decide_who_lies_on_the_radius():
    # 0.1 + 0.2 is larger than 0.3 in float64, and the order of columns must not matter
    assert radius_ranking([[0.0, 0.0], [0.1, 0.2]], 0.3, distance="manhattan").rows[0].tolist() == [1]
    assert radius_ranking([[0.0], [1.5], [3.0], [3.01]], 3.0).rows[0].tolist() == [1, 2]


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_numbers_whose_squares_leave_the_range(size):
    found = radius_ranking(np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]) * size, 5.0 * size)
    assert [rows.tolist() for rows in found.rows] == [[1], [0, 2], [1]]


def test_sparse_and_precomputed_rows_answer_as_dense_ones(rng):
    rows = rng.integers(0, 3, size=(30, 4)).astype(float)
    dense = radius_ranking(rows, 2.0)
    D = oracle.distances("euclidean", rows, rows)
    for other in (
        radius_ranking(csr_array(rows), 2.0, distance="euclidean"),
        radius_ranking(D, 2.0, distance="precomputed"),
    ):
        assert [each.tolist() for each in other.rows] == [each.tolist() for each in dense.rows]
        np.testing.assert_allclose(other.flat_distances, dense.flat_distances, rtol=1e-12)


@pytest.mark.parametrize("radius", [-1.0, np.nan, "wide", True, [1.0, 2.0]])
def test_what_is_no_radius_is_refused(radius):
    with pytest.raises(ParameterError, match="radius"):
        radius_ranking([[0.0], [1.0], [2.0]], radius)


def test_graphs_hold_ones_or_distances(rng):
    X = [[0.0], [1.0], [1.0], [4.0]]
    graph = kneighbors_graph(X, 1, mode="distance")
    assert (graph.indices.tolist(), graph.data.tolist()) == ([1, 2, 1, 1], [1.0, 0.0, 0.0, 3.0])
    assert kneighbors_graph(X, 1, include_self=True).toarray().tolist()[3] == [0, 0, 0, 1]
    graph = radius_neighbors_graph(X, 3.0)
    assert graph.toarray().tolist() == [[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0]]
    assert np.diff(radius_neighbors_graph(X, 0.5, include_self=True).indptr).tolist() == [1, 2, 2, 1]
    with pytest.raises(ParameterError, match="Unsupported mode"):
        kneighbors_graph(X, 1, mode="other")


@pytest.mark.parametrize("Learner", [KNNClassifier, KNNRegressor])
def test_learners_answer_in_positions_of_fit(Learner):
    # the second row has no weight, so the rows in use are not the rows of fit
    model = Learner(1, scale=None).fit([[0.0], [9.0], [1.0], [3.0]], [0, 1, 1, 0], sample_weight=[1, 0, 1, 1])
    distances, rows = model.radius_neighbors([[2.0], [50.0]], 1.0)
    assert [each.tolist() for each in rows] == [[2, 3], []]
    assert [each.tolist() for each in distances] == [[1.0, 1.0], []]
    rows = model.radius_neighbors(None, 2.0, return_distance=False, sort_results=True)
    assert [each.tolist() for each in rows] == [[2], [0, 3], [2]]
    assert model.kneighbors_graph([[2.9]], mode="distance").shape == (1, 4)
    assert model.kneighbors_graph([[2.9]]).indices.tolist() == [3]
    assert model.radius_neighbors_graph([[2.0]], 1.0).toarray().tolist() == [[0, 0, 1, 1]]
    with pytest.raises(ParameterError, match="radius is None"):
        model.radius_neighbors([[2.0]])


def test_radius_under_a_distance_learnt_from_classes_leaves_the_asking_row_out(rng):
    X, y = rng.integers(0, 3, size=(40, 3)).astype(str), rng.integers(0, 2, size=40)
    model = KNNClassifier(1, distance="hvdm").fit(X, y)
    distances, rows = model.kneighbors(None, 39)
    reach = np.quantile(distances, 0.3)
    found = model.radius_neighbors(None, reach, return_distance=False, sort_results=True)
    for query in range(40):
        assert found[query].tolist() == rows[query][distances[query] <= reach * (1 + 1e-12)].tolist()


DISTANCES = {
    "euclidean": {"scale": None},
    "manhattan": {"distance": "manhattan"},
    "minkowski": {"distance": "minkowski", "distance_params": {"p": 3.0}},
    "heom": {"distance": "heom"},
    "hvdm": {"distance": "hvdm"},
    "a function": {"distance": lambda a, b: float(np.abs(a - b).sum())},
    "sparse": {"distance": "euclidean", "scale": None},
    "sparse cosine": {"distance": "cosine", "scale": None},
}


@pytest.mark.parametrize("name", DISTANCES)
@pytest.mark.parametrize("radius", [1e300, np.finfo(float).max, np.inf])
def test_the_widest_radius_reaches_everyone_but_the_asking_row(name, radius, rng):
    """Under HVDM an enormous radius found the asking row itself, and its square overflowed with a warning."""
    X = rng.integers(0, 3, size=(6, 3)).astype(str) if name == "hvdm" else rng.normal(size=(6, 3))
    X = csr_array(X) if name.startswith("sparse") else X
    model = KNNClassifier(1, **DISTANCES[name]).fit(X, list("aabbab"))
    assert [rows.tolist() for rows in model.radius_neighbors(None, radius)[1]] == [
        [j for j in range(6) if j != i] for i in range(6)
    ]
    assert [rows.tolist() for rows in model.radius_neighbors(X, radius)[1]] == [list(range(6))] * 6
