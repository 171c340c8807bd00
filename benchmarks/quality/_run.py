"""One fold, one method, one line of the results; only the lines that are missing are made."""

from __future__ import annotations

import fcntl
import json
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from benchmarks.quality._methods import METHODS, Method, preparation, with_probabilities
from benchmarks.quality._suites import FOLDS
from sepal.data import Table, class_codes
from sepal.evaluation import reliability

REPEATS = 2
_LEAST_PROBABILITY = 1e-6  # what a class gets that was said to be impossible


@dataclass(frozen=True)
class Result:
    """A line of the results.

    Seconds are for fit and predict, preparation included. ``claimed`` is the leave-one-out accuracy that the fitted
    model itself reports, where it does, to be held against the accuracy on the fold. ``error`` is empty if it worked.
    ``ece`` is the expected calibration error of the fold (see sepal.evaluation.reliability) and ``overconfidence`` the
    mean confidence less the share that the most probable class gets right; older lines have neither.
    """

    set: str
    method: str
    repeat: int
    fold: int
    rows: int
    accuracy: float
    balanced_accuracy: float
    log_loss: float
    cpu_seconds: float
    wall_seconds: float
    version: str
    error: str = ""
    claimed: float | None = None
    ece: float | None = None
    overconfidence: float | None = None

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.set, self.method, self.repeat, self.fold


def folds(codes: NDArray[Any], repeat: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Training and test rows; the seed is the number of the repeat."""
    yield from StratifiedKFold(FOLDS, shuffle=True, random_state=repeat).split(codes, codes)


def log_loss(probabilities: NDArray[Any], codes: NDArray[Any]) -> float:
    """Minus the mean logarithm of the probability of the true class, none below a millionth."""
    share = np.maximum(np.asarray(probabilities, dtype=np.float64), _LEAST_PROBABILITY)
    share /= share.sum(axis=1, keepdims=True)
    return float(-np.log(share[np.arange(len(codes)), codes]).mean())


def score_fold(
    table: Table, make: Callable[[], Any], train: NDArray[np.intp], test: NDArray[np.intp], *, ours: bool
) -> dict[str, Any]:
    """Fit on some rows, answer the others; with one thread."""
    codes = class_codes(table.y)[0]
    features = replace(table, y=None, target=None, class_order=None)
    rows: tuple[Any, Any] = (features.take(train), features.take(test))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wall, cpu = time.perf_counter(), time.process_time()
        if ours:
            fitted = make().fit(rows[0], codes[train])
        else:
            rows = (rows[0].values, rows[1].values)
            prepared = preparation(table)
            rows = (prepared.fit_transform(rows[0]), rows[1])
            fitted = make().fit(rows[0], codes[train])
            rows = (rows[0], prepared.transform(rows[1]))
        answers = np.asarray(fitted.predict(rows[1])).ravel()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        claimed = getattr(fitted, "leave_one_out_score_", None)
        if not hasattr(fitted, "predict_proba"):
            fitted = with_probabilities(fitted, rows[0], codes[train])
        shares = fitted.predict_proba(rows[1])
    trusted = reliability(shares, codes[test])
    return {
        "accuracy": float(accuracy_score(codes[test], answers)),
        "balanced_accuracy": float(balanced_accuracy_score(codes[test], answers)),
        "log_loss": log_loss(shares, codes[test]),
        "cpu_seconds": cpu,
        "wall_seconds": wall,
        "claimed": claimed,
        "ece": trusted.expected_calibration_error,
        "overconfidence": trusted.mean_confidence - trusted.accuracy,
    }


def read_results(*files: Path) -> list[Result]:
    lines = [line for file in files if file.exists() for line in file.read_text().splitlines() if line.strip()]
    return [Result(**json.loads(line)) for line in lines]


def _append(file: Path, result: Result) -> None:
    """One write under a lock, so that several runs may share the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as out:
        fcntl.flock(out, fcntl.LOCK_EX)
        out.write(json.dumps({name: _short(value) for name, value in asdict(result).items()}) + "\n")


def _short(value: Any) -> Any:
    return float(f"{value:.8g}") if isinstance(value, float) else value


def run(
    sets: Mapping[str, Callable[[], Table]],
    methods: Sequence[str] | Mapping[str, Method],
    out: Path,
    *,
    minutes: float = np.inf,
    say: Callable[[str], None] = print,
) -> bool:
    """Do what is missing in ``out``, method by method; whether all of it is done. A failure is a line as well."""
    chosen = methods if isinstance(methods, Mapping) else {name: METHODS[name] for name in methods}
    done = {result.key for result in read_results(out)}
    stop = time.monotonic() + 60 * minutes
    for method_name, method in chosen.items():
        for set_name, loaded in sets.items():
            wanted = [(r, f) for r in range(REPEATS) for f in range(FOLDS)]
            wanted = [(r, f) for r, f in wanted if (set_name, method_name, r, f) not in done]
            if not wanted:
                continue
            table = loaded()
            codes = class_codes(table.y)[0]
            splits = {(r, f): split for r in range(REPEATS) for f, split in enumerate(folds(codes, r))}
            right = []
            for repeat, fold in wanted:
                if time.monotonic() > stop:
                    return False
                result = _one(table, set_name, method_name, method, (repeat, fold), splits[repeat, fold])
                _append(out, result)
                right.append(result.accuracy)
            say(f"{method_name}: {set_name}: {100 * np.mean(right):.2f} % over {len(right)} folds")
    return True


def _one(table: Table, set_name: str, method_name: str, method: Method, place: tuple[int, int], split: Any) -> Result:
    error = ""
    try:
        found = score_fold(table, method.make, *split, ours=method.ours)
    except Exception as problem:  # a peer may fail in any way; that is a result
        names = ("accuracy", "balanced_accuracy", "log_loss", "cpu_seconds", "wall_seconds")
        found, error = dict.fromkeys(names, float("nan")), f"{type(problem).__name__}: {problem}"[:300]
    return Result(set_name, method_name, *place, table.n_rows, **found, version=method.version, error=error)
