"""Pictures of kept rows. matplotlib is imported only when one is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sepal.exceptions import MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError(
            "drawing needs matplotlib, which is not installed", hint="pip install matplotlib"
        ) from error
    return Figure(figsize=(6.0, 4.0), layout="constrained").subplots()


def draw_class_counts(
    classes: Sequence[str], before: Sequence[int], after: Sequence[int], title: str, ax: Axes | None
) -> Axes:
    """Two bars for each class."""
    ax = _axes(ax)
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
    names: Sequence[str], kept: Sequence[float], accuracy: Sequence[float], full: float, ax: Axes | None
) -> Axes:
    """A point per method, with the accuracy of all rows as a line."""
    ax = _axes(ax)
    ax.axhline(full, color="0.6", linestyle="--", label="all rows")
    ax.scatter(kept, accuracy, color="C0", zorder=3)
    for name, x, y in zip(names, kept, accuracy, strict=True):
        ax.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points", fontsize="small")
    ax.set_xlabel("share of rows kept")
    ax.set_ylabel("accuracy of 1-NN on held-out rows")
    ax.legend(frameon=False)
    return ax
