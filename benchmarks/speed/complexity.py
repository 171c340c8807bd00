"""The complexity measures: ours against problexity and pymfe, on the same rows in one run.

Values are compared before anything is timed, where the peer follows the survey. Where it does not, both values are
printed: problexity's F1 doubles the numerator, its N1 counts half the edges, its N2 takes the second enemy, its N4 five
neighbours; pymfe's N2 is the mean of ratios (our N2m) and its C1 is not inverted. L1, L3, N4 and the graph differ by
definition in each of the three. Goal at 5,000 x 20: 20 times faster than each of both, who compute the same 22
measures.

At 50,000 rows both peers keep square matrices: one of them is 18.6 GiB in float64 (problexity) or 9.3 GiB in float32
(pymfe). N1 alone is asked of each in a process of its own that may have 8 GiB, what a laptop has; ours gives all
measures under the same limit. Needs: pip install problexity pymfe, and Unix for the limit.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
import warnings
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed._timing import race, show
from sepal.measures import complexity

GOAL = 20.0
MEMORY, PATIENCE = 8, 240.0  # GiB and seconds that each may have for the large table
Values = dict[str, float]
Runner = Callable[[NDArray[np.float64], NDArray[np.int64]], Values]

_PYMFE = {
    key: {"ClsCoef": "cls_coef"}.get(key, key.lower())
    for key in "F1 F1v F2 F3 F4 L1 L2 L3 N1 N2 N3 N4 T1 LSC Density ClsCoef Hubs T2 T3 T4 C1 C2".split()  # noqa: SIM905
}
_AGREE = {
    "problexity": ("F2", "F3", "T2", "T3", "T4", "C1", "C2"),
    "pymfe": ("F2", "F3", "F4", "N1", "N3", "LSC", "T2", "T3", "T4", "C2"),
}


def made(n: int, p: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two overlapping normal classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, p)) + 0.4 * y[:, None], y


def ours(X: NDArray[np.float64], y: NDArray[np.int64]) -> Values:
    return complexity(X, y).values


def problexity_(X: NDArray[np.float64], y: NDArray[np.int64]) -> Values:
    import problexity

    calculator = problexity.ComplexityCalculator().fit(X, y)
    names = {"f1": "F1", "f1v": "F1v", "lsc": "LSC", "density": "Density", "clsCoef": "ClsCoef", "hubs": "Hubs"}
    found = zip(calculator._metrics(), calculator.complexity, strict=True)
    return {names.get(key, key.upper()): float(value) for key, value in found}


def pymfe_(X: NDArray[np.float64], y: NDArray[np.int64]) -> Values:
    from pymfe.mfe import MFE

    mfe = MFE(groups=["complexity"], features=list(_PYMFE.values()), summary=["mean"], suppress_warnings=True)
    names, values = mfe.fit(X, y).extract(suppress_warnings=True)
    by_name = {name.split(".")[0]: value for name, value in zip(names, values, strict=True)}
    return {key: float(by_name[theirs]) for key, theirs in _PYMFE.items() if theirs in by_name}


def _compare(name: str, theirs: Values, own: Values) -> None:
    for key in _AGREE[name]:
        if abs(theirs[key] - own[key]) > 1e-9:
            raise AssertionError(f"{name} and sepal differ on {key}: {theirs[key]} and {own[key]}")
    rest = [key for key in own if key in theirs and key not in _AGREE[name]]
    print(f"  {name} agrees on {', '.join(_AGREE[name])}")
    print("  and otherwise (theirs/ours): " + ", ".join(f"{key} {theirs[key]:.3f}/{own[key]:.3f}" for key in rest))


def _peers() -> dict[str, Runner]:
    found: dict[str, Runner] = {}
    X, y = made(300, 20)
    for name, function in (("problexity", problexity_), ("pymfe", pymfe_)):
        try:
            theirs = function(X, y)
        except ImportError as error:
            print(f"  {name} cannot be imported: {error}")
            continue
        _compare(name, theirs, ours(X, y))
        found[name] = function
    return found


def _problexity_n1(X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
    from problexity.classification import n1

    n1(X, y)


def _pymfe_n1(X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
    from pymfe.mfe import MFE

    MFE(groups=["complexity"], features=["n1"], summary=["mean"]).fit(X, y).extract()


def _within_limit(function: Callable[..., object], n: int, answer: Connection) -> None:
    """Runs in a process of its own, and tells what became of it."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY * 2**30, MEMORY * 2**30))
    begin, error = time.perf_counter(), None
    try:
        function(*made(n, 20))
    except Exception as raised:
        error = raised
    seconds, peak = time.perf_counter() - begin, _peak()
    if error is None:
        answer.send(f"done in {seconds:.1f} s, at most {peak:.2f} GiB")
        return
    while error.__cause__ is not None:  # pymfe raises an empty Exception from the real one
        error = error.__cause__
    answer.send(f"{type(error).__name__} after {seconds:.1f} s: {error}")


def _peak() -> float:
    """The most memory this process has had, in GiB. Linux counts that of the parent too, except in this file."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return float(status.read_text().split("VmHWM:")[1].split()[0]) / 2**20


def large(n: int) -> None:
    """What becomes of each with so many rows, under the same limit of memory."""
    print(f"\n{n:,} x 20, each in a process that may have {MEMORY} GiB")
    start = multiprocessing.get_context("spawn")
    runs = (("sepal, all measures", ours), ("problexity, N1 alone", _problexity_n1), ("pymfe, N1 alone", _pymfe_n1))
    for name, function in runs:
        near, far = start.Pipe(duplex=False)
        process = start.Process(target=_within_limit, args=(function, n, far))
        process.start()
        told = near.poll(PATIENCE)
        print(f"  {name:<22}{near.recv() if told else f'nothing after {PATIENCE:g} s'}", flush=True)
        if not told:
            process.kill()
        process.join()


def run(
    data_folder: Path | None, *, sizes: tuple[int, ...] = (500, 2_000, 5_000), alone: tuple[int, ...] = (50_000,)
) -> None:
    """Race on made-up rows; ``data_folder`` is not needed."""
    print("\ncomplexity measures")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peers' own
        runners = {"sepal": ours, **_peers()}
        for n in sizes:
            X, y = made(n, 20)
            timing = race({name: partial(function, X, y) for name, function in runners.items()}, budget=120.0)
            show(f"all complexity measures, {n:,} x 20", timing, "sepal")
            if n == 5_000:
                ratios = [timing.ratio(name, "sepal") for name in runners if name != "sepal"]
                verdict = "reached" if min(ratios, default=0.0) >= GOAL else "missed"
                print(f"  goal: {GOAL:g} times faster than each; {verdict}")
    for n in alone:
        large(n)
