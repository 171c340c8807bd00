from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_selection import f_classif

import sepal.datasets
from sepal.data import as_table
from sepal.exceptions import ParameterError
from sepal.selection import rank_features, subset_sweep
from sepal.selection._relieff import relieff as fast_relieff
from tests.oracles.selection import alignment, relieff, squared_distances


@pytest.mark.parametrize("classes", [2, 3])
def test_relieff_against_the_oracle(classes: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 4)), rng.integers(0, classes, 40)
    X[:2] = [[0.0] * 4, [1.0] * 4]
    found = fast_relieff(as_table(X, y), y.astype(np.int32), classes, k=3)
    np.testing.assert_allclose(found, relieff(X, y.tolist(), 3), atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_relieff_of_mixed_kinds_with_ties_and_missing_cells(missing: float) -> None:
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 5, 30) / 4, rng.integers(0, 3, 30), rng.random(30), rng.integers(0, 2, 30)])
    X[rng.random(X.shape) < missing] = np.nan
    X[:2, [0, 2]] = [[0.0, 0.0], [1.0, 1.0]]
    y = rng.integers(0, 3, 30)
    table = as_table(X, y, kinds={1: "nominal", 3: "nominal"})
    found = fast_relieff(table, y.astype(np.int32), 3, k=4)
    np.testing.assert_allclose(found, relieff(X, y.tolist(), 4, table.kinds), atol=1e-12)


def test_relieff_does_not_depend_on_row_order_under_ties() -> None:
    table = sepal.datasets.load("hepatitis")
    codes = np.unique(table.y, return_inverse=True)[1].astype(np.int32)
    order = np.random.default_rng(0).permutation(table.n_rows)
    one = fast_relieff(table, codes, 2)
    two = fast_relieff(table.take(order), codes[order], 2)
    np.testing.assert_allclose(one, two, atol=1e-12)
    assert np.isfinite(one).all()


def test_a_missing_cell_counts_its_class_average() -> None:
    # One column, classes {0, 1} and {0.5, missing}, k = 1. By hand, a missing cell of class b stands for 0.5:
    # row 0: hit 1, miss 0.5; row 1: hit 1, miss 0.5; row 2: hit 0, miss 0.5; row 3 (missing): hit 0, miss 0.5.
    X = np.array([[0.0], [1.0], [0.5], [np.nan]])
    found = fast_relieff(as_table(X, ["a", "a", "b", "b"]), np.array([0, 0, 1, 1], dtype=np.int32), 2, k=1)
    assert found.tolist() == pytest.approx([(-0.5 - 0.5 + 0.5 + 0.5) / 4])


def test_columns_of_the_table() -> None:
    table = sepal.datasets.load("liver")
    ranking = rank_features(table)
    sweep = subset_sweep(table)
    assert ranking.best.columns == (0, 2, 3, 4, 5)
    np.testing.assert_allclose(ranking.columns["thornton"], [sweep.scores[1 << f] for f in range(6)])
    assert ranking.columns["gain"][1] == pytest.approx(sweep.scores[63] - sweep.scores[61])
    assert ranking.columns["loss"][0] == pytest.approx(sweep.scores[61] - sweep.scores[60])
    assert np.isnan(ranking.columns["loss"][1])
    np.testing.assert_allclose(ranking.columns["inclusion"], list(sweep.inclusion().values()))
    np.testing.assert_allclose(ranking.columns["anova_f"], f_classif(table.values, table.y)[0], rtol=1e-9)
    codes = np.unique(table.y, return_inverse=True)[1]
    r = [abs(np.corrcoef(table.values[:, f], codes)[0, 1]) for f in range(6)]
    np.testing.assert_allclose(ranking.columns["correlation"], r, rtol=1e-9)


def test_alignment_alone_is_centered() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    ranking = rank_features(X, y, scale=None)
    D = squared_distances(X, [0])
    median = float(np.sqrt(np.median(D[np.triu_indices(50, 1)])))
    assert ranking.columns["alignment"][0] == pytest.approx(alignment(D, y, median, centered=True), abs=2e-3)


def test_mixed_kinds_and_order() -> None:
    ranking = rank_features(sepal.datasets.load("heart"), strategy="forward", n_features=3)
    frame = ranking.frame(by="relieff")
    assert frame["relieff"].is_monotonic_decreasing
    assert frame.loc[frame["feature"] == "sex", "anova_f"].isna().all()
    assert frame["correlation"].between(0, 1).all()
    with pytest.raises(ParameterError, match="by must be one of"):
        ranking.frame(by="gini")
    assert "<table" in ranking._repr_html_()
