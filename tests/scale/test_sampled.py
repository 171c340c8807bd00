"""Samples: what they estimate, how sure that is, and that a seed means the same rows wherever they stand."""

from __future__ import annotations

import dask.array
import numpy as np
import pandas as pd
import pytest

import sepal
from sepal.exceptions import ParameterError
from sepal.scale import (
    ask_partitions,
    asking_for,
    fit_parts,
    measure_partitions,
    partitioned,
    place_of_work,
    prepare_partitions,
)
from sepal.scale._blocks import cut_blocks
from sepal.scale._drawing import draw_rows, shares_of
from sepal.scale._sampled import stratified_interval
from tests.scale.frames import frame


@pytest.mark.parametrize("kind", ["real", "whole", "mixed"])
def test_a_sample_of_all_rows_is_exact(kind, cut, here):
    """Copies are counted and not listed: the shares are those of the plain function."""
    table = frame(kind, 600)
    given = fit_parts(partitioned(cut(table, [100, 350, 150])), here)
    found, _ = ask_partitions(given, 600, 0.95, 0, None)
    wanted = sepal.thornton_test(table.drop(columns="class"), table["class"])
    assert found.score == pytest.approx(wanted.score, abs=1e-12)
    assert found.per_class == pytest.approx(wanted.per_class, abs=1e-12)
    assert found.chance == wanted.chance
    assert found.class_chance == wanted.class_chance
    assert found.class_interval == {c: (score, score) for c, score in found.per_class.items()}
    assert found.interval == (found.score, found.score)


def test_every_asking_row_gets_its_own_answer(cut, there):
    table = frame("whole", 500)
    samples = sepal.measures.thornton_samples(table.drop(columns="class"), table["class"])
    given = fit_parts(partitioned(cut(table, [200, 300])), there)
    drawn = draw_rows(given.schema, there, 60, 7)
    found, _ = ask_partitions(given, 60, 0.95, np.random.default_rng(3), None)
    seed = int(np.random.default_rng(3).integers(2**63))
    drawn = draw_rows(given.schema, there, 60, seed)
    codes = drawn.codes
    weights = given.schema.class_counts / 500 / np.bincount(codes)
    assert found.score == pytest.approx(float(np.sum(weights[codes] * samples[drawn.rows])), abs=1e-12)


def test_a_seed_draws_the_same_rows_in_any_order(cut, here):
    table = frame("real", 400)
    shuffled = table.iloc[np.random.default_rng(0).permutation(200).tolist() + list(range(200, 400))]
    swapped = pd.concat([table.iloc[200:], table.iloc[:200]])
    drawn = []
    for each in (table, shuffled, swapped):
        schema = fit_parts(partitioned(cut(each, [200, 200], f"{len(drawn)}.csv")), here).schema
        values = draw_rows(schema, here, 50, 5).values
        drawn.append(values[np.lexsort(values.T)])
    assert np.array_equal(drawn[0], drawn[1])
    assert np.array_equal(drawn[0], drawn[2])


def test_shares_of_classes():
    assert shares_of(np.array([900, 90, 10]), 100).tolist() == [90, 9, 2]
    assert shares_of(np.array([1, 999]), 10).tolist() == [1, 10]
    assert shares_of(np.array([5, 5]), 10).tolist() == [5, 5]


@pytest.mark.parametrize("kind", ["real", "whole"])
def test_intervals_cover_the_index_of_all_rows(kind, cut, here):
    """100 seeds; at 95 % between 90 and 99 of them are to hold the exact value."""
    table = frame(kind, 900)
    X, y = table.drop(columns="class"), table["class"]
    samples, exact = sepal.measures.thornton_samples(X, y), sepal.thornton_score(X, y)
    given = fit_parts(partitioned(cut(table, [450, 450])), here)
    held, scores = 0, []
    for seed in range(100):
        drawn = draw_rows(given.schema, here, 150, seed)
        score, (low, high) = stratified_interval(samples[drawn.rows], drawn.codes, given.schema.class_counts, 0.95)
        held += low <= exact <= high
        scores.append(score)
    assert 90 <= held <= 99
    assert np.mean(scores) == pytest.approx(exact, abs=4 * np.std(scores) / 10)


@pytest.fixture
def three_classes():
    """Of 480, 180 and 90 rows, which overlap: indices of about 0.8, 0.5 and 0.4."""
    rng = np.random.default_rng(6)
    y = np.repeat(["a", "b", "c"], [480, 180, 90])
    X = rng.normal(size=(750, 3)) + np.repeat([[0.0], [1.2], [2.0]], [480, 180, 90], axis=0)
    return X, y, partitioned(dask.array.from_array(X, chunks=(250, 3)), dask.array.from_array(y, chunks=250))


def _asked(source, here, seed):
    return ask_partitions(fit_parts(source, here), 180, 0.95, seed, None)[0]


def _some_ask(source, here, seed):
    return sepal.thornton_test(prepare_partitions(source, n_queries=180, random_state=seed, n_jobs=1))


@pytest.mark.parametrize("way", [_asked, _some_ask])
def test_intervals_of_classes_and_of_all_cover_the_exact_values(way, three_classes, here):
    """Every interval there is of a sample of partitions: 100 seeds, 90 to 99 of them hold the exact value."""
    X, y, source = three_classes
    exact, held = sepal.thornton_test(X, y), dict.fromkeys(["all", "a", "b", "c"], 0)
    for seed in range(100):
        found = way(source, here, seed)
        assert found.n_queries == 180
        held["all"] += found.interval[0] <= exact.score <= found.interval[1]
        for name, (low, high) in found.class_interval.items():
            held[name] += low <= exact.per_class[name] <= high
    assert all(90 <= times <= 99 for times in held.values()), held


def test_the_plan_speaks_first_and_is_obeyed(cut):
    pattern, heard = cut(frame("real", 600), [300, 300]), []
    found = measure_partitions(pattern, say=heard.append, n_jobs=1)
    assert (found.exact, found.rows_seen, heard[0].exact) == (True, 600, True)
    assert "600 rows x 10 columns in 2 partitions" in str(heard[0])
    sampled = measure_partitions(pattern, n_queries=100, n_jobs=1)
    assert (sampled.exact, sampled.rows_seen) == (False, 100)
    assert sampled.interval[0] <= found.thornton.score <= sampled.interval[1]
    assert "100 of 600 rows" in str(sampled)
    hurried = measure_partitions(pattern, time_limit=1e-9, half_width=0.04, n_jobs=1)
    assert (hurried.exact, hurried.rows_seen) == (False, asking_for(0.04, 600))
    assert measure_partitions(pattern, exact=False, half_width=0.1, n_jobs=1).rows_seen == asking_for(0.1, 600)
    with pytest.raises(ParameterError, match="n_queries"):
        measure_partitions(pattern, exact=True, n_queries=5)


def test_blocks_are_about_as_large_as_each_other(cut, here):
    """So that the share of blocks that are done is the share of the work."""
    schema = fit_parts(partitioned(cut(frame("real", 900), [100] * 9)), here).schema
    for most, wanted in ((550, [400, 500]), (850, [400, 500]), (300, [300] * 3), (10**6, [900])):
        assert sorted(block.n_rows for block in cut_blocks(schema, most, "key")) == wanted


def test_so_many_must_ask():
    """n = z^2 / (4 h^2) of an infinite table, by hand: (1.959964 / 0.02)^2 = 9604."""
    assert asking_for(0.01, 10**12) == 9604
    assert asking_for(0.49, 10) >= 1
    with pytest.raises(ParameterError, match="half_width"):
        asking_for(0.5, 10)


def test_the_active_client_is_used(cut, client):
    with client.as_current():
        found = measure_partitions(cut(frame("real", 300), [100, 200]))
    assert found.plan.n_workers == 2
    with place_of_work() as work:
        assert type(work).__name__ == "Here"


def test_a_smaller_sample_is_part_of_a_larger_one(cut, here):
    schema = fit_parts(partitioned(cut(frame("whole", 400), [150, 250])), here).schema
    small, large = (draw_rows(schema, here, n, 5) for n in (40, 120))
    again = large.first(shares_of(schema.class_counts, 40))
    assert np.array_equal(again.rows, small.rows)
    assert np.array_equal(again.values, small.values)
    assert set(small.rows.tolist()) < set(large.rows.tolist())
    of_all = draw_rows(schema, here, 400, 5)
    assert np.array_equal(of_all.rows, np.arange(400))
    assert np.array_equal(of_all.first(shares_of(schema.class_counts, 40)).values, small.values)


def test_a_partition_of_which_no_row_is_left(cut, here):
    table = frame("real", 300)
    table.loc[:99, "x1"] = np.nan
    schema = fit_parts(partitioned(cut(table, [100, 200]), "class"), here, missing="drop").schema
    assert schema.part_rows.tolist() == [0, 200]
    drawn = draw_rows(schema, here, 50, 2)
    assert np.array_equal(table.drop(columns="class").to_numpy()[100 + drawn.rows], drawn.values)
