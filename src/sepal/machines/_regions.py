"""Decision regions of a fitted classifier on two columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sepal.data import as_table, refuse_texts
from sepal.exceptions import DataError


def plot_regions(machine: Any, X: Any, y: Any = None, *, n_grid: int = 200, ax: Any = None) -> Any:
    """Draw where a fitted classifier predicts which class, its rows ringed and, for two classes, margins dashed.

    Margins are where ``decision_function`` is -1 and 1: for a support vector machine those of its theory.

    Parameters
    ----------
    machine : fitted classifier
        Any with ``predict``; support vectors (``support_``) or feature vectors (``vector_rows_``) are ringed.
    X, y
        The rows it was fitted on, with two numeric columns.
    n_grid : int
        Grid points per side.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> ax = plot_regions(sepal.KNNClassifier(1).fit(table), table)  # doctest: +SKIP
    """
    from sepal.plots import draw_regions

    check_is_fitted(machine)
    table = as_table(X, y)
    refuse_texts(table, "regions are drawn for numbers")
    if table.n_columns != 2:
        raise DataError(f"regions are drawn for two columns; found {table.n_columns}")
    if table.y is None:
        raise DataError("regions are drawn with the rows and their classes; there is no y")
    low, high = table.values.min(axis=0), table.values.max(axis=0)
    pad = 0.06 * np.where(high > low, high - low, 1.0)
    xs, ys = (np.linspace(low[j] - pad[j], high[j] + pad[j], n_grid) for j in (0, 1))
    grid = as_table(np.column_stack([np.tile(xs, n_grid), np.repeat(ys, n_grid)]), names=table.names)
    query = grid.frame("pandas") if hasattr(machine, "feature_names_in_") else grid.values
    classes = np.asarray(machine.classes_)
    unknown = ~np.isin(table.y, classes)
    if unknown.any():
        raise DataError(f"y, row {int(np.argmax(unknown)) + 1}: the machine knows no class {table.y[unknown][0]}")
    regions = np.searchsorted(classes, machine.predict(query)).reshape(n_grid, n_grid)
    decision = None
    if len(classes) == 2 and hasattr(machine, "decision_function"):
        decision = machine.decision_function(query).reshape(n_grid, n_grid)
    return draw_regions(
        xs,
        ys,
        regions,
        table.values,
        np.searchsorted(classes, table.y),
        classes.tolist(),
        decision=decision,
        ringed_rows=getattr(machine, "support_", getattr(machine, "vector_rows_", None)),
        names=(table.names[0], table.names[1]),
        ax=ax,
    )
