"""Plain arrays become pictures, with matplotlib, which is imported when a picture is drawn.

Comes in: numbers and labels. Goes out: matplotlib axes. Knows nothing of the rest; results call it.
"""

from __future__ import annotations

__all__: list[str] = []
