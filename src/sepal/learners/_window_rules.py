"""The parameters of a window, checked and put into the order that native code takes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sepal.learners._stream_columns import StreamColumns, check_distance
from sepal.neighbors import TIE_TOLERANCE, thread_count
from sepal.parameters import check_parameters

_MOST = 2**31 - 1  # what native code counts to


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

    def for_native(self, columns: StreamColumns) -> dict[str, Any]:
        """The arguments of the native window."""
        self.check()
        given, (metric, value_is) = self.given, columns.metric
        factors, mismatch, is_number = columns.factors()
        n_columns = len(factors)
        return {
            "k": min(int(given.n_neighbors), _MOST),
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
            "most": int(given.window or 0),
            "max_age": np.inf if given.max_age is None else float(given.max_age),
            "class_quota": int(given.class_quota or 0),
            "edit_k": min(int(given.edit_neighbors or 0), _MOST),
            "edit_every": min(int(given.edit_every), _MOST),
            "threads": thread_count(given.n_jobs),
        }
