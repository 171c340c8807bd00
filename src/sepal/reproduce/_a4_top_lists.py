"""A4: the two lists of the twenty best subsets, what they share, and why so little."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from sepal.data import Table
from sepal.datasets import load
from sepal.estimators import fit_view
from sepal.measures import alignment_curve
from sepal.plots import draw_bars, new_panels
from sepal.reproduce._facts import Fact, FactTable, Result
from sepal.reproduce._subset_scores import swept
from sepal.selection import Alignment, CenteredAlignment, subset_sweep

FULL: dict[str, Any] = {"n_top": 20, "n_widths": 24, "n_draws": 10}
QUICK = {"n_top": 20, "n_widths": 8, "n_draws": 1}
_NOISE = 1e-3  # what the paper's program adds to every cell, in scaled units


def _top(scores: NDArray[np.float64], n_top: int) -> NDArray[np.int64]:
    """Masks of the best subsets, best first; ``scores`` as a sweep has them, the empty subset first."""
    return np.argsort(-scores[1:], kind="stable")[:n_top] + 1


def _shared(first: NDArray[np.float64], second: NDArray[np.float64], n_top: int) -> int:
    return len(set(_top(first, n_top).tolist()) & set(_top(second, n_top).tolist()))


def _with_noise(table: Table, draw: int) -> NDArray[np.float64]:
    """The index of every subset as the paper's program has it: a little noise on every cell breaks ties."""
    scaled = fit_view(table, "minmax").coordinates(table)
    noisy = scaled + np.random.default_rng(draw).normal(scale=_NOISE, size=scaled.shape)
    return np.asarray(subset_sweep(noisy, table.y, scale=None).scores)


def run(n_top: int, n_widths: int, n_draws: int) -> Result:
    """The lists, the subsets that cannot be told from the best, and what two random lists would share."""
    found, table = swept(n_widths), load("breast-cancer").drop_missing()
    index_scores, own_width = found.all_scores["thornton"], found.all_scores["alignment"]
    by_form = {}
    for form, criterion in (("plain", Alignment), ("centred", CenteredAlignment)):
        width = float(alignment_curve(table, centered=form == "centred").best_width)
        by_form[form, "one for all"] = np.asarray(subset_sweep(table, criterion=criterion(width=width)).scores)
    by_form["plain", "the best of each"] = own_width
    one_width = by_form["plain", "one for all"]
    index, alignment = index_scores[1:], one_width[1:]
    tops = {"index": _top(index_scores, n_top), "alignment": _top(one_width, n_top)}
    common = _shared(index_scores, one_width, n_top)
    noisy = [_shared(_with_noise(table, draw), one_width, n_top) for draw in range(n_draws)]
    settings = FactTable(
        f"Subsets that both lists of {n_top} share, by what the paper leaves open",
        ("alignment", "width of the kernel", "tied neighbours", "shared"),
        (
            *(
                (form, width, "averaged", str(_shared(index_scores, scores, n_top)))
                for (form, width), scores in by_form.items()
            ),
            ("plain", "one for all", f"parted by noise, {n_draws} draws", f"{min(noisy)} to {max(noisy)}"),
        ),
    )
    near = found.sweep.near_best()
    by_chance = n_top * n_top / len(index)
    sizes = {name: float(found.sizes[masks].mean()) for name, masks in tops.items()}
    wide = float(found.sizes[_top(own_width, n_top)].mean())
    held = {name: [float(np.mean(masks >> j & 1)) for j in range(9)] for name, masks in tops.items()}
    behind = float(np.sort(index)[::-1][0] - np.sort(index)[::-1][n_top - 1])
    facts = (
        Fact(
            f"subsets in both lists of {n_top}",
            common,
            1,
            "One width for all subsets, which the paper takes to be enough: the peak with all nine features. It gives "
            "no number for it, and its program breaks ties by noise: the table below has what other readings share.",
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
            f"With one width for all subsets; with the best width of each the mean is {wide:.1f}.",
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
        (settings, lists),
    )


def draw(result: Result) -> Any:
    """How often each feature is in the twenty best, by each criterion."""
    figure, axes = new_panels(1, 2, (5.4, 3.8))
    for ax, (name, shares) in zip(axes[0], result.data["held"].items(), strict=True):
        draw_bars(result.data["names"], shares, xlabel="share of the best that hold the feature", ax=ax)
        ax.set(title=f"by {name}", xlim=(0, 1))
    return figure
