"""How much each row counts: checked numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import DataError

_LEAST, _MOST = 1e-100, 1e100  # products of weights, and sums of many, stay numbers


def as_weights(given: Any, n_rows: int, *, negative: bool = False) -> NDArray[np.float64]:
    """One weight for each row: what the caller gave, or one number for all.

    Parameters
    ----------
    given : array-like or number
        What each row counts.
    n_rows : int
        How many rows there are.
    negative : bool
        Whether a weight below 0 is let pass.

    Raises
    ------
    DataError
        For weights that are no numbers, of another length, below 0, or so small or large that their products are none.

    Examples
    --------
    >>> as_weights(2, 3).tolist()
    [2.0, 2.0, 2.0]
    """
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"sample_weight: expected one number for each row, found {given!r}") from error
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.ndim != 1:
        raise DataError(f"sample_weight: Sample weights must be 1D array or scalar, got {weights.ndim}D array")
    if len(weights) != n_rows:
        raise DataError(f"sample_weight: expected one weight for each of {n_rows} rows, found {len(weights)}")
    if not np.all(np.isfinite(weights)) or (not negative and np.any(weights < 0)):
        raise DataError(f"sample_weight: expected finite weights{'' if negative else ' of at least 0'}")
    if not np.any(weights != 0):
        raise DataError("sample_weight: all weights are zero. Sample weights must contain at least one non-zero number")
    size = np.abs(weights[weights != 0])
    if size.min() < _LEAST or size.max() > _MOST:
        odd = size.min() if size.min() < _LEAST else size.max()
        raise DataError(
            f"sample_weight: expected weights of 0, or from {_LEAST:g} to {_MOST:g}; found {odd:g}",
            hint="weights count rows: multiply them by one number",
        )
    return weights
