"""Alignment against the definitions, the published peak on breast cancer, and what must not change an answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sepal import datasets
from sepal.data import Table
from sepal.exceptions import DataError, ParameterError
from sepal.measures import align_feature_weights, align_kernels, alignment_curve, alignment_score, kernel_alignment
from sepal.measures._alignment import alignment_solve, class_target, pair_rows, pair_sums
from sepal.measures._alignment_weights import weighted_alignment
from tests.oracles import alignment as oracle

CODINGS = ("signed", "indicator", "balanced")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def _rows(rng, n: int = 60, n_classes: int = 3, p: int = 3) -> tuple[np.ndarray, np.ndarray]:
    y = np.sort(rng.integers(0, n_classes, n))[rng.permutation(n)]
    return rng.normal(size=(n, p)) + 0.7 * y[:, None], y


@pytest.fixture(scope="module")
def breast_cancer() -> Table:
    return datasets.load("breast-cancer").drop_missing()


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_definition(rng, coding: str, centered: bool, n_classes: int) -> None:
    X, y = _rows(rng, n_classes=n_classes)
    K = np.exp(-oracle.distances(X))
    expected = oracle.alignment(K, oracle.target_matrix(y.tolist(), coding), centered=centered)
    assert kernel_alignment(K, y, centered=centered, target=coding) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_curve_is_the_definition_at_every_width(rng, coding: str, centered: bool, kernel: str) -> None:
    X, y = _rows(rng, n=330)
    D = oracle.distances(X, absolute=kernel == "laplacian")
    T = oracle.target_matrix(y.tolist(), coding)
    widths = np.array([0.05, 0.31, 0.5, 0.5 * np.sqrt(2), 1.0, 2.0, 4.0, 60.0])
    curve = alignment_curve(X, y, widths=widths, centered=centered, kernel=kernel, scale=None, target=coding)
    for width, score in zip(curve.widths, curve.scores, strict=True):
        K = np.exp(-D / width) if kernel == "laplacian" else np.exp(-D / (2 * width**2))
        assert score == pytest.approx(oracle.alignment(K, T, centered=centered), rel=1e-10, abs=1e-13)


def test_target_invariance(rng) -> None:
    """Centred alignment is the same for the codings 1/0 and 1/-1/(C-1); plain alignment is not."""
    X, y = _rows(rng)
    signed, indicator = (alignment_curve(X, y, target=t) for t in ("signed", "indicator"))
    np.testing.assert_allclose(signed.scores, indicator.scores, rtol=1e-12)
    plain = [alignment_curve(X, y, target=t, centered=False).best_score for t in ("signed", "indicator")]
    assert abs(plain[0] - plain[1]) > 0.05


def test_two_classes_are_products_of_signs(rng) -> None:
    X, y = _rows(rng, n_classes=2)
    t = 2.0 * y - 1.0
    K = np.exp(-oracle.distances(X))
    assert kernel_alignment(K, y, centered=False) == pytest.approx(t @ K @ t / (len(y) * np.linalg.norm(K)))


def test_matrix_of_ones() -> None:
    y = ["a"] * 6 + ["b"] * 2
    assert kernel_alignment(np.ones((8, 8)), y, centered=False) == pytest.approx((4 / 8) ** 2)
    assert kernel_alignment(np.ones((8, 8)) * 0.1, y) == 0.0


def test_breast_cancer_figures(breast_cancer: Table) -> None:
    """Plain and centred alignment on the 683 complete rows, scaled to [0, 1], by the whole matrices in plain numpy."""
    widths = [0.2, 0.3, 0.5, 0.6, 1.0, 2.0]
    plain = alignment_curve(breast_cancer, widths=widths, centered=False)
    centered = alignment_curve(breast_cancer, widths=widths)
    np.testing.assert_allclose(plain.scores, [0.4732, 0.5587, 0.6042, 0.6006, 0.4866, 0.2372], atol=5e-5)
    np.testing.assert_allclose(centered.scores, [0.4077, 0.6100, 0.8004, 0.8303, 0.8524, 0.8349], atol=5e-5)


def test_breast_cancer_peaks(breast_cancer: Table) -> None:
    # Peaks of 120 widths, by the whole matrices in plain numpy.
    plain, centered = (alignment_curve(breast_cancer, centered=c) for c in (False, True))
    assert plain.best_width == pytest.approx(0.5, abs=0.03)
    assert plain.best_score == pytest.approx(0.604, abs=1e-3)
    assert centered.best_width == pytest.approx(1.0, abs=0.06)
    assert centered.best_score == pytest.approx(0.852, abs=1e-3)
    assert not plain.at_edge
    assert plain.n_rows == 683


@pytest.mark.parametrize("centered", [True, False])
def test_peak_is_a_zero_of_the_derivative(breast_cancer: Table, centered: bool) -> None:
    """A parabola through three definitions around the peak has its top there."""
    curve = alignment_curve(breast_cancer, centered=centered)
    D, T = oracle.distances((breast_cancer.values - 1) / 9), oracle.target_matrix(breast_cancer.y.tolist(), "signed")
    step = 1e-3
    low, middle, high = (
        oracle.alignment(np.exp(-D / (2 * (curve.best_width * np.exp(s)) ** 2)), T, centered=centered)
        for s in (-step, 0.0, step)
    )
    assert middle == pytest.approx(curve.best_score, rel=1e-12)
    top = step * (low - high) / (2 * (low - 2 * middle + high))
    assert abs(top) < 1e-6
    assert middle > max(low, high)


@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("gamma", [1e-4, 0.05, 2.0])
def test_derivative_against_differences(rng, centered: bool, gamma: float) -> None:
    X, y = _rows(rng, n=300)
    rows = pair_rows(X, y.astype(np.int32), np.ones(len(y)), 3, absolute=False)
    target = class_target(rows.masses, "balanced")
    step = 1e-5 * gamma
    scores, slopes = alignment_solve(
        pair_sums(rows, np.array([gamma - step, gamma, gamma + step]), threads=2, derivative=True),
        target,
        centered=centered,
    )
    assert slopes[1] * gamma == pytest.approx((scores[2] - scores[0]) / 2e-5, abs=1e-8)


def test_wide_kernels_do_not_cancel(rng) -> None:
    """|HKH|^2 as a difference of sums loses all digits of wide kernels."""
    # As the width grows, HKH / gamma tends to -HDH, whose alignment is known.
    X, y = _rows(rng)
    limit = oracle.alignment(-oracle.distances(X), oracle.target_matrix(y.tolist(), "signed"), centered=True)
    curve = alignment_curve(X, y, widths=[1e5, 1e6], scale=None)
    np.testing.assert_allclose(curve.scores, limit, rtol=1e-9)


def test_invariances(rng, breast_cancer: Table) -> None:
    one = alignment_curve(breast_cancer, n_jobs=1)
    two = alignment_curve(breast_cancer, n_jobs=2)
    assert np.array_equal(one.scores, two.scores)
    assert one.best_width == two.best_width
    order = rng.permutation(breast_cancer.n_rows)
    shuffled = alignment_curve(breast_cancer.take(order))
    np.testing.assert_allclose(shuffled.scores, one.scores, rtol=1e-10)
    renamed = alignment_curve(breast_cancer.values, np.where(breast_cancer.y == breast_cancer.y[0], "z", "a"))
    np.testing.assert_allclose(renamed.scores, one.scores, rtol=1e-10)
    frame = pd.DataFrame(breast_cancer.values, columns=list(breast_cancer.names))
    assert np.array_equal(alignment_curve(frame, breast_cancer.y).scores, one.scores)


def test_weights_count_copies(rng) -> None:
    X, y = _rows(rng)
    weights = rng.integers(0, 4, len(y))
    weighted = alignment_curve(X, y, sample_weight=weights)
    repeated = alignment_curve(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.scores, repeated.scores, rtol=1e-10)
    assert weighted.best_width == pytest.approx(repeated.best_width, rel=1e-7)
    K = np.exp(-oracle.distances(X))
    big = np.repeat(np.repeat(K, weights, axis=0), weights, axis=1)
    assert kernel_alignment(K, y, sample_weight=weights) == pytest.approx(kernel_alignment(big, np.repeat(y, weights)))


def test_many_small_classes(rng) -> None:
    X, _ = _rows(rng, n=40)
    y = np.arange(40) // 2
    curve = alignment_curve(X, y, widths=[0.3, 1.0], scale=None)
    T = oracle.target_matrix(y.tolist(), "signed")
    expected = [oracle.alignment(np.exp(-oracle.distances(X) / (2 * w * w)), T, centered=True) for w in (0.3, 1.0)]
    np.testing.assert_allclose(curve.scores, expected, rtol=1e-10)


def test_mixed_kinds(rng) -> None:
    color = rng.integers(0, 3, 50)
    size = rng.random(50)
    frame = pd.DataFrame({"size": size, "color": pd.Categorical([("red", "green", "blue")[c] for c in color])})
    y = (color + (size > 0.5)) % 2
    D = (size[:, None] - size) ** 2 + (color[:, None] != color)
    expected = oracle.alignment(np.exp(-D / (2 * 0.7**2)), oracle.target_matrix(y.tolist(), "signed"), centered=True)
    curve = alignment_curve(frame, y, widths=[0.7], kernel="mixed", scale=None)
    assert curve.scores[0] == pytest.approx(expected, rel=1e-10)


def test_many_levels(rng) -> None:
    """Indicators that are 0 in a whole tile of rows are passed over; they add nothing to any distance."""
    n = 700
    town, size = rng.integers(0, 260, n), rng.random(n)
    frame = pd.DataFrame({"size": size, "town": pd.Categorical([f"t{k}" for k in town])})
    y = (town % 3 + (size > 0.5)) % 2
    D = (size[:, None] - size) ** 2 + (town[:, None] != town)
    target = oracle.target_matrix(y.tolist(), "signed")
    curve = alignment_curve(frame, y, widths=[0.4, 0.8], kernel="mixed", scale=None)
    expected = [oracle.alignment(np.exp(-D / (2 * w * w)), target, centered=True) for w in (0.4, 0.8)]
    np.testing.assert_allclose(curve.scores, expected, rtol=1e-10)


def test_result(breast_cancer: Table) -> None:
    curve = alignment_curve(breast_cancer, widths=[0.01, 0.02])
    assert curve.at_edge
    assert "edge" in curve.notes[-1]
    assert list(curve.frame().columns) == ["width", "gamma", "alignment"]
    assert curve.best_gamma == pytest.approx(1 / (2 * 0.02**2))
    assert "<table" in curve._repr_html_()
    assert "683 rows" in repr(curve)
    assert alignment_score(breast_cancer, widths=[0.01, 0.02]) == curve.best_score


def test_missing_cells() -> None:
    table = datasets.load("breast-cancer")
    with pytest.raises(DataError, match="drop"):
        alignment_curve(table)
    dropped = alignment_curve(table, missing="drop")
    assert dropped.n_rows == 683
    assert "16 of 699" in dropped.notes[0]


def test_progress_and_interruption(rng) -> None:
    X, y = _rows(rng, n=3000)

    def stop(text: str, done: float) -> None:
        assert 0 <= done <= 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        alignment_curve(X, y, widths=np.linspace(0.1, 4.0, 400), n_jobs=1, progress=stop)


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        ({"widths": "all"}, "widths"),
        ({"widths": [0.0, 1.0]}, "positive"),
        ({"kernel": "linear"}, "width"),
        ({"target": "other"}, "target"),
        ({"missing": "distance"}, "missing"),
    ],
)
def test_wrong_parameters(rng, kwargs: dict[str, object], text: str) -> None:
    X, y = _rows(rng)
    with pytest.raises(ParameterError, match=text):
        alignment_curve(X, y, **kwargs)


def test_wrong_data() -> None:
    with pytest.raises(DataError, match="all rows are equal"):
        alignment_curve(np.ones((4, 2)), [0, 0, 1, 1])
    with pytest.raises(DataError, match="labels"):
        kernel_alignment(np.eye(3), [0, 1])
    with pytest.raises(DataError, match="sample_weight"):
        kernel_alignment(np.eye(3), [0, 1, 1], sample_weight=[1, 1])
    with pytest.raises(DataError, match="every class"):
        kernel_alignment(np.eye(3), [0, 1, 1], sample_weight=[0, 1, 1])


@pytest.mark.parametrize("coding", CODINGS)
def test_feature_weight_gradient(rng, coding: str) -> None:
    X, y = _rows(rng, n=40)
    T = oracle.target_matrix(y.tolist(), coding)
    weights = np.array([0.3, 1.1, 0.05])
    score, gradient = weighted_alignment(X - X.mean(axis=0), oracle.center(T), weights)
    assert score == pytest.approx(oracle.alignment(oracle.weighted_kernel(X, weights), T, centered=True), rel=1e-11)
    for f in range(3):
        step = np.eye(3)[f] * 1e-6
        high, low = (oracle.alignment(oracle.weighted_kernel(X, weights + s), T, centered=True) for s in (step, -step))
        assert gradient[f] == pytest.approx((high - low) / 2e-6, abs=1e-7)


def test_feature_weights_find_the_feature(rng) -> None:
    X = rng.random((120, 4))
    y = X[:, 2] > 0.5
    found = align_feature_weights(X, y, n_starts=3)
    assert np.argmax(found.weights) == 2
    assert found.weights[[0, 1, 3]].max() < 0.05 * found.weights[2]
    assert found.score >= found.start_score
    assert found.score == pytest.approx(found.starts.max(), abs=1e-6)
    assert found.spread >= 0
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    T = oracle.target_matrix(y.tolist(), "signed")
    expected = oracle.alignment(oracle.weighted_kernel(scaled, found.weights), T, centered=True)
    assert found.score == pytest.approx(expected, rel=1e-9)
    assert len(found.frame()) == 4
    again = align_feature_weights(X, y, n_starts=3)
    assert np.array_equal(again.weights, found.weights)
    sampled = align_feature_weights(X, y, n_starts=1, max_rows=50)
    assert sampled.n_rows == 50
    assert "sample" in sampled.notes[0]


def test_combination_of_kernels(rng) -> None:
    X, y = _rows(rng, n=50)
    T = oracle.target_matrix(y.tolist(), "signed")
    kernels = [np.exp(-oracle.distances(X[:, [0]])), 5.0 * np.exp(-oracle.distances(X[:, [1]]))]
    found = align_kernels(kernels, y)
    weights, score = oracle.best_combination([kernels[0], kernels[1]], T, steps=4000)
    assert found.score == pytest.approx(score, abs=1e-6)
    np.testing.assert_allclose(found.weights, weights, atol=2e-3)
    assert found.score >= found.single_scores.max() - 1e-12
    assert kernel_alignment(found.combine(kernels), y) == pytest.approx(found.score, rel=1e-10)
    np.testing.assert_allclose(found.single_scores, [kernel_alignment(K, y) for K in kernels])


def test_useless_and_repeated_kernels(rng) -> None:
    X, y = _rows(rng, n=50)
    K = np.exp(-oracle.distances(X))
    found = align_kernels([K, K, np.ones((50, 50))], y)
    assert found.score == pytest.approx(kernel_alignment(K, y))
    assert found.weights[2] == 0.0
    against = align_kernels([-oracle.target_matrix(y.tolist(), "signed")], y)
    assert against.score == 0.0


def test_wrong_kernels(rng) -> None:
    with pytest.raises(DataError, match="at least one"):
        align_kernels([], [0, 1])
    with pytest.raises(DataError, match="agree"):
        align_kernels([np.eye(3)], [0, 1])
    with pytest.raises(DataError, match="constant"):
        align_kernels([np.ones((2, 2))], [0, 1])
    with pytest.raises(ParameterError, match="n_starts"):
        align_feature_weights(*_rows(rng), n_starts=0)


@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_weights_are_copies_under_every_scaling(rng, scale: str) -> None:
    """`scale="standard"` ignored row weights."""
    X, y = _rows(rng)
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = alignment_curve(X, y, scale=scale, sample_weight=weights)
    repeated = alignment_curve(np.repeat(X, weights, axis=0), np.repeat(y, weights), scale=scale)
    assert weighted.best_width == pytest.approx(repeated.best_width, rel=1e-9)
    np.testing.assert_allclose(weighted.scores, repeated.scores, rtol=1e-9)


def test_feature_weights_of_a_sample_do_not_depend_on_row_order() -> None:
    """Which rows were in the sample depended on where they stood."""
    X = np.random.default_rng(2).random((400, 3))
    y = X[:, 1] > 0.4
    order = np.random.default_rng(3).permutation(400)
    one, other = (align_feature_weights(X[rows], y[rows], max_rows=150, n_starts=2) for rows in (np.arange(400), order))
    assert one.n_rows == 150
    assert np.array_equal(one.weights, other.weights)


@pytest.mark.parametrize("params", [{"n_starts": 0}, {"max_rows": 0}, {"max_iter": 0}, {"max_rows": 1.5}])
def test_feature_weights_name_wrong_parameters(rng, params: dict[str, object]) -> None:
    X, y = _rows(rng)
    with pytest.raises(ParameterError, match=next(iter(params))):
        align_feature_weights(X, y, **params)
