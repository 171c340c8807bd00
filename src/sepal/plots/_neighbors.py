"""Pictures of neighbours: bars split by column, weights, kept rows, and curves over k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.plots._axes import ALARM, COLORS, GRID, INK, SOFT, line_mark, on_axes, quiet_frame, styled

_HATCHES = ("", "//", "..", "\\\\", "xx", "--", "++", "oo")
OTHER_PARTS = "other columns"


@styled
def draw_split_bars(
    lengths: NDArray[np.float64],
    bars: Sequence[str],
    parts: Sequence[str],
    *,
    xlabel: str,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Horizontal bars, the first on top, each made of the parts in its line of ``lengths``.

    Seven parts at most have a color and a hatching of their own, the largest ones; the others are one part together.
    """
    ax = on_axes(ax)
    left, places = np.zeros(len(bars)), np.arange(len(bars))
    shown, names = _largest_parts(np.asarray(lengths, dtype=np.float64), parts)
    for j, name in enumerate(names):
        color, hatch = (SOFT, "") if name == OTHER_PARTS else (COLORS[j], _HATCHES[j])
        ax.barh(places, shown[:, j], left=left, label=name or None, color=color, hatch=hatch, ec="white", linewidth=0)
        left = left + shown[:, j]
    ax.set(xlabel=xlabel, title=title)
    ax.set_yticks(places, bars)
    ax.invert_yaxis()
    quiet_frame(ax)
    if any(names):
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return ax


def _largest_parts(lengths: NDArray[np.float64], parts: Sequence[str]) -> tuple[NDArray[np.float64], list[str]]:
    """As they are, or the largest by their sum over all bars, in the order given, and the sum of all others."""
    if len(parts) <= len(_HATCHES):
        return lengths, list(parts)
    large = np.sort(np.argsort(-lengths.sum(axis=0), kind="stable")[: len(_HATCHES) - 1])
    others = np.delete(lengths, large, axis=1).sum(axis=1, keepdims=True)
    return np.concatenate([lengths[:, large], others], axis=1), [*(parts[j] for j in large), OTHER_PARTS]


@styled
def draw_over_k(
    k: NDArray[np.intp],
    score: NDArray[np.float64],
    error: NDArray[np.float64],
    *,
    others: Mapping[str, NDArray[np.float64]],
    levels: Mapping[str, float],
    chosen: int,
    ylabel: str,
    ax: Any = None,
) -> Any:
    """A score over k with a band of its error, further curves, level lines and the chosen k."""
    ax = on_axes(ax)
    ax.fill_between(k, score - error, score + error, color=COLORS[0], alpha=0.18, linewidth=0)
    ax.plot(k, score, label="leave-one-out", **line_mark(0))
    for i, (name, values) in enumerate(others.items(), start=1):
        ax.plot(k, values, label=name, **line_mark(i))
    for (name, level), style in zip(levels.items(), (":", "--"), strict=False):
        ax.axhline(level, color=SOFT if style == ":" else INK, linestyle=style, label=name)
    ax.axvline(chosen, color=SOFT, linewidth=0.8)
    ax.set(xlabel="k", ylabel=ylabel)
    quiet_frame(ax)
    ax.legend()
    return ax


@styled
def draw_stream(
    rows: ArrayLike,
    rolling: ArrayLike,
    size: int,
    score: float,
    drift_rows: Sequence[int] | NDArray[np.intp],
    ax: Any = None,
) -> Any:
    """The rolling share of right answers over time, with drifts as lines.

    Parameters
    ----------
    rows, rolling : array-like
        The number of a row in the stream, and the share of right answers among the last ones.
    size : int
        How many the last ones are.
    score : float
        The share of right answers among all rows.
    drift_rows : sequence of int
        Where a change was found.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_stream([100, 200, 300], [0.9, 0.6, 0.8], 100, 0.77, [180], ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['last 100 rows', 'all rows: 0.770', 'a change was found']
    """
    ax = on_axes(ax)
    ax.plot(rows, rolling, label=f"last {size} rows", color=COLORS[0])
    ax.axhline(score, color=SOFT, linestyle="--", label=f"all rows: {score:.3f}")
    for i, row in enumerate(drift_rows):
        ax.axvline(row, color=ALARM, linewidth=0.9, linestyle=":", label=None if i else "a change was found")
    ax.set(xlabel="row", ylabel="share predicted rightly")
    quiet_frame(ax)
    ax.legend()
    return ax


@styled
def draw_class_counts(
    classes: Sequence[str], before: Sequence[int], after: Sequence[int], title: str, ax: Any = None
) -> Any:
    """Two bars for each class."""
    ax = on_axes(ax)
    at = np.arange(len(classes))
    ax.bar(at - 0.2, before, 0.4, label="all rows", color=GRID)
    bars = ax.bar(at + 0.2, after, 0.4, label="kept", color=COLORS[0])
    ax.bar_label(bars)
    ax.set_xticks(at, classes)
    ax.set_ylabel("rows")
    ax.set_title(title, fontsize="medium")
    ax.legend()
    return ax


@styled
def draw_size_accuracy(
    names: Sequence[str], kept: Sequence[float], accuracy: Sequence[float], full: float, ax: Any = None
) -> Any:
    """A point per method, with the accuracy of all rows as a line."""
    ax = on_axes(ax)
    ax.axhline(full, color=SOFT, linestyle="--", label="all rows")
    ax.scatter(kept, accuracy, color=COLORS[0], zorder=3)
    for name, x, y in zip(names, kept, accuracy, strict=True):
        ax.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points", fontsize="small")
    ax.set_xlabel("share of rows kept")
    ax.set_ylabel("accuracy of 1-NN on held-out rows")
    ax.legend()
    return ax
