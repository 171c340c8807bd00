"""Points in the plane, colored by class, some of them ringed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sepal.exceptions import ParameterError
from sepal.plots._axes import ALARM, SOFT, class_mark, on_axes, quiet_frame, styled


@styled
def draw_points(
    points: ArrayLike,
    labels: ArrayLike,
    *,
    ringed: ArrayLike = (),
    xlabel: str,
    ylabel: str,
    ring_label: str = "suspect",
    ax: Any = None,
) -> Any:
    """Draw labelled points, and a ring around some.

    Parameters
    ----------
    points : array-like, shape (n, 2)
        Where they are.
    labels : array-like, shape (n,)
        Decides color and marker; both repeat beyond eight classes.
    ringed : array-like of int
        Positions of the points that get a ring.
    xlabel, ylabel, ring_label : str
        Words for axes and legend.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ParameterError
        If the shapes do not fit.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> ax = draw_points([[0, 0], [1, 1]], ["a", "b"], ringed=[1], xlabel="x", ylabel="y", ax=ax)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['class a', 'class b', 'suspect']
    """
    places, names, rings = np.asarray(points, dtype=np.float64), np.asarray(labels), np.asarray(ringed, dtype=np.intp)
    if places.ndim != 2 or places.shape[1] != 2 or names.shape != places.shape[:1]:
        raise ParameterError(f"points must be (n, 2) and labels (n,); got {places.shape} and {names.shape}")
    ax = on_axes(ax)
    for i, name in enumerate(np.unique(names).tolist()):
        inside = places[names == name]
        ax.scatter(
            inside[:, 0],
            inside[:, 1],
            s=22,
            **class_mark(i),
            alpha=0.75,
            linewidths=0,
            label=f"class {name}",
        )
    if rings.size:
        around = places[rings]
        ax.scatter(
            around[:, 0], around[:, 1], s=120, facecolors="none", edgecolors=ALARM, linewidths=1.6, label=ring_label
        )
    ax.set(xlabel=xlabel, ylabel=ylabel)
    quiet_frame(ax)
    ax.legend(loc="best")
    return ax


@styled
def draw_prototypes(
    points: ArrayLike, labels: ArrayLike, kept: ArrayLike, *, xlabel: str, ylabel: str, ax: Any = None
) -> Any:
    """Draw the rows that were kept in full, and the others faintly behind them.

    Parameters
    ----------
    points : array-like, shape (n, 2)
        Where all rows are.
    labels : array-like, shape (n,)
        Their classes.
    kept : array-like of int
        Positions of those that stay.
    xlabel, ylabel : str
        What the axes show.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> ax = draw_prototypes([[0, 0], [1, 1], [2, 2]], ["a", "a", "b"], [1, 2], xlabel="x", ylabel="y", ax=ax)
    >>> ax.get_title(loc="left")
    '2 of 3 rows are kept'
    """
    places, names, rows = np.asarray(points, dtype=np.float64), np.asarray(labels), np.asarray(kept, dtype=np.intp)
    if places.ndim != 2 or places.shape[1] != 2 or names.shape != places.shape[:1]:
        raise ParameterError(f"points must be (n, 2) and labels (n,); got {places.shape} and {names.shape}")
    ax = on_axes(ax)
    stays = np.isin(np.arange(len(places)), rows)
    for i, name in enumerate(np.unique(names).tolist()):
        mark, of_class = class_mark(i), names == name
        ax.scatter(*places[of_class & ~stays].T, s=12, marker=mark["marker"], color=SOFT, alpha=0.3, linewidths=0)
        ax.scatter(*places[of_class & stays].T, s=34, **mark, linewidths=0, label=f"class {name}", zorder=3)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=f"{int(stays.sum())} of {len(places)} rows are kept")
    quiet_frame(ax)
    ax.legend(loc="best")
    return ax
