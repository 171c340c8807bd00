"""Pictures of kernels: alignment against width. Plain arrays in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.plots._axes import INK, line_mark, on_axes, quiet_frame, styled

Array = NDArray[np.float64]


@styled
def draw_alignment(
    curves: Sequence[tuple[str, Array, Array, float, float]], ylabel: str = "centred alignment", *, ax: Any = None
) -> Any:
    """Alignment against width for one or several subsets of features.

    Parameters
    ----------
    curves : sequence of (name, widths, scores, best width, best score)
        A name of "" leaves the curve out of the legend.
    ylabel : str
        What the scores are.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> curve = ("all columns", np.array([0.1, 1.0, 10.0]), np.array([0.2, 0.6, 0.4]), 1.0, 0.6)
    >>> ax = draw_alignment([curve], ax=Figure().subplots())
    >>> ax.get_legend().get_texts()[0].get_text()
    'all columns: 0.600 at 1'
    """
    ax = on_axes(ax, (6.4, 4.2))
    drawn = len(ax.lines) // 2  # curves that are in the picture already, a line and a dot each
    for i, (name, widths, scores, best_width, best_score) in enumerate(curves, start=drawn):
        look = line_mark(i)
        label = f"{name}: {best_score:.3f} at {best_width:.3g}" if name else None
        ax.plot(widths, scores, label=label, **look)
        ax.plot([best_width], [best_score], "o", color=look["color"], markeredgecolor=INK, markersize=6)
    if len(curves) == 1 and not curves[0][0]:
        best_width, best_score = curves[0][3:]
        text = f"{best_score:.3f} at {best_width:.3g}"
        ax.annotate(text, (best_width, best_score), xytext=(0, 8), textcoords="offset points", ha="center")
        ax.margins(y=0.12)
    ax.set_xscale("log")
    ax.set_xlabel("width σ of the kernel")
    ax.set_ylabel(ylabel)
    quiet_frame(ax)
    if any(name for name, *_ in curves):
        ax.legend()
    return ax
