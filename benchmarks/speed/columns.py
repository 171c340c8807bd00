"""Many columns: exact neighbours of every row by principal axes, beside FAISS and both scikit-learns.

Every contestant answers with all cores which share of the k nearest others of a row have its class; answers are
compared before anything is timed. The share of multiply-adds left out is counted, not timed.
"""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import sepal
import sepal._native as _native
from benchmarks.speed._timing import race, show
from benchmarks.speed.neighbors import CORES, faiss_flat, intelex, ours, sklearn_
from sepal.data import as_table
from sepal.neighbors._planner import COSTS

IMAGES = "mnist_5k_10k.csv.gz"


def _falling(n: int, p: int, directions: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Rows whose spread falls as 1 / j along hidden axes: what images and spectra look like."""
    rng = np.random.default_rng(p)
    hidden = rng.normal(size=(n, directions)) / np.arange(1, directions + 1)
    X = hidden @ np.linalg.qr(rng.normal(size=(p, directions)))[0].T + 1e-3 * rng.normal(size=(n, p))
    return X, np.where(hidden[:, 0] > 0, "right", "left")


def _sets(data: Path | None) -> dict[str, tuple[NDArray[np.float64], NDArray[Any]]]:
    found = {}
    folders = [] if data is None else [data, data / "bench"]
    images = next((folder / IMAGES for folder in folders if (folder / IMAGES).exists()), None)
    if images is not None:
        table = sepal.read_table(images, target="class")
        pixels = [j for j, name in enumerate(table.names) if name.startswith("p") and name[1:].isdigit()]
        found["MNIST"] = (np.ascontiguousarray(table.values[:, pixels] / 255.0), np.asarray(table.y).astype(str))
    found["spread falls as 1 / j"] = _falling(10_000, 400, 100)
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(6_000, 400))
    found["noise, which is left to tiles"] = (noise, np.where(noise[:, 0] > 0, "right", "left"))
    return found


def _contestants(X: NDArray[np.float64], y: NDArray[Any], k: int) -> dict[str, Any]:
    asked = {
        "sepal": lambda: ours(X, y, k),
        "sepal, tiles alone": lambda: _tiles(X, y, k),
        "FAISS flat": lambda: faiss_flat(X, y, k),
        "scikit-learn brute": lambda: sklearn_(X, y, k, "brute"),
    }
    try:
        intelex(X[:50], y[:50], k)
    except ImportError:
        return asked
    return {**asked, "scikit-learn-intelex": lambda: intelex(X.astype(np.float32), y, k)}


def _tiles(X: NDArray[np.float64], y: NDArray[Any], k: int) -> float:
    """The whole call, as if there were no principal axes."""
    with patch.dict(COSTS, axes=lambda work: inf):
        return ours(X, y, k)


def _conversion(X: NDArray[np.float64]) -> None:
    """The array as a table, which copies and checks it, beside a plain copy of the array."""
    timing = race({"plain copy": lambda: X.copy(), "as_table": lambda: as_table(X)}, rounds=15)
    title = f"conversion of {X.shape[0]:,} x {X.shape[1]} float64 numbers that lie row by row"
    show(f"{title}, {timing.ratio('as_table', 'plain copy'):.2f} plain copies", timing, "as_table")


def run(data: Path | None) -> None:
    """Print a table for each set and k."""
    for name, (X, y) in _sets(data).items():
        for k in (1, 10):
            contestants = _contestants(X, y, k)
            for other in [each for each in contestants if each != "sepal"]:
                # In float32 neighbours that are equal to seven digits may be swapped.
                if abs(contestants[other]() - contestants["sepal"]()) > 1e-3:
                    raise AssertionError(f"{name}, k = {k}: {other} answers otherwise")
            title = f"{name}: {X.shape[0]:,} x {X.shape[1]}, k = {k}"
            show(title, race(contestants, budget=45.0), "sepal")
            work = _native.axis_work(points=np.ascontiguousarray(X), k=k, threads=CORES)
            done = {
                "rotation": work.rotation,
                "leading axes": work.leading,
                "further axes": work.further,
                "all columns": work.finished,
            }
            parts = ", ".join(f"{what} {part / work.all:.2%}" for what, part in done.items())
            total = sum(done.values())
            print(
                f"  multiply-adds left out: {1 - total / work.all:.1%} (done: {parts})" if total else "  axes gave up"
            )
        _conversion(X)
