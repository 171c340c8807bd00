"""Weights of columns, which every distance takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Rows
from sepal.exceptions import ParameterError


def column_weights(table: Rows, params: Mapping[str, Any]) -> NDArray[np.float64]:
    """``distance_params["weights"]`` checked; ones without it."""
    given = params.get("weights")
    if given is None:
        return np.ones(table.n_columns)
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"distance_params['weights'] must be numbers; got {given!r}") from error
    if weights.shape != (table.n_columns,):
        raise ParameterError(
            f"distance_params['weights'] must hold one number per column, {table.n_columns} in all; "
            f"got shape {weights.shape}"
        )
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise ParameterError("distance_params['weights'] must be finite and not negative")
    if not np.any(weights > 0):
        raise ParameterError("distance_params['weights'] are all zero: every distance would be 0")
    return weights
