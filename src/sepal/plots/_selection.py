"""Pictures of feature subsets: scores by size, inclusion bars, one criterion against another, the road of a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sepal.plots._axes import on_axes, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BLUE, _ORANGE, _GRAY = "#2b6ca3", "#d95f0e", "#9a9a9a"


def side_by_side(height: float) -> tuple[Any, Any]:
    """A figure and its two axes, on no screen."""
    pyplot()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, height), layout="constrained")
    return figure, figure.subplots(1, 2)


def draw_score_by_size(
    sizes: ArrayLike,
    scores: ArrayLike,
    *,
    label: str,
    band: tuple[float, float],
    near: Sequence[tuple[int, float]] = (),
    ax: Axes | None = None,
) -> Axes:
    """All subsets by size and score; the band holds those near the best, which are drawn in full color."""
    axes = on_axes(ax, (6.4, 4.2))
    size, score = np.asarray(sizes), np.asarray(scores)
    spread = np.random.default_rng(0).uniform(-0.22, 0.22, len(size)) if len(size) > 1 else np.zeros(1)
    marker = 14 if len(size) < 2000 else 3
    axes.axhspan(*band, color=_ORANGE, alpha=0.15, lw=0, label="near the best")
    axes.scatter(size + spread, score, s=marker, color=_GRAY, alpha=0.5, lw=0, rasterized=len(size) > 5000)
    if near:
        x, y = np.array(near, dtype=float).T
        place = x + np.random.default_rng(1).uniform(-0.22, 0.22, len(x)) * (len(size) > 1)
        axes.scatter(place, y, s=20, color=_ORANGE, lw=0, zorder=3)
    best = [(k, float(score[size == k].max())) for k in np.unique(size)]
    axes.plot(*np.array(best).T, color=_BLUE, lw=1.5, label="best of its size")
    axes.set_xlabel("features in the subset")
    axes.set_ylabel(label)
    if len(best) <= 25:
        axes.set_xticks([k for k, _ in best])
    axes.legend(loc="lower right", frameon=False)
    return axes  # type: ignore[no-any-return]


def draw_inclusion(
    names: Sequence[str], shares: ArrayLike, *, n_subsets: int, most: int = 30, ax: Axes | None = None
) -> Axes:
    """A bar per feature: the share of near-best subsets that hold it, largest on top."""
    values = np.asarray(shares, dtype=float)
    order = np.argsort(-values, kind="stable")[:most][::-1]
    axes = on_axes(ax, (6.4, 1.0 + 0.28 * len(order)))
    axes.barh(range(len(order)), values[order], color=[_BLUE if values[i] >= 0.5 else _GRAY for i in order])
    axes.set_yticks(range(len(order)), [names[i] for i in order])
    axes.set_xlim(0, 1)
    axes.axvline(0.5, color="white", lw=1)
    axes.set_xlabel(f"share of the {n_subsets} near-best subsets that hold the feature")
    return axes  # type: ignore[no-any-return]


def draw_criteria(
    x: ArrayLike, y: ArrayLike, sizes: ArrayLike, *, labels: tuple[str, str], ax: Axes | None = None
) -> Axes:
    """One criterion against another over all subsets, colored by size."""
    axes = on_axes(ax, (6.0, 4.6))
    size = np.asarray(sizes)
    points = axes.scatter(x, y, c=size, s=16, cmap="viridis", lw=0, alpha=0.85)
    bar = axes.figure.colorbar(points, ax=axes, label="features in the subset")
    if size.max() <= 25:
        bar.set_ticks(np.unique(size).tolist())
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    r = float(np.corrcoef(np.asarray(x), np.asarray(y))[0, 1])
    axes.set_title(f"{len(size)} subsets, correlation {r:.2f}", loc="left", fontsize="medium")
    return axes  # type: ignore[no-any-return]


def draw_history(evaluations: ArrayLike, best: ArrayLike, *, label: str, ax: Axes | None = None) -> Axes:
    """The best score so far against the number of subsets that were scored."""
    axes = on_axes(ax, (6.4, 3.6))
    axes.step(evaluations, best, where="post", color=_BLUE, lw=1.5)
    axes.set_xlabel("subsets scored")
    axes.set_ylabel(f"best {label} so far")
    return axes  # type: ignore[no-any-return]
