"""The search by principal axes leaves out most of the work and nothing of the answer: the oracle's lists and ties."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest

import sepal._native as native
from sepal.neighbors import neighbor_ranking
from sepal.neighbors._planner import SearchSize, plan, spread_directions
from sepal.neighbors._rounding import Extent
from tests.neighbors.hard_sets import SETS, WHOLE, assert_the_oracle, near_a_plane
from tests.neighbors.hard_sets import search as search_by
from tests.oracles.neighbors import squared_euclidean_by_column

_search = partial(search_by, method="axes")


@pytest.mark.parametrize("k", [1, 10])
@pytest.mark.parametrize("shape", [(300, 60), (120, 3), (40, 200)])
@pytest.mark.parametrize("name", SETS)
def test_every_row_asks_the_others(name, shape, k):
    rows = np.unique(SETS[name](np.random.default_rng(3), *shape), axis=0)
    if len(rows) <= k:
        k = len(rows) - 1
    tie = 0.0 if name in WHOLE else 1e-9
    D = squared_euclidean_by_column(rows, rows)
    assert_the_oracle(_search(rows, k, tie=tie), D, k, tie, exclude_self=True)


@pytest.mark.parametrize("k", [1, 7])
@pytest.mark.parametrize("name", SETS)
def test_further_rows_ask(name, k):
    rng = np.random.default_rng(4)
    rows = SETS[name](rng, 320, 50)
    points, queries = rows[:260], np.ascontiguousarray(np.concatenate([rows[260:], rows[:10]]))  # some are copies
    tie = 0.0 if name in WHOLE else 1e-9
    D = squared_euclidean_by_column(queries, points)
    assert_the_oracle(_search(points, k, queries, tie=tie), D, k, tie, exclude_self=False)


@pytest.mark.parametrize("method", ["axes", "tiles"])
def test_every_neighbor_within_a_radius(method):
    rng = np.random.default_rng(5)
    rows = np.unique(np.round(2 * near_a_plane(rng, 280, 40)), axis=0)
    D = squared_euclidean_by_column(rows, rows)
    reach = np.quantile(D, 0.05, axis=1)
    start, found, _ = _search(rows, len(rows) - 1, limits=np.ascontiguousarray(reach), method=method)
    np.fill_diagonal(D, np.inf)
    assert [set(found[a:b].tolist()) for a, b in itertools.pairwise(start)] == [
        set(np.flatnonzero(each <= limit).tolist()) for each, limit in zip(D, reach, strict=True)
    ]


@pytest.mark.parametrize("n", [2, 3, 12])
def test_fewer_rows_than_are_asked_for(n):
    rows = np.random.default_rng(6).normal(size=(n, 30))
    for k in (1, n - 1):
        for ours, theirs in zip(_search(rows, k), _search(rows, k, method="direct"), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert all(len(each) for each in _search(rows, n + 5))  # more than there are: all of them


def test_the_same_bits_on_every_number_of_threads():
    rows = near_a_plane(np.random.default_rng(7), 900, 100)
    for ours, theirs in zip(_search(rows, 3, threads=1), _search(rows, 3, threads=3), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_work_is_left_out_where_few_axes_hold_the_spread():
    rows = near_a_plane(np.random.default_rng(8), 2000, 300, noise=0.1)
    work = native.axis_work(points=rows, k=1, threads=2)
    assert work.all == 2000 * 1999 / 2 * 300
    assert 0 < work.rotation + work.leading + work.further + work.finished < 0.35 * work.all
    for ours, theirs in zip(_search(rows, 2), _search(rows, 2, method="tiles"), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_noise_is_left_to_the_tiles():
    rows = np.random.default_rng(9).normal(size=(1500, 400))
    work = native.axis_work(points=rows, k=1, threads=2)
    assert (work.rotation, work.leading, work.further, work.finished) == (0.0, 0.0, 0.0, 0.0)


def _planned(rows, k=1, n_queries=None):
    return [step.path for step in plan("auto", SearchSize(Extent.of(rows), n_queries, k, "l2"))]


def test_the_planner_takes_axes_where_many_columns_spread_in_few_directions():
    rng = np.random.default_rng(11)
    falling = rng.normal(size=(6000, 40)) @ rng.normal(size=(40, 400))
    assert _planned(falling) == ["axes"]
    assert _planned(falling, k=10) == ["axes"]
    assert _planned(rng.normal(size=(6000, 400))) == ["tiles"]  # noise in all directions
    assert "axes" not in _planned(falling[:300])  # too few to pay for a rotation
    assert _planned(falling, n_queries=1) == ["scan"]
    assert "axes" not in _planned(falling[:, :30])


@pytest.mark.parametrize("directions", [1, 5, 30])
def test_directions_of_the_spread(directions):
    rng = np.random.default_rng(directions)
    rows = rng.normal(size=(3000, directions)) @ np.linalg.qr(rng.normal(size=(80, directions)))[0].T
    assert spread_directions(7.0 + 1e-3 * rows) == pytest.approx(directions, rel=0.15)
    assert spread_directions(np.ones((50, 80))) == 0.0


def test_a_tree_is_tried_where_near_rows_are_near():
    """Noise in 30 columns is not worth building one, rows near a surface in them are."""
    rng = np.random.default_rng(12)
    assert _planned(rng.normal(size=(20_000, 30)), k=10) == ["tiles"]
    surface = np.tanh(rng.normal(size=(20_000, 3)) @ rng.normal(size=(3, 30)))
    assert _planned(surface, k=10)[0] == "tree"
    for rows in (np.full((2000, 30), 3.0), rng.normal(size=(20, 30))):
        assert native.nearness(points=rows).relative == 0.0


def test_what_the_planner_chose_is_the_ranking():
    rows = near_a_plane(np.random.default_rng(12), 5000, 400, 30, 0.2)
    assert _planned(rows) == ["axes"]
    found, wanted = neighbor_ranking(rows, 2), _search(rows, 2, method="tiles", tie=2.0**-40)
    np.testing.assert_array_equal(found.rows.ravel(), wanted[1])


def test_ctrl_c_is_heard():
    rows = near_a_plane(np.random.default_rng(10), 3000, 100)

    def interrupt(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _search(rows, 1, progress=interrupt)
