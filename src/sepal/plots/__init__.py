"""Pictures of plain arrays, drawn with matplotlib, which is imported when something is drawn.

In: arrays and words. Out: matplotlib axes. Knows nothing of tables, measures or results; these call it.
May be imported by every room to the right of ``data``, and imports none.
"""

from __future__ import annotations

from sepal.plots._answers import draw_actual_predicted as draw_actual_predicted
from sepal.plots._answers import draw_confusion as draw_confusion
from sepal.plots._answers import draw_cost_curve as draw_cost_curve
from sepal.plots._answers import draw_reliability as draw_reliability
from sepal.plots._axes import on_axes as on_axes
from sepal.plots._curve import draw_curve
from sepal.plots._geometry import draw_bars as draw_bars
from sepal.plots._geometry import draw_intervals as draw_intervals
from sepal.plots._geometry import draw_planes as draw_planes
from sepal.plots._geometry import draw_radar as draw_radar
from sepal.plots._geometry import draw_simulation as draw_simulation
from sepal.plots._kernels import draw_alignment as draw_alignment
from sepal.plots._kernels import draw_regions as draw_regions
from sepal.plots._neighbors import draw_class_counts as draw_class_counts
from sepal.plots._neighbors import draw_over_k as draw_over_k
from sepal.plots._neighbors import draw_size_accuracy as draw_size_accuracy
from sepal.plots._neighbors import draw_split_bars as draw_split_bars
from sepal.plots._neighbors import draw_stream as draw_stream
from sepal.plots._points import draw_points
from sepal.plots._selection import draw_criteria as draw_criteria
from sepal.plots._selection import draw_history as draw_history
from sepal.plots._selection import draw_inclusion as draw_inclusion
from sepal.plots._selection import draw_score_by_size as draw_score_by_size
from sepal.plots._selection import side_by_side as side_by_side

__all__ = ["draw_curve", "draw_points"]
