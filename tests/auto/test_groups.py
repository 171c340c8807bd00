"""Leaving groups and copies out: the closed forms against refits, and noise that copies would make look learned."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.auto import SepalClassifier, SepalRegressor, _stream
from sepal.auto._judging import ClassJudge
from sepal.auto._kernel_member import gaussian
from sepal.auto._linear_member import fisher_left_out
from sepal.auto._ridge_loo import kernel_fit, kernel_spectrum, vector_spectrum
from sepal.data import as_table
from sepal.estimators import fit_view
from sepal.kernels import squared_distances
from tests.drawn import drawn, normal
from tests.oracles import ridge

N = 40
X = normal(0, N, 3)[[*range(10), 9, 9, 9, 9, *range(14, N)]]
K = np.array([[ridge.gaussian(a, b, 1.4) for b in X] for a in X])
Y = np.column_stack([normal(1, N), X[:, 0]])
CODES = (X[:, 0] + 0.5 * normal(2, N) > 0).astype(np.int32)
CODES[:4] = 2
GROUPS = {
    "some": drawn(3, lambda rng: rng.integers(1, 9, N)),
    "alone": np.arange(N),
    "two": np.repeat([0, 1], [30, 10]),
}


@pytest.fixture
def rng():
    return np.random.RandomState(0)


def _refits(kernel, targets, alpha, groups):
    out = np.empty_like(targets)
    for group in np.unique(groups):
        inside, rest = np.flatnonzero(groups == group), np.flatnonzero(groups != group)
        for output in range(targets.shape[1]):
            a, b = ridge.fit(kernel[np.ix_(rest, rest)], targets[rest, output], alpha)
            out[inside, output] = kernel[np.ix_(inside, rest)] @ a + b
    return out


@pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)
@pytest.mark.parametrize("relative", [1e-3, 0.1])
def test_ridge_without_a_group_equals_refits(groups, relative):
    spectrum = kernel_spectrum(K.copy())
    slow = _refits(K, Y, relative * spectrum.scale, groups)
    np.testing.assert_allclose(spectrum.left_out(Y, np.array([relative]), groups)[0], slow, atol=1e-6)
    np.testing.assert_allclose(kernel_fit(K.copy(), Y, relative, groups).left_out, slow, atol=1e-6)
    vectors = np.arange(0, N, 7)
    few = vector_spectrum(K[:, vectors], K[np.ix_(vectors, vectors)])
    nystrom = K[:, vectors] @ np.linalg.inv(K[np.ix_(vectors, vectors)]) @ K[vectors]
    slow = _refits(nystrom, Y, relative * few.scale, groups)
    np.testing.assert_allclose(few.fit(Y, relative, groups).left_out, slow, atol=1e-6)


def test_blocks_keep_groups_whole(monkeypatch):
    monkeypatch.setattr(_stream, "_BLOCK_ROWS", 7)
    table = as_table(X)
    view = fit_view(table, "standard")
    coordinates = view.coordinates(table)
    vectors = np.arange(0, N, 7)
    kernel = gaussian(squared_distances(coordinates, coordinates[vectors]), 1.5)
    whole = vector_spectrum(kernel, kernel[vectors]).fit(Y, 0.01, GROUPS["some"])
    found = _stream.stream_ridge(view, table, Y, coordinates[vectors], 1.5, 0.01, groups=GROUPS["some"])
    np.testing.assert_allclose(found.left_out, whole.left_out, atol=1e-6)


@pytest.mark.parametrize("name", ["some", "alone"])
def test_fisher_without_a_group_equals_refits(name):
    groups, expected = GROUPS[name], np.full((N, 3), -np.inf)
    within = X - np.stack([X[c == CODES].mean(axis=0) for c in range(3)])[CODES]
    ridge_term = np.eye(3) * (0.01 * np.trace(within.T @ within) / 3 + 1e-12 * N)
    for group in np.unique(groups):
        inside, rest = groups == group, groups != group
        classes = [c for c in range(3) if (rest & (c == CODES)).any()]
        means = {c: X[rest & (c == CODES)].mean(axis=0) for c in classes}
        off = np.concatenate([X[rest & (c == CODES)] - means[c] for c in classes])
        inverse = np.linalg.inv(off.T @ off + ridge_term)
        for c in classes:
            z = X[inside] - means[c]
            squares = np.einsum("ij,jk,ik->i", z, inverse, z)
            expected[inside, c] = -0.5 * (N - inside.sum() - 3) * squares + np.log((rest & (c == CODES)).sum())
    np.testing.assert_allclose(fisher_left_out(X, CODES, 0.01, groups), expected, atol=1e-8)


def test_the_standard_error_counts_groups(rng):
    """Every row twice: the error of n rows, not of 2 n."""
    codes, decisions = np.array([0, 1, 1, 0, 1], dtype=np.int32), rng.rand(1, 5, 2)
    once = ClassJudge(codes, np.full(5, 0.2)).scores(decisions)
    twice = ClassJudge(codes.repeat(2), np.full(10, 0.1), np.arange(5).repeat(2)).scores(decisions.repeat(2, axis=1))
    np.testing.assert_allclose(twice, once)


def test_noise_with_every_row_twice_claims_nothing():
    """A copy answered for the row that was left out, and noise was called learned."""
    n, scores = 60, []
    for seed in range(4):
        rng = np.random.RandomState(seed)
        rows, y = rng.randn(n, 3).repeat(2, axis=0), rng.randint(0, 2, n).repeat(2)
        model = SepalClassifier().fit(rows, y)
        assert model.left_out_ == "copies"
        scores.append(model.leave_one_out_score_)
        assert model.leave_one_out_standard_error_ > 0.8 * np.sqrt(0.25 / n) * 0.9
    assert np.mean(scores) < 0.5 + 3.5 * np.sqrt(0.25 / (4 * n))
    found = {finding.code: finding for finding in model.explain(time_limit=1.0).findings}
    assert "calibrated" not in found
    assert found["copies"].facts["alone"] > 0.95
    assert found["copies"].facts["together"] == model.leave_one_out_score_


def test_noise_in_numbers_with_every_row_twice_claims_nothing():
    """A copy answered for the row that was left out: R squared of noise was above 0.9."""
    rng = np.random.RandomState(0)
    model = SepalRegressor().fit(rng.randn(60, 2).repeat(2, axis=0), rng.randn(60).repeat(2))
    assert model.leave_one_out_score_ < 0.2
    (finding,) = (each for each in model.explain().findings if each.code == "copies")
    assert finding.facts["alone"] > 0.9


def test_coarse_columns_keep_their_copies_as_evidence_and_the_finding_has_both_figures():
    """Sixty-four cells, each with an answer of its own and a tenth of the labels wrong: only equal rows can tell."""
    rng = np.random.RandomState(1)
    rows = rng.randint(0, 4, (350, 3))
    answer = rng.randint(0, 2, 64)[rows @ [1, 4, 16]]
    y = np.where(rng.rand(350) < 0.1, 1 - answer, answer)
    model = SepalClassifier().fit(rows.astype(float), y)
    assert model.left_out_ == "rows"
    assert model.copies_share_ > 0.9
    assert model.leave_one_out_score_ > 0.8
    assert any(note.startswith("copies: ") for note in model.trace_.notes)
    (finding,) = (each for each in model.explain(time_limit=1.0).findings if each.code == "copies")
    assert finding.facts["alone"] == model.leave_one_out_score_
    assert finding.facts["together"] < 0.65


def test_groups_that_are_given_are_left_out_whole_and_order_does_not_matter():
    """Subjects with a label and a place of their own: nothing is learned about new subjects."""
    rng = np.random.RandomState(2)
    subject = np.arange(30).repeat(5)
    rows, y = rng.randn(30, 4)[subject] + 0.05 * rng.randn(150, 4), rng.randint(0, 2, 30)[subject]
    model = SepalClassifier().fit(rows, y, groups=subject)
    assert model.left_out_ == "groups"
    assert SepalClassifier().fit(rows, y).leave_one_out_score_ > 0.95
    assert model.leave_one_out_score_ < 0.75
    order = rng.permutation(150)
    other = SepalClassifier().fit(rows[order], y[order], groups=[f"s{s}" for s in subject[order]])
    np.testing.assert_allclose(other.left_out_proba_, model.left_out_proba_[order])
