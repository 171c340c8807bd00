"""The one rule for columns: by name in any order, a missing or unknown one is an error, arrays by position."""

from __future__ import annotations

import numpy as np
import pytest

import sepal.datasets
from sepal.data import as_table
from sepal.estimators import EXPECTED_FAILED_CHECKS
from sepal.exceptions import DataError
from sepal.learners import KNNClassifier
from sepal.machines import (
    FeatureVectorClassifier,
    FisherDiscriminant,
    GeneralizedDiscriminant,
    ParzenClassifier,
    SVMClassifier,
)


@pytest.mark.parametrize(
    "machine",
    [
        ParzenClassifier(),
        FeatureVectorClassifier(9),
        GeneralizedDiscriminant(n_vectors=9),
        SVMClassifier(),
        FisherDiscriminant(),
        KNNClassifier(3),
    ],
    ids=lambda machine: type(machine).__name__,
)
def test_a_table_with_its_columns_in_another_order(machine) -> None:
    """Parzen windows, feature vectors and the generalized discriminant once took them by position without a word."""
    liver = sepal.datasets.load("liver").take(np.arange(0, 345, 5))
    reversed_columns = liver.select(liver.names[::-1])
    model = machine.fit(liver)
    ask = model.predict_proba if hasattr(model, "predict_proba") else model.decision_function
    np.testing.assert_array_equal(ask(reversed_columns), ask(liver))
    np.testing.assert_array_equal(model.predict(reversed_columns.frame()), model.predict(liver))


def test_levels_of_new_rows_mean_what_they_meant_in_training() -> None:
    """Machines took the codes of a new Table for those of the training rows."""
    training = as_table([[0.0, "b"], [0.1, "b"], [0.0, "c"], [0.1, "c"]], list("ttff"))
    model = SVMClassifier(kernel="mixed", width=0.5).fit(training)
    assert model.predict(as_table([[0.05, "c"], [0.05, "c"]])).tolist() == ["f", "f"]
    assert model.predict(as_table([[0.05, "b"], [0.05, "c"]])).tolist() == ["t", "f"]


def test_an_array_has_no_names_whatever_the_names_in_training_are() -> None:
    """Training columns called x2, x1 once made the columns of an array change places."""
    training = as_table([[0.0, 5.0], [1.0, 5.0], [9.0, 0.0], [8.0, 0.0]], list("aabb"), names=["x2", "x1"])
    model = KNNClassifier(1, scale=None).fit(training)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert model.kneighbors(np.array([[0.0, 5.0]]), return_distance=True)[0].item() == 0.0


def test_names_of_which_nobody_knows() -> None:
    X, y = np.array([[0.0, 5.0], [1.0, 5.0], [9.0, 0.0], [8.0, 0.0]]), list("aabb")
    named, nameless = as_table(X, y, names=["a", "b"]), as_table(X, y)
    assert KNNClassifier(1).fit(named).predict(nameless).tolist() == y
    assert KNNClassifier(1).fit(nameless).predict(named).tolist() == y
    assert KNNClassifier(1).fit(nameless).predict(nameless.select(["x2", "x1"])).tolist() == y
    with pytest.raises(DataError, match=r"unseen at fit time:\n- c\n.*yet now missing:\n- x1\n"):
        KNNClassifier(1).fit(nameless).predict(as_table(X, names=["x2", "c"]))


def test_whole_numbers_as_names_of_columns() -> None:
    import pandas as pd

    frame = pd.DataFrame({0: [0.0, 1.0, 9.0, 8.0], 1: [5.0, 5.0, 0.0, 0.0]})
    model = KNNClassifier(1).fit(frame, list("aabb"))
    assert not hasattr(model, "feature_names_in_")
    assert model.predict(frame[[1, 0]]).tolist() == list("aabb")


def test_truth_values_are_numbers_in_every_container() -> None:
    """Booleans of a Table were refused where those of an array counted as 0 and 1."""
    import polars as pl

    X, y = np.array([[True, False], [True, True], [False, False], [False, False]]), [1, 1, 0, 0]
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    containers = (X, frame, as_table(frame), frame.to_pandas(), frame.to_arrow())
    models = [SVMClassifier().fit(rows, y) for rows in containers]
    for model in models:
        np.testing.assert_array_equal(model.dual_coef_, models[0].dual_coef_)


def test_expected_failures_are_of_scikit_learn() -> None:
    from sklearn.utils import estimator_checks

    for name, why in EXPECTED_FAILED_CHECKS.items():
        assert hasattr(estimator_checks, name)
        assert len(why) > 20
