"""Measures and prototypes of sparse matrices and sets: what the loops say of the same rows written out in full."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_array, csr_matrix

import sepal
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier
from sepal.measures import overlap_regions, suspects
from sepal.neighbors import neighbor_ranking
from sepal.prototypes import METHODS, PrototypeSelector, condense_curve
from tests.oracles import thornton as oracle
from tests.oracles.neighbors import cosine, pairwise, squared_euclidean


def texts(n=60, p=15, seed=0):
    """Counts of words: equal, parallel, disjoint and empty rows among them."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.uniform(size=(n, p)) < 0.25, rng.integers(1, 3, size=(n, p)), 0).astype(float)
    X[3], X[4], X[6] = 0.0, 2.0 * X[5], X[7]
    return X, rng.integers(0, 3, n)


def all_distances(name, X, Z):
    found = pairwise(cosine if name == "cosine" else squared_euclidean, X, Z)
    return found.round(12) if name == "cosine" else np.sqrt(found)


@pytest.mark.parametrize("distance", ["cosine", "euclidean"])
@pytest.mark.parametrize("ties", ["index", "expected"])
def test_rankings_equal_the_loops(distance, ties):
    X, _ = texts()
    asked, _ = texts(20, seed=1)
    for queries, D in ((None, all_distances(distance, X, X)), (csr_array(asked), all_distances(distance, asked, X))):
        if queries is None:
            np.fill_diagonal(D, np.inf)
        found = neighbor_ranking(csr_matrix(X), 4, queries=queries, distance=distance, ties=ties)
        for i, row in enumerate(D):
            reach = np.sort(row)[3]
            wanted = np.argsort(row, kind="stable")[:4] if ties == "index" else np.flatnonzero(row <= reach)
            listed = found.flat_rows[found.start[i] : found.start[i + 1]]
            np.testing.assert_array_equal(np.sort(listed), np.sort(wanted))
            np.testing.assert_allclose(
                found.flat_distances[found.start[i] : found.start[i + 1]], np.sort(row[listed]), atol=1e-12
            )


@pytest.mark.parametrize("kind", [csr_array, csr_matrix, coo_matrix])
@pytest.mark.parametrize("ties", ["expected", "index", "pessimistic", "optimistic"])
def test_thornton_of_texts_is_that_of_the_cosine(kind, ties):
    X, y = texts()
    expected = [float(v) for v in oracle.thornton_samples(all_distances("cosine", X, X), y.tolist(), ties)]
    found = sepal.thornton_samples(kind(X), y, distance="auto", ties=ties)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert sepal.thornton_score(kind(X), y, distance="auto", ties=ties) == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("distance", ["cosine", "euclidean"])
def test_the_family_answers_as_for_dense_rows(distance):
    X, y = texts(70)
    options = {"distance": distance, "scale": None}
    for measure in (
        lambda rows: [sepal.thornton_test(rows, y, **options).p_value],
        lambda rows: sepal.hypothesis_margin(rows, y, **options),
        lambda rows: sepal.hypothesis_margin(rows, y, normalized=True, **options),
        lambda rows: sepal.expected_accuracy(rows, y, train_size=np.array([0.3, 0.7]), **options),
        lambda rows: sepal.expected_accuracy(rows, y, train_size=0.5, stratified=True, **options),
    ):
        np.testing.assert_allclose(measure(csr_array(X)), measure(X), atol=1e-12)
    some = sepal.prepare(csr_array(X), y, n_queries=20, **options)
    of_all = sepal.thornton_samples(X, y, **options)
    np.testing.assert_allclose(sepal.thornton_samples(some), of_all[some.asking], atol=1e-12)
    sparse, dense = (suspects(rows, y, **options) for rows in (csr_array(X), X))
    assert [(each.row, each.voted, each.mutual) for each in sparse.rows] == [
        (each.row, each.voted, each.mutual) for each in dense.rows
    ]
    assert (sparse.conflicts, sparse.duplicates) == (dense.conflicts, dense.duplicates)


def test_how_far_one_split_strays_does_not_depend_on_the_order_of_rows():
    X, y = texts(50)
    order = np.random.default_rng(4).permutation(50)
    one = sepal.expected_accuracy(csr_array(X), y, distance="auto", return_std=True)
    other = sepal.expected_accuracy(csr_array(X[order]), y[order], distance="auto", return_std=True)
    assert one == pytest.approx(other, abs=1e-12)


def test_sets_are_compared_by_what_they_share():
    sets = [{"a", "b"}, {"a", "b", "c"}, {"x"}, {"x", "y"}, set()]
    found = neighbor_ranking(sets, 1, queries=[{"a", "b", "z"}], distance="auto")
    assert found.distances.tolist() == [[pytest.approx(1 / 3)]]
    assert sepal.thornton_samples(sets[:4], ["u", "u", "v", "v"], distance="auto").tolist() == [1.0, 1.0, 1.0, 1.0]


def some_texts():
    X, y = texts(60, seed=2)
    some = np.any(X > 0, axis=1)
    return X[some], y[some]


@pytest.mark.parametrize("method", [method for method in METHODS if method != "ib3"])
def test_prototypes_of_texts_are_those_of_the_cosine(method):
    X, y = some_texts()
    selector = PrototypeSelector(method)
    kept, labels = selector.fit_resample(csr_array(X), y)
    dense = PrototypeSelector(method, distance="cosine", scale=None).fit(X, y)
    np.testing.assert_array_equal(selector.sample_indices_, dense.sample_indices_)
    assert kept.shape == (len(selector.sample_indices_), X.shape[1])
    np.testing.assert_array_equal(labels, y[selector.sample_indices_])


def test_ib3_keeps_no_text_of_random_classes_and_says_so():
    X, y = some_texts()
    for rows, how in ((csr_array(X), {}), (X, {"distance": "cosine", "scale": None})):
        with pytest.raises(DataError, match="ib3 keeps no row: none of 57 rows passes its rule"):
            PrototypeSelector("ib3", **how).fit(rows, y)


def test_a_sparse_learner_may_condense():
    X, y = texts(60, seed=3)
    X[~np.any(X > 0, axis=1), 0] = 1.0
    model = KNNClassifier(1, prototypes="fcnn").fit(csr_array(X), y)
    np.testing.assert_array_equal(model.rows_, PrototypeSelector("fcnn").fit(csr_array(X), y).sample_indices_)
    curve = condense_curve(csr_array(X), y, methods=["fcnn", "enn"], cv=3)
    assert curve.methods == ("fcnn", "enn")
    assert np.all((curve.accuracy >= 0) & (curve.accuracy <= 1))


def test_what_cannot_take_sparse_rows_says_so():
    X, y = texts()
    with pytest.raises(DataError, match=r"sparse matrix.*dense(.|\n)*toarray"):
        overlap_regions(csr_array(X), y)
    with pytest.raises(DataError, match=r"sparse matrix.*dense(.|\n)*toarray"):
        sepal.thornton_score(csr_array(X), y, distance="euclidean", ties="jitter")
    with pytest.raises(ParameterError, match="'tree' cannot search sparse rows"):
        neighbor_ranking(csr_array(X), 1, method="tree")
    with pytest.raises(DataError, match="100000 x 1000 cells, more than"):
        PrototypeSelector("fcnn").fit(csr_array((100_000, 1_000)), np.arange(100_000) % 2)


def test_what_needs_a_dense_table_says_so_of_prepared_sparse_rows_too():
    """It said that rows and columns are needed, and that the shape was ()."""
    rows, labels = csr_array(np.eye(6)), np.arange(6) % 2
    for given in ((rows, labels), (sepal.prepare(rows, labels),)):
        with pytest.raises(DataError, match="expected a dense table, found a sparse matrix"):
            sepal.measures.complexity(*given)
