"""Rows in partitions: what streaming and workers cost beside the plain function, and tables that no function holds.

Files are written into a temporary folder, or kept for the next run in the one that ``SEPAL_SCALE_FOLDER`` names. Sizes
are those of ``SIZES``; ``SEPAL_SCALE=0.1`` makes all of them that much smaller. ``SEPAL_SCALE_PARTS="overhead memory"``
runs some of the parts; with ``--write`` a part that is run alone has a page of its own.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
from distributed import Client, LocalCluster

import sepal
from benchmarks.speed import _verb_plans
from sepal.report import partitions_report
from sepal.scale import angle_partitions, fit_partitions, fit_parts, measure_partitions, partitioned, place_of_work
from sepal.scale import ask_partitions as ask_partitions
from sepal.scale import prepare_blocks as prepare_blocks
from sepal.scale._drawing import drawing_of, shares_of
from sepal.scale._schema import read_schema
from sepal.scale._trial import TRIED_ASKING, measure_rates

SIZES = {"overhead": (200_000, 20), "exact": (1_000_000, 10), "large": (10_000_000, 20), "sums": (1_000_000, 20)}
PARTITION = 100_000  # rows


@contextmanager
def _rows(name: str, n: int, p: int) -> Iterator[str]:
    """Two classes that overlap, written partition by partition; the pattern of the files."""
    kept = os.environ.get("SEPAL_SCALE_FOLDER")
    if kept is None:
        with tempfile.TemporaryDirectory() as folder:
            yield _write(Path(folder), n, p)
        return
    folder = Path(kept, f"{name}-{n}-{p}")
    if not folder.exists():
        folder.mkdir(parents=True)
        _write(folder, n, p)
    yield f"{folder}/*.parquet"


def _write(folder: Path, n: int, p: int) -> str:
    for at in range(0, n, PARTITION):
        rng = np.random.default_rng(at)
        rows = min(PARTITION, n - at)
        X = rng.normal(size=(rows, p)).astype(np.float32)
        label = np.where(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=rows) > 1, "in", "out")
        columns: dict[str, Any] = {f"x{j}": X[:, j] for j in range(p)} | {"class": label}
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"{at // PARTITION:05}.parquet")
    return f"{folder}/*.parquet"


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    found = work()
    return time.perf_counter() - begin, found


def _line(text: str, value: float, after: str = "", form: str = "10.2f") -> None:
    print(f"  {text:<66} {value:{form}}  {after}".rstrip())


def _share(n: int) -> int:
    return max(10_000, int(n * float(os.environ.get("SEPAL_SCALE", "1"))))


def _size(name: str) -> tuple[int, int]:
    return _share(SIZES[name][0]), SIZES[name][1]


def _in_memory(pattern: str) -> tuple[Any, Any]:
    table = pyarrow.parquet.read_table(str(Path(pattern).parent)).to_pandas()
    return table.drop(columns="class"), table["class"]


def _rates() -> None:
    n, p = _size("overhead")
    print(f"\nRates of one core, {p} columns of Parquet, medians of 5")
    with _rows("overhead", n, p) as pattern, place_of_work(n_jobs=1) as work:
        given = fit_parts(partitioned(pattern), work)
        schema = given.schema
        drawing = drawing_of(schema, shares_of(schema.class_counts, TRIED_ASKING), 0, given.distance)
        found = [measure_rates(schema.source.parts[:1], drawing, "auto", 1, 20_000, TRIED_ASKING) for _ in range(5)]
    asked, own = (np.median([getattr(each, name) for each in found]) for name in (_ASKED, _OWN))
    _line("pairs a second, rows that ask others (R)", asked, form="10.3g")
    _line("pairs a second, rows of a block that ask each other", own, form="10.3g")
    _line("microseconds to load a row (L)", 1e6 * np.median([each.load_seconds for each in found]))


_ASKED, _OWN = "pairs_per_second", "own_pairs_per_second"


def _seconds(pattern: str, work: Any) -> tuple[float, float]:
    begin = time.perf_counter()
    score = sepal.thornton_test(prepare_blocks(fit_parts(partitioned(pattern), work))).score
    return time.perf_counter() - begin, score


def _score(pattern: str, n_jobs: int) -> tuple[float, float]:
    with place_of_work(n_jobs=n_jobs) as work:
        return _seconds(pattern, work)


def _interleaved(ways: dict[str, Callable[[], tuple[float, float]]], rounds: int) -> dict[str, float]:
    """The least seconds of each way; all must give one score."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    scores = set()
    for _ in range(rounds):
        for name, way in ways.items():
            seconds, score = way()
            taken[name].append(seconds)
            scores.add(score)
    if len(scores) != 1:
        raise AssertionError(f"different answers: {scores}")
    return {name: min(each) for name, each in taken.items()}


def _overhead() -> None:
    n, p = _size("overhead")
    with _rows("overhead", n, p) as pattern:
        plain, here = _interleaved(
            {"plain": lambda: _plain(pattern, 2), "here": lambda: _score(pattern, 2)}, 2
        ).values()
    print(f"\nThornton's test, exact, {n:,} x {p}: seconds, the less of two interleaved runs; scores equal")
    _line("plain function, two threads, files read", plain)
    _line("streamed here, two threads", here, f"{here / plain - 1:+.0%} of the plain function (goal: 15 % at most)")


def _workers() -> None:
    """Processes that are there already, and have imported what they need; every one is asked in turn."""
    n, p = _size("overhead")
    cores = {"1 worker of 1 thread": (1, 1), "2 workers of 1 thread": (2, 1), "1 worker of 2 threads": (1, 2)}
    with _rows("overhead", n, p) as pattern, ExitStack() as stack:
        ways: dict[str, Callable[[], tuple[float, float]]] = {
            "this process, 1 thread": lambda: _score(pattern, 1),
            "this process, 2 threads": lambda: _score(pattern, 2),
        }
        for name, (workers, threads) in cores.items():
            local = LocalCluster(n_workers=workers, threads_per_worker=threads, processes=True, host="127.0.0.1")
            client = stack.enter_context(Client(stack.enter_context(local), set_as_default=False))
            work = stack.enter_context(place_of_work(client=client))
            read_schema(partitioned(pattern), work)
            ways[name] = partial(_seconds, pattern, work)
        taken = _interleaved(ways, 3)
    print(f"\nThornton's test, exact, {n:,} x {p}: seconds, the least of three interleaved runs; scores equal")
    one, two = taken["1 worker of 1 thread"], taken["1 worker of 2 threads"]
    for name, seconds in taken.items():
        after = f"{one / seconds:.2f} x as fast as 1 worker of 1 thread"
        _line(name, seconds, after if name in cores and seconds != one else "")
    _line("2 workers of 1 thread against 1 worker of 2 threads", taken["2 workers of 1 thread"] / two)


def _plain(pattern: str, n_jobs: int) -> tuple[float, float]:
    return _timed(lambda: sepal.thornton_test(*_in_memory(pattern), n_jobs=n_jobs).score)


def _near(rng: np.random.Generator, n: int, p: int) -> Any:
    """Rows near twenty centres."""
    return rng.normal(scale=5, size=(20, p))[rng.integers(0, 20, n)] + rng.normal(size=(n, p))


def _flat(rng: np.random.Generator, n: int, p: int) -> Any:
    """Rows that spread in three directions."""
    return rng.normal(size=(n, 3)) @ rng.normal(size=(3, p)) + rng.normal(scale=0.05, size=(n, p))


KINDS: dict[str, Callable[[np.random.Generator, int, int], Any]] = {
    "noise": lambda rng, n, p: rng.normal(size=(n, p)),
    "centres": _near,
    "flat": _flat,
    "whole": lambda rng, n, p: rng.integers(0, 6, size=(n, p)).astype(float),
}
PLANNED = (
    *((n, p, "noise", None) for n, p in ((2_000, 5), (5_000, 10), (10_000, 3), (20_000, 10), (20_000, 30))),
    *((n, p, "noise", None) for n, p in ((50_000, 10), (100_000, 3), (100_000, 10), (100_000, 20), (30_000, 60))),
    (200_000, 6, "noise", None),
    (50_000, 4, "centres", None),
    (50_000, 20, "centres", None),
    (60_000, 10, "flat", None),
    (40_000, 5, "whole", None),
    *((n, p, "noise", m) for n, p, m in ((100_000, 10, 500), (100_000, 10, 5_000), (300_000, 20, 1_000))),
    *((n, p, "noise", m) for n, p, m in ((300_000, 20, 10_000), (500_000, 5, 2_000), (50_000, 50, 2_000))),
    (300_000, 10, "centres", 3_000),
    (200_000, 30, "flat", 4_000),
)


def _planner() -> None:
    print("\nWhat the planner said, and what it took, without the pass over the columns: seconds")
    offs = []
    for n, p, kind, asking in PLANNED:
        how: dict[str, Any] = {"exact": True} if asking is None else {"n_queries": asking}
        rng = np.random.default_rng(n + p)
        X = KINDS[kind](rng, n, p)
        label = np.where(X[:, 0] + rng.normal(size=n) > 0, "in", "out")
        with tempfile.TemporaryDirectory() as folder:
            for at in range(4):
                part = slice(at * n // 4, (at + 1) * n // 4)
                columns: dict[str, Any] = {f"x{j}": X[part, j] for j in range(p)} | {"class": label[part]}
                pyarrow.parquet.write_table(pyarrow.table(columns), Path(folder, f"{at}.parquet"))
            begin: list[float] = []
            found = measure_partitions(
                folder,
                say=lambda plan, at=begin: at.append(time.perf_counter()),
                progress=lambda text, share: None,
                **how,
            )
            taken = time.perf_counter() - begin[0]
        said, better = found.plan.seconds, found.improved.seconds
        offs.append((abs(np.log(said / taken)), abs(np.log(better / taken))))
        text = f"{kind}, {n:,} x {p}, {'exact' if found.exact else f'{found.rows_seen:,} rows ask'}"
        _line(
            text, taken, f"said {said:6.2f} ({said / taken:4.2f} x), during it {better:6.2f} ({better / taken:4.2f} x)"
        )
    first, later = np.array(offs).T
    for name, off in (("said at first", first), ("said during the search, past a fifth of it", later)):
        _line(f"{name}: off by a factor of, median", float(np.exp(np.median(off))), f"at most {np.exp(off.max()):.2f}")
    _line("of so many", len(offs), f"{np.sum(later > first)} were farther off during the search", form="10.0f")


def _whole_plans() -> None:
    print("\nWhat the plan of a whole verb said, and what it took from then on: seconds; goal: a factor of 2 at most")
    offs: list[float] = []
    for n, p in _verb_plans.SIZES:
        n = _share(n)
        with _rows("whole-plans", n, p) as pattern:
            offs += _verb_plans.compare(pattern, n, p, _line)
    _line("off by a factor of, median", float(np.median(offs)), f"at most {max(offs):.2f}")


def _memory() -> None:
    print("\nLargest memory of a worker as partitions grow tenfold, MB (1,000 rows ask all; angle; Fisher by sums)")
    for n_parts in (5, 50):
        with _rows("memory", n_parts * PARTITION, 20) as pattern, place_of_work(workers=2) as work:
            client: Any = work.client  # type: ignore[attr-defined]
            ask_partitions(fit_parts(partitioned(pattern), work), 1_000, 0.95, 0, None)
            asked = max(client.run(_peak).values())
            angle_partitions(pattern, client=client)
            fit_partitions(sepal.machines.FisherDiscriminant(), pattern, client=client)
            added = max(client.run(_peak).values())
            _line(f"{n_parts} partitions of {PARTITION:,} x 20: after asking", asked, form="10.0f")
            _line(f"{n_parts} partitions of {PARTITION:,} x 20: after sums", added, form="10.0f")


def _peak() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _exact() -> None:
    n, p = _size("exact")
    with _rows("exact", n, p) as pattern:
        memory, score = _timed(partial(sepal.thornton_score, *_in_memory(pattern)))
        taken, again = _timed(lambda: _streamed(pattern))
    if score != again:
        raise AssertionError(f"different answers: {score}, {again}")
    print(f"\nExact leave-one-out of 1-NN, {n:,} x {p}: seconds, all threads; index {score:.6f} both ways")
    _line("rows in memory, files read before", memory, form="10.1f")
    _line("streamed here, files read", taken, f"{taken / memory:.2f} x", form="10.1f")


def _streamed(pattern: str) -> float:
    with place_of_work() as work:
        return sepal.thornton_score(prepare_blocks(fit_parts(partitioned(pattern), work)))


def _exact_faiss() -> None:
    import faiss

    n, p = _size("exact")
    with _rows("exact", n, p) as pattern:
        X = np.ascontiguousarray(_in_memory(pattern)[0].to_numpy(dtype=np.float32))
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    asked = X[: max(1, len(X) // 100)]
    index.search(asked[:100], 2)
    taken, _ = _timed(lambda: index.search(asked, 2))
    print(f"\nExact leave-one-out of 1-NN, {n:,} x {p}: seconds")
    text = f"FAISS flat, {faiss.omp_get_max_threads()} threads, {len(asked):,} queries extrapolated to all"
    _line(text, taken * len(X) / len(asked), form="10.1f")


def _sums() -> None:
    n, p = _size("sums")
    print(f"\nBy sums over partitions, {n:,} x {p}, two workers: seconds, the pass over the columns included")
    with _rows("sums", n, p) as pattern, place_of_work(workers=2) as work:
        client: Any = work.client  # type: ignore[attr-defined]
        read_schema(partitioned(pattern), work)
        vectors = sepal.machines.FeatureVectorClassifier(max_vectors=100)
        for text, way in (
            ("angle, Mahalanobis distances, Hotelling's test", lambda: angle_partitions(pattern, client=client)),
            ("FisherDiscriminant", lambda: _fitted(sepal.machines.FisherDiscriminant(), pattern, client)),
            ("FeatureVectorClassifier, at most 100 vectors", lambda: _fitted(vectors, pattern, client)),
        ):
            taken, _ = _timed(way)
            _line(text, taken, form="10.1f")


def _fitted(model: Any, pattern: str, client: Any) -> Any:
    return fit_partitions(model, pattern, client=client)


def _large() -> None:
    n, p = _size("large")
    with _rows("large", n, p) as pattern:
        size = sum(each.stat().st_size for each in Path(pattern).parent.iterdir())
        print(f"\nSampled report, {n:,} x {p} ({size / 1e9:.2f} GB of Parquet), two workers")
        with place_of_work(workers=2) as work:
            client: Any = work.client  # type: ignore[attr-defined]
            how = {"distance": "auto", "scale": "minmax", "missing": "distance", "random_state": 0, "n_jobs": None}
            with client.as_current():
                begin, marks = time.perf_counter(), {}
                report = partitions_report(
                    partitioned(pattern),
                    **how,
                    n_queries=1_000,
                    time_limit=80.0,
                    say=lambda plan: marks.update(plan=(time.perf_counter() - begin, plan)),
                    progress=None,
                )
                taken = time.perf_counter() - begin
            peak = max(client.run(_peak).values())
        seconds, plan = marks["plan"]
        _line("schema pass, and a trial of the rates: until the plan was said", seconds, form="10.1f")
        _line("the whole report", taken, "goal: below 120", form="10.1f")
        _line("largest memory of a worker, MB", peak, "goal: below 2,000", form="10.0f")
        _line("largest memory of the client, MB", _peak(), form="10.0f")
        low, high = report.thornton.interval
        print(f"  Thornton's index {report.thornton.score:.4f} ({low:.4f} to {high:.4f}); skipped: {report.skipped}")
        print("  " + str(plan).replace("\n", "\n  "))


PARTS = {
    "rates": _rates,
    "overhead": _overhead,
    "workers": _workers,
    "planner": _planner,
    "whole-plans": _whole_plans,
    "memory": _memory,
    "sums": _sums,
    "exact": _exact,
    "exact-faiss": _exact_faiss,
    "large": _large,
}


def _wanted() -> list[str]:
    return os.environ.get("SEPAL_SCALE_PARTS", " ".join(PARTS)).split()


def page_name() -> str:
    """Of the page: the part, if it is one."""
    return f"scale-{_wanted()[0]}" if len(_wanted()) == 1 else "scale"


def run(data: Path | None = None) -> None:
    """Print every part, or those that ``SEPAL_SCALE_PARTS`` names."""
    print("\nRows in partitions")
    for name in _wanted():
        PARTS[name]()
