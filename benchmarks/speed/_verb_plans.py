"""What the plan of a whole verb said, and what it took: report, measures, fits, predictions, evaluation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import sepal
from sepal.machines import FisherDiscriminant
from sepal.report import measure_facts, partitions_measures, partitions_report
from sepal.scale import evaluate_partitions, fit_partitions, partitioned, predict_partitions, sample_table

SIZES = (200_000, 10), (1_000_000, 20)
_HOW = {"distance": "auto", "scale": "minmax", "missing": "distance", "random_state": 0, "n_jobs": None}
_NOTHING = {"groups": None, "time_limit": None, "cluster": None, "workers": None, "progress": None}
_MEASURED = {"train_sizes": [0.5, 0.9], "n_neighbors": 1, "n_permutations": 0}


def verbs(pattern: str, all_rows: bool) -> Iterator[tuple[str, Callable[[Callable[[Any], None]], Any]]]:
    """Names, and what is called with whoever hears the plan."""
    source = partitioned(pattern, "class")
    for name, wish in {
        "sampled": {"exact": None, "n_queries": 2_000},
        "exact": {"exact": True, "n_queries": None},
    }.items():
        if name == "exact" and not all_rows:
            continue
        how: dict[str, Any] = {**_HOW, **_NOTHING, **wish}
        yield f"report, {name}", lambda say, how=how: partitions_report(source, **how, say=say)
        yield (
            f"measure, {name}",
            lambda say, how=how: partitions_measures(source, measure_facts, **_MEASURED, **how, say=say),
        )
    for model in (FisherDiscriminant(), sepal.KNNClassifier(), sepal.SepalClassifier()):
        yield f"train {type(model).__name__}", lambda say, model=model: fit_partitions(model, source, say=say)
    near = sepal.KNNClassifier().fit(sample_table(source, 10_000).table)
    new = partitioned(pattern, target=False)
    yield "predict KNNClassifier", lambda say: sum(each.rows_seen for each in predict_partitions(near, new, say=say))
    yield "evaluate KNNClassifier", lambda say: evaluate_partitions(sepal.KNNClassifier(), source, say=say)


def compare(pattern: str, n: int, p: int, line: Callable[..., None]) -> list[float]:
    """A line for every verb; how far off the plans were, as factors."""
    offs = []
    for name, verb in verbs(pattern, all_rows=n * p <= 4_000_000):
        heard: list[tuple[float, float]] = []

        def say(plan: Any, heard: list[tuple[float, float]] = heard) -> None:
            heard.append((time.perf_counter(), getattr(plan, "total_seconds", plan.seconds)))

        verb(say)
        begin, said = heard[0]
        taken = time.perf_counter() - begin
        offs.append(float(np.exp(abs(np.log(said / taken)))))
        line(f"{n:,} x {p}: {name}", taken, f"said {said:6.2f} ({said / taken:4.2f} x)")
    return offs
