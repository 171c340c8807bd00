"""The hypothesis margin against its definition."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.data import as_table
from sepal.exceptions import DataError
from sepal.measures import hypothesis_margin
from tests.measures.labelled_rows import FAMILIES, no_ties
from tests.oracles import neighbors as near
from tests.oracles import thornton as oracle


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize(("n", "classes"), [(4, "ab"), (30, "ab"), (30, "abcd")])
def test_margin_follows_the_definition(family, n, classes, normalized, rng):
    X, y, D = family(rng, n, classes)
    wanted = oracle.hypothesis_margins(np.sqrt(D), y, normalized)
    for method in ("brute", "tree"):
        found = hypothesis_margin(X, y, normalized=normalized, scale=None, method=method)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize(
    ("distance", "params"), [("manhattan", {}), ("chebyshev", {}), ("minkowski", {"p": 3}), ("cosine", {})]
)
def test_margin_under_other_distances(distance, params, normalized, rng):
    X, y, _ = no_ties(rng, 30, "abc")
    D = near.distances(distance, X, X, **params)
    found = hypothesis_margin(X, y, normalized=normalized, distance=distance, distance_params=params, scale=None)
    np.testing.assert_allclose(found, oracle.hypothesis_margins(D, y, normalized), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("normalized", [False, True])
def test_only_member_of_a_class_has_no_margin(normalized, rng):
    X, y, D = no_ties(rng, 15)
    y[2] = "alone"
    found = hypothesis_margin(X, y, normalized=normalized, scale=None)
    assert np.isnan(found[2])
    assert np.isnan(found).sum() == 1
    np.testing.assert_allclose(found, oracle.hypothesis_margins(np.sqrt(D), y, normalized), rtol=1e-12)


def test_every_class_with_one_member():
    assert np.isnan(hypothesis_margin(np.eye(3), ["a", "b", "c"])).all()


def test_equal_rows_of_two_classes_have_margin_zero():
    X, y = np.zeros((4, 2)), list("aabb")
    for normalized in (False, True):
        assert hypothesis_margin(X, y, normalized=normalized).tolist() == [0.0] * 4


def test_normalized_margin_is_bounded_and_free_of_scale(rng):
    X, y, _ = no_ties(rng, 60)
    plain = hypothesis_margin(X, y, normalized=True, scale=None)
    assert (np.abs(plain) <= 0.5).all()
    np.testing.assert_allclose(hypothesis_margin(X * 1e4, y, normalized=True, scale=None), plain, rtol=1e-9)
    np.testing.assert_allclose(
        hypothesis_margin(X * 1e4, y, scale=None), hypothesis_margin(X, y, scale=None) * 1e4, rtol=1e-9
    )


def test_margin_grows_with_the_gap_where_the_index_is_saturated():
    y = list("aabb")
    margins = [hypothesis_margin([[0.0], [1.0], [gap], [gap + 1]], y, scale=None).mean() for gap in (5, 10, 50)]
    assert margins == sorted(margins)
    assert margins[0] < margins[-1]


@pytest.mark.parametrize("distance", ["heom", "nan_euclidean"])
def test_margin_with_missing_cells(distance, rng):
    """Equal rows with missing cells were taken for copies at distance 0, where HEOM counts 1 for each such cell."""
    X, y, _ = no_ties(rng, 30)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[0] = X[1] = [0.5, np.nan, np.nan]  # two equal rows with missing cells
    y[0] = y[1] = "a"
    known = {"nominal_mask": [False] * 3} if distance == "heom" else {}
    D = near.distances(distance, X, X, **known)
    found = hypothesis_margin(X, y, distance=distance, scale=None)
    np.testing.assert_allclose(found, oracle.hypothesis_margins(D, y), rtol=1e-12)


def test_margin_of_a_mixed_table():
    rows = [[0.0, "red"], [0.2, "red"], [1.0, "blue"], [0.9, "blue"]]
    values = np.array([[0.0, 1], [0.2, 1], [1.0, 0], [0.9, 0]])
    D = near.distances("heom", values, values, nominal_mask=[False, True])
    found = hypothesis_margin(as_table(rows, list("aabb")), distance="auto")
    np.testing.assert_allclose(found, oracle.hypothesis_margins(D, list("aabb")), rtol=1e-12)


def test_drop_and_refusals(rng):
    X, y, _ = no_ties(rng, 20)
    X[4, 0] = np.nan
    rest = [j for j in range(20) if j != 4]
    np.testing.assert_array_equal(
        hypothesis_margin(X, y, missing="drop"), hypothesis_margin(X[rest], [y[j] for j in rest])
    )
    with pytest.raises(DataError, match="missing"):
        hypothesis_margin(X, y, distance="euclidean")
    with pytest.raises(DataError, match="two classes"):
        hypothesis_margin(np.eye(3), [0, 0, 0])
