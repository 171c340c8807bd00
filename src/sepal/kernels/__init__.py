"""How similar two rows are.

In: rows (a Table, array or data frame) and the name of a kernel, a callable, or a ready matrix. Out: a FittedKernel,
which compares rows block by block, or whole Gram matrices; and what is done to these: centring, normalising, the
distance a kernel induces, the check that it is positive semidefinite.

One convention throughout: the Gaussian kernel is ``exp(-gamma |x - z|^2)``, and a ``width`` sigma means
``gamma = 1 / (2 sigma^2)``. Adding a kernel is one entry in ``KERNELS`` and one oracle.

May be imported by measures, machines and everything after them on the road.
"""

from __future__ import annotations

from sepal.kernels._definite import check_psd
from sepal.kernels._definite import negative_eigenvalue as negative_eigenvalue
from sepal.kernels._definite import smallest_eigenvalue as smallest_eigenvalue
from sepal.kernels._fitted import FittedKernel, fit_kernel
from sepal.kernels._fitted import KernelFunction as KernelFunction
from sepal.kernels._fitted import find_kernel as find_kernel
from sepal.kernels._fitted import refuse_missing as refuse_missing
from sepal.kernels._gram import gram
from sepal.kernels._gram import gram_blocks as gram_blocks
from sepal.kernels._named import KERNELS, gamma_from_width, width_from_gamma
from sepal.kernels._named import Kernel as Kernel
from sepal.kernels._named import refuse_too_narrow as refuse_too_narrow
from sepal.kernels._squared_distances import squared_distances as squared_distances
from sepal.kernels._transforms import as_gram as as_gram
from sepal.kernels._transforms import center_gram, kernel_distance, normalize_gram

__all__ = [
    "KERNELS",
    "FittedKernel",
    "center_gram",
    "check_psd",
    "fit_kernel",
    "gamma_from_width",
    "gram",
    "kernel_distance",
    "normalize_gram",
    "width_from_gamma",
]
