"""Distances that count agreements: Gower, Hamming, Tanimoto."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Scaling, Table, fit_scaling
from sepal.distances._weights import column_weights
from sepal.exceptions import DataError, ParameterError

Params = Mapping[str, Any]


def gower(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    """Sum w s / sum w over the cells present in both; s = |x - z| / range, or 0/1 for nominal columns.

    Columns named in ``asymmetric`` have two levels, of which absence in both rows says nothing.
    """
    asymmetric = _asymmetric(table, params.get("asymmetric"))
    nominal = np.array([kind == "nominal" for kind in table.kinds]) | asymmetric
    order = np.concatenate([np.flatnonzero(~nominal), np.flatnonzero(nominal)])
    absent = None
    if asymmetric.any():
        codes = [_absent_code(table, int(j)) if asymmetric[j] else np.nan for j in order]
        absent = np.array(codes)
    # The range belongs to the definition, whatever scaling was asked for.
    return {
        "metric": "gower",
        "scaling": fit_scaling(table.values, _unscaled(table, asymmetric), "minmax", levels=table.levels),
        "order": order,
        "factors": np.ones(table.n_columns),
        "n_numeric": int(np.sum(~nominal)),
        "value_is": "distance",
        "costs": column_weights(table, params)[order],
        "absent": absent,
    }


def _unscaled(table: Table, asymmetric: NDArray[np.bool_]) -> list[Any]:
    return ["nominal" if asymmetric[j] else kind for j, kind in enumerate(table.kinds)]


def _asymmetric(table: Table, given: Any) -> NDArray[np.bool_]:
    mask = np.zeros(table.n_columns, dtype=bool)
    for column in () if given is None else given:
        if isinstance(column, str) and column in table.names:
            mask[table.names.index(column)] = True
        elif isinstance(column, (int, np.integer)) and not isinstance(column, bool) and 0 <= column < table.n_columns:
            mask[int(column)] = True
        else:
            raise ParameterError(f"distance_params['asymmetric']: there is no column {column!r}")
    return mask


def _absent_code(table: Table, j: int) -> float:
    """The code that stands for absence: the first of two levels, or the number 0."""
    levels, values = table.levels[j], table.values[:, j]
    distinct = np.unique(values[~np.isnan(values)])
    if (levels is not None and len(levels) > 2) or (levels is None and not set(distinct.tolist()) <= {0.0, 1.0}):
        raise DataError(
            f"column {table.names[j]!r} is listed as asymmetric, so it must have two levels, the first for absence"
        )
    return 0.0


def hamming(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    """The (weighted) share of columns that differ; a missing cell differs from everything."""
    weights = column_weights(table, params)
    return {
        "metric": "mixed",
        "scaling": fit_scaling(table.values, table.kinds, None),
        "factors": np.ones(table.n_columns),
        "n_numeric": 0,
        "value_is": "distance",
        "costs": weights / weights.sum(),
    }


def tanimoto(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    """Sum w |x - z| / sum w max(x, z): for sets given as 0/1 columns, 1 - |both| / |either|."""
    for name, kind, levels in zip(table.names, table.kinds, table.levels, strict=True):
        if kind == "nominal" and (levels is None or len(levels) > 2):
            raise DataError(
                f"column {name!r} has {len(levels or ())} levels, and the distance 'tanimoto' compares sets",
                hint="give one column per possible element, true or false (or 0 and 1)",
            )
    return {
        "metric": "tanimoto",
        "scaling": fit_scaling(table.values, table.kinds, None),
        "factors": column_weights(table, params),
        "value_is": "distance",
    }
