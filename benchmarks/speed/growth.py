"""Growth: time and memory against the number of rows, with the exponents they grow by.

Two normal classes in 4, 8, 10 and 50 columns. Every cell is a process, with a peak of memory of its own; what a process
of the same task has on 1,000 rows is taken off, so that it grows with the rows beyond these. Time is that of the
processors, all threads together, which others on the machine hardly change; the median of ``CALLS`` calls and a second
at least, where they take less than ``ENOUGH`` seconds together: the first calls of a small table ask the system for
most of its memory, and find caches and processor cold.
Larger tables are asked until one takes longer than ``PATIENCE``, or would by the growth from 10,000 rows on. Exponents
are those of the least-squares line through the logarithms of all sizes from 10,000 rows on. Goals: nothing above n log
n (1.1 between 10,000 and a million) in up to 8 columns, and memory in proportion to the rows.

A second table counts what an exact search by a tree looks at (``benchmarks/speed/_visits.py``): there is no clock in
it, and it goes on to ten million rows.

A run takes ``RUN`` seconds at most. Cells are kept in ``results/growth.json``, each with its date and commit, and the
next run goes on where the last one stopped: a machine need not be quiet for an hour. The last line says of which states
of the code the cells are; delete the file to measure all anew.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from datetime import date
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed._visits import VISITED, count, rows, told_visits

SIZES = (1_000, 10_000, 100_000, 1_000_000)
COLUMNS = (4, 8, 10, 50)
LARGE = 10_000  # below, what a call costs in any case hides how it grows
PATIENCE = 1500.0
RUN = 5400.0
CALLS, LEAST, ENOUGH = 5, 1.0, 10.0  # calls, and seconds of them together
KEPT = Path(__file__).parent / "results" / "growth.json"
FEW_COLUMNS, N_LOG_N = 8, 1.1
Cell = tuple[float, float]  # seconds of processor, MiB


def _thornton(X: Any, y: Any) -> None:
    import sepal

    sepal.thornton_score(X, y)


def _ten_nearest(X: Any, y: Any) -> None:
    from sepal.neighbors import neighbor_ranking

    neighbor_ranking(X, 10)


def _condense(X: Any, y: Any) -> None:
    from sepal.prototypes import fcnn

    fcnn(X, y)


def _sweep(X: Any, y: Any) -> None:
    from sepal.selection import subset_sweep

    subset_sweep(X[:, :4], y)


def _classifier(X: Any, y: Any) -> None:
    import sepal

    sepal.SepalClassifier().fit(X, y)


def _report(X: Any, y: Any) -> None:
    import sepal

    sepal.separability(X, y)


TASKS: dict[str, Callable[[Any, Any], None]] = {
    "Thornton's index": _thornton,
    "10 nearest of all": _ten_nearest,
    "condensed set (fcnn)": _condense,
    "sweep of 4 columns": _sweep,
    "SepalClassifier": _classifier,
    "report": _report,
}


def _alone(task: str, n: int, p: int, answer: Connection) -> None:
    X, y = rows(n, p)
    TASKS[task](*rows(200, p))  # imports and first calls are no growth
    seconds: list[float] = []
    peak = 0.0
    while (len(seconds) < CALLS or sum(seconds) < LEAST) and sum(seconds) < ENOUGH:
        begin = time.process_time()
        TASKS[task](X, y)
        seconds.append(time.process_time() - begin)  # of all threads: a busy machine hardly changes it
        peak = peak or float(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
    answer.send((float(np.median(seconds)), peak - X.nbytes / 2**20))


def cell(task: str, n: int, p: int, patience: float) -> Cell | None:
    """Processor seconds, and the most memory beside the rows themselves; None after that patience."""
    start = multiprocessing.get_context("spawn")
    near, far = start.Pipe(duplex=False)
    process = start.Process(target=_alone, args=(task, n, p, far))
    process.start()
    found = None
    while found is None and _spent(process.pid or 0) < patience:
        found = near.recv() if near.poll(0.5) else None
    if found is None:
        process.kill()
    process.join()
    return found


def _spent(process: int) -> float:
    """Processor seconds of a process so far."""
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def exponent(sizes: list[int], values: list[float]) -> float:
    """The slope of log(value) over log(n).

    >>> round(exponent([10, 100, 1000], [2.0, 200.0, 20000.0]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def state() -> str:
    """The commit that is measured, and the day."""
    asked = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return f"{found or 'no commit'} on {date.today().isoformat()}"


class Cells:
    """What was measured so far, and how much time is left to measure more."""

    def __init__(self, kept: Path | None, seconds: float) -> None:
        self._kept, self._end, self._state = kept, time.perf_counter() + seconds, state()
        found = json.loads(kept.read_text()) if kept is not None and kept.exists() else {}
        # Cells of which nobody knows which code they measured are measured anew.
        self._found: dict[str, Any] = {key: each for key, each in found.items() if isinstance(each, dict)}
        self._used: Counter[str] = Counter()

    def measure(self, key: str, guess: float, run: Callable[[], Any]) -> tuple[bool, Any]:
        """Whether a cell was measured, now or before, and what came out; False where no time is left for it."""
        if key not in self._found:
            if guess + 3.0 > self._end - time.perf_counter():
                return False, None
            self._found[key] = {"found": run(), "of": self._state}
            if self._kept is not None:
                self._kept.write_text(json.dumps(self._found, indent=1) + "\n", encoding="utf-8")
        self._used[self._found[key]["of"]] += 1
        return True, self._found[key]["found"]

    def states(self) -> str:
        """Of which states of the code the cells are."""
        return ", ".join(f"{each} ({count} cells)" for each, count in sorted(self._used.items()))


def line(task: str, p: int, sizes: tuple[int, ...], patience: float, cells: Cells) -> tuple[dict[int, Cell], str]:
    """All sizes of one task, and why it ended."""
    found: dict[int, Cell] = {}
    for n in sizes:
        guess = 0.0
        known = [(size, each) for size, each in found.items() if size >= LARGE]
        if len(known) > 1:
            (a, first), (b, second) = known[-2:]
            slope = max(0.0, math.log(second[0] / first[0]) / math.log(b / a))
            guess = second[0] * (n / b) ** slope
            if guess > patience:
                return found, f"{n:,}: about {guess:,.0f} s, not run"
        done, measured = cells.measure(f"{task}, {p} columns, {n} rows", guess, partial(cell, task, n, p, patience))
        if not done:
            return found, f"{n:,}: in the next run"
        if measured is None:
            return found, f"{n:,}: over {patience:g} s"
        found[n] = (float(measured[0]), float(measured[1]))
    return found, ""


def told(task: str, p: int, found: dict[int, Cell], ended: str) -> tuple[str, float | None, float | None]:
    """One line of the table, and the exponents of time and memory."""
    large = [n for n in found if n >= LARGE]
    base = min((each[1] for each in found.values()), default=0.0)
    cells = "".join(f"{found[n][0]:9.3f} s{max(found[n][1] - base, 0.0):7,.0f} MB" for n in found)
    slope, memory = None, None
    if len(large) > 1:
        slope = exponent(large, [found[n][0] for n in large])
        kept = [(n - min(found), found[n][1] - base) for n in large if found[n][1] - base > 1]
        memory = exponent([n for n, _ in kept], [m for _, m in kept]) if len(kept) > 1 else 0.0
    growth = "" if slope is None else f"   n^{slope:.2f}, memory n^{memory:.2f}"
    return f"  {task:<22}{p:>3}{cells}{growth}{'   ' + ended if ended else ''}", slope, memory


def run(
    data_folder: Path | None,
    *,
    sizes: tuple[int, ...] = SIZES,
    columns: tuple[int, ...] = COLUMNS,
    visited: tuple[int, ...] = (10_000, 100_000, 1_000_000, 10_000_000),
    patience: float = PATIENCE,
    kept: Path | None = KEPT,
) -> None:
    """Print the table; ``data_folder`` is not needed."""
    print("\ngrowth: columns; processor seconds, and memory beside the rows and what 1,000 rows take, for n = ", end="")
    print(", ".join(f"{n:,}" for n in sizes))
    steep: list[str] = []
    large: list[str] = []
    cells = Cells(kept, RUN)
    for task in TASKS:
        for p in columns:
            text, slope, memory = told(task, p, *line(task, p, sizes, patience, cells))
            print(text, flush=True)
            if p <= FEW_COLUMNS and slope is not None and slope > N_LOG_N:
                steep.append(f"{task} in {p} columns (n^{slope:.2f})")
            if memory is not None and memory > N_LOG_N:
                large.append(f"{task} in {p} columns (n^{memory:.2f})")
    missed = f"missed: {', '.join(steep)}" if steep else "reached"
    print(f"  goal: nothing above n log n in up to {FEW_COLUMNS} columns; {missed}")
    print(f"  goal: memory in proportion to n; {'missed: ' + ', '.join(large) if large else 'reached'}")
    print("\nwhat a tree compares each row with, and processor time a row of scipy's cKDTree, for the 1 and 10 nearest")
    for p in VISITED:
        counted = {}
        for n in visited:
            done, found = cells.measure(f"visits, {p} columns, {n} rows", n * 2e-5, partial(count, n, p))
            if not done:
                break
            counted[n] = found
        print(told_visits(p, counted), flush=True)
    print(f"  measured: {cells.states()}")
