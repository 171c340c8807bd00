"""Pictures of answers beside the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.plots._axes import on_axes


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
