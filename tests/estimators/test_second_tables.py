"""Functions that compare rows with the rows of a second table follow the rule of the estimators: columns by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sepal
from sepal.data import as_table
from sepal.distances import fit_distance
from sepal.evaluation import evaluate, leave_one_out_curve
from sepal.exceptions import SepalError
from sepal.kernels import fit_kernel, gram
from sepal.machines import hyperparameter_surface
from sepal.neighbors import neighbor_ranking, radius_ranking

LABELS = ["no", "yes"] * 12


@pytest.fixture
def frame(rng) -> pd.DataFrame:
    """Columns of very different size, so that two that change places show in every answer."""
    return pd.DataFrame(rng.normal(size=(24, 3)) * [1.0, 10.0, 100.0], columns=["c", "a", "b"])


def _rows(frame, new):
    return neighbor_ranking(frame, 3, queries=new).rows


def _within(frame, new):
    return radius_ranking(frame, 20.0, queries=new).flat_rows


def _kernel_values(frame, new):
    return gram(frame, new, gamma=0.001)


def _coordinates(frame, new):
    return fit_kernel(frame, "linear").coordinates(new)


def _embedded(frame, new):
    return fit_distance(as_table(frame), scale="standard").embed(as_table(new))


def _evaluated(frame, new):
    return evaluate(sepal.KNNClassifier(1, scale=None), frame, LABELS, test=(new, LABELS[::-1])).predicted


def _curve(frame, new):
    return leave_one_out_curve(frame, LABELS, test=(new, LABELS[::-1]), k_max=5, scale=None).score


def _surface(frame, new):
    machine = sepal.SVMClassifier(scale=None)
    return hyperparameter_surface(machine, frame, LABELS, C=[1.0], width=[20.0], test=(new, LABELS[::-1])).error


FUNCTIONS = [_rows, _within, _kernel_values, _coordinates, _embedded, _evaluated, _curve, _surface]
CONTAINERS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "Table": as_table,
    "prepared": lambda frame: sepal.prepare(frame, LABELS),
}


def named(function: Any) -> str:
    return function.__name__


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
def test_columns_go_by_name_in_any_order(function, container, frame):
    """Kernels and distances compared rows across columns where these came in another order, without a word."""
    wanted = function(frame, frame)
    np.testing.assert_array_equal(function(frame, CONTAINERS[container](frame[["b", "c", "a"]])), wanted)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("function", [each for each in FUNCTIONS if each is not _embedded], ids=named)
def test_arrays_go_by_position_whatever_the_names_in_training_are(function, frame):
    """Training columns called x2, x1 made the columns of an array change places, as x1, x2 is what those are called."""
    frame.columns = ["x2", "x1", "x3"]
    np.testing.assert_array_equal(function(frame, frame.to_numpy()), function(frame, frame))


@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
def test_tables_of_arrays_go_by_position(function, frame):
    np.testing.assert_array_equal(function(frame, as_table(frame.to_numpy())), function(frame, frame))


@pytest.mark.parametrize("container", ["pandas", "Table"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
def test_a_column_that_is_missing_unknown_or_renamed_is_named(function, container, frame):
    """With one renamed the columns went by position without a word; the others told of numbers of columns only."""
    given = CONTAINERS[container]
    for new, text in (
        (frame[["c", "b"]], "now missing:\n- a\n"),
        (frame.assign(extra=1.0), "unseen at fit time:\n- extra\n"),
        (frame.rename(columns={"b": "bee"}), "unseen at fit time:\n- bee\n.*now missing:\n- b\n"),
    ):
        with pytest.raises(SepalError, match=text):
            function(frame, given(new))
