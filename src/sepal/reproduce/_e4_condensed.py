"""E4: condensed nearest neighbour for random orders and for the order by the nearest enemy."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.plots import draw_points, draw_prototypes, new_panels, quiet_frame
from sepal.prototypes import hart
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"n_rows": 100, "n_orders": 20, "seed": 4}
QUICK = FULL


def run(n_rows: int, n_orders: int, seed: int) -> Result:
    """Sizes of the condensed sets, how much they share, and whether the order of the rows plays a part."""
    rng = np.random.default_rng(seed)
    half = n_rows // 2
    rows = np.concatenate([rng.normal(size=(half, 2)), rng.normal((2.2, 1.2), size=(n_rows - half, 2))])
    labels = np.repeat(["a", "b"], [half, n_rows - half])
    by_chance = [hart(rows, labels, order="random", random_state=i).rows for i in range(n_orders)]
    enemy = hart(rows, labels, order="enemy")
    shuffles = [rng.permutation(n_rows) for _ in range(n_orders)]
    again = [np.sort(p[hart(rows[p], labels[p], order="enemy").rows]) for p in shuffles]
    sizes = np.array([len(found) for found in by_chance])
    always = set.intersection(*(set(found.tolist()) for found in by_chance))
    facts = (
        Fact("rows kept, random orders: least", int(sizes.min())),
        Fact("rows kept, random orders: most", int(sizes.max())),
        Fact("rows kept, order by the nearest enemy", enemy.n_kept),
        Fact(
            "different sets from random orders",
            len({tuple(found.tolist()) for found in by_chance}),
            why=f"Of {n_orders}; only {len(always)} rows are in all of them.",
        ),
        Fact(
            "different sets by enemy order, rows shuffled",
            len({tuple(found.tolist()) for found in again}),
            why="Equally far rows are taken in an order that comes from the rows themselves.",
        ),
        Fact(
            "training rows classified rightly by the kept ones", enemy.consistency, why="1 is what condensing promises."
        ),
    )
    data = {"points": rows, "labels": labels, "random": by_chance, "enemy": enemy.rows, "sizes": sizes}
    return Result(
        "A random order gives another condensed set each time; sorted by the nearest unlike row there is one.",
        facts,
        data,
    )


def draw(result: Result) -> Any:
    """All rows, a random condensed set, how often each row is in one of them, and that of the enemy order."""
    data = result.data
    figure, axes = new_panels(2, 2, (5.2, 3.6))
    words: dict[str, Any] = {"xlabel": "x1", "ylabel": "x2"}
    draw_points(data["points"], data["labels"], ax=axes[0, 0], **words)
    axes[0, 0].set_title(f"before: all {len(data['points'])} rows")
    for ax, kept, name in (
        (axes[0, 1], data["random"][0], "after: random order"),
        (axes[1, 1], data["enemy"], "after: enemy order"),
    ):
        draw_prototypes(data["points"], data["labels"], kept, ax=ax, **words)
        ax.set_title(f"{name}, {len(kept)} rows kept")
    _draw_sizes(axes[1, 0], np.sort(data["sizes"]), len(data["enemy"]))
    return figure


def _draw_sizes(ax: Any, sizes: Any, enemy: int) -> None:
    """The sizes of all random condensed sets, and the one of the enemy order."""
    at = np.arange(1, len(sizes) + 1)
    ax.bar(at, sizes, color="#0072b2", width=0.7, label="random orders")
    ax.axhline(enemy, color="#22272e", linestyle="--", label="by the nearest enemy")
    ax.set(xlabel=f"{len(sizes)} random orders, by size", ylabel="rows kept", xticks=at[4::5])
    ax.set_ylim(0, 1.35 * max(sizes.max(), enemy))
    ax.set_title("how many rows each order keeps")
    ax.legend(loc="upper left", ncols=2)
    quiet_frame(ax)
