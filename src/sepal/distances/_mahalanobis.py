"""Mahalanobis distance: Euclidean after whitening by a covariance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Scaling, Table
from sepal.distances._weights import column_weights
from sepal.exceptions import DataError, ParameterError

Params = Mapping[str, Any]


def _covariance(table: Table, values: NDArray[np.float64], params: Params) -> NDArray[np.float64]:
    given = params.get("covariance")
    if given is None:
        rows = np.ones(len(values)) if table.weights is None else table.weights
        if np.count_nonzero(rows) < 2:
            raise DataError(f"a covariance needs at least two rows; found {np.count_nonzero(rows)} sample(s)")
        if np.all(rows == 1.0):
            return np.atleast_2d(np.cov(values, rowvar=False))
        # A row of weight 3 counts as three rows; where weights are no numbers of rows, nothing is taken off.
        total = rows.sum()
        found = np.cov(values, rowvar=False, aweights=rows, ddof=0)
        return np.atleast_2d(found) * (total / (total - 1.0) if total > 1.0 else 1.0)
    try:
        covariance = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"distance_params['covariance'] must be a matrix of numbers; got {given!r}") from error
    if covariance.shape != (table.n_columns, table.n_columns):
        raise ParameterError(
            f"distance_params['covariance'] must be {table.n_columns} x {table.n_columns}; got shape {covariance.shape}"
        )
    if not np.all(np.isfinite(covariance)):
        raise ParameterError("distance_params['covariance'] must be finite")
    if not np.allclose(covariance, covariance.T):
        raise ParameterError("distance_params['covariance'] must be symmetric")
    if np.linalg.eigvalsh(covariance).min() < -1e-10 * np.abs(covariance).max():
        raise ParameterError("distance_params['covariance'] must not have negative eigenvalues (semidefinite)")
    return covariance


def mahalanobis(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    """Whitening by the eigenvectors: (x-z)' S^+ (x-z) = |W'(x-z)|^2 with W = V diag(1/sqrt(e))."""
    if table.has_missing:
        raise DataError(
            "the covariance of a table with missing values (NaN) is not defined here",
            hint='use missing="drop" to leave rows with missing cells out',
        )
    rows = scaling.apply(table.values)
    # Numbers of any size have a covariance: near 1 their squares neither overflow nor vanish.
    size = 1.0 if "covariance" in params else _powers_of_two_near(np.ptp(rows, axis=0).max())
    covariance = _covariance(table, rows / size, params)
    values, vectors = np.linalg.eigh(covariance)
    kept = values > max(values.max(), 0.0) * len(values) * np.finfo(float).eps  # as numpy.linalg.matrix_rank
    if np.all(kept):
        # Whatever size the columns have, the distance is the same; with all of them near 1 no digit is lost.
        spread = _powers_of_two_near(np.sqrt(np.diag(covariance)))
        values, vectors = np.linalg.eigh(covariance / np.outer(spread, spread))
        size = (size * spread)[:, None]
    if not np.any(kept):
        raise DataError("all columns are constant: no Mahalanobis distance exists")
    dropped = int(np.sum(~kept))
    notes: tuple[str, ...] = ()
    if dropped:
        notes = (f"the covariance is singular: {dropped} directions without variance are ignored",)
    return {
        "metric": "l2",
        "factors": np.sqrt(column_weights(table, params)),
        "whitening": vectors[:, kept] / np.sqrt(values[kept]) / size,
        "notes": notes,
    }


def _powers_of_two_near(sizes: Any) -> NDArray[np.float64]:
    return np.where(np.greater(sizes, 0), np.ldexp(1.0, np.clip(np.frexp(sizes)[1], -1000, 1000)), 1.0)
