"""k-NN by approximate neighbours: the share of them that is found is counted by hand, and told everywhere."""

from __future__ import annotations

import numpy as np
import pytest

import sepal
from sepal.exceptions import ParameterError, SepalWarning
from sepal.learners import KNNRegressor

pytestmark = pytest.mark.filterwarnings("ignore:approximate neighbours")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    middles = rng.normal(size=(30, 6)) * 3
    which = rng.integers(0, 30, 2000)
    X = middles[which] + rng.normal(size=(2000, 6))
    return X, np.where((which % 2 == 0) ^ (rng.random(2000) < 0.1), "a", "b")


def test_recall_is_that_of_all_distances(rows):
    X, y = rows
    with pytest.warns(SepalWarning, match="of the 10 nearest are found"):
        model = sepal.KNNClassifier(10, method="approximate", scale=None, n_jobs=1).fit(X, y)
    new = X[:300] + 0.05
    found = model.kneighbors(new, return_distance=False)
    squares = ((new[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    wanted = np.argsort(squares, axis=1, kind="stable")[:, :10]
    share = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found.tolist(), wanted.tolist(), strict=True)])
    assert model.recall_ == pytest.approx(share, abs=0.04)  # measured on 200 of the training rows
    assert share >= 0.9
    votes = np.array([max(set(v), key=v.count) for v in y[wanted][:, :9].tolist()])
    nine = sepal.KNNClassifier(9, method="approximate", scale=None).fit(X, y)
    assert np.mean(nine.predict(new) == votes) >= 0.97


@pytest.mark.parametrize("make", [sepal.KNNClassifier, KNNRegressor])
def test_it_stands_beside_everything(make, rows):
    X, y = rows
    target = y if make is sepal.KNNClassifier else X[:, 0]
    model = make(method="approximate", k_max=5).fit(X, target)
    assert 0.8 < model.recall_ <= 1.0
    assert f"(recall {model.recall_:.1%})" in repr(model)
    assert model.loo_curve_.recall == pytest.approx(model.recall_, abs=6e-4)
    found = sepal.evaluate(make(3, method="approximate"), X, target, cv=2)
    assert 0.8 < found.recall <= 1.0
    assert found.to_dict()["recall"] == found.recall
    assert "% of the 10 nearest are found (recall" in str(found)
    assert not found.exact
    exact = make(3).fit(X, target)
    assert (exact.recall_, "recall" in repr(exact)) == (None, False)
    assert sepal.evaluate(make(3), X, target, cv=2).recall is None


def test_refits_and_further_rows(rows):
    X, y = rows
    model = sepal.KNNClassifier(3, method="approximate").fit(X, y)
    assert model.set_params(method="auto").fit(X, y).recall_ is None
    model = sepal.KNNClassifier(3, method="approximate").fit(X[:1000], y[:1000])
    grown = model.partial_fit(X[1000:], y[1000:])
    whole = sepal.KNNClassifier(3, method="approximate").fit(X, y)
    assert grown.recall_ == whole.recall_
    assert grown.predict(X[:50]).tolist() == whole.predict(X[:50]).tolist()


def test_threads_change_nothing(rows):
    X, y = rows
    one, two = (sepal.KNNClassifier(5, method="approximate", n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert one.recall_ == two.recall_
    np.testing.assert_array_equal(one.predict_proba(X[:200]), two.predict_proba(X[:200]))


def test_what_cannot_be_is_refused(rows, tmp_path):
    X, y = rows
    model = sepal.KNNClassifier(3, method="approximate").fit(X, y)
    with pytest.raises(ParameterError, match="approximate neighbours cannot be written to a model file"):
        sepal.save_model(model, tmp_path / "model.sepal")
    with pytest.raises(ParameterError, match="precomputed"):
        sepal.KNNClassifier(1, method="approximate", distance="precomputed").fit(np.zeros((4, 4)), list("aabb"))
    with pytest.raises(ParameterError, match="method must be"):
        sepal.KNNClassifier(1, method="quick").fit(X, y)
