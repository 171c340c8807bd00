"""scikit-learn's checks of an estimator, as parameters of a test."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

# Array API inputs need a switch in the environment; without it the check only skips itself.
LEFT_OUT = {"check_array_api_input"}


def contract(estimators: list[Any]) -> list[Any]:
    parameters = []
    for estimator in estimators:
        for each, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            if name not in LEFT_OUT:
                parameters.append(pytest.param(each, check, id=f"{estimator}-{name}-{len(parameters)}"))
    return parameters
