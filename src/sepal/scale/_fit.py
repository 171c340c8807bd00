"""A distance fitted to rows in partitions, from ranges, levels and sums over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sepal.data import ScaleName, Scaling
from sepal.distances import FittedDistance, fit_distance
from sepal.exceptions import ParameterError
from sepal.scale._moments import exact_moments
from sepal.scale._schema import Schema
from sepal.scale._work import Workplace

# What these learn beyond the scaling is the same for the rows of ``Schema.like``.
BY_RANGES = (
    "auto",
    "euclidean",
    "weighted_euclidean",
    "manhattan",
    "chebyshev",
    "minkowski",
    "cosine",
    "correlation",
    "canberra",
    "bray_curtis",
    "haversine",
    "nan_euclidean",
    "heom",
    "gower",
    "hamming",
)


def fit_to_parts(
    schema: Schema,
    work: Workplace,
    distance: str = "auto",
    scale: ScaleName | None = "minmax",
    params: Mapping[str, Any] | None = None,
) -> FittedDistance:
    """The distance that all rows together would give; under "standard" up to the rounding of means."""
    if distance not in BY_RANGES:
        raise ParameterError(
            f"distance {distance!r} cannot be fitted to partitions; these can: {', '.join(BY_RANGES)}",
            hint="or load the rows into one table",
        )
    if params and params.get("weights") is not None and scale is None:
        raise ParameterError("weights need scaled columns on partitions", hint='scale="minmax"')
    fitted = fit_distance(schema.like, distance, scale="minmax" if scale == "standard" else scale, params=params)
    if scale != "standard" or fitted.scaling.how is None or fitted.name == "gower":
        return fitted
    ranged = fitted.scaling
    numeric = [j for j, kind in enumerate(schema.like.kinds) if kind != "nominal" and j not in ranged.constant]
    offset, divisor = ranged.offset.copy(), ranged.divisor.copy()
    low, high = np.nanmin(schema.like.values, axis=0), np.nanmax(schema.like.values, axis=0)
    mean, deviation = exact_moments(schema, work, low, high)
    offset[numeric], divisor[numeric] = mean[numeric], deviation[numeric]
    return replace(fitted, scaling=Scaling("standard", offset, divisor, ranged.shrink, ranged.constant))
