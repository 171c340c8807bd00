"""Scores by name, as in scikit-learn's ``cross_validate``: what a fitted model makes of the rows that were held out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from sepal.exceptions import ParameterError

Scorer = Callable[[Any, Any, Any], Any]


def scorers(scoring: Any) -> dict[str, Scorer]:
    """By name the functions of a model, rows and their target.

    Parameters
    ----------
    scoring : str, callable, iterable of str, mapping or None
        A name that scikit-learn knows, a function, several names, or names of one's own with either.

    Examples
    --------
    >>> sorted(scorers(["accuracy", "f1"]))
    ['accuracy', 'f1']
    """
    if scoring is None:
        return {}
    if isinstance(scoring, str):
        return {scoring: _one(scoring)}
    if callable(scoring):
        return {"score": scoring}
    if isinstance(scoring, Mapping):
        found = {str(name): _one(each) for name, each in scoring.items()}
    elif isinstance(scoring, Iterable):
        found = {str(each): _one(each) for each in sorted(set(scoring), key=str)}
    else:
        raise ParameterError(f"scoring must be a name, a function, or several of them; got {scoring!r}")
    if not found:
        raise ParameterError("scoring must hold at least one name; got none")
    return found


def _one(scoring: Any) -> Scorer:
    from sklearn.metrics import get_scorer, get_scorer_names

    if callable(scoring):
        return scoring  # type: ignore[no-any-return]
    try:
        return get_scorer(scoring)  # type: ignore[no-any-return]
    except (ValueError, TypeError) as error:
        raise ParameterError(
            f"scoring: expected a name that scikit-learn knows, found {scoring!r}",
            hint=f"one of {', '.join(get_scorer_names())}",
        ) from error


def scored(known: Mapping[str, Scorer], model: Any, X: Any, y: Any) -> dict[str, float]:
    """Of one fold; a function may also give several numbers by name."""
    found: dict[str, float] = {}
    for name, score in known.items():
        value = score(model, X, y)
        parts = value if isinstance(value, Mapping) else {name: value}
        for own, number in parts.items():
            if isinstance(number, (bool, np.bool_)) or not np.isscalar(number) or not np.isreal(number):
                raise ParameterError(f"scoring: {own} must give a number, found {number!r}")
            found[str(own)] = float(number)  # type: ignore[arg-type]
    return found
