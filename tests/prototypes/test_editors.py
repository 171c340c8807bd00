"""enn, renn, all_knn, tomek_links, drop3, icf and ib3 against plain loops and against imbalanced-learn's figures."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_iris

from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier
from sepal.prototypes import METHODS, PrototypeSelector, all_knn, drop3, enn, ib3, icf, renn, tomek_links
from tests.oracles import prototypes as oracle
from tests.oracles.neighbors import squared_euclidean_by_column as squared_quickly
from tests.prototypes.sets import geometric, labels, smooth, squared, tied

SETS = [tied(0), tied(1, n=30, n_classes=2), smooth(3), smooth(4, n_classes=2), smooth(5, n=45, n_classes=5)]


def with_copies(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(4, size=(50, 2)).astype(float)
    return X, labels(rng, 50, 3)


def tol_of(X: np.ndarray) -> float:
    return 0.0 if np.all(np.floor(X) == X) else oracle.TOL


def kept_by(method, *rows_and_labels, **options) -> list[int]:
    """The kept rows; none where the method says that it keeps none."""
    try:
        found = method(*rows_and_labels, **options)
    except DataError as error:
        if f"{method.__name__} keeps no row" not in str(error):
            raise
        return []
    assert found.n_kept > 0
    return found.rows.tolist()


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("number", range(len(SETS) + 2))
def test_enn_family_equals_the_plain_loops(number, k):
    X, y = [*SETS, with_copies(0), with_copies(1)][number]
    D, tol = squared(X), tol_of(X)
    assert enn(X, y, n_neighbors=k, scale=None).rows.tolist() == oracle.enn(D, y, k, tol=tol)
    assert renn(X, y, n_neighbors=k, scale=None).rows.tolist() == oracle.renn(D, y, k, tol)
    assert all_knn(X, y, n_neighbors=k, scale=None).rows.tolist() == oracle.all_knn(D, y, k, tol)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("number", range(len(SETS) + 1))
def test_rows_of_one_group_do_not_judge_each_other(number, k):
    X, y = [*SETS, with_copies(0)][number]
    D, tol, groups = squared(X), tol_of(X), np.random.default_rng(number).integers(0, 9, size=len(y))
    D[groups[:, None] == groups] = np.inf
    names = np.array(list("zyxwvutsr"))[groups]
    assert enn(X, y, n_neighbors=k, scale=None, groups=names).rows.tolist() == oracle.enn(D, y, k, tol=tol)
    assert all_knn(X, y, n_neighbors=k, scale=None, groups=names).rows.tolist() == oracle.all_knn(D, y, k, tol)
    assert renn(X, y, n_neighbors=k, scale=None, groups=names).rows.tolist() == oracle.renn(D, y, k, tol)
    linked = {row for link in oracle.tomek_links(D, y, tol) for row in link}
    assert kept_by(tomek_links, X, y, scale=None, groups=names) == sorted(set(range(len(y))) - linked)


def test_people_who_vouch_for_themselves_are_edited_all_the_same():
    """A person's rows stand among those of the other class: by themselves they stay, without each other they go."""
    X = np.array([0.0, 0.1, 0.2, 0.3, 1.5, 1.51, 1.52, 1.53, 3.0, 3.1, 3.2, 3.3, 9.0, 9.1, 9.2, 9.3])[:, None]
    y, who = np.array(list("aaaabbbbaaaabbbb")), np.array([1, 2, 3, 4, 5, 5, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13])
    others = [0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15]
    assert enn(X, y).n_kept == 16
    assert enn(X, y, groups=who).rows.tolist() == others
    selector = PrototypeSelector("enn").fit(X, y, groups=who)
    assert selector.sample_indices_.tolist() == others
    assert len(selector.fit_resample(X, y, groups=who)[1]) == 12
    assert KNNClassifier(1, prototypes="enn").fit(X, y).n_rows_in_ == 16
    assert KNNClassifier(1, prototypes="enn").fit(X, y, groups=who).rows_.tolist() == others
    with pytest.raises(ParameterError, match="groups: the method 'hart' leaves no rows out"):
        PrototypeSelector("hart").fit(X, y, groups=who)
    with pytest.raises(ParameterError, match="at most 12, the rows outside the largest group"):
        enn(X, y, n_neighbors=13, groups=who)


def test_repeated_editing_with_copies_of_which_the_first_has_gone():
    """The second pass of `renn` mistook numbers of distinct rows for rows where only a later copy was left."""
    rng = np.random.default_rng(7)
    for _ in range(60):
        X, y = rng.integers(3, size=(16, 1)).astype(float), labels(rng, 16, 2)
        assert kept_by(renn, X, y, n_neighbors=1, scale=None) == oracle.renn(squared(X), y, 1, 0.0)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("number", range(2))
def test_all_votes_for_the_own_class_or_the_row_goes(number, k):
    X, y = [with_copies(4), smooth(3)][number]
    D, tol, rows = squared(X), tol_of(X), list(range(len(y)))
    wanted = [r for r in rows if set(oracle.knn_votes(D, y, rows, r, k, tol)[0]) == {y[r]}]
    assert kept_by(enn, X, y, n_neighbors=k, kind_sel="all", scale=None) == wanted
    for protect in (y[0], [y[0]]):
        kept = enn(X, y, n_neighbors=k, kind_sel="all", protect=protect, scale=None).rows
        assert kept.tolist() == [r for r in rows if r in wanted or y[r] == y[0]]


def test_enn_with_all_on_iris_is_imbalanced_learns():
    """EditedNearestNeighbours(kind_sel='all', sampling_strategy='not minority') protects the smallest class."""
    X, y = load_iris(return_X_y=True)
    X, y = X[20:], y[20:]
    far = np.rint(10 * X)  # in tenths, where ties are ties
    far = ((far[:, None] - far[None]) ** 2).sum(axis=2) + np.diag([np.inf] * len(y))
    third = np.sort(far, axis=1)[:, 2]  # all rows tied for the third place are asked here
    plain = [r for r in range(len(y)) if y[r] == 0 or np.all(y[far[r] <= third[r]] == y[r])]
    assert enn(X, y, kind_sel="all", protect=0, scale=None).rows.tolist() == plain


def test_protected_classes_are_classes():
    X, y = smooth(3)
    with pytest.raises(ParameterError, match="protect: there is no class 'nobody'"):
        enn(X, y, protect="nobody")
    with pytest.raises(ParameterError, match="kind_sel"):
        enn(X, y, kind_sel="most")


@pytest.mark.parametrize("name", METHODS)
def test_where_no_row_could_be_kept_there_is_a_clear_error(name):
    """A method that keeps no row gave an empty set without a word."""
    with pytest.raises(DataError, match=f"{name} keeps no row: 6 of 6 rows are equal to a row of another class"):
        METHODS[name](np.zeros((6, 2)), np.array(list("aababb")))


def test_enn_on_iris_keeps_144():
    """As EditedNearestNeighbours(kind_sel='mode', sampling_strategy='all') of imbalanced-learn 0.14.2, raw data."""
    X, y = load_iris(return_X_y=True)
    found = enn(X, y, n_neighbors=3, scale=None)
    assert found.n_kept == 144
    assert found.history[0].n_kept == 144
    assert len(found.history[0].removed_rows) == 6


def test_renn_can_be_stopped():
    X, y = smooth(4, n_classes=2)
    assert renn(X, y, max_passes=1, scale=None).rows.tolist() == enn(X, y, scale=None).rows.tolist()
    assert len(renn(X, y, scale=None).history) > 1


@pytest.mark.parametrize("number", range(len(SETS) + 2))
def test_tomek_links_equal_the_plain_loops(number):
    X, y = [*SETS, with_copies(2), with_copies(3)][number]
    links = oracle.tomek_links(squared(X), y, tol_of(X))
    gone = {row for pair in links for row in pair}
    assert kept_by(tomek_links, X, y, scale=None) == [r for r in range(len(y)) if r not in gone]
    if len(gone) < len(y):
        assert f"{len(links)} Tomek links" in tomek_links(X, y, scale=None).notes


def test_tomek_links_may_take_the_larger_class_only():
    X, y = [[0.0], [1.0], [1.4], [3.0], [9.0]], list("aabbb")
    assert tomek_links(X, y, remove="larger", scale=None).rows.tolist() == [0, 1, 3, 4]


def in_geometric_order(X, y):
    order = geometric(X, y)
    return order, squared(X[order]), y[order]


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("number", range(len(SETS)))
def test_drop3_equals_the_plain_loops(number, k):
    X, y = SETS[number]
    order, D, sorted_y = in_geometric_order(X, y)
    tol = tol_of(X)
    expected = oracle.drop3(D, sorted_y, oracle.enn(D, sorted_y, k, tol=tol), k, tol)
    assert drop3(X, y, n_neighbors=k, scale=None).rows.tolist() == sorted(int(order[p]) for p in expected)


@pytest.mark.parametrize("number", range(len(SETS)))
def test_icf_equals_the_plain_loops(number):
    X, y = SETS[number]
    order, D, sorted_y = in_geometric_order(X, y)
    tol = tol_of(X)
    expected = oracle.icf(D, sorted_y, oracle.enn(D, sorted_y, 3, tol=tol), tol)
    assert icf(X, y, scale=None).rows.tolist() == sorted(int(order[p]) for p in expected)


@pytest.mark.parametrize("seed", range(4))
def test_ib3_equals_the_plain_loops(seed):
    X, y = smooth(seed, n=300, n_classes=2)
    chance = np.random.default_rng(11).random(len(y))
    z = norm.ppf(0.95), norm.ppf(0.875)
    expected = oracle.ib3(squared(X), y, range(len(y)), chance, *z)
    assert len(expected) > 1
    found = ib3(X, y, scale=None, random_state=11)
    assert found.rows.tolist() == sorted(expected)


def test_ib3_whose_distances_many_threads_make_equals_the_plain_loops():
    """So many members and columns that rows ahead of their turn are looked at side by side."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(600, 150)), rng.integers(0, 2, 600)
    X[:, 0] += 30.0 * y
    y = np.where(rng.random(len(y)) < 0.3, 1 - y, y)
    chance = np.random.default_rng(11).random(len(y))
    expected = oracle.ib3(squared_quickly(X, X), y, range(len(y)), chance, norm.ppf(0.95), norm.ppf(0.875))
    assert len(expected) > 1
    for jobs in (1, 2, 3):
        assert ib3(X, y, scale=None, random_state=11, n_jobs=jobs).rows.tolist() == sorted(expected)


def edited_in_groups(X, y, groups, k):
    """Cases in geometric order, which of them Wilson's editing leaves, and which are kept apart, by plain loops."""
    D, tol = squared(X), tol_of(X)
    D[groups[:, None] == groups] = np.inf
    survives = set(oracle.enn(D, y, k, tol=tol))
    rows_of: dict[tuple, list[int]] = {}
    for row in geometric(X, y):
        rows_of.setdefault((*X[row], y[row]), []).append(int(row))
    rows = list(rows_of.values())
    points, codes = np.array([X[each[0]] for each in rows]), np.array([y[each[0]] for each in rows])
    at = {tuple(point): [c for c in range(len(rows)) if tuple(points[c]) == tuple(point)] for point in points}
    kept = [
        c
        for c, mine in enumerate(rows)
        if survives & set(mine) and all(len(rows[o]) < len(mine) for o in at[tuple(points[c])] if o != c)
    ]
    return rows, squared(points), codes, kept, lambda a, b: len({groups[r] for c in (a, b) for r in rows[c]}) == 1


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("number", range(len(SETS) + 2))
def test_drop3_and_icf_in_groups_equal_the_plain_loops(number, k):
    X, y = [*SETS, with_copies(0), with_copies(1)][number]
    groups, tol = np.random.default_rng(number).integers(0, 7, size=len(y)), tol_of(X)
    rows, D, codes, kept, apart = edited_in_groups(X, y, groups, k)
    names = np.array(list("zyxwvut"))[groups]
    for method, found in (
        (drop3, oracle.drop3(D, codes, kept, k, tol, apart)),
        (icf, oracle.icf(D, codes, kept, tol, apart)),
    ):
        assert kept_by(method, X, y, n_neighbors=k, scale=None, groups=names) == sorted(min(rows[c]) for c in found)


@pytest.mark.parametrize("seed", range(4))
def test_ib3_in_groups_equals_the_plain_loops(seed):
    X, y = smooth(seed, n=300, n_classes=2)
    groups = np.random.default_rng(seed).integers(0, 40, size=len(y))
    chance = np.random.default_rng(11).random(len(y))
    z = norm.ppf(0.95), norm.ppf(0.875)
    expected = oracle.ib3(squared(X), y, range(len(y)), chance, *z, apart=lambda a, b: groups[a] == groups[b])
    assert expected != oracle.ib3(squared(X), y, range(len(y)), chance, *z)
    assert ib3(X, y, scale=None, random_state=11, groups=groups).rows.tolist() == sorted(expected)


@pytest.mark.parametrize("method", [drop3, icf, ib3], ids=lambda m: m.__name__)
def test_groups_of_one_row_change_nothing(method):
    for X, y in (smooth(1, n=300, n_classes=2), with_copies(1)):
        assert kept_by(method, X, y, groups=np.arange(len(y))) == kept_by(method, X, y)


def test_ib3_depends_on_the_order_only_through_the_seed():
    X, y = smooth(1, n=300, n_classes=2)
    first = ib3(X, y, order="random", random_state=3).rows.tolist()
    assert ib3(X, y, order="random", random_state=3).rows.tolist() == first
    assert any(ib3(X, y, order="random", random_state=s).rows.tolist() != first for s in range(4, 8))


@pytest.mark.parametrize("method", [enn, renn, all_knn, tomek_links, drop3, icf], ids=lambda m: m.__name__)
def test_row_order_class_names_and_threads_change_nothing(method):
    X, y = tied(5, n=30, levels=9)
    rng = np.random.default_rng(0)
    base = set(method(X, y).rows.tolist())
    assert 0 < len(base) < len(y)
    for _ in range(4):
        order = rng.permutation(len(y))
        moved = method(X[order], np.array(["z", "m", "a"])[y[order]], n_jobs=2)
        assert {int(order[r]) for r in moved.rows} == base


def test_a_class_that_is_lost_is_named():
    X, y = [[0.0], [1.0], [2.0], [3.0], [1.5]], ["a", "a", "a", "a", "rare"]
    assert any("rare" in note for note in enn(X, y).notes)


def test_conflicting_duplicates_are_reported():
    X, y = [[0.0], [0.0], [1.0], [1.0], [2.0], [7.0], [8.0]], list("abaaabb")
    for method in (enn, renn, all_knn, tomek_links, drop3, icf):
        assert {0, 1} <= set(method(X, y).conflicting_rows.tolist()), method.__name__
    with pytest.raises(DataError, match="ib3 keeps no row: none of 7 rows passes its rule, 2 of which are equal"):
        ib3(X, y)
    rows, classes = [[10.0 * (i % 2) + i / 100] for i in range(60)], [i % 2 for i in range(60)]
    assert {60, 61} <= set(ib3([*rows, [50.0], [50.0]], [*classes, 0, 1]).conflicting_rows.tolist())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: enn(X, y, n_neighbors=0), "n_neighbors must be an integer"),
        (lambda X, y: enn(X, y, n_neighbors=len(y)), "at most"),
        (lambda X, y: drop3(X, y, n_neighbors=len(y)), "at most"),
        (lambda X, y: renn(X, y, max_passes=0), "max_passes"),
        (lambda X, y: tomek_links(X, y, remove="all"), "remove must be"),
        (lambda X, y: ib3(X, y, accept=1.5), "accept must be"),
        (lambda X, y: ib3(X, y, order="enemy"), "order must be"),
    ],
)
def test_wrong_parameters_are_named(call, message):
    with pytest.raises(ParameterError, match=message):
        call(*smooth(0))
