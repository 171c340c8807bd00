"""A3: the index against the alignment of all 511 subsets of the breast-cancer features."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.plots import draw_criteria, new_panels
from sepal.reproduce._facts import Fact, Result
from sepal.reproduce._subset_scores import swept

FULL: dict[str, Any] = {"corner": 0.95, "n_widths": 24}
QUICK = {**FULL, "n_widths": 8}


def run(corner: float, n_widths: int) -> Result:
    """Both scores of all subsets."""
    found = swept(n_widths)
    index, alignment, sizes = found.all_scores["thornton"][1:], found.all_scores["alignment"][1:], found.sizes[1:]
    best, aligned = int(np.argmax(index)) + 1, int(np.argmax(alignment)) + 1
    facts = (
        Fact("subsets", len(index), 512, "One of the paper's 512 has no feature."),
        Fact("correlation of index and alignment", float(np.corrcoef(index, alignment)[0, 1]), digits=3),
        Fact("highest index", float(index.max()), digits=4, why=f"Features {found.columns(best)}, counted from 0."),
        Fact("highest alignment", float(alignment.max()), digits=4, why=f"Features {found.columns(aligned)}."),
    )
    return Result(
        "Both criteria agree on which subsets are good in general, and not on which of the good ones is the best.",
        facts,
        {"index": index, "alignment": alignment, "sizes": sizes, "corner": corner},
    )


def draw(result: Result) -> Any:
    """All subsets, and the upper right corner enlarged."""
    data = result.data
    figure, axes = new_panels(1, 2, (5.6, 4.2))
    index, alignment, sizes = (np.asarray(data[name]) for name in ("index", "alignment", "sizes"))
    near = index >= data["corner"]
    draw_criteria(index, alignment, sizes, labels=("Thornton's index", "alignment"), ax=axes[0, 0])
    draw_criteria(index[near], alignment[near], sizes[near], labels=("Thornton's index", "alignment"), ax=axes[0, 1])
    return figure
