"""Values near the ends of the floats: the same answer as in other units, or an error that says what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import sepal
from sepal.evaluation import reliability
from sepal.exceptions import DataError, ParameterError
from sepal.machines import FisherDiscriminant
from sepal.measures import (
    align_feature_weights,
    angle_of_separability,
    complexity,
    expected_accuracy_curve,
    thornton_test,
)
from tests.drawn import normal

X = normal(0, 40, 3) + 2 * (np.arange(40) >= 20)[:, None]
Y = np.repeat(["a", "b"], 20)
LARGEST = np.finfo(np.float64).max


@pytest.mark.parametrize("power", [-1030, -600, 532, 1000])
def test_complexity_does_not_depend_on_the_unit(power):
    """Measures changed with the unit where squares overflow or vanish, N4 and L3 among them."""
    found, usual = complexity(np.ldexp(X, power), Y).values, complexity(X, Y).values
    assert [name for name in usual if found[name] != pytest.approx(usual[name], nan_ok=True)] == []


def test_a_report_on_values_of_any_size():
    """A report on values of 1e160 was not that of the same rows in another unit."""
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    far = ((scaled[:, None] - scaled) ** 2).sum(axis=2) + np.diag([np.inf] * 40)
    index = f"{np.mean(Y[far.argmin(axis=1)] == Y):.1%}"
    assert index in repr(sepal.separability(X, Y))
    assert index in repr(sepal.separability(X * 1e160, Y))


@pytest.mark.parametrize("cell", [LARGEST, -LARGEST])
@pytest.mark.parametrize("ask", [angle_of_separability, lambda X, y: FisherDiscriminant().fit(X, y)])
def test_one_cell_beyond_all_others_is_named(ask, cell):
    rows = X.copy()
    rows[3, 1] = cell
    with pytest.raises(DataError, match="the spread of column 2 is more than 1e\\+140 times that of column"):
        ask(rows, Y)


def test_a_negative_seed_is_refused():
    """A negative seed ended in an error of numpy's."""
    for ask in (align_feature_weights, complexity, expected_accuracy_curve, thornton_test):
        with pytest.raises(ParameterError, match=r"random_state must be None, an integer of at least 0.*; got -1"):
            ask(X, Y, random_state=-1)


def test_a_column_of_text_is_named():
    for rows in (X.astype(str), [["a", 1.0]] * 40):
        with pytest.raises(DataError, match='column "x1" is nominal; this machine needs numbers'):
            FisherDiscriminant().fit(rows if isinstance(rows, list) else np.char.add("v", rows), Y)


@pytest.mark.parametrize("wrong", [(["a"], [0]), ([[0.5, 0.5]], ["a"]), ([[0.5, 0.5]], [2]), ([["x", "y"]], [0])])
def test_reliability_of_what_is_no_number(wrong):
    with pytest.raises(DataError, match=r"probabilities|codes"):
        reliability(*wrong)
