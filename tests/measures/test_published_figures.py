"""Figures that are known from elsewhere.

Sources. Breast cancer under each tie policy and with jitter, the indices of the bundled sets and the expected
accuracies: a brute force over all pairs of rows in plain numpy, with the averages over all splits by counting, that
shares no code with Sepal. Iris: 6 of 150 rows have a nearest row of another class, as any 1-NN by leave-one-out finds.
Chance: the formula beside it.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import sepal
from sepal import datasets
from sepal.measures import expected_accuracy, thornton_score, thornton_test


@pytest.fixture(scope="module")
def complete_breast_cancer() -> sepal.Table:
    table = datasets.load("breast-cancer").drop_missing()
    assert table.n_rows == 683
    assert len(np.unique(table.values, axis=0)) == 449
    return table


@pytest.mark.parametrize(
    ("ties", "figure"),
    [("expected", 0.95778), ("index", 0.95900), ("pessimistic", 0.95461), ("optimistic", 0.96047)],
)
@pytest.mark.parametrize("scale", ["minmax", None])  # all columns run from 1 to 10
@pytest.mark.parametrize("method", ["brute", "tree"])
def test_breast_cancer_under_each_tie_policy(complete_breast_cancer, ties, figure, scale, method):
    score = thornton_score(complete_breast_cancer, ties=ties, scale=scale, method=method)
    assert round(score, 5) == figure


def test_breast_cancer_with_missing_rows_dropped_is_the_same():
    assert round(thornton_score(datasets.load("breast-cancer"), missing="drop"), 5) == 0.95778


@pytest.mark.parametrize(("seed", "figure"), [(0, 0.9575), (1, 0.9605), (2, 0.9561)])
def test_breast_cancer_with_jitter(complete_breast_cancer, seed, figure):
    assert round(thornton_score(complete_breast_cancer, ties="jitter", random_state=seed), 4) == figure


def test_single_features_nearly_reach_one_under_the_optimistic_policy(complete_breast_cancer):
    best = max(
        thornton_score(complete_breast_cancer.select([j]), ties="optimistic")
        for j in range(complete_breast_cancer.n_columns)
    )
    assert round(best, 4) == 0.9985


def test_iris_raw():
    assert thornton_score(*load_iris(return_X_y=True), scale=None) == pytest.approx(0.96, abs=1e-12)


def test_athletes_are_separable():
    assert thornton_score(datasets.load("athletes")) == 1.0


@pytest.mark.parametrize(
    ("name", "figure"), [("sonar", 0.8750), ("liver", 0.6261), ("diabetes", 0.7057), ("athletes", 1.0)]
)
def test_thornton_index_of_bundled_sets(name, figure):
    assert round(thornton_score(datasets.load(name)), 4) == figure


# Half, two thirds, 0.8 and 0.9 of the rows train.
@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("liver", [0.6042, 0.6152, 0.6212, 0.6243]),
        ("sonar", [0.8300, 0.8499, 0.8605, 0.8678]),
        ("diabetes", [0.6979, 0.7023, 0.7043, 0.7052]),
    ],
)
def test_expected_accuracy_of_bundled_sets(name, figures):
    found = expected_accuracy(datasets.load(name), train_size=[1 / 2, 2 / 3, 0.8, 0.9])
    np.testing.assert_allclose(found, figures, atol=5.1e-5)


def test_expected_accuracy_of_breast_cancer(complete_breast_cancer):
    found = expected_accuracy(complete_breast_cancer, train_size=[1 / 2, 2 / 3, 0.8, 0.9])
    np.testing.assert_allclose(found, [0.9586, 0.9584, 0.9582, 0.9580], atol=5.1e-5)


def test_breast_cancer_is_far_from_chance(complete_breast_cancer):
    test = thornton_test(complete_breast_cancer)
    assert test.class_counts == {"benign": 444, "malignant": 239}
    # sum n_c (n_c - 1) / n (n - 1)
    assert test.chance == pytest.approx((444 * 443 + 239 * 238) / (683 * 682), rel=1e-14)
    assert round(test.score, 5) == 0.95778
    assert test.z is not None
    assert test.z > 10
