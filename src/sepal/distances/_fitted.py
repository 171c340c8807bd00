"""A distance after it has seen the training rows: plain arrays, so that it can be saved and compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.data import Kind, Scaling, Table, first_missing, in_order_of, shown
from sepal.exceptions import DataError

# What the native value is: a squared distance, the distance itself, its p-th power, twice a cosine distance, the
# squared distance that a Gaussian kernel turns into its own, or the haversine (squared half chord) of an arc.
ValueIs = Literal["square", "distance", "power", "double", "gaussian", "arc"]
METRICS = frozenset(  # of native code
    {
        "l2",
        "l1",
        "linf",
        "lp",
        "nan_l2",
        "unit_l2",
        "mixed",
        "gower",
        "tanimoto",
        "canberra",
        "bray_curtis",
        "haversine",
    }
)


@dataclass(frozen=True, eq=False)
class FittedDistance:
    """Coordinates for rows, and the native metric that compares them.

    A row becomes ``scaling``, then the columns in ``order``, less ``base`` (so that rounding is that of
    differences, not of where the rows lie), then ``factors`` per column, then ``profiles`` (each level of a nominal
    column becomes several coordinates), then ``whitening`` (a matrix), then ``monomials`` (products of columns),
    then, for the cosine, unit length; for the correlation every row is first taken relative to its own mean. Under the
    haversine a row is its latitude, the cosine of that, and its longitude.

    ``costs`` is what the native metric needs per coordinate where it is not the squared factors: what a missing cell
    costs, or how much a cell counts. ``counts`` keeps the rows of each level and class behind ``profiles``.

    Attributes
    ----------
    name : str
        The distance, as ``distance=`` takes it.
    metric : str
        The native metric that compares coordinates.
    scaling : Scaling
        Offset and divisor of each column.
    names, kinds : tuple of str
        The columns it was fitted on, and what each holds.
    base, order, factors : array
        What is subtracted from, the order of, and the factor of each column.
    value_is : str
        How the distance follows from what the native metric gives, its square for instance.
    p : float
        The exponent of the Minkowski distance.
    n_numeric : int
        How many coordinates are numbers, where the metric tells them from names.
    whitening : array or None
        The matrix that decorrelates the columns.
    unit_length, centred : bool
        Whether rows are brought to length 1, and taken relative to their own mean.
    allows_missing : bool
        Whether cells may be missing.
    costs, profiles, counts : array or tuple of arrays or None
        As above.
    absent : array or None
        For each column the code of absence, NaN where there is none.
    monomials, coefficients : array or None
        For each product the columns in it (-1 for a constant), and its factor.
    notes : tuple of str
        What was done on the way and should be known.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> from sepal.distances import fit_distance
    >>> fitted = fit_distance(as_table([[0.0], [10.0]]), scale="minmax")
    >>> fitted.name, fitted.embed(as_table([[5.0]])).tolist()
    ('euclidean', [[0.5]])
    """

    name: str
    metric: str
    scaling: Scaling
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    base: NDArray[np.float64]  # per ordered column
    order: NDArray[np.intp]
    factors: NDArray[np.float64]
    value_is: ValueIs = "square"
    p: float = 2.0
    n_numeric: int = 0
    whitening: NDArray[np.float64] | None = None
    unit_length: bool = False
    centred: bool = False
    allows_missing: bool = False
    costs: NDArray[np.float64] | None = None
    profiles: tuple[NDArray[np.float64] | None, ...] | None = None
    counts: tuple[NDArray[np.float64] | None, ...] | None = None
    absent: NDArray[np.float64] | None = None  # per ordered column, the code of absence; NaN where there is none
    monomials: NDArray[np.intp] | None = None  # per product, the columns in it; -1 for a constant
    coefficients: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()

    def fits_together(self) -> bool:
        """Whether the parts belong to one distance: a model file may hold anything."""
        n, scaling = len(self.names), self.scaling
        n_coordinates = self._n_coordinates()
        return (
            n > 0
            and self.metric in METRICS
            and len(self.kinds) == n
            and all(each.shape == (n,) for each in (scaling.offset, scaling.divisor, scaling.shrink))
            and np.array_equal(np.sort(self.order), np.arange(n))
            and all(each is None or each.shape == (n,) for each in (self.base, self.factors, self.absent))
            and n_coordinates > 0
            and self.mismatch.shape == (n_coordinates,)
            and 0 <= self.n_numeric <= n_coordinates
            and self.p > 0
            and all(np.all(np.isfinite(each)) for each in self._fitted_arrays() if each is not None)
        )

    def _fitted_arrays(self) -> tuple[NDArray[np.float64] | None, ...]:
        scaling = self.scaling
        scale = (scaling.offset, scaling.divisor, scaling.shrink)
        return (*scale, self.base, self.factors, self.mismatch, self.whitening, self.coefficients)

    def _n_coordinates(self) -> int:
        """Coordinates of a row; 0 where the parts contradict each other."""
        n = len(self.order)
        for levels in (self.profiles, self.counts):
            if levels is not None and (len(levels) != n or any(each is not None and each.ndim != 2 for each in levels)):
                return 0
        if self.metric == "haversine":
            return n + 1 if n == 2 else 0
        if self.profiles is not None:
            n = sum(1 if profile is None else profile.shape[1] for profile in self.profiles)
        if self.whitening is not None:
            if self.whitening.ndim != 2 or len(self.whitening) != n:
                return 0
            n = self.whitening.shape[1]
        if self.monomials is None or self.coefficients is None:
            return n if self.monomials is None and self.coefficients is None else 0
        inside = self.monomials.ndim == 2 and self.monomials.size > 0 and self.monomials.min() >= -1
        if not inside or self.monomials.max() >= n or self.coefficients.shape != (len(self.monomials),):
            return 0
        return len(self.monomials)

    def embed(self, table: Table) -> NDArray[np.float64]:
        """Coordinates of the rows of a table with the columns this distance was fitted on, in any order."""
        table = in_order_of(table, self.names)
        if table.n_columns != len(self.names):
            raise DataError(
                f"the distance was fitted on {len(self.names)} columns, the rows to compare have {table.n_columns}"
            )
        for name, kind, wanted in zip(self.names, table.kinds, self.kinds, strict=True):
            if kind != wanted:
                raise DataError(f"column {name!r} is {kind}; in the rows the distance was fitted on it is {wanted}")
        if not self.allows_missing and table.has_missing:
            raise DataError(
                f"{first_missing(table)}, and the distance {self.name!r} does not define missing values",
                hint='use distance="heom" or "nan_euclidean" for such rows, or leave them out (missing="drop")',
            )
        values = self._coordinates(table)
        if self.whitening is not None:
            values = _row_products(values, self.whitening)
        if self.monomials is not None and self.coefficients is not None:
            padded = np.concatenate([values, np.ones((len(values), 1))], axis=1)
            values = np.prod(padded[:, self.monomials], axis=2) * self.coefficients
        if self.centred:
            values = _less_row_means(values, self.mismatch)
        if self.unit_length:
            largest = np.abs(values).max(axis=1, keepdims=True)  # first, so that no square overflows or vanishes
            values = values / np.where(largest == 0, np.nan, largest)
            values = values / np.linalg.norm(values, axis=1, keepdims=True)
        return np.ascontiguousarray(values, dtype=np.float64)

    @cached_property
    def _what_changes(self) -> tuple[bool, bool, bool]:
        """Whether columns change places, lose their base, get weights: one row should not have to ask them all."""
        moved = bool(np.any(self.order != np.arange(len(self.order))))
        return moved, bool(np.any(self.base != 0.0)), not bool(np.all(self.factors == 1.0))

    def _coordinates(self, table: Table) -> NDArray[np.float64]:
        """The coordinates that still belong to one column each."""
        values = table.values if self.scaling.changes_nothing else self.scaling.apply(table.values)
        reordered, based, weighed = self._what_changes
        if reordered:
            values = values[:, self.order]
        if based:
            values = values - self.base
        if weighed:
            values = values * self._column_factors()
        if self.absent is not None:
            values = np.where(values == self.absent, -1.0, values)
        if self.metric == "haversine":
            return _on_the_globe(values, table)
        if self.metric == "tanimoto" and np.any(values < 0):
            row, column = (int(i) for i in np.argwhere(values < 0)[0])
            raise DataError(
                f"row {row}, column {shown(table.names[self.order[column]])}: Negative values in data, and the "
                f"distance 'tanimoto' compares sets or counts, which are at least 0; found "
                f"{table.values[row, self.order[column]]:g}"
            )
        if self.profiles is not None:
            values = np.concatenate([_profiled(values[:, j], self.profiles[j]) for j in range(values.shape[1])], axis=1)
        return values

    def parts(self, queries: Table, rows: Table) -> NDArray[np.float64]:
        """(n, n_columns): what each column adds to the distance between row i of one table and row i of the other.

        In the units in which the distance adds up: squares for Euclidean-like distances, differences for Manhattan and
        Gower, p-th powers for Minkowski. The products of a polynomial kernel are shared by their columns.
        """
        x, z = self.embed(queries), self.embed(rows)
        if self.whitening is not None:
            gap = self._coordinates(queries) - self._coordinates(rows)
            terms = gap * ((x - z) @ self.whitening.T)
        else:
            terms = self._terms(x, z)
        found = np.zeros((len(terms), len(self.names)))
        for place, columns in enumerate(self._columns_of_coordinates(terms.shape[1])):
            for column in columns:
                found[:, column] += terms[:, place] / len(columns)
        return found

    def _terms(self, x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        gap, cost = x - z, self.mismatch
        match self.metric:
            case "l1":
                return np.abs(gap)
            case "lp":
                return np.asarray(np.abs(gap) ** self.p)
            case "linf":
                largest = np.abs(gap).argmax(axis=1)
                return np.where(np.arange(gap.shape[1]) == largest[:, None], np.abs(gap), 0.0)
            case "tanimoto":
                return np.asarray(
                    np.abs(gap) / np.maximum(np.maximum(x, z).sum(axis=1, keepdims=True), np.finfo(float).tiny)
                )
            case "canberra":
                return np.asarray(cost * np.abs(gap) / np.maximum(np.abs(x) + np.abs(z), np.finfo(float).tiny))
            case "bray_curtis":
                size = (cost * np.abs(x + z)).sum(axis=1, keepdims=True)
                return np.asarray(cost * np.abs(gap) / np.maximum(size, np.finfo(float).tiny))
            case "haversine":
                half = np.sin(gap / 2.0) ** 2
                return np.stack([half[:, 0], np.zeros(len(gap)), x[:, 1] * z[:, 1] * half[:, 2]], axis=1)
            case "mixed":
                numeric = np.arange(gap.shape[1]) < self.n_numeric
                return np.where(np.isnan(gap), cost, np.where(numeric, gap**2, np.where(gap == 0, 0.0, cost)))
            case "gower":
                numeric = np.arange(gap.shape[1]) < self.n_numeric
                counted = np.where(np.isnan(gap) | (~numeric & (gap == 0) & (x < 0)), 0.0, cost)
                terms = np.where(numeric, np.nan_to_num(np.abs(gap)), gap != 0) * counted
                return np.asarray(terms / np.maximum(counted.sum(axis=1, keepdims=True), np.finfo(float).tiny))
            case "nan_l2":
                present = np.where(np.isnan(gap), 0.0, cost).sum(axis=1, keepdims=True)
                return np.asarray(np.nan_to_num(gap**2) * (gap.shape[1] / np.maximum(present, np.finfo(float).tiny)))
        return np.asarray(np.nan_to_num(gap**2) / (2.0 if self.unit_length else 1.0))

    def _columns_of_coordinates(self, n: int) -> list[list[int]]:
        """The columns each coordinate comes from."""
        if self.monomials is not None:
            return [sorted({int(self.order[c]) for c in product if c >= 0}) for product in self.monomials]
        if self.metric == "haversine":
            return [[0], [0], [1]]
        if self.profiles is None:
            return [[int(column)] for column in self.order]
        return [
            [int(column)]
            for column, profile in zip(self.order, self.profiles, strict=True)
            for _ in range(1 if profile is None else profile.shape[1])
        ]

    def _column_factors(self) -> NDArray[np.float64]:
        # Level codes are compared for equality only and must stay as they are.
        factors = self.factors.copy()
        if self.metric in ("mixed", "gower"):
            factors[self.n_numeric :] = 1.0
        return factors

    @property
    def mismatch(self) -> NDArray[np.float64]:
        """What a mismatch or a missing cell adds to the native value, per embedded column."""
        if self.costs is not None:
            return self.costs
        if self.monomials is not None:
            return np.ones(len(self.monomials))
        n = len(self.order) if self.whitening is None else self.whitening.shape[1]
        return self.factors**2 if self.metric == "mixed" else np.ones(n)

    def compares_nothing(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Rows that are not at distance 0 from their own copies, because of what is missing in them."""
        if self.metric not in ("mixed", "nan_l2", "gower", "unit_l2"):
            return np.zeros(len(points), dtype=bool)
        gaps = np.isnan(points)
        match self.metric:
            case "mixed":
                return np.asarray(gaps.any(axis=1))
            case "nan_l2":
                return np.asarray((gaps | (self.mismatch == 0)).all(axis=1))
            case "gower":
                silent = gaps | (self.mismatch == 0)
                silent[:, self.n_numeric :] |= points[:, self.n_numeric :] < 0
                return np.asarray(silent.all(axis=1))
        return np.asarray(gaps.all(axis=1))

    def distances(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Native values as distances."""
        match self.value_is:
            case "square":
                return np.sqrt(values)
            case "power":
                return values ** (1.0 / self.p)
            case "double":
                return values / 2.0
            case "gaussian":
                return np.sqrt(-2.0 * np.expm1(-self.p * values))
            case "arc":
                return 2.0 * np.arcsin(np.sqrt(np.minimum(values, 1.0)))
            case "distance":
                return values

    def values(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distances as native values: the inverse of :meth:`distances`."""
        match self.value_is:
            case "square":
                return distances**2
            case "power":
                return distances**self.p
            case "double":
                return distances * 2.0
            case "arc":  # no two places are farther apart than half a turn
                return np.sin(np.minimum(distances, np.pi) / 2.0) ** 2
            case "gaussian":  # no two rows are farther apart than the square root of 2
                with np.errstate(divide="ignore"):
                    return -np.log1p(-np.minimum(distances**2 / 2.0, 1.0)) / self.p
            case "distance":
                return distances


def _profiled(codes: NDArray[np.float64], profile: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """The coordinates of each level; a level that training did not have gets zeros, a missing cell stays missing."""
    if profile is None:
        return codes[:, None]
    padded = np.concatenate([profile, np.zeros((1, profile.shape[1])), np.full((1, profile.shape[1]), np.nan)])
    known = (codes >= 0) & (codes < len(profile))
    at = np.where(known, np.where(known, codes, 0), len(profile) + np.isnan(codes))
    return np.asarray(padded[at.astype(np.intp)])


def _row_products(rows: NDArray[np.float64], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows @ matrix, column after column: a blocked product rounds a row differently in other company."""
    found = np.zeros((len(rows), matrix.shape[1]))
    for j in range(len(matrix)):
        found += rows[:, j, None] * matrix[j]
    return found


def _less_row_means(rows: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows less their weighted means, times the roots of the weights; rows of one number become zeros.

    What rounding leaves of a constant row is no direction.
    """
    mean = np.zeros((len(rows), 1))
    for j in range(rows.shape[1]):
        mean += rows[:, j : j + 1] * (weights[j] / weights.sum())
    counted = weights > 0
    off = (rows - mean) * np.sqrt(weights)
    size = np.abs(rows[:, counted]).max(axis=1, keepdims=True)
    spread = np.abs(rows - mean)[:, counted].max(axis=1, keepdims=True)
    return np.where(spread <= 4 * len(weights) * np.finfo(float).eps * size, 0.0, off)


def _on_the_globe(places: NDArray[np.float64], table: Table) -> NDArray[np.float64]:
    """Latitude, its cosine and longitude."""
    beyond = np.abs(places[:, 0]) > np.pi / 2 * (1 + 1e-12)
    if beyond.any():
        row = int(np.flatnonzero(beyond)[0])
        raise DataError(
            f"row {row}, column {shown(table.names[0])}: the distance 'haversine' takes latitudes in radians, from "
            f"-pi/2 to pi/2; found {places[row, 0]:g}",
            hint="convert degrees with numpy.radians",
        )
    return np.column_stack([places[:, 0], np.cos(places[:, 0]), places[:, 1]])
