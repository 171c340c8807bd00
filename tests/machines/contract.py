"""scikit-learn's checks of an estimator, as parameters of a test."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

# Array API inputs need a switch in the environment; without it the check only skips itself.
LEFT_OUT = {"check_array_api_input"}
# Gives rows of four numbers to every estimator, also to one that takes kernel matrices and must refuse them.
NOT_SQUARE = {"check_decision_proba_consistency"}


def contract(estimators: list[Any]) -> list[Any]:
    parameters = []
    for estimator in estimators:
        for each, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            if name not in LEFT_OUT and not (name in NOT_SQUARE and estimator.__sklearn_tags__().input_tags.pairwise):
                parameters.append(pytest.param(each, check, id=f"{estimator}-{name}-{len(parameters)}"))
    return parameters
