"""The parameters of a window, checked and put into the order that native code takes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sepal.exceptions import ParameterError
from sepal.learners._drift import DETECTORS
from sepal.learners._stream_columns import StreamColumns, check_distance
from sepal.neighbors import TIE_TOLERANCE, thread_count
from sepal.parameters import check_parameters

_MOST = 2**31 - 1  # what native code counts to


def whole(value: Any, name: str, *, optional: bool = True) -> int:
    """A positive whole number, or 0 for None."""
    if value is None and optional:
        return 0
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ParameterError(f"{name} must be {'None or ' if optional else ''}an integer of at least 1; got {value!r}")
    return int(value)


class WindowRules:
    """What the parameters of a learner ask for."""

    parameters: ClassVar[tuple[str, ...]] = (
        "window",
        "n_neighbors",
        "max_age",
        "class_quota",
        "weights",
        "scale",
        "edit_neighbors",
        "edit_every",
        "n_jobs",
    )

    def __init__(self, learner: Any) -> None:
        self.given = learner

    def check(self) -> None:
        """Refuse what has no meaning."""
        given = self.given
        check_parameters(given)
        check_distance(given.distance, given.distance_params or {}, given.scale)
        if given.weights not in ("uniform", "distance"):
            raise ParameterError(f"weights must be 'uniform' or 'distance'; got {given.weights!r}")
        if given.max_age is not None and not given.max_age > 0:
            raise ParameterError(f"max_age must be None or positive; got {given.max_age!r}")
        if given.drift is not None and given.drift not in DETECTORS:
            raise ParameterError(f"drift must be None, {' or '.join(map(repr, DETECTORS))}; got {given.drift!r}")
        if given.on_drift not in ("signal", "forget"):
            raise ParameterError(f"on_drift must be 'signal' or 'forget'; got {given.on_drift!r}")

    def for_native(self, columns: StreamColumns) -> dict[str, Any]:
        """The arguments of the native window."""
        self.check()
        given, (metric, value_is) = self.given, columns.metric
        factors, mismatch, is_number = columns.factors()
        n_columns = len(factors)
        return {
            "k": min(whole(given.n_neighbors, "n_neighbors", optional=False), _MOST),
            "by_distance": given.weights == "distance",
            "distances": value_is,
            "metric": metric,
            "p": columns.p,
            "n_numeric": int(is_number.sum()),
            "weights": mismatch,
            "tie": TIE_TOLERANCE,
            "zero": 4 * n_columns * np.finfo(float).eps ** 2 if metric == "unit_l2" else 0.0,
            "factors": factors,
            "is_scaled": is_number if given.scale == "minmax" else np.zeros(n_columns, dtype=np.uint8),
            "most": whole(given.window, "window"),
            "max_age": np.inf if given.max_age is None else float(given.max_age),
            "class_quota": whole(given.class_quota, "class_quota"),
            "edit_k": min(whole(given.edit_neighbors, "edit_neighbors"), _MOST),
            "edit_every": min(whole(given.edit_every, "edit_every", optional=False), _MOST),
            "threads": thread_count(given.n_jobs),
        }
