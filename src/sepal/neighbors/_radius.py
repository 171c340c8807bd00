"""The radius of a search, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import ParameterError
from sepal.parameters import check_number


def checked_radius(radius: Any, n_queries: int, *, alone: bool = False) -> NDArray[np.float64]:
    """A radius for each query; ``alone`` if there may be but one for all."""
    try:
        given = np.asarray(radius, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"radius must be a number of at least 0; got {radius!r}") from error
    if given.ndim == 0:
        check_number("radius", radius.item() if isinstance(radius, np.ndarray) else radius, at_least=0.0, infinite=True)
    elif np.any(~(given >= 0)):
        raise ParameterError(f"radius must be a number of at least 0; got {radius!r}")
    if alone and given.ndim > 0:
        raise ParameterError("radius must be one number where every training row asks", hint="give the rows as queries")
    if given.ndim > 0 and given.shape != (n_queries,):
        raise ParameterError(f"radius must be one number, or one for each of {n_queries} queries; got {given.shape}")
    return np.broadcast_to(given, (n_queries,)).copy()
