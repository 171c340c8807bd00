"""Weights: a whole one is so many copies that leave together with their row, a fraction is so much mass."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.auto import SepalClassifier, SepalRegressor
from sepal.auto._baselines import ridge_left_out
from sepal.auto._forest import grow_forest
from sepal.auto._judging import NumberJudge, class_judge
from sepal.auto._kernel_member import gaussian, median_distance
from sepal.auto._linear_member import fisher_left_out
from sepal.auto._ridge_loo import kernel_fit, kernel_spectrum, vector_spectrum
from sepal.auto._stream import stream_ridge
from sepal.data import as_table
from sepal.estimators import fit_view
from sepal.exceptions import DataError
from sepal.kernels import squared_distances
from tests.oracles import ridge

N = 24


@pytest.fixture(scope="module")
def rows():
    rng = np.random.RandomState(3)
    X = rng.randn(N, 3).round(2)
    codes = (X[:, 0] + 0.6 * rng.randn(N) > 0).astype(np.int32)
    return X, codes, np.column_stack([X[:, 0] + 0.3 * rng.randn(N), codes])


WHOLE = np.arange(N) % 3 + 1.0
PART = 0.25 + 0.5 * (np.arange(N) % 5)
COPIES = np.repeat(np.arange(N), WHOLE.astype(int))  # of which row each is a copy, and its group
FIRST = np.unique(COPIES, return_index=True)[1]
PAIRS = np.arange(N) // 2


def kernel(A, B):
    return np.array([[ridge.gaussian(a, b, 1.3) for b in B] for a in A])


@pytest.mark.parametrize("groups", [None, PAIRS], ids=["rows", "pairs"])
def test_ridge_by_mass_is_ridge_on_copies(rows, groups):
    X, _, Y = rows
    K, few = kernel(X, X), np.arange(0, N, 5)
    wide = K[np.ix_(COPIES, COPIES)]
    together = COPIES if groups is None else groups[COPIES]
    ridges = np.array([1e-3, 0.3])
    copied = kernel_spectrum(wide.copy())
    weighed = kernel_spectrum(K.copy(), WHOLE)
    assert weighed.scale == pytest.approx(copied.scale)
    slow = copied.left_out(Y[COPIES], ridges, together)[:, FIRST]
    np.testing.assert_allclose(weighed.left_out(Y, ridges, groups), slow, atol=1e-6)
    one, other = kernel_fit(K.copy(), Y, 0.01, groups, WHOLE), kernel_fit(wide.copy(), Y[COPIES], 0.01, together)
    np.testing.assert_allclose(one.left_out, other.left_out[FIRST], atol=1e-6)
    np.testing.assert_allclose(one.fit, other.fit[FIRST], atol=1e-8)
    np.testing.assert_allclose(one.b, other.b, atol=1e-6)
    one = vector_spectrum(K[:, few], K[np.ix_(few, few)], WHOLE).fit(Y, 0.01, groups)
    other = vector_spectrum(K[np.ix_(COPIES, few)], K[np.ix_(few, few)]).fit(Y[COPIES], 0.01, together)
    np.testing.assert_allclose(one.a, other.a, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(one.left_out, other.left_out[FIRST], atol=1e-6)


def test_ridge_by_parts_of_rows_equals_refits(rows):
    X, _, Y = rows
    K = kernel(X, X)
    spectrum = kernel_spectrum(K.copy(), PART)
    alpha = 0.1 * spectrum.scale
    slow = np.empty(N)
    for i in range(N):
        rest = np.flatnonzero(np.arange(N) != i)
        a, b = ridge.weighted_fit(K[np.ix_(rest, rest)], Y[rest, 0], alpha, PART[rest])
        slow[i] = K[i, rest] @ a + b
    np.testing.assert_allclose(spectrum.left_out(Y[:, :1], np.array([0.1]))[0, :, 0], slow, atol=1e-8)
    fitted = kernel_fit(K.copy(), Y[:, :1], 0.1, None, PART)
    a, b = ridge.weighted_fit(K, Y[:, 0], alpha, PART)
    np.testing.assert_allclose(fitted.a[:, 0], a, atol=1e-7)
    assert fitted.b[0] == pytest.approx(b)
    np.testing.assert_allclose(fitted.left_out[:, 0], slow, atol=1e-8)


@pytest.mark.parametrize("groups", [None, PAIRS], ids=["rows", "pairs"])
def test_blocks_of_rows_add_up_by_mass(rows, groups):
    X, _, Y = rows
    table = as_table(X)
    view = fit_view(table, "standard", PART)
    points = view.coordinates(table)[::5]
    K = gaussian(squared_distances(view.coordinates(table), points), 1.5)
    whole = vector_spectrum(K, K[::5], PART).fit(Y, 0.01, groups)
    found = stream_ridge(view, table, Y, points, 1.5, 0.01, groups=groups, mass=PART)
    np.testing.assert_allclose(found.fit, whole.fit, atol=1e-6)
    np.testing.assert_allclose(found.left_out, whole.left_out, atol=1e-6)


@pytest.mark.parametrize("groups", [None, PAIRS], ids=["rows", "pairs"])
def test_fisher_by_mass_is_fisher_on_copies(rows, groups):
    X, codes, _ = rows
    codes = codes.copy()
    codes[:2] = 2  # of one pair: nothing remains without it
    together = COPIES if groups is None else groups[COPIES]
    slow = fisher_left_out(X[COPIES], codes[COPIES], 0.01, together)[FIRST]
    np.testing.assert_allclose(fisher_left_out(X, codes, 0.01, groups, WHOLE), slow, rtol=1e-6, atol=1e-6)


def test_a_linear_rule_by_mass_is_that_of_copies(rows):
    X, _, Y = rows
    slow = ridge_left_out(X[COPIES], Y[COPIES], np.array([0.1]), COPIES)[:, FIRST]
    np.testing.assert_allclose(ridge_left_out(X, Y, np.array([0.1]), None, WHOLE), slow, atol=1e-8)


@pytest.mark.parametrize("how", ["minmax", "standard", "rank"])
def test_views_by_mass_are_those_of_copies(rows, how):
    cells = rows[0].copy()
    cells[4, 1] = np.nan
    table = as_table(cells)
    one, other = fit_view(table, how, WHOLE), fit_view(table.take(COPIES), how)
    np.testing.assert_allclose(one.coordinates(table), other.coordinates(table), atol=1e-12)


def test_the_unit_of_width_counts_copies(rows):
    squares = squared_distances(rows[0], rows[0])
    copied = median_distance(squares[np.ix_(COPIES, COPIES)])
    assert median_distance(squares, WHOLE) == pytest.approx(copied)
    assert median_distance(np.zeros((4, 4)), np.full(4, 0.5)) == 1.0


def test_judges_by_mass_are_those_of_copies(rows):
    _, codes, Y = rows
    left_out = np.random.RandomState(1).rand(2, N, 2)
    for balanced in (False, True):
        one, other = class_judge(codes, balanced, None, WHOLE), class_judge(codes[COPIES], balanced, COPIES)
        np.testing.assert_allclose(one.criteria(left_out), other.criteria(left_out[:, COPIES]))
        np.testing.assert_allclose(one.scores(left_out), other.scores(left_out[:, COPIES]))
    judge, said = NumberJudge(Y[:, 0], None, PART), left_out[:1, :, :1]
    others = [np.average(np.delete(Y[:, 0], i), weights=np.delete(PART, i)) for i in range(N)]
    wanted = 1 - PART @ (said[0, :, 0] - Y[:, 0]) ** 2 / (PART @ (Y[:, 0] - others) ** 2)
    assert judge.scores(said)[0, 0] == pytest.approx(wanted)


def test_trees_draw_rows_by_mass():
    """Rows that no column tells apart: a tree answers with the classes it drew, three to one in the mean."""
    table, codes = as_table(np.array([[0.0], [0.0], [1.0]])), np.array([0, 1, 2], dtype=np.int32)
    member, left_out = grow_forest(
        fit_view(table, "rank"), table, codes, 3, n_trees=600, seed=0, threads=1, mass=np.array([3.0, 1.0, 4.0])
    )
    said = member.decisions(table.take(np.array([0])))[0]
    assert said[0] / said[:2].sum() == pytest.approx(0.75, abs=0.05)  # four deviations
    assert left_out[2, 2] == 0.0  # no tree that decides on the last row has drawn it


@pytest.mark.parametrize("balanced", [False, True])
def test_a_classifier_of_weights_is_that_of_copies(rows, balanced):
    """But for the trees, which draw other rows: all that they have no part in is equal."""
    X, codes, _ = rows
    one = SepalClassifier(balanced=balanced).fit(X, codes, sample_weight=WHOLE)
    other = SepalClassifier(balanced=balanced).fit(X[COPIES], codes[COPIES], groups=COPIES)
    assert one.total_weight_ == WHOLE.sum() == other.n_rows_
    new = as_table(X + 0.1).select(one.column_order_.tolist())
    other_new = as_table(X + 0.1).select(other.column_order_.tolist())
    for member, copied in zip(one.average_.kernels, other.average_.kernels, strict=True):
        np.testing.assert_allclose(member.decisions(new), copied.decisions(other_new), atol=1e-5)
    linear, copied = one.average_.others[0], other.average_.others[0]
    np.testing.assert_allclose(linear.decisions(new), copied.decisions(other_new), atol=1e-6)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=0.1)


def test_a_regressor_of_weights_is_that_of_copies(rows):
    X, _, Y = rows
    one = SepalRegressor().fit(X, Y[:, 0], sample_weight=WHOLE)
    other = SepalRegressor().fit(X[COPIES], Y[COPIES, 0], groups=COPIES)
    new, other_new = (as_table(X + 0.1).select(model.column_order_.tolist()) for model in (one, other))
    for member, copied in zip(one.average_.kernels, other.average_.kernels, strict=True):
        np.testing.assert_allclose(member.decisions(new), copied.decisions(other_new), atol=1e-5)
    np.testing.assert_allclose(one.predict(X), other.predict(X), atol=0.25 * Y[:, 0].std())


@pytest.mark.parametrize("kind", [SepalClassifier, SepalRegressor])
def test_weights_of_one_change_nothing_and_of_none_take_no_part(rows, kind):
    X, codes, Y = rows
    y = codes if kind is SepalClassifier else Y[:, 0]
    ask = "predict_proba" if kind is SepalClassifier else "predict"
    plain = getattr(kind().fit(X, y), ask)(X)
    np.testing.assert_array_equal(getattr(kind().fit(X, y, np.ones(N)), ask)(X), plain)
    weight = np.where(np.arange(N) < 5, 0.0, PART)
    model = kind().fit(X, y, weight)
    np.testing.assert_array_equal(getattr(model, ask)(X), getattr(kind().fit(X[5:], y[5:], PART[5:]), ask)(X))
    left_out = model.left_out_proba_[:, 0] if kind is SepalClassifier else model.left_out_predictions_
    np.testing.assert_array_equal(np.isnan(left_out), weight == 0.0)
    turned = np.random.RandomState(0).permutation(N)
    np.testing.assert_array_equal(
        getattr(kind().fit(X[turned], y[turned], weight[turned]), ask)(X), getattr(model, ask)(X)
    )
    assert model.explain().score == model.leave_one_out_score_


def test_weights_that_cannot_be(rows):
    X, codes, _ = rows
    with pytest.raises(DataError, match="every class needs a row of positive weight"):
        SepalClassifier().fit(X, codes, np.where(codes == 0, 0.0, 1.0))
    with pytest.raises(DataError, match="sample_weight: 1 of positive weight"):
        SepalRegressor().fit(X, X[:, 0], np.eye(N)[0])
    with pytest.raises(DataError, match="sample_weight"):
        SepalRegressor().fit(X, X[:, 0], -np.ones(N))
