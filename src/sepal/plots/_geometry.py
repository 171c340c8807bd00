"""Pictures of geometry and complexity: intervals, the moving classes, the radar, small multiples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sepal.plots._axes import ALARM, COLORS, GRID, INK, class_mark, on_axes, pyplot, quiet_frame, several_axes, styled


@styled
def draw_intervals(
    names: Sequence[str],
    values: Sequence[float],
    intervals: Sequence[tuple[float, float] | None],
    *,
    xlabel: str,
    ax: Any = None,
) -> Any:
    """A dot and its interval on a line of its own for each name, first on top."""
    ax = on_axes(ax)
    at = np.arange(len(names))[::-1]
    for height, value, interval in zip(at, values, intervals, strict=True):
        if interval is not None:
            ax.plot(interval, [height, height], color=COLORS[0], linewidth=2.0, alpha=0.5, solid_capstyle="round")
        ax.plot([value], [height], "o", color=COLORS[0], markersize=6)
    ax.set(xlabel=xlabel, yticks=at, yticklabels=list(names), ylim=(-0.6, len(names) - 0.4))
    ax.set_xlim(left=0)
    quiet_frame(ax)
    return ax


@styled
def draw_simulation(
    shifts: ArrayLike,
    mean: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    population: ArrayLike,
    *,
    n_per_class: int,
    ax: Any = None,
) -> Any:
    """The angle over the distance of the means: band of samples, their mean, and the population's angle."""
    ax = on_axes(ax)
    ax.fill_between(shifts, low, high, color=COLORS[0], alpha=0.2, linewidth=0, label="middle 95 % of samples")
    ax.plot(shifts, mean, color=COLORS[0], linewidth=2.0, label=f"mean of samples, {n_per_class} rows per class")
    ax.plot(shifts, population, color=INK, linewidth=1.0, linestyle="--", label="population")
    ax.set(xlabel="distance between the class means", ylabel="angle of separability (degrees)", ylim=(0, 90))
    quiet_frame(ax)
    ax.legend(frameon=False, loc="lower right")
    return ax


@styled
def draw_radar(names: Sequence[str], values: Sequence[float], *, groups: Sequence[str], ax: Any = None) -> Any:
    """Values from 0 (center) to 1 (rim), one spoke each, colored by group; NaN leaves a gap."""
    if ax is None:
        ax = pyplot().figure(figsize=(6.0, 6.0), layout="constrained").add_subplot(projection="polar")
    turn = np.linspace(0, 2 * np.pi, len(names), endpoint=False)
    heights = np.asarray(values, dtype=np.float64)
    shown = np.where(np.isnan(heights), 0.0, np.clip(heights, 0, 1))
    ax.set_theta_offset(np.pi / 2)
    ax.set_theta_direction(-1)
    ax.fill(turn, shown, color=COLORS[0], alpha=0.12, linewidth=0)
    ax.plot(np.append(turn, turn[0]), np.append(shown, shown[0]), color=COLORS[0], linewidth=1.2)
    for i, group in enumerate(dict.fromkeys(groups)):
        inside = [j for j, g in enumerate(groups) if g == group and not np.isnan(heights[j])]
        ax.plot(turn[inside], shown[inside], "o", markersize=6, color=COLORS[i % len(COLORS)], label=group)
    ax.set(xticks=turn, xticklabels=list(names), ylim=(0, 1), yticks=[0.25, 0.5, 0.75, 1.0])
    ax.tick_params(labelsize=8)
    ax.grid(color=GRID, linewidth=0.7)
    ax.spines["polar"].set_color(GRID)
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(-0.18, 1.12))
    return ax


@styled
def draw_planes(
    planes: Sequence[tuple[ArrayLike, ArrayLike, str, str, str]],
    labels: ArrayLike,
    *,
    n_columns: int = 3,
    axes: Any = None,
) -> Any:
    """A small scatter plot for each (x, y, name of x, name of y, title), points colored by label.

    Returns the array of axes. ``axes`` may be given, one for each plane; fewer draw fewer.
    """
    names, own_figure = np.asarray(labels), axes is None
    if axes is not None:
        axes = several_axes(axes, 1)
    else:
        wide = min(n_columns, max(len(planes), 1))
        high = -(-len(planes) // wide)
        size = (3.2 * wide, 3.0 * high)
        axes = pyplot().subplots(high, wide, figsize=size, layout="constrained", squeeze=False)[1].ravel()
        for ax in axes[len(planes) :]:
            ax.set_visible(False)
    for ax, (x, y, x_name, y_name, title) in zip(axes, planes, strict=False):
        for i, name in enumerate(np.unique(names).tolist()):
            mask = names == name
            ax.scatter(
                np.asarray(x)[mask],
                np.asarray(y)[mask],
                s=10,
                alpha=0.6,
                linewidths=0,
                **class_mark(i),
                label=str(name),
            )
        ax.set(xlabel=x_name, ylabel=y_name)
        ax.set_title(title, fontsize=9, loc="left", color=INK)
        quiet_frame(ax)
    if len(planes):
        _key_of_classes(axes[0], len(np.unique(names)), own_figure)
    return axes


def _key_of_classes(ax: Any, n_classes: int, own_figure: bool) -> None:
    """Inside the picture; many classes would cover it, and get a key above all pictures if the figure is ours."""
    if n_classes <= len(COLORS) or not own_figure:
        ax.legend(frameon=False, fontsize=8, ncols=1 + n_classes // 12)
        return
    marks, words = ax.get_legend_handles_labels()
    across = max(1, 80 // (5 + max(map(len, words))))
    ax.figure.legend(marks, words, loc="outside upper left", frameon=False, fontsize=8, ncols=across, markerscale=1.5)


@styled
def draw_bars(
    names: Sequence[str], values: Sequence[float], *, xlabel: str, marked: Sequence[int] = (), ax: Any = None
) -> Any:
    """Draw a horizontal bar for each name, the first on top.

    Parameters
    ----------
    names : sequence of str
        What the bars stand for.
    values : sequence of float
        How long they are.
    xlabel : str
        What the lengths mean.
    marked : sequence of int
        Positions of bars in the color of alarm.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    See Also
    --------
    draw_lines : Curves over one axis.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_bars(["age", "sex"], [0.3, 0.1], xlabel="weight", ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['age', 'sex']
    """
    ax = on_axes(ax)
    at = np.arange(len(names))[::-1]
    colors = [ALARM if i in set(marked) else COLORS[0] for i in range(len(names))]
    ax.barh(at, values, color=colors, height=0.7)
    ax.set(xlabel=xlabel, yticks=at, yticklabels=list(names))
    quiet_frame(ax)
    return ax
