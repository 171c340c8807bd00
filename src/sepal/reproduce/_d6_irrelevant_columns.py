"""D6: irrelevant columns added one by one: 1-NN falls, selection holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.learners import KNNClassifier
from sepal.plots import draw_lines, new_panels
from sepal.reproduce._facts import Fact, Result
from sepal.selection import search_subsets

FULL: dict[str, Any] = {"counts": tuple(range(21)), "n_rows": 200, "n_test": 2000, "n_repeats": 5}
QUICK = {**FULL, "counts": tuple(range(13)), "n_rows": 100, "n_test": 500, "n_repeats": 2}


def _rows(n: int, n_noise: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Two columns that separate two classes, and columns of noise of the same spread."""
    labels = np.arange(n) % 2
    telling = rng.normal(size=(n, 2)) + 2.2 * np.column_stack([labels, labels])
    return np.column_stack([telling, rng.normal(scale=1.5, size=(n, n_noise))]), labels


def run(counts: tuple[int, ...], n_rows: int, n_test: int, n_repeats: int) -> Result:
    """Accuracy on new rows: all columns, and those that a forward search by the index keeps."""
    everything, selected = np.zeros((2, len(counts), n_repeats))
    for j in range(n_repeats):
        rng = np.random.default_rng(j)
        (rows, labels), (asked, truth) = _rows(n_rows, max(counts), rng), _rows(n_test, max(counts), rng)
        for i, count in enumerate(counts):
            train = rows[:, : 2 + count]
            everything[i, j] = KNNClassifier(1).fit(train, labels).score(asked[:, : 2 + count], truth)
            kept = list(search_subsets(train, labels, strategy="forward").best.columns)
            selected[i, j] = KNNClassifier(1).fit(rows[:, kept], labels).score(asked[:, kept], truth)
    full, few = everything.mean(axis=1), selected.mean(axis=1)
    facts = (
        Fact("1-NN, no irrelevant column", float(full[0]), digits=3),
        Fact(f"1-NN, {counts[-1]} irrelevant columns", float(full[-1]), digits=3),
        Fact(
            f"1-NN after selection, {counts[-1]} irrelevant columns",
            float(few[-1]),
            why="Selected by the index on the training rows, judged on new ones. Selection is not free either: with "
            "many columns some noise gets in.",
            digits=3,
        ),
    )
    return Result(
        "Every irrelevant column moves the neighbours; choosing columns by the index keeps most of the accuracy.",
        facts,
        {"counts": np.array(counts), "all": full, "selected": few},
    )


def draw(result: Result) -> Any:
    """Accuracy over the number of irrelevant columns."""
    data = result.data
    figure, axes = new_panels(size=(6.6, 4.0))
    lines = {"all columns": data["all"], "selected columns": data["selected"]}
    draw_lines(data["counts"], lines, xlabel="irrelevant columns", ylabel="accuracy of 1-NN on new rows", ax=axes[0, 0])
    return figure
