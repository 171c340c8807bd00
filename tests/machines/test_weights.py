"""A row of weight w is w equal rows, and a class weight is that of each of its rows: machines and scalings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from sepal.machines import (
    FeatureVectorClassifier,
    FeatureVectorRegressor,
    GeneralizedDiscriminant,
    KernelAdatronClassifier,
    ParzenClassifier,
    SVMClassifier,
)
from tests.drawn import drawn

IRIS = load_iris()
WEIGHTS = drawn(0, lambda rng: rng.integers(0, 4, 150))
COPIES = drawn(1, lambda rng: rng.permutation(np.repeat(np.arange(150), WEIGHTS)))
MACHINES = [
    SVMClassifier(probability=True),
    SVMClassifier(kernel="laplacian"),
    KernelAdatronClassifier(probability=True),
    ParzenClassifier(),
    ParzenClassifier("aligned", priors="empirical"),
    FeatureVectorClassifier(),
    FeatureVectorClassifier(width="loo"),
    FeatureVectorClassifier(criterion="local"),
    FeatureVectorClassifier(alpha=0.0),
    FeatureVectorClassifier(model="logistic"),
    FeatureVectorClassifier(class_weight="balanced"),
    GeneralizedDiscriminant(),
    GeneralizedDiscriminant(alpha=0.0),
    GeneralizedDiscriminant(n_vectors=20),
    FeatureVectorRegressor(),
]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def _answers(machine, X) -> np.ndarray:
    for method in ("predict_proba", "decision_function"):
        if hasattr(machine, method):
            return getattr(machine, method)(X)
    return machine.predict(X)


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
@pytest.mark.parametrize("machine", MACHINES)
def test_weights_are_copies_to_the_last_bit_in_any_order(machine, scale: str | None) -> None:
    """`scale="standard"` ignored row weights, and copies or another order of rows changed last digits."""
    machine = clone(machine).set_params(scale=scale)
    weighted = clone(machine).fit(IRIS.data, IRIS.target, sample_weight=WEIGHTS)
    repeated = clone(machine).fit(IRIS.data[COPIES], IRIS.target[COPIES])
    assert np.array_equal(_answers(weighted, IRIS.data), _answers(repeated, IRIS.data))


@pytest.mark.parametrize(
    "machine",
    [
        SVMClassifier(tol=1e-8, kernel="mixed", gamma=1.0),
        FeatureVectorClassifier(kernel="mixed"),
        GeneralizedDiscriminant(kernel="mixed"),
    ],
)
@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_weights_are_copies_where_cells_are_missing(rng, machine, scale: str) -> None:
    """A missing cell stands for the cells of its column, of which those of a heavy row counted once."""
    frame = pd.DataFrame(IRIS.data[:, :3]).astype(float)
    frame["color"] = pd.Categorical(np.array(["red", "green", "blue"])[rng.integers(0, 3, 150)])
    frame.columns = ["a", "b", "c", "color"]
    frame.loc[rng.random(150) < 0.2, "a"] = np.nan
    frame.loc[rng.random(150) < 0.2, "color"] = None
    machine = clone(machine).set_params(scale=scale)
    weighted = clone(machine).fit(frame, IRIS.target, sample_weight=WEIGHTS)
    repeated = clone(machine).fit(frame.iloc[COPIES], IRIS.target[COPIES])
    np.testing.assert_allclose(weighted.decision_function(frame), repeated.decision_function(frame), atol=1e-5)


@pytest.mark.parametrize(
    "machine",
    [
        SVMClassifier(tol=1e-8, probability=True, width=0.4),
        KernelAdatronClassifier(tol=1e-8, probability=True, width=0.4),
        ParzenClassifier(0.4, priors="empirical"),
    ],
)
def test_class_weights_are_copies(machine) -> None:
    """Probabilities were calibrated without class weights."""
    weighted = clone(machine).set_params(class_weight={1: 2.0, 2: 3.0}).fit(IRIS.data, IRIS.target)
    copies = np.repeat(np.arange(150), 1 + IRIS.target)
    repeated = clone(machine).fit(IRIS.data[copies], IRIS.target[copies])
    np.testing.assert_allclose(weighted.predict_proba(IRIS.data), repeated.predict_proba(IRIS.data), rtol=0, atol=1e-6)
