"""Learners that shape the metric: DANN, metric clustering, learnt column weights."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

import sepal.datasets
from sepal.exceptions import ParameterError
from sepal.learners import DANNClassifier, KNNClassifier, MetricClusteringClassifier, learn_feature_weights
from sepal.learners._dann import local_root
from sepal.learners._feature_weights import nca_value
from tests.oracles.alignment import alignment, target_matrix
from tests.oracles.dann import local_metric


def two_classes(n=120, seed=0):
    """The class is in column 0; columns 1 to 3 are wide noise."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    X = rng.normal(size=(n, 4)) * [1, 4, 4, 4]
    X[:, 0] += 3.0 * y
    return X, y


@pytest.mark.parametrize("passes", [1, 2])
def test_dann_metric_equals_the_oracle(passes):
    X, y = two_classes(80)
    for x0 in X[:3] + 0.1:
        gap, root = X - x0, np.eye(4)
        for _ in range(passes):
            root = local_root(gap, np.eye(2)[y], ((gap @ root) ** 2).sum(axis=1), 40, 1.0, np.ones(len(y)))
        np.testing.assert_allclose(root @ root.T, local_metric(X, y, x0, 40, 1.0, passes), rtol=1e-6, atol=1e-9)


def test_dann_votes_under_that_metric_and_beats_plain_neighbours_among_noise():
    X, y = two_classes(200, seed=1)
    test, truth = two_classes(200, seed=2)
    model = DANNClassifier(scale=None).fit(X, y)
    sigma = local_metric(X, y, test[5], 50, 1.0, 1)
    nearest = np.argsort([(x - test[5]) @ sigma @ (x - test[5]) for x in X])[:5]
    assert model.predict_proba(test[5:6])[0, 1] == pytest.approx(np.mean(y[nearest]))
    plain = KNeighborsClassifier(5).fit(X, y).score(test, truth)
    assert model.score(test, truth) > plain + 0.05


def test_dann_with_one_class_nearby_and_with_constant_columns():
    X = np.vstack([np.zeros((30, 2)), np.ones((30, 2)) * 50]) + np.random.default_rng(0).normal(size=(60, 2))
    X = np.hstack([X, np.ones((60, 1))])
    y = np.repeat(["a", "b"], 30)
    model = DANNClassifier(n_metric=10).fit(X, y)
    assert model.predict([[0.0, 0.0, 1.0], [50.0, 50.0, 1.0]]).tolist() == ["a", "b"]
    assert DANNClassifier().fit(np.zeros((6, 2)), [0, 0, 0, 0, 1, 1]).predict([[0.0, 0.0]]).tolist() == [0]


def test_clusters_with_a_heavy_label_are_the_nearest_class_mean():
    X, y = two_classes()
    model = MetricClusteringClassifier(alpha=1e9, scale=None).fit(X, y)
    assert np.array_equal(model.predict(X), NearestCentroid().fit(X, y).predict(X))
    assert np.array_equal(np.sort(model.shares_, axis=0), [[0, 0], [1, 1]])


@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_clusters_are_k_means_on_rows_and_labels(alpha):
    X, y = two_classes(seed=4)
    Z = np.hstack([X, np.sqrt(alpha / 2) * np.eye(2)[y]])
    start = np.array([Z[y == c].mean(axis=0) for c in (0, 1)])
    oracle = KMeans(2, init=start, n_init=1, tol=0.0, max_iter=100).fit(Z)
    model = MetricClusteringClassifier(alpha=alpha, scale=None).fit(X, y)
    np.testing.assert_allclose(model.centers_, oracle.cluster_centers_[:, :4], atol=1e-9)
    assert np.array_equal(model.clusters_, oracle.labels_)


@pytest.mark.parametrize(("name", "accuracy"), [("breast-cancer", 0.968), ("diabetes", 0.729)])
def test_known_accuracies(name, accuracy):
    """Standardised, two clusters starting as the classes; alpha 10 for labels -1 and +1, which is 40 here."""
    # Ben-Israel and Levin (2001) print no figures; these are of scikit-learn's KMeans on [x, sqrt(10) t], same folds.
    table = sepal.datasets.load(name).drop_missing()
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    found = cross_val_score(MetricClusteringClassifier(40.0), table.values, table.y, cv=folds)
    assert found.mean() == pytest.approx(accuracy, abs=0.0006)


def test_cutoff_trades_the_two_errors():
    table = sepal.datasets.load("diabetes")
    found = []
    for cutoff in (0.1, 0.5, 0.9):
        model = MetricClusteringClassifier(1.0, clusters_per_class=4, cutoff=cutoff).fit(table)
        found.append(np.sum(model.predict(table) == "pos"))
    assert found[0] > found[1] > found[2]


def test_mahalanobis_clusters_do_not_see_units():
    X, y = two_classes(seed=6)
    other = X * [1000.0, 1.0, 0.01, 7.0]
    a = MetricClusteringClassifier(distance="mahalanobis", clusters_per_class=2, scale=None).fit(X, y)
    b = MetricClusteringClassifier(distance="mahalanobis", clusters_per_class=1, scale=None).fit(X, y)
    c = MetricClusteringClassifier(distance="mahalanobis", clusters_per_class=1, scale=None).fit(other, y)
    assert np.array_equal(b.predict(X), c.predict(other))
    assert len(a.centers_) == 4


@pytest.mark.parametrize("kind", [MetricClusteringClassifier, DANNClassifier])
def test_order_and_names_do_not_matter(kind):
    X, y = two_classes(60, seed=3)
    names = np.array(["z", "a"])
    rows = np.random.default_rng(0).permutation(60)
    a = kind().fit(X, y).predict(X)
    b = kind().fit(X[rows][:, ::-1], names[y[rows]]).predict(X[:, ::-1])
    assert names[a].tolist() == b.tolist()
    with pytest.raises(ValueError, match="NaN"):
        kind().fit(np.where(X > 2, np.nan, X), y)


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (MetricClusteringClassifier(alpha=-1), "alpha"),
        (MetricClusteringClassifier(clusters_per_class=0), "clusters_per_class"),
        (MetricClusteringClassifier(distance="cosine"), "distance"),
        (MetricClusteringClassifier(cutoff=2), "cutoff"),
        (DANNClassifier(0), "n_neighbors"),
        (DANNClassifier(epsilon=0), "epsilon"),
    ],
)
def test_wrong_parameters_are_named(model, text):
    X, y = two_classes()
    with pytest.raises(ParameterError, match=text):
        model.fit(X, y)


def test_nca_gradient():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(25, 4)), rng.integers(0, 3, size=25).astype(np.int32)
    columns, factors = np.array([0, 1, 1, 2]), np.array([0.7, 1.3, 0.4])
    value, slope = nca_value(X, columns, y, factors)
    D = np.array([[sum((factors[columns[f]] * (a[f] - b[f])) ** 2 for f in range(4)) for b in X] for a in X])
    np.fill_diagonal(D, np.inf)
    P = np.exp(-D) / np.exp(-D).sum(axis=1, keepdims=True)
    assert value == pytest.approx((P * (y[:, None] == y)).sum())
    for f in range(3):
        step = np.eye(3)[f] * 1e-6
        change = nca_value(X, columns, y, factors + step)[0] - nca_value(X, columns, y, factors - step)[0]
        assert slope[f] == pytest.approx(change / 2e-6, abs=1e-6)


def relieff_by_loops(X, y, k):
    """Min-max scaled numbers, as the definition says; rows tied for the k-th place share the places that are left."""
    Z = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    classes, counts = np.unique(y, return_counts=True)
    share = dict(zip(classes.tolist(), counts / len(y), strict=True))
    total = np.zeros(X.shape[1])
    for i in range(len(y)):
        for c in classes.tolist():
            others = [j for j in range(len(y)) if y[j] == c and j != i]
            places = min(k, len(others))
            far = {j: float(np.sum((Z[i] - Z[j]) ** 2)) for j in others}
            last = sorted(far.values())[places - 1]
            nearer = [j for j in others if far[j] < last - 1e-9]
            tied = [j for j in others if abs(far[j] - last) <= 1e-9]
            near = sum(np.abs(Z[i] - Z[j]) for j in nearer)
            mean = (near + (places - len(nearer)) * np.mean([np.abs(Z[i] - Z[j]) for j in tied], axis=0)) / places
            total += -mean if c == y[i] else mean * share[c] / (1 - share[y[i]])
    return total / len(y)


def test_relieff_equals_the_loops():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, size=40)
    X[:, 0] += 2 * y
    expected = np.maximum(relieff_by_loops(X, y, 5), 0)
    found = learn_feature_weights(X, y, method="relieff", n_neighbors=5, k_max=5).weights
    np.testing.assert_allclose(found, expected * 3 / expected.sum(), rtol=1e-9)


def test_relieff_with_copies_in_any_row_order():
    """Numbers of distinct rows were taken for rows, so that ReliefF read cells of other rows where there are copies."""
    rng = np.random.default_rng(4)
    for _ in range(12):
        X, y = rng.integers(0, 4, size=(24, 2)).astype(float), rng.permutation(np.arange(24) % 2)
        X[0], X[1] = 0.0, 3.0
        expected = np.maximum(relieff_by_loops(X, y, 3), 0)
        if expected.sum() < 1e-9:
            continue
        found = learn_feature_weights(X, y, method="relieff", n_neighbors=3, k_max=3).weights
        np.testing.assert_allclose(found, expected * 2 / expected.sum(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", ["nca", "relieff", "alignment", "mutual_information"])
def test_the_telling_column_gets_the_weight_and_leave_one_out_rises(method):
    X, y = two_classes()
    X = np.hstack([X, np.random.default_rng(5).normal(size=(len(y), 8))])
    found = learn_feature_weights(X, y, method=method, k_max=15)
    assert found.weights.argmax() == 0
    assert found.weights.mean() == pytest.approx(1.0)
    assert found.after.score.max() > found.before.score.max()
    assert found.frame()["column"][0] == "x1"
    assert "optimistic" in str(found)
    test, truth = two_classes(600, seed=9)
    test = np.hstack([test, np.random.default_rng(6).normal(size=(600, 8))])
    plain = KNNClassifier(7).fit(X, y).score(test, truth)
    assert KNNClassifier(7, feature_weights=found).fit(X, y).score(test, truth) > plain


@pytest.mark.parametrize("method", ["nca", "relieff", "alignment", "mutual_information"])
def test_mixed_tables_with_missing_cells(method):
    found = learn_feature_weights(sepal.datasets.load("hepatitis"), method=method, k_max=9, max_iter=20)
    assert np.all(np.isfinite(found.weights))
    assert len(found.weights) == 19


def test_alignment_weights_are_a_peak_of_the_alignment():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, size=60)
    frame = pd.DataFrame({"a": rng.normal(size=60) + y, "b": rng.uniform(size=60), "c": rng.choice(list("pqr"), 60)})
    frame["c"] = np.where(rng.uniform(size=60) < 0.5, np.where(y == 1, "p", "q"), frame["c"])
    found = learn_feature_weights(frame, y, method="alignment", k_max=5).weights
    numbers = [(frame[name] / np.ptp(frame[name])).to_numpy() for name in "ab"]
    squares = [(x[:, None] - x) ** 2 for x in numbers] + [frame["c"].to_numpy()[:, None] != frame["c"].to_numpy()]
    T = target_matrix(y.tolist(), "signed")

    def best(weights):
        total = sum(w * square for w, square in zip(weights, squares, strict=True))
        return max(alignment(np.exp(-t * total), T, centered=True) for t in np.geomspace(0.01, 100, 400))

    peak = best(found)
    for j in range(3):
        for factor in (0.8, 1.25):
            other = found.copy()
            other[j] *= factor
            assert best(other) <= peak + 1e-5
    assert peak > best(np.ones(3)) + 0.01


def test_unknown_methods():
    X, y = two_classes()
    with pytest.raises(ParameterError, match="method must be one of"):
        learn_feature_weights(X, y, method="pca")


def test_a_metric_by_mass_is_that_of_copies_and_parts_of_rows_are_mass():
    """Whole weights are copies; weights of which nothing is whole give the metric of the formula."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)
    weight = np.arange(60) % 3
    new = rng.normal(size=(20, 2))
    for model in (
        DANNClassifier(5, n_metric=30),
        DANNClassifier(5),
        MetricClusteringClassifier(2.0, clusters_per_class=2),
        MetricClusteringClassifier(2.0, distance="mahalanobis"),
    ):
        one = clone(model).fit(X, y, weight).predict_proba(new)
        copied = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict_proba(new)
        np.testing.assert_allclose(one, copied, atol=1e-9)
    # Half of everything, and half as many neighbours wanted: the same rows with the same shares.
    half = DANNClassifier(2, n_metric=15).fit(X, y, np.full(60, 0.5)).predict_proba(new)
    np.testing.assert_allclose(half, DANNClassifier(4, n_metric=30).fit(X, y).predict_proba(new), atol=1e-9)
    clusters = MetricClusteringClassifier().fit(X, y, weight).clusters_
    np.testing.assert_array_equal(clusters == -1, weight == 0)
    means = [np.average(X[(y == c)], axis=0, weights=weight[y == c] / 3) for c in (0, 1)]
    model = MetricClusteringClassifier(1e6, scale=None).fit(X, y, weight / 3)
    np.testing.assert_allclose(model.centers_, means)
