"""The best C is chosen without the copies, or the group, of the rows that are left out."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.exceptions import DataError, ParameterError
from sepal.machines import FeatureVectorClassifier, FeatureVectorRegressor, GeneralizedDiscriminant, SVMClassifier


@pytest.fixture
def noise():
    rng = np.random.default_rng(3)
    return rng.normal(size=(30, 2)), np.arange(30) % 2


@pytest.mark.filterwarnings("ignore:SVMClassifier predicts the class")
def test_copies_leave_together(noise):
    X, y = noise
    twice, labels = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    fooled = SVMClassifier(C="auto", width=0.05).fit(twice, labels, groups="rows")
    assert fooled.C_search_.error.min() == 0.0
    model = SVMClassifier(C="auto", width=0.05).fit(twice, labels)
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    # Every copy leaves: what is left at C is the machine of single rows at 2 C, without the row.
    for C, error in zip(model.C_search_.C, model.C_search_.error, strict=True):
        machine = SVMClassifier(C=2.0 * C, scale=None, width=0.05)
        wrong = 0
        for row in range(30):
            others = np.arange(30) != row
            wrong += machine.fit(scaled[others], y[others]).predict(scaled[[row]])[0] != y[row]
        assert error == pytest.approx(wrong / 30)
    for other in (
        SVMClassifier(C="auto", width=0.05).fit(twice, labels, groups="copies"),
        SVMClassifier(C="auto", width=0.05).fit(X, y, np.full(30, 2.0)),
    ):
        assert other.C_search_.error.tolist() == model.C_search_.error.tolist()


@pytest.mark.filterwarnings("ignore:SVMClassifier predicts the class")
def test_groups_are_held_out_together(noise):
    centres, y = noise
    rng = np.random.default_rng(4)
    X, labels = centres.repeat(4, axis=0) + 0.001 * rng.normal(size=(120, 2)), np.repeat(y, 4)
    people = np.arange(120) // 4
    assert SVMClassifier(C="auto", width=0.05).fit(X, labels).C_search_.error.min() < 0.05
    search = SVMClassifier(C="auto", width=0.05).fit(X, labels, groups=people).C_search_
    assert search.error.min() > 0.25
    assert np.all(search.standard_error > 0.03)  # of thirty people, not of 120 rows
    kernel = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    given = SVMClassifier(C="auto", kernel="precomputed").fit(kernel, labels, groups=people)
    assert given.C_search_.error.min() > 0.25
    assert given.predict(kernel).shape == (120,)


def test_wrong_groups(noise):
    X, y = noise
    with pytest.raises(DataError, match="one label for each of 30 rows"):
        SVMClassifier(C="auto").fit(X, y, groups=[1, 2])
    with pytest.raises(ParameterError, match="'rows', 'copies' or None"):
        SVMClassifier(C="auto").fit(X, y, groups="people")


@pytest.mark.parametrize("width", [1.0, 30.0, 1000.0])
@pytest.mark.parametrize("alpha", [1e-3, 1e-8, 0.0])
def test_wide_kernels_and_small_ridges_answer_as_they_were_fitted(width, alpha):
    """Coefficients are huge there; the answers must still be those that the fit was judged by."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 3))
    y = X @ rng.normal(size=3) + 0.5 * rng.normal(size=120)
    numbers = FeatureVectorRegressor(width=width, alpha=alpha, max_vectors=60).fit(X, y)
    assert numbers.score(X, y) >= 1 - numbers.loo_squared_ / np.var(y) - 1e-6
    classes = FeatureVectorClassifier(width=width, alpha=alpha, max_vectors=60).fit(X, y > 0)
    assert classes.score(X, y > 0) >= 1 - classes.loo_error_ - 0.03
    axes = GeneralizedDiscriminant(width=width, alpha=alpha).fit(X, y > 0)
    # Fisher's own figure: between-class over total scatter, of the rows as they are projected.
    projected = axes.transform(X)[:, 0]
    between = sum(np.mean((y > 0) == c) * (projected[(y > 0) == c].mean() - projected.mean()) ** 2 for c in (0, 1))
    assert between / projected.var() >= axes.scatter_ratio_[0] - 1e-3
