"""What travels and what stays: nothing that is sent is larger than a partition, and little is held here."""

from __future__ import annotations

import ast
import pickle
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sepal
from sepal.auto import SepalClassifier
from sepal.data import as_table
from sepal.exceptions import ClusterError
from sepal.measures import suspects
from sepal.report import partitions_report
from sepal.scale import (
    _predict,
    angle_partitions,
    fit_partitions,
    knn_partitions,
    measure_partitions,
    partitioned,
    partitions_loo_curve,
    predict_partitions,
    prepare_partitions,
    sample_table,
    spread_subsets,
)
from sepal.scale._pieces import answer_in_pieces, put_together
from sepal.scale._sources import load_part
from sepal.selection import subset_sweep
from tests.scale.client_memory import SPAWN, peaks

ROWS, COLUMNS = 1_500, 12


def rows(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, COLUMNS))
    found = pd.DataFrame(X, columns=[f"x{i}" for i in range(COLUMNS)])
    found["class"] = np.where(X[:, 0] + rng.normal(size=n) > 0, "b", "a")
    return found


def test_nothing_larger_than_a_partition_is_sent(cut, client, sizes, tmp_path):
    table = rows(4 * ROWS)
    pattern = cut(table, [ROWS] * 4, "parquet")
    source = partitioned(pattern, "class")
    ready = prepare_partitions(pattern, client=client)
    sepal.thornton_test(ready)
    partitions_loo_curve(ready, 25)
    measure_partitions(pattern, n_queries=4_000, client=client)
    sample_table(source, 3_000, client=client)
    angle_partitions(pattern, client=client)
    for model in (sepal.machines.FisherDiscriminant(), sepal.machines.FeatureVectorClassifier(max_vectors=20)):
        fit_partitions(model, pattern, n_sample=2_000, client=client)
    near = knn_partitions(sepal.KNNClassifier(5), pattern, client=client)
    near.predict(table.drop(columns="class"))
    model = tmp_path / "model.sepal"
    sepal.save_model(sepal.KNNClassifier(1).fit(table.drop(columns="class"), table["class"]), model)
    list(predict_partitions(model, partitioned(pattern, target=False), client=client, columns=lambda _: False))
    sample_table(source, len(table), client=client)
    one = len(pickle.dumps(load_part(source.parts[0], source.reading)))
    largest = {name: max(each) for name, each in sizes.items()}
    assert {"read-columns", "read-rows", "search-for-neighbours", "draw-rows", "ask-for-neighbours"} <= set(largest)
    assert {"add-up-products", "add-up-answers", "leave-rows-out", "predicting"} <= set(largest)
    assert {name: size for name, size in largest.items() if size > one} == {}, one


# Every task there is, by the name that the dashboard shows.
TASKS = {
    "read-columns", "measure-speed", "read-rows", "fetch-rows", "compare-rows", "search-for-neighbours",
    "draw-rows", "count-equal-rows", "fetch-equal-rows", "ask-for-neighbours", "look-at-suspects", "locate-classes",
    "average-columns", "add-up-products", "add-up-answers", "decompose-rows", "leave-rows-out", "predicting",
    "score-subsets", "send-in-pieces", "try-rows", "sort-rows", "read-decimal-signs",
}  # fmt: skip


def test_tasks_are_called_by_what_they_do():
    """The names in the code, found by what is called: no other is ever seen."""
    found = set()
    for room in ("scale", "selection"):
        for path in (Path(sepal.__file__).parent / room).glob("*.py"):
            for call in ast.walk(ast.parse(path.read_text())):
                named = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and len(call.args) > 2
                if named and call.func.attr in ("run", "_sum") and isinstance(call.args[0], ast.Constant):
                    found.add(call.args[0].value.replace(" ", "-"))
    assert found | {_predict.PREDICTING, "send-in-pieces"} == TASKS


def test_what_is_large_is_given_in_pieces(cut, client, sizes, monkeypatch):
    """Ranks of 800 rows, 60 x 60 of vectors, all rows of a sweep, 300 levels of a column: partitions have 150 rows."""
    for name, value in {"WHOLE_ROWS": 300, "SEARCH_ROWS": 400, "VECTORS": (30, 60)}.items():
        monkeypatch.setattr(f"sepal.auto._solve.{name}", value)
    monkeypatch.setattr("sepal.report._partitions.TOGETHER", 600)
    monkeypatch.setattr("sepal.selection._spread._SENT", 10_000)
    table = rows(1_500)[["x0", "x1", "x2", "class"]]
    table["x0"] = table["x0"].round(1)
    table["x3"], table["x4"] = np.arange(1_500) % 40, np.arange(1_500) % 7
    pattern = cut(table, [150] * 10, "parquet")
    source = partitioned(pattern, "class")
    one = len(pickle.dumps(load_part(source.parts[0], source.reading)))
    report = {"distance": "auto", "missing": "distance", "random_state": 0, "n_jobs": 1, "progress": None}
    with client.as_current():
        found = partitions_report(source, scale="standard", n_queries=300, time_limit=None, **report)
        assert found.suspects.n_checked == 300
        fit_partitions(SepalClassifier(time_limit=None), source, n_sample=800)
        fit_partitions(sepal.machines.FeatureVectorClassifier(max_vectors=60), source, n_sample=700)
        monkeypatch.setattr("sepal.machines._vectors._models._DEPENDENT", 2.0)  # as if vectors depended on each other
        fit_partitions(sepal.machines.FeatureVectorClassifier(max_vectors=60), source, n_sample=700)
        ready = prepare_partitions(source, scale="standard")
        partitions_loo_curve(ready, 3)
        suspects(ready)
        table["town"] = [f"town {c}" for c in np.arange(1_500) % 300]
        sepal.thornton_test(prepare_partitions(cut(table, [150] * 10), "class"))
        measure_partitions(cut(table, [160, 140, *[150] * 8]), "class", n_queries=500)
    with spread_subsets(client):
        subset_sweep(as_table(table.drop(columns=["class", "town"]), table["class"]))
    assert {"measure-speed", "average-columns", "look-at-suspects", "decompose-rows", "score-subsets"} <= set(sizes)
    assert set(sizes) <= TASKS
    assert len(sizes["send-in-pieces"]) > 10
    assert {name: max(each) for name, each in sizes.items() if max(each) > max(one, 10_000)} == {}, one


def test_long_lists_and_many_classes_travel_in_pieces(cut, client, sizes, tmp_path):
    """Answers with many ties or many classes were larger than a partition."""
    # Rows that are as near to many others, and a class for every tenth row.
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.integers(0, 2, size=(1_200, 10)).astype(float), columns=[f"x{i}" for i in range(10)])
    table["class"] = np.where(rng.random(1_200) < 0.5, "a", "b")
    pattern = cut(table, [400] * 3, "parquet")
    found = sepal.thornton_test(prepare_partitions(pattern, client=client))
    assert found.score == sepal.thornton_score(table.drop(columns="class"), table["class"])
    source = partitioned(pattern, "class")
    one = len(pickle.dumps(load_part(source.parts[0], source.reading)))
    assert {name: max(each) for name, each in sizes.items() if max(each) > one} == {}, one
    sizes.clear()
    many = rows(1_200)[["x0", "x1", "x2"]]
    model = sepal.KNNClassifier(1).fit(many, np.arange(1_200) % 40)
    sepal.save_model(model, tmp_path / "model.sepal")
    new = partitioned(cut(many, [400, 800], "parquet"), target=False)
    answers = list(predict_partitions(tmp_path / "model.sepal", new, client=client, columns=lambda _: False))
    shares = np.concatenate([part.probabilities for part in answers])
    assert np.array_equal(shares, model.predict_proba(many))
    one = len(pickle.dumps(load_part(new.parts[1], new.reading)))
    assert len(pickle.dumps(answers[1].probabilities)) > 10 * one
    assert {name: max(each) for name, each in sizes.items() if max(each) > one} == {}, one


def test_pieces_of_different_answers_are_not_put_together():
    first = answer_in_pieces("one", 0, 1_000, bytes, 5_000)
    other = answer_in_pieces("two", 1, 1_000, bytearray, 5_000)
    assert put_together(first, lambda at: answer_in_pieces("one", at, 1_000, bytes, 5_000), "naps") == bytes(5_000)
    with pytest.raises(ClusterError, match="naps: two workers gave different answers"):
        put_together(first, lambda _: other, "naps")


def test_an_answer_waits_for_its_pieces_while_others_are_found(monkeypatch):
    """Only the last answer was kept: a task whose pieces were fetched after the next task was done again for each."""
    done = []

    def task(number):
        done.append(number)
        return bytes([number]) * 5_000

    first = [answer_in_pieces(f"wait {at}", 0, 1_000, task, at) for at in range(3)]
    for at in (1, 0, 2):
        fetch = partial(lambda piece, at: answer_in_pieces(f"wait {at}", piece, 1_000, task, at), at=at)
        assert put_together(first[at], fetch, "naps") == bytes([at]) * 5_000
    assert done == [0, 1, 2]
    monkeypatch.setattr("sepal.scale._pieces._WAITING", 6_000)
    first = [answer_in_pieces(f"wait {at}", 0, 1_000, task, at) for at in range(2)]
    assert put_together(first[0], lambda at: answer_in_pieces("wait 0", at, 1_000, task, 0), "naps") == bytes(5_000)
    assert done == [0, 1, 2, 0, 1, 0]


@pytest.fixture(scope="module")
def alone():
    """A process that does nothing else."""
    with ProcessPoolExecutor(1, SPAWN) as pool:
        yield pool


def _cut_into(cut, *numbers):
    found = {}
    for n_parts in numbers:
        table = rows(n_parts * ROWS)
        table.loc[::3, "x1"] = np.nan
        found[n_parts] = partitioned(cut(table, [ROWS] * n_parts, "parquet"), "class")
    return found


@pytest.mark.parametrize("missing", ["distance", "drop"])
def test_a_sample_of_more_partitions_needs_no_more_memory_here(missing, cut, alone):
    """The client held 9 KB of each partition."""
    # Names of the partitions and a list of tasks may stay; a partition has 150,000 bytes.
    sources = _cut_into(cut, 3, 30)
    for question in ("columns", "asked"):  # apart: for a draw 8 MB are held, whatever is drawn from
        found = alone.submit(peaks, sources, question, missing).result()
        assert found[30] - found[3] < 27 * 3_000, (question, found)


def test_an_exact_answer_holds_some_bytes_for_every_row(cut, alone):
    found = alone.submit(peaks, _cut_into(cut, 2, 12), "exact", "distance").result()
    assert (found[12] - found[2]) / (10 * ROWS) < 8 * COLUMNS * 4, found
