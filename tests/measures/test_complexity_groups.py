"""Complexity where rows of one group are no neighbours of each other, against loops over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sepal.data import as_table
from sepal.exceptions import DataError
from sepal.measures import complexity, thornton_score
from sepal.measures._complexity import _profile as profiles
from sepal.measures._complexity._interpolated import interpolate
from tests.oracles import complexity as single
from tests.oracles import complexity_groups as oracle

NEIGHBORHOODS = {
    "N2": oracle.n2,
    "N2m": oracle.n2_mean_ratio,
    "N3": oracle.n3,
    "T1": oracle.t1,
    "LSC": oracle.lsc,
}


def smooth(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y, groups = rng.integers(0, 3, n), rng.integers(0, n // 4, n)
    return rng.normal(size=(n, 3)) * [1.0, 10.0, 0.1] + y[:, None] * [1.0, 4.0, 0.1], y, groups


def gridded(n=50, seed=1):
    """Copies, conflicting copies and many ties, inside groups and between them."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, size=(n, 2)).astype(float), rng.integers(0, 2, n), rng.integers(0, n // 4, n)


def in_order(D, X, y, groups):
    """Rows by their values, their class, and what their group holds."""
    first = {}
    for place, row in enumerate(single.by_values(X.tolist())):
        first.setdefault(tuple(X[row]), place)
    place = [first[tuple(row)] for row in X]
    content = {g: sorted((place[i], y[i]) for i in np.flatnonzero(groups == g)) for g in groups.tolist()}
    order = sorted(range(len(X)), key=lambda i: (place[i], y[i], content[groups[i]]))
    return D[np.ix_(order, order)], y[order].tolist(), groups[order].tolist()


@pytest.mark.parametrize("make", [smooth, gridded])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_neighborhoods_against_the_oracle(make, seed):
    X, y, groups = make(seed=seed)
    D, profile = np.round(single.gower(X.tolist()), 12), complexity(X, y, groups=groups)
    for key, formula in NEIGHBORHOODS.items():
        assert profile[key] == pytest.approx(formula(D, y.tolist(), groups.tolist()), abs=1e-9), key
    assert profile["N1"] == pytest.approx(oracle.n1(*in_order(D, X, y, groups)))
    assert profile["N3"] == pytest.approx(1 - thornton_score(X, y, distance="gower", groups=groups))
    assert f"rows of one group, of {len(set(groups.tolist()))}, are no neighbours of each other" in profile.notes


@pytest.mark.parametrize("make", [smooth, gridded])
@pytest.mark.parametrize("rule", ["radius", "nearest"])
def test_the_graph_against_the_oracle(make, rule):
    X, y, groups = make(seed=4)
    D, profile = np.round(single.gower(X.tolist()), 12), complexity(X, y, groups=groups, graph=rule)
    joined = oracle.graph if rule == "radius" else oracle.nearest_graph
    A = joined(D, y.tolist(), groups.tolist())
    assert profile["Density"] == pytest.approx(oracle.density(A, groups))
    assert profile["ClsCoef"] == pytest.approx(oracle.clustering(A, groups))
    assert profile["ClsCoefG"] == pytest.approx(oracle.intransitivity(A, groups))
    if make is smooth:  # one largest eigenvalue
        assert profile["Hubs"] == pytest.approx(single.hubs(A), abs=1e-6)


def test_another_distance():
    X, y, groups = smooth(seed=5)
    D, profile = cdist(X, X), complexity(X, y, distance="euclidean", groups=groups)
    for key, formula in NEIGHBORHOODS.items():
        assert profile[key] == pytest.approx(formula(D, y.tolist(), groups.tolist()), abs=1e-9), key
    A = oracle.graph(D / D.max(), y.tolist(), groups.tolist())
    assert profile["Density"] == pytest.approx(oracle.density(A, groups))


@pytest.mark.parametrize("make", [smooth, gridded])
def test_made_up_rows_lie_between_groups(make):
    X, y, groups = make(seed=6)
    made = interpolate(as_table(X), y.astype(np.int32), len(y), np.random.default_rng(0), groups)
    assert np.all(groups[made.first] != groups[made.second])
    assert np.all(y[made.first] == made.codes)
    assert np.all(y[made.second] == made.codes)
    at = made.at[:, None]
    np.testing.assert_allclose(made.table.values, X[made.first] * (1 - at) + X[made.second] * at, atol=1e-12)
    width = np.ptp(X, axis=0) * X.shape[1]
    distances = np.round(cdist(made.table.values / width, X / width, "cityblock"), 12)
    told = list(zip(made.codes.tolist(), made.first.tolist(), made.second.tolist(), strict=True))
    profile = complexity(X, y, groups=groups, random_state=0)
    assert profile["N4"] == pytest.approx(oracle.n4(distances, y.tolist(), groups.tolist(), told))


def test_the_second_row_is_any_of_another_group():
    X, groups = np.arange(6.0)[:, None], np.array([0, 1, 0, 2, 0, 1])
    made = interpolate(as_table(X), np.zeros(6, dtype=np.int32), 6_000, np.random.default_rng(1), groups)
    share = np.bincount(made.second[made.first == 0], minlength=6) / np.sum(made.first == 0)
    np.testing.assert_allclose(share, [0, 1 / 3, 0, 1 / 3, 0, 1 / 3], atol=0.06)


def test_groups_of_one_row_change_nothing():
    X, y, _ = gridded(seed=7)
    plain, alone = complexity(X, y), complexity(X, y, groups=[f"p{i}" for i in range(len(y))])
    assert (plain.values, plain.per_class, plain.notes) == (alone.values, alone.per_class, alone.notes)


@pytest.mark.parametrize("make", [smooth, gridded])
@pytest.mark.parametrize("distance", ["gower", "euclidean", "cosine"])
def test_the_two_ways_agree_on_groups_of_one_row(make, distance, monkeypatch):
    X, y, _ = make(seed=8)
    X = X + 1.0
    plain = complexity(X, y, distance=distance)
    monkeypatch.setattr(profiles, "_group_numbers", lambda table, groups: np.arange(table.n_rows))
    alone = complexity(X, y, distance=distance)
    for key in set(plain.values) - {"N4", "L3"}:  # other random rows
        assert alone[key] == pytest.approx(plain[key], abs=1e-9), key
        for c in plain.per_class:
            if key in plain.per_class[c] and make is smooth:
                assert alone.per_class[c][key] == pytest.approx(plain.per_class[c][key], abs=1e-9), key


@pytest.mark.parametrize("seed", [9, 10])
def test_neither_the_order_of_rows_nor_the_names_of_groups_matter(seed):
    X, y, groups = gridded(seed=seed)
    order = np.random.default_rng(0).permutation(len(y))
    first = complexity(X, y, groups=groups)
    second = complexity(X[order], y[order], groups=[f"g{50 - g}" for g in groups[order]])
    for key in first.values:
        assert second[key] == pytest.approx(first[key], abs=1e-9), key


def test_people_with_four_rows_each_are_harder_than_their_rows():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(30, 2)).repeat(4, axis=0) + 0.01 * rng.normal(size=(120, 2))
    y, people = np.repeat(np.arange(30) % 2, 4), np.repeat(np.arange(30), 4)
    fooled, honest = complexity(X, y), complexity(X, y, groups=people)
    assert fooled["N3"] < 0.1 < 0.25 < honest["N3"]
    for key in ("N1", "N2", "N4", "LSC"):
        assert honest[key] > fooled[key], key


def test_copies_and_a_class_in_one_group():
    X, y, _ = gridded(seed=12)
    copies = np.unique(X, axis=0, return_inverse=True)[1].ravel()  # a column in numpy 2.0
    assert complexity(X, y, groups="copies").values == complexity(X, y, groups=copies).values
    profile = complexity([[0.0], [1.0], [5.0], [6.0], [9.0]], list("aabbb"), groups=[0, 0, 1, 2, 1])
    assert "class a has rows of one group only and is left out of N2" in profile.notes
    assert profile.per_class["a"]["N3"] == 1.0
    mixed = complexity([[0.0], [1.0], [2.0], [3.0]], list("abab"), groups=[0, 0, 1, 1])
    assert np.isfinite(mixed["T1"])
    with pytest.raises(DataError, match="all rows are in one group"):
        complexity(X, y, groups=np.zeros(len(y)))


def test_samples_keep_their_groups():
    rng = np.random.default_rng(13)
    X, y = rng.normal(size=(2_400, 2)), rng.integers(0, 2, 2_400)
    profile = complexity(X, y, groups=np.arange(2_400) // 3, time_limit=1e-3)
    assert profile.sample_rows == 800
    assert profile["N3"] == pytest.approx(0.5, abs=0.06)
