"""Arguments that are no such thing: named before any partition is read."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import sepal
from sepal import scale
from sepal.exceptions import ParameterError
from sepal.scale._parameters import PARTITION_PARAMETERS

# What stands for arguments without a default; nothing of them is looked at, since checking comes first.
NEEDED: dict[str, Any] = {
    "source": "nowhere/*.csv",
    "model": sepal.KNNClassifier(1),
    "n_rows": 5,
    "half_width": 0.1,
    "ready": None,
}
FUNCTIONS = {name: getattr(scale, name) for name in scale.__all__ if inspect.isfunction(getattr(scale, name))}
NAMES = {each.name for each in PARTITION_PARAMETERS} | {"confidence", "missing", "n_jobs", "random_state", "time_limit"}
CASES = [
    (name, argument)
    for name, function in sorted(FUNCTIONS.items())
    if name != "partitioned"  # reads files: its words are those of sepal.read_table
    for argument in sorted(NAMES & inspect.signature(function).parameters.keys())
]


@pytest.mark.parametrize(("name", "argument"), CASES)
@pytest.mark.parametrize("wrong", [object(), -3.5, float("nan")])
def test_a_wrong_argument_is_named_before_anything_is_read(name: str, argument: str, wrong: object) -> None:
    """Functions of partitions did not check their arguments before files were read."""
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    given = {key: NEEDED[key] for key, each in parameters.items() if each.default is inspect.Parameter.empty}
    with pytest.raises(ParameterError, match=f"^{argument} must be "):
        FUNCTIONS[name](**{**given, argument: wrong})


def test_all_of_them_are_asked() -> None:
    assert len(FUNCTIONS) == 12
    assert {argument for _, argument in CASES} == NAMES
