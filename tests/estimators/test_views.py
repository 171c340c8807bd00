"""Coordinates of mixed and missing cells, by hand."""

from __future__ import annotations

import numpy as np

from sepal.data import as_table
from sepal.estimators._views import fit_view

TABLE = as_table([[1.0, "a", 5.0], [3.0, "b", 5.0], [None, None, 5.0], [2.0, "a", 5.0]])


def test_minmax_by_hand():
    view = fit_view(TABLE, "minmax")
    h = np.sqrt(0.5)
    # number | its gap | levels a, b, missing; the constant column has no coordinate
    expected = [[0.0, 0, h, 0, 0], [1.0, 0, 0, h, 0], [0.5, h, 0, 0, h], [0.5, 0, h, 0, 0]]
    np.testing.assert_allclose(view.coordinates(TABLE), expected)


def test_standard_by_hand():
    view = fit_view(TABLE, "standard")
    s = np.sqrt(2.0 / 3.0)
    np.testing.assert_allclose(view.coordinates(TABLE)[:, 0], [-1 / s, 1 / s, 0.0, 0.0], atol=1e-15)
    levels = view.coordinates(TABLE)[:, 2:]
    np.testing.assert_allclose(np.linalg.norm(levels[0] - levels[1]), 2.0)


def test_ranks_by_hand():
    column = as_table(np.array([[10.0], [10.0], [1000.0], [20.0]]))
    view = fit_view(column, "rank")
    np.testing.assert_allclose(view.coordinates(column).ravel(), [0.25, 0.25, 0.875, 0.625])
    # between training cells the rank is interpolated, outside it stays at the end
    queries = as_table(np.array([[15.0], [-5.0], [1e9]]))
    np.testing.assert_allclose(view.coordinates(queries).ravel(), [0.4375, 0.25, 0.875])


def test_a_level_that_training_did_not_have_equals_none_that_it_had():
    training = as_table([["a"], ["b"], ["a"]])
    view = fit_view(training, "minmax")
    new = as_table(np.array([[7.0]]))
    np.testing.assert_array_equal(view.coordinates(new), [[0.0, 0.0]])


def test_a_table_without_anything_to_see_has_no_coordinates():
    for how in ("minmax", "standard", "rank"):
        assert fit_view(as_table(np.ones((5, 2))), how).coordinates(as_table(np.ones((5, 2)))).shape == (5, 0)


def test_many_distinct_cells_are_ranked_between_knots():
    column = np.random.RandomState(0).randn(5000, 1)
    view = fit_view(as_table(column), "rank")
    exact = (np.argsort(np.argsort(column.ravel())) + 0.5) / 5000
    np.testing.assert_allclose(view.coordinates(as_table(column)).ravel(), exact, atol=1e-3)
