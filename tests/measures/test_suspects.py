from __future__ import annotations

import numpy as np
import pytest

from sepal import datasets
from sepal.exceptions import ParameterError
from sepal.measures import overlap_regions, suspects
from tests.oracles import complexity as oracle


def planted(seed=0):
    """Two well separated blobs with rows 3 and 60 on the wrong side."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 50)
    X = rng.normal(size=(100, 3)) + 10 * y[:, None]
    y = y.copy()
    y[[3, 60]] = 1 - y[[3, 60]]
    return X, y


def brute(X, y, k, groups=None):
    """Loops: vote, margin and mutual neighbours of data without ties; rows of one group are no neighbours."""
    of = list(range(len(X))) if groups is None else list(groups)
    low, high = X.min(axis=0), X.max(axis=0)
    D = oracle.euclidean((X - low) / (high - low))
    n, found = len(X), {}
    near = [sorted((j for j in range(n) if of[j] != of[i]), key=lambda j, i=i: D[i, j])[:k] for i in range(n)]
    for i in range(n):
        votes = {c: sum(y[j] == c for j in near[i]) for c in set(y.tolist())}
        best = max((c for c in votes if c != y[i]), key=lambda c: votes[c])
        if votes[best] > votes[int(y[i])]:
            hit = min(D[i, j] for j in range(n) if of[j] != of[i] and y[j] == y[i])
            miss = min(D[i, j] for j in range(n) if of[j] != of[i] and y[j] != y[i])
            mutual = sum(y[j] != y[i] and i in near[j] for j in near[i])
            if miss <= hit:
                found[i] = (best, votes[int(y[i])] / k, (miss - hit) / 2 / (miss + hit), mutual, near[i])
    return found


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("most", [None, 20, 3])
def test_loops_find_the_same_rows(k, most):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 80)
    X = rng.normal(size=(80, 2)) + y[:, None]
    groups = None if most is None else rng.integers(0, most, 80)
    expected, found = brute(X, y, k, groups), suspects(X, y, n_neighbors=k, groups=groups)
    assert {each.row for each in found.rows} == set(expected)
    for each in found.rows:
        _, own_share, margin, mutual, near = expected[each.row]
        assert each.own_share == pytest.approx(own_share)
        assert each.margin == pytest.approx(margin)
        assert each.mutual == mutual
        assert list(each.neighbors) == near
        assert [y[j] for j in near] == list(each.neighbor_labels)


def test_planted_labels_are_found_first():
    X, y = planted()
    found = suspects(X, y)
    assert {each.row for each in found.rows} == {3, 60}
    assert found.rows[0].own_share == 0
    assert found.rows[0].voted == 1 - found.rows[0].label
    assert "2 of 100 rows" in str(found)
    assert found.frame()["row"].tolist() == [each.row for each in found.rows]


def test_ranking_is_by_share_then_mutual_then_margin():
    rows = suspects(datasets.load("diabetes")).rows
    keys = [(each.own_share, -each.mutual, each.margin, each.row) for each in rows]
    assert keys == sorted(keys)


def test_row_order_only_renumbers():
    X, y = planted()
    order = np.random.default_rng(0).permutation(100)
    found = suspects(X[order], y[order])
    assert {int(order[each.row]) for each in found.rows} == {3, 60}


def test_duplicates_conflicts_and_near_duplicates():
    X = [[0.0, 0.0], [0.0, 0.0], [5.0, 5.0], [5.0, 5.0], [9.0, 1.0], [9.0, 1.0001], [2.0, 8.0], [3.0, 6.0]]
    y = ["a", "a", "a", "b", "a", "b", "a", "b"]
    found = suspects(X, y, n_neighbors=2)
    assert [each.rows for each in found.duplicates] == [(0, 1)]
    assert [(each.rows, each.labels) for each in found.conflicts] == [((2, 3), ("a", "b"))]
    assert [each.rows for each in found.near_duplicates] == [(4, 5)]
    assert found.near_duplicates[0].labels == ("a", "b")


def test_missing_cells_are_equal_to_missing_cells_and_rows_keep_their_numbers():
    nan = float("nan")
    X = [[nan, 1.0], [nan, 1.0], [0.0, 1.0], [1.0, 2.0], [1.0, 2.5]]
    found = suspects(X, ["a", "b", "a", "b", "b"], n_neighbors=1)
    assert [each.rows for each in found.conflicts] == [(0, 1)]
    dropped = suspects(X, ["a", "b", "a", "b", "a"], n_neighbors=1, missing="drop")
    assert dropped.n_rows == 3
    assert all(each.row >= 2 for each in dropped.rows)


def test_a_sample_is_checked_against_all_rows():
    X, y = planted()
    everyone = {each.row: each for each in suspects(X, y).rows}
    found = suspects(X, y, n_queries=60, random_state=3)
    assert found.n_checked == 60
    for each in found.rows:
        assert each == everyone[each.row]


def test_the_only_row_of_a_class():
    found = suspects([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "a", "b"], n_neighbors=2)
    assert [each.row for each in found.rows] == [3]
    assert np.isnan(found.rows[0].margin)


def test_tied_places_are_shared():
    # both neighbours of the middle row are equally far: half a vote each
    found = suspects([[0.0], [1.0], [2.0]], ["a", "b", "b"], n_neighbors=1)
    assert [each.row for each in found.rows] == [0]


@pytest.mark.parametrize("k", [0, 3, True, 1.5])
def test_wrong_k(k):
    for function in (suspects, overlap_regions):
        with pytest.raises(ParameterError, match="n_neighbors must be"):
            function([[0.0], [1.0], [2.0]], ["a", "b", "b"], n_neighbors=k)


def test_overlap_regions_by_hand():
    # the classes mix from 4 to 6
    x = [0, 1, 2, 4, 6, 4.5, 5.5, 7.5, 8, 9]
    y = list("aaaaabbbbb")
    found = overlap_regions(np.array(x, dtype=float)[:, None], y, n_neighbors=1).regions[0]
    assert found.rows == (3, 4, 5, 6)
    assert found.share == pytest.approx(0.4)
    assert found.mixing == pytest.approx(0.4)
    assert found.columns[0].low == pytest.approx(np.quantile([4, 6, 4.5, 5.5], 0.1))
    # of the 25 pairs (a, b) only 6 > 4.5 and 6 > 5.5 stand the wrong way round
    assert found.columns[0].apart == pytest.approx(abs(2 * 23 / 25 - 1))


def test_columns_that_tell_nothing_come_first():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    X = np.column_stack([rng.normal(size=120) + 4 * y, rng.normal(size=120)])
    found = overlap_regions(X, y)
    assert len(found.regions) == 3
    assert [region.mixing for region in found.regions] == sorted((r.mixing for r in found.regions), reverse=True)
    assert all(region.columns[0].name == "x2" for region in found.regions)
    assert found.regions[-1].classes == (0, 2)
    assert found.frame()["least_telling"].tolist() == ["x2"] * 3


def test_nominal_columns_by_total_variation():
    table = datasets.load("voting")
    region = overlap_regions(table).regions[0]
    best = region.columns[-1]
    assert best.name == "physician-fee-freeze"
    j = table.names.index(best.name)
    yes = table.values[:, j] == table.levels[j].index("y")
    known = ~np.isnan(table.values[:, j])
    share = [np.mean(yes[known & (table.y == party)]) for party in ("democrat", "republican")]
    assert best.apart == pytest.approx(abs(share[0] - share[1]))
    inside = yes[list(region.rows)][known[list(region.rows)]]
    assert best.level == ("y" if inside.mean() > 0.5 else "n")  # the most frequent in the region


def test_pictures():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    X, y = planted()
    assert "margin" in suspects(X, y).plot().get_xlabel()
    assert "nearest" in overlap_regions(X, y).plot().get_xlabel()
    pyplot.close("all")
    assert "<table" in suspects(X, y)._repr_html_()
    assert "<table" in overlap_regions(X, y)._repr_html_()


def test_rows_of_one_person_do_not_vote_on_each_other():
    """Three rows of one person share a wrong label: they vouch for each other unless the person is known."""
    rng = np.random.default_rng(2)
    X, y = planted(2)
    X, y, people = np.vstack([X, X[[10]] + 1e-3 * rng.normal(size=(3, 3))]), np.append(y, [1, 1, 1]), np.arange(103)
    people[100:] = 100
    assert not {100, 101, 102} & {each.row for each in suspects(X, y, n_neighbors=3).rows}
    assert {100, 101, 102} <= {each.row for each in suspects(X, y, n_neighbors=3, groups=people).rows}
    with pytest.raises(ParameterError, match="n_neighbors"):
        suspects(X, y, n_neighbors=4, groups=np.minimum(people, 3))


def test_copies_do_not_vote():
    X, y = planted(3)
    twice, labels = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    once = {each.row for each in suspects(X, y, n_neighbors=1).rows}
    assert suspects(twice, labels, n_neighbors=1).rows == ()
    found = suspects(twice, labels, n_neighbors=1, groups="copies")
    assert {each.row // 2 for each in found.rows} == once >= {3, 60}


def test_of_many_classes_the_pairs_that_mix_most_are_looked_at():
    """5,000 classes of 10,000 rows took a minute: 12 million pairs, of which hardly any mix."""
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(2000, 2)), rng.integers(0, 60, 2000)
    y = np.array([f"c{c:02d}" for c in codes])
    found = overlap_regions(X, y, scale=None)
    away = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.fill_diagonal(away, np.inf)
    near = codes[np.argsort(away, axis=1)[:, :5]]  # no ties among random numbers
    told = []
    for a in range(60):
        for b in range(a + 1, 60):
            shares = [np.mean(near[codes == own] == other, axis=1) for own, other in ((a, b), (b, a))]
            told.append((-round(float(np.concatenate(shares).mean()), 12), f"c{a:02d}", f"c{b:02d}"))
    told = sorted(told)[:1225]
    assert sorted(region.classes for region in found.regions) == sorted((a, b) for _, a, b in told)
    assert [region.mixing for region in found.regions] == pytest.approx([-mixing for mixing, _, _ in told])
    assert found.regions[0].mixing > found.regions[-1].mixing > 0
    assert "overlaps are those of the 1,225 of 1,770 class pairs that mix most" in found.notes
    order = rng.permutation(len(y))
    shuffled = overlap_regions(X[order], y[order], scale=None)
    assert {region.classes for region in shuffled.regions} == {region.classes for region in found.regions}


def test_many_classes_that_do_not_mix():
    """No pair is left."""
    X = np.repeat(np.arange(60.0) * 100, 6)[:, None] + np.tile(np.arange(6.0), 60)[:, None]
    assert overlap_regions(X, np.repeat(np.arange(60), 6)).regions == ()
