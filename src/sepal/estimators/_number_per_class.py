"""Numbers that a user gives for classes by their names: class weights and priors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import ParameterError


def number_per_class(
    what: str, given: Mapping[Any, Any], classes: NDArray[Any], default: float | None, *, zero: bool = True
) -> NDArray[np.float64]:
    """One number for each class; ``default`` where none is given, an error without one.

    A class may be called by its name as a text; ``zero`` says whether a number may be 0, though not all. A number for a
    class that is not there is let pass where every other class has its own: folds may lack a rare class.

    Examples
    --------
    >>> number_per_class("class_weight", {1: 3}, np.array([0, 1]), 1.0).tolist()
    [1.0, 3.0]
    >>> number_per_class("class_weight", {2: 3}, np.array([0, 1]), 1.0)
    Traceback (most recent call last):
        ...
    sepal.exceptions.ParameterError: class_weight: there is no class 2; the classes are [0, 1]
    """
    labels = classes.tolist()
    found = [given.get(label, given.get(str(label))) for label in labels]
    named = {*labels, *map(str, labels)}
    unknown = [label for label in given if label not in named]
    if unknown and (default is None or None in found):
        raise ParameterError(f"{what}: there is no class {unknown[0]!r}; the classes are {labels}")
    if None in found and default is None:
        raise ParameterError(f"{what}: a number is needed for every class; none for {labels[found.index(None)]!r}")
    try:
        numbers = np.array([default if each is None else each for each in found], dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.full(len(labels), np.nan)
    right = numbers >= 0 if zero else numbers > 0
    if not np.all(np.isfinite(numbers) & right) or not np.any(numbers > 0):
        least = "at least 0 and not all 0" if zero else "above 0"
        raise ParameterError(f"{what} must hold finite numbers {least}; got {dict(given)}")
    return numbers
