"""Every estimator reads a prepared table as its rows, and says in one sentence that it takes no sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_regressor

import sepal
from sepal.data import as_table
from sepal.exceptions import DataError
from tests.estimators.every_estimator import EVERY, METHODS, frame_and_target, name_of

CLASSES = [each for each in EVERY if not is_regressor(each)]
TAKE_SETS = {"KNNClassifier", "KNNRegressor", "PrototypeSelector"}
SETS = [{"a", "b"}, {"b"}, {"a"}, {"c", "b"}, {"a", "c"}, {"c"}] * 4


def cells(answer: Any) -> Any:
    return answer.values if isinstance(answer, sepal.Table) else np.asarray(answer)


@pytest.mark.parametrize("estimator", CLASSES, ids=name_of)
def test_a_prepared_table_is_read_as_its_rows(estimator: Any) -> None:
    """``KNNClassifier().fit(prepared)`` said that it needs y."""
    frame, y = frame_and_target(estimator)
    table = as_table(frame, y)
    ready = sepal.prepare(table)
    wanted, found = clone(estimator).fit(table), clone(estimator).fit(ready)
    assert found.feature_names_in_.tolist() == ["c", "a", "b"]
    for method in (name for name in METHODS if hasattr(wanted, name)):
        np.testing.assert_array_equal(cells(getattr(found, method)(ready)), cells(getattr(wanted, method)(table)))


@pytest.mark.parametrize("estimator", [each for each in EVERY if name_of(each) not in TAKE_SETS], ids=name_of)
def test_sets_are_refused_in_one_sentence(estimator: Any) -> None:
    """There were several errors, of numpy's and scikit-learn's wording among them."""
    frame, y = frame_and_target(estimator)
    text = f"X holds sets, and {name_of(estimator)} needs rows with columns"
    with pytest.raises(DataError, match=text):
        clone(estimator).fit(SETS, y)
    model = clone(estimator).fit(frame.to_numpy(), y)
    for method in (name for name in METHODS if hasattr(model, name)):
        with pytest.raises(DataError, match=text):
            getattr(model, method)(SETS)


KNN = [each for each in EVERY if name_of(each) in ("KNNClassifier", "KNNRegressor")]


@pytest.mark.parametrize("estimator", KNN, ids=name_of)
@pytest.mark.parametrize("container", [list, tuple, lambda sets: np.array(sets, dtype=object)])
def test_sets_are_answered_as_the_columns_of_0_and_1_that_they_are(estimator: Any, container: Any) -> None:
    """In fit, predict, score and partial_fit alike; Tanimoto's distance is what "auto" is for both."""
    y = frame_and_target(estimator)[1]
    ones = np.array([[float(each in row) for each in "abc"] for row in SETS])
    sets = container(SETS)
    model = clone(estimator).set_params(n_neighbors=3).fit(sets, y)
    wanted = clone(estimator).set_params(n_neighbors=3, distance="tanimoto", scale=None).fit(ones, y)
    np.testing.assert_array_equal(model.predict(sets), wanted.predict(ones))
    assert model.score(sets, y) == wanted.score(ones, y)
    model.partial_fit(sets, y)
    wanted.partial_fit(ones, y)
    np.testing.assert_array_equal(model.predict(sets), wanted.predict(ones))


def test_prototypes_of_sets_are_those_of_the_columns_of_0_and_1_that_they_are() -> None:
    (selector,) = (each for each in EVERY if name_of(each) == "PrototypeSelector")
    y = frame_and_target(selector)[1]
    ones = np.array([[float(each in row) for each in "abc"] for row in SETS])
    kept = clone(selector).fit(SETS, y).sample_indices_
    wanted = clone(selector).set_params(distance="tanimoto", scale=None).fit(ones, y).sample_indices_
    np.testing.assert_array_equal(kept, wanted)
