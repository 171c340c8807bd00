"""Around the native part: labels as texts, tables of many columns, and small questions.

Everything here is Python and copying; the search in it is the same for all contestants.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import sepal
from benchmarks.speed._timing import race
from sepal.data import as_table, class_codes
from sepal.neighbors import neighbor_ranking


def _labels(p: int) -> None:
    """Thornton's index of 20,000 rows, the same labels in several forms."""
    rng = np.random.default_rng(p)
    X = rng.normal(size=(20_000, p))
    numbers = (X[:, 0] > 0).astype(np.int64)
    texts = np.where(numbers == 1, "yes", "no")
    forms: dict[str, Any] = {
        "numbers": numbers,
        "array of texts": texts,
        "array of objects": texts.astype(object),
        "list of texts": texts.tolist(),
        "pandas column": pd.Series(texts),
        "polars column": pl.Series(texts.tolist()),
    }
    timing = race({name: lambda y=y: sepal.thornton_score(X, y) for name, y in forms.items()}, rounds=15)
    # What labels cost is little beside what two runs of the same search differ by, so that it is measured by itself.
    reading = race({name: lambda y=y: class_codes(as_table(X, y)) for name, y in forms.items()}, rounds=61)
    base, worst = timing.median("numbers"), 0.0
    for name in forms:
        share = (reading.median(name) - reading.median("numbers")) / base
        worst = max(worst, share)
        more = "" if name == "numbers" else f"  labels {100 * share:+5.1f} %"
        print(f"  Thornton 20,000 x {p}, {name:<18}{1e3 * timing.median(name):9.2f} ms{more}")
    print(f"  goal: texts cost under 10 % of the call; {'reached' if worst < 0.1 else 'missed'}")


def _conversion(n: int = 15_000, p: int = 784) -> None:
    """``as_table``, beside a plain copy of as many float64 cells that lie row by row, and beside numpy's own copy."""
    X = np.random.default_rng(0).random((n, p))
    narrow, frame = X.astype(np.float32), pd.DataFrame(X)
    whole = pd.DataFrame(np.floor(256 * X).astype(np.int64))
    mixed = pd.concat([frame.iloc[:, ::2], whole.iloc[:, 1::2]], axis=1)
    apart = pl.DataFrame({f"x{j}": X[:, j] for j in range(p)})
    contestants = {  # what is converted, and numpy's way from the same cells to float64, row by row
        "array": (lambda: as_table(X), lambda: X.copy()),
        "array of float32": (lambda: as_table(narrow), lambda: narrow.astype(np.float64)),
        "pandas frame": (lambda: as_table(frame), lambda: np.ascontiguousarray(frame.to_numpy())),
        "of whole numbers": (lambda: as_table(whole), lambda: whole.to_numpy().astype(np.float64, order="C")),
        "of both": (lambda: as_table(mixed), lambda: np.ascontiguousarray(mixed.to_numpy())),
        "polars frame": (lambda: as_table(apart), lambda: np.ascontiguousarray(apart.to_numpy())),
    }
    print(f"\n{n:,} x {p} numbers: as_table, which copies, checks and notes; goal: at most 1.5 plain copies")
    print("  (plain copy: X.copy() of float64 row by row; numpy: its copy of the same cells, transposed for a frame;")
    print("  all of them into memory that is new, which the system clears first)")
    for name, (table, copy) in contestants.items():
        timing = race({"table": table, "numpy": copy, "plain": lambda: X.copy()}, rounds=15)
        copies = timing.median("table") / timing.median("plain")
        print(
            f"  {name:<20}{1e3 * timing.median('table'):8.1f} ms  {copies:5.2f} plain copies,"
            f" {timing.ratio('table', 'numpy'):5.2f} times numpy; {'reached' if copies <= 1.5 else 'missed'}"
        )


def run(data: Path | None = None) -> None:
    """Print all lines; ``data`` is not needed."""
    print("\nlabels as texts")
    for p in (4, 10, 20):
        _labels(p)
    _conversion()
    small = np.random.default_rng(1).normal(size=(1_000, 10))
    timing = race({f"k = {k}": lambda k=k: neighbor_ranking(small, k) for k in (1, 5, 10)}, rounds=61)
    print("\nneighbor_ranking, 1,000 x 10; goal under 1 ms")
    for name in timing.seconds:
        print(f"  {name:<8}{1e3 * timing.median(name):7.3f} ms")
