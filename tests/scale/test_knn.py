"""k-NN against rows in partitions answers as k-NN against one table, and suspects of some rows are those of all."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

import sepal
from sepal.exceptions import ParameterError, SepalError
from sepal.measures import suspects
from sepal.scale import knn_partitions, partitioned, predict_partitions, prepare_partitions
from tests.scale.frames import frame

KINDS = ("real", "whole", "mixed")
MODELS = {
    "1": sepal.KNNClassifier(1),
    "5": sepal.KNNClassifier(5),
    "index": sepal.KNNClassifier(4, ties="index"),
    "distance": sepal.KNNClassifier(7, weights="distance", class_weight="balanced"),
    "similarity": sepal.KNNClassifier(6, weights="similarity", distance="manhattan"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MODELS)
def test_answers_are_those_of_one_table(kind, name, cut):
    table, new = frame(kind, 300), frame(kind, 120, seed=9).drop(columns="class")
    model = MODELS[name] if (kind, name) != ("mixed", "similarity") else sepal.KNNClassifier(6, weights="similarity")
    wanted = model.fit(table.drop(columns="class"), table["class"])
    found = knn_partitions(model, cut(table, [20, 180, 100]), block_rows=90, n_jobs=1)
    assert found.predict(new).tolist() == wanted.predict(new).tolist()
    assert np.array_equal(found.predict_proba(new), wanted.predict_proba(new))


def test_partial_rankings_of_workers_are_joined(cut, client):
    table, new = frame("whole", 300), frame("whole", 100, seed=3)
    model = sepal.KNNClassifier("auto", k_max=15)
    wanted = model.fit(table.drop(columns="class"), table["class"], groups="rows")
    found = knn_partitions(model, cut(table, [150, 100, 50], "parquet"), block_rows=60, client=client)
    assert found.n_neighbors_ == wanted.n_neighbors_
    assert np.array_equal(found.loo_curve_.score, wanted.loo_curve_.score)
    source = partitioned(cut(new, [70, 30]), target=False)
    parts = list(predict_partitions(found, source, client=client))
    assert [part.first_row for part in parts] == [0, 70]
    rows = new.drop(columns="class")
    assert np.concatenate([part.predictions for part in parts]).tolist() == wanted.predict(rows).tolist()
    assert np.array_equal(np.concatenate([part.probabilities for part in parts]), wanted.predict_proba(rows))


def test_new_rows_that_are_not_whole_among_whole_rows(cut):
    """Whether distances are exact depends on those who ask, too."""
    table = frame("whole", 200)
    new = frame("whole", 60, seed=5).drop(columns="class") + 0.1
    model = sepal.KNNClassifier(3, scale=None)
    wanted = model.fit(table.drop(columns="class"), table["class"]).predict_proba(new)
    found = knn_partitions(model, cut(table, [120, 80]), block_rows=50, n_jobs=1)
    assert np.array_equal(found.predict_proba(new), wanted)


def test_what_cannot_be_asked_of_partitions(cut, tmp_path):
    pattern = cut(frame("real", 60), [30, 30])
    for model, what in (
        (sepal.KNNClassifier(1, prototypes="cnn"), "prototypes"),
        (sepal.KNNClassifier(1, feature_weights=[1.0] * 10), "feature_weights"),
        (sepal.machines.FisherDiscriminant(), "KNNClassifier"),
    ):
        with pytest.raises(ParameterError, match=what):
            knn_partitions(model, pattern, n_jobs=1)
    found = knn_partitions(sepal.KNNClassifier(1), pattern, n_jobs=1)
    with pytest.raises(SepalError, match="RowsElsewhere cannot be written"):
        sepal.save_model(found, tmp_path / "model.sepal")
    assert not (tmp_path / "model.sepal").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_suspects_among_rows_that_ask_are_those_of_one_table(kind, cut, client):
    """A sample asks all rows; of one table the same rows ask."""
    table = frame(kind)
    ready = prepare_partitions(
        cut(table, [200, 450, 250]), n_queries=150, block_rows=300, random_state=4, client=client
    )
    whole = sepal.prepare(table.drop(columns="class"), table["class"])
    assert len(ready.asking) == 150
    assert "150 ask" in repr(ready)
    found, wanted = suspects(ready), suspects(replace(whole, asking=ready.asking))
    assert found.n_checked == 150
    assert len(found.rows) > 5
    for each in fields(wanted):
        if each.name != "plan":
            assert getattr(found, each.name) == getattr(wanted, each.name), each.name
    assert (found.plan.rows_seen, wanted.plan) == (150, None)
    samples = sepal.measures.thornton_samples(ready)
    assert np.array_equal(samples, sepal.measures.thornton_samples(replace(whole, asking=ready.asking)))


def test_rows_that_ask_are_drawn_by_the_seed_and_of_each_class_its_share(cut):
    table = frame("real")
    pattern = cut(table, [400, 500])
    first, again, other = (
        prepare_partitions(pattern, n_queries=90, random_state=seed, n_jobs=1).asking for seed in (0, 0, 1)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    share = (table["class"].to_numpy()[first] == "a").mean()
    assert share == pytest.approx((table["class"] == "a").mean(), abs=0.02)
