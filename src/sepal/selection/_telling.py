"""What a search of subsets tells while it runs: how many, how fast, and the best so far."""

from __future__ import annotations

import math
from collections.abc import Callable

from sepal.progress import Progress

# How many subsets were scored, the seconds, and the best score so far (NaN while there is none).
SearchProgress = Callable[[int, float, float], object]


def search_teller(
    progress: Progress | None, n_subsets: int | None = None, limit: float | None = None, share: float = 1.0
) -> SearchProgress | None:
    """The callback of a search, as ``progress(text, share)``.

    The share is that of ``n_subsets``, or of the seconds, where either is known; it goes up to ``share``.

    Examples
    --------
    >>> search_teller(print, n_subsets=8)(4, 2.0, 0.75)
    4 of 8 subsets, 2 per second, best so far 0.7500 0.5
    """
    if progress is None:
        return None
    listener = progress

    def tell(n: int, seconds: float, best: float) -> None:
        of = "" if n_subsets is None else f" of {n_subsets:,}"
        found = "" if math.isnan(best) else f", best so far {best:.4f}"
        done = n / n_subsets if n_subsets else seconds / limit if limit else 0.0
        listener(f"{n:,}{of} subsets, {n / max(seconds, 1e-9):,.0f} per second{found}", share * min(done, 1.0))

    return tell
