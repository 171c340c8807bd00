"""200 rows of 5,000 columns, two of which are the truth: found, offered, and no shape told of the rest."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.auto import SepalClassifier
from sepal.report import separability
from sepal.report._model import SHAPES
from sepal.selection import select_facts


@pytest.fixture(scope="module")
def wide():
    X = np.random.default_rng(0).normal(size=(200, 5000))
    return X, np.where(X[:, 17] + X[:, 4000] > 0, "a", "b")


def test_select_finds_the_two_columns(wide):
    found = select_facts(*wide, strategy="forward", n_features=2, cv=3)
    assert set(found.best.features) == {"x18", "x4001"}
    assert found.nested.honest > 0.9
    assert found.nested.all_features < 0.65


def test_the_classifier_offers_them_and_tells_no_shape(wide):
    """It reached 63.5 % and called the boundary curved."""
    model = SepalClassifier().fit(*wide)
    assert model.leave_one_out_score_ < 0.7
    told = model.explain()
    (found,) = (each for each in told.findings if each.code == "few_columns_win")
    assert {"x18", "x4001"} <= set(found.facts["columns"])
    assert found.facts["score"] > model.leave_one_out_score_ + 0.1
    assert set(told.codes) & set(SHAPES) == {"few_columns_win"}


def test_no_shape_is_told_of_a_model_at_chance(rng):
    """Of few columns, too, the report says nothing about a boundary that no model has found."""
    X, y = rng.normal(size=(80, 12)), np.array(["a", "b"] * 40)
    report = separability(X, y)
    assert report.model.interval[0] < 0.5 < report.model.interval[1]
    assert report.model.shape.code == "no_better_than_majority"
    told = " ".join(each.text for each in (*report.verdict, *report.next_steps))
    for word in ("curved", "straight", "linear"):
        assert word not in told.lower()
