"""How similar two rows are.

In: rows (a Table, array or data frame) and the name of a kernel, a callable, or a ready matrix. Out: a FittedKernel,
which compares rows block by block, or whole Gram matrices; and what is done to these: centring, normalising, the
distance a kernel induces, the check that it is positive semidefinite.

One convention throughout: the Gaussian kernel is ``exp(-gamma |x - z|^2)``, and a ``width`` sigma means
``gamma = 1 / (2 sigma^2)``. Adding a kernel is one entry in ``KERNELS`` and one oracle.

May be imported by measures, machines and everything after them on the road.
"""

from __future__ import annotations

from sepal.kernels._definite import check_psd, smallest_eigenvalue
from sepal.kernels._fitted import FittedKernel, fit_kernel
from sepal.kernels._gram import gram, gram_blocks
from sepal.kernels._named import KERNELS, Kernel, gamma_from_width, refuse_too_narrow, width_from_gamma
from sepal.kernels._transforms import center_gram, kernel_distance, normalize_gram

__all__ = [
    "KERNELS",
    "FittedKernel",
    "Kernel",
    "center_gram",
    "check_psd",
    "fit_kernel",
    "gamma_from_width",
    "gram",
    "gram_blocks",
    "kernel_distance",
    "normalize_gram",
    "refuse_too_narrow",
    "smallest_eigenvalue",
    "width_from_gamma",
]
