"""Whatever comes in: an answer without a hole, or an error of ours; no other error, no warning, no changed input."""

from __future__ import annotations

import dataclasses
import inspect
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sepal.exceptions import SepalError, SepalWarning
from tests.properties.surface import ask, estimators, functions, target

THINGS = functions() | estimators()
SLOW = {"SepalClassifier", "SepalRegressor", "separability", "stability", "nested_score", "select_facts"}
SLOW |= {"PaperChainClassifier", "condense_curve", "selection_test", "measure_facts"}
LARGEST = float(np.finfo(np.float64).max)
# Where a measure is undefined on the rows at hand it is documented to be NaN.
MAY_BE_NAN = {"ComplexityProfile", "SeparabilityAngle", "SeparabilityReport", "MeasureFacts"}
ABSURD = [
    -1, 0, 2**40, 2**70, -1.5, 1e-300, 1e300, float("nan"), float("inf"), "nonsense", None, [], {}, object(), True,
    np.float32(2), np.array([1, 2]), b"x", 1 + 2j, (1,),
]  # fmt: skip
# So many permutations, starts, folds, iterations or threads are not absurd, only long.
LONG = {"n_permutations", "n_starts", "n_samples", "n_iter", "max_iter", "tol", "omega", "time_limit", "time_budget"}


def small(examples: int) -> settings:
    return settings(
        max_examples=examples, derandomize=True, deadline=None, database=None, phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip


CELLS = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e3, 1e3),
    st.sampled_from([0.0, -0.0, 1e-310, -1e-310, 5e-324, 1e-200, 1e200, -1e200, LARGEST, -LARGEST, 1 / 3]),
)
ODD_CELLS = st.one_of(CELLS, st.sampled_from([np.nan, np.inf, -np.inf]))


@st.composite
def labelled(draw: Any, cells: Any = CELLS) -> tuple[np.ndarray, np.ndarray]:
    """Rows with copies, constant columns and ties, and two or three classes of at least two rows."""
    n, p = draw(st.integers(6, 14)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(np.float64, (n, p), elements=cells))
    if draw(st.booleans()):
        X[draw(st.integers(0, n - 1))] = X[0]
    if draw(st.booleans()):
        X[:, draw(st.integers(0, p - 1))] = X[0, 0]
    n_classes = draw(st.integers(2, 3))
    return X, np.arange(n) % n_classes


@st.composite
def containers(draw: Any) -> tuple[Any, np.ndarray]:
    """The same rows in another container, type or place in memory."""
    X, codes = draw(labelled(ODD_CELLS))
    kind = draw(
        st.sampled_from(["strided", "fortran", "readonly", "list", "pandas", "float32", "int", "object", "text"])
    )
    if kind == "strided":
        wide = np.zeros((2 * len(X), 2 * X.shape[1]))
        wide[::2, ::2] = X
        return wide[::2, ::2], codes
    if kind == "readonly":
        X.flags.writeable = False
        return X, codes
    if kind == "float32":
        with np.errstate(over="ignore"):
            return X.astype(np.float32), codes
    if kind == "int":
        return np.nan_to_num(X, posinf=9, neginf=-9).clip(-(2**62), 2**62).astype(np.int64), codes
    made = {
        "fortran": np.asfortranarray, "list": np.ndarray.tolist, "object": lambda a: a.astype(object),
        "text": lambda a: a.astype(str), "pandas": lambda a: pd.DataFrame(a, columns=list("wxyz")[: a.shape[1]]),
    }  # fmt: skip
    return made[kind](X), codes


def answer(thing: Any, X: Any, y: Any, **parameters: Any) -> Any:
    """The answer, or None for an error of ours; anything else is a failure."""
    before = pd.DataFrame(X).copy(deep=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SepalWarning)
        try:
            found = ask(thing, X, y, **parameters)
        except SepalError:
            return None
        finally:
            pd.testing.assert_frame_equal(pd.DataFrame(X), before)
    holes = [] if type(found).__name__ in MAY_BE_NAN else list(_holes(found))
    assert not holes, f"NaN in {holes}"
    return found


def _holes(found: Any, where: str = "answer") -> Any:
    """Where a number of an answer is NaN; fields that repeat the rows aside."""
    if dataclasses.is_dataclass(found) and not isinstance(found, type):
        found = {each.name: getattr(found, each.name) for each in dataclasses.fields(found)}
    if isinstance(found, dict):
        for key, value in found.items():
            if key not in ("table", "problem", "columns", "all_scores", "scores"):
                yield from _holes(value, f"{where}.{key}")
        return
    numbers = found if isinstance(found, np.ndarray) else np.array(found if isinstance(found, float) else 0.0)
    if numbers.dtype.kind == "f" and np.isnan(numbers).any():
        yield where


def absurd(name: str, value: Any) -> bool:
    """Whether a value of this parameter would be only long."""
    return not (name in LONG and isinstance(value, (int, float)) and not isinstance(value, bool))


@pytest.mark.parametrize("name", THINGS)
def test_any_rows(name: str) -> None:
    """Values near the largest float ended rankings, searches and complexity in foreign errors and warnings."""
    thing = THINGS[name]

    @small(2 if name in SLOW else 5)
    @given(labelled())
    @example((np.zeros((6, 2)), np.arange(6) % 2))
    @example((np.array([[0.0, 1.0], [LARGEST, 2.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0], [4.0, 5.0]]), np.arange(6) % 2))
    @example((np.arange(12.0).reshape(6, 2) * 1e-310, np.arange(6) % 2))
    def run(case: tuple[np.ndarray, np.ndarray]) -> None:
        answer(thing, case[0], target(thing, case[1]))

    run()


@pytest.mark.parametrize("name", sorted(THINGS.keys() - SLOW))
def test_any_container(name: str) -> None:
    """Infinities of both signs in a data frame ended in a foreign error."""
    thing = THINGS[name]

    @small(5)
    @given(containers())
    def run(case: tuple[Any, np.ndarray]) -> None:
        answer(thing, case[0], target(thing, case[1]))

    run()


@pytest.mark.parametrize("name", THINGS)
def test_any_parameter(name: str) -> None:
    """`edit_neighbors=2**40`, and arrays where a word is expected, ended in foreign errors."""
    thing = THINGS[name]
    rng = np.random.default_rng(0)
    X, codes = np.r_[rng.normal(size=(8, 2)), rng.normal(size=(8, 2)) + 1], np.repeat([0, 1], 8)
    known = [
        each.name
        for each in inspect.signature(thing).parameters.values()
        if each.name not in ("X", "y") and each.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    pairs = [(each, value) for each in known for value in ABSURD if absurd(each, value)]
    pairs = pairs[:: 7 if name in SLOW else 3]  # neither divides the number of values: all come up somewhere
    for parameter, value in pairs:
        try:
            answer(thing, X, target(thing, codes), **{parameter: value})
        except Exception as error:
            raise AssertionError(f"{name}({parameter}={value!r})") from error
