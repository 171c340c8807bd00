"""The distances by name, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName, Scaling, Table, as_table, constant_note, fit_scaling, refuse_texts
from sepal.distances._fitted import FittedDistance
from sepal.distances._hvdm import hvdm
from sepal.distances._kernel_induced import kernel_induced
from sepal.distances._mahalanobis import mahalanobis
from sepal.distances._mixed import gower, hamming, tanimoto
from sepal.distances._weights import column_weights
from sepal.exceptions import DataError, ParameterError
from sepal.parameters import Parameter

Params = Mapping[str, Any]


@dataclass(frozen=True)
class Distance:
    """What a distance is, before it has seen data."""

    name: str
    summary: str
    fit: Callable[[Table, Scaling, Params], dict[str, Any]]
    kinds: frozenset[str] = frozenset({"numeric", "ordinal"})
    params: frozenset[str] = frozenset({"weights"})
    required: frozenset[str] = frozenset()
    allows_missing: bool = False
    is_metric: bool = True
    sparse: bool = False  # defined for sparse rows too
    learns_rows: bool = False  # from every row, and not from the ranges of columns alone


_POWER = Parameter("distance_params['p']", "number", "exponent of Minkowski's distance", at_least=1.0, infinite=True)


def _euclidean(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    return {"metric": "l2", "factors": np.sqrt(column_weights(table, params))}


def _manhattan(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    return {"metric": "l1", "factors": column_weights(table, params), "value_is": "distance", "p": 1.0}


def _chebyshev(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    return {"metric": "linf", "factors": column_weights(table, params), "value_is": "distance"}


def _minkowski(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    p = params.get("p", 2.0)
    p = float(_POWER.check(p, hint="below 1 the triangle inequality fails and the neighbours lose their meaning"))
    # The special exponents have exact and faster forms; weights follow scipy: sum of w |x - z|^p.
    if p == 1 or (table.n_columns == 1 and params.get("weights") is None):
        return _manhattan(table, scaling, params)
    if p == 2:
        return _euclidean(table, scaling, params)
    if np.isinf(p):
        # The limit of the weighted sums: only whether a column counts, not how much.
        return {**_chebyshev(table, scaling, params), "factors": (column_weights(table, params) > 0).astype(np.float64)}
    return {
        "metric": "lp",
        "factors": column_weights(table, params) ** (1.0 / p),
        "value_is": "power",
        "p": p,
    }


def _cosine(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    factors = np.sqrt(column_weights(table, params))
    return {"metric": "unit_l2", "factors": factors, "value_is": "double", "unit_length": True}


def _correlation(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    """The cosine distance of rows less their own means; with weights, of weighted means and products."""
    return {
        "metric": "unit_l2",
        "factors": np.ones(table.n_columns),
        "costs": column_weights(table, params),
        "value_is": "double",
        "unit_length": True,
        "centred": True,
    }


def _canberra(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    return _by_size("canberra", table, params)


def _bray_curtis(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    return _by_size("bray_curtis", table, params)


def _by_size(metric: str, table: Table, params: Params) -> dict[str, Any]:
    """Differences relative to the size of what differs: where 0 lies matters, so weights are not factors."""
    return {
        "metric": metric,
        "factors": np.ones(table.n_columns),
        "costs": column_weights(table, params),
        "value_is": "distance",
    }


def _haversine(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    if table.n_columns != 2:
        raise DataError(
            f"Haversine distance only valid in 2 dimensions: latitude and longitude, both in radians; found "
            f"{table.n_columns} columns"
        )
    return {
        "metric": "haversine",
        "scaling": fit_scaling(table.values, table.kinds, None),  # angles are what they are
        "factors": np.ones(2),
        "costs": np.ones(3),
        "value_is": "arc",
    }


def _nan_euclidean(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    weights = column_weights(table, params)
    # The native value is p / (cells present) times the sum: counts that add up to p make that a share of the weights.
    return {"metric": "nan_l2", "factors": np.sqrt(weights), "costs": weights * (len(weights) / weights.sum())}


def _heom(table: Table, scaling: Scaling, params: Params) -> dict[str, Any]:
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    order = np.concatenate([np.flatnonzero(~nominal), np.flatnonzero(nominal)])
    return {
        "metric": "mixed",
        "order": order,
        "factors": np.sqrt(column_weights(table, params))[order],
        "n_numeric": int(np.sum(~nominal)),
    }


_ANY_KIND = frozenset({"numeric", "ordinal", "nominal"})

DISTANCES: dict[str, Distance] = {
    entry.name: entry
    for entry in (
        Distance("euclidean", "square root of the sum of squared differences", _euclidean, sparse=True),
        Distance(
            "weighted_euclidean",
            "Euclidean with a weight per column",
            _euclidean,
            required=frozenset({"weights"}),
        ),
        Distance("manhattan", "sum of absolute differences", _manhattan),
        Distance("chebyshev", "largest absolute difference", _chebyshev),
        Distance("minkowski", "p-th root of the sum of p-th powers", _minkowski, params=frozenset({"weights", "p"})),
        Distance(
            "mahalanobis",
            "Euclidean after whitening by the covariance of the training rows",
            mahalanobis,
            params=frozenset({"weights", "covariance"}),
            learns_rows=True,
        ),
        Distance(
            "cosine",
            "1 - cosine of the angle; a zero row is at distance 1 from every other",
            _cosine,
            is_metric=False,
            sparse=True,
        ),
        Distance(
            "correlation",
            "1 - correlation of the cells of two rows; a constant row is at distance 1 from every other",
            _correlation,
            is_metric=False,
        ),
        Distance(
            "canberra",
            "sum of differences, each relative to the size of the two numbers; two zeros are equal",
            _canberra,
        ),
        Distance(
            "bray_curtis",
            "sum of differences relative to the sum of sizes; two rows of zeros are equal",
            _bray_curtis,
            is_metric=False,
        ),
        Distance(
            "haversine",
            "angle between two places on a globe: latitude and longitude in radians, never scaled",
            _haversine,
            params=frozenset(),
        ),
        Distance(
            "nan_euclidean",
            "Euclidean over the cells present in both rows, scaled up for the absent ones",
            _nan_euclidean,
            allows_missing=True,
            is_metric=False,
        ),
        Distance(
            "heom",
            "mixed kinds: scaled difference, 0/1 for nominal columns, 1 where a cell is missing",
            _heom,
            kinds=_ANY_KIND,
            allows_missing=True,
            is_metric=False,
        ),
        Distance(
            "hvdm",
            "mixed kinds, learnt from the classes: levels are near when their class probabilities are",
            hvdm,
            kinds=_ANY_KIND,
            allows_missing=True,
            is_metric=False,
            learns_rows=True,
        ),
        Distance(
            "gower",
            "mixed kinds: mean over the cells present in both of difference by range, or 0/1",
            gower,
            kinds=_ANY_KIND,
            params=frozenset({"weights", "asymmetric"}),
            allows_missing=True,
            is_metric=False,
        ),
        Distance(
            "hamming",
            "share of columns that differ; a missing cell differs from everything",
            hamming,
            kinds=_ANY_KIND,
            allows_missing=True,
        ),
        Distance(
            "tanimoto",
            "1 - common / all elements of two sets given as 0/1 columns; counts too",
            tanimoto,
            kinds=_ANY_KIND,
            sparse=True,
        ),
        Distance(
            "kernel",
            "distance in the feature space of a Gaussian, linear or polynomial kernel",
            kernel_induced,
            params=frozenset({"weights", "kernel", "gamma", "degree", "constant"}),
        ),
    )
}


IN_OWN_UNITS = (
    "numbers are compared in their own units beside names and missing cells, which count 1: "
    'scale="minmax" gives every column the same weight'
)


def _resolve(name: str, table: Table) -> str:
    """``auto``: Euclidean where it is defined, HEOM where kinds or missing cells ask for it."""
    if name != "auto":
        return name
    return "euclidean" if set(table.kinds) <= {"numeric"} and not table.has_missing else "heom"


def check_params(entry: Distance, params: Params) -> None:
    """Whether a distance takes these parameters, and has all it needs."""
    for name in params:
        if not isinstance(name, str):
            raise ParameterError(f"distance_params must be a mapping of names to values; got the key {name!r}")
    unknown = sorted(set(params) - entry.params)
    if unknown:
        allowed = ", ".join(sorted(entry.params)) or "none"
        raise ParameterError(
            f"distance_params[{unknown[0]!r}] is not known to the distance {entry.name!r}; it takes: {allowed}"
        )
    for name in sorted(entry.required - set(params)):
        raise ParameterError(f"the distance {entry.name!r} needs distance_params[{name!r}]")


def _check_kinds(entry: Distance, table: Table) -> None:
    for name, kind, levels in zip(table.names, table.kinds, table.levels, strict=True):
        if kind == "text":
            refuse_texts(table, f"the distance {entry.name!r} compares numbers and names")
        if kind not in entry.kinds and levels != (False, True):  # false and true are 0 and 1 to all
            raise DataError(
                f"column {name!r} is {kind}, and the distance {entry.name!r} compares numbers only",
                hint='use distance="auto" or "heom", which compare nominal columns as equal or not',
            )


def fit_distance(
    table: Any, distance: str = "auto", *, scale: ScaleName | None = None, params: Params | None = None
) -> FittedDistance:
    """Fit a distance to training rows.

    Parameters
    ----------
    table : Table or what ``as_table`` reads
        The training rows; scaling and covariance come from these alone.
    distance : str
        A name in ``DISTANCES``, or ``"auto"``: Euclidean for complete numbers, else HEOM.
    scale : {"minmax", "standard"} or None
        How numeric columns are scaled first.
    params : mapping, optional
        ``weights`` (one per column), ``p`` (minkowski), ``covariance`` (mahalanobis), ``asymmetric`` (gower: columns
        whose first level, or 0, is absence), ``kernel``, ``gamma``, ``degree`` and ``constant`` (kernel).

    Returns
    -------
    FittedDistance
        Turns rows with the same columns into coordinates, and says which metric compares these.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> fit_distance(as_table([[0.0, None], [2.0, 3.0]]), "auto").name
    'heom'
    """
    if params is not None and not isinstance(params, Mapping):
        raise ParameterError(f"distance_params must be a mapping such as {{'p': 3}}; got {params!r}")
    params, table = dict(params or {}), as_table(table)
    name = _resolve(distance, table) if isinstance(distance, str) else distance
    if not isinstance(name, str) or name not in DISTANCES:
        near = get_close_matches(str(name), DISTANCES, n=1)
        raise ParameterError(
            f"distance must be one of {', '.join(sorted([*DISTANCES, 'auto']))}; got {distance!r}",
            hint=f"did you mean {near[0]!r}?" if near else None,
        )
    entry = DISTANCES[name]
    check_params(entry, params)
    _check_kinds(entry, table)
    scaling = fit_scaling(table.values, table.kinds, scale, levels=table.levels, weights=table.weights)
    fitted = {
        "scaling": scaling,
        "order": np.arange(table.n_columns),
        "notes": (),
        **entry.fit(table, scaling, params),
    }
    if distance == "auto" and name == "heom" and scale is None and "numeric" in table.kinds:
        fitted["notes"] = (*fitted["notes"], IN_OWN_UNITS)
    if scaling.constant:
        fitted["notes"] = (*fitted["notes"], constant_note([table.names[j] for j in scaling.constant]))
    fitted.setdefault("base", _base(table, fitted))
    return FittedDistance(
        name=name, names=table.names, kinds=table.kinds, allows_missing=entry.allows_missing, **fitted
    )


def _base(table: Table, fitted: Mapping[str, Any]) -> NDArray[np.float64]:
    """The lowest training value of each column, where only differences matter and taking it off loses no digit."""
    order = fitted["order"]
    plain = np.all(fitted["factors"] == 1.0) and fitted.get("whitening") is None  # no product that could round
    if plain or fitted.get("unit_length") or fitted["metric"] == "tanimoto" or fitted.get("monomials") is not None:
        return np.zeros(len(order))
    values = fitted["scaling"].apply(table.values)[:, order]
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    low = np.nan_to_num(low)
    with np.errstate(over="ignore", invalid="ignore"):
        lossless = np.all(((values - low) + low == values) | np.isnan(values), axis=0) & np.isfinite(high - low)
    return np.where(lossless & (np.array(table.kinds)[order] != "nominal"), low, 0.0)
