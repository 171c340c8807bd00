"""Pictures of plain arrays, drawn with matplotlib, which is imported when something is drawn.

In: arrays and words. Out: matplotlib axes. Knows nothing of tables, measures or results; these call it.
May be imported by every room to the right of ``data``, and imports none.
"""

from __future__ import annotations

from sepal.plots._curve import draw_curve
from sepal.plots._points import draw_points

__all__ = ["draw_curve", "draw_points"]
