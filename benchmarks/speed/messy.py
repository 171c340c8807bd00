"""Exports as people bring them: a dozen generated files with names, dates, texts and identifiers.

No column may make the command slow. Each file is read by a new process; the goals are times on two cores. Python finds
the modules compiled, as it does wherever they were imported before: a command that compiled some is run again.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

COMMAND = [sys.executable, "-c", "from sepal.cli import main; main()"]
GOAL = 5.0
EVALUATED = 3  # files on which evaluate --quick is timed, too
WORDS = ("the", "order", "late", "box", "blue", "never", "called", "parcel", "price", "return", "damaged", "thanks")

Columns = dict[str, Iterable[Any]]


def _labels(rng: np.random.Generator, n: int, classes: int = 2) -> np.ndarray:
    return rng.integers(0, classes, n)


def _numbers(rng: np.random.Generator, y: np.ndarray, p: int, shift: float = 0.4) -> Columns:
    return {f"v{j}": np.round(rng.normal(size=len(y)) + shift * y * (j < 5), 3) for j in range(p)}


def _dates(rng: np.random.Generator, n: int) -> list[str]:
    return [str(np.datetime64("2020-01-01") + int(day)) for day in rng.integers(0, 1500, n)]


def _towns(rng: np.random.Generator, n: int, levels: int) -> list[str]:
    return [f"town {k}" for k in rng.integers(0, levels, n)]


def _names(rng: np.random.Generator, n: int) -> list[str]:
    return [f"Person {i} {k}" for i, k in enumerate(rng.integers(0, 10**6, n))]


def _texts(rng: np.random.Generator, n: int) -> list[str]:
    return [" ".join(rng.choice(WORDS, 12)) for _ in range(n)]


def _files(rng: np.random.Generator) -> dict[str, tuple[Callable[[], Columns], list[str]]]:
    """What each file holds, and further options of the command."""

    def table(n: int, p: int, classes: int = 2, **more: Callable[[int], Iterable[Any]]) -> Callable[[], Columns]:
        def made() -> Columns:
            y = _labels(rng, n, classes)
            return {**{name: make(n) for name, make in more.items()}, **_numbers(rng, y, p), "class": y}

        return made

    def dates(n: int) -> Iterable[Any]:
        return _dates(rng, n)

    def names(n: int) -> Iterable[Any]:
        return _names(rng, n)

    def towns(levels: int) -> Callable[[int], Iterable[Any]]:
        return lambda n: _towns(rng, n, levels)

    return {
        "400 x 50, date, 60 towns": (table(400, 48, when=dates, town=towns(60)), []),
        "200 x 7, name, date, 40 towns": (table(200, 4, name=names, when=dates, town=towns(40)), []),
        "500 x 5, name, date": (table(500, 3, name=names, when=dates), []),
        "the same, name kept as levels": (table(500, 3, name=names, when=dates), ["--kind", "name=nominal"]),
        "400 x 50, 8 classes, 180 towns": (table(400, 48, 8, town=towns(180)), []),
        "300 x 6, three columns of 140 levels": (table(300, 3, a=towns(140), b=towns(140), c=towns(140)), []),
        "2,000 x 12, 900 levels": (table(2000, 11, code=towns(900)), []),
        "5,000 x 4, texts": (table(5000, 3, message=lambda n: _texts(rng, n)), []),
        "5,000 texts alone": (table(5000, 0, message=lambda n: _texts(rng, n)), []),
        "100,000 x 4": (table(100_000, 4), []),
        "the same, and 100,000 names": (table(100_000, 4, name=names), []),
        "1,000 x 30, 20 classes": (table(1000, 30, 20), []),
        "150 x 400": (table(150, 400), []),
        "600 x 9, counter and unique code": (
            table(600, 7, idx=lambda n: range(1000, 1000 + n), code=lambda n: [f"K{i:05d}" for i in range(n)]),
            [],
        ),
        "3,000 x 10, dates with times": (
            table(3000, 9, at=lambda n: [f"{day} {k % 24:02d}:{k % 60:02d}" for k, day in enumerate(_dates(rng, n))]),
            [],
        ),
    }


def _write(path: Path, columns: Columns) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _environment(folder: str) -> dict[str, str]:
    """Ours, with a place for compiled modules even where none are to be written beside their sources."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled")}


def _seconds(environment: dict[str, str], verb: str, file: Path, *options: str) -> tuple[float, str]:
    """The seconds, and a mark where no learner answered within the time limit."""
    before = _compiled(environment)
    begin = time.perf_counter()
    words = [*COMMAND, verb, str(file), "--json", *options]
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    seconds = time.perf_counter() - begin
    if done.returncode and "time limit" not in done.stderr:
        raise RuntimeError(done.stderr)
    if _compiled(environment) > before:
        return _seconds(environment, verb, file, *options)
    return seconds, "!" if done.returncode else " "


def _compiled(environment: dict[str, str]) -> int:
    return sum(1 for _ in Path(environment["PYTHONPYCACHEPREFIX"]).rglob("*.pyc"))


def _line(name: str, environment: dict[str, str], file: Path, options: list[str], *, evaluated: bool = False) -> None:
    report, _ = _seconds(environment, "report", file, *options)
    verdict = "reached" if report <= GOAL else "missed"
    quick = f"{'':>19}"
    if evaluated:
        seconds, mark = _seconds(environment, "evaluate", file, "--quick", *options)
        quick = f"{seconds:18.2f}{mark}"
    print(f"  {name:<40}{report:8.2f}{quick}  {verdict}", flush=True)


def run(data_folder: Path | None, *, only: int | None = None) -> None:
    """Time the command; with a ``data_folder`` on its messages, too. ``only`` takes the first few files."""
    print(f"\nmessy files: seconds of the whole command; goal {GOAL:g} s for the report")
    print(f"  {'':<40}{'report':>8}{'evaluate --quick':>18}")
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        environment, file = _environment(folder), Path(folder) / "file.csv"
        for i, (name, (made, options)) in enumerate(list(_files(rng).items())[:only]):
            _write(file, made())
            _line(name, environment, file, ["--target", "class", *options], evaluated=i < EVALUATED)
        messages = None if data_folder is None else data_folder / "bench" / "sms_spam.csv"
        if messages is not None and messages.exists():
            _line("5,574 text messages", environment, messages, [])
    print(f"  !: no learner answered in time. Processes waiting for a core at the end: {os.getloadavg()[0]:.1f}")
