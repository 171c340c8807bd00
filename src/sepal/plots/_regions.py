"""Decision regions in two dimensions, from plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.plots._axes import INK, SOFT, class_mark, on_axes, styled

Array = NDArray[np.float64]
_FAINT, _FULL = 0.10, 0.42  # how strong the color of a region is where nothing and where everything is sure
_EVEN = 0.2


@styled
def draw_regions(
    xs: Array,
    ys: Array,
    regions: NDArray[np.intp],
    points: Array,
    codes: NDArray[np.intp],
    classes: Sequence[object],
    *,
    sureness: Array | None = None,
    decision: Array | None = None,
    cells: NDArray[np.intp] | None = None,
    ringed_rows: NDArray[np.intp] | None = None,
    ring_label: str = "support vectors",
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
    sureness : ndarray, shape (len(ys), len(xs)), optional
        The probability of the predicted class; where it is high, its color is strong.
    decision : ndarray, shape (len(ys), len(xs)), optional
        Two classes: the boundary is drawn where it is 0, margins dashed where it is -1 and 1.
    cells : ndarray of int, shape (len(ys), len(xs)), optional
        The nearest row at each grid point; thin lines part them (Voronoi cells).
    ringed_rows : ndarray of int, optional
        Rows to ring: support vectors, feature vectors.
    ring_label : str
        What they are, for the legend.
    names : tuple of str
        Of the two columns.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> grid, points = np.linspace(0.0, 1.0, 5), np.array([[0.2, 0.5], [0.8, 0.5]])
    >>> halves = np.tile(grid > 0.5, (5, 1)).astype(int)
    >>> ax = draw_regions(grid, grid, halves, points, np.array([0, 1]), ["a", "b"], ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    ax = on_axes(ax, (6.4, 4.2))
    _shade(ax, xs, ys, regions, sureness, len(classes))
    if cells is not None:
        _cell_edges(ax, xs, ys, cells)
    if decision is not None:
        ax.contour(xs, ys, decision, levels=[0.0], colors=INK, linewidths=1.4)
        ax.contour(xs, ys, decision, levels=[-1.0, 1.0], colors=INK, linewidths=0.9, linestyles="dashed")
    else:
        for c in range(len(classes)):
            ax.contour(xs, ys, (regions == c).astype(float), levels=[0.5], colors=INK, linewidths=0.8)
    for c, name in enumerate(classes):
        rows = points[codes == c]
        ax.scatter(*rows.T, s=18, **class_mark(c), label=str(name), edgecolors="white", linewidths=0.4, zorder=3)
    if ringed_rows is not None and len(ringed_rows):
        ringed = points[ringed_rows]
        look = {"facecolors": "none", "edgecolors": INK, "linewidths": 1.1, "zorder": 4}
        ax.scatter(ringed[:, 0], ringed[:, 1], s=70, label=ring_label, **look)
    ax.set(xlabel=names[0], ylabel=names[1], xlim=(xs[0], xs[-1]), ylim=(ys[0], ys[-1]))
    ax.legend()
    return ax


def _shade(ax: Any, xs: Array, ys: Array, regions: NDArray[np.intp], sureness: Array | None, n: int) -> None:
    """The plane in the colors of its classes, as an image."""
    from matplotlib.colors import to_rgb

    colors = np.array([to_rgb(class_mark(c)["color"]) for c in range(n)])
    strength = np.full(regions.shape, _EVEN)
    if sureness is not None:
        least = 1.0 / n
        strength = _FAINT + (_FULL - _FAINT) * np.clip((sureness - least) / (1.0 - least), 0.0, 1.0)
    image = 1.0 - strength[..., None] * (1.0 - colors[regions])
    half = (xs[1] - xs[0]) / 2, (ys[1] - ys[0]) / 2
    extent = (xs[0] - half[0], xs[-1] + half[0], ys[0] - half[1], ys[-1] + half[1])
    ax.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0)


def _cell_edges(ax: Any, xs: Array, ys: Array, cells: NDArray[np.intp]) -> None:
    """Short lines between grid points that have different nearest rows."""
    from matplotlib.collections import LineCollection

    dx, dy = (xs[1] - xs[0]) / 2, (ys[1] - ys[0]) / 2
    i, j = np.nonzero(cells[:, 1:] != cells[:, :-1])
    upright = np.stack([np.c_[xs[j] + dx, ys[i] - dy], np.c_[xs[j] + dx, ys[i] + dy]], axis=1)
    i, j = np.nonzero(cells[1:] != cells[:-1])
    level = np.stack([np.c_[xs[j] - dx, ys[i] + dy], np.c_[xs[j] + dx, ys[i] + dy]], axis=1)
    ax.add_collection(
        LineCollection(list(np.concatenate([upright, level])), colors=SOFT, linewidths=0.5, zorder=1, rasterized=True)
    )
