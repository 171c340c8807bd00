"""Decision regions of any fitted classifier: on its two columns, on two of many, or on two principal axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, as_table, column_position
from sepal.exceptions import DataError, ParameterError
from sepal.parameters import Parameter, checked
from sepal.plots._regions import draw_regions

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Plane:
    """A plane through the rows: where they lie in it, and which row each of its points stands for."""

    points: Array
    names: tuple[str, str]
    columns: tuple[int, int] | None
    center: Array
    axes: Array

    def rows(self, places: Array) -> Array:
        """Full rows for places in the plane."""
        if self.columns is None:
            return np.asarray(self.center + places @ self.axes)
        full = np.tile(self.center, (len(places), 1))
        full[:, self.columns] = places
        return full


@checked(
    Parameter("columns", "other", "the two columns to draw, of many", optional=True, also=("sequence",)),
    Parameter("n_grid", "whole", "grid points per side", at_least=2, at_most=10_000),
)
def plot_regions(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    columns: Sequence[str | int] | None = None,
    n_grid: int = 200,
    ax: Any = None,
) -> Any:
    """Draw where a fitted classifier predicts which class.

    Colors are strong where the model is sure of its answer (``predict_proba``). Two classes with a decision function
    have their margins dashed, where it is -1 and 1: for a support vector machine those of its theory. Support vectors
    (``support_``) and feature vectors (``vector_rows_``) are ringed, and one nearest neighbour (``kneighbors`` with
    k = 1) shows its Voronoi cells; also where a pipeline or a search over parameters ends with such a classifier.

    Parameters
    ----------
    model : fitted classifier
        Of Sepal, scikit-learn or anybody: ``predict`` and ``classes_`` are asked for.
    X, y
        The rows it was fitted on, and their classes.
    columns : two names or positions, optional
        Of many columns the two to draw; the others stay at their median, or at their most frequent level. Without it a
        table of more than two columns is shown on its two principal axes (of the standardized columns), and the plane
        through their middle is what the regions are of: rows lie before and behind it.
    n_grid : int
        Grid points per side.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    DataError
        If the rows do not fit the model, hold a class it does not know, or have no principal axes: nominal columns or
        missing cells.
    ParameterError
        If ``columns`` does not name two columns, or ``n_grid`` is below 2.

    Examples
    --------
    >>> import sepal
    >>> from matplotlib.figure import Figure
    >>> table = sepal.datasets.load("athletes")
    >>> ax = plot_regions(sepal.KNNClassifier(1).fit(table), table, n_grid=20, ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('speed', 'agility')
    """
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    table = as_table(X, y)
    if table.y is None:
        raise DataError("regions are drawn with the rows and their classes; there is no y")
    _check_fit(model, table)
    plane = _plane(table, columns)
    low, high = np.nanmin(plane.points, axis=0), np.nanmax(plane.points, axis=0)
    pad = 0.06 * np.where(high > low, high - low, 1.0)
    xs, ys = (np.linspace(low[j] - pad[j], high[j] + pad[j], n_grid) for j in (0, 1))
    places = np.column_stack([np.tile(xs, n_grid), np.repeat(ys, n_grid)])
    query = _query(model, table, plane.rows(places))
    classes = np.asarray(model.classes_)
    order = np.argsort(classes)  # any classifier: they need not be sorted
    ringed, ring_label = _ringed(_last(model, query)[0])
    return draw_regions(
        xs,
        ys,
        order[np.searchsorted(classes, model.predict(query), sorter=order)].reshape(n_grid, n_grid),
        plane.points,
        order[np.searchsorted(classes, table.y, sorter=order)],
        classes.tolist(),
        **_more(model, query, len(classes), n_grid),
        ringed_rows=ringed if ringed is not None and len(ringed) < table.n_rows else None,
        ring_label=ring_label,
        names=plane.names,
        ax=ax,
    )


def _check_fit(model: Any, table: Table) -> None:
    if not hasattr(model, "classes_") or not hasattr(model, "predict"):
        raise ParameterError(f"regions are drawn for a fitted classifier; {type(model).__name__} has no classes")
    expected = getattr(model, "n_features_in_", table.n_columns)
    if expected != table.n_columns:
        raise DataError(f"the model was fitted on {expected} columns; these rows have {table.n_columns}")
    if table.n_columns < 2:
        raise DataError("regions are drawn in a plane, for two columns or more; found 1")
    assert table.y is not None  # noqa: S101 - asked before
    unknown = ~np.isin(table.y, model.classes_)
    if unknown.any():
        raise DataError(f"y, row {int(np.argmax(unknown))}: the model knows no class {table.y[unknown][0]}")


def _plane(table: Table, columns: Sequence[str | int] | None) -> _Plane:
    if columns is None and table.n_columns == 2:
        columns = (0, 1)
    if columns is None:
        return _principal_plane(table)
    if len(columns) != 2:
        raise ParameterError(f"columns must be two names or positions; got {len(columns)}")
    i, j = (column_position(column, table.names, "columns") for column in columns)
    if i == j:
        raise ParameterError(f"columns must be two different ones; got {table.names[i]} twice")
    return _Plane(
        table.values[:, [i, j]],
        (table.names[i], table.names[j]),
        (i, j),
        _middle(table),
        np.empty((0, table.n_columns)),
    )


def _middle(table: Table) -> Array:
    """The median of numbers, the most frequent level of the others."""
    middle = np.empty(table.n_columns)
    for j, kind in enumerate(table.kinds):
        known = table.values[~np.isnan(table.values[:, j]), j]
        levels, counts = np.unique(known, return_counts=True)
        middle[j] = np.median(known) if kind == "numeric" else levels[np.argmax(counts)]
    return middle


def _principal_plane(table: Table) -> _Plane:
    if any(kind != "numeric" for kind in table.kinds) or table.has_missing:
        raise DataError(
            "principal axes need numbers without missing cells; this table has nominal columns or missing cells",
            hint=f"columns=({table.names[0]!r}, {table.names[1]!r}) draws two of its columns",
        )
    center, spread = table.values.mean(axis=0), table.values.std(axis=0)
    unit = np.where(spread > 0, spread, 1.0)
    rows = (table.values - center) / unit
    _, strength, directions = np.linalg.svd(rows, full_matrices=False)
    first = directions[:2]
    first = first * np.sign(first[np.arange(2), np.abs(first).argmax(axis=1)])[:, None]  # the same on every platform
    share = strength**2 / (strength**2).sum()
    names = (f"first principal axis ({share[0]:.0%})", f"second principal axis ({share[1]:.0%})")
    return _Plane(rows @ first.T, names, None, center, first * unit)


def _query(model: Any, table: Table, values: Array) -> Any:
    """The grid as the model takes rows: named where it was fitted on names, a Table for ours."""
    grid = replace(table, values=values, y=None, weights=None, apart=(), notes=())
    if isinstance(getattr(model, "feature_names_in_", None), np.ndarray):
        return grid if type(model).__module__.startswith("sepal.") else grid.frame()
    return grid if any(kind != "numeric" for kind in table.kinds) else values


def _more(model: Any, query: Any, n_classes: int, n_grid: int) -> dict[str, Any]:
    """What the model tells beyond its answers: probabilities, a decision function, the nearest row."""
    found: dict[str, Any] = {}
    if hasattr(model, "predict_proba"):
        found["sureness"] = np.asarray(model.predict_proba(query)).max(axis=1).reshape(n_grid, n_grid)
    if n_classes == 2 and hasattr(model, "decision_function"):
        found["decision"] = np.asarray(model.decision_function(query)).reshape(n_grid, n_grid)
    last, rows = _last(model, query)
    if hasattr(last, "kneighbors") and getattr(last, "n_neighbors_", getattr(last, "n_neighbors", None)) == 1:
        nearest = last.kneighbors(rows, n_neighbors=1, return_distance=False)
        found["cells"] = np.asarray(nearest).reshape(n_grid, n_grid)
    return found


def _last(model: Any, query: Any) -> tuple[Any, Any]:
    """The classifier that a search or a pipeline ends with, and the query as that gets it.

    A pipeline that changes the rows themselves stays as it is: its last step counts other rows.
    """
    while True:
        steps = getattr(model, "steps", None)
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif steps and hasattr(model, "named_steps") and not any(hasattr(step, "fit_resample") for _, step in steps):
            query, model = model[:-1].transform(query) if len(steps) > 1 else query, steps[-1][1]
        else:
            return model, query


def _ringed(model: Any) -> tuple[NDArray[np.intp] | None, str]:
    if hasattr(model, "support_") and hasattr(model, "dual_coef_"):
        return np.asarray(model.support_), "support vectors"
    if hasattr(model, "vector_rows_"):
        return np.asarray(model.vector_rows_), "feature vectors"
    return None, ""
