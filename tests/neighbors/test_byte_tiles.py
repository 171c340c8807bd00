"""Products of bytes leave out most pairs and nothing of the answer, and every instruction set gives the same bits."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

import sepal._native as native
from tests.neighbors.hard_sets import SETS, WHOLE, assert_the_oracle, search
from tests.oracles.neighbors import squared_euclidean_by_column

_tiles = partial(search, method="tiles")


@pytest.mark.parametrize("k", [1, 10, 40])
@pytest.mark.parametrize("shape", [(420, 14), (300, 61)])
@pytest.mark.parametrize("name", SETS)
def test_every_row_asks_the_others(name, shape, k):
    rows = np.unique(SETS[name](np.random.default_rng(13), *shape), axis=0)
    k = min(k, len(rows) - 1)
    tie = 0.0 if name in WHOLE else 1e-9
    D = squared_euclidean_by_column(rows, rows)
    assert_the_oracle(_tiles(rows, k, tie=tie), D, k, tie, exclude_self=True)


@pytest.mark.parametrize("k", [1, 7])
@pytest.mark.parametrize("name", SETS)
def test_further_rows_ask(name, k):
    rows = SETS[name](np.random.default_rng(14), 420, 30)
    points, queries = rows[:330], np.ascontiguousarray(np.concatenate([rows[330:], rows[:10]]))  # some are copies
    tie = 0.0 if name in WHOLE else 1e-9
    D = squared_euclidean_by_column(queries, points)
    assert_the_oracle(_tiles(points, k, queries, tie=tie), D, k, tie, exclude_self=False)


@pytest.mark.parametrize("method", ["tiles", "axes"])
@pytest.mark.parametrize("k", [1, 10])
@pytest.mark.parametrize("name", ["noise", "whole numbers with ties", "cells far out", "near a plane"])
def test_a_first_look_at_some_of_the_points_changes_nothing(name, k, method):
    """Enough rows for it, and for several bands of blocks."""
    rows = np.unique(SETS[name](np.random.default_rng(20), 1500, 20), axis=0)
    assert len(rows) > 1100
    tie = 0.0 if name in WHOLE else 1e-9
    D = squared_euclidean_by_column(rows, rows)
    assert_the_oracle(search(rows, k, method=method, tie=tie), D, k, tie, exclude_self=True)


@pytest.mark.parametrize("method", ["tiles", "axes"])
@pytest.mark.parametrize("k", [16, 17, 40, 100, 101])
def test_a_first_look_for_many_neighbors(k, method):
    rng = np.random.default_rng(21)
    points = np.concatenate([rng.normal(size=(4500, 16)), rng.integers(3, size=(4500, 16)).astype(float)])
    queries = np.ascontiguousarray(np.concatenate([points[:5], points[-5:], rng.normal(size=(20, 16))]))
    D = squared_euclidean_by_column(queries, points)
    assert_the_oracle(search(points, k, queries, method=method, tie=1e-9), D, k, 1e-9, exclude_self=False)


@pytest.mark.parametrize("k", [1, 10])
@pytest.mark.parametrize("name", ["noise", "near a plane"])
def test_a_first_look_counts_nobody_twice(name, k):
    """Enough rows for two looks, at those beside the queries and at some of all, which have points in common."""
    rows = SETS[name](np.random.default_rng(22), 2600, 20)
    D = squared_euclidean_by_column(rows, rows)
    assert_the_oracle(_tiles(rows, k, tie=1e-9), D, k, 1e-9, exclude_self=True)


@pytest.mark.parametrize("method", ["tiles", "direct"])
@pytest.mark.parametrize("k", [2, 31, 32, 33, 300])
@pytest.mark.parametrize("name", ["bits", "noise"])
def test_lists_of_few_and_of_more_neighbors(name, k, method):
    """Bounds are in order for few and a heap for more; bits have more ties than a list has room for at first."""
    rows = np.unique(SETS[name](np.random.default_rng(23), 420, 14), axis=0)
    D = squared_euclidean_by_column(rows, rows)
    tie = 0.0 if name in WHOLE else 1e-9
    assert_the_oracle(search(rows, k, method=method, tie=tie), D, k, tie, exclude_self=True)
    assert_the_oracle(search(rows, k, rows[:9], method=method, tie=tie), D[:9], k, tie, exclude_self=False)


@pytest.mark.parametrize("method", ["tiles", "direct"])
def test_more_neighbors_are_asked_for_than_there_are(method):
    rows = np.random.default_rng(24).normal(size=(60, 14))
    D = squared_euclidean_by_column(rows, rows)
    for k in (60, 1_000_000_000):
        assert_the_oracle(search(rows, k, method=method), D, 59, 0.0, exclude_self=True)
        assert_the_oracle(search(rows, k, rows[:9], method=method), D[:9], 60, 0.0, exclude_self=False)


def test_queries_far_from_the_points():
    rng = np.random.default_rng(15)
    points, queries = rng.normal(size=(500, 20)), 30 + 5 * rng.normal(size=(60, 20))
    D = squared_euclidean_by_column(queries, points)
    assert_the_oracle(_tiles(points, 3, queries, tie=1e-9), D, 3, 1e-9, exclude_self=False)


def test_few_multiply_adds_are_left_to_floating_point():
    rows = np.random.default_rng(16).normal(size=(3000, 40))
    work = native.tile_work(points=rows, k=1, threads=2)
    if native.instruction_set() == "avx512-vnni":
        assert work.all == 3000 * 2999 / 2 * 40
        # Float32 measures the nearest of every row, once where two are each other's, and float64 decides about it.
        assert (3000 / 2 + 3000) * 40 <= work.finished < 0.1 * work.all
        assert work.finished % 40 == 0
        assert work.all <= work.bytes < 1.5 * work.all
    else:
        assert (work.all, work.bytes, work.finished) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("name", ["clusters far apart", "one row far out"])
def test_rows_that_bytes_cannot_tell_apart_are_left_to_float32(name):
    rows = SETS[name](np.random.default_rng(17), 1000, 20)
    work = native.tile_work(points=rows, k=1, threads=2)
    assert (work.all, work.bytes, work.finished) == (0.0, 0.0, 0.0)


def test_the_same_bits_on_every_number_of_threads():
    rows = np.random.default_rng(18).normal(size=(1100, 33))
    for ours, theirs in zip(_tiles(rows, 6, threads=1), _tiles(rows, 6, threads=3), strict=True):
        np.testing.assert_array_equal(ours, theirs)


ANSWER = """
import hashlib, numpy as np, sepal._native as native
from sepal.prototypes import fcnn, hart
from tests.neighbors.hard_sets import SETS, search
answer = hashlib.sha256()
for name in ("noise", "whole numbers with ties", "cells far out", "near a plane"):
    for p in (7, 70):
        rows = np.unique(SETS[name](np.random.default_rng(19), 500, p), axis=0)
        for method, k in (("tiles", 1), ("tiles", 9), ("axes", 4), ("tree", 1), ("tree", 9), ("tree", 30)):
            for each in search(rows, k, method=method, tie=2.0**-40):
                answer.update(each.tobytes())
rows = np.random.default_rng(20).normal(size=(3000, 5))
classes = (rows[:, 0] + np.random.default_rng(21).normal(size=3000) > 0).astype(int)
for condense, distance in ((fcnn, "euclidean"), (fcnn, "manhattan"), (hart, "euclidean")):
    answer.update(condense(rows, classes, distance=distance).rows.tobytes())
print(native.instruction_set(), answer.hexdigest())
"""


def test_the_same_bits_on_every_instruction_set():
    told = {}
    for wanted in ("", "x86-64-v3", "baseline"):
        environment = {**os.environ, "SEPAL_INSTRUCTION_SET": wanted, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", ANSWER], env=environment, capture_output=True, text=True, check=True, timeout=120
        )
        name, told[wanted] = done.stdout.split()
        assert name in ({wanted, "baseline"} if wanted else {"avx512-vnni", "x86-64-v3", "baseline"})
    assert len(set(told.values())) == 1
