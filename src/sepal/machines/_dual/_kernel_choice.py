"""From the parameters of a machine to the kernel it uses, the width by alignment included."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import as_table
from sepal.exceptions import DataError
from sepal.kernels import gamma_from_width, refuse_too_narrow, width_from_gamma
from sepal.machines._dual._solvers import NativeKernel
from sepal.machines._equal_rows import MergedRows
from sepal.machines._kernel_rows import aligned_width

Floats = NDArray[np.float64]


def choose_kernel(
    kernel: str | None,
    width: Any,
    gamma: Any,
    degree: Any,
    coef0: Any,
    rows: MergedRows,
    n_jobs: int | None,
    unit: float = 1.0,
) -> tuple[NativeKernel, float | None]:
    """The native kernel, and the width where there is one.

    ``gamma`` as in scikit-learn: a number, ``"scale"`` or ``"auto"``. For the rbf kernel None leaves it to ``width``
    (gamma = 1 / (2 width^2)); for poly and sigmoid None is ``"scale"``. The rows are those of the user times ``unit``,
    and a number that the user gives is in the units of the rows before that; so is the width that is handed back.
    """
    if kernel is None:  # a function
        return NativeKernel("precomputed"), None
    if kernel == "linear":
        return NativeKernel("linear"), None
    if kernel == "rbf" and gamma is None:
        chosen = _width(width, rows, n_jobs, unit)
        refuse_too_narrow(gamma_from_width(chosen), rows.x)
        return NativeKernel("rbf", gamma_from_width(chosen)), chosen / unit
    value = _gamma("scale" if gamma is None else gamma, rows, unit)
    if kernel == "rbf":
        refuse_too_narrow(value, rows.x)
        return NativeKernel("rbf", value), width_from_gamma(value) / unit
    return NativeKernel(kernel, value, float(coef0), int(degree) if kernel == "poly" else 1), None


def _gamma(gamma: Any, rows: MergedRows, unit: float) -> float:
    n_columns = rows.x.shape[1]
    if gamma == "auto":
        return _in_range(1.0 / float(n_columns) / unit / unit)
    if gamma == "scale":
        mean = np.average(rows.x, axis=0, weights=rows.weight)
        centre = float(mean.mean())
        variance = float(np.average(((rows.x - centre) ** 2).mean(axis=1), weights=rows.weight))
        return 1.0 / (n_columns * variance) if variance > 0 else 1.0
    return _in_range(float(gamma) / unit / unit)


def _in_range(gamma: float) -> float:
    """The nearest number that is neither 0 nor infinite."""
    return float(np.clip(gamma, np.finfo(np.float64).tiny, np.finfo(np.float64).max))


def _width(width: Any, rows: MergedRows, n_jobs: int | None, unit: float) -> float:
    if isinstance(width, str) and width == "aligned":
        return aligned_width(as_table(rows.x), rows.codes, rows.weight, "rbf", n_jobs, capped=True)
    return _in_range(float(width) * unit)


def check_products(kernel: NativeKernel, x: Floats) -> None:
    """Whether inner products of rows, to the degree of the kernel, are numbers."""
    if kernel.name not in ("linear", "poly"):
        return
    with np.errstate(over="ignore"):
        peak = kernel.gamma * float(np.einsum("ij,ij->i", x, x).max()) + abs(kernel.coef0)
        peak = float(np.float64(peak) ** (kernel.degree if kernel.name == "poly" else 1))
    if not np.isfinite(peak):
        raise DataError(
            f"kernel={kernel.name!r}: the product of a row with itself is beyond the largest float",
            hint="scale='minmax' or scale='standard'",
        )
