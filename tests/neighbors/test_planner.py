"""Which path a search takes: never a matter of the answer, but of how long it takes."""

import numpy as np
import pytest

import sepal._native as native
from sepal.neighbors import neighbor_ranking, radius_ranking
from sepal.neighbors._planner import COSTS, SearchSize, plan
from sepal.neighbors._rounding import Extent


def _steps(rows, *, k=1, n_queries=None, metric="l2", method="auto", by_bytes=False):
    return plan(method, SearchSize(Extent.of(rows), n_queries, k, metric, by_bytes))


@pytest.mark.parametrize(("n", "p"), [(2, 1), (60, 60), (300, 13), (350, 34), (1000, 10), (2000, 4)])
@pytest.mark.parametrize("k", [1, 10])
def test_small_tables_go_to_a_tree_that_cannot_give_up(n, p, k):
    """A tree that gave up after half of the work made 297 x 13 rows take 2.5 times as long as the tree alone."""
    (step,) = _steps(np.random.default_rng(n).normal(size=(n, p)), k=min(k, n - 1), by_bytes=True)
    assert (step.path, step.budget) == ("tree", np.inf)


def test_brute_force_is_brute_force():
    rows = np.random.default_rng(0).normal(size=(300, 4))
    assert all(step.path != "tree" for step in _steps(rows, method="brute"))
    assert neighbor_ranking(rows, 2, method="brute").method == "brute"


def test_few_queries_do_not_pay_for_a_build():
    rows = np.random.default_rng(1).normal(size=(50_000, 10))
    assert [step.path for step in _steps(rows, n_queries=1)] == ["scan"]
    assert [step.path for step in _steps(rows, n_queries=4)] == ["scan"]
    assert _steps(rows, n_queries=1000)[0].path == "tree"


def test_who_is_within_a_radius_is_looked_for_in_a_tree():
    """All rows were counted as neighbours to be listed, so that no tree was ever tried: 17 times as long."""
    rows = np.random.default_rng(2).normal(size=(4000, 3))
    found = radius_ranking(rows, 0.3)
    assert found.method == "tree"
    slow = radius_ranking(rows, 0.3, method="brute")
    np.testing.assert_array_equal(found.flat_rows, slow.flat_rows)
    np.testing.assert_array_equal(found.flat_distances, slow.flat_distances)


def test_a_radius_that_holds_everybody():
    rows = np.random.default_rng(3).normal(size=(300, 3))
    found, slow = radius_ranking(rows, 100.0), radius_ranking(rows, 100.0, method="brute")
    np.testing.assert_array_equal(found.flat_rows, slow.flat_rows)
    assert len(found.flat_rows) == 300 * 299


@pytest.mark.parametrize("metric", ["l1", "linf", "lp"])
def test_other_metrics_have_a_tree_and_direct_sums(metric):
    rows = np.random.default_rng(4).normal(size=(20_000, 3))
    assert [step.path for step in _steps(rows, metric=metric)] == ["tree", "direct"]
    assert COSTS["tiles"](SearchSize(Extent.of(rows), None, 1, metric)) == np.inf


@pytest.mark.parametrize("n", [48, 100, 1003])
def test_nearness_is_the_distance_to_the_second_nearest_and_its_share_of_the_median(n):
    """Four rows ask; their middle value is between the second and third."""
    rows = np.random.default_rng(n).normal(size=(n, 14))
    found = []
    for i in range(4):
        far = np.sort(np.sqrt(((rows - rows[i * (n // 4)]) ** 2).sum(axis=1)))
        found.append((far[2], far[2] / np.median(far)))
    (low, low_share), (high, high_share) = np.sort(found, axis=0)[[1, 2]]
    near = native.nearness(points=rows)
    assert low * (1 - 1e-9) <= near.distance <= high * (1 + 1e-9)
    assert low_share * 0.95 <= near.relative <= high_share * 1.05


def test_looks_at_rows_that_are_hardly_any():
    for shape in ((0, 3), (1, 1), (100, 0), (48, 1)):
        assert native.nearness(points=np.zeros(shape)).relative == 0.0
