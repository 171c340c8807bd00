"""Pictures of feature subsets: scores by size, inclusion bars, one criterion against another, the road of a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sepal.plots._axes import COLORS, SOFT, new_panels, on_axes, quiet_frame, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BLUE, _ORANGE, _GRAY = COLORS[0], COLORS[5], SOFT


def side_by_side(height: float) -> Any:
    """Two axes of a new figure, on no screen."""
    return new_panels(1, 2, (6.0, height))[1][0]


@styled
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
    quiet_frame(axes)
    if len(best) <= 25:
        axes.set_xticks([k for k, _ in best])
    axes.legend(loc="lower right")
    return axes  # type: ignore[no-any-return]


@styled
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


@styled
def draw_criteria(
    x: ArrayLike, y: ArrayLike, sizes: ArrayLike, *, labels: tuple[str, str], ax: Axes | None = None
) -> Axes:
    """A scattergram of feature subsets: one criterion against another, colored by size.

    Parameters
    ----------
    x, y : array-like
        What each criterion says of each subset.
    sizes : array-like of int
        Features in each subset.
    labels : (str, str)
        The names of the criteria.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> ax = draw_criteria([0.1, 0.2, 0.3], [1, 2, 3], [1, 1, 2], labels=("alignment", "index"), ax=ax)
    >>> ax.get_title(loc="left")
    '3 subsets, correlation 1.00'
    """
    axes = on_axes(ax, (6.0, 4.6))
    size = np.asarray(sizes)
    points = axes.scatter(x, y, c=size, s=16, cmap="cividis", lw=0, alpha=0.85)
    bar = axes.figure.colorbar(points, ax=axes, label="features in the subset")
    if size.max() <= 25:
        bar.set_ticks(np.unique(size).tolist())
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    quiet_frame(axes)
    r = float(np.corrcoef(np.asarray(x), np.asarray(y))[0, 1])
    axes.set_title(f"{len(size)} subsets, correlation {r:.2f}", loc="left")
    return axes  # type: ignore[no-any-return]


@styled
def draw_history(evaluations: ArrayLike, best: ArrayLike, *, label: str, ax: Axes | None = None) -> Axes:
    """The best score so far against the number of subsets that were scored."""
    axes = on_axes(ax, (6.4, 3.6))
    axes.step(evaluations, best, where="post", color=_BLUE, lw=1.5)
    axes.set_xlabel("subsets scored")
    axes.set_ylabel(f"best {label} so far")
    quiet_frame(axes)
    return axes  # type: ignore[no-any-return]
