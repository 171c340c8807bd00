"""fcnn on more rows than one node of its tree holds: the same rows as the plain loops, and few pairs compared."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.prototypes import fcnn
from sepal.prototypes._cases import as_cases, label_rows
from sepal.prototypes._condense import CaseMetric
from sepal.prototypes._fcnn import center_cases
from tests.oracles import prototypes as oracle
from tests.prototypes.sets import geometric, smooth, squared, tied


def overlapping(n: int, p: int, *, n_classes: int = 2, levels: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Normal classes, their means 2 apart in the first column; rounded to so many levels a unit, copies left out."""
    rng = np.random.default_rng(n + 7 * p)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, p))
    X[:, 0] += 2.0 * y
    if levels is None:
        return X, y
    X = np.round(X * levels) / levels
    once = np.sort(np.unique(X, axis=0, return_index=True)[1])
    return X[once], y[once]


@pytest.mark.parametrize("make", [tied, smooth])
@pytest.mark.parametrize("seed", range(3))
def test_the_oracle_by_arrays_is_the_oracle(make, seed):
    X, y = make(seed)
    once = np.sort(np.unique(X, axis=0, return_index=True)[1])
    X, y = X[once], y[once]
    seeds = [int(np.flatnonzero(y == label)[0]) for label in np.unique(y)]
    assert oracle.fcnn_by_arrays(X, y, seeds) == oracle.fcnn(squared(X), y, seeds)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("n", "p", "options"),
    [
        (5000, 2, {}),
        (4500, 4, {"n_classes": 3}),
        (5000, 2, {"levels": 16}),
        (4500, 3, {"n_classes": 20, "levels": 8}),
    ],
    ids=["two columns", "three classes", "ties", "more classes than leaders"],
)
def test_rounds_are_those_of_the_oracle(n, p, options, jobs):
    """More than 64 parts of rows, so that nodes have nodes below them and threads take some each."""
    X, y = overlapping(n, p, **options)
    order = geometric(X, y)
    found = fcnn(X, y, scale=None, n_jobs=jobs)
    place = np.argsort(order)
    rounds = [sorted(place[each.added_rows].tolist()) for each in found.history]
    assert rounds == oracle.fcnn_by_arrays(X[order], y[order], rounds[0])
    assert found.is_consistent


def test_far_from_the_origin_the_rounds_are_the_same():
    X, y = overlapping(2500, 2, levels=64)
    near = fcnn(X, y, scale=None)
    far = fcnn(X + 2.0**30, y, scale=None)
    assert [each.added_rows.tolist() for each in near.history] == [each.added_rows.tolist() for each in far.history]


@pytest.mark.parametrize("seed", [139, 143, 267])
def test_where_squares_are_denormal_the_rounds_are_those_of_the_oracle(seed):
    """One row is far from the others, so that no scale keeps the squares of their differences normal."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(np.arange(25), np.arange(25)), axis=-1).reshape(-1, 2)
    X = grid[rng.permutation(len(grid))[:300]] * 1.5e-162
    X[0] = 1.0
    y = rng.integers(0, 3, 300)
    order = geometric(X, y)
    found = fcnn(X, y, scale=None)
    rounds = [sorted(np.argsort(order)[each.added_rows].tolist()) for each in found.history]
    assert rounds == oracle.fcnn_by_arrays(X[order], y[order], rounds[0])


def test_a_chain_of_near_ties_is_the_same_with_a_column_of_zeros():
    """Each of 18 classes is farther from the seed than the one before by less than a tie, the last by many."""
    tie = 2.0**-40
    rounds = []
    for p in (3, 4, 5, 9):
        own = np.zeros((11, p))
        own[0, 0], own[1:8, 0], own[1:8, 2] = -100.0, -1.0, (np.arange(7) - 3) * 1e-3
        own[8, 1], own[9, 1] = -1.5, -0.05
        seed = own[np.argmin(((own - own.mean(axis=0)) ** 2).sum(axis=1))]
        chain = np.zeros((18, p))
        chain[:, 1] = -np.sqrt((seed**2).sum() * (1 + (18 - np.arange(18)) * 0.9 * tie))
        found = fcnn(np.vstack([own, chain]), ["own"] * 11 + [f"c{k:02}" for k in range(18)], scale=None)
        rounds.append([sorted(each.added_rows.tolist()) for each in found.history])
    assert rounds[0] == rounds[1] == rounds[2] == rounds[3]


def compared(n: int) -> int:
    """How many pairs of a row and a prototype fcnn compares among so many rows of 4 columns."""
    cases = as_cases(label_rows(*overlapping(n, 4), scale=None))
    metric = CaseMetric.of(cases)
    kept = metric.fcnn(center_cases(cases, metric), cases.may_keep)
    assert metric.compared < 0.5 * n * len(kept.pos)
    return metric.compared


def test_pairs_compared_grow_hardly_faster_than_the_rows():
    few, many = compared(20_000), compared(80_000)
    assert np.log(many / few) / np.log(4) < 1.2
