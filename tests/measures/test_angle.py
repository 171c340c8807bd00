from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sepal import datasets
from sepal.exceptions import DataError, ParameterError
from sepal.measures import angle_of_separability, simulate_angle
from tests.oracles import geometry


def blobs(n=50, p=3, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + y[:, None] * rng.normal(size=p), y


def quick(X, y=None, **options):
    return angle_of_separability(X, y, n_permutations=0, **options)


# Ben-Israel and Levin, The geometry of linear separability in data sets (2005), print 43, 4, 3 (not reproducible), 80
# and 65 degrees. The digits here, D, T^2 and F: pooled covariances and numpy.linalg.solve.
@pytest.mark.parametrize(
    ("name", "degrees", "standardized", "distance", "t2", "f"),
    [
        ("breast-cancer", 43.705, 72.0, 4.857, 3665.6, 402.5),
        ("liver", 3.848, 36.3, 0.793, 52.9, 8.69),
        ("diabetes", 25.21, 37.0, 1.382, None, 41.29),
    ],
)
def test_published_sets(name, degrees, standardized, distance, t2, f):
    table = datasets.load(name)
    found = quick(table)
    assert found.degrees == pytest.approx(degrees, abs=0.006)
    assert quick(table, scale="standard").degrees == pytest.approx(standardized, abs=0.05)
    assert found.mahalanobis == pytest.approx(distance, abs=0.0006)
    assert found.hotelling.f == pytest.approx(f, abs=0.051)
    if t2 is not None:
        assert found.hotelling.t2 == pytest.approx(t2, abs=0.06)
    assert found.cos == pytest.approx(math.cos(math.radians(found.degrees)))


def test_liver_is_not_inseparable_although_its_angle_is_small():
    """Ben-Israel and Levin (2005) take liver's 4 degrees for inseparable classes."""
    found = angle_of_separability(datasets.load("liver"), n_permutations=4999)
    assert found.degrees < 4
    assert found.hotelling.p_value == pytest.approx(8e-9, abs=5e-10)  # scipy's F distribution beyond 8.69
    # 14 of 20,000 shuffles by plain matrix algebra; three standard errors of 4,999 shuffles around it
    assert found.permutation_p == pytest.approx(0.0007, abs=0.0013)


def test_voting_coded_as_in_the_paper():
    # Ben-Israel and Levin (2005) print 80 degrees.
    table = datasets.load("voting")
    yes = np.array([levels.index("y") for levels in table.levels])
    X = np.where(np.isnan(table.values), 0.0, np.where(table.values == yes, 1.0, -1.0))
    assert quick(X, table.y).degrees == pytest.approx(80.64, abs=0.006)


def test_hepatitis_with_missing_as_minus_one():
    # Ben-Israel and Levin (2005) print 65 degrees and 0.42. With means filled in: plain numpy, as above.
    table = datasets.load("hepatitis")
    X = table.values.copy()
    for j, levels in enumerate(table.levels):
        if levels is not None:  # the codes 1 and 2 of the file
            X[:, j] = [np.nan if np.isnan(code) else float(levels[int(code)]) for code in table.values[:, j]]
    found = quick(np.where(np.isnan(X), -1.0, X), table.y)
    assert found.degrees == pytest.approx(65.15, abs=0.006)
    assert found.cos == pytest.approx(0.420, abs=0.0006)
    filled = quick(pd.DataFrame(X), table.y, missing="mean")
    assert filled.mahalanobis == pytest.approx(2.336, abs=0.0006)
    assert filled.hotelling.f == pytest.approx(6.43, abs=0.006)
    assert filled.degrees == pytest.approx(68.7, abs=0.06)


@pytest.mark.parametrize("kappa", [0.3, 1.0, 5.0])
def test_the_angle_is_that_of_the_lifted_discriminant(kappa):
    X, y = blobs()
    found = quick(X, y, kappa=kappa)
    assert found.theta == pytest.approx(geometry.lifted_angle(X.tolist(), y.tolist(), 0, 1, kappa), rel=1e-7)
    theta, distance = geometry.angle(X.tolist(), y.tolist(), 0, 1, kappa)
    assert found.theta == pytest.approx(theta, rel=1e-10)
    assert found.mahalanobis == pytest.approx(distance, rel=1e-10)
    assert found.invariant_theta == pytest.approx(math.atan(distance / 2))


def test_hotelling_correction_and_plug_in_error():
    X, y = blobs(n=41)
    found = quick(X, y)
    d2, n1, n2 = found.mahalanobis**2, *found.class_rows
    assert (n1, n2) == (21, 20)
    t2, f, p_value = geometry.hotelling(d2, n1, n2, 3)
    assert (found.hotelling.t2, found.hotelling.f) == pytest.approx((t2, f))
    assert found.hotelling.p_value == pytest.approx(p_value)
    assert found.hotelling.corrected == pytest.approx(geometry.corrected_d(d2, n1, n2, 3))
    assert found.plug_in_error == pytest.approx(stats.norm.cdf(-found.mahalanobis / 2))


def test_the_interval_inverts_the_noncentral_f_distribution():
    X, y = blobs(n=41, seed=5)
    found = quick(X, y, confidence=0.9)
    weight = 21 * 20 / 41
    low, high = found.hotelling.interval
    assert 0 < low < found.mahalanobis < high
    assert stats.ncf.cdf(found.hotelling.f, 3, 37, weight * low**2) == pytest.approx(0.95, abs=1e-6)
    assert stats.ncf.cdf(found.hotelling.f, 3, 37, weight * high**2) == pytest.approx(0.05, abs=1e-6)


def test_equal_means_give_angle_zero_and_an_interval_from_zero():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0]] * 2)
    found = angle_of_separability(X, [0] * 4 + [1] * 4)
    assert found.theta == 0
    assert found.hotelling.interval[0] == 0
    assert found.permutation_p == 1


def test_theta_depends_on_units_and_the_companions_do_not():
    """Ben-Israel and Levin (2005) read the angle as separability, though it depends on the units of the columns."""
    X, y = blobs()
    found, in_millimetres = quick(X, y), quick(X * 1000, y)
    assert in_millimetres.degrees < found.degrees / 20
    for name in ("mahalanobis", "invariant_theta", "standardized_theta", "plug_in_error"):
        assert getattr(in_millimetres, name) == pytest.approx(getattr(found, name), rel=1e-8)
    mixing = np.random.default_rng(1).normal(size=(3, 3))
    moved = quick(X @ mixing + 100, y)
    assert moved.mahalanobis == pytest.approx(found.mahalanobis, rel=1e-8)
    assert moved.theta != pytest.approx(found.theta, rel=1e-3)
    turn = np.linalg.qr(mixing)[0]
    assert quick(X @ turn - 5, y).theta == pytest.approx(found.theta, rel=1e-8)


def test_standardized_theta_divides_by_the_spread_inside_classes():
    X, y = blobs()
    unit = np.sqrt(np.diag(geometry.pooled(X, y.tolist(), [0, 1])))
    assert quick(X, y).standardized_theta == pytest.approx(quick(X / unit, y).theta)
    copied = np.column_stack([X, X[:, 0] * 2])
    unit = np.append(unit, 2 * unit[0])
    assert quick(copied, y).standardized_theta == pytest.approx(quick(copied / unit, y).theta)


@pytest.mark.parametrize("kappa", [0.5, 1.0])
def test_singular_covariance(kappa):
    X, y = blobs()
    copied = np.column_stack([X, X @ [1.0, -2.0, 0.5], np.full(len(X), 7.0)])
    found = quick(copied, y, kappa=kappa)
    assert (found.rank, found.null_norm) == (3, 0)
    assert found.theta == pytest.approx(geometry.angle(copied, y.tolist(), 0, 1, kappa)[0], rel=1e-8)
    assert found.mahalanobis == pytest.approx(quick(X, y).mahalanobis, rel=1e-8)
    assert found.hotelling.f == pytest.approx(quick(X, y).hotelling.f)
    separating = np.column_stack([X, y * 3.0])
    found = quick(separating, y, kappa=kappa)
    assert found.null_norm == pytest.approx(3.0)
    assert found.theta == pytest.approx(geometry.angle(separating, y.tolist(), 0, 1, kappa)[0], rel=1e-8)
    assert found.plug_in_error == 0
    assert any("separated perfectly" in note for note in found.notes)


def test_units_far_apart_are_not_singular():
    X, y = blobs()
    units = np.array([1e8, 1.0, 1e-8])
    found = quick(X * units, y)
    assert found.rank == 3
    assert found.mahalanobis == pytest.approx(quick(X, y).mahalanobis, rel=1e-6)


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(16, 40)), np.arange(16) % 2
    found = angle_of_separability(X, y, n_permutations=19)
    assert found.theta == pytest.approx(geometry.angle(X, y.tolist(), 0, 1)[0], rel=1e-7)
    assert found.hotelling.p_value is None
    assert 0.05 <= found.permutation_p <= 1


@pytest.mark.parametrize(("p", "kind"), [(40, "numbers"), (6, "numbers"), (7, "levels")])
def test_shuffles_that_separate_perfectly_are_counted_without_a_decomposition_of_each(p, kind):
    """One indicator for each of many levels took minutes: every shuffle had a decomposition of its own."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(8, p)), np.arange(8) % 2
    if kind == "levels":  # some labelings are separated perfectly, others not
        X = np.column_stack([np.eye(5)[[0, 1, 2, 3, 4, 4, 3, 2]], X[:, :2]])
    found = angle_of_separability(X, y, n_permutations=4000)
    tangent = math.tan(found.theta)
    every = []
    for first in combinations(range(8), 4):
        labels = [0 if i in first else 1 for i in range(8)]
        every.append(math.tan(geometry.angle(X, labels, 0, 1)[0]) >= tangent * (1 - 1e-9))
    assert 0.05 < np.mean(every) < 0.95
    assert found.permutation_p == pytest.approx(np.mean(every), abs=0.03)


def test_the_permutation_value_counts_real_shuffles():
    X, y = blobs(n=8, p=2, seed=3)
    found = angle_of_separability(X, y, n_permutations=4000)
    tangent = math.tan(found.theta)
    every = []
    for first in combinations(range(8), 4):  # all 70 labelings
        labels = [0 if i in first else 1 for i in range(8)]
        every.append(math.tan(geometry.angle(X, labels, 0, 1)[0]) >= tangent * (1 - 1e-9))
    assert found.permutation_p == pytest.approx(np.mean(every), abs=0.03)


def test_three_classes_with_one_covariance():
    X, y = blobs(n=60, n_classes=3)
    found = quick(X, y)
    covariance = geometry.pooled(X, y.tolist(), [0, 1, 2])
    for pair in found.pairs:
        theta, distance = geometry.angle(X, y.tolist(), *pair.classes, covariance=covariance)
        assert (pair.theta, pair.mahalanobis) == pytest.approx((theta, distance))
    assert found.wilks.value == pytest.approx(geometry.wilks(X, y.tolist(), [0, 1, 2]))
    assert found.pillai.value == pytest.approx(geometry.pillai(X, y.tolist(), [0, 1, 2]))
    with pytest.raises(ParameterError, match="no meaningful mean"):
        _ = found.theta
    assert len(found.frame()) == 3
    own = quick(X, y, pooled="pair").pairs[0]
    assert own.theta == pytest.approx(geometry.angle(X, y.tolist(), 0, 1)[0])


def test_wilks_and_pillai_of_iris_are_those_of_the_textbooks():
    # As R's summary(manova(...), test=) prints them; det(W) / det(T), trace(B T^-1) and Rao's F in plain numpy.
    from sklearn.datasets import load_iris

    found = quick(*load_iris(return_X_y=True))
    assert found.wilks.value == pytest.approx(0.02344, abs=1e-5)
    assert found.wilks.f == pytest.approx(199.15, abs=0.01)
    assert found.pillai.value == pytest.approx(1.19190, abs=1e-5)
    assert found.pillai.f == pytest.approx(53.47, abs=0.01)


def test_two_class_global_tests_equal_hotelling():
    X, y = blobs()
    found = quick(X, y)
    for test in (found.wilks, found.pillai):
        assert test.f == pytest.approx(found.hotelling.f)
        assert test.p_value == pytest.approx(found.hotelling.p_value)


def test_holm():
    X, y = blobs(n=60, n_classes=3, seed=8)
    pairs = sorted(quick(X, y).pairs, key=lambda pair: pair.hotelling.p_value)
    raw = [pair.hotelling.p_value for pair in pairs]
    expected = [min(1, 3 * raw[0]), max(3 * raw[0], 2 * raw[1]), max(3 * raw[0], 2 * raw[1], raw[2])]
    assert [pair.adjusted_p for pair in pairs] == pytest.approx([min(1, p) for p in expected])


def test_row_order_class_names_and_containers_do_not_matter():
    X, y = blobs()
    order = np.random.default_rng(2).permutation(len(X))
    names = np.array(["zebra", "ant"])[y]
    for other in (quick(X[order], y[order]), quick(pd.DataFrame(X), names), quick(X[:, [2, 0, 1]], y)):
        assert other.theta == pytest.approx(quick(X, y).theta, rel=1e-9)


def test_nominal_columns_and_missing_cells_are_told():
    found = quick(datasets.load("voting"))
    assert any("nominal" in note for note in found.notes)
    assert "203 of 435 rows with missing cells were dropped" in found.notes
    assert found.n_rows == 232


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"kappa": -1}, "kappa"),
        ({"pooled": "none"}, "pooled"),
        ({"confidence": 1}, "confidence"),
        ({"n_permutations": 1.5}, "n_permutations"),
        ({"missing": "guess"}, "missing"),
    ],
)
def test_wrong_parameters_are_named(options, word):
    with pytest.raises(ParameterError, match=word):
        angle_of_separability(*blobs(), **options)


def test_too_few_rows():
    with pytest.raises(DataError, match="more rows than classes"):
        quick([[0.0], [1.0]], [0, 1])


# The simulation of Ben-Israel and Levin (2005), who say 0 at shift 0: means and standard deviations over 3,000 samples
# of 100 + 100 rows in plain numpy.
@pytest.mark.parametrize(
    ("shift", "mean", "std"), [(0, 4.4, 2.4), (0.5, 14.6, 4.2), (2, 45.3, 3.5), (10, 78.8, 1.1), (50, 87.72, 0.22)]
)
def test_simulation(shift, mean, std):
    line = simulate_angle([shift], n_repeats=1000, random_state=1).frame().iloc[0]
    assert line["mean"] == pytest.approx(mean, abs=4 * std / math.sqrt(1000) + 0.05)
    assert line["std"] == pytest.approx(std, rel=0.12)
    assert line["population"] == pytest.approx(math.degrees(math.atan(shift / 2)))


def test_pictures():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    ax = quick(*blobs(n_classes=3)).plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["0 / 1", "0 / 2", "1 / 2"]
    ax = simulate_angle([0, 1, 2], n_repeats=3).plot()
    assert "degrees" in ax.get_ylabel()
    pyplot.close("all")
    assert "Mahalanobis" in str(quick(*blobs()))
    assert "<table" in quick(*blobs())._repr_html_()


def test_pairs_of_many_classes_are_those_of_the_largest():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(600, 2)), rng.integers(0, 60, 600)
    found = angle_of_separability(X, codes, n_permutations=0)
    counts = np.bincount(codes)
    largest = sorted(sorted(range(60), key=lambda c: (-counts[c], c))[:50])
    assert [pair.classes for pair in found.pairs] == list(combinations(largest, 2))
    assert "angles are those of the pairs of the 50 largest of 60 classes" in found.notes
    first, second = found.pairs[0].classes
    rest, means = [], {}
    for c in range(60):
        means[c] = X[codes == c].mean(axis=0)
        rest.append(X[codes == c] - means[c])
    spread = np.concatenate(rest).T @ np.concatenate(rest) / (600 - 60)  # of all classes
    d = means[first] - means[second]
    assert found.pairs[0].mahalanobis == pytest.approx(math.sqrt(d @ np.linalg.solve(spread, d)))


def test_global_tests_of_many_classes_are_those_of_determinants():
    """5,000 classes of 10,000 rows of 2 columns: the eigenvalues of a matrix of classes by classes took 5 s."""
    rng = np.random.default_rng(2)
    codes = np.arange(600) % 60
    X = rng.normal(size=(600, 3)) + 0.3 * rng.normal(size=(60, 3))[codes]
    for rows in (X, np.column_stack([X, X[:, 0] + X[:, 1]])):  # the second is singular
        found = angle_of_separability(rows, codes, n_permutations=0)
        total = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
        inside = sum((X[codes == c] - X[codes == c].mean(axis=0)).T @ X[codes == c] for c in range(60))
        assert found.wilks.value == pytest.approx(np.linalg.det(inside) / np.linalg.det(total))
        assert found.pillai.value == pytest.approx(np.trace((total - inside) @ np.linalg.inv(total)))


def test_standardized_theta_of_a_column_that_is_constant_inside_the_classes():
    """Such a column is divided by its spread over all rows: nothing else on the table moves the angle."""
    X, y = np.array([[0.0, 1], [0, 3], [1, 2], [1, 5]]), [0, 0, 1, 1]
    # In units of 1/2 and of sqrt((2 + 4.5) / 2): S = diag(0, 1), d = (2, 1.5 / sqrt(3.25)); S^+ d and Qd are its parts.
    expected = np.arctan(np.hypot(2.0, 1.5 / np.sqrt(3.25)) / 2)
    for moved in (X, X[:, ::-1], np.add(X, (100, 0)), X * [1, 1e6], np.add(X, (0, 1e7))):
        assert quick(moved, y).standardized_theta == pytest.approx(expected, rel=1e-6)
    rng = np.random.default_rng(0)
    for _ in range(30):
        y = rng.permutation(np.arange(30) % 2)
        X = np.column_stack([y, y + rng.normal(size=30), rng.normal(size=(30, 2))])
        X = np.column_stack([X, X[:, 1] - X[:, 2]])
        assert quick(X[:, ::-1], y).standardized_theta == pytest.approx(quick(X, y).standardized_theta)
