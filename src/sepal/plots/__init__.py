"""Pictures, drawn with matplotlib, which is imported when something is drawn.

In: arrays and words (``draw_...``), or a fitted classifier and its rows (``plot_regions``). Out: matplotlib axes, in
one style: colors that the color-blind tell apart, classes and lines told by form, too, sizes for half a page. Nothing
is ever shown on a screen by itself. Knows nothing of measures or results; these call it.

May be imported by every room to the right; imports ``data``.
"""

from __future__ import annotations

from sepal.plots._answers import draw_actual_predicted as draw_actual_predicted
from sepal.plots._answers import draw_confusion, draw_cost_curve, draw_reliability, draw_roc
from sepal.plots._axes import class_mark as class_mark
from sepal.plots._axes import legend_below as legend_below
from sepal.plots._axes import new_panels as new_panels
from sepal.plots._axes import on_axes as on_axes
from sepal.plots._axes import quiet_frame as quiet_frame
from sepal.plots._axes import several_axes as several_axes
from sepal.plots._axes import styled as styled
from sepal.plots._curve import draw_curve
from sepal.plots._geometry import draw_bars
from sepal.plots._geometry import draw_intervals as draw_intervals
from sepal.plots._geometry import draw_planes as draw_planes
from sepal.plots._geometry import draw_radar as draw_radar
from sepal.plots._geometry import draw_simulation as draw_simulation
from sepal.plots._kernels import draw_alignment
from sepal.plots._lines import draw_lines, draw_surface
from sepal.plots._model_regions import plot_regions
from sepal.plots._neighbors import draw_class_counts as draw_class_counts
from sepal.plots._neighbors import draw_over_k as draw_over_k
from sepal.plots._neighbors import draw_size_accuracy as draw_size_accuracy
from sepal.plots._neighbors import draw_split_bars as draw_split_bars
from sepal.plots._neighbors import draw_stream
from sepal.plots._points import draw_points, draw_prototypes
from sepal.plots._regions import draw_regions
from sepal.plots._selection import draw_criteria
from sepal.plots._selection import draw_history as draw_history
from sepal.plots._selection import draw_inclusion as draw_inclusion
from sepal.plots._selection import draw_score_by_size as draw_score_by_size
from sepal.plots._selection import side_by_side as side_by_side

__all__ = [
    "draw_alignment",
    "draw_bars",
    "draw_confusion",
    "draw_cost_curve",
    "draw_criteria",
    "draw_curve",
    "draw_lines",
    "draw_points",
    "draw_prototypes",
    "draw_regions",
    "draw_reliability",
    "draw_roc",
    "draw_stream",
    "draw_surface",
    "plot_regions",
]
