"""scikit-learn's checks of an estimator, as parameters of a test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from sepal.exceptions import SepalError

# Array API inputs need a switch in the environment; without it the check only skips itself.
# Named columns may come in any order: tests/estimators/test_contract.py has the rest of that check.
LEFT_OUT = {"check_array_api_input", "check_dataframe_column_names_consistency"}
# Gives rows of four numbers to every estimator, also to one that takes kernel matrices and must refuse them.
NOT_SQUARE = {"check_decision_proba_consistency"}


# A dozen fits on rows of noise, one for each kind of sparse matrix: dear where each compares many values of C.
SPARSE = {"check_estimator_sparse_matrix", "check_estimator_sparse_array"}


def contract(estimators: list[Any]) -> list[Any]:
    return [
        pytest.param(each, check, id=f"{estimator}-{name}-{k}")
        for estimator in estimators
        for k, (each, check, name) in enumerate(_checks(estimator))
        if not (name in SPARSE and getattr(estimator, "C", None) == "auto")
    ]


def failed_checks(estimator: Any) -> set[str]:
    """The names of the checks that an estimator does not pass, each of them tried."""
    failed = set()
    for each, check, name in _checks(estimator):
        try:
            check(each)
        except (AssertionError, SepalError):
            failed.add(name)
    return failed


def _checks(estimator: Any) -> Iterator[tuple[Any, Any, str]]:
    pairwise = estimator.__sklearn_tags__().input_tags.pairwise
    for each, check in estimator_checks_generator(estimator):
        name = getattr(check, "func", check).__name__
        if name not in LEFT_OUT and not (name in NOT_SQUARE and pairwise):
            yield each, check, name
