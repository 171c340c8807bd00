"""Canberra, Bray-Curtis, correlation and haversine: hand figures, zeros, constant rows, poles and extremes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier
from sepal.neighbors import neighbor_ranking
from tests.distances.all_pairs import all_pairs
from tests.neighbors.exactly import assert_exactly
from tests.oracles import neighbors as oracle


def test_canberra_by_hand():
    # |1-3|/4 + |0-0| (nothing) + |-2-2|/4
    assert all_pairs([[1.0, 0.0, -2.0]], [[3.0, 0.0, 2.0]], distance="canberra").item() == 1.5


def test_bray_curtis_by_hand():
    # (|6-10| + |7-0| + |4-6|) / (16 + 7 + 10); zeros are equal, opposites share no size
    found = all_pairs([[6.0, 7.0, 4.0], [0.0, 0.0, 0.0]], [[10.0, 0.0, 6.0], [0.0, 0.0, 0.0]], distance="bray_curtis")
    np.testing.assert_allclose(found, [[13 / 33, 1.0], [1.0, 0.0]], rtol=1e-15)
    assert all_pairs([[1.0, -2.0]], [[-1.0, 2.0]], distance="bray_curtis").item() == math.inf


def test_correlation_by_hand():
    # a line and a rising line agree, a falling one is at 2; a constant row is at right angles to everything
    rows = [[1.0, 2.0, 3.0], [10.0, 30.0, 50.0], [0.3, 0.2, 0.1], [0.1, 0.1, 0.1]]
    found = all_pairs(rows, rows, distance="correlation")
    assert found[0, 1] == 0.0
    np.testing.assert_allclose(found[0, 2], 2.0, rtol=1e-14)
    assert found[3].tolist() == [1.0] * 4


def test_haversine_by_hand():
    # a quarter of the equator, pole to pole, and the same place a turn later
    found = all_pairs([[0.0, 0.0], [math.pi / 2, 0.3]], [[0.0, math.pi / 2], [-math.pi / 2, 2.0]], distance="haversine")
    np.testing.assert_allclose(found, [[math.pi / 2, math.pi / 2], [math.pi / 2, math.pi]], rtol=1e-7)
    assert all_pairs([[0.4, 1.0]], [[0.4, 1.0 + 2 * math.pi]], distance="haversine").item() == 0.0


def test_haversine_between_places_a_metre_apart_keeps_its_digits():
    step = 1.5e-7
    found = all_pairs([[0.8, 0.2]], [[0.8 + step, 0.2], [0.8 - step, 0.2]], distance="haversine")
    np.testing.assert_allclose(found, [[step, step]], rtol=1e-8)


@pytest.mark.parametrize("distance", ["canberra", "bray_curtis", "correlation", "haversine"])
def test_rankings_with_ties_copies_and_zeros(distance, rng):
    rows = rng.integers(0, 4, size=(40, 2 if distance == "haversine" else 3)).astype(float)
    rows = rows / 4.0 if distance == "haversine" else rows
    D = oracle.compared_values(distance, rows, rows)
    if distance == "haversine":
        D = np.sin(D / 2.0) ** 2  # the value in which ties are decided
    for k, ties in ((1, "expected"), (5, "index"), (39, "expected")):
        found = neighbor_ranking(rows, k, distance=distance, ties=ties)
        if distance == "haversine":
            assert found.rows.tolist() == [
                [n.row for n in each[:k]] for each in oracle.ranking(D, k, exclude_self=True)
            ]
        else:
            options = {"tolerance": oracle.TIE_TOLERANCE, "squared": False, "rtol": 1e-9, "atol": 1e-14}
            assert_exactly(found, D, k, exclude_self=True, **options)


@pytest.mark.parametrize("distance", ["canberra", "bray_curtis"])
@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_a_factor_common_to_all_cells_changes_nothing(distance, size, rng):
    rows = rng.integers(1, 9, size=(12, 3)).astype(float)
    found = all_pairs(rows * size, rows * size, distance=distance)
    np.testing.assert_allclose(found, oracle.compared_values(distance, rows, rows), rtol=1e-12)


def test_haversine_refuses_what_is_no_place():
    with pytest.raises(DataError, match="only valid in 2 dimensions"):
        neighbor_ranking([[0.1, 0.2, 0.3], [0.2, 0.3, 0.1]], 1, distance="haversine")
    with pytest.raises(DataError, match='row 1, column "x1"') as caught:
        neighbor_ranking([[0.1, 0.2], [51.5, 0.3]], 1, distance="haversine")
    assert "radians" in (caught.value.hint or "")
    with pytest.raises(ParameterError, match="weights"):
        neighbor_ranking([[0.1, 0.2], [0.5, 0.3]], 1, distance="haversine", distance_params={"weights": [1.0, 2.0]})


@pytest.mark.parametrize("distance", ["canberra", "bray_curtis", "correlation", "haversine"])
def test_shares_of_columns_add_up_to_the_distance(distance):
    rng = np.random.default_rng(5)
    rows = rng.uniform(0.1, 1.0, size=(12, 2 if distance == "haversine" else 3))
    model = KNNClassifier(3, distance=distance, scale=None, weights="similarity").fit(rows, list("aabb" * 3))
    why = model.explain(rows[:4] + 0.05)
    np.testing.assert_allclose(why.parts.sum(axis=1), 1.0, rtol=1e-12)
