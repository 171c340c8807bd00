"""scikit-learn's own tests of nearest neighbours, run on Sepal's learners.

The tests come from the installed scikit-learn; ours are the adapter and the list of what is left out, with reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sklearn

from tests.peers.foreign_tests import functions_of, load_tests, with_cases
from tests.peers.neighbors_adapter import DISTANCE_OF, MADE, NAMES

_RADIUS = "about scikit-learn's radius learners; Sepal searches by radius, and its learners count neighbours"
_INSIDE = "about functions inside scikit-learn"
_ALGORITHM = "about the parameter algorithm; Sepal plans its search itself"

NOT_APPLICABLE = {
    "test_is_sorted_by_data": _INSIDE,
    "test_sort_graph_by_row_values": _INSIDE,
    "test_sort_graph_by_row_values_copy": _INSIDE,
    "test_sort_graph_by_row_values_warning": _INSIDE,
    "test_sort_graph_by_row_values_bad_sparse_format": _INSIDE,
    "test_valid_metrics_has_no_duplicate": _INSIDE,
    "test_metric_params_interface": "about a SyntaxWarning for p in metric_params",
    "test_unsupervised_inputs": "fits on trees and fitted estimators instead of rows",
    "test_auto_algorithm": _ALGORITHM,
    "test_neighbors_minkowski_semimetric_algo_warn": _ALGORITHM,
    "test_neighbors_minkowski_semimetric_algo_error": _ALGORITHM,
    "test_neighbors_metrics": _ALGORITHM + "; half of it asks that trees refuse metrics",
    "test_pairwise_boolean_distance": "asks for Jaccard of numbers that are turned into true without a word",
    "test_radius_neighbors_classifier": _RADIUS,
    "test_radius_neighbors_classifier_when_no_neighbors": _RADIUS,
    "test_radius_neighbors_classifier_outlier_labeling": _RADIUS,
    "test_radius_neighbors_classifier_zero_distance": _RADIUS,
    "test_RadiusNeighborsClassifier_multioutput": _RADIUS,
    "test_radius_neighbors_regressor": _RADIUS,
    "test_RadiusNeighborsRegressor_multioutput_with_uniform_weight": _RADIUS,
    "test_RadiusNeighborsRegressor_multioutput": _RADIUS,
    "test_same_radius_neighbors_parallel": _RADIUS,
    "test_radius_neighbors_predict_proba": _RADIUS,
}
DIFFERENT = {
    "test_KNeighborsClassifier_raise_on_all_zero_weights": "neighbours of no weight vote evenly instead of failing",
    "test_k_and_radius_neighbors_duplicates": "of three equal rows the lowest other one is taken, not the next",
    "test_nearest_neighbours_works_with_p_less_than_1": "powers below 1 are refused: they are no distances",
    "test_neighbors_validate_parameters": "one class is refused, as is the haversine of three columns by fit",
    "test_precomputed_sparse_invalid": "a graph that leaves out the rows themselves still has all of their neighbours",
    "test_radius_neighbors_sort_results": "sorted rows are given without their distances where asked for",
    "test_valid_brute_metric_for_auto_algorithm": "asks for the Manhattan distance of sparse rows, which we have not",
}
# The same distances are tried by the search for k neighbours.
SLOW = {"test_radius_neighbors_brute_backend": {"minkowski", "cosine", "haversine", "hamming", "braycurtis"}}

MODULE = load_tests("sklearn.neighbors.tests.test_neighbors", "sklearn.neighbors", NAMES)
ALL = functions_of(MODULE)


def wanted(name: str) -> Callable[[Any], bool]:
    """Whether a case of this test is about Sepal: one of the adapted learners, or a distance that it has."""
    valid = MODULE.neighbors.VALID_METRICS
    unknown = {*valid["brute"], *valid["ball_tree"], "DM_euclidean"} - set(DISTANCE_OF) | SLOW.get(name, set())

    def is_wanted(value: Any) -> bool:
        kind = value if isinstance(value, type) else type(value)
        return not (kind.__module__.startswith("sklearn.neighbors") or (isinstance(value, str) and value in unknown))

    return is_wanted


RUN = {name: function for name, function in ALL.items() if name not in NOT_APPLICABLE and name not in DIFFERENT}
globals().update({name: with_cases(function, wanted(name)) for name, function in RUN.items()})
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def ours_is_asked(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every one of their tests makes one of our learners or graphs."""
    MADE.clear()
    yield
    if request.function.__name__ in RUN:
        assert MADE, f"{request.function.__name__} is not about Sepal"


def test_how_many_there_are_and_which_are_left_out():
    """Another release of the package may have other tests: then these counts are looked at anew."""
    assert not set(NOT_APPLICABLE) & set(DIFFERENT)
    if sklearn.__version__.startswith("1.7."):
        assert (len(RUN), len(set(DIFFERENT) & set(ALL))) == (46, 7)
    else:
        assert set(NOT_APPLICABLE) | set(DIFFERENT) <= set(ALL)
        assert (len(RUN), len(DIFFERENT)) == (48, 7)
