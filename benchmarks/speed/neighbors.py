"""Leave-one-out 1-NN and 10-NN: ours against scikit-learn, its Intel extension, FAISS and scipy, in one run.

Every contestant answers the same question with all cores: for each row, the share of its k nearest other rows that have
its class. Labels are texts, as users have them; peers take numbers, which are made as scikit-learn's classifiers make
them. Answers are compared before anything is timed.
"""

from __future__ import annotations

import os
import time
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sepal
import sepal._native as _native
from benchmarks.speed._timing import race, show
from sepal.data import class_codes
from sepal.neighbors import Method, neighbor_ranking

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _others(rows: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Neighbour lists without the query itself, which peers return among k + 1."""
    own = rows == np.arange(len(rows))[:, None]
    own[~own.any(axis=1), k] = True
    return rows[~own].reshape(len(rows), k)


def _agreement(rows: NDArray[np.int64], y: NDArray[Any]) -> float:
    codes = np.unique(y, return_inverse=True)[1]
    return float(np.mean(codes[rows] == codes[:, None]))


def ours(X: NDArray[Any], y: NDArray[Any], k: int) -> float:
    return sepal.thornton_score(X, y, scale=None) if k == 1 else ranked(X, y, k)


def ranked(X: NDArray[Any], y: NDArray[Any], k: int, method: Method = "auto") -> float:
    codes, _ = class_codes(y)
    return float(np.mean(codes[neighbor_ranking(X, k, method=method).rows] == codes[:, None]))


def sklearn_(X: NDArray[np.float64], y: NDArray[Any], k: int, algorithm: str) -> float:
    from sklearn.neighbors import NearestNeighbors

    rows = NearestNeighbors(n_neighbors=k, algorithm=algorithm, n_jobs=-1).fit(X).kneighbors(return_distance=False)
    return _agreement(rows, y)


def scipy_tree(X: NDArray[np.float64], y: NDArray[Any], k: int) -> float:
    from scipy.spatial import cKDTree

    return _agreement(_others(cKDTree(X).query(X, k + 1, workers=-1)[1], k), y)


def faiss_flat(X: NDArray[np.float64], y: NDArray[Any], k: int) -> float:
    import faiss

    faiss.omp_set_num_threads(CORES)
    points = np.ascontiguousarray(X, dtype=np.float32)
    index = faiss.IndexFlatL2(points.shape[1])
    index.add(points)
    return _agreement(_others(index.search(points, k + 1)[1], k), y)


def intelex(X: NDArray[np.float64], y: NDArray[Any], k: int) -> float:
    from sklearnex.neighbors import NearestNeighbors

    rows = NearestNeighbors(n_neighbors=k + 1, algorithm="brute").fit(X).kneighbors(X, return_distance=False)
    return _agreement(_others(rows, k), y)


def real_sets(folder: Path, names: list[str], rounds: int = 21) -> None:
    """Real sets, scaled to [0, 1], float32: the planner's choice, tree and tiles forced, and the peers."""
    print("\nReal sets (milliseconds; goals: auto within 1.2 of the better of tree and tiles, best peer at least 3 x)")
    read = {name: _numbers(next(folder.glob(f"{name}.csv*"))) for name in names}
    for name, k in product(names, (1, 10)):
        X, y = read[name]
        methods: tuple[Method, ...] = ("auto", "tree", "brute")
        ours_by = {method: partial(ranked, X, y, k, method) for method in methods}
        peers = {
            "cKDTree": partial(scipy_tree, X, y, k),
            "FAISS": partial(faiss_flat, X, y, k),
            "scikit-learn": partial(sklearn_, X, y, k, "auto"),
            "intelex": partial(intelex, X, y, k),
        }
        found = neighbor_ranking(X, k)
        assert np.allclose(found.distances, _tree_distances(X, k), rtol=1e-5, atol=1e-6), name
        timing = race({**ours_by, **peers}, rounds, budget=4.0)
        best = min(peers, key=timing.median)
        better = min(timing.median("tree"), timing.median("brute"))
        times = "  ".join(f"{each} {1000 * timing.median(each):.1f}" for each in timing.seconds)
        print(
            f"  {name:<10} {X.shape[0]:>6,} x {X.shape[1]:>2}, k = {k:>2} ({found.method}): {times}  "
            f"best peer {best} {timing.ratio(best, 'auto'):.1f} x, auto / better {timing.median('auto') / better:.2f}"
        )
        print(f"             {work_done(X, k, found.method)}")


def _numbers(file: Path) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """The complete rows of a file, numeric columns only, scaled to [0, 1]; and the labels as texts."""
    table = sepal.read_table(file)
    values = table.values[:, [kind == "numeric" for kind in table.kinds]]
    complete = ~np.isnan(values).any(axis=1)
    values = values[complete]
    width = np.ptp(values, axis=0)
    scaled = ((values - values.min(axis=0)) / np.where(width > 0, width, 1)).astype(np.float32)
    return scaled, np.asarray(table.y).astype(str)[complete]


def _tree_distances(X: NDArray[np.float32], k: int) -> NDArray[np.float64]:
    """Distances to the k nearest others, by scipy: a row is among its own k + 1 nearest at distance 0."""
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(X).query(X, k + 1, workers=-1)[0][:, 1:])


def work_done(X: NDArray[np.float64], k: int, method: str) -> str:
    """What a search leaves out, counted: multiply-adds in floating point; those of bytes are told beside them."""
    points = np.ascontiguousarray(X, dtype=np.float64)
    if method == "tree":
        everything = len(X) * (len(X) - 1) / 2 * X.shape[1]
        done = _native.tree_work(points=points, k=k, threads=CORES)
        return f"the tree leaves out {max(0.0, 1 - done / everything):.1%} of the multiply-adds of all pairs"
    tiles = _native.tile_work(points=points, k=k, threads=CORES)
    if not tiles.all:
        return "the tiles leave out none of the float32 multiply-adds of all pairs"
    return (
        f"the tiles leave out {1 - tiles.finished / tiles.all:.1%} of the float32 multiply-adds of all pairs, "
        f"by {tiles.bytes / tiles.all:.0%} as many products of bytes"
    )


def compare(n: int, p: int, k: int, dtype: type) -> None:
    """Noise: ours and the peers."""
    rng = np.random.default_rng(p)
    X = rng.standard_normal((n, p)).astype(dtype)
    y = np.where(X[:, : min(p, 3)].sum(axis=1) + rng.standard_normal(n) > 0, "right", "left")
    contestants = {"sepal": lambda: ours(X, y, k)}
    if n <= 50_000:
        contestants["scikit-learn brute"] = lambda: sklearn_(X, y, k, "brute")
        contestants["scikit-learn-intelex brute"] = lambda: intelex(X, y, k)
        contestants["FAISS flat"] = lambda: faiss_flat(X, y, k)
    if p <= 10:
        contestants["scikit-learn kd_tree"] = lambda: sklearn_(X, y, k, "kd_tree")
        contestants["scipy cKDTree"] = lambda: scipy_tree(X, y, k)
    answers = {name: run() for name, run in contestants.items()}
    for name, answer in answers.items():
        # FAISS and scikit-learn brute on float32 may swap neighbours that are equal to seven digits.
        assert abs(answer - answers["sepal"]) < 1e-4, (name, answer, answers["sepal"])
    timing = race(contestants, budget=9.0)
    show(f"{n:,} x {p}, {np.dtype(dtype).name}, k = {k}", timing, "sepal")
    pace = n * (n - 1) / 2 * p / timing.median("sepal") / 1e9
    print(
        f"  {pace:.0f} G multiply-adds/s if all pairs were looked at; {work_done(X, k, neighbor_ranking(X, k).method)}"
    )


def measured_peak() -> float:
    """G multiply-adds a second of a large float32 product by BLAS."""
    A = np.random.default_rng(0).standard_normal((4096, 4096)).astype(np.float32)
    A @ A
    return float(4096**3 / min(_seconds(lambda: A @ A) for _ in range(3)) / 1e9)


def peak_share(p: int, n: int = 20_000) -> None:
    """How much of the machine's measured float32 rate the tiles reach (1-NN, each pair counted once)."""
    peak = measured_peak()
    X = np.random.default_rng(0).standard_normal((n, p))
    neighbor_ranking(X, 1, method="brute")
    best = min(_seconds(lambda: neighbor_ranking(X, 1, method="brute")) for _ in range(5))
    rate = n * n / 2 * p / best / 1e9
    print(
        f"  p = {p:>4}: {rate:6.1f} G multiply-adds/s, {rate / peak:5.0%} of a large float32 product by BLAS "
        f"({peak:.0f}), {work_done(X, 1, 'brute')}"
    )


def _seconds(run: object) -> float:
    start = time.perf_counter()
    run()  # type: ignore[operator]
    return time.perf_counter() - start


def memory(n: int = 100_000, p: int = 50) -> None:
    """Peak memory of a fresh process that scores n x p rows."""
    import subprocess
    import sys

    code = (
        "import resource, time, numpy as np, sepal\n"
        f"X = np.random.default_rng(0).standard_normal(({n}, {p})); y = (X[:, 0] > 0).astype(int)\n"
        "t = time.perf_counter(); sepal.thornton_score(X, y); s = time.perf_counter() - t\n"
        "print(f'{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB peak, {s:.1f} s')"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    print(f"\n{n:,} x {p}, Thornton's index: {answer}")


def _rows(kind: str, n: int, p: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(p)
    noise = rng.standard_normal((n, p))
    if kind == "clusters":
        return np.asarray(rng.standard_normal((30, p))[rng.integers(30, size=n)] * 5 + 0.3 * noise)
    if kind == "near a surface":
        return np.asarray(np.tanh(rng.standard_normal((n, 3)) @ rng.standard_normal((3, p))) + 0.01 * noise)
    return noise


def planner() -> None:
    """Where a tree and tiles cross: the costs in sepal/neighbors/_planner.py come from here."""
    print("\nTree or tiles (seconds)")
    for kind in ("normal", "clusters", "near a surface"):
        for p, n, k in product((4, 6, 8, 10, 12), (5_000, 20_000, 80_000), (1, 10)):
            X = _rows(kind, n, p)
            both = {
                "tree": lambda X=X, k=k: neighbor_ranking(X, k, method="tree"),
                "brute": lambda X=X, k=k: neighbor_ranking(X, k, method="brute"),
            }
            timing = race(both, budget=4.0)
            tree, tiles = timing.median("tree"), timing.median("brute")
            print(f"  {kind:<15} p = {p:>2}, n = {n:>6,}, k = {k:>2}: tree {tree:.4f}  tiles {tiles:.4f}")


def noise(k: int, dtype: type = np.float32) -> None:
    """Rows as noise, against the peers."""
    for p in (4, 10, 30, 100):
        compare(20_000, p, k, dtype)


def large() -> None:
    """Many rows in few columns, and memory."""
    for k in (1, 10):
        compare(200_000, 4, k, np.float64)
    memory()


def peak() -> None:
    """How near brute force comes to the machine's peak."""
    print(f"\nShare of the float32 peak ({_native.instruction_set()})")
    for p in (10, 30, 100, 300):
        peak_share(p)


PARTS = {
    "nearest": partial(noise, 1),
    "ten": partial(noise, 10),
    "nearest-double": partial(noise, 1, np.float64),
    "ten-double": partial(noise, 10, np.float64),
    "large": large,
    "peak": peak,
    "planner": planner,
}


def _wanted() -> list[str]:
    return os.environ.get("SEPAL_NEIGHBORS_PARTS", " ".join(PARTS)).split()


def page_name() -> str:
    """Of the page: the part, if it is one."""
    return f"neighbors-{_wanted()[0]}" if len(_wanted()) == 1 else "neighbors"


def run(data_folder: Path | None) -> None:
    """Print every part, or those that ``SEPAL_NEIGHBORS_PARTS`` names."""
    for name in _wanted():
        PARTS[name]()
