"""From the parameters of a machine to the kernel it uses, the width by alignment included."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import ParameterError
from sepal.machines._dual import NATIVE_KERNELS, NativeKernel
from sepal.machines._merged import MergedRows
from sepal.measures import alignment_curve

Floats = NDArray[np.float64]
KernelFunction = Callable[[Floats, Floats], Any]

_ALIGNED_ROWS = 2000  # rows used to find a width; enough for two digits of it
# Times the root of the mean squared distance. Wider kernels only turn into the linear one, whose alignment may still be
# a little higher, and leave a machine with a given C nothing to bend.
_ALIGNED_GRID = np.geomspace(0.02, 1.0, 20)


def choose_kernel(
    kernel: Any, width: Any, gamma: Any, degree: Any, coef0: Any, rows: MergedRows, n_jobs: int | None
) -> tuple[NativeKernel, float | None]:
    """The native kernel, and the width where there is one.

    ``gamma`` as in scikit-learn: a number, ``"scale"`` or ``"auto"``. For the rbf kernel None leaves it to ``width``
    (gamma = 1 / (2 width^2)); for poly and sigmoid None is ``"scale"``.
    """
    if kernel == "precomputed" or callable(kernel):
        return NativeKernel("precomputed"), None
    if kernel not in NATIVE_KERNELS:
        raise ParameterError(
            f"kernel must be one of {', '.join(NATIVE_KERNELS)}, precomputed or a function; got {kernel!r}"
        )
    if kernel == "linear":
        return NativeKernel("linear"), None
    if kernel == "poly" and (isinstance(degree, bool) or not isinstance(degree, (int, np.integer)) or degree < 1):
        raise ParameterError(f"degree must be an integer of at least 1; got {degree!r}")
    if not isinstance(coef0, Real):
        raise ParameterError(f"coef0 must be a number; got {coef0!r}")
    if kernel == "rbf" and gamma is None:
        chosen = _width(width, rows, n_jobs)
        return NativeKernel("rbf", 1.0 / (2.0 * chosen * chosen)), chosen
    value = _gamma("scale" if gamma is None else gamma, rows)
    if kernel == "rbf":
        return NativeKernel("rbf", value), float((2.0 * value) ** -0.5)
    return NativeKernel(kernel, value, float(coef0), int(degree) if kernel == "poly" else 1), None


def _gamma(gamma: Any, rows: MergedRows) -> float:
    n_columns = rows.x.shape[1]
    if gamma == "auto":
        return 1.0 / float(n_columns)
    if gamma == "scale":
        mean = np.average(rows.x, axis=0, weights=rows.weight)
        centre = float(mean.mean())
        variance = float(np.average(((rows.x - centre) ** 2).mean(axis=1), weights=rows.weight))
        return 1.0 / (n_columns * variance) if variance > 0 else 1.0
    if isinstance(gamma, Real) and not isinstance(gamma, bool) and 0 < float(gamma) < np.inf:
        return float(gamma)
    raise ParameterError(f"gamma must be a number above 0, 'scale', 'auto' or None; got {gamma!r}")


def _width(width: Any, rows: MergedRows, n_jobs: int | None) -> float:
    if isinstance(width, str) and width == "aligned":
        return _aligned_width(rows, n_jobs)
    if isinstance(width, Real) and not isinstance(width, bool) and 0 < float(width) < np.inf:
        return float(width)
    raise ParameterError(f"width must be a number above 0 or 'aligned'; got {width!r}")


def _aligned_width(rows: MergedRows, n_jobs: int | None) -> float:
    """The width whose rbf kernel is best aligned with the classes, both centred (Cortes, Mohri, Rostamizadeh 2012).

    At most the root of the mean squared distance between rows. Above 2,000 rows every k-th of each class is used.
    """
    step = -(-len(rows.x) // _ALIGNED_ROWS)
    picked = np.concatenate([np.arange(begin, end, step) for begin, end in pairwise(rows.start)])
    x, codes, weight = rows.x[picked], rows.codes[picked], rows.weight[picked]
    if len(np.unique(codes)) < 2 or np.all(x == x[0]):
        return 1.0  # one class, or all rows alike: any width does
    share = weight / weight.sum()
    spread = float(2.0 * (share @ (x - share @ x) ** 2).sum())
    curve = alignment_curve(
        x,
        codes,
        widths=_ALIGNED_GRID * np.sqrt(spread),
        scale=None,
        target="indicator",
        sample_weight=weight,
        n_jobs=n_jobs,
    )
    return curve.best_width
