"""A4: the two lists of the twenty best subsets, what they share, and why so little."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import hypergeom

from sepal.plots import draw_bars, new_panels
from sepal.reproduce._facts import Fact, FactTable, Result
from sepal.reproduce._subset_scores import swept

FULL: dict[str, Any] = {"n_top": 20, "n_widths": 12}
QUICK = {**FULL, "n_widths": 5}


def run(n_top: int, n_widths: int) -> Result:
    """The lists, the subsets that cannot be told from the best, and what two random lists would share."""
    found = swept(n_widths)
    index, alignment = found.all_scores["thornton"][1:], found.all_scores["alignment"][1:]
    tops = {
        name: np.argsort(-scores, kind="stable")[:n_top] + 1
        for name, scores in (("index", index), ("alignment", alignment))
    }
    common = sorted(set(tops["index"].tolist()) & set(tops["alignment"].tolist()))
    near = found.sweep.near_best()
    by_chance = n_top * n_top / len(index)
    sizes = {name: float(found.sizes[masks].mean()) for name, masks in tops.items()}
    held = {name: [float(np.mean(masks >> j & 1)) for j in range(9)] for name, masks in tops.items()}
    behind = float(np.sort(index)[::-1][0] - np.sort(index)[::-1][n_top - 1])
    facts = (
        Fact(
            f"subsets in both lists of {n_top}",
            len(common),
            1,
            "The paper's width for the alignment is not given; ours is the best one of each subset.",
        ),
        Fact(
            "two random lists would share",
            by_chance,
            None,
            f"With probability {hypergeom.sf(0, len(index), n_top, n_top):.2f} at least one.",
        ),
        Fact(
            "subsets within one standard error of the best index",
            len(near),
            None,
            f"The twentieth is {behind:.4f} behind the best: the order within the list is noise, and a list of twenty "
            "is an arbitrary part of these.",
        ),
        Fact(
            "mean size, best by index",
            sizes["index"],
            None,
            "The paper finds that the index prefers fewer features.",
            "features",
            1,
        ),
        Fact(
            "mean size, best by alignment",
            sizes["alignment"],
            None,
            "Here the sizes are much the same.",
            "features",
            1,
        ),
    )
    lists = FactTable(
        f"The {n_top} best by each, features counted from 0",
        ("rank", "by index", "index", "by alignment", "alignment"),
        tuple(
            (str(i + 1), found.columns(int(a)), f"{index[a - 1]:.4f}", found.columns(int(b)), f"{alignment[b - 1]:.4f}")
            for i, (a, b) in enumerate(zip(tops["index"], tops["alignment"], strict=True))
        ),
    )
    names = list(found.sweep.names)
    return Result(
        "That the two lists share next to nothing is no puzzle: each is cut out of a crowd of subsets that the data "
        "cannot tell apart.",
        facts,
        {"names": names, "held": held},
        (lists,),
    )


def draw(result: Result) -> Any:
    """How often each feature is in the twenty best, by each criterion."""
    figure, axes = new_panels(1, 2, (5.4, 3.8))
    for ax, (name, shares) in zip(axes[0], result.data["held"].items(), strict=True):
        draw_bars(result.data["names"], shares, xlabel="share of the best that hold the feature", ax=ax)
        ax.set(title=f"by {name}", xlim=(0, 1))
    return figure
