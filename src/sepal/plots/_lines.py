"""Several curves over one axis: errors over k, C, width or the number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sepal.exceptions import ParameterError
from sepal.plots._axes import COLORS, INK, SOFT, line_mark, on_axes, quiet_frame, styled


@styled
def draw_lines(
    x: ArrayLike,
    lines: Mapping[str, ArrayLike],
    *,
    xlabel: str,
    ylabel: str,
    bands: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    levels: Mapping[str, float] | None = None,
    marked: Mapping[str, tuple[float, float]] | None = None,
    log: bool = False,
    ax: Any = None,
) -> Any:
    """Draw curves over one axis, told apart by color and dashes.

    Parameters
    ----------
    x : array-like
        Where the curves are known: k, C, width, rows.
    lines : mapping of str to array-like
        The values of each curve; NaN leaves a gap.
    xlabel, ylabel : str
        What the axes show.
    bands : mapping of str to (low, high), optional
        A band around the curve of that name.
    levels : mapping of str to float, optional
        Dotted lines across: the Bayes error, the majority.
    marked : mapping of str to (x, y), optional
        Points with a ring, told in the legend.
    log : bool
        Logarithmic axis across.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ParameterError
        If a curve is not as long as ``x``.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_lines(
    ...     [1, 2, 3], {"test": [0.3, 0.2, 0.25]}, xlabel="k", ylabel="error", levels={"Bayes": 0.1},
    ...     ax=Figure().subplots(),
    ... )
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['test', 'Bayes']
    """
    across = np.asarray(x, dtype=np.float64)
    ax = on_axes(ax)
    for i, (name, values) in enumerate(lines.items()):
        heights = np.asarray(values, dtype=np.float64)
        if heights.shape != across.shape:
            raise ParameterError(f"the curve {name} has {heights.size} values for {across.size} places")
        ax.plot(across, heights, label=name, **line_mark(i))
        if bands and name in bands:
            ax.fill_between(across, *bands[name], color=COLORS[i % len(COLORS)], alpha=0.18, linewidth=0)
    for i, (name, level) in enumerate((levels or {}).items()):
        ax.axhline(level, color=SOFT, linestyle=(":", (0, (6, 2)), (0, (1, 1)))[i % 3], linewidth=1.4, label=name)
    for i, (name, point) in enumerate((marked or {}).items()):
        ax.plot(*point, linestyle="none", marker="ods^"[i % 4], mfc="none", mec=INK, mew=1.5, ms=9, label=name)
    if log:
        ax.set_xscale("log")
    elif np.array_equal(across, np.round(across)):
        ax.xaxis.get_major_locator().set_params(integer=True)  # counts have no halves
    ax.set(xlabel=xlabel, ylabel=ylabel)
    quiet_frame(ax)
    ax.legend()
    return ax


@styled
def draw_surface(
    x: ArrayLike,
    y: ArrayLike,
    error: ArrayLike,
    *,
    xlabel: str,
    ylabel: str,
    label: str = "error",
    best: tuple[float, float] | None = None,
    ax: Any = None,
) -> Any:
    """An error over two settings as shades, the best of them ringed.

    Shades end at four times the distance from the least to the median error: where a machine fails altogether, one
    shade is enough, and the valley keeps its contrast. An axis that spans more than a factor of eight is logarithmic.

    Parameters
    ----------
    x, y : array-like
        The grid, rising.
    error : array-like, shape (len(x), len(y))
        What was found there.
    xlabel, ylabel, label : str
        What the axes and the shades show.
    best : (x, y), optional
        The point to ring; the least error by default.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_surface([1, 2], [1, 4], [[0.3, 0.2], [0.1, 0.2]], xlabel="width", ylabel="C", ax=Figure().subplots())
    >>> ax.lines[0].get_xydata().tolist()
    [[2.0, 1.0]]
    """
    across, up, values = (np.asarray(a, dtype=np.float64) for a in (x, y, error))
    if values.shape != (across.size, up.size):
        raise ParameterError(f"error must have the shape {(across.size, up.size)}; got {values.shape}")
    ax = on_axes(ax)
    low, high = float(values.min()), float(values.max())
    ceiling = low + 4.0 * (float(np.median(values)) - low)
    top = ceiling if low < ceiling < high else high
    mesh = ax.pcolormesh(across, up, values.T, shading="nearest", vmin=low, vmax=top)
    ax.figure.colorbar(mesh, ax=ax, label=label, extend="max" if top < high else "neither")
    if best is None:
        i, j = np.unravel_index(int(values.argmin()), values.shape)
        best = float(across[i]), float(up[j])
    ax.plot(*best, marker="o", mfc="none", mec="white", mew=2.0, ms=10, linestyle="none")
    for axis, grid in (("x", across), ("y", up)):
        if grid.size > 2 and grid[0] > 0 and grid[-1] > 8 * grid[0]:
            getattr(ax, f"set_{axis}scale")("log", base=2)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    return ax
