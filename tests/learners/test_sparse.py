"""Texts and sets: sparse rows must answer as dense ones do, without being filled."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import coo_matrix, csc_array, csr_array, csr_matrix, random_array
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from sepal.data import SparseRows, as_rows
from sepal.estimators import load_model, save_model
from sepal.evaluation import leave_one_out_curve
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier, KNNRegressor
from tests.oracles.knn import loo_accuracy
from tests.oracles.neighbors import cosine, pairwise


def counts(n=40, p=12, seed=0, density=0.25):
    """Small whole numbers, so that many rows are parallel, equal, disjoint or empty."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.uniform(size=(n, p)) < density, rng.integers(1, 3, size=(n, p)), 0).astype(float)
    X[3] = 0.0
    X[4] = 2.0 * X[5]
    X[6] = X[7]
    return X, rng.integers(0, 3, size=n)


def neighbours_by_loops(D, k):
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, order, axis=1)


@pytest.mark.parametrize("kind", [csr_array, csr_matrix, csc_array, coo_matrix])
def test_auto_is_the_cosine_whatever_the_format(kind):
    X, y = counts()
    asked, _ = counts(15, seed=1)
    model = KNNClassifier(4).fit(kind(X), y)
    assert model.neighborhood_.search.fitted.name == "cosine"
    distances, rows = model.kneighbors(kind(asked))
    expected = pairwise(cosine, asked, X)
    np.testing.assert_allclose(distances, neighbours_by_loops(expected, 4), atol=1e-13)
    np.testing.assert_allclose(distances, np.take_along_axis(expected, rows, axis=1), atol=1e-13)
    np.testing.assert_allclose(model.kneighbors(asked)[0], distances)  # dense questions to a sparse model


def test_leave_one_out_for_every_k_equals_the_loops():
    X, y = counts(31)[0], np.arange(31) % 3 % 2  # 21 and 10: class sizes decide the votes that nothing else does
    curve = leave_one_out_curve(csr_array(X), y, k_max=8)
    D = pairwise(cosine, X, X).round(12)
    for k in range(1, 9):
        assert curve.score[k - 1] == pytest.approx(loo_accuracy(D, y.tolist(), k, squared=False)), k


@pytest.mark.parametrize("distance", ["cosine", "euclidean", "tanimoto"])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_equals_dense(distance, weighted):
    X, y = counts(80, 20)
    asked, _ = counts(30, 20, seed=2)
    if distance == "tanimoto":
        X, asked = (X > 0).astype(float), (asked > 0).astype(float)
    options = {"feature_weights": np.linspace(0.0, 3.0, 20)} if weighted else {}
    dense = KNNClassifier(distance=distance, scale=None, k_max=20, **options).fit(X, y)
    sparse = KNNClassifier(distance=distance, k_max=20, **options).fit(csr_array(X), y)
    np.testing.assert_allclose(sparse.loo_curve_.score, dense.loo_curve_.score, atol=1e-12)
    np.testing.assert_allclose(sparse.predict_proba(csr_array(asked)), dense.predict_proba(asked), atol=1e-12)
    np.testing.assert_array_equal(sparse.predict(csr_array(asked)), dense.predict(asked))
    np.testing.assert_array_equal(sparse.kneighbors(csr_array(asked), 9)[1], dense.kneighbors(asked, 9)[1])
    np.testing.assert_allclose(sparse.kneighbors(n_neighbors=5)[0], dense.kneighbors(n_neighbors=5)[0], atol=1e-12)


def test_row_weights_regression_and_groups():
    X, y = counts(60)
    weight = np.random.default_rng(3).integers(0, 3, size=60)
    repeated = np.repeat(np.arange(60), weight)
    asked = csr_array(counts(20, seed=4)[0])
    one = KNNClassifier(5).fit(csr_array(X), y, sample_weight=weight)
    other = KNNClassifier(5).fit(csr_array(X[repeated]), y[repeated])
    np.testing.assert_allclose(one.predict_proba(asked), other.predict_proba(asked))
    sparse, dense = (KNNRegressor(3, distance="cosine", scale=None).fit(rows, y * 1.5) for rows in (csr_array(X), X))
    np.testing.assert_allclose(sparse.predict(asked), dense.predict(asked.toarray()))
    groups = np.arange(60) // 2
    curves = [
        leave_one_out_curve(rows, y, groups=groups, k_max=5, distance="cosine", scale=None, test=(rows, y))
        for rows in (csr_array(X), X)
    ]
    np.testing.assert_allclose(curves[0].score, curves[1].score)
    np.testing.assert_allclose(curves[0].test, curves[1].test)


def test_near_copies_are_told_apart():
    """1 - cos cancels at 1e-7 of an angle; the distance must not."""
    X = np.zeros((4, 50))
    X[:, :40] = 1.0
    X[1, 0] += 1e-6
    X[2, 0] += 2e-6
    X[3, 45] = 1.0
    found = KNNClassifier(3).fit(csr_array(X), [0, 1, 0, 1]).kneighbors(csr_array(X[:1]), 4)[0][0]
    assert found[0] == 0.0
    np.testing.assert_allclose(found[1:], [cosine(X[0], X[j]) for j in (1, 2, 3)], rtol=1e-9)


def test_a_hundred_thousand_columns_are_never_filled():
    rng = np.random.default_rng(0)
    X = random_array((700, 100_000), density=2e-4, format="csr", random_state=rng)  # dense: 560 MB
    y = rng.integers(0, 2, size=700)
    model = KNNClassifier(k_max=20).fit(X, y)
    assert 0.3 < model.loo_curve_.score.max() < 0.7
    assert model.predict(X[:50]).shape == (50,)


def test_order_of_rows_columns_and_class_names_changes_nothing():
    X, y = counts(50)
    asked = counts(25, seed=5)[0]
    rng = np.random.default_rng(6)
    rows, columns = rng.permutation(50), rng.permutation(X.shape[1])
    one = KNNClassifier(4).fit(csr_array(X), y).predict(csr_array(asked))
    names = np.array(["z", "m", "a"])
    other = KNNClassifier(4).fit(csr_array(X[rows][:, columns]), names[y[rows]]).predict(csr_array(asked[:, columns]))
    np.testing.assert_array_equal(names[one], other)


TEXTS = [
    "cheap pills now",
    "cheap cheap watches",
    "meeting at noon",
    "lunch meeting",
    "pills for you",
    "see you at lunch",
]
KINDS = ["spam", "spam", "ham", "ham", "spam", "ham"]


def test_a_pipeline_of_texts():
    model = make_pipeline(TfidfVectorizer(), KNNClassifier(1)).fit(TEXTS, KINDS)
    assert model.predict(["cheap pills", "noon meeting"]).tolist() == ["spam", "ham"]


SETS = [{"milk", "bread"}, {"milk", "eggs", "bread"}, {"nails", "hammer"}, {"hammer"}, set(), set()]
SHOPS = ["food", "food", "tools", "tools", "none", "none"]


@pytest.mark.parametrize(
    "given",
    [
        SETS,
        [[each] for each in SETS],
        pd.Series(SETS),
        pd.DataFrame({"bought": SETS}),
        np.array(SETS, dtype=object),
        [frozenset(each) for each in SETS],
    ],
)
def test_sets_are_compared_by_tanimoto(given):
    model = KNNClassifier(1).fit(given, SHOPS)
    assert model.neighborhood_.search.fitted.name == "tanimoto"
    distances, rows = model.kneighbors([{"milk", "bread", "saw", "glue"}, {"hammer"}, set()], 3)
    # 1 - 2/4, 1 - 2/5 and 1; 0, 1/2 and 1; two empty sets are equal.
    np.testing.assert_allclose(distances, [[0.5, 0.6, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 1.0]])
    assert rows[:, 0].tolist() == [0, 3, 4]
    assert model.predict([{"milk"}, {"saw", "hammer"}, set()]).tolist() == ["food", "tools", "none"]


def test_sets_of_numbers_weigh_and_explain():
    sets = [{1, 2}, {2, 3}, {3, 4}, {9}]
    model = KNNClassifier(2, feature_weights={"3": 5.0}).fit(sets, [0, 0, 1, 1])
    # {3} against {2, 3}: 1/(1+5); against {3, 4}: the same; the rest share nothing.
    np.testing.assert_allclose(model.kneighbors([{3}], 3)[0][0], [1 / 6, 1 / 6, 1.0])
    why = model.explain([{3}])
    assert set(why.names) == {"2", "4"}
    np.testing.assert_allclose(why.parts, [[1.0, 0.0], [0.0, 1.0]])


def test_explanation_names_the_columns_that_differ():
    X, y = counts(30)
    dense = KNNClassifier(3, distance="cosine", scale=None).fit(X, y).explain(X[:3])
    sparse = KNNClassifier(3).fit(csr_array(X), y).explain(csr_array(X[:3]))
    places = [dense.names.index(name) for name in sparse.names]
    np.testing.assert_allclose(sparse.parts, dense.parts[:, places], atol=1e-12)
    np.testing.assert_allclose(sparse.parts.sum(axis=1), dense.parts.sum(axis=1))


def test_saved_models_answer_the_same(tmp_path):
    X, y = counts()
    for rows, asked in ((csr_array(X), csr_array(X[:9])), (SETS, SETS)):
        labels = y if rows is not SETS else SHOPS
        model = KNNClassifier(2).fit(rows, labels)
        other = load_model(save_model(model, tmp_path / "m.sepal"))
        np.testing.assert_array_equal(other.predict_proba(asked), model.predict_proba(asked))


def test_refusals():
    X, y = counts()
    with pytest.raises(ParameterError, match=r"distance must be auto, .* for sparse rows"):
        KNNClassifier(1, distance="manhattan").fit(csr_array(X), y)
    with pytest.raises(ParameterError, match="scale='standard' would fill"):
        KNNClassifier(1, scale="standard").fit(csr_array(X), y)
    with pytest.raises(DataError, match="must be square"):
        KNNClassifier(1, distance="precomputed").fit(csr_array(X), y)
    with pytest.raises(DataError, match="0 and 1 only"):
        KNNClassifier(1, distance="tanimoto").fit(csr_array(X), y)
    with pytest.raises(DataError, match="row 1, column 2: expected a finite number, found NaN"):
        KNNClassifier(1).fit(csr_array([[1.0, 0, 0], [0, 0, np.nan]]), [0, 1])
    with pytest.raises(DataError, match="X has 3 features, but 12 features were expected"):
        KNNClassifier(1).fit(csr_array(X), y).predict(csr_array(X[:, :3]))
    with pytest.raises(DataError, match="sparse"):
        KNNClassifier(1).fit(X, y).predict(csr_array(X))
    with pytest.raises(DataError, match="row 1: expected a set"):
        KNNClassifier(1).fit([{1}, 3], [0, 1])
    with pytest.raises(DataError, match="linear"):
        KNNRegressor(3, aggregate="linear").fit(csr_array(X), y * 1.0).predict(csr_array(X))


def test_tags_say_what_is_taken():
    assert KNNClassifier().__sklearn_tags__().input_tags.sparse
    assert KNNRegressor(distance="euclidean").__sklearn_tags__().input_tags.sparse
    assert not KNNClassifier(distance="heom").__sklearn_tags__().input_tags.sparse


def test_tables_stay_tables():
    assert not isinstance(as_rows([[1.0, 2.0]]), SparseRows)
    assert not isinstance(as_rows(pl.DataFrame({"a": [1.0]})), SparseRows)
