"""A7: the exact expectation over all random splits against simulated splits, and against the index."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.datasets import load
from sepal.measures import expected_accuracy, thornton_score
from sepal.neighbors import neighbor_ranking
from sepal.plots import draw_lines, new_panels
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"name": "sonar", "share": 0.5, "n_splits": 10000, "seed": 0}
QUICK = {**FULL, "n_splits": 1000}


def _simulated(order: NDArray[np.intp], labels: Any, n_train: int, n_splits: int, seed: int) -> NDArray[np.float64]:
    """The accuracy of 1-NN in each of many random splits; ``order`` is each row's list of neighbours."""
    rng, n = np.random.default_rng(seed), len(labels)
    found = np.empty(n_splits)
    for i in range(n_splits):
        inside = np.zeros(n, dtype=bool)
        inside[rng.permutation(n)[:n_train]] = True
        asked = np.flatnonzero(~inside)
        first = inside[order[asked]].argmax(axis=1)
        found[i] = np.mean(labels[order[asked, first]] == labels[asked])
    return found


def run(name: str, share: float, n_splits: int, seed: int) -> Result:
    """All sizes exactly, and one size by simulation."""
    table = load(name)
    labels = np.asarray(table.y)
    n = table.n_rows
    order = np.asarray(neighbor_ranking(table, n - 1, scale="minmax", ties="index").rows)
    sizes = np.unique(np.round(np.linspace(0.05, (n - 1) / n, 20) * n).astype(int))
    exact = np.asarray(expected_accuracy(table, train_size=sizes.tolist()))
    n_train = round(share * n)
    splits = _simulated(order, labels, n_train, n_splits, seed)
    at = np.unique(np.geomspace(10, n_splits, 13).astype(int))
    running = np.array([splits[:m].mean() for m in at])
    target = float(np.asarray(expected_accuracy(table, train_size=n_train)))
    index = thornton_score(table)
    facts = (
        Fact("Thornton's index", index, digits=4),
        Fact(
            f"mean over all splits with {share:.0%} for training, exact",
            target,
            index,
            "The paper: identical. It is lower: half of the rows know less than all but one.",
            digits=4,
        ),
        Fact(
            f"the same, mean of {n_splits:,} simulated splits",
            float(splits.mean()),
            why=f"Standard error {splits.std() / np.sqrt(n_splits):.4f}; agrees with the exact one.",
            digits=4,
        ),
        Fact(
            "standard deviation of a single split",
            float(splits.std()),
            why="What one random split tells is this uncertain.",
            digits=3,
        ),
        Fact(
            "exact mean with all rows but one for training",
            float(exact[-1]),
            index,
            "Here the claim holds, exactly.",
            digits=4,
        ),
    )
    data = {
        "sizes": sizes,
        "exact": exact,
        "index": index,
        "at": at,
        "running": running,
        "target": target,
        "spread": splits.std(),
    }
    return Result(
        "The index is the mean over splits only where all rows but one train. For every other size there is an exact "
        "mean, and no simulation is needed for it.",
        facts,
        data,
    )


def draw(result: Result) -> Any:
    """Exact accuracy over training sizes, and simulated means coming to the exact one."""
    data = result.data
    figure, axes = new_panels(1, 2, (5.3, 3.9))
    draw_lines(
        data["sizes"],
        {"exact mean over all splits": data["exact"]},
        levels={"Thornton's index": data["index"]},
        xlabel="training rows",
        ylabel="accuracy of 1-NN",
        ax=axes[0, 0],
    )
    width = 2 * data["spread"] / np.sqrt(data["at"])
    draw_lines(
        data["at"],
        {"mean of simulated splits": data["running"]},
        bands={"mean of simulated splits": (data["target"] - width, data["target"] + width)},
        levels={"exact": data["target"], "Thornton's index": data["index"]},
        xlabel="simulated splits, half for training",
        ylabel="accuracy of 1-NN",
        log=True,
        ax=axes[0, 1],
    )
    return figure
