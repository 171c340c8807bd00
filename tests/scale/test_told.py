"""Every result of rows in partitions tells whether it is exact, how many rows it has seen, interval and plan."""

from __future__ import annotations

import dask.dataframe
import numpy as np
import pytest

import sepal
from sepal.machines import FisherDiscriminant
from sepal.measures import expected_accuracy_curve, suspects
from sepal.report import measure_facts, partitions_measures
from sepal.scale import (
    angle_partitions,
    evaluate_partitions,
    fit_partitions,
    measure_partitions,
    partitioned,
    partitions_loo_curve,
    predict_partitions,
    prepare_partitions,
    sample_table,
)
from tests.scale.frames import frame

N, SIZES, COLUMNS = 300, [100, 80, 120], 10
KNN = sepal.KNNClassifier(3)
HOW = {"distance": "auto", "scale": "minmax", "missing": "distance", "random_state": 0, "n_jobs": 1, "groups": None}


def _measures(pattern, **wishes):
    none = dict.fromkeys(("exact", "n_queries", "cluster", "workers", "say", "time_limit", "progress"))
    said = {"train_sizes": [0.5], "n_neighbors": 1, "n_permutations": 0}
    return partitions_measures(partitioned(pattern, "class"), measure_facts, **HOW, **said, **{**none, **wishes})


# What is asked -> how, how many rows it has seen, and what has an interval: a figure, and of every row or k several.
RESULTS = {
    "index": (lambda p: measure_partitions(p, n_jobs=1), N, (2,)),
    "index of a sample": (lambda p: measure_partitions(p, n_queries=60, n_jobs=1), 60, (2,)),
    "test": (lambda p: sepal.thornton_test(prepare_partitions(p, n_jobs=1)), N, (2,)),
    "test of a sample": (lambda p: sepal.thornton_test(prepare_partitions(p, n_queries=60, n_jobs=1)), 60, (2,)),
    "splits": (lambda p: expected_accuracy_curve(prepare_partitions(p, n_jobs=1), train_sizes=[0.5]), N, None),
    "suspects": (lambda p: suspects(prepare_partitions(p, n_jobs=1)), N, (2,)),
    "suspects of a sample": (lambda p: suspects(prepare_partitions(p, n_queries=60, n_jobs=1)), 60, (2,)),
    "leave-one-out": (lambda p: partitions_loo_curve(prepare_partitions(p, n_jobs=1), 5), N, (5, 2)),
    "angle": (lambda p: angle_partitions(p, n_jobs=1), N, (1, 2)),
    "sample": (lambda p: sample_table(partitioned(p), 60, n_jobs=1), 60, None),
    "fit by sums": (lambda p: fit_partitions(FisherDiscriminant(), p, n_jobs=1), N, None),
    "fit to a sample": (lambda p: fit_partitions(KNN, p, n_sample=60, n_jobs=1), 60, None),
    "evaluation": (lambda p: evaluate_partitions(KNN, p, cv=3, n_jobs=1), N, (2,)),
    "evaluation of a sample": (lambda p: evaluate_partitions(KNN, p, n_sample=60, cv=3, n_jobs=1), 60, (2,)),
    "measures": (_measures, N, (2,)),
    "measures of a sample": (lambda p: _measures(p, n_queries=60), 60, (2,)),
    "report": (lambda p: sepal.separability(p, "class", n_jobs=1, time_limit=60), N, (2,)),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_tell(name, cut):
    ask, seen, shape = RESULTS[name]
    found = ask(cut(frame("real", N), SIZES))
    assert found.exact is (seen == N)
    assert found.rows_seen == seen
    assert str(found.plan).splitlines()[0] == f"{N} rows x {COLUMNS} columns in {len(SIZES)} partitions, 1 worker"
    assert "doing:  " in str(found.plan)
    interval = getattr(found, "interval", None)
    if shape is None:
        assert interval is None
    else:
        interval = np.asarray(interval() if callable(interval) else interval)
        assert interval.shape == shape
        assert np.all(interval[..., 0] <= interval[..., 1])


def test_predictions_tell(cut, tmp_path):
    pattern = cut(frame("real", N), SIZES)
    said = []
    source = partitioned(pattern, target=False)
    model = sepal.KNNClassifier(3).fit(frame("real", 50).drop(columns="class"), frame("real", 50)["class"])
    found = list(predict_partitions(sepal.save_model(model, tmp_path / "m.sepal"), source, say=said.append))
    assert [each.rows_seen for each in found] == SIZES
    assert all(each.exact and each.plan is said[0] for each in found)
    assert said[0].rows_seen == N


def test_one_table_tells_the_same_without_a_plan():
    table = sepal.datasets.load("sonar")
    for found in (sepal.thornton_test(table), suspects(table), expected_accuracy_curve(table, train_sizes=[0.5])):
        assert (found.exact, found.rows_seen, found.plan, found.recall) == (True, 208, None, None)
    some = sepal.thornton_test(table, n_queries=100)
    assert (some.exact, some.rows_seen) == (False, 100)


def test_the_interval_of_suspects_is_that_of_their_share():
    """By the formula: 60 checked of 300 rows tell as much as 60 * 299 / 240 trials; Wilson's at 95 %."""
    table = frame("real", N)
    found = suspects(table.drop(columns="class"), table["class"], n_queries=60)
    n, z = 60 * 299 / 240, 1.959963984540054
    share = len(found.rows) / 60
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    assert found.interval == pytest.approx((centre - half, centre + half), abs=1e-12)


def test_a_dask_frame_is_evaluated_as_a_table_is():
    table = frame("real", 90)
    whole = sepal.evaluate(KNN, table.drop(columns="class"), table["class"], cv=3)
    found = evaluate_partitions(KNN, dask.dataframe.from_pandas(table, npartitions=2), "class", cv=3)
    assert found.confusion.tolist() == whole.confusion.tolist()


@pytest.mark.parametrize("kind", ["real", "whole", "mixed"])
@pytest.mark.parametrize("sizes", [[240], [50, 190], [17] * 14 + [2]])
def test_splits_of_partitions_are_those_of_one_table(kind, sizes, cut):
    """The spread of one split is drawn: to the rows by what is in them, wherever they are."""
    table = frame(kind, 240)
    whole = expected_accuracy_curve(table.drop(columns="class"), table["class"], train_sizes=[0.3, 0.8], n_jobs=1)
    found = expected_accuracy_curve(prepare_partitions(cut(table, sizes), n_jobs=1), train_sizes=[0.3, 0.8])
    assert found.accuracy.tolist() == whole.accuracy.tolist()
    assert found.split_std.tolist() == whole.split_std.tolist()
