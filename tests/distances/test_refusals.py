"""What a distance cannot take is refused in words that name it."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.data import as_table
from sepal.distances import DISTANCES, fit_distance
from sepal.exceptions import DataError, ParameterError

TABLE = as_table([[1.0, 2.0], [3.0, 5.0], [4.0, 1.0]], names=["length", "width"])
ONLY_NUMBERS = sorted(name for name, entry in DISTANCES.items() if "nominal" not in entry.kinds)
NO_MISSING = sorted(name for name, entry in DISTANCES.items() if not entry.allows_missing)


def params_of(name: str) -> dict[str, object]:
    return {"weights": [1.0, 1.0]} if name == "weighted_euclidean" else {}


@pytest.mark.parametrize("name", ONLY_NUMBERS)
def test_nominal_column_is_named_and_a_way_out_is_given(name):
    table = as_table([[1.0, "red"], [2.0, "blue"]], names=["size", "colour"])
    with pytest.raises(DataError, match="colour") as caught:
        fit_distance(table, name, params=params_of(name))
    assert "nominal" in str(caught.value)
    assert "heom" in (caught.value.hint or "")


@pytest.mark.parametrize("name", NO_MISSING)
def test_missing_cell_is_located_and_a_way_out_is_given(name):
    table = as_table([[1.0, 2.0], [3.0, np.nan], [5.0, 1.0]], names=["length", "width"])
    with pytest.raises(DataError, match="missing") as caught:
        fit_distance(table, name, params=params_of(name)).embed(table)
    assert 'missing="drop"' in (caught.value.hint or "")
    if name != "mahalanobis":  # its covariance is refused before any cell is looked at
        assert "width" in str(caught.value)
        assert "row 1" in str(caught.value)


@pytest.mark.parametrize("name", NO_MISSING)
def test_missing_cell_in_queries_is_refused_too(name):
    fitted = fit_distance(TABLE, name, params=params_of(name))
    with pytest.raises(DataError, match="missing"):
        fitted.embed(as_table([[np.nan, 1.0]], names=["length", "width"]))


@pytest.mark.parametrize(
    ("wrong", "meant"), [("euclidian", "euclidean"), ("manhatan", "manhattan"), ("mahalanobi", "mahalanobis")]
)
def test_unknown_name_lists_the_known_and_guesses_the_meant_one(wrong, meant):
    with pytest.raises(ParameterError, match=wrong) as caught:
        fit_distance(TABLE, wrong)
    assert meant in (caught.value.hint or "")
    for name in (*DISTANCES, "auto"):
        assert name in str(caught.value)


@pytest.mark.parametrize("wrong", [None, 3, max, "", "EUCLIDEAN_OF_ALL_THINGS"])
def test_what_is_no_name_at_all_is_refused(wrong):
    with pytest.raises(ParameterError, match="distance must be one of"):
        fit_distance(TABLE, wrong)


@pytest.mark.parametrize(
    ("name", "params", "said"),
    [
        ("euclidean", {"p": 3}, r"distance_params\['p'\].*euclidean"),
        ("mahalanobis", {"p": 3}, r"distance_params\['p'\].*mahalanobis"),
        ("weighted_euclidean", {}, r"needs distance_params\['weights'\]"),
        ("weighted_euclidean", {"weights": [1.0]}, r"'weights'\].*2 in all.*\(1,\)"),
        ("weighted_euclidean", {"weights": [[1.0, 1.0]]}, r"'weights'\].*\(1, 2\)"),
        ("weighted_euclidean", {"weights": [1.0, -1.0]}, r"'weights'\].*negative"),
        ("weighted_euclidean", {"weights": [1.0, np.nan]}, r"'weights'\].*finite"),
        ("weighted_euclidean", {"weights": [1.0, np.inf]}, r"'weights'\].*finite"),
        ("weighted_euclidean", {"weights": [0.0, 0.0]}, r"'weights'\].*zero"),
        ("weighted_euclidean", {"weights": ["heavy", "light"]}, r"'weights'\]"),
        ("minkowski", {"p": 0.5}, r"'p'\].*at least 1.*0\.5"),
        ("minkowski", {"p": np.nan}, r"'p'\].*nan"),
        ("minkowski", {"p": -np.inf}, r"'p'\].*-inf"),
        ("minkowski", {"p": "2"}, r"'p'\].*'2'"),
        ("minkowski", {"p": True}, r"'p'\].*True"),
        ("mahalanobis", {"covariance": np.eye(3)}, r"'covariance'\].*2 x 2.*\(3, 3\)"),
        ("mahalanobis", {"covariance": [[1.0, 2.0], [0.0, 1.0]]}, r"'covariance'\].*symmetric"),
        ("mahalanobis", {"covariance": [[1.0, 0.0], [0.0, np.nan]]}, r"'covariance'\].*(finite|nan)"),
        ("mahalanobis", {"covariance": [[1.0, 0.0], [0.0, -1.0]]}, r"'covariance'\].*(negative|definite)"),
        ("mahalanobis", {"covariance": -np.eye(2)}, r"'covariance'\].*(negative|definite)"),
    ],
)
def test_wrong_parameters_are_named(name, params, said):
    with pytest.raises(ParameterError, match=said):
        fit_distance(TABLE, name, params=params)


def test_parameters_must_be_a_mapping():
    with pytest.raises(ParameterError, match="distance_params"):
        fit_distance(TABLE, "weighted_euclidean", params=[1.0, 2.0])


def test_unknown_scale_is_refused():
    with pytest.raises(ParameterError, match="scale"):
        fit_distance(TABLE, scale="robust")


def test_mahalanobis_of_constant_columns_has_nothing_to_go_by():
    with pytest.raises(DataError, match="constant"):
        fit_distance(as_table([[1.0, 2.0], [1.0, 2.0]]), "mahalanobis")


def test_mahalanobis_of_a_single_row_needs_a_given_covariance():
    one = as_table([[1.0, 2.0]])
    with pytest.raises(DataError, match="two rows"):
        fit_distance(one, "mahalanobis")
    fitted = fit_distance(one, "mahalanobis", params={"covariance": np.diag([4.0, 9.0])})
    gap = fitted.embed(one) - fitted.embed(as_table([[0.0, 0.0]]))
    np.testing.assert_allclose(np.sort(np.abs(gap)[0]), [0.5, 2.0 / 3.0])


def test_rows_of_another_width_are_refused():
    with pytest.raises(DataError, match=r"2 columns.*have 3"):
        fit_distance(TABLE).embed(as_table([[1.0, 2.0, 3.0]]))


def test_rows_of_another_kind_are_refused():
    """The kinds of new columns were not compared with those the distance was fitted to."""
    with pytest.raises(DataError, match="width"):
        fit_distance(TABLE).embed(as_table([[1.0, "broad"]], names=["length", "width"]))
    mixed = as_table([[1.0, "broad"], [2.0, "slim"]], names=["length", "width"])
    with pytest.raises(DataError, match="width"):
        fit_distance(mixed, "heom").embed(TABLE)
