"""Approximate neighbours of rows in partitions: each block by itself, lists joined, and recall beside every result."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sepal
from sepal.cli._app import app
from sepal.exceptions import MissingDependencyError, ParameterError, SepalWarning
from sepal.measures import suspects
from sepal.report import partitions_report
from sepal.scale import (
    fit_parts,
    knn_partitions,
    measure_partitions,
    partitioned,
    partitions_loo_curve,
    place_of_work,
    prepare_partitions,
)
from sepal.scale._drawing import draw_rows
from sepal.scale._meetings import Cut
from sepal.scale._recall import _SEED

pytestmark = pytest.mark.filterwarnings("ignore:approximate neighbours")
N, SIZES = 2400, [900, 700, 800]


@pytest.fixture(scope="module")
def table():
    """Clusters, so that cells of rows mean something."""
    rng = np.random.default_rng(3)
    middles = rng.normal(size=(40, 5)) * 4
    which = rng.integers(0, 40, N)
    X = middles[which] + rng.normal(size=(N, 5))
    found = pd.DataFrame(X, columns=[f"x{i}" for i in range(5)])
    found["class"] = np.where((which % 2 == 0) ^ (rng.random(N) < 0.1), "a", "b")
    return found


def _points(table):
    """Scaled to 0..1 column by column, by hand."""
    X = table.drop(columns="class").to_numpy()
    return (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))


@pytest.mark.parametrize("asking", ["the rows that were drawn", "all rows", "all rows on workers"])
def test_recall_is_that_of_all_distances_of_the_rows_that_were_drawn(table, cut, asking, request, monkeypatch):
    """The search of each block stands for itself; which share of the ten nearest of all it finds is counted by hand.

    All rows asked each other in other pieces than the blocks of which recall was measured.
    """
    monkeypatch.setattr("sepal.scale._search.best_cut", lambda *size: Cut(2))
    client = request.getfixturevalue("client") if asking == "all rows on workers" else None
    how = {"block_rows": 900, "client": client, "n_jobs": None if client else 1}
    ready = prepare_partitions(cut(table, SIZES), "class", method="approximate", **how)
    told = sepal.thornton_test(ready).recall
    P = _points(table)
    with place_of_work(n_jobs=1) as work:
        rows = draw_rows(fit_parts(partitioned(cut(table, [1200, 1200]), "class"), work).schema, work, 200, _SEED).rows
    squares = ((P[rows][:, None, :] - P[None, :, :]) ** 2).sum(axis=2)
    squares[np.arange(len(rows)), rows] = np.inf
    wanted = np.argsort(squares, axis=1, kind="stable")[:, :10]
    distinct = ready.search.copies.distinct(rows)
    some = asking == "the rows that were drawn"
    start, entries, _ = ready.search._nearest(ready.search._take(distinct) if some else None, 10 + some, None, None)
    number = ready.search.at[entries.number]
    at = range(len(rows)) if some else distinct.number.tolist()
    shares = [
        len(set(number[start[i] : start[i + 1]][:11].tolist()) & set(wanted[j].tolist())) / 10 for j, i in enumerate(at)
    ]
    assert told == pytest.approx(np.mean(shares), abs=6e-4)  # it is told to a tenth of a percent
    assert 0.8 < told <= 1.0


def test_every_result_tells_it(table, cut):
    pattern = cut(table, SIZES)
    ready = prepare_partitions(pattern, "class", method="approximate", n_jobs=1)
    model = knn_partitions(sepal.KNNClassifier(method="approximate", k_max=9), pattern, "class", n_jobs=1)
    results = [
        sepal.thornton_test(ready),
        suspects(ready),
        partitions_loo_curve(ready, 3),
        measure_partitions(pattern, "class", method="approximate", exact=True, n_jobs=1),
        measure_partitions(pattern, "class", method="approximate", n_queries=300, n_jobs=1),
        model.loo_curve_,
    ]
    for found in results:
        assert found.exact is False
        assert 0.8 < found.recall <= 1.0
    for text in (str(results[0]), str(results[1]), str(results[3]), str(results[4])):
        assert "of the 10 nearest are found (recall, measured on 200 rows by exact searches" in text
    assert f"(recall {model.recall_:.1%})" in repr(model)
    with pytest.raises(ParameterError, match="cannot tell the recall"):
        sepal.thornton_score(ready)
    with pytest.warns(SepalWarning, match="approximate neighbours"):
        prepare_partitions(pattern, "class", method="approximate", n_jobs=1)


def test_the_report_tells_it_everywhere(table, cut, monkeypatch):
    monkeypatch.setattr("sepal.report._partitions.TOGETHER", 300)
    how = {"distance": "auto", "scale": "minmax", "missing": "distance", "random_state": 0, "n_jobs": 1}
    source = partitioned(cut(table, SIZES), "class")
    found = partitions_report(source, **how, n_queries=300, method="approximate", time_limit=None, progress=None)
    said = "of the 10 nearest are found"
    assert said in found.to_html().partition("</header>")[0]
    assert said in " ".join(found.to_text(100).partition("\nClasses\n")[0].split())
    assert json.loads(found.to_json())["partitions"]["recall"] == found.recall == found.suspects.recall
    assert not found.exact


def test_threads_and_the_order_of_rows_change_nothing(table, cut):
    one = sepal.thornton_test(prepare_partitions(cut(table, [N]), "class", method="approximate", n_jobs=1))
    mixed = table.sample(frac=1.0, random_state=1)
    two = sepal.thornton_test(prepare_partitions(cut(mixed, [N // 2] * 2), "class", method="approximate", n_jobs=2))
    assert one.recall == two.recall
    assert one.score == pytest.approx(two.score, abs=1e-12)


def test_the_command(table, cut):
    pattern = cut(table, SIZES)
    run = lambda *words: CliRunner().invoke(app, [str(word) for word in words])  # noqa: E731
    found = run("measure", pattern, "--target", "class", "--method", "approximate", "--json", "--jobs", "1")
    assert found.exit_code == 0, found.output
    assert 0.8 < json.loads(found.stdout)["partitions"]["recall"] <= 1.0


def test_what_cannot_be_is_refused(table, cut, monkeypatch):
    pattern = cut(table, SIZES)
    with pytest.raises(ParameterError, match="manhattan"):
        prepare_partitions(pattern, "class", method="approximate", distance="manhattan", n_jobs=1)
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingDependencyError, match=r"pip install sepal-learn\[approximate\]"):
        prepare_partitions(pattern, "class", method="approximate", n_jobs=1)
