"""Distances in the feature space of a kernel: d^2 = k(x,x) + k(z,z) - 2 k(x,z)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations_with_replacement
from math import comb, factorial
from typing import Any

import numpy as np

from sepal.data import Scaling, Table
from sepal.distances._weights import column_weights
from sepal.exceptions import ParameterError
from sepal.parameters import check_number, check_whole

MOST_PRODUCTS = 5000


def kernel_induced(table: Table, scaling: Scaling, params: Mapping[str, Any]) -> dict[str, Any]:
    """The Gaussian kernel changes distances but not their order; the polynomial one is spelled out as products."""
    kernel = params.get("kernel", "gaussian")
    gamma = float(check_number("distance_params['gamma']", params.get("gamma", 1.0), above=0.0))
    factors = np.sqrt(column_weights(table, params))
    if kernel == "gaussian":
        return {"metric": "l2", "factors": factors, "value_is": "gaussian", "p": gamma}
    if kernel == "linear":
        return {"metric": "l2", "factors": factors * np.sqrt(gamma)}
    if kernel != "polynomial":
        raise ParameterError(f"distance_params['kernel'] must be 'gaussian', 'linear' or 'polynomial'; got {kernel!r}")
    degree = check_whole("distance_params['degree']", params.get("degree", 2))
    constant = check_number("distance_params['constant']", params.get("constant", 1.0), at_least=0.0)
    monomials, coefficients = products(table.n_columns, int(degree), float(constant))
    return {
        "metric": "l2",
        "factors": factors * np.sqrt(gamma),
        "monomials": monomials,
        "coefficients": coefficients,
    }


def products(n_columns: int, degree: int, constant: float) -> tuple[Any, Any]:
    """(x.z + constant)^degree as an inner product: which columns each coordinate multiplies, and its factor.

    (x.z)^2 in two dimensions is the inner product of (x1^2, x2^2, sqrt(2) x1 x2).
    """
    n = comb(n_columns + degree - (constant == 0), degree)
    if n > MOST_PRODUCTS:
        raise ParameterError(
            f"the polynomial kernel of degree {degree} on {n_columns} columns has {n} products; at most "
            f"{MOST_PRODUCTS} are spelled out",
            hint="use a lower degree, fewer columns or kernel='gaussian'",
        )
    columns = range(n_columns) if constant == 0 else range(-1, n_columns)  # -1: the constant
    monomials, coefficients = [], []
    for chosen in combinations_with_replacement(columns, degree):
        ways = factorial(degree)
        for times in Counter(chosen).values():
            ways //= factorial(times)
        monomials.append(chosen)
        coefficients.append(np.sqrt(ways * constant ** chosen.count(-1)))
    kept = [i for i, chosen in enumerate(monomials) if any(c >= 0 for c in chosen)]  # the constant alone cancels
    return np.array(monomials, dtype=np.intp)[kept], np.array(coefficients)[kept]
