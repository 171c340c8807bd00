"""What is left of scikit-learn's check of column names once their order is free, for every public estimator."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils import estimator_checks

from tests.estimators.every_estimator import EVERY, METHODS, fitted, name_of

ANSWERING = [each for each in EVERY if any(hasattr(each, method) for method in METHODS)]


@pytest.mark.parametrize("estimator", ANSWERING, ids=name_of)
def test_the_left_out_check_fails_at_the_order_of_columns_only(estimator) -> None:
    """All its demands before that one are met; those after it are in the next test."""
    check = estimator_checks.check_dataframe_column_names_consistency
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(AssertionError, match="did not raise"):
            check(name_of(estimator), clone(estimator))


def test_the_one_that_answers_nothing_passes_it() -> None:
    (selector,) = (each for each in EVERY if each not in ANSWERING)
    assert name_of(selector) == "PrototypeSelector"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator_checks.check_dataframe_column_names_consistency("PrototypeSelector", clone(selector))


@pytest.mark.parametrize("estimator", EVERY, ids=name_of)
def test_unknown_and_missing_names(estimator) -> None:
    model, frame = fitted(estimator)
    other = pd.DataFrame(frame.to_numpy(), columns=[f"another_{j}" for j in range(frame.shape[1])])
    for method in METHODS:
        if not hasattr(model, method):
            continue
        ask = getattr(model, method)
        np.testing.assert_array_equal(np.asarray(ask(frame[frame.columns[::-1]])), np.asarray(ask(frame)))
        start = "The feature names should match those that were passed during fit.\n"
        with pytest.raises(ValueError, match=f"{start}Feature names unseen at fit time:\n- another_0\n- another_1\n"):
            ask(other)
        with pytest.raises(ValueError, match=f"{start}Feature names seen at fit time, yet now missing:\n- b\n"):
            ask(frame.drop(columns="b"))
