"""Pictures of answers beside the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.plots._axes import COLORS, on_axes, quiet_frame


def draw_confusion(counts: NDArray[np.int64], classes: Sequence[str], ax: Any = None) -> Any:
    """How often each class (rows) was answered as each (columns)."""
    ax = on_axes(ax)
    ax.imshow(counts, cmap="Blues")
    for (i, j), count in np.ndenumerate(counts):
        ax.text(j, i, str(count), ha="center", va="center")
    places = np.arange(len(classes))
    ax.set(xlabel="classified as", ylabel="class")
    ax.set_xticks(places, classes)
    ax.set_yticks(places, classes)
    return ax


def draw_actual_predicted(actual: NDArray[np.float64], predicted: NDArray[np.float64], ax: Any = None) -> Any:
    """A point per row, and the line on which both agree."""
    ax = on_axes(ax)
    ax.scatter(actual, predicted, s=12)
    ax.axline((float(actual.mean()),) * 2, slope=1.0, color="gray", linewidth=0.8)
    ax.set(xlabel="actual", ylabel="predicted")
    return ax


def draw_reliability(
    confidence: NDArray[np.float64], right: NDArray[np.float64], counts: NDArray[np.int64], ax: Any = None
) -> Any:
    """The share that is right over the mean confidence, larger marks for more rows, and the line of agreement."""
    ax = on_axes(ax)
    ax.axline((0.5, 0.5), slope=1.0, color="gray", linewidth=0.8)
    ax.plot(confidence, right, color=COLORS[0], linewidth=1.5)
    ax.scatter(confidence, right, s=20.0 + 60.0 * counts / counts.max(), color=COLORS[0], zorder=3)
    ax.set(xlabel="confidence", ylabel="share that is right", xlim=(0.0, 1.02), ylim=(0.0, 1.02))
    quiet_frame(ax)
    return ax


def draw_cost_curve(
    weight: NDArray[np.float64], cost: NDArray[np.float64], trivial: NDArray[np.float64], ax: Any = None
) -> Any:
    """The least cost over the weight of misses, and what needs no classifier."""
    ax = on_axes(ax)
    ax.plot(weight, trivial, color="gray", linewidth=0.8, linestyle="--", label="without a classifier")
    ax.plot(weight, cost, color=COLORS[0], linewidth=1.5, label="best threshold")
    ax.set(xlabel="weight of misses", ylabel="cost", xlim=(0.0, 1.0), ylim=(0.0, 0.52))
    ax.legend(frameon=False)
    quiet_frame(ax)
    return ax
