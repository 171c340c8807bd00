"""The one style sheet: axes to draw on, colors, marks and sizes that every picture shares."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from sepal.exceptions import MissingDependencyError, ParameterError

INK, GRID, SOFT = "#22272e", "#d7dbe0", "#6b7480"
# Told apart by the color-blind and in grey (after Okabe and Ito).
COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#555555")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":")
ALARM = "#c8102e"
WIDEST_FIGURE = 8.4  # inches: on a page of 6.3 the letters of a figure of several axes have about 7 points
# Legible where a picture takes half a page, and the same in a notebook, a report and a file.
STYLE: Any = {
    "font.size": 10.0,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 10.0,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "legend.fontsize": 9.0,
    "legend.framealpha": 0.8,
    "legend.edgecolor": "none",
    "lines.linewidth": 1.6,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "image.cmap": "cividis",
}

_Args = ParamSpec("_Args")
_Drawn = TypeVar("_Drawn")


def class_mark(i: int) -> dict[str, str]:
    """Color and marker of the i-th class: 64 classes look different, neighbours in both."""
    return {"color": COLORS[i % len(COLORS)], "marker": MARKERS[(i + i // len(COLORS)) % len(MARKERS)]}


def line_mark(i: int) -> dict[str, Any]:
    """Color and dashes of the i-th line: told apart by form, too."""
    return {"color": COLORS[i % len(COLORS)], "linestyle": DASHES[i % len(DASHES)]}


def pyplot() -> Any:
    """The drawing module, or an error that says how to get it."""
    try:
        from matplotlib import pyplot as found
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "plots are drawn with matplotlib, which is not installed", hint="pip install 'sepal-learn[app]'"
        ) from error
    return found


def styled(draw: Callable[_Args, _Drawn]) -> Callable[_Args, _Drawn]:
    """A drawing function under the style sheet, whatever the settings of the session are."""

    @wraps(draw)
    def within(*args: _Args.args, **kwargs: _Args.kwargs) -> _Drawn:
        pyplot()
        from matplotlib import rc_context

        with rc_context(STYLE):
            return draw(*args, **kwargs)

    return within


def on_axes(ax: Any, size: tuple[float, float] = (6.0, 4.0)) -> Any:
    """The axes given, or those of a new figure."""
    return pyplot().subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def several_axes(axes: Any, least: int) -> Any:
    """The axes given, in a flat array: one, a sequence of them, or the matrix that ``subplots`` makes."""
    given = np.ravel(np.asarray(axes, dtype=object))
    if len(given) < least or not all(hasattr(ax, "scatter") for ax in given):
        raise ParameterError(f"axes must hold matplotlib axes, at least {least}; got {axes!r}")
    return given


def new_panels(rows: int = 1, columns: int = 1, size: tuple[float, float] = (6.0, 4.0)) -> tuple[Any, Any]:
    """A figure on no screen and a matrix of its axes; ``size`` is that of one of them, in inches.

    Axes beside one another become narrower, so that the letters of a wide figure stay legible on half a page.
    """
    pyplot()
    from matplotlib.figure import Figure

    width = min(size[0] * columns, WIDEST_FIGURE) if columns > 1 else size[0]
    figure = Figure(figsize=(width, size[1] * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def legend_below(ax: Any, columns: int = 2) -> None:
    """The legend under the axes, where it covers no point or line."""
    ax.legend(loc="upper left", bbox_to_anchor=(0.0, -0.16), ncols=columns, frameon=False)


def quiet_frame(ax: Any) -> None:
    """Two spines and a grid behind everything."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color=GRID, linewidth=0.7)
    ax.set_axisbelow(True)
