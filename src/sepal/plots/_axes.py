"""Axes to draw on, and the few colors every picture shares."""

from __future__ import annotations

from typing import Any

from sepal.exceptions import MissingDependencyError

INK, GRID = "#22272e", "#d7dbe0"
# Told apart by the color-blind and in grey (after Okabe and Ito).
COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#555555")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
ALARM = "#c8102e"


def class_mark(i: int) -> dict[str, str]:
    """Color and marker of the i-th class: 64 classes look different, neighbours in both."""
    return {"color": COLORS[i % len(COLORS)], "marker": MARKERS[(i + i // len(COLORS)) % len(MARKERS)]}


def pyplot() -> Any:
    """The drawing module, or an error that says how to get it."""
    try:
        from matplotlib import pyplot as found
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "plots are drawn with matplotlib, which is not installed", hint="pip install 'sepal-learn[app]'"
        ) from error
    return found


def on_axes(ax: Any, size: tuple[float, float] = (6.0, 4.0)) -> Any:
    """The axes given, or those of a new figure."""
    return pyplot().subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def quiet_frame(ax: Any) -> None:
    """Two spines and a grid behind everything."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color=GRID, linewidth=0.7)
    ax.set_axisbelow(True)
