"""A curve with a band around it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sepal.exceptions import ParameterError
from sepal.plots._axes import COLORS, on_axes, quiet_frame, styled


@styled
def draw_curve(
    x: ArrayLike,
    mean: ArrayLike,
    std: ArrayLike,
    *,
    xlabel: str,
    ylabel: str,
    band_label: str,
    line_label: str,
    ax: Any = None,
) -> Any:
    """Draw ``mean`` over ``x`` with the band ``mean`` ± ``std``.

    Parameters
    ----------
    x, mean, std : array-like
        Numbers, as many in each.
    xlabel, ylabel : str
        What the axes show.
    band_label, line_label : str
        For the legend.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ParameterError
        If the arrays differ in length.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> words = {"xlabel": "rows", "ylabel": "accuracy", "band_label": "one split", "line_label": "mean"}
    >>> ax = draw_curve([10, 20], [0.7, 0.8], [0.1, 0.05], ax=Figure().subplots(), **words)
    >>> ax.lines[0].get_ydata().tolist()
    [0.7, 0.8]
    """
    across, middle, spread = (np.asarray(values, dtype=np.float64) for values in (x, mean, std))
    if not across.shape == middle.shape == spread.shape or across.ndim != 1:
        raise ParameterError(
            f"x, mean and std must be arrays of one length; got {across.shape}, {middle.shape} and {spread.shape}"
        )
    ax = on_axes(ax)
    ax.fill_between(across, middle - spread, middle + spread, color=COLORS[0], alpha=0.18, lw=0, label=band_label)
    ax.plot(across, middle, color=COLORS[0], linewidth=2.0, marker="o", markersize=4.5, label=line_label)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    quiet_frame(ax)
    ax.legend(loc="best")
    return ax
