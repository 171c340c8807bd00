"""The complexity measures against problexity and pymfe, on the measures they share, in one process and interleaved.

All values are shown side by side; where the peers follow the survey they must agree. problexity's F1 doubles the
numerator, its N1 counts half the edges, its N2 takes the second enemy and its N4 five neighbours; pymfe's N2 is the
mean of ratios (our N2m) and its C1 is not inverted. N4, L1, L3 and the graph are defined differently by each.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sepal.measures import complexity

# What the peers compute of the survey's measures.
_PYMFE = {
    "F1": "f1", "F1v": "f1v", "F2": "f2", "F3": "f3", "F4": "f4", "L1": "l1", "L2": "l2", "L3": "l3", "N1": "n1",
    "N2": "n2", "N3": "n3", "N4": "n4", "T1": "t1", "LSC": "lsc", "Density": "density", "ClsCoef": "cls_coef",
    "Hubs": "hubs", "T2": "t2", "T3": "t3", "T4": "t4", "C1": "c1", "C2": "c2",
}  # fmt: skip
_COMPARED = {
    "problexity": ("F2", "F3", "T2", "T3", "C2"),
    "pymfe": ("F2", "F3", "F4", "N1", "N3", "LSC", "T2", "T3", "C2"),
}


def made(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two overlapping normal classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, p)) + 0.4 * y[:, None], y


def _problexity(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    import problexity

    calculator = problexity.ComplexityCalculator().fit(X, y)
    names = {"f1": "F1", "f1v": "F1v", "lsc": "LSC", "density": "Density", "clsCoef": "ClsCoef", "hubs": "Hubs"}
    return {
        names.get(key, key.upper()): float(v)
        for key, v in zip(calculator._metrics(), calculator.complexity, strict=True)
    }


def _pymfe(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    from pymfe.mfe import MFE

    mfe = MFE(groups=["complexity"], features=list(_PYMFE.values()), summary=["mean"], suppress_warnings=True)
    names, values = mfe.fit(X, y).extract(suppress_warnings=True)
    by_name = {name.split(".")[0]: value for name, value in zip(names, values, strict=True)}
    return {key: float(by_name[theirs]) for key, theirs in _PYMFE.items() if theirs in by_name}


def _sepal(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    return complexity(X, y).values


def _peers() -> dict[str, Callable[[np.ndarray, np.ndarray], dict[str, float]]]:
    found = {}
    for name, function in (("problexity", _problexity), ("pymfe", _pymfe)):
        try:
            function(*made(60, 3))
        except (ImportError, ModuleNotFoundError) as error:
            print(f"{name} is not installed or lacks a part: {error}")
        except Exception as error:  # a peer that fails is shown as such
            print(f"{name} fails on 60 rows: {type(error).__name__}: {error}")
        else:
            found[name] = function
    return found


def run(
    data_folder: Path | None, *, sizes: tuple[int, ...] = (500, 2_000, 5_000), repeats: int = 3, p: int = 20
) -> None:
    """Time all, interleaved; ``data_folder`` is not needed, the rows are made."""
    runners: dict[str, Any] = {"sepal": _sepal, **_peers()}
    for n in sizes:
        X, y = made(n, p)
        times: dict[str, list[float]] = {name: [] for name in runners}
        values: dict[str, dict[str, float]] = {}
        for _ in range(repeats):
            for name, function in runners.items():
                started = time.perf_counter()
                values[name] = function(X, y)
                times[name].append(time.perf_counter() - started)
        _show(n, p, times, values)
    for n in (20_000, 50_000):
        X, y = made(n, p)
        started = time.perf_counter()
        complexity(X, y)
        print(f"sepal alone, {n:,} x {p}: {time.perf_counter() - started:.1f} s")


def _show(n: int, p: int, times: dict[str, list[float]], values: dict[str, dict[str, float]]) -> None:
    ours = statistics.median(times["sepal"])
    print(f"\n{n:,} x {p}")
    for name, each in times.items():
        print(f"  {name:12s} median {statistics.median(each):8.2f} s   {statistics.median(each) / ours:6.1f} x")
    for name, theirs in values.items():
        if name == "sepal":
            continue
        for key, value in sorted(theirs.items()):
            own = values["sepal"].get(key)
            if own is None:
                continue
            mark = "must agree" if key in _COMPARED[name] else ""
            agree = "" if abs(value - own) < 1e-6 else "  differs"
            print(f"    {name:10s} {key:8s} {value:8.4f} ours {own:8.4f} {mark}{agree}")


if __name__ == "__main__":
    run(None)
