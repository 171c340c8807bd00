"""Whether a fitted distance would be another one if it had seen further rows, too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table
from sepal.distances._fitted import FittedDistance
from sepal.distances._named import DISTANCES


def still_fits(fitted: FittedDistance, low: NDArray[np.float64], high: NDArray[np.float64], more: Table) -> bool:
    """Whether fitting on all rows, ``more`` among them, is sure to give the same distance.

    Parameters
    ----------
    fitted : FittedDistance
        As it came from the rows so far.
    low, high : array
        The lowest and the highest value of each column in these.
    more : Table
        Further rows, their levels coded alike.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> from sepal.distances import fit_distance
    >>> fitted = fit_distance(as_table([[0.0], [10.0]]), scale="minmax")
    >>> [still_fits(fitted, np.array([0.0]), np.array([10.0]), as_table([[x]])) for x in (5.0, 11.0)]
    [True, False]
    """
    scaling = fitted.scaling
    if DISTANCES[fitted.name].learns_rows or scaling.how == "standard" or fitted.absent is not None:
        return False
    if more.has_missing and not fitted.allows_missing:
        return False  # "auto" takes another distance; others refuse such rows when they are fitted
    values = more.values
    inside = np.isnan(values) | ((values >= low) & (values <= high))
    weighed = not np.all(fitted.factors == 1.0)
    if scaling.how is None and not weighed:  # ranges matter only for columns of one value, which are told of
        inside = inside[:, list(scaling.constant)]
    if not inside.all():
        return False
    if not np.any(fitted.base):
        return True
    # What is taken off a column must lose no digit of the new cells, as it loses none of the old ones.
    scaled = scaling.apply(values)[:, fitted.order]
    return bool(np.all(((scaled - fitted.base) + fitted.base == scaled) | np.isnan(scaled)))
