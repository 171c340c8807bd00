"""Threads: what a busy core costs, what small work on all cores costs, and which prototype methods gain by them.

A process that only counts is put on the last core. Whoever then takes no longer on all cores than on one thread has
lost that core and nothing more, and whoever needs no more processor time spins at no barrier and has no library's
threads beside its own. Both are asked in turn while that core is busy: whether a thread that runs there is moved to
the idle core is the system's affair, and some leave it there for a while, one thread as well as several. Small work on
all cores must take no longer than on one. What was measured while another process worked is measured again; a star
says that this did not help.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import sepal
import sepal.prototypes as prototypes
from benchmarks.speed._timing import ROUNDS, enough, race
from sepal.auto import SepalClassifier
from sepal.learners import KNNClassifier
from sepal.machines import SVMClassifier
from sepal.neighbors import neighbor_ranking
from sepal.selection import subset_sweep

Task = Callable[[int], object]  # takes n_jobs
NOISE = 1.1  # two runs of the same differ by this much
T = TypeVar("T")


def _busy_seconds() -> tuple[float, float, float]:
    """The clock, the time that all processors have worked so far, and what this process had of that."""
    ticks = [int(each) for each in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return time.perf_counter(), (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK"), time.process_time()


def undisturbed(measure: Callable[[], T], busy_cores: float = 0.0) -> tuple[T, str]:
    """What is measured while nobody else works; a star where somebody did four times."""
    for _ in range(4):
        before = _busy_seconds()
        found = measure()
        wall, machine, own = (b - a for a, b in zip(before, _busy_seconds(), strict=True))
        if machine - own < (busy_cores + 0.2) * wall:
            return found, ""
        time.sleep(1.0)
    return found, " *"


def rows(n: int, p: int) -> tuple[Any, Any]:
    """Two normal classes, their labels texts as users have them."""
    rng = np.random.default_rng(n + p)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, p))
    X[:, 0] += 2.0 * y
    return X, np.where(y == 1, "yes", "no")


def _spectrum(n: int, p: int) -> Any:
    """Rows that spread in a few directions, as images do."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, p)) * 0.97 ** np.arange(p)


def large_tasks() -> dict[str, Task]:
    """Work of a few tenths of a second on one thread."""
    few, some, wide = rows(60_000, 3), rows(16_000, 24), _spectrum(3_000, 600)
    medium, small = rows(2_500, 8), rows(400, 6)
    return {
        "10 nearest, tree": lambda jobs: neighbor_ranking(few[0], 10, n_jobs=jobs),
        "10 nearest, tiles": lambda jobs: neighbor_ranking(some[0], 10, n_jobs=jobs),
        "10 nearest, axes": lambda jobs: neighbor_ranking(wide, 10, n_jobs=jobs),
        "Thornton's index": lambda jobs: sepal.thornton_score(*some, n_jobs=jobs),
        "5-NN, 20,000 answers": lambda jobs: KNNClassifier(5, n_jobs=jobs).fit(*few).predict(few[0][:20_000]),
        "sweep of 8 columns": lambda jobs: subset_sweep(*medium, n_jobs=jobs),
        "condensed set (fcnn)": lambda jobs: prototypes.fcnn(*rows(20_000, 10), n_jobs=jobs),
        "SVM": lambda jobs: SVMClassifier(n_jobs=jobs).fit(*rows(6_000, 8)),
        "SepalClassifier": lambda jobs: SepalClassifier(n_jobs=jobs).fit(*small),
        "report": lambda jobs: sepal.separability(*rows(600, 6), n_jobs=jobs),
    }


def _count() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    while True:
        pass


@contextmanager
def busy_core() -> Iterator[None]:
    """The last core has something else to do."""
    process = multiprocessing.get_context("spawn").Process(target=_count, daemon=True)
    process.start()
    time.sleep(0.4)
    try:
        yield
    finally:
        process.kill()
        process.join()


def _in_turn(works: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, tuple[float, float]]:
    """Median seconds of the clock and of the processors, each having its turn in every round."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            taken[name].append(_both_times(work))
    wall, cpu = ({name: float(np.median(each, axis=0)[at]) for name, each in taken.items()} for at in (0, 1))
    return {name: (wall[name], cpu[name]) for name in works}


def busy(rounds: int = 5) -> None:
    """Print the times on one thread and on all, on an idle machine and with one core busy."""
    print("\nA core busy with something else: seconds on one thread and on all, idle; the same with one core busy")
    late, spinning = [], []
    for name, task in large_tasks().items():
        task(-1)
        both = {"one": lambda: task(1), "all": lambda: task(-1)}  # noqa: B023
        idle, star = undisturbed(lambda: _in_turn(both, rounds))  # noqa: B023
        with busy_core():
            beside, other = undisturbed(lambda: _in_turn(both, rounds), 1.0)  # noqa: B023
        (one, _), (every, _), (alone, cpu), (shared, cpus) = *idle.values(), *beside.values()
        late += [name] * (shared > NOISE * max(one, alone))
        spinning += [name] * (cpus > NOISE * cpu)
        print(
            f"  {name:<22}{one:7.3f} s{every:7.3f} s |{alone:7.3f} s{shared:7.3f} s"
            f"   all / one {shared / alone:5.2f}, of processor time {cpus / cpu:5.2f}{star or other}"
        )
    print(f"  goal: at most the time of one thread (x {NOISE}); {'missed: ' + ', '.join(late) if late else 'reached'}")
    told = "missed: " + ", ".join(spinning) if spinning else "reached"
    print(f"  goal: no more processor time than one thread (x {NOISE}); {told}")


def small_tasks(n: int) -> dict[str, Task]:
    """The same questions about a few rows."""
    X, y = rows(n, 6)
    asked = X[: min(n, 50)]
    models = {jobs: KNNClassifier(5, n_jobs=jobs).fit(X, y) for jobs in (1, -1)}
    return {
        "neighbor_ranking, k = 1": lambda jobs: neighbor_ranking(X, 1, n_jobs=jobs),
        "neighbor_ranking, k = 5": lambda jobs: neighbor_ranking(X, 5, n_jobs=jobs),
        "thornton_score": lambda jobs: sepal.thornton_score(X, y, n_jobs=jobs),
        "thornton_test": lambda jobs: sepal.thornton_test(X, y, n_jobs=jobs),
        "expected_accuracy": lambda jobs: sepal.expected_accuracy(X, y, n_jobs=jobs),
        "hypothesis_margin": lambda jobs: sepal.hypothesis_margin(X, y, n_jobs=jobs),
        "KNNClassifier.fit": lambda jobs: KNNClassifier(n_jobs=jobs).fit(X, y),
        "KNNClassifier.predict": lambda jobs: models[jobs].predict(asked),
        "hart": lambda jobs: prototypes.hart(X, y, n_jobs=jobs),
        "fcnn": lambda jobs: prototypes.fcnn(X, y, n_jobs=jobs),
        "rnn": lambda jobs: prototypes.rnn(X, y, n_jobs=jobs),
        "drop3": lambda jobs: prototypes.drop3(X, y, n_jobs=jobs),
        "enn": lambda jobs: prototypes.enn(X, y, n_jobs=jobs),
        "subset_sweep": lambda jobs: subset_sweep(X[:, :4], y, n_jobs=jobs),
        "SVMClassifier.fit": lambda jobs: SVMClassifier(n_jobs=jobs).fit(X, y),
    }


def small(rounds: int = 31) -> None:
    """Print how much longer all cores take than one on small work."""
    print("\nSmall work: milliseconds on one thread, and all cores / one thread")
    slow = []
    sizes = (50, 200, 1_000)
    found = {n: small_tasks(n) for n in sizes}
    for name in found[50]:
        cells = []
        for n in sizes:
            task = found[n][name]
            task(1), task(-1)
            timing = race({"one": lambda: task(1), "all": lambda: task(-1)}, rounds=rounds, budget=0.4)  # noqa: B023
            ratio = timing.median("all") / timing.median("one")
            cells.append(f"{1e3 * timing.median('one'):10.3f} ms x{ratio:5.2f}")
            if ratio > NOISE:
                slow.append(f"{name} at {n:,}")
        print(f"  {name:<24}{''.join(cells)}")
    print(f"  rows: {', '.join(f'{n:,}' for n in sizes)}")
    print(f"  goal: never slower (x {NOISE}); {'missed: ' + ', '.join(slow) if slow else 'reached'}")


def methods(n: int = 12_000) -> None:
    """Print what two threads gain in each prototype method, and how many cores they keep busy."""
    print(f"\nPrototype methods, {n:,} x 10 rows: seconds on one thread, on all cores, and cores kept busy")
    X, y = rows(n, 10)
    for name, method in prototypes.METHODS.items():
        taken: dict[str, list[float]] = {"one": [], "all": [], "cores": []}
        kept = [method(X, y, n_jobs=jobs).rows for jobs in (1, -1)]
        if not np.array_equal(*kept):
            raise AssertionError(f"{name}: the answer depends on the number of threads")
        star = ""
        begin = time.perf_counter()
        for done in range(ROUNDS):
            if enough(done, max(taken["one"], default=0.0), time.perf_counter() - begin, budget=10.0):
                break
            for label, jobs in (("one", 1), ("all", -1)):
                (wall, cpu), disturbed = undisturbed(lambda: _both_times(lambda: method(X, y, n_jobs=jobs)))  # noqa: B023
                star = star or disturbed
                taken[label].append(wall)
                if jobs < 0:
                    taken["cores"].append(cpu / wall)
        one, every, cores = (float(np.median(taken[each])) for each in ("one", "all", "cores"))
        print(f"  {name:<14}{one:9.3f} s{every:9.3f} s   {one / every:5.2f} x faster, {cores:4.2f} cores{star}")


def _both_times(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the clock and of the processors."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


PARTS: dict[str, Callable[[], None]] = {"busy-core": busy, "prototypes": methods, "small-work": small}


def _wanted() -> list[str]:
    return os.environ.get("SEPAL_THREADS_PARTS", " ".join(PARTS)).split()


def page_name() -> str:
    """Of the page: the part, if it is one."""
    return f"threads-{_wanted()[0]}" if len(_wanted()) == 1 else "threads"


def run(data: Path | None = None) -> None:
    """Print every part, or those that ``SEPAL_THREADS_PARTS`` names; ``data`` is not needed."""
    for name in _wanted():
        PARTS[name]()
