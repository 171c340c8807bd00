"""Decision regions of a fitted classifier on two columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sepal.data import Plane, Table, as_table, plane
from sepal.exceptions import DataError, ParameterError
from sepal.parameters import Parameter, checked

Floats = NDArray[np.float64]
_GRID = Parameter("n_grid", "whole", "points per side of the map", at_least=2, at_most=1_000)


@dataclass(frozen=True, eq=False)
class DecisionRegions:
    """Which class a classifier answers at every point of a grid. Made by :func:`decision_regions`.

    Attributes
    ----------
    xs, ys : (n_grid,) arrays
        The ticks of both axes.
    codes : (n_grid, n_grid) array
        The answer, as a position in ``classes``; ``codes[i, j]`` is at ``(xs[j], ys[i])``.
    margin : (n_grid, n_grid) array or None
        How far the likeliest class is ahead of the next, in probability; None where the classifier gives none.
    decision : (n_grid, n_grid) array or None
        Of two classes the decision function: the border is at 0, margins of a support vector machine at -1 and 1.
    ringed_rows : (n,) array
        Support vectors or feature vectors, as positions in the rows it was fitted on.
    classes : tuple
    names : tuple of str
        The two columns.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> found = decision_regions(sepal.KNNClassifier(1).fit(table), table, n_grid=3)
    >>> found.codes.tolist()
    [[0, 0, 1], [0, 1, 1], [0, 1, 1]]
    """

    xs: Floats
    ys: Floats
    codes: NDArray[np.intp]
    margin: Floats | None
    decision: Floats | None
    ringed_rows: NDArray[np.intp]
    classes: tuple[Any, ...]
    names: tuple[str, ...]

    def plot(self, X: Any, y: Any = None, *, ax: Any = None) -> Any:
        """Draw the regions with the rows, those of the machine ringed."""
        from sepal.plots import draw_regions

        table = as_table(X, y)
        return draw_regions(
            self.xs,
            self.ys,
            self.codes,
            table.values,
            np.searchsorted(np.array(self.classes), np.asarray(table.y)),
            self.classes,
            decision=self.decision,
            ringed_rows=self.ringed_rows,
            names=(table.names[0], table.names[1]),
            ax=ax,
        )


@checked(_GRID)
def decision_regions(machine: Any, X: Any, y: Any = None, *, n_grid: int = 100) -> DecisionRegions:
    """Ask a fitted classifier for its answer at every point of a grid over two columns.

    Parameters
    ----------
    machine : fitted classifier
        Any with ``predict``; support vectors (``support_``) or feature vectors (``vector_rows_``) are told.
    X, y
        The rows it was fitted on, with two numeric columns: they say how far the grid reaches. Or a Plane.
    n_grid : int
        Grid points per side.

    Returns
    -------
    DecisionRegions

    Examples
    --------
    >>> import sepal
    >>> from sepal.machines import SVMClassifier
    >>> table = sepal.datasets.load("athletes")
    >>> found = decision_regions(SVMClassifier().fit(table), table, n_grid=20)
    >>> found.decision.shape, (found.codes == (found.decision > 0)).all()
    ((20, 20), np.True_)
    """
    if isinstance(machine, type) or not hasattr(machine, "predict"):
        raise ParameterError(f"machine must be a fitted classifier; got {machine!r}")
    check_is_fitted(machine)
    flat = _flat(X, y)
    classes = np.asarray(machine.classes_)
    unknown = ~np.isin(flat.table.y, classes)  # type: ignore[arg-type]
    if unknown.any():
        label = np.asarray(flat.table.y)[unknown][0]
        raise DataError(f"y, row {int(np.argmax(unknown))}: the machine knows no class {label}")
    xs, ys, grid = flat.grid(n_grid)
    query = _asked(machine, grid)
    codes = np.searchsorted(classes, machine.predict(query)).reshape(n_grid, n_grid)
    margin = decision = None
    if hasattr(machine, "predict_proba"):
        margin = lead(np.asarray(machine.predict_proba(query))).reshape(n_grid, n_grid)
    if len(classes) == 2 and hasattr(machine, "decision_function"):
        decision = np.asarray(machine.decision_function(query)).reshape(n_grid, n_grid)
    ringed = getattr(machine, "support_", getattr(machine, "vector_rows_", None))
    return DecisionRegions(
        xs,
        ys,
        codes,
        margin,
        decision,
        np.zeros(0, dtype=np.intp) if ringed is None else np.asarray(ringed, dtype=np.intp),
        tuple(classes.tolist()),
        flat.table.names,
    )


def lead(shares: Floats) -> Floats:
    """How far the largest share of each row is ahead of the next."""
    if shares.shape[1] < 2:
        return np.ones(len(shares))
    two = np.partition(shares, shares.shape[1] - 2, axis=1)[:, -2:]
    return np.asarray(two[:, 1] - two[:, 0])


def _flat(X: Any, y: Any) -> Plane:
    if isinstance(X, Plane):
        found = X
    else:
        table = as_table(X, y)
        if table.n_columns != 2:
            raise DataError(f"regions are drawn for two columns; found {table.n_columns}")
        found = plane(table, (0, 1))
    if found.table.y is None:
        raise DataError("regions are drawn with the rows and their classes; there is no y")
    return found


def _asked(machine: Any, grid: Table) -> Any:
    """The grid as the machine takes it: a Table for ours, else as it was trained."""
    if type(machine).__module__.startswith("sepal."):
        return grid if hasattr(machine, "feature_names_in_") else grid.values
    return grid.frame("pandas") if hasattr(machine, "feature_names_in_") else grid.values
