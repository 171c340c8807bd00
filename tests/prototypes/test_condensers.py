"""hart, fcnn, rnn, mss, rss against plain loops, and what they promise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import sepal
from sepal.exceptions import DataError, ParameterError
from sepal.prototypes import drop3, fcnn, hart, icf, mss, rnn, rss
from sepal.prototypes._cases import as_cases, label_rows
from sepal.prototypes._condense import CaseMetric, Kept
from sepal.prototypes._hart import rnn_solve
from tests.oracles import prototypes as oracle
from tests.oracles.neighbors import compared_values
from tests.oracles.neighbors import squared_euclidean_by_column as squared_quickly
from tests.prototypes.sets import geometric, smooth, squared, tied

CONDENSERS = (hart, fcnn, rnn, mss, rss)
SETS = [tied(0), tied(1, n=30, n_classes=2), tied(2, n=36, n_classes=4), smooth(3), smooth(4, n_classes=2)]


def expected_rows(name: str, X: np.ndarray, y: np.ndarray) -> list[int]:
    """The oracle's answer as rows of X; it sees the rows in geometric order."""
    order = geometric(X, y)
    D, labels = squared(X[order]), y[order]
    enemy_order = oracle.order_by(oracle.enemy_values(D, labels), tol_of(X))
    tol = tol_of(X)
    if name == "hart":
        pos = oracle.hart(D, labels, enemy_order, tol)
    elif name == "rnn":
        pos = oracle.rnn(D, labels, oracle.hart(D, labels, enemy_order, tol), tol)
    elif name == "fcnn":
        pos = [p for each in oracle.fcnn(D, labels, seeds(X[order], labels), tol) for p in each]
    else:
        pos = getattr(oracle, name)(D, labels, tol)
    return sorted(int(order[p]) for p in pos)


def tol_of(X: np.ndarray) -> float:
    return 0.0 if np.all(np.floor(X) == X) else oracle.TOL


def seeds(X: np.ndarray, y: np.ndarray) -> list[int]:
    found = []
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        center = X[rows].sum(axis=0) / len(rows)
        values = [float(((X[r] - center) ** 2).sum()) for r in rows]
        found.append(int(rows[[v <= min(values) * (1 + oracle.TOL) for v in values].index(True)]))
    return found


@pytest.mark.parametrize("method", CONDENSERS, ids=lambda m: m.__name__)
@pytest.mark.parametrize("number", range(len(SETS)))
def test_equals_the_plain_loops(method, number):
    X, y = SETS[number]
    found = method(X, y, scale=None)
    assert found.rows.tolist() == expected_rows(method.__name__, X, y)
    assert found.consistency == 1.0
    assert found.is_consistent
    assert len(found.conflicting_rows) == 0
    assert found.reduction == pytest.approx(1 - found.n_kept / len(y))
    assert oracle.consistent(squared(X), y, found.rows.tolist(), tol_of(X))


def test_fcnn_history_has_the_rounds():
    X, y = SETS[0]
    order = geometric(X, y)
    rounds = oracle.fcnn(squared(X[order]), y[order], seeds(X[order], y[order]), 0.0)
    found = fcnn(X, y, scale=None)
    assert [each.added_rows.tolist() for each in found.history] == [[int(order[p]) for p in each] for each in rounds]
    assert [each.n_kept for each in found.history] == np.cumsum([len(each) for each in rounds]).tolist()


@pytest.mark.parametrize("number", range(len(SETS)))
def test_hart_in_row_order_keeps_the_first_of_tied_prototypes(number):
    X, y = SETS[number]
    found = hart(X, y, order="rows", ties="index", scale=None)
    expected = oracle.hart_first_come(squared(X), y, range(len(y)), tol_of(X))
    assert sorted(r for each in found.history for r in each.added_rows) == sorted(expected)
    assert [r for each in found.history for r in each.added_rows.tolist()] == expected


def test_breast_cancer_figures():
    """On the 683 complete rows, raw integers, by loops of their own: 63 by enemy order, FCNN 64 (ties by row)."""
    table = sepal.datasets.load("breast-cancer").drop_missing()
    assert hart(table, scale=None, ties="index").n_kept == 63
    assert fcnn(table, scale=None, ties="index").n_kept == 64
    X, y = table.values, np.asarray(table.y)
    once = np.sort(np.unique(X, axis=0, return_index=True)[1])
    cases = once[geometric(X[once], y[once])]
    near = [((X[cases] - X[y == label].mean(axis=0)) ** 2).sum(axis=1) for label in np.unique(y)]
    first = [
        int(np.where(y[cases] == label, far, np.inf).argmin()) for label, far in zip(np.unique(y), near, strict=True)
    ]
    rounds = oracle.fcnn(squared(X[cases]), y[cases], first, 0.0)  # ties by coordinates: no order of rows is behind it
    kept = {tuple(X[cases[p]]) for each in rounds for p in each}
    found = fcnn(table, scale=None)
    assert {tuple(X[row]) for row in found.rows} == kept
    assert found.n_kept == len(kept) == 65
    for method in CONDENSERS:
        assert method(table, scale=None).is_consistent


@pytest.mark.parametrize("method", CONDENSERS, ids=lambda m: m.__name__)
def test_one_nearest_neighbor_reproduces_all_training_labels(method):
    """imbalanced-learn's condensing is wrong for three classes and more (#908): here another 1-NN answers all rows."""
    for X, y in SETS:
        kept = method(X, y, scale=None).rows
        assert KNeighborsClassifier(1).fit(X[kept], y[kept]).score(X, y) == 1.0


@pytest.mark.parametrize("method", CONDENSERS, ids=lambda m: m.__name__)
def test_never_below_the_smallest_consistent_subset(method):
    for seed in range(8):
        X, y = tied(seed, n=11, n_classes=2 + seed % 2, levels=4)
        smallest = oracle.smallest_consistent_size(squared(X), y, 0.0)
        assert smallest <= method(X, y, scale=None).n_kept <= len(y)


@pytest.mark.parametrize("method", CONDENSERS, ids=lambda m: m.__name__)
def test_row_order_class_names_and_threads_change_nothing(method):
    X, y = tied(5, n=36)
    rng = np.random.default_rng(0)
    base = set(method(X, y).rows.tolist())
    for _ in range(5):
        order = rng.permutation(len(y))
        moved = method(X[order], np.array(["z", "m", "a"])[y[order]], n_jobs=3)
        assert {int(order[r]) for r in moved.rows} == base


@pytest.mark.parametrize("method", [*CONDENSERS, drop3, icf], ids=lambda m: m.__name__)
def test_column_order_changes_nothing_though_much_is_tied(method):
    """Cases were ordered column by column as the columns stood, and ties with them."""
    table = sepal.datasets.load("breast-cancer").drop_missing()
    rows, columns = (np.random.default_rng(1).permutation(n) for n in table.values.shape)
    base = set(method(table.values, table.y).rows.tolist())
    moved = method(table.values[rows][:, columns], table.y[rows])
    copies = {tuple(table.values[r]) for r in base}
    assert {tuple(table.values[rows[r]]) for r in moved.rows} == copies


@pytest.mark.parametrize("method", CONDENSERS, ids=lambda m: m.__name__)
@pytest.mark.parametrize("name", ["manhattan", "chebyshev", "minkowski", "cosine"])
def test_other_distances_are_consistent_under_them(method, name):
    X, y = smooth(6, n=50)
    params = {"p": 3.0} if name == "minkowski" else {}
    D = compared_values(name, X, X, **params)
    kept = method(X, y, distance=name, distance_params=params, scale=None).rows.tolist()
    assert oracle.consistent(D, y, kept)
    if method in (mss, rss):  # these are functions of the compared values alone, up to ties
        power = 3.0 if name == "minkowski" else 1.0
        assert kept == sorted(getattr(oracle, method.__name__)(D**power, y))


@pytest.mark.parametrize("method", CONDENSERS, ids=lambda m: m.__name__)
def test_mixed_kinds_and_missing_cells(method):
    rng = np.random.default_rng(2)
    X = np.array([[round(rng.normal(), 2), str(rng.choice(["red", "blue", "green"]))] for _ in range(60)], dtype=object)
    X[rng.integers(60, size=6), 0] = None
    y = np.where([c == "red" for c in X[:, 1]], "hot", rng.choice(["cold", "cool"], size=60))
    found = method(X.tolist(), y)
    assert found.distance == "heom"
    assert found.is_consistent


def test_conflicting_duplicates_are_reported_and_not_looped_on():
    """Equal rows of two classes are never both right, so that Hart's rule by the letter does not end."""
    X = [[0.0], [0.0], [0.0], [1.0], [1.0], [5.0]]
    y = ["a", "a", "b", "a", "b", "b"]
    for method in CONDENSERS:
        found = method(X, y, scale=None)
        assert found.conflicting_rows.tolist() == [0, 1, 2, 3, 4]
        assert set(found.rows.tolist()) <= {0, 5}  # the majority of the first point; nobody of the second
        assert found.consistency == pytest.approx(4 / 6)  # not the b at 0 and not the b at 1
        assert found.is_consistent
        assert any("distance 0" in note for note in found.notes)


def test_rows_at_distance_zero_without_being_equal_end_too():
    """Under nan_euclidean a row with a gap can be at distance 0 from rows of two classes."""
    X = np.array([[1.0, np.nan], [1.0, 2.0], [1.0, 3.0], [4.0, 4.0]])
    y = ["a", "b", "a", "b"]
    for method in CONDENSERS:
        found = method(X, y, distance="nan_euclidean", scale=None)
        assert found.is_consistent
    assert set(hart(X, y, distance="nan_euclidean", scale=None).conflicting_rows) == {0, 1}


def test_rows_that_no_kept_row_shares_a_column_with_are_taken_one_by_one():
    """b is everywhere in the minority, so that no row of another class is kept; this ended the process once."""
    gap = np.nan
    X = [[1.0, gap], [gap, 1.0], [2.0, gap], [2.0, gap], [2.0, gap]]
    found = fcnn(X, list("aaaab"), distance="nan_euclidean", scale=None)
    # The center of a is (5/3, 1): row 1 is on it, and the others have no column with it in common. Row 0 is the first
    # of them, and near enough to the rest.
    assert [each.added_rows.tolist() for each in found.history] == [[1], [0]]
    assert found.conflicting_rows.tolist() == [2, 3, 4]


def test_dropped_rows_keep_their_numbers():
    X = np.array([[np.nan], [0.0], [np.nan], [1.0], [5.0]])
    found = hart(X, ["a", "a", "b", "a", "b"], missing="drop", distance="euclidean", scale=None)
    assert found.rows.tolist() == [3, 4]
    assert found.n_rows == 3
    assert found.frame()["row"].tolist() == [1, 3, 4]
    assert found.frame()["kept"].tolist() == [False, True, True]


def test_extreme_coordinates():
    X, y = smooth(7, n=30)
    base = hart(X, y, scale=None).rows.tolist()
    assert hart(X * 2.0**600, y, scale=None).rows.tolist() == base
    assert hart(X * 2.0**-600, y, scale=None).rows.tolist() == base


def test_random_order_comes_from_the_seed():
    X, y = smooth(8)
    first = hart(X, y, order="random", random_state=1).rows.tolist()
    assert hart(X, y, order="random", random_state=1).rows.tolist() == first
    assert any(hart(X, y, order="random", random_state=s).rows.tolist() != first for s in range(2, 8))


def test_many_blocks_of_cases_and_prototypes():
    """More cases than one block, so that blocks catch up with prototypes of others."""
    X, y = smooth(9, n=700, p=2)
    geometry = geometric(X, y)  # mutual enemies are tied in their distance: the coordinates decide
    X, y = X[geometry], y[geometry]
    D = squared_quickly(X, X)
    order = oracle.order_by(oracle.enemy_values(D, y))
    like = np.full(len(y), np.inf)
    unlike = np.full(len(y), np.inf)
    kept: list[int] = []
    while True:
        before = len(kept)
        for row in order:
            if row in kept or unlike[row] > like[row] * (1 + oracle.TOL):
                continue
            kept.append(row)
            same = y == y[row]
            like[same] = np.minimum(like[same], D[same, row])
            unlike[~same] = np.minimum(unlike[~same], D[~same, row])
        if len(kept) == before:
            break
    assert hart(X, y, scale=None).rows.tolist() == sorted(kept)


@pytest.mark.parametrize("method", [fcnn, mss, rss], ids=lambda m: m.__name__)
@pytest.mark.parametrize(
    "data", [smooth(11, n=330, p=2), tied(12, n=330, n_classes=3, levels=20)], ids=["smooth", "tied"]
)
def test_many_parts_in_space_equal_the_plain_loops(method, data):
    """More cases than a block has, so that boxes leave prototypes out and several threads cover cases."""
    X, y = data
    wanted = expected_rows(method.__name__, X, y)
    for jobs in (1, 2):
        assert method(X, y, scale=None, n_jobs=jobs).rows.tolist() == wanted


@pytest.mark.parametrize(("distance", "values"), [("manhattan", np.sum), ("chebyshev", np.max)])
def test_boxes_hold_under_other_distances(distance, values):
    X, y = smooth(13, n=330, p=2)
    order = geometric(X, y)
    D = values(np.abs(X[order][:, None, :] - X[order][None, :, :]), axis=2)
    found = fcnn(X, y, scale=None, distance=distance)
    place = np.argsort(order)
    first = sorted(place[found.history[0].added_rows].tolist())  # the centers have a test of their own
    pos = [p for each in oracle.fcnn(D, y[order], first) for p in each]
    assert found.rows.tolist() == sorted(int(order[p]) for p in pos)


def test_rnn_looks_again_where_all_known_neighbours_went():
    """A case knows a few of its nearest prototypes; with many rows of a few classes these are dropped one by one."""
    rng = np.random.default_rng(14)
    X = rng.normal(size=(150, 1))
    y = (X[:, 0] > 0).astype(int) ^ (rng.random(150) < 0.1)
    wanted = expected_rows("rnn", X, y)
    for jobs in (1, 2):
        assert rnn(X, y, scale=None, n_jobs=jobs).rows.tolist() == wanted
    near, far = rng.normal(size=(40, 2)) * 0.01, rng.normal(size=(40, 2)) * 0.01 + 5.0
    X, y = np.concatenate([near, far]), np.repeat([0, 1], 40)
    kept = list(range(80))
    D = squared_quickly(X, X)
    assert sorted(oracle.rnn(D, y, kept)) == sorted(_reduced(X, y, kept))


def _reduced(X: np.ndarray, y: np.ndarray, kept: list[int]) -> list[int]:
    """What the native pass leaves of all rows, which Hart's rule would never keep."""
    cases = as_cases(label_rows(X, y, scale=None))
    metric = CaseMetric.of(cases)
    pos = cases.case_of[np.array(kept)]
    everything = Kept(pos, np.ones(len(pos), dtype=np.int32))
    return cases.first_rows[rnn_solve(cases, metric, everything).pos].tolist()


def test_progress_and_interruption():
    X, y = smooth(10, n=4000, p=8)
    shares: list[float] = []
    hart(X, y, progress=lambda text, share: shares.append(share))
    assert all(share >= 0 for share in shares)

    def stop(text: str, share: float) -> None:
        raise KeyboardInterrupt

    X, y = np.random.default_rng(0).normal(size=(12000, 20)), np.arange(12000) % 2
    with pytest.raises(KeyboardInterrupt):
        hart(X, y, progress=stop)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"order": "best"}, "order must be"),
        ({"ties": "first"}, "ties must be"),
        ({"distance": "eucl"}, "distance must"),
    ],
)
def test_wrong_parameters_are_named(given, message):
    with pytest.raises(ParameterError, match=message):
        hart(*smooth(0), **given)


def test_one_class_is_an_error():
    with pytest.raises(DataError, match="two classes"):
        hart([[0.0], [1.0]], ["a", "a"])


def test_result_shows_itself():
    found = hart(*smooth(0))
    assert "hart" in repr(found)
    assert "hart" in found._repr_html_()
    assert len(found.plot().patches) == 6


@pytest.mark.parametrize("condense", [fcnn, hart])
def test_integers_whose_squares_round_are_tied_where_they_are(condense):
    """Row 0 is as far from row 1 as from row 6, whose columns are exchanged: it is wrong until it is kept."""
    far, other = [57698503.0, 44525801.0, 41423142.0], [44525801.0, 41423142.0, 57698503.0]
    X, y = np.array([[-33554432.0] * 3, *[far] * 5, other]), [1] * 6 + [2]
    for columns in itertools.permutations(range(3)):
        found = condense(X[:, columns], y, distance="euclidean", scale=None)
        assert found.rows.tolist() == [0, 1, 6], columns
