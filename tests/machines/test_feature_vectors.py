"""Feature vectors: picks as by explicit inverses, exact leave-one-out, Ripley's figures, scikit-learn's checks."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

from sepal import datasets
from sepal.exceptions import DataError, ParameterError, SepalWarning
from sepal.kernels import gram
from sepal.machines import (
    FeatureVectorClassifier,
    FeatureVectorRegressor,
    FeatureVectorSelector,
    GeneralizedDiscriminant,
)
from sepal.machines._vectors._models import PathRows, left_out_predictions, ridge_path
from sepal.machines._vectors._selection import project, select_vectors
from tests.drawn import normal
from tests.machines.contract import contract
from tests.oracles import feature_vectors as oracle

X = normal(0, 40, 3)
KERNELS = {"rbf": gram(X, width=1.5), "polynomial": gram(X, kernel="polynomial", degree=3)}


CHECKED = [
    FeatureVectorSelector(),
    FeatureVectorSelector(kernel="precomputed"),
    FeatureVectorClassifier(),
    FeatureVectorClassifier(model="logistic", class_weight="balanced"),
    FeatureVectorClassifier(kernel="precomputed"),
    FeatureVectorClassifier(kernel="mixed", width="loo"),
    FeatureVectorRegressor(),
    FeatureVectorRegressor(kernel="precomputed"),
]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize(("estimator", "check"), contract(CHECKED))
def test_scikit_learn_checks(estimator, check) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def _select(K: np.ndarray, n_vectors: int, criterion: str = "local", **params):
    params = {"n_vectors": n_vectors, "criterion": criterion, "n_candidates": None, **params}
    return select_vectors(lambda rows: K[:, rows].copy(), np.diag(K).copy(), **params)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("criterion", ["local", "global"])
def test_picks_equal_explicit_inverses(name: str, criterion: str) -> None:
    K = KERNELS[name]
    rows, path = oracle.select(K, 9, criterion)
    selection = _select(K, 9, criterion)
    assert selection.rows.tolist() == rows
    np.testing.assert_allclose(selection.fitness, path, rtol=1e-8)
    assert selection.stopped == "limit"


@pytest.mark.parametrize("name", KERNELS)
def test_coordinates_are_nystrom(name: str) -> None:
    K = KERNELS[name]
    selection = _select(K, 9)
    G = selection.coordinates
    scale = np.abs(K).max()
    np.testing.assert_allclose(G @ G.T, oracle.nystrom(K, selection.rows.tolist()), atol=1e-10 * scale)
    np.testing.assert_allclose(project(selection.factor, K[:, selection.rows]), G, atol=1e-9 * np.sqrt(scale))


def test_all_rows_give_the_kernel_back() -> None:
    K = gram(X, width=0.4)
    selection = _select(K, 40)
    np.testing.assert_allclose(selection.coordinates @ selection.coordinates.T, K, atol=1e-12)
    assert selection.fitness[-1] == pytest.approx(1.0)


def test_as_many_candidates_as_rows_are_all_rows() -> None:
    K = KERNELS["rbf"]
    assert _select(K, 9, "global", n_candidates=40).rows.tolist() == oracle.select(K, 9, "global")[0]


@pytest.mark.parametrize("n_vectors", [5, 20])
def test_few_candidates_are_much_fitter_than_random_rows(n_vectors: int) -> None:
    rows = np.random.default_rng(3).normal(size=(2500, 4))  # more than are asked to judge
    K = gram(rows, width=1.5)

    def fitness(picked: np.ndarray) -> float:
        P = K[:, picked] @ np.linalg.pinv(K[np.ix_(picked, picked)])
        return float(np.mean(np.einsum("ij,ij->i", P, K[:, picked])))

    found = _select(K, n_vectors, "global", n_candidates=59)
    by_lot = [fitness(np.random.default_rng(seed).choice(2500, n_vectors, replace=False)) for seed in range(20)]
    assert found.fitness[-1] == pytest.approx(fitness(found.rows), rel=1e-6)
    assert found.fitness[-1] > max(by_lot)


def test_row_order_does_not_change_the_vectors() -> None:
    """Candidates were drawn by lot, so that another order of the rows had other vectors."""
    iris = load_iris()
    order = np.random.default_rng(5).permutation(150)
    one = FeatureVectorSelector(15).fit(iris.data)
    other = FeatureVectorSelector(15).fit(iris.data[order])
    assert np.array_equal(iris.data[one.vector_rows_], iris.data[order][other.vector_rows_])


@pytest.mark.parametrize(
    "machine",
    [
        FeatureVectorSelector(12, criterion="local"),
        FeatureVectorSelector(12),
        FeatureVectorClassifier(12, width="loo"),
        FeatureVectorRegressor(12),
    ],
)
def test_row_order_and_copies_do_not_change_the_vectors_of_many_rows(machine) -> None:
    """Which rows judged the first vector and the widths depended on where they stood."""
    # More rows than the first vector is judged by, and than widths are compared on.
    rng = np.random.default_rng(6)
    rows = rng.normal(size=(2600, 3))
    y = (rows[:, 0] + rng.normal(size=2600) > 0).astype(float)
    order = rng.permutation(2600)
    picked = rows[clone(machine).fit(rows, y).vector_rows_]
    assert np.array_equal(rows[order][clone(machine).fit(rows[order], y[order]).vector_rows_], picked)
    if isinstance(machine, FeatureVectorSelector):
        weights = rng.integers(1, 3, 2600)
        copies = np.repeat(np.arange(2600), weights)
        weighted = clone(machine).fit(rows, sample_weight=weights)
        repeated = clone(machine).fit(rows[copies])
        assert np.array_equal(rows[weighted.vector_rows_], rows[copies][repeated.vector_rows_])


def test_the_first_of_many_rows_is_the_best_of_a_sample_of_them() -> None:
    rows = np.random.default_rng(8).normal(size=(2200, 2))
    K = gram(rows, width=1.0)
    mean_fitness = (K**2).mean(axis=0)
    first = int(_select(K, 1).rows[0])
    assert np.mean(mean_fitness > mean_fitness[first]) < 0.005


def test_stops() -> None:
    K = X @ X.T  # rank 3
    selection = _select(K, 20, fitness=np.inf)  # whether 1 is reached to the last bit is left to rounding
    assert len(selection.rows) == 3
    assert selection.stopped == "span"
    by_fitness = _select(KERNELS["rbf"], 40, fitness=0.9)
    assert by_fitness.stopped == "fitness"
    assert by_fitness.fitness[-1] >= 0.9 > by_fitness.fitness[-2]


def test_copies_are_never_selected_twice() -> None:
    doubled = np.vstack([X, X])
    selection = _select(gram(doubled, width=0.5), 80)
    assert len({tuple(doubled[row]) for row in selection.rows}) == len(selection.rows) <= 40


def test_indefinite_kernel_warns() -> None:
    K = np.array([[1.0, 1.5, 0.0], [1.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
    with pytest.warns(SepalWarning, match="not positive semidefinite"):
        _select(K, 3)


@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_leave_one_out_is_exact_for_every_number_of_vectors(rng, alpha: float) -> None:
    Z = _select(KERNELS["rbf"], 6).coordinates
    codes = rng.integers(0, 3, len(Z)).astype(np.int32)
    y = np.eye(3)[codes]
    weights = rng.integers(1, 4, len(Z)).astype(float)
    factors = np.array([1.0, 2.0, 0.5])[codes]
    path = ridge_path(PathRows(Z, y, weights * factors, factors, codes), Z.shape[1], alpha)
    for size in range(7):
        expected = oracle.left_out(Z[:, :size], y, alpha, weights, factors)
        np.testing.assert_allclose(left_out_predictions(path, Z, y, factors, size), expected, rtol=1e-8, atol=1e-9)
        mass = weights * factors / (weights * factors).sum()
        assert path.squared[size] == pytest.approx(mass @ ((y - expected) ** 2).sum(axis=1))
        assert path.wrong[size] == pytest.approx(mass @ (expected.argmax(axis=1) != codes))
        beta = oracle.ridge(Z[:, :size], y, alpha, weights * factors)
        intercept, coef = path.coefficients(size)
        np.testing.assert_allclose(np.vstack([intercept, coef]), beta, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    ("width", "n_vectors", "fitness", "error"),
    [(0.3, 10, 0.689, 0.087), (0.3, 20, 0.955, 0.091), (0.3, 50, 0.9999, 0.118), (0.5, 5, 0.780, 0.094)],
)
def test_ripley_figures(width: float, n_vectors: int, fitness: float, error: float) -> None:
    # Baudat and Anouar print none for these rows: explicit inverses and least squares in plain numpy.
    train, test = datasets.load("ripley-train"), datasets.load("ripley-test")
    machine = FeatureVectorClassifier(n_vectors, width=width, scale=None, alpha=0.0, criterion="local")
    machine.fit(train.values, train.y)
    assert machine.fitness_ == pytest.approx(fitness, abs=5.1e-4)
    assert 1 - machine.score(test.values, test.y) == pytest.approx(error, abs=1e-9)


def test_defaults_on_ripley_are_near_bayes() -> None:
    train, test = datasets.load("ripley-train"), datasets.load("ripley-test")
    machine = FeatureVectorClassifier().fit(train)
    assert 1 - machine.score(test, test.y) < 0.105
    assert machine.n_vectors_ == 1 + np.argmin(machine.loo_squared_path_[1:])
    frame = machine.frame()
    assert list(frame.columns) == ["n_vectors", "fitness", "loo_squared_error", "loo_error"]
    assert len(frame) == len(machine.fitness_path_)


@pytest.mark.parametrize("model", ["ridge", "logistic"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_agree_with_predictions(model: str, n_classes: int) -> None:
    iris = load_iris()
    rows = iris.target < n_classes
    machine = FeatureVectorClassifier(model=model).fit(iris.data[rows], iris.target[rows])
    P = machine.predict_proba(iris.data)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert np.array_equal(machine.classes_[P.argmax(axis=1)], machine.predict(iris.data))
    decision = machine.decision_function(iris.data)
    if n_classes == 2:
        assert np.array_equal(decision > 0, machine.predict(iris.data) == 1)
    else:
        assert np.array_equal(decision.argmax(axis=1), machine.predict(iris.data))
        assert machine.score(iris.data, iris.target) > 0.95


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"criterion": "local"},
        {"n_candidates": 5},
        {"width": "loo"},
        {"kernel": "polynomial", "coef0": 1.0},
        {"class_weight": "balanced"},
    ],
)
def test_weights_count_copies(rng, params: dict[str, object]) -> None:
    iris = load_iris()
    weights = rng.integers(0, 3, 150)
    weighted = FeatureVectorClassifier(**params).fit(iris.data, iris.target, sample_weight=weights)
    repeated = FeatureVectorClassifier(**params).fit(
        np.repeat(iris.data, weights, axis=0), np.repeat(iris.target, weights)
    )
    np.testing.assert_allclose(weighted.predict_proba(iris.data), repeated.predict_proba(iris.data), atol=1e-5)


def test_precomputed_is_the_same_machine() -> None:
    iris = load_iris()
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    every = {"n_candidates": None}  # a ready matrix has no cells to spread candidates by
    direct = FeatureVectorClassifier(8, width=2.0, scale=None, **every).fit(iris.data[train], iris.target[train])
    K = gram(iris.data[train], width=2.0)
    machine = FeatureVectorClassifier(8, kernel="precomputed", **every).fit(K, iris.target[train])
    assert np.array_equal(machine.vector_rows_, direct.vector_rows_)
    K_test = gram(iris.data[test], iris.data[train], "rbf", width=2.0)
    np.testing.assert_allclose(machine.predict_proba(K_test), direct.predict_proba(iris.data[test]), atol=1e-7)
    weights = np.ones(len(train))
    weights[::5] = 0
    part = np.flatnonzero(weights)
    some = FeatureVectorClassifier(8, kernel="precomputed", **every).fit(K, iris.target[train], sample_weight=weights)
    few = FeatureVectorClassifier(8, kernel="precomputed", **every).fit(K[np.ix_(part, part)], iris.target[train][part])
    np.testing.assert_allclose(some.predict_proba(K_test), few.predict_proba(K_test[:, part]), atol=1e-9)


def test_callable_and_containers() -> None:
    iris = load_iris()
    names = ["a", "b", "c", "d"]
    expected = FeatureVectorClassifier(10).fit(iris.data, iris.target).predict_proba(iris.data)
    for frame in (pd.DataFrame(iris.data, columns=names), pl.DataFrame(iris.data, schema=names)):
        machine = FeatureVectorClassifier(10).fit(frame, iris.target)
        assert machine.feature_names_in_.tolist() == names
        np.testing.assert_allclose(machine.predict_proba(frame), expected)
    by_call = FeatureVectorClassifier(4, kernel=lambda a, b: a @ b.T).fit(iris.data, iris.target)
    linear = FeatureVectorClassifier(4, kernel="linear").fit(iris.data, iris.target)
    np.testing.assert_allclose(by_call.predict_proba(iris.data), linear.predict_proba(iris.data), atol=1e-8)


def test_mixed_kinds_and_gaps(rng) -> None:
    color = rng.integers(0, 3, 120)
    size = rng.random(120)
    y = np.where(color == 0, "a", np.where(size > 0.5, "b", "a"))
    frame = pd.DataFrame({"size": size, "color": pd.Categorical([("red", "green", "blue")[c] for c in color])})
    frame.loc[3, "size"] = np.nan
    machine = FeatureVectorClassifier(kernel="mixed").fit(frame, y)
    assert machine.score(frame, y) > 0.9
    renamed = frame.assign(color=frame["color"].cat.reorder_categories(["red", "green", "blue"]))
    assert np.array_equal(machine.predict(renamed), machine.predict(frame))


def test_pickle_clone_and_determinism() -> None:
    iris = load_iris()
    machine = FeatureVectorClassifier(criterion="global").fit(iris.data, iris.target)
    again = clone(machine).fit(iris.data, iris.target)
    loaded = pickle.loads(pickle.dumps(machine))  # noqa: S301
    for other in (again, loaded):
        assert np.array_equal(other.predict_proba(iris.data), machine.predict_proba(iris.data))


def test_regression(rng) -> None:
    x = np.sort(rng.random(200))[:, None]
    truth = np.sin(6 * x[:, 0])
    machine = FeatureVectorRegressor().fit(x, truth + 0.1 * rng.normal(size=200))
    assert np.abs(machine.predict(x) - truth).max() < 0.12
    assert machine.loo_squared_ == pytest.approx(0.01, rel=0.3)
    assert machine.n_vectors_ < 20
    assert [width for width, _ in machine.width_path_] == sorted(width for width, _ in machine.width_path_)


def test_selector_in_a_pipeline_and_aligned() -> None:
    iris = load_iris()
    pipe = make_pipeline(
        FeatureVectorSelector(12, width="aligned"), FeatureVectorClassifier(12, kernel="linear", scale=None)
    )
    assert pipe.fit(iris.data, iris.target).score(iris.data, iris.target) > 0.9
    selector = FeatureVectorSelector(12, width="aligned").fit(iris.data, iris.target)
    assert selector.get_feature_names_out()[0] == "featurevectorselector0"
    Z = selector.transform(iris.data)
    K = gram((iris.data - iris.data.min(0)) / np.ptp(iris.data, axis=0), width=selector.width_)
    np.testing.assert_allclose(Z @ Z.T, oracle.nystrom(K, selector.vector_rows_.tolist()), atol=1e-6)


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"n_vectors": 0}, "n_vectors"),
        ({"n_vectors": "best"}, "n_vectors"),
        ({"max_vectors": 0}, "max_vectors"),
        ({"criterion": "both"}, "criterion"),
        ({"fitness": 0.0}, "fitness"),
        ({"alpha": -1.0}, "alpha"),
        ({"model": "tree"}, "model"),
        ({"width": "wide"}, "width"),
        ({"width": -1.0}, "width"),
        ({"width": None}, "width"),
        ({"width": True}, "width"),
        ({"tol": 0.0}, "tol"),
        ({"tol": "small"}, "tol"),
        ({"alpha": "none"}, "alpha"),
        ({"fitness": "good"}, "fitness"),
        ({"n_candidates": 0}, "n_candidates"),
        ({"n_candidates": "few"}, "n_candidates"),
        ({"class_weight": "equal"}, "class_weight"),
        ({"class_weight": {0: -1.0}}, "class_weight"),
    ],
)
def test_wrong_parameters(params: dict[str, object], text: str) -> None:
    iris = load_iris()
    with pytest.raises(ParameterError, match=text):
        FeatureVectorClassifier(**params).fit(iris.data, iris.target)


def test_widths_are_not_compared_where_there_is_none_or_gamma_replaces_it() -> None:
    """`width="loo"` was refused where the kernel has no width or `gamma` replaces it."""
    iris = load_iris()
    for params in ({"kernel": "linear"}, {"kernel": "polynomial"}, {"gamma": 2.0}):
        machine = FeatureVectorRegressor(width="loo", **params).fit(iris.data, iris.target)
        assert not hasattr(machine, "width_path_")
        assert machine.gamma_ == (1 / 4 if params.get("kernel") == "polynomial" else params.get("gamma"))


def test_wrong_data() -> None:
    with pytest.raises(DataError, match="sees nothing"):
        FeatureVectorClassifier(kernel="linear", scale=None).fit(np.zeros((4, 2)), [0, 0, 1, 1])
    with pytest.raises(ParameterError, match="aligned"):
        FeatureVectorSelector(width="aligned").fit(X)
    with pytest.raises(DataError, match="every class"):
        FeatureVectorClassifier().fit(X, np.arange(40) % 2, sample_weight=np.arange(40) % 2)
    with pytest.raises(DataError, match='row 23, column "bare_nuclei": a missing value'):
        FeatureVectorClassifier().fit(datasets.load("breast-cancer"))


def test_rows_so_far_away_that_the_kernel_overflows() -> None:
    """A row whose kernel values overflow ended in an error that was not ours."""
    model = FeatureVectorClassifier(kernel="polynomial", max_vectors=5).fit(X, X[:, 0] > 0)
    rows = X.copy()
    rows[7] = 1e300
    with pytest.raises(DataError, match=r"X, row 7: its kernel values are too large for float64\nhint: "):
        model.predict(rows)
    assert model.predict(np.delete(rows, 7, axis=0)).shape == (39,)


def test_indicators_of_many_levels_are_all_told_apart():
    """One sum with factors from square roots is alike for levels 4, 9, 16 ...: two levels were taken for one."""
    # Fifty-five levels of one column, one row each.
    machine = FeatureVectorRegressor(55, width=1.0, scale=None).fit(np.eye(55), np.arange(55.0))
    assert sorted(machine.vector_rows_.tolist()) == list(range(55))


@pytest.mark.parametrize("model", [FeatureVectorClassifier, FeatureVectorRegressor, GeneralizedDiscriminant])
@pytest.mark.parametrize("how", [{}, {"criterion": "local"}, {"n_candidates": None}])
def test_copies_under_a_narrow_kernel(model, how):
    """Rounding left a trifle of the copies when all distinct rows were in the span, and nobody was left to choose."""
    X, y = [[0.0], [0.0], [1.0], [1.0], [2.0]], [0, 1, 0, 1, 0]
    given = {"n_vectors": 4} if model is GeneralizedDiscriminant else {}
    fitted = model(width=1e-3, scale=None, **given, **how).fit(X, y)
    assert np.all(np.isfinite(fitted.predict([[0.0], [0.5], [2.0]])))
