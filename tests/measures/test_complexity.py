from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from sepal import datasets
from sepal.data import as_table, class_codes
from sepal.exceptions import ParameterError
from sepal.measures import complexity, thornton_score
from sepal.measures._complexity import _profile as public
from sepal.measures._complexity._gower import gower_search
from sepal.measures._complexity._graph import graph_measures, sampled_graph_measures
from sepal.measures._complexity._interpolated import interpolate
from sepal.measures._complexity._linear import linear_measures
from sepal.measures._complexity._linear_machine import linear_machine
from sepal.measures._complexity._spheres import sphere_radii
from sepal.measures._complexity._table import MEASURES
from sepal.neighbors import Search
from tests.oracles import complexity as oracle
from tests.oracles.table_distances import kernel_distance


def blobs(n=60, p=3, n_classes=3, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    return rng.normal(size=(n, p)) * [1.0, 10.0, 0.1, 3.0, 1.0][:p] + y[:, None] * spread * [1.0, 4.0, 0.1, 0.0, 1.0][
        :p
    ], y


def gridded(n=50, seed=1):
    """Few distinct values: copies, conflicting copies and many ties."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, size=(n, 3)).astype(float), rng.integers(0, 3, n)


def iris_pair():
    X, y = load_iris(return_X_y=True)
    return X[y > 0], y[y > 0]


def test_iris_versicolor_and_virginica():
    """problexity 0.5.11 halves the edges between classes (N1 0.035) and takes second nearest enemies (N2 0.2193)."""
    # These figures: all pairs of rows in plain numpy, as in tests/oracles.
    profile = complexity(*iris_pair(), distance="euclidean")
    assert profile["N1"] == pytest.approx(0.11)
    assert profile["N2"] == pytest.approx(0.2426, abs=5e-5)
    assert profile["N2m"] == pytest.approx(0.2582, abs=5e-5)  # ECoL's form: the mean of h / (h + m)
    assert profile["N3"] == pytest.approx(0.06)
    assert profile["LSC"] == pytest.approx(0.8095)
    # Lengths are tenths, which no double is. Some distances that tie on paper therefore differ in the last digit, and
    # the numbers are compared as given. In whole tenths, where ties are ties, the value is 0.8104.
    X, y = iris_pair()
    rounded = oracle.euclidean(X)
    _, miss = oracle.hit_and_miss(rounded, y.tolist())
    assert 1 - np.sum(rounded < np.array(miss)[:, None]) / 100**2 == pytest.approx(0.8095)
    tenths = np.rint(X * 10)
    assert complexity(tenths, y, distance="euclidean")["LSC"] == pytest.approx(0.8104)
    squares = ((tenths[:, None] - tenths[None]) ** 2).sum(axis=-1)
    enemy = [squares[i, y != y[i]].min() for i in range(100)]
    assert 1 - sum(int((squares[i] < enemy[i]).sum()) for i in range(100)) / 100**2 == pytest.approx(0.8104)


@pytest.mark.parametrize("order", [(3, 1, 0, 2), (2, 3, 1, 0)])
def test_the_order_of_columns_does_not_change_what_is_compared_as_given(order):
    X, y = iris_pair()
    assert complexity(X[:, order], y, distance="euclidean")["LSC"] == pytest.approx(0.8095)


ORACLES = {
    "N1": oracle.n1,
    "N2": oracle.n2,
    "N2m": oracle.n2_mean_ratio,
    "N3": oracle.n3,
    "T1": oracle.t1,
    "LSC": oracle.lsc,
}


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_neighborhood_measures_under_gower(n_classes):
    X, y = blobs(n=80, n_classes=n_classes)
    D, profile = oracle.gower(X.tolist()), complexity(X, y)
    assert profile.distance == "gower"
    for key, formula in ORACLES.items():
        assert profile[key] == pytest.approx(formula(D, y.tolist())), key
    A = oracle.graph(D, y.tolist())
    assert profile["Density"] == pytest.approx(oracle.density(A))
    assert profile["ClsCoef"] == pytest.approx(oracle.clustering(A))
    assert profile["ClsCoefG"] == pytest.approx(oracle.intransitivity(A))
    assert profile["Hubs"] == pytest.approx(oracle.hubs(A), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_hubs_of_a_graph_of_many_equal_parts(seed):
    """Which of them had the hubs was left to chance, so that no two calls agreed."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(72, 20))
    X[40:50] = X[:10] + 0.01  # pairs
    X[50:60] = X[10:15].repeat(2, axis=0) + rng.uniform(-0.01, 0.01, (10, 20))  # threes
    y = np.repeat([0, 1], [60, 12])
    A = oracle.graph(oracle.gower(X.tolist()), y.tolist())
    assert 20 < np.sum(A) < 100
    for _ in range(3):
        assert complexity(X, y)["Hubs"] == pytest.approx(oracle.hubs(A), abs=1e-6)


@pytest.mark.parametrize("make", [blobs, gridded])
def test_the_graph_of_the_nearest_15_percent(make):
    X, y = make(n=70)
    A = oracle.nearest_graph(np.round(oracle.gower(X.tolist()), 12), y.tolist())
    profile = complexity(X, y, graph="nearest")
    assert profile["Density"] == pytest.approx(oracle.density(A))
    assert profile["ClsCoef"] == pytest.approx(oracle.clustering(A))
    assert profile["ClsCoefG"] == pytest.approx(oracle.intransitivity(A))
    assert profile["Hubs"] == pytest.approx(oracle.hubs(A), abs=1e-6)
    assert profile["Density"] != complexity(X, y)["Density"]


def test_copies_are_joined_where_they_fill_the_nearest_15_percent():
    X, y = np.repeat([[0.0], [1.0], [2.0], [3.0]], 10, axis=0), np.repeat([0, 1, 0, 1], 10)
    for distance in ("gower", "euclidean"):
        A = oracle.nearest_graph(oracle.euclidean(X), y.tolist())
        assert complexity(X, y, graph="nearest", distance=distance)["Density"] == pytest.approx(oracle.density(A))


def test_a_graph_without_two_neighbors_of_a_row_is_open():
    profile = complexity([[0.0], [0.1], [10.0], [5.0]], list("aabb"))
    assert (profile["ClsCoef"], profile["ClsCoefG"]) == (1.0, 1.0)


def test_wrong_graph():
    with pytest.raises(ParameterError, match="graph must be 'radius' or 'nearest'"):
        complexity(*blobs(), graph="knn")


@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "chebyshev", "cosine"])
def test_any_distance(distance):
    from scipy.spatial.distance import cdist

    X, y = blobs(n=70)
    D = cdist(X, X, {"manhattan": "cityblock"}.get(distance, distance))
    np.fill_diagonal(D, 0)
    profile = complexity(X, y, distance=distance)
    for key, formula in ORACLES.items():
        assert profile[key] == pytest.approx(formula(D, y.tolist()), abs=1e-9), key
    A = oracle.graph(D / D.max(), y.tolist())
    assert profile["Density"] == pytest.approx(oracle.density(A))


def test_the_distance_of_a_gaussian_kernel():
    """LSC, Density, ClsCoef and Hubs compared distances with their squares."""
    X, y = blobs(n=70, n_classes=2)
    X = X / X.std(axis=0)
    D = np.array([[kernel_distance(x, z, "gaussian", 0.1) for z in X.tolist()] for x in X.tolist()])
    profile = complexity(X, y, distance="kernel", distance_params={"kernel": "gaussian", "gamma": 0.1})
    for key, formula in ORACLES.items():
        assert profile[key] == pytest.approx(formula(D, y.tolist()), abs=1e-9), key
    A = oracle.graph(D / D.max(), y.tolist())
    assert profile["Density"] == pytest.approx(oracle.density(A))
    assert profile["ClsCoef"] == pytest.approx(oracle.clustering(A))


def test_ties_and_copies():
    X, y = gridded()
    D = oracle.gower(X.tolist())
    D = np.round(D, 12)  # equal distances equal
    profile = complexity(X, y)
    for key in ("N2", "N3", "LSC"):
        assert profile[key] == pytest.approx(ORACLES[key](D, y.tolist())), key
    order = oracle.by_values(X.tolist())
    assert profile["N1"] == pytest.approx(oracle.n1(D[np.ix_(order, order)], y[order].tolist()))
    A = oracle.graph(D, y.tolist())
    assert profile["Density"] == pytest.approx(oracle.density(A))
    assert profile["ClsCoef"] == pytest.approx(oracle.clustering(A))


def test_row_order_does_not_matter_with_ties():
    X, y = gridded(n=60, seed=3)
    order = np.random.default_rng(0).permutation(len(X))
    first, second = complexity(X, y), complexity(X[order], y[order])
    for key in (
        "F1",
        "F1v",
        "F2",
        "F3",
        "F4",
        "N1",
        "N2",
        "N2m",
        "N3",
        "T1",
        "LSC",
        "Density",
        "ClsCoef",
        "T3",
        "C1",
        "C2",
    ):
        assert first[key] == pytest.approx(second[key], abs=1e-9), key


def test_names_of_classes_threads_and_containers_do_not_matter():
    X, y = blobs()
    names = np.array(["z", "b", "a"])[y]
    plain = complexity(X, y)
    for other in (complexity(pd.DataFrame(X), y), complexity(X, y, n_jobs=1)):
        assert other.values == pytest.approx(plain.values)
    renamed = complexity(X, names)
    for key in plain.values:
        if key not in ("L1", "L2", "L3", "N4"):  # these ask about random rows, drawn class after class
            assert renamed[key] == pytest.approx(plain[key]), key


def test_one_minus_n3_is_thorntons_index():
    table = datasets.load("sonar")
    found = complexity(table, distance="euclidean", scale="minmax")["nearest_neighbor_error"]
    assert 1 - found == pytest.approx(thornton_score(table))
    assert found == pytest.approx(0.125)  # 1 - 0.8750 of test_published_figures.py


def test_feature_measures():
    for n_classes in (2, 4):
        X, y = blobs(n=90, p=4, n_classes=n_classes, spread=2.0)
        profile = complexity(X, y)
        for key, formula in {
            "F1": oracle.f1,
            "F1v": oracle.f1v,
            "F2": oracle.f2,
            "F3": oracle.f3,
            "F4": oracle.f4,
        }.items():
            assert profile[key] == pytest.approx(formula(X.tolist(), y.tolist())), key
        assert profile["T2"] == pytest.approx(4 / 90)
        assert profile["T3"] == pytest.approx(oracle.components(X) / 90)
        assert profile["T4"] == pytest.approx(oracle.components(X) / 4)
        assert profile["C1"] == pytest.approx(oracle.c1(y.tolist()))
        assert profile["C2"] == pytest.approx(oracle.c2(y.tolist()))


def test_hand_calculated_features():
    # one column: a at 0 1 2, b at 2 3 4; overlap is the point 2
    profile = complexity([[0.0], [1.0], [2.0], [2.0], [3.0], [4.0]], list("aaabbb"))
    assert profile["F1"] == pytest.approx(1 / (1 + 6 / 4))  # between 6, within 4
    assert profile["F2"] == 0
    assert profile["F3"] == pytest.approx(2 / 6)
    assert (profile["C1"], profile["C2"]) == pytest.approx((0, 0))


def test_constant_and_class_constant_columns():
    X, y = blobs(n=40, n_classes=2)
    with_constant = np.column_stack([X, np.full(40, 3.0)])
    for key in ("F1", "F1v", "F2", "F4"):
        assert complexity(with_constant, y)[key] == pytest.approx(complexity(X, y)[key], abs=1e-9), key
    revealing = np.column_stack([X, y * 0.1])
    profile = complexity(revealing, y)
    assert profile["F1"] == 0
    assert (profile["F2"], profile["F3"], profile["F4"]) == (0, 0, 0)


def test_linear_measures_are_those_of_the_machine():
    X, y = blobs(n=80, n_classes=2)
    codes = y.astype(np.int32)
    made = interpolate(as_table(X), codes, 80, np.random.default_rng(0))
    found = linear_measures(X, codes, made.table.values, made.codes)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    machine = SVC(kernel="linear", C=1.0, tol=1e-6).fit(scaled, y)
    signs = np.where(y == 1, 1, -1)
    assert found["L1"] == pytest.approx(oracle.l1(machine.decision_function(scaled), signs), abs=1e-5)
    assert found["L1e"] == pytest.approx(oracle.l1_errors_only(machine.decision_function(scaled), signs), abs=1e-5)
    assert 0 < found["L1e"] < found["L1"]
    assert found["L2"] == pytest.approx(1 - machine.score(scaled, y))
    at = (made.table.values - X.mean(axis=0)) / X.std(axis=0)
    assert found["L3"] == pytest.approx(np.mean(machine.predict(at) != made.codes))


@pytest.mark.parametrize(
    ("n", "p", "apart"), [(80, 3, 1.0), (300, 9, 0.4), (40, 100, 1.0), (60, 2, 20.0), (50, 2, 0.0)]
)
def test_the_linear_machine_is_at_its_optimum(n, p, apart):
    rng = np.random.default_rng(n)
    signs = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, p)) + apart * signs[:, None]
    weights, offset = linear_machine(X, signs)
    machine = SVC(kernel="linear", C=1.0, tol=1e-6).fit(X, signs)

    def cost(w, b):
        return 0.5 * w @ w + np.maximum(0.0, 1 - signs * (X @ w + b)).sum()

    best = cost(machine.coef_[0], machine.intercept_[0])
    assert cost(weights, offset) <= best * (1 + 1e-6)
    assert weights == pytest.approx(machine.coef_[0], abs=1e-4)


def test_the_linear_machine_keeps_its_digits_on_separated_whole_numbers():
    rng = np.random.default_rng(0)
    signs = np.where(rng.random(500) < 0.3, 1.0, -1.0)
    X = rng.integers(0, 15, size=(500, 16)).astype(float)
    X[:, 0] += 12 * signs
    weights, offset = linear_machine(X, signs)
    assert np.min(signs * (X @ weights + offset)) == pytest.approx(1.0, abs=1e-6)


def test_the_linear_machine_stops_where_rounding_begins():
    """Conditions that rounding never meets were pursued until the factorization failed."""
    # Columns that nearly repeat each other make slopes so large that they are never met to the last digit.
    rng = np.random.default_rng(1)
    signs = np.where(rng.random(800) < 0.5, 1.0, -1.0)
    base = rng.integers(0, 15, size=(800, 4)) + 8.0 * signs[:, None]
    X = np.column_stack([base, base * 1e3, base[:, :1] + 1e-7 * rng.normal(size=(800, 1))])
    weights, offset = linear_machine(X, signs)
    assert np.isfinite(weights).all()
    machine = SVC(kernel="linear", C=1.0).fit(X / X.std(axis=0), signs)
    assert np.mean(signs * (X @ weights + offset) <= 0) <= 1 - machine.score(X / X.std(axis=0), signs) + 0.005


def test_rows_that_are_all_equal_have_no_direction():
    weights, offset = linear_machine(np.zeros((6, 2)), np.array([1.0, -1.0] * 3))
    assert (weights.tolist(), offset) == ([0.0, 0.0], pytest.approx(0.0))


def test_interpolated_rows_lie_between_two_of_their_class():
    """A made-up row could lie between a row and itself."""
    table = datasets.load("heart")
    codes, _ = class_codes(table)
    made = interpolate(table, codes, 200, np.random.default_rng(0))
    assert np.array_equal(codes[made.first], made.codes)
    assert np.array_equal(codes[made.second], made.codes)
    assert np.all(made.first != made.second)
    numeric = [j for j, kind in enumerate(table.kinds) if kind == "numeric"]
    x, z, m = (v[:, numeric] for v in (table.values[made.first], table.values[made.second], made.table.values))
    known = ~np.isnan(x) & ~np.isnan(z)
    assert np.all(m[known] >= np.minimum(x, z)[known] - 1e-12)
    assert np.all(m[known] <= np.maximum(x, z)[known] + 1e-12)
    nominal = [j for j, kind in enumerate(table.kinds) if kind == "nominal"]
    x, z, m = (v[:, nominal] for v in (table.values[made.first], table.values[made.second], made.table.values))
    assert np.all((m == x) | (m == z) | np.isnan(m))


def test_n4_is_the_error_on_interpolated_rows():
    X, y = blobs(n=60)
    table, codes = as_table(X, y), y.astype(np.int32)
    made = interpolate(table, codes, 60, np.random.default_rng(0))
    low, high = X.min(axis=0), X.max(axis=0)
    distances = [[np.mean(np.abs(m - x) / (high - low)) for x in X] for m in made.table.values]
    expected = oracle.n4(distances, y.tolist(), made.codes.tolist())
    assert complexity(table)["N4"] == pytest.approx(expected)


def test_gower_with_nominal_columns():
    rng = np.random.default_rng(0)
    codes, y = rng.integers(0, 3, 50), rng.integers(0, 2, 50)
    number = rng.normal(size=50) + y
    frame = pd.DataFrame({"number": number, "letter": pd.Categorical(np.array(["a", "b", "c"])[codes])})
    D = oracle.gower(np.column_stack([number, codes]).tolist(), nominal={1})
    search, *_ = gower_search(as_table(frame), "gower", None, None, None)
    np.testing.assert_allclose(search.block(np.arange(50), np.arange(50)), D, atol=1e-12)
    profile = complexity(frame, y)
    for key in ("N1", "N2", "LSC"):
        assert profile[key] == pytest.approx(ORACLES[key](D, y.tolist())), key


def test_tied_enemies_and_cycles_of_equal_distances():
    # a square with alternating classes: everyone's two enemies are equally far, a cycle of four
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 0, 1], dtype=np.int32)
    enemies = Search.prepare(as_table(X)).class_pass(y)
    assert sphere_radii(enemies).tolist() == [0.5] * 4
    # 0 at 0, 1 at 2, 0 at 7: the last one's enemy is nearer to the first, whose sphere has radius 1
    enemies = Search.prepare(as_table([[0.0], [2.0], [7.0]])).class_pass(np.array([0, 1, 0], dtype=np.int32))
    assert sphere_radii(enemies)[enemies.cases.case_of].tolist() == [1.0, 1.0, 4.0]


def test_radii_and_long_chains():
    """T1 of the survey is a recursion, as deep as the longest chain of enemies."""
    X, y = blobs(n=100, n_classes=2)
    search = Search.prepare(as_table(X))
    enemies = search.class_pass(y.astype(np.int32))
    radius = sphere_radii(enemies)[enemies.cases.case_of]
    np.testing.assert_allclose(radius, oracle.radii(oracle.euclidean(X), y.tolist()))
    # each enemy is the next one, 3,000 deep
    places = np.cumsum(np.linspace(1, 2, 3000))[::-1].copy()
    chain = Search.prepare(as_table(places[:, None])).class_pass((np.arange(3000) % 2).astype(np.int32))
    assert np.all(sphere_radii(chain) > 0)


def test_spanning_tree_is_unique_under_ties():
    """scipy's minimum_spanning_tree takes a distance of 0 for no edge, so that copies break the tree of N1."""
    X, y = gridded(n=40, seed=5)
    tree = oracle.spanning_tree(np.round(oracle.euclidean(X) ** 2), y.tolist())
    first, second = Search.prepare(as_table(X)).class_pass(y.astype(np.int32), tree=True).tree()
    assert {tuple(sorted(edge)) for edge in zip(first.tolist(), second.tolist(), strict=True)} == set(tree)


def test_a_class_of_one_row():
    X, y = blobs(n=30, n_classes=2)
    y[0] = 7
    profile = complexity(X, y)
    assert any("one row only" in note for note in profile.notes)
    assert all(math.isfinite(value) for value in profile.values.values())
    assert profile["N2"] == pytest.approx(oracle.n2(oracle.gower(X.tolist()), y.tolist()))
    assert math.isnan(profile.per_class[7]["N2"])


def test_gower_with_missing_cells_counts_what_both_rows_have():
    rng = np.random.default_rng(2)
    X, y = blobs(n=60, p=4, n_classes=2)
    X[rng.random(X.shape) < 0.15] = np.nan
    D, profile = oracle.gower_present(X.tolist()), complexity(X, y)
    assert profile.distance == "gower"
    for key in ("N1", "N2", "N3", "LSC"):
        assert profile[key] == pytest.approx(ORACLES[key](D, y.tolist())), key
    A = oracle.graph(D, y.tolist())
    assert profile["Density"] == pytest.approx(oracle.density(A))
    assert profile["ClsCoef"] == pytest.approx(oracle.clustering(A))
    assert any("filled with the mean" in note for note in profile.notes)  # for the measures that need numbers


def test_rows_that_share_no_cell_are_infinitely_far():
    X = [[0.0, np.nan], [1.0, np.nan], [np.nan, 0.0], [np.nan, 1.0], [0.5, np.nan]]
    profile = complexity(X, list("aabba"))
    assert {key for key, value in profile.values.items() if math.isnan(value)} == {"N2", "N2m"}  # no enemy is anywhere
    assert all(math.isfinite(value) for key, value in profile.values.items() if key not in ("N2", "N2m"))


def test_missing_cells_of_a_real_table():
    profile = complexity(datasets.load("hepatitis"))
    assert profile.distance == "gower"
    assert all(0 <= value <= 1 for value in profile.values.values())


def test_by_class_averages_to_the_whole():
    X, y = blobs()
    profile = complexity(X, y)
    frame = profile.by_class()
    shares = np.bincount(y) / len(y)
    for key in ("N1", "N3", "T1", "LSC", "Density"):
        assert frame[key].to_numpy() @ shares == pytest.approx(profile[key])


def test_time_limit_gives_samples_and_intervals():
    X, y = blobs(n=6000, n_classes=2)
    ticks = []
    profile = complexity(X, y, time_limit=1e-3, progress=lambda text, share: ticks.append(share))
    assert profile.sample_rows == 1000
    low, high = profile.intervals["N3"]
    assert low <= profile["N3"] <= high
    assert any("within the time limit" in note for note in profile.notes)
    assert ticks[-1] == 1.0
    assert complexity(X[:300], y[:300], time_limit=1e-3).sample_rows is None


def test_sampled_graph_is_near_the_whole_one():
    X, y = blobs(n=3000, n_classes=2)
    search, *_ = gower_search(as_table(X), "gower", None, None, None)
    codes = y.astype(np.int32)
    whole = graph_measures(search, codes, np.arange(3000), 1.0)
    sampled, intervals = sampled_graph_measures(
        search, codes, lambda rows: graph_measures(search, codes, rows, 1.0), np.random.default_rng(0)
    )
    for key, value in whole.items():
        assert sampled[key] == pytest.approx(value, abs=0.05), key
        assert intervals[key][0] <= sampled[key] <= intervals[key][1]
    assert complexity(X, y)["Density"] == pytest.approx(whole["Density"])


def test_large_classes_are_sampled(monkeypatch):
    monkeypatch.setattr("sepal.measures._complexity._graph._LARGEST_CLASS", 100)
    X, y = blobs(n=400, n_classes=2)
    sampled = complexity(X, y)
    monkeypatch.undo()
    exact = complexity(X, y)
    assert set(sampled.intervals) == {"ClsCoef", "ClsCoefG", "Hubs"}
    assert sampled["Density"] == pytest.approx(exact["Density"], abs=1e-12)  # counted, not sampled
    monkeypatch.setattr("sepal.measures._complexity._graph._LARGEST_CLASS", 100)
    for other in (complexity(X, y, graph="nearest"), complexity(X, y, distance="euclidean")):
        assert set(other.intervals) == {"Density", "ClsCoef", "ClsCoefG", "Hubs"}


def test_separated_classes_are_easy_and_random_labels_hard():
    X, y = blobs(n=200, n_classes=2, spread=30.0)
    easy = complexity(X, y)
    assert (easy["N3"], easy["L2"], easy["F3"]) == (0, 0, 0)
    hard = complexity(X, np.random.default_rng(9).integers(0, 2, 200))
    assert hard["N3"] > 0.35
    for key in ("F1", "F1v", "F3", "L1", "L2", "N1", "N2", "N3", "T1", "LSC"):
        assert hard[key] > easy[key], key


def test_the_22_measures_and_their_names():
    assert len(MEASURES) == 22
    order = "F1 F1v F2 F3 F4 L1 L2 L3 N1 N2 N3 N4 T1 LSC Density ClsCoef Hubs T2 T3 T4 C1 C2"
    assert " ".join(m.id for m in MEASURES) == order
    profile = complexity(*blobs())
    for measure in MEASURES:
        assert profile[measure.id] == profile[measure.name]
    assert set(profile.frame()["id"]) >= {m.id for m in MEASURES}
    with pytest.raises(ParameterError, match="no complexity measure"):
        _ = profile["F9"]


def test_radar_and_text():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    profile = complexity(*blobs())
    ax = profile.plot()
    assert [text.get_text() for text in ax.get_xticklabels()][:2] == ["F1", "F1v"]
    pyplot.close("all")
    assert "N3" in str(profile)
    assert "<table" in profile._repr_html_()


def test_wrong_time_limit():
    with pytest.raises(ParameterError, match="time_limit"):
        public.complexity(*blobs(), time_limit=-1)


def test_many_levels_are_measured_as_few_are():
    """A column of 60 levels: no indicators in the neighbour pass, and a diagonal in the linear machine.

    The same table with the levels as 60 columns of 0 and 1 has the same linear machine, and the same F4.
    """
    generator = np.random.default_rng(4)
    n = 400
    town, x = generator.integers(0, 60, n), generator.normal(size=(n, 2))
    y = ((town % 2 == 0) ^ (x[:, 0] > 1)).astype(int)
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "town": pd.Categorical([f"t{k:02d}" for k in town])})
    indicators = np.column_stack([x, town[:, None] == np.arange(60)]).astype(float)
    levels, columns = complexity(frame, y), complexity(indicators, y)
    for name in ("F1", "F2", "F4", "L1", "L2"):
        assert levels[name] == pytest.approx(columns[name], abs=1e-9), name
    D = np.abs(x[:, None] - x[None]) / np.ptp(x, axis=0)
    gower = (D.sum(axis=2) + (town[:, None] != town)) / 3
    np.fill_diagonal(gower, np.inf)
    assert levels["N3"] == pytest.approx(np.mean(y[gower.argmin(axis=1)] != y), abs=1e-12)


def many_classes(n=600, n_classes=60, seed=0):
    """Labels of unequal frequency; some classes are equally large."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), np.array([f"c{c:03d}" for c in rng.integers(0, n_classes, n)])


def test_pairs_of_many_classes_are_those_of_the_largest():
    """All pairs of 200 classes took 22 s for 2,000 rows."""
    X, y = many_classes()
    labels, counts = np.unique(y, return_counts=True)
    largest = sorted(zip((-counts).tolist(), labels.tolist(), strict=True))[:50]
    kept = np.isin(y, [label for _, label in largest])
    assert counts[np.isin(labels, [label for _, label in largest])].min() == np.sort(counts)[-51]  # a tie is decided
    every, part = complexity(X, y), complexity(X[kept], y[kept])
    for key in ("F1v", "F2", "F3", "L1", "L1e", "L2"):  # F4 lets the content of all rows decide between columns
        assert every[key] == pytest.approx(part[key], abs=1e-9), key
    told = "F1v, F2, F3, F4 and the L measures are means over the pairs of the 50 largest of 60 classes"
    assert told in every.notes
    assert not any("largest" in note for note in part.notes)
    order = np.random.default_rng(1).permutation(len(y))
    shuffled = complexity(X[order], y[order])
    for key in every.values:
        assert shuffled[key] == pytest.approx(every[key], abs=1e-9), key


def test_many_classes_of_one_row_are_counted_and_not_named():
    X, y = many_classes(n=40)
    y = np.where(np.arange(40) < 20, "many", y)
    alone = int(np.sum(np.unique(y, return_counts=True)[1] == 1))
    assert alone > 5
    notes = [note for note in complexity(X, y).notes if "left out of N2" in note]
    assert notes == [f"{alone} classes have one row only and are left out of N2"]


def test_where_rows_stood_does_not_matter_to_spheres_with_missing_cells():
    """Of equal spheres the first stayed, and with missing cells what it holds is not what the others hold."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 4, (28, 3)).astype(float), rng.integers(0, 2, 28)
        X[rng.random(X.shape) < 0.25] = np.nan
        found = {complexity(X[rows], y[rows])["T1"] for rows in (rng.permutation(28) for _ in range(4))}
        assert len(found | {complexity(X[:, ::-1], y)["T1"]}) == 1
