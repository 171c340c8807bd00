"""Bringing columns to comparable size, with statistics from the training rows only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data._columns import Kind
from sepal.data._error_words import listed, shown
from sepal.exceptions import DataError, ParameterError

ScaleName = Literal["minmax", "standard"]
SCALES: tuple[ScaleName, ...] = ("minmax", "standard")

_LARGEST = np.finfo(np.float64).max
_FEW_COLUMNS = 12  # below this a transposed copy is reduced faster
_FIRST_ROWS = 64
_MANY_CELLS = 100_000  # beyond, new memory for a copy takes longer than it spares
_LINE = 1024  # cells, of several rows, that are reduced at a time
_HIGHEST_UNIT = 1000  # as a power of two, for the smallest numbers
_FAR = 2.0**480  # beyond it squares, and sums of many, leave the range of numbers


@dataclass(frozen=True, eq=False)
class Scaling:
    """What to do to each column: ``(values * shrink - offset) / divisor``.

    ``shrink`` is 1 but for columns whose range does not fit into float64, where it is a small power of two
    and ``offset`` and ``divisor`` are already shrunk.

    Attributes
    ----------
    how : {"minmax", "standard"} or None
    offset, divisor, shrink : ndarray of float64, shape (n_columns,)
    constant : tuple of int
        The columns with at most one distinct value in the training rows, whatever their kind.
    """

    how: ScaleName | None
    offset: NDArray[np.float64]
    divisor: NDArray[np.float64]
    shrink: NDArray[np.float64]
    constant: tuple[int, ...]

    def fits_together(self) -> bool:
        """Whether every column can be scaled: a model file may hold anything."""
        parts = (self.offset, self.divisor, self.shrink)
        alike = all(part.shape == self.offset.shape and np.isfinite(part).all() for part in parts)
        return alike and self.offset.ndim == 1 and bool((self.divisor > 0.0).all() and (self.shrink > 0.0).all())

    @property
    def changes_nothing(self) -> bool:
        """Whether scaled values are the values themselves."""
        return self.how is None and not np.any(self.shrink != 1.0)

    def apply(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The scaled values as a new float64 array; NaN stays NaN, and nothing becomes infinite."""
        array = np.asarray(values, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != self.offset.size:
            raise DataError(f"values: expected {self.offset.size} columns, found shape {array.shape}")
        with np.errstate(over="ignore", invalid="ignore"):  # a signalling NaN is a missing cell like any other
            scaled = array * self.shrink if np.any(self.shrink != 1.0) else array.copy()
            if self.how is None:
                return scaled
            scaled -= self.offset
            scaled /= self.divisor
            if np.isinf(scaled).any():
                # A query far outside the training range: a quarter of everything cannot overflow in the
                # difference; if the quotient still does, the largest number stands for it.
                quarter = (array * (self.shrink / 4) - self.offset / 4) / self.divisor
                scaled = np.where(np.isinf(scaled), np.clip(quarter, -_LARGEST / 4, _LARGEST / 4) * 4, scaled)
        return scaled


def unit_of(values: NDArray[np.float64]) -> float:
    """The power of two that brings the largest of some numbers near 1; 1 if there is none but 0.

    Numbers times it have the same digits, and their squares and products neither overflow nor vanish.

    >>> unit_of(np.array([[3.0, -5.0]])), unit_of(np.array([[0.0]]))
    (0.125, 1.0)
    """
    low, high = np.fmin.reduce(values, axis=None, initial=0.0), np.fmax.reduce(values, axis=None, initial=0.0)
    largest = max(-float(low), float(high))
    if largest == 0.0 or not np.isfinite(largest):
        return 1.0
    return float(np.ldexp(1.0, min(_HIGHEST_UNIT, -int(np.frexp(largest)[1]))))


def far_unit(values: NDArray[Any]) -> float:
    """The same for numbers whose squares would overflow or vanish; 1 for all others.

    >>> far_unit(np.array([3.0, -5.0])), far_unit(np.array([2.0**600])) == 2.0**-601
    (1.0, True)
    """
    unit = unit_of(values.astype(np.float64)) if values.dtype.kind == "f" else 1.0
    return 1.0 if 1.0 / _FAR < unit < _FAR else unit


def column_ranges(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lowest and the highest value of each column, missing cells left out; NaN if there is no other.

    >>> low, high = column_ranges(np.array([[1.0, np.nan], [3.0, np.nan]]))
    >>> low.tolist(), high.tolist()
    ([1.0, nan], [3.0, nan])
    """
    low, high, _ = ranges_and_gaps(values)
    return low, high


def ranges_and_gaps(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """The ranges of columns, and whether a cell is missing.

    >>> ranges_and_gaps(np.array([[1.0], [3.0], [np.nan]]))
    (array([1.]), array([3.]), True)
    """
    if values.shape[1] < _FEW_COLUMNS and values.size < _MANY_CELLS:
        values = np.ascontiguousarray(values.T).T  # several times faster to reduce than rows of a few cells
    low = _of_columns(np.minimum, values)  # missing if any cell is
    if not np.isnan(low).any():
        return low, _of_columns(np.maximum, values), False
    return _of_columns(np.fmin, values), _of_columns(np.fmax, values), True


def _of_columns(function: np.ufunc, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A minimum or maximum of each column: of rows side by side at first, as numpy takes long over each short row."""
    n_rows, n_columns = values.shape
    side = min(_LINE // n_columns, n_rows) if n_columns and values.flags.c_contiguous else 1
    if side < 2:
        return np.asarray(function.reduce(values, axis=0))
    whole = n_rows // side * side
    lines = function.reduce(values[:whole].reshape(-1, side * n_columns), axis=0)
    return np.asarray(function.reduce(np.concatenate([lines.reshape(side, -1), values[whole:]]), axis=0))


def surely_vary(values: NDArray[np.float64]) -> bool:
    """Whether the first rows tell that no column is constant, as they nearly always do for measured numbers.

    >>> surely_vary(np.array([[1.0, 2.0], [2.0, 1.0]])), surely_vary(np.array([[1.0, 2.0], [1.0, np.nan], [2.0, 2.0]]))
    (True, False)
    """
    first = values[:_FIRST_ROWS]
    return len(first) > 1 and bool((np.fmin.reduce(first, axis=0) < np.fmax.reduce(first, axis=0)).all())


def fit_scaling(
    values: NDArray[np.float64],
    kinds: Sequence[Kind],
    how: ScaleName | None,
    *,
    levels: Sequence[tuple[Any, ...] | None] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> Scaling:
    """Learn the scaling of each column from training rows; missing cells are left out.

    Parameters
    ----------
    values : ndarray of float64, shape (n_rows, n_columns)
        Training rows, as in ``Table.values``.
    kinds : sequence of {"numeric", "ordinal", "nominal", "text"}
        Nominal columns are never touched.
    how : {"minmax", "standard"} or None
        "minmax" maps the training range of a numeric column to [0, 1] and divides the ranks of an ordinal
        one by the number of its levels less one; "standard" gives mean 0 and (population) standard
        deviation 1; None changes nothing.
    levels : sequence, optional
        ``Table.levels``. Without it the highest rank seen counts as the last level of an ordinal column.
    weights : ndarray of float64, shape (n_rows,), optional
        How many rows each row counts as in mean and standard deviation.

    Returns
    -------
    Scaling
        Constant columns get divisor 1 and are listed in ``constant``.

    Raises
    ------
    ParameterError
        If ``how`` is none of the above.

    Examples
    --------
    >>> scaling = fit_scaling(np.array([[1.0, 7.0], [3.0, 7.0]]), ["numeric", "numeric"], "minmax")
    >>> scaling.apply(np.array([[2.0, 7.0], [5.0, 9.0]])).tolist(), scaling.constant
    ([[0.5, 0.0], [2.0, 2.0]], (1,))
    """
    if how is not None and not (isinstance(how, str) and how in SCALES):
        raise ParameterError(f"scale: expected {listed(SCALES)} or None, found {shown(how)}")
    n_columns = values.shape[1]
    if len(kinds) != n_columns:
        raise DataError(f"kinds: expected one per column ({n_columns}), found {len(kinds)}")
    offset, divisor, shrink = np.zeros(n_columns), np.ones(n_columns), np.ones(n_columns)
    if how is None and surely_vary(values):
        return Scaling(how, offset, divisor, shrink, ())
    low, high = column_ranges(values)
    constant_mask = ~(low < high)  # an empty column has NaN for both
    for j in range(n_columns):
        if how is None or kinds[j] in ("nominal", "text") or np.isnan(low[j]):
            continue
        if how == "minmax" and kinds[j] == "ordinal":
            declared = None if levels is None else levels[j]
            divisor[j] = max(1.0, high[j] if declared is None else len(declared) - 1.0)
        elif constant_mask[j]:
            offset[j] = low[j]
        else:
            if max(abs(low[j]), abs(high[j])) > _LARGEST / 4:
                shrink[j] = 0.25
            if how == "minmax":
                offset[j], divisor[j] = low[j] * shrink[j], high[j] * shrink[j] - low[j] * shrink[j]
            else:
                offset[j], divisor[j] = _moments(values[:, j] * shrink[j], weights)
    return Scaling(how, offset, divisor, shrink, tuple(np.flatnonzero(constant_mask).tolist()))


def _moments(column: NDArray[np.float64], weights: NDArray[np.float64] | None) -> tuple[float, float]:
    """Mean and standard deviation, taken near 1 so that neither sum nor square can overflow or vanish."""
    present = ~np.isnan(column)
    low = float(column[present].min())
    spread = float(column[present].max()) - low
    near_one = (column[present] - low) / spread
    rows = np.ones(len(near_one)) if weights is None else weights[present]
    mean = np.average(near_one, weights=rows)
    deviation = np.sqrt(np.average((near_one - mean) ** 2, weights=rows))
    # Of a range of the smallest floats the product vanishes: the range stands for it.
    return float(low + mean * spread), float(deviation * spread) or spread
