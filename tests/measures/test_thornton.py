"""Thornton's index against its definition."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from sepal.data import as_table
from sepal.exceptions import DataError, ParameterError
from sepal.measures import hypothesis_margin, thornton_samples, thornton_score
from tests.measures.labelled_rows import FAMILIES, no_ties, rows
from tests.oracles import neighbors as near
from tests.oracles import thornton as oracle

POLICIES = ("expected", "index", "pessimistic", "optimistic")


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("n", "classes"), [(4, "ab"), (9, "abc"), (40, "ab"), (40, "abcde")])
def test_samples_follow_the_definition(family, policy, n, classes, rng):
    X, y, D = family(rng, n, classes) if n > 4 else family(rng, 4, "ab")
    wanted = [float(s) for s in oracle.thornton_samples(D, y, policy)]
    for method in ("brute", "tree"):
        found = thornton_samples(X, y, scale=None, ties=policy, method=method)
        np.testing.assert_allclose(found, wanted, rtol=1e-14)
        assert thornton_score(X, y, scale=None, ties=policy, method=method) == pytest.approx(
            float(oracle.thornton_score(D, y, policy)), rel=1e-14
        )


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("distance", "params"),
    [("manhattan", {}), ("chebyshev", {}), ("minkowski", {"p": 3}), ("mahalanobis", {}), ("cosine", {})],
)
def test_samples_under_other_distances(distance, params, policy, rng):
    X = rng.integers(1, 6, size=(40, 3)).astype(float)
    y = rng.choice(["a", "b", "c"], size=40).tolist()
    D = near.compared_values(distance, X, X, **params)
    wanted = [float(s) for s in oracle.thornton_samples(D, y, policy)]
    found = thornton_samples(X, y, scale=None, ties=policy, distance=distance, distance_params=params)
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_minmax_is_the_default_and_standard_is_offered(rng):
    X = rng.normal(size=(60, 3)) * [1.0, 1e3, 1e-3]
    y = rng.choice(["a", "b"], size=60).tolist()
    for scaled, call in (
        ((X - X.min(axis=0)) / np.ptp(X, axis=0), {}),
        ((X - X.mean(axis=0)) / X.std(axis=0), {"scale": "standard"}),
        (X, {"scale": None}),
    ):
        D = near.squared_euclidean_by_column(scaled, scaled)
        np.testing.assert_array_equal(thornton_samples(X, y, **call), oracle.thornton_samples(D, y))


@pytest.mark.parametrize("n_classes", [2, 5])
def test_index_is_the_leave_one_out_accuracy_of_one_nearest_neighbour(n_classes, rng):
    X, y = rng.normal(size=(60, 4)), rng.integers(n_classes, size=60)
    X[:, 0] += y
    peer = cross_val_score(KNeighborsClassifier(1, algorithm="brute"), X, y, cv=LeaveOneOut())
    np.testing.assert_array_equal(thornton_samples(X, y, scale=None), peer)


def test_by_hand_with_a_tie():
    # Row 1 lies between rows 0 (a) and 2 (b): its share is one half.
    X, y = [[0.0], [1.0], [2.0], [2.5]], ["a", "a", "b", "b"]
    assert thornton_samples(X, y).tolist() == [1.0, 0.5, 1.0, 1.0]
    assert thornton_samples(X, y, ties="index").tolist() == [1.0, 1.0, 1.0, 1.0]
    assert thornton_samples(X, y, ties="pessimistic").tolist() == [1.0, 0.0, 1.0, 1.0]
    assert thornton_samples(X, y, ties="optimistic").tolist() == [1.0, 1.0, 1.0, 1.0]
    assert thornton_samples(X[::-1], y[::-1], ties="index").tolist() == [1.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5])
def test_parity_on_a_lattice_gives_zero(dimensions):
    X = np.array(list(itertools.product(range(4 if dimensions < 4 else 2), repeat=dimensions)), dtype=float)
    for ties in POLICIES:
        assert thornton_score(X, X.sum(axis=1) % 2, ties=ties) == 0.0


def test_exclusive_or_of_blobs_gives_one(rng):
    corners = rng.integers(0, 2, size=(200, 2))
    assert thornton_score(corners + 0.01 * rng.normal(size=(200, 2)), corners.sum(axis=1) % 2) == 1.0


def test_random_labels_are_near_chance_and_not_near_one_half(rng):
    """The founding paper says about 0.5 without clusters, which holds for two equal classes only."""
    X, y = rng.normal(size=(3000, 3)), rng.random(3000) < 0.9
    chance = 0.9**2 + 0.1**2
    assert thornton_score(X, y) == pytest.approx(chance, abs=0.03)


def test_two_rows_of_two_classes():
    for ties in POLICIES:
        assert thornton_samples([[0.0], [1.0]], ["a", "b"], ties=ties).tolist() == [0.0, 0.0]


def test_only_member_of_a_class_is_always_wrong(rng):
    X, y, D = no_ties(rng, 12, "ab")
    y[4] = "alone"
    for ties in POLICIES:
        assert thornton_samples(X, y, ties=ties)[4] == 0.0
    found = thornton_samples(X, y, scale=None)
    np.testing.assert_array_equal(found, oracle.thornton_samples(D, y))


def test_all_rows_equal():
    X, y = np.ones((5, 3)), ["a", "a", "a", "b", "b"]
    np.testing.assert_allclose(thornton_samples(X, y), [2 / 4] * 3 + [1 / 4] * 2)
    assert thornton_samples(X, y, ties="index").tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert thornton_score(X, y, ties="pessimistic") == 0.0
    assert thornton_score(X, y, ties="optimistic") == 1.0


def test_conflicting_copies_share_their_group():
    # Two rows at 0 (a, b), a third one (a) at 1: each copy has exactly the other as its nearest.
    X, y = [[0.0], [0.0], [1.0]], ["a", "b", "a"]
    assert thornton_samples(X, y).tolist() == [0.0, 0.0, 0.5]


@pytest.mark.parametrize("factor", [1e-6, 0.37, 1e5])
def test_scale_invariance(factor, rng):
    X, y, _ = no_ties(rng, 80)
    plain = thornton_samples(X, y, scale=None)
    np.testing.assert_array_equal(thornton_samples(X * factor, y, scale=None), plain)
    for scale in ("minmax", "standard"):
        units = thornton_samples(X, y, scale=scale)
        np.testing.assert_array_equal(thornton_samples(X * [factor, 3.0, 1.0] - 5.0, y, scale=scale), units)


def test_any_increasing_function_of_the_distance_gives_the_same_index(rng):
    # The distance in the feature space of a radial kernel, sqrt(2 - 2 exp(-d^2 / w)), included.
    X, y, D = no_ties(rng, 60)
    plain = thornton_samples(X, y, scale=None)
    for stretched in (np.sqrt(D), D**3, np.sqrt(2 - 2 * np.exp(-D / 9.0))):
        np.testing.assert_array_equal(oracle.thornton_samples(stretched, y), plain)


def test_samples_have_the_sign_of_the_margin_where_nothing_is_tied(rng):
    X, y, _ = no_ties(rng, 100, "abc")
    assert ((hypothesis_margin(X, y) > 0) == (thornton_samples(X, y) == 1.0)).all()


def test_jitter_breaks_ties_and_depends_on_the_seed_alone(rng):
    X, y = rng.integers(0, 3, size=(200, 2)).astype(float), rng.choice(["a", "b"], size=200)
    found = thornton_samples(X, y, ties="jitter", random_state=5)
    assert set(found.tolist()) <= {0.0, 1.0}
    np.testing.assert_array_equal(thornton_samples(X, y, ties="jitter", random_state=5), found)
    assert (thornton_samples(X, y, ties="jitter", random_state=6) != found).any()
    scores = [thornton_score(X, y, ties="jitter", random_state=seed) for seed in range(40)]
    spread = np.std(scores, ddof=1) / np.sqrt(40)
    assert abs(np.mean(scores) - thornton_score(X, y)) < 5 * spread


# ---------------------------------------------------------------- tables, kinds, missing cells


def test_table_brings_its_labels(rng):
    X, y, _ = no_ties(rng, 30)
    table = as_table(X, y)
    assert thornton_score(table) == thornton_score(X, y)
    swapped = ["b" if label == "a" else "a" for label in y]
    assert thornton_score(table, swapped) == thornton_score(X, swapped)
    with pytest.raises(DataError, match="y"):
        thornton_score(as_table(X))
    with pytest.raises(DataError, match="y"):
        thornton_score(X)


def mixed(rng: np.random.Generator, n: int, share: float) -> tuple[pd.DataFrame, list[str], np.ndarray]:
    size, colour = rng.integers(0, 5, n) / 4.0, rng.integers(0, 3, n).astype(float)
    size[:2], colour[:2] = [0, 1], [0, 2]
    values = np.column_stack([size, colour])
    values[2:][rng.random((n - 2, 2)) < share] = np.nan
    named = [None if np.isnan(code) else ["red", "green", "blue"][int(code)] for code in values[:, 1]]
    frame = pd.DataFrame({"size": values[:, 0], "colour": pd.Series(named, dtype="object")})
    D = near.compared_values("heom", values, values, nominal_mask=[False, True])
    return frame, rng.choice(["yes", "no"], size=n).tolist(), D


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_mixed_table_with_distance_auto(share, rng):
    frame, y, D = mixed(rng, 40, share)
    for policy in POLICIES:
        wanted = [float(s) for s in oracle.thornton_samples(D, y, policy)]
        np.testing.assert_allclose(thornton_samples(frame, y, distance="auto", ties=policy), wanted, rtol=1e-14)
    with pytest.raises(DataError, match="colour") as caught:
        thornton_samples(frame, y, distance="euclidean")
    assert "auto" in (caught.value.hint or "")


@pytest.mark.parametrize("distance", ["nan_euclidean", "heom"])
def test_missing_cells_where_the_distance_defines_them(distance, rng):
    X = rng.integers(0, 4, size=(50, 3)) / 3.0
    X[rng.random(X.shape) < 0.25] = np.nan
    y = rng.choice(["a", "b"], size=50).tolist()
    known = {"nominal_mask": [False] * 3} if distance == "heom" else {}
    D = near.compared_values(distance, X, X, **known)
    found = thornton_samples(X, y, distance=distance, scale=None)
    np.testing.assert_allclose(found, [float(s) for s in oracle.thornton_samples(D, y)], rtol=1e-14)


def test_missing_cells_under_a_distance_that_does_not_define_them(rng):
    X, y, _ = no_ties(rng, 20)
    X[3, 1] = np.nan
    with pytest.raises(DataError, match=r"row 3.*x2.*missing.*euclidean") as caught:
        thornton_score(X, y, distance="euclidean")
    assert "drop" in (caught.value.hint or "")


def test_missing_drop_is_dropping_by_hand(rng):
    X, y, _ = no_ties(rng, 60)
    X[rng.random(X.shape) < 0.1] = np.nan
    complete = ~np.isnan(X).any(axis=1)
    kept = [label for label, keep in zip(y, complete, strict=True) if keep]
    found = thornton_samples(X, y, missing="drop")
    np.testing.assert_array_equal(found, thornton_samples(X[complete], kept))


def test_missing_drop_refuses_when_nothing_or_one_class_is_left():
    with pytest.raises(DataError, match="missing"):
        thornton_score([[np.nan, 1.0], [2.0, np.nan]], ["a", "b"], missing="drop")
    with pytest.raises(DataError, match="class"):
        thornton_score([[np.nan], [2.0], [3.0]], ["a", "b", "b"], missing="drop")


@pytest.mark.parametrize("y", [["a"] * 4, [1] * 4, [True] * 4])
def test_one_class_is_refused(y):
    with pytest.raises(DataError, match="two classes"):
        thornton_score(np.eye(4), y)


def test_labels_must_fit_the_rows():
    with pytest.raises(DataError, match=r"4 rows.*3"):
        thornton_score(np.eye(4), ["a", "b", "a"])
    with pytest.raises(DataError, match="y"):
        thornton_score(np.eye(4), ["a", "b", None, "a"])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"ties": "first"}, "ties must be one of"),
        ({"missing": "impute"}, "missing must be"),
        ({"method": "kd"}, "method must be"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"scale": "robust"}, "scale"),
        ({"distance": "euclidian"}, "distance must be one of"),
        ({"distance_params": {"p": 2}}, "distance_params"),
        ({"n_queries": 0}, "n_queries"),
        ({"n_queries": True}, "n_queries"),
        ({"n_queries": 2.0}, "n_queries"),
        ({"random_state": "seed", "n_queries": 2}, "random_state"),
        ({"random_state": -1, "n_queries": 2}, "random_state"),
        ({"ties": "jitter", "distance": "manhattan"}, "jitter"),
    ],
)
def test_bad_parameters_are_named(call, said, rng):
    X, y, _ = no_ties(rng, 10)
    with pytest.raises(ParameterError, match=said):
        thornton_score(X, y, **call)


def test_precomputed_distances_are_refused_and_not_offered(rng):
    """An error listed "precomputed" among what it takes and refused it in the same breath."""
    _, y, D = no_ties(rng, 10)
    with pytest.raises(ParameterError, match=r"^distance must be one of (?!.*precomputed.*; got).*; got 'precomputed'"):
        thornton_score(np.sqrt(D), y, distance="precomputed", scale=None)


def test_rows_without_copies_and_with_copies_mix(rng):
    X = np.vstack([rng.normal(size=(20, 2)), np.repeat(rng.normal(size=(3, 2)), 5, axis=0)])
    y = rng.choice(["a", "b"], size=35).tolist()
    _, _, D = rows(X, y)
    np.testing.assert_allclose(
        thornton_samples(X, y, scale=None), [float(s) for s in oracle.thornton_samples(D, y)], rtol=1e-14
    )
