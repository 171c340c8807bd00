"""The best C is chosen without the copies, or the group, of the rows that are left out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold

from sepal.exceptions import DataError, ParameterError
from sepal.machines import (
    FeatureVectorClassifier,
    FeatureVectorRegressor,
    GeneralizedDiscriminant,
    KernelAdatronClassifier,
    ParzenClassifier,
    SVMClassifier,
    hyperparameter_surface,
)
from sepal.machines._dual._cross_fitting import fold_of
from sepal.machines._equal_rows import merge_rows


@pytest.fixture
def noise():
    rng = np.random.default_rng(3)
    return rng.normal(size=(30, 2)), np.arange(30) % 2


@pytest.mark.filterwarnings("ignore:SVMClassifier predicts the class")
def test_copies_leave_together(noise):
    """Copies of a row that was left out stayed: noise with every row twice had no error when C was chosen."""
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


@pytest.fixture
def people():
    """Thirty people of two to five rows that are nearly alike, some with both classes; and one row that two share."""
    rng = np.random.default_rng(6)
    of = np.repeat(np.arange(30), rng.integers(2, 6, size=30))
    X = rng.normal(size=(30, 2))[of] + 0.05 * rng.normal(size=(len(of), 2))
    y = ((of + (rng.random(len(of)) < 0.1)) % 2).astype(int)
    X[of == 3] = X[of == 5][0]
    return X, y, of


def test_parzen_leaves_people_out(people):
    X, y, of = people
    model = ParzenClassifier(scale=None).fit(X, y, groups=of)
    for width, score in zip(model.loo_widths_, model.loo_scores_, strict=True):
        right = 0
        for i in range(len(X)):
            others = of != of[i]
            near = np.exp(-((X[others] - X[i]) ** 2).sum(axis=1) / (2 * width**2))
            density = [near[y[others] == c].mean() for c in (0, 1)]
            right += density[y[i]] > density[1 - y[i]]
        if width > 0.1:  # narrower ones are 0 to the last bit in these loops
            assert score == pytest.approx(right / len(X))
    assert model.loo_score_ < ParzenClassifier(scale=None).fit(X, y).loo_score_


@pytest.mark.parametrize("alpha", [1e-2, 1e-5])
def test_feature_vectors_leave_people_out(people, alpha):
    X, y, of = people
    weights = np.random.default_rng(1).integers(1, 4, size=len(X)).astype(float)
    machine = FeatureVectorRegressor(8, width=0.5, alpha=alpha, scale=None)
    model = machine.fit(X, y, weights, groups=of)
    rows = X[model.vector_rows_]
    kernel = np.exp(-((rows[:, None] - rows[None]) ** 2).sum(axis=2) / 0.5)
    between = np.exp(-((X[:, None] - rows[None]) ** 2).sum(axis=2) / 0.5)
    Z = np.linalg.solve(np.linalg.cholesky(kernel), between.T).T
    for n_vectors in (1, 8):
        A, ridge = np.column_stack([np.ones(len(X)), Z[:, :n_vectors]]), alpha * np.eye(n_vectors + 1)
        ridge[0, 0] = 0.0
        total = 0.0
        for person in range(30):
            seen, asked = of != person, of == person
            normal = (A[seen].T * weights[seen]) @ A[seen] + ridge
            answer = A[asked] @ np.linalg.solve(normal, (A[seen].T * weights[seen]) @ y[seen])
            total += weights[asked] @ (answer - y[asked]) ** 2
        assert model.loo_squared_path_[n_vectors] == pytest.approx(total / weights.sum(), rel=1e-6)
    fooled = FeatureVectorClassifier(width=0.05).fit(X, y, groups="rows")
    honest = FeatureVectorClassifier(width=0.05).fit(X, y, groups=of)
    assert honest.loo_error_ > fooled.loo_error_ + 0.1
    told = [FeatureVectorClassifier(40, width=0.05).fit(X, y, groups=groups) for groups in (of, "rows")]
    assert told[0].temperature_ < told[1].temperature_ - 0.5


def test_the_discriminant_leaves_people_out(people):
    """On the full kernel the left-out outputs are kernel ridge regressions without the person."""
    X, y, of = people
    model = GeneralizedDiscriminant(width=0.5, alpha=1e-2, scale=None).fit(X, y, groups=of)
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 0.5)
    n = len(X)
    centring = np.eye(n) - 1.0 / n
    ridge = 1e-2 * np.linalg.eigvalsh(centring @ K @ centring)[-1]
    outputs = np.zeros((n, 2))
    for person in range(30):
        seen, asked = of != person, of == person
        targets = np.eye(2)[y[seen]]
        centred = np.eye(seen.sum()) - 1.0 / seen.sum()
        inner = centred @ K[np.ix_(seen, seen)] @ centred + ridge * np.eye(seen.sum())
        dual = np.linalg.solve(inner, targets - targets.mean(axis=0))
        cross = (K[np.ix_(asked, seen)] - K[np.ix_(seen, seen)].mean(axis=0)) @ centred
        outputs[asked] = cross @ dual
    means = np.array([outputs[y == c].mean(axis=0) for c in (0, 1)])
    # The one axis is these outputs times the optimal scoring of the two classes, up to its length.
    within = np.mean((outputs[:, 1] - means[y, 1]) ** 2)
    separation = (means[1, 1] - means[0, 1]) ** 2 / within
    assert (model.means_[1, 0] - model.means_[0, 0]) ** 2 / model._found.within[0, 0] == pytest.approx(separation)
    fooled = GeneralizedDiscriminant(width=0.5, alpha=1e-2, scale=None).fit(X, y, groups="rows")
    assert separation < (fooled.means_[1, 0] - fooled.means_[0, 0]) ** 2 / fooled._found.within[0, 0]


@pytest.mark.parametrize("machine", [ParzenClassifier(), FeatureVectorClassifier(), FeatureVectorRegressor()])
def test_repeated_records_leave_together(noise, machine):
    """Copies of a row that was left out stayed and answered for it."""
    X, y = noise
    twice, labels = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    name = "loo_score_" if isinstance(machine, ParzenClassifier) else "loo_squared_"
    told = {groups: getattr(clone(machine).fit(twice, labels, groups=groups), name) for groups in ("copies", "rows")}
    assert getattr(clone(machine).fit(twice, labels), name) == told["copies"] != told["rows"]
    labelled = getattr(clone(machine).fit(twice, labels, groups=np.arange(60) // 2), name)
    assert labelled == pytest.approx(told["copies"], rel=1e-9)
    with pytest.raises(DataError, match="one label for each of 60 rows"):
        clone(machine).fit(twice, labels, groups=[1])


def test_without_any_ridge_a_group_may_decide(people):
    X, y, of = people
    model = FeatureVectorRegressor(12, width=0.05, alpha=0.0).fit(X, y, groups=of)
    assert np.all(np.isfinite(model.loo_squared_path_))


@pytest.mark.parametrize("kind", [SVMClassifier, KernelAdatronClassifier])
def test_probabilities_are_calibrated_without_the_person(people, kind):
    """People of one class each, which is chance: who knows the person is sure, who does not is not."""
    rng = np.random.default_rng(2)
    of = np.arange(120) // 4
    X, y = rng.normal(size=(30, 2))[of] + 0.001 * rng.normal(size=(120, 2)), of % 2
    machine = kind(C=10.0, width=0.05, probability=True, tol=1e-3)
    sure, unsure = (clone(machine).fit(X, y, groups=groups).predict_proba(X).max(axis=1) for groups in (None, of))
    assert sure.mean() > 0.9 > 0.75 > unsure.mean()
    with pytest.raises(ParameterError, match="'rows', 'copies' or None"):
        clone(machine).fit(X, y, groups="people")
    with pytest.raises(DataError, match="one label for each of 120 rows"):
        clone(machine).fit(X, y, groups=[1])


def test_calibration_folds_hold_whole_groups(people):
    X, y, of = people
    rows = merge_rows(X, y, np.ones(len(X)), 2)
    fold = fold_of(rows, of)[rows.member_of]
    of_person = [set(fold[of == person]) for person in range(30)]
    assert all(len(found) == 1 for found in of_person)
    assert of_person[3] == of_person[5]  # they share a row
    assert set(fold) == {0, 1, 2, 3, 4}
    order = np.random.default_rng(0).permutation(len(X))
    again = merge_rows(X[order], y[order], np.ones(len(X)), 2)
    assert fold_of(again, 7 - of[order] + 40)[again.member_of].tolist() == fold[order].tolist()


def test_the_surface_holds_people_out(people):
    X, y, of = people
    machine = SVMClassifier(scale=None)
    grid = {"C": [1.0, 30.0], "width": [0.05, 0.5]}
    found = hyperparameter_surface(machine, X, y, groups=of, **grid)
    assert found.method == "held-out groups"
    weights = np.random.default_rng(3).integers(0, 3, size=len(X)).astype(float)
    weighted = hyperparameter_surface(machine, X, y, sample_weight=weights, groups=of, **grid)
    folds = list(StratifiedGroupKFold(10).split(y, y, of))
    for i, width in enumerate(grid["width"]):
        for j, C in enumerate(grid["C"]):
            wrong, heavy = np.zeros(len(X)), np.zeros(len(X))
            for train, test in folds:
                model = SVMClassifier(C=C, width=width, scale=None)
                wrong[test] = model.fit(X[train], y[train]).predict(X[test]) != y[test]
                heavy[test] = model.fit(X[train], y[train], weights[train]).predict(X[test]) != y[test]
            assert found.error[i, j] == pytest.approx(wrong.mean())
            assert weighted.error[i, j] == pytest.approx(heavy @ weights / weights.sum())
            assert found.n_support[i, j] == len(np.unique(X[model.fit(X, y).support_], axis=0))
    assert hyperparameter_surface(machine, X, y, groups="rows", **grid).error.min() < found.error.min()
    with pytest.raises(ParameterError, match="no test="):
        hyperparameter_surface(machine, X, y, groups=of, test=(X, y))


def test_the_surface_of_repeated_records(noise):
    """Copies of a row that was left out stayed: the error surface of noise had valleys."""
    X, y = noise
    twice, labels = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    grid = {"C": [1.0, 8.0], "width": [0.05]}
    told = [hyperparameter_surface(SVMClassifier(), twice, labels, groups=g, **grid).error for g in ("copies", "rows")]
    assert hyperparameter_surface(SVMClassifier(), twice, labels, **grid).error.tolist() == told[0].tolist()
    assert told[0].min() > 0.25 > told[1].min()
    search = SVMClassifier(C="auto", width=0.05).fit(twice, labels).C_search_
    assert told[0][0].tolist() == [search.error[search.C == C][0] for C in grid["C"]]
