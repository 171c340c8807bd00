"""Pictures of kernels: alignment against width, and decision regions in two dimensions. Plain arrays in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.plots._axes import on_axes

Array = NDArray[np.float64]
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#000000")


def draw_alignment(
    curves: Sequence[tuple[str, Array, Array, float, float]], ylabel: str = "centred alignment", *, ax: Any = None
) -> Any:
    """Alignment against width for one or several subsets of features.

    Parameters
    ----------
    curves : sequence of (name, widths, scores, best width, best score)
        A name of "" leaves the curve out of the legend.
    ylabel : str
        What the scores are.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes
    """
    ax = on_axes(ax, (6.4, 4.2))
    drawn = len(ax.lines) // 2  # curves that are in the picture already, a line and a dot each
    for i, (name, widths, scores, best_width, best_score) in enumerate(curves, start=drawn):
        color = _COLORS[i % len(_COLORS)]
        style = ("-", "--", ":")[i // len(_COLORS) % 3]
        label = f"{name}: {best_score:.3f} at {best_width:.3g}" if name else None
        ax.plot(widths, scores, style, color=color, label=label)
        ax.plot([best_width], [best_score], "o", color=color, markersize=6)
    if len(curves) == 1 and not curves[0][0]:
        best_width, best_score = curves[0][3:]
        text = f"{best_score:.3f} at {best_width:.3g}"
        ax.annotate(text, (best_width, best_score), xytext=(0, 8), textcoords="offset points", ha="center")
        ax.margins(y=0.12)
    ax.set_xscale("log")
    ax.set_xlabel("width σ of the kernel")
    ax.set_ylabel(ylabel)
    ax.grid(alpha=0.25)
    if any(name for name, *_ in curves):
        ax.legend(frameon=False, fontsize="small")
    return ax


def draw_regions(
    xs: Array,
    ys: Array,
    regions: NDArray[np.intp],
    points: Array,
    codes: NDArray[np.intp],
    classes: Sequence[object],
    *,
    decision: Array | None = None,
    ringed_rows: NDArray[np.intp] | None = None,
    names: tuple[str, str] = ("x1", "x2"),
    ax: Any = None,
) -> Any:
    """Decision regions of a classifier on two columns.

    Parameters
    ----------
    xs, ys : ndarray
        The grid, ascending.
    regions : ndarray of int, shape (len(ys), len(xs))
        The predicted class at each grid point, as a position in ``classes``.
    points, codes : ndarray
        Training rows (n, 2), and their classes.
    classes : sequence
        Names of the classes.
    decision : ndarray, shape (len(ys), len(xs)), optional
        Two classes: the boundary is drawn where it is 0, margins dashed where it is -1 and 1.
    ringed_rows : ndarray of int, optional
        Rows to ring: support vectors, feature vectors.
    names : tuple of str
        Of the two columns.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes
    """
    ax = on_axes(ax, (6.4, 4.2))
    from matplotlib.colors import ListedColormap

    colors = [_COLORS[c % len(_COLORS)] for c in range(len(classes))]
    levels = np.arange(len(classes) + 1) - 0.5
    ax.contourf(xs, ys, regions, levels=levels, cmap=ListedColormap(colors), alpha=0.18)
    if decision is not None:
        ax.contour(xs, ys, decision, levels=[0.0], colors="black", linewidths=1.4)
        ax.contour(xs, ys, decision, levels=[-1.0, 1.0], colors="black", linewidths=0.9, linestyles="dashed")
    else:
        for c in range(len(classes)):
            ax.contour(xs, ys, (regions == c).astype(float), levels=[0.5], colors="black", linewidths=0.8)
    markers = "osD^v<>pP*X"
    for c, name in enumerate(classes):
        rows = points[codes == c]
        ax.scatter(rows[:, 0], rows[:, 1], s=16, marker=markers[c % len(markers)], color=colors[c], label=str(name))
    if ringed_rows is not None and len(ringed_rows):
        ringed = points[ringed_rows]
        ax.scatter(ringed[:, 0], ringed[:, 1], s=70, facecolors="none", edgecolors="black", linewidths=1.1)
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    ax.set_xlim(xs[0], xs[-1])
    ax.set_ylim(ys[0], ys[-1])
    ax.legend(fontsize="small", framealpha=0.8)
    return ax
