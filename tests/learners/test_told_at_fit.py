"""What is wrong is told when a learner is fitted, and prototypes work in scikit-learn's pipelines."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sepal.datasets
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier, KNNRegressor
from sepal.prototypes import PrototypeSelector, fcnn


@pytest.mark.parametrize("learner", [KNNClassifier, KNNRegressor])
def test_wrong_weights(learner):
    """They were told at the first question, where k was given."""
    X, y = np.arange(10.0)[:, None], np.arange(10) % 2
    with pytest.raises(ParameterError, match="weights must be a function or one of") as error:
        learner(3, weights="uniforme").fit(X, y)
    assert "uniform" in error.value.hint
    with pytest.raises(ParameterError, match="width is for weights"):
        learner(3, weights="uniform", width=1.0).fit(X, y)


def test_a_continuous_target():
    X = np.arange(40.0)[:, None]
    with pytest.raises(DataError, match="continuous") as error:
        KNNClassifier(3).fit(X, X.ravel() + 0.5)
    assert "KNNRegressor" in error.value.hint


def test_prototypes_in_a_pipeline_of_scikit_learn():
    """As its docstring says: the learner keeps them, and scales and selects inside every fold."""
    table = sepal.datasets.load("ripley-train")
    model = make_pipeline(StandardScaler(), KNNClassifier(1, prototypes="fcnn", scale=None))
    scores = cross_val_score(model, table.values, table.y, cv=5)
    assert scores.mean() > 0.75
    model.fit(table.values, table.y)
    scaled = StandardScaler().fit_transform(table.values)
    np.testing.assert_array_equal(model[-1].rows_, fcnn(scaled, table.y, scale=None).rows)
    assert len(model[-1].rows_) < 100
    assert "KNNClassifier(prototypes=" in PrototypeSelector.__doc__
