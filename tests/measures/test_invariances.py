"""What must not change any measure: order of rows and columns, names of classes, containers, threads, method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sepal.data import as_table
from sepal.measures import (
    expected_accuracy,
    expected_accuracy_curve,
    hypothesis_margin,
    thornton_samples,
    thornton_score,
    thornton_test,
)
from tests.measures.labelled_rows import copies, lattice, no_ties, thirds

FAMILIES = pytest.mark.parametrize("family", [no_ties, lattice, copies, thirds], ids=lambda family: family.__name__)


def facts(X: Any, y: Any = None, **call: Any) -> list[float]:
    test = thornton_test(X, y, **call)
    numbers = [test.score, test.chance, test.corrected, test.macro, *test.interval, test.z, test.p_value]
    return [*numbers, test.permutation_std, *sorted(test.per_class.values())]


# Each gives one number or one row of numbers for the whole set.
WHOLE: dict[str, Callable[..., Any]] = {
    "thornton_score": thornton_score,
    "thornton_score-optimistic": lambda *data, **call: thornton_score(*data, ties="optimistic", **call),
    "thornton_score-pessimistic": lambda *data, **call: thornton_score(*data, ties="pessimistic", **call),
    "thornton_test": facts,
    "expected_accuracy": expected_accuracy,
    "expected_accuracy-many": lambda *data, **call: expected_accuracy(*_with(data, [[2, 9, 20]]), **call),
    "expected_accuracy-3": lambda *data, **call: expected_accuracy(*data, n_neighbors=3, **call),
    "expected_accuracy-stratified": lambda *data, **call: expected_accuracy(*data, stratified=True, **call),
    "expected_accuracy-bootstrap": lambda *data, **call: expected_accuracy(*_with(data, ["bootstrap"]), **call),
}
# Each gives one number per row.
PER_ROW: dict[str, Callable[..., Any]] = {
    "thornton_samples": thornton_samples,
    "thornton_samples-optimistic": lambda *data, **call: thornton_samples(*data, ties="optimistic", **call),
    "hypothesis_margin": hypothesis_margin,
    "hypothesis_margin-normalized": lambda *data, **call: hypothesis_margin(*data, normalized=True, **call),
}
EVERY = WHOLE | PER_ROW
measures = pytest.mark.parametrize("name", EVERY)


def _with(data: tuple[Any, ...], more: list[Any]) -> tuple[Any, ...]:
    X, *y = data
    return (X, y[0] if y else None, *more)


def alike(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(wanted, float), rtol=1e-10, atol=1e-12)


@measures
@FAMILIES
def test_rows_in_another_order(family, name, rng):
    X, y, _ = family(rng, 36)
    order = rng.permutation(36)
    wanted, found = EVERY[name](X, y), EVERY[name](X[order], [y[j] for j in order])
    alike(found, np.asarray(wanted)[order] if name in PER_ROW else wanted)


@measures
@FAMILIES
def test_columns_in_another_order(family, name, rng):
    X, y, _ = family(rng, 36)
    alike(EVERY[name](X[:, ::-1], y), EVERY[name](X, y))


@measures
@FAMILIES
def test_classes_under_other_names(family, name, rng):
    X, y, _ = family(rng, 36)
    wanted = EVERY[name](X, y)
    for names in ({"a": 1, "b": 0}, {"a": "z", "b": "k"}, {"a": True, "b": False}, {"a": -3.0, "b": 10.0}):
        alike(EVERY[name](X, [names[label] for label in y]), wanted)


@pytest.mark.parametrize("name", [name for name in EVERY if name != "expected_accuracy-3"])
def test_three_classes_under_other_names_and_in_another_order(name, rng):
    X, y, _ = lattice(rng, 36, "abc")
    wanted = EVERY[name](X, y)
    order = rng.permutation(36)
    found = EVERY[name](X[order], [{"a": 2, "b": 0, "c": 1}[y[j]] for j in order])
    alike(found, np.asarray(wanted)[order] if name in PER_ROW else wanted)


@measures
def test_every_container(name, rng):
    X, y, _ = lattice(rng, 36)
    wanted = EVERY[name](X, y)
    frame = pd.DataFrame(X, columns=["u", "v"])
    for rows in (
        np.asfortranarray(X),
        X.astype(np.float32),
        X.astype(int),
        X.tolist(),
        frame,
        pl.DataFrame(frame.to_dict("list")),
        pa.Table.from_pandas(frame),
        as_table(X),
    ):
        np.testing.assert_array_equal(EVERY[name](rows, y), wanted)
    for labels in (
        np.array(y),
        np.array(y, dtype=object),
        tuple(y),
        pd.Series(y),
        pd.Series(y, dtype="category"),
        pl.Series(y),
        pa.chunked_array([y]),
    ):
        np.testing.assert_array_equal(EVERY[name](X, labels), wanted)
    np.testing.assert_array_equal(EVERY[name](as_table(X, y)), wanted)


@measures
@FAMILIES
def test_threads_and_method(family, name, rng):
    X, y, _ = family(rng, 36)
    wanted = EVERY[name](X, y)
    for call in ({"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": 3}, {"method": "brute"}, {"method": "tree"}):
        np.testing.assert_array_equal(EVERY[name](X, y, **call), wanted)


@measures
def test_inputs_are_never_changed(name, rng):
    X, y, _ = copies(rng, 36)
    labels = np.array(y)
    before = X.copy(), labels.copy()
    EVERY[name](X, labels)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(labels, before[1])


@measures
def test_missing_drop_is_dropping_by_hand(name, rng):
    X, y, _ = no_ties(rng, 50)
    X[rng.random(X.shape) < 0.1] = np.nan
    complete = np.flatnonzero(~np.isnan(X).any(axis=1))
    wanted = EVERY[name](X[complete], [y[j] for j in complete])
    np.testing.assert_array_equal(EVERY[name](X, y, missing="drop"), wanted)


def test_curve_in_any_order_and_container(rng):
    X, y, _ = lattice(rng, 36)
    wanted = expected_accuracy_curve(X, y, [9, 18])
    order = rng.permutation(36)
    for curve in (
        expected_accuracy_curve(X[order], [y[j] for j in order], [9, 18]),
        expected_accuracy_curve(X[:, ::-1], [{"a": 1, "b": 0}[label] for label in y], [9, 18]),
        expected_accuracy_curve(as_table(X, y), train_sizes=[0.25, 0.5]),
        expected_accuracy_curve(pl.DataFrame(X.tolist(), orient="row"), y, [9, 18], n_jobs=1, method="brute"),
    ):
        alike(curve.accuracy, wanted.accuracy)
        np.testing.assert_allclose(curve.split_std, wanted.split_std, rtol=0.25)


@pytest.mark.parametrize("stratified", [False, True])
def test_deviation_of_one_split_does_not_depend_on_row_order(stratified, rng):
    """Splits were drawn by where rows stood."""
    X, y, _ = no_ties(rng, 40)
    order = rng.permutation(40)
    call = {"stratified": stratified, "return_std": True, "scale": None}
    alike(expected_accuracy(X[order], [y[j] for j in order], **call), expected_accuracy(X, y, **call))


def test_large_sets_take_the_same_road_in_pieces(rng, monkeypatch):
    # Rows are asked in pieces when the lists would fill the memory; small pieces must add up to the same.
    from sepal.measures import _split_accuracy, _stratified

    for family in (lattice, copies):
        X, y, _ = family(rng, 40)
        wanted = [EVERY[name](X, y) for name in EVERY if "expected" in name]
        with monkeypatch.context() as patch:
            patch.setattr(_split_accuracy, "_CHUNK_ENTRIES", 400)
            patch.setattr(_stratified, "_CHUNK_CELLS", 400)
            for name, value in zip([name for name in EVERY if "expected" in name], wanted, strict=True):
                alike(EVERY[name](X, y), value)
