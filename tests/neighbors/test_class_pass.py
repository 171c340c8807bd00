"""One look at every pair of rows: the nearest of other classes, of the own class, and who is near, against loops."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.data import as_table
from sepal.neighbors import Search
from tests.oracles.complexity import gower_present, neighbors_by_class, spanning_tree
from tests.oracles.neighbors import SQUARED, TIE_TOLERANCE, compared_values, squared_euclidean_by_column, tie_tolerance

DISTANCES = {
    "euclidean": {},
    "manhattan": {},
    "chebyshev": {},
    "minkowski": {"p": 3.0},
    "cosine": {},
    "mahalanobis": {},
    "nan_euclidean": {},
    "heom": {},
}
WITH_GAPS = ("nan_euclidean", "heom")


def few_values(n, seed, p=3):
    """Many ties, copies, and copies in another class."""
    rng = np.random.default_rng(seed)
    return rng.integers(1, 5, size=(n, p)).astype(float), rng.integers(0, 3, n).astype(np.int32)


def with_gaps(X, seed=0, share=0.2):
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


def assert_agrees(found, values, y, reach_value, tolerance, squared, slack=TIE_TOLERANCE):
    root = np.sqrt if squared else np.asarray
    wanted = neighbors_by_class(values, y.tolist(), reach_value, tolerance, slack)
    case_of = found.cases.case_of
    rows_of = [np.flatnonzero(case_of == c).tolist() for c in range(len(found.cases.row))]
    for i, one in enumerate(wanted):
        c = case_of[i]
        enemies = sorted(row for e in found.enemy[found.start[c] : found.start[c + 1]] for row in rows_of[e])
        assert enemies == one["enemies"], i
        assert found.distance[c] == pytest.approx(float(root(one["miss"])), abs=1e-9)
        assert found.own[c] == pytest.approx(float(root(one["hit"])), abs=1e-9)
        assert found.n_own[c] == one["n_own"], i
        assert found.nearer[c] == one["nearer"], i
        assert found.near[c] == one["near"], i


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("seed", [0, 1])
def test_ties_copies_and_gaps(distance, seed):
    X, y = few_values(70, seed)
    if distance in WITH_GAPS:
        X = with_gaps(X, seed)
    params, options = DISTANCES[distance], {"nominal_mask": [False] * 3} if distance == "heom" else {}
    search = Search.prepare(as_table(X), distance=distance, distance_params=params or None)
    values = compared_values(distance, X, X, **params, **options)
    # Rounding of the oracle's own formulas: what ties on paper ties here.
    values = np.round(values, 12)
    if distance not in WITH_GAPS:
        np.fill_diagonal(values, 0.0)
    reach = float(np.median(values[np.isfinite(values)])) * 1.00001  # on no value, whose rounding would decide
    found = search.class_pass(y, reach=float(np.sqrt(reach) if distance in SQUARED else reach))
    assert_agrees(found, values, y, reach, 1e-9, distance in SQUARED, slack=1e-9)


def test_whole_numbers_tie_only_where_they_are_equal():
    X = np.array([[0.0], [2.0**24], [2.0**24 + 1], [-(2.0**24)]])
    y = np.array([0, 1, 1, 1], dtype=np.int32)
    found = Search.prepare(as_table(X)).class_pass(y)
    values = squared_euclidean_by_column(X, X)
    assert tie_tolerance("euclidean", X) == 0.0
    assert_agrees(found, values, y, -1.0, 0.0, squared=True)


@pytest.mark.parametrize(("n", "p", "n_classes"), [(700, 3, 2), (600, 30, 3), (300, 90, 2), (150, 2, 40)])
def test_many_blocks_and_uneven_classes(n, p, n_classes):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, p))
    X[rng.integers(0, n, 30)] = X[rng.integers(0, n, 30)]
    y = (rng.random(n) ** 2 * n_classes).astype(np.int32)
    y[:n_classes] = np.arange(n_classes)
    values = squared_euclidean_by_column(X, X)
    reach = float(np.median(values))
    found = Search.prepare(as_table(X)).class_pass(y, reach=np.sqrt(reach))
    assert_agrees(found, values, y, reach, TIE_TOLERANCE, squared=True)


def test_further_rows_ask_for_their_nearest():
    X, y = few_values(80, 3)
    rng = np.random.default_rng(4)
    made, codes = rng.integers(0, 6, size=(600, 3)).astype(float), rng.integers(0, 3, 600).astype(np.int32)
    found = Search.prepare(as_table(X)).class_pass(y, (as_table(made), codes))
    values = squared_euclidean_by_column(made, X)
    for i in range(len(made)):
        tied = [j for j in range(len(X)) if values[i, j] == values[i].min()]
        assert found.further_tied[i] == len(tied)
        assert found.further_same[i] == sum(y[j] == codes[i] for j in tied)


def test_the_last_digit_decides_on_request():
    # 0.1 + 0.2 and 0.3 differ in the last digit: the row at -0.3 is nearer than the enemy at 0.1 + 0.2, or equally far.
    X, y = np.array([[0.0], [-0.3], [0.1 + 0.2]]), np.array([0, 0, 1], dtype=np.int32)
    for distance in ("euclidean", "manhattan"):
        search = Search.prepare(as_table(X), distance=distance)
        assert search.class_pass(y).nearer[0] == 1
        assert search.class_pass(y, to_the_digit=True).nearer[0] == 2


def test_threads_and_the_order_of_rows_do_not_matter():
    X, y = few_values(900, 5, p=5)
    order = np.random.default_rng(0).permutation(len(X))
    table = as_table(X)
    first = Search.prepare(table, n_jobs=1).class_pass(y, (table, y), reach=2.0)
    for threads in (2, 5):
        again = Search.prepare(table, n_jobs=threads).class_pass(y, (table, y), reach=2.0)
        for name in ("distance", "start", "enemy", "own", "n_own", "nearer", "near", "further_tied", "further_same"):
            assert np.array_equal(getattr(first, name), getattr(again, name)), name
    moved = Search.prepare(table.take(order)).class_pass(y[order], reach=2.0)
    for name in ("distance", "own", "n_own", "nearer", "near"):
        whole = getattr(first, name)[first.cases.case_of][order]
        assert np.array_equal(whole, getattr(moved, name)[moved.cases.case_of]), name


def test_rows_without_a_common_cell_are_infinitely_far():
    X = np.array([[0.0, np.nan], [1.0, np.nan], [np.nan, 0.0], [np.nan, np.nan]])
    found = Search.prepare(as_table(X), distance="gower").class_pass(np.array([0, 0, 1, 0], dtype=np.int32), reach=2.0)
    case_of = found.cases.case_of
    assert np.all(np.isinf(found.distance))
    assert found.near[case_of].tolist() == [1, 1, 0, 0]
    assert found.own[case_of].tolist() == [1.0, 1.0, np.inf, np.inf]


def test_one_class_has_no_enemies():
    found = Search.prepare(as_table([[0.0], [1.0], [1.0]])).class_pass(np.zeros(3, dtype=np.int32))
    assert np.all(np.isinf(found.distance))
    assert len(found.enemy) == 0
    assert found.own[found.cases.case_of].tolist() == [1.0, 0.0, 0.0]
    assert found.n_own[found.cases.case_of].tolist() == [2, 1, 1]


def test_huge_and_tiny_coordinates():
    y = np.array([0, 1, 0, 1], dtype=np.int32)
    for scale in (1e200, 1e-200):
        X = np.array([[0.0], [1.0], [3.0], [7.0]]) * scale
        found = Search.prepare(as_table(X)).class_pass(y)
        assert found.distance[found.cases.case_of] == pytest.approx(np.array([1.0, 1.0, 2.0, 4.0]) * scale)


def clusters(n_clusters, n_each, seed=0, p=3):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(n_clusters, p)) * 100
    X = np.repeat(centers, n_each, axis=0) + rng.normal(size=(n_clusters * n_each, p))
    return X[rng.permutation(len(X))]


def gaps_of_all_sizes(n=240):
    return np.cumsum(np.random.default_rng(1).pareto(1.0, n))[:, None]


# More than the few first edges of a row lie inside its cluster, so that rows must be asked again, in several rounds.
@pytest.mark.parametrize(
    "X",
    [
        clusters(6, 40),
        clusters(2, 120),
        clusters(60, 4),
        gaps_of_all_sizes(),
        few_values(240, 6)[0],
        few_values(200, 7, 8)[0],
    ],
    ids=["six clusters", "two clusters", "small clusters", "gaps", "few values", "few values in 8 columns"],
)
@pytest.mark.parametrize("n_classes", [1, 2, 5])
def test_the_spanning_tree(X, n_classes):
    y = np.random.default_rng(2).integers(0, n_classes, len(X)).astype(np.int32)
    wanted = spanning_tree(squared_euclidean_by_column(X, X), y.tolist())
    for jobs in (1, 3):
        first, second = Search.prepare(as_table(X), n_jobs=jobs).class_pass(y, tree=True).tree()
        assert {tuple(sorted(edge)) for edge in zip(first.tolist(), second.tolist(), strict=True)} == set(wanted)
        assert len(first) == len(X) - 1


def test_the_spanning_tree_where_rows_have_no_cell_in_common():
    X = with_gaps(np.random.default_rng(3).normal(size=(60, 2)), share=0.4)
    y = (np.arange(60) % 2).astype(np.int32)
    D = np.array(gower_present(X.tolist()))
    assert np.isinf(D).any()
    wanted = spanning_tree(D, y.tolist())
    first, second = Search.prepare(as_table(X), distance="gower").class_pass(y, tree=True).tree()
    between = sorted(tuple(sorted(edge)) for edge in zip(first.tolist(), second.tolist(), strict=True))
    assert sum(y[i] != y[j] for i, j in between) == sum(y[i] != y[j] for i, j in wanted)
    assert sorted(D[i, j] for i, j in between) == pytest.approx(sorted(D[i, j] for i, j in wanted))


def test_progress_and_interruption():
    rng = np.random.default_rng(0)
    search, y = Search.prepare(as_table(rng.normal(size=(4000, 10)))), rng.integers(0, 2, 4000).astype(np.int32)
    shares: list[float] = []
    search.class_pass(y, progress=shares.append)
    assert shares
    assert all(0 <= share <= 1 for share in shares)

    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search.class_pass(y, progress=stop)
