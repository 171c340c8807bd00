"""The whole report as a user gets it: a new process, the command, one HTML page. There is no peer; the goals are times.

Goals on two cores: the bundled breast-cancer set in under 3 s, 20,000 x 20 in under 30 s.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

COMMAND = [sys.executable, "-c", "from sepal.cli import main; main()", "report"]


def _seconds(data: str, page: Path) -> float:
    begin = time.perf_counter()
    subprocess.run([*COMMAND, data, "--out", str(page)], check=True, capture_output=True)
    return time.perf_counter() - begin


def _made(path: Path, n: int, p: int) -> None:
    """Two overlapping normal classes as CSV."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    rows = np.column_stack([rng.normal(size=(n, p)) + 0.4 * y[:, None], y])
    header = ",".join([*(f"x{j}" for j in range(p)), "class"])
    np.savetxt(path, rows, delimiter=",", header=header, comments="", fmt=["%.6g"] * p + ["%d"])


def run(data_folder: Path | None, *, rounds: int = 3, sizes: tuple[int, ...] = (20_000,)) -> None:
    """Time the command; ``data_folder`` is not needed."""
    print("\nthe whole report")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        jobs = {"breast-cancer": (3.0, "breast-cancer", rounds)}
        for n in sizes:
            rows = Path(folder) / f"rows{n}.csv"
            _made(rows, n, 20)
            jobs[f"{n:,} x 20"] = (30.0, str(rows), 1)
        for name, (goal, data, times) in jobs.items():
            found = statistics.median(_seconds(data, page) for _ in range(times))
            verdict = "reached" if found < goal else "missed"
            print(f"  {name:<28}{found:10.2f} s, page {page.stat().st_size / 1e6:.2f} MB; goal {goal:g} s {verdict}")
