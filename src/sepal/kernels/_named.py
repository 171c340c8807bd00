"""The kernels by name, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table
from sepal.exceptions import DataError, ParameterError
from sepal.kernels import _formulas as f
from sepal.kernels._mixed import cells_by_column, mixed, mixed_diagonal
from sepal.parameters import Parameter, check_number, check_whole, checked

Params = Mapping[str, Any]
Array = NDArray[np.float64]
_NUMBERS = frozenset({"numeric", "ordinal"})
_SEEN_ROUNDING = 0.01  # of a kernel value
_SMALLEST, _LARGEST = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).max)


@checked(Parameter("width", "number", "sigma of a Gaussian kernel", above=0.0, infinite=True))
def gamma_from_width(width: float) -> float:
    """The gamma of a width, 1 / (2 width^2): the convention for Gaussian kernels here.

    A width whose square has no place among the floats gives the nearest gamma that has one.

    Parameters
    ----------
    width : float
        Sigma, above 0.

    Returns
    -------
    float

    Examples
    --------
    >>> gamma_from_width(0.5)
    2.0
    """
    square = 2.0 * float(width) * float(width)
    if square == 0.0:
        return _LARGEST
    return min(max(1.0 / square, _SMALLEST), _LARGEST)


@checked(Parameter("gamma", "number", "factor of the squared distance", above=0.0, infinite=True))
def width_from_gamma(gamma: float) -> float:
    """The width sigma of ``exp(-gamma |x - z|^2)``.

    Parameters
    ----------
    gamma : float
        Above 0.

    Returns
    -------
    float

    Examples
    --------
    >>> width_from_gamma(2.0)
    0.5
    """
    return float(1.0 / np.sqrt(2.0 * gamma)) if gamma < _LARGEST / 2 else float(np.sqrt(0.5) / np.sqrt(gamma))


def _as_given(table: Table, params: dict[str, Any]) -> dict[str, Any]:
    return params


@dataclass(frozen=True)
class Kernel:
    """What a kernel is, before it has seen rows.

    Attributes
    ----------
    name, summary : str
    params : mapping
        The parameters it takes, with their defaults.
    fit : callable
        (table, params) -> state: parameters resolved on the training rows.
    embed : callable
        (values, state) -> coordinates that ``block`` compares.
    block, diagonal : callable
        (A, B, state) -> the block of the Gram matrix; (A, state) -> k(a, a).
    unit_diagonal : bool
        Whether k(x, x) = 1 for complete rows.
    gamma_of_width : callable or None
        What ``width`` means, for kernels that have one.
    not_negative : bool
        Whether it compares counts and shares only.
    """

    name: str
    summary: str
    block: Callable[[Array, Array, Params], Array]
    diagonal: Callable[[Array, Params], Array]
    params: Params = field(default_factory=dict)
    fit: Callable[[Table, dict[str, Any]], dict[str, Any]] = _as_given
    embed: Callable[[Array, Params], Array] = f.unchanged
    unit_diagonal: bool = False
    gamma_of_width: Callable[[float], float] | None = None
    kinds: frozenset[str] = _NUMBERS
    allows_missing: bool = False
    not_negative: bool = False


_COEF0 = Parameter("coef0 of the kernel 'polynomial'", "number", "what is added to the product", at_least=0.0)
_CENTER = Parameter("center of the kernel 'correlation'", "flag", "subtract the mean of each row")


def _positive(name: str, value: Any, kernel: str) -> float:
    return float(check_number(f"{name} of the kernel {kernel!r}", value, above=0.0))


def _with_gamma(kernel: str, of_width: Callable[[float], float] | None, table: Table, params: dict[str, Any]) -> float:
    gamma, width = params.pop("gamma"), params.pop("width", None)
    if gamma is not None and width is not None:
        raise ParameterError(f"the kernel {kernel!r} takes gamma or width, not both; got {gamma!r} and {width!r}")
    if width is not None and of_width is not None:
        return of_width(_positive("width", width, kernel))
    return 1.0 / table.n_columns if gamma is None else _positive("gamma", gamma, kernel)


def refuse_too_narrow(gamma: float, values: Array) -> None:
    """Refuse a radial kernel so narrow that the rounding of squared distances shows in its values.

    Squared distances come from norms and products around the mean: they are right up to a few units in the last place
    of the largest squared norm, and for a narrow kernel that would part a row from itself.
    """
    around = values - values.mean(axis=0)
    largest = float(np.einsum("ij,ij->i", around, around).max(initial=0.0))
    if gamma * 4.0 * np.finfo(np.float64).eps * largest > _SEEN_ROUNDING:
        least = width_from_gamma(_SEEN_ROUNDING / (4.0 * np.finfo(np.float64).eps * largest))
        raise ParameterError(
            f"the kernel is too narrow for these rows: width {width_from_gamma(gamma):.3g} (gamma {gamma:.3g}) is lost "
            "in the rounding of their distances",
            hint=f"rows as far apart as these can be told apart from a width of {least:.1g} on",
        )


def _fit_rbf(table: Table, params: dict[str, Any]) -> dict[str, Any]:
    gamma = _with_gamma("rbf", gamma_from_width, table, params)
    refuse_too_narrow(gamma, table.values)
    return {"gamma": gamma, "center": table.values.mean(axis=0)}


def _one_over(width: float) -> float:
    return 1.0 / width


def _fit_laplacian(table: Table, params: dict[str, Any]) -> dict[str, Any]:
    return {"gamma": _with_gamma("laplacian", _one_over, table, params)}


def _degree(params: dict[str, Any], kernel: str) -> int:
    return int(check_whole(f"degree of the kernel {kernel!r}", params["degree"]))


def _fit_polynomial(table: Table, params: dict[str, Any]) -> dict[str, Any]:
    coef0 = _COEF0.check(params["coef0"], hint="with a negative coef0 the kernel is not positive semidefinite")
    return {
        "gamma": _with_gamma("polynomial", None, table, params),
        "degree": _degree(params, "polynomial"),
        "coef0": float(coef0),
    }


def _fit_chi2(table: Table, params: dict[str, Any]) -> dict[str, Any]:
    return {"gamma": _positive("gamma", params["gamma"], "chi2")}


def _not_negative(values: Array, state: Params) -> Array:
    if (values < 0).any():
        row, column = (int(i) for i in np.argwhere(values < 0)[0])
        raise DataError(
            f"row {row}, column {column}: the kernel 'chi2' compares counts and shares, which are not "
            f"negative; found {values[row, column]:g}",
            hint='scale the columns to [0, 1], or use the kernel "laplacian"',
        )
    return values.copy()  # the formula behind it needs an array that can be written to


def _fit_correlation(table: Table, params: dict[str, Any]) -> dict[str, Any]:
    center = _CENTER.check(params["center"])
    if center and table.n_columns < 2:
        raise DataError(
            "the kernel 'correlation' correlates rows across columns and needs at least two columns; found 1 feature(s)"
        )
    return {"degree": _degree(params, "correlation"), "center_rows": bool(center)}


def _fit_mixed(table: Table, params: dict[str, Any]) -> dict[str, Any]:
    return {"gamma": _with_gamma("mixed", gamma_from_width, table, params), "columns": cells_by_column(table)}


_WIDE: Params = {"gamma": None, "width": None}

KERNELS: dict[str, Kernel] = {
    entry.name: entry
    for entry in (
        Kernel(
            "rbf",
            "exp(-gamma |x - z|^2), gamma = 1 / (2 width^2); without either gamma is 1 / columns",
            f.rbf,
            f.unit_diagonal,
            _WIDE,
            _fit_rbf,
            f.with_lengths,
            unit_diagonal=True,
            gamma_of_width=gamma_from_width,
        ),
        Kernel("linear", "x.z", f.linear_kernel, f.linear_diagonal),
        Kernel(
            "polynomial",
            "(gamma x.z + coef0)^degree; gamma is 1 / columns unless given",
            f.polynomial,
            f.polynomial_diagonal,
            {"gamma": None, "degree": 3, "coef0": 1.0},
            _fit_polynomial,
        ),
        Kernel(
            "laplacian",
            "exp(-gamma sum |x - z|), gamma = 1 / width; without either gamma is 1 / columns",
            f.laplacian,
            f.unit_diagonal,
            _WIDE,
            _fit_laplacian,
            unit_diagonal=True,
            gamma_of_width=_one_over,
        ),
        Kernel(
            "cosine",
            "cosine of the angle; 0 for a zero row",
            f.linear_kernel,
            f.linear_diagonal,
            embed=f.cosine_rows,
        ),
        Kernel(
            "chi2",
            "exp(-gamma sum (x - z)^2 / (x + z)) for cells that are not negative",
            f.chi2,
            f.unit_diagonal,
            {"gamma": 1.0},
            _fit_chi2,
            _not_negative,
            unit_diagonal=True,
            not_negative=True,
        ),
        Kernel(
            "tanimoto",
            "x.z / (|x|^2 + |z|^2 - x.z), for bits the share of common ones; two zero rows count as equal",
            f.tanimoto_kernel,
            f.unit_diagonal,
            unit_diagonal=True,
        ),
        Kernel(
            "correlation",
            "((1 + r) / 2)^degree, r the correlation of two rows across columns (their cosine if not center): "
            "local, the more so the higher the degree, but not radial",
            f.correlation,
            f.correlation_diagonal,
            {"degree": 3, "center": True},
            _fit_correlation,
            f.correlation_rows,
        ),
        Kernel(
            "mixed",
            "product over columns: rbf for numbers, 1 or exp(-gamma) for equal or different levels, the expected "
            "value over the training cells where a cell is missing",
            mixed,
            mixed_diagonal,
            _WIDE,
            _fit_mixed,
            unit_diagonal=True,
            gamma_of_width=gamma_from_width,
            kinds=frozenset({"numeric", "ordinal", "nominal"}),
            allows_missing=True,
        ),
    )
}
ALIASES = {"poly": "polynomial", "gaussian": "rbf"}
