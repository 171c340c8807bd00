"""Pictures of neighbours: bars split by column, weights, kept rows, and curves over k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.plots._axes import on_axes


def draw_split_bars(
    lengths: NDArray[np.float64],
    bars: Sequence[str],
    parts: Sequence[str],
    *,
    xlabel: str,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Horizontal bars, the first on top, each made of the parts in its line of ``lengths``."""
    ax = on_axes(ax)
    left, places = np.zeros(len(bars)), np.arange(len(bars))
    for j, name in enumerate(parts):
        ax.barh(places, lengths[:, j], left=left, label=name or None)
        left = left + lengths[:, j]
    ax.set(xlabel=xlabel, title=title)
    ax.set_yticks(places, bars)
    ax.invert_yaxis()
    if any(parts):
        ax.legend(frameon=False)
    return ax


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
    ax.fill_between(k, score - error, score + error, alpha=0.2)
    ax.plot(k, score, label="leave-one-out")
    for name, values in others.items():
        ax.plot(k, values, label=name, linewidth=1)
    for (name, level), style in zip(levels.items(), (":", "--"), strict=False):
        ax.axhline(level, color="gray" if style == ":" else "black", linestyle=style, label=name)
    ax.axvline(chosen, color="gray", linewidth=0.8)
    ax.set(xlabel="k", ylabel=ylabel)
    ax.legend(frameon=False)
    return ax


def draw_stream(
    rows: NDArray[np.intp],
    rolling: NDArray[np.float64],
    size: int,
    score: float,
    drift_rows: NDArray[np.intp],
    ax: Any = None,
) -> Any:
    """The rolling share of right answers, with drifts as lines."""
    ax = on_axes(ax)
    ax.plot(rows, rolling, label=f"last {size} rows")
    ax.axhline(score, color="0.6", linestyle="--", label=f"all rows: {score:.3f}")
    for row in drift_rows:
        ax.axvline(row, color="C3", linewidth=0.8)
    ax.set(xlabel="row", ylabel="share predicted rightly")
    ax.legend(frameon=False)
    return ax


def draw_class_counts(
    classes: Sequence[str], before: Sequence[int], after: Sequence[int], title: str, ax: Any = None
) -> Any:
    """Two bars for each class."""
    ax = on_axes(ax)
    at = np.arange(len(classes))
    ax.bar(at - 0.2, before, 0.4, label="all rows", color="0.8")
    bars = ax.bar(at + 0.2, after, 0.4, label="kept", color="C0")
    ax.bar_label(bars)
    ax.set_xticks(at, classes)
    ax.set_ylabel("rows")
    ax.set_title(title, fontsize="medium")
    ax.legend(frameon=False)
    return ax


def draw_size_accuracy(
    names: Sequence[str], kept: Sequence[float], accuracy: Sequence[float], full: float, ax: Any = None
) -> Any:
    """A point per method, with the accuracy of all rows as a line."""
    ax = on_axes(ax)
    ax.axhline(full, color="0.6", linestyle="--", label="all rows")
    ax.scatter(kept, accuracy, color="C0", zorder=3)
    for name, x, y in zip(names, kept, accuracy, strict=True):
        ax.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points", fontsize="small")
    ax.set_xlabel("share of rows kept")
    ax.set_ylabel("accuracy of 1-NN on held-out rows")
    ax.legend(frameon=False)
    return ax
