from __future__ import annotations

import pickle
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_blobs, make_moons
from sklearn.svm import SVC

import sepal.datasets
from sepal.data import as_table
from sepal.exceptions import DataError, ParameterError, SepalWarning
from sepal.machines import SVMClassifier
from tests.machines.contract import contract
from tests.oracles import svm as oracle

CHECKED = [
    SVMClassifier(),
    SVMClassifier(kernel="linear", probability=True),
    SVMClassifier(kernel="precomputed"),
    SVMClassifier(C="auto", class_weight="balanced"),
    SVMClassifier(kernel="poly"),
    SVMClassifier(kernel="laplacian", class_weight="balanced"),
    SVMClassifier(kernel="mixed"),
]


@pytest.mark.parametrize(("estimator", "check"), contract(CHECKED))
def test_scikit_learn_contract(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SepalWarning)  # some checks train on noise, where one class wins
        check(estimator)


@pytest.fixture(scope="module")
def ripley():
    return sepal.datasets.load("ripley-train"), sepal.datasets.load("ripley-test")


def _error(machine, table):
    return float(np.mean(machine.predict(table) != table.y))


def test_ripley_cubic_kernel_gives_the_published_error_at_the_published_c(ripley):
    # The lecture notes on k-NN and SVM (founding document C): (1 + x.y)^3, C = 1 to 20, least error 9.4 % at C = 2. The
    # 93 support vectors are those of scikit-learn's SVC.
    train, test = ripley
    errors = {}
    for C in range(1, 21):
        machine = SVMClassifier(C=C, kernel="poly", gamma=1.0, coef0=1.0, degree=3, scale=None).fit(train)
        errors[C] = _error(machine, test)
        if C == 2:
            assert len(machine.support_) == 93
    assert errors[2] == pytest.approx(0.094)
    assert min(errors.values()) == errors[2]


def test_ripley_rbf(ripley):
    # The notes: 9.0 % at C = 1, beta = 1.4. These two are of scikit-learn's SVC.
    train, test = ripley
    assert _error(SVMClassifier(C=1.0, gamma=1.51, scale=None).fit(train), test) == pytest.approx(0.090)
    assert _error(SVMClassifier(C=1.0, gamma=1.41, scale=None).fit(train), test) == pytest.approx(0.091)


@pytest.mark.parametrize("seed", range(12))
def test_toy_of_two_far_clouds_has_the_support_vectors_of_the_widest_margin(seed):
    # The toy of the lecture notes (founding document C), whose figure shows three; two carry one sample in three.
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(size=(25, 2)), rng.normal(loc=(6.0, 0.0), size=(25, 2))])
    y = np.repeat([0, 1], 25)
    machine = SVMClassifier(C=1000.0, kernel="linear", scale=None, tol=1e-6).fit(X, y)
    plane, bias = oracle.hard_margin(X, np.where(y == 1, 1.0, -1.0))
    on_margin = np.abs(np.abs(X @ plane + bias) - 1.0) < 1e-6
    assert machine.support_.tolist() == np.flatnonzero(on_margin).tolist()
    w = machine.dual_coef_ @ machine.support_vectors_
    assert machine.margin_[0] == pytest.approx(1.0 / np.linalg.norm(w), rel=1e-9)


KERNELS = [
    ({"kernel": "rbf", "gamma": 1.0}, oracle.rbf(1.0)),
    ({"kernel": "rbf", "width": 0.4}, oracle.rbf(1.0 / (2 * 0.4**2))),
    ({"kernel": "linear"}, oracle.linear()),
    ({"kernel": "poly", "gamma": 0.7, "coef0": 1.0, "degree": 2}, oracle.poly(0.7, 1.0, 2)),
]


@pytest.mark.parametrize(("parameters", "kernel"), KERNELS)
@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
def test_dual_objective_equals_svc_and_the_decision_equals_the_loops(parameters, kernel, C):
    X, y = make_moons(120, noise=0.3, random_state=4)
    t = np.where(y == 1, 1.0, -1.0)
    machine = SVMClassifier(C=C, scale=None, tol=1e-8, **parameters).fit(X, y)
    K = oracle.gram(X, X, kernel)
    peer = SVC(C=C, kernel="precomputed", tol=1e-8).fit(K, y)
    alpha = np.zeros(120)
    alpha[peer.support_] = np.abs(peer.dual_coef_[0])
    assert machine.dual_objective_[0] == pytest.approx(oracle.dual_value(alpha, K, t), rel=1e-9)
    ours = np.zeros(120)
    ours[machine.support_] = machine.dual_coef_[0]
    assert oracle.dual_value(np.abs(ours), K, t) == pytest.approx(machine.dual_objective_[0], rel=1e-10)
    decision = K @ ours + machine.intercept_[0]
    np.testing.assert_allclose(
        machine.decision_function(X), decision, rtol=0, atol=1e-10 * np.abs(K @ np.abs(ours)).max()
    )
    gap = oracle.primal_value(np.abs(ours), machine.intercept_[0], K, t, np.full(120, C)) - machine.dual_objective_[0]
    assert machine.duality_gap_[0] == pytest.approx(gap, abs=1e-8 * C * 120)
    assert 0 <= machine.duality_gap_[0] < 1e-5 * C * 120


def test_small_problem_equals_a_general_solver():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    t = np.where(X[:, 0] + 0.5 * rng.normal(size=30) > 0, 1.0, -1.0)
    K = oracle.gram(X, X, oracle.rbf(0.5))
    expected = oracle.with_bias(K, t, np.full(30, 2.0))
    machine = SVMClassifier(C=2.0, gamma=0.5, scale=None, tol=1e-9).fit(X, t)
    found = np.zeros(30)
    found[machine.support_] = np.abs(machine.dual_coef_[0])
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert machine.dual_objective_[0] == pytest.approx(oracle.dual_value(expected, K, t), rel=1e-9)


@pytest.mark.parametrize("data", [load_iris, load_digits])
def test_several_classes_equal_svc(data):
    X, y = data(return_X_y=True)
    ours = SVMClassifier(gamma="scale", scale=None, tol=1e-6).fit(X, y)
    peer = SVC(gamma="scale", tol=1e-6, decision_function_shape="ovo").fit(X, y)
    assert set(ours.support_) == set(peer.support_)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-4)
    columns = {row: column for column, row in enumerate(peer.support_)}
    if len(np.unique(X, axis=0)) == len(X):  # copies share a weight in ours, in SVC one of them has it
        expected = peer.dual_coef_[:, [columns[row] for row in ours.support_]]
        np.testing.assert_allclose(ours.dual_coef_, expected, atol=1e-3)
    decisions = -peer.decision_function(X)
    np.testing.assert_allclose(ours._decisions(X), decisions, atol=1e-4)
    wanted = ours.classes_[oracle.votes(decisions, len(ours.classes_))]
    assert np.array_equal(ours.predict(X), wanted)
    assert np.array_equal(ours.classes_[np.argmax(ours.decision_function(X), axis=1)], ours.predict(X))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_probabilities_agree_with_predictions_and_are_calibrated(n_classes):
    """In scikit-learn's SVC the most probable class need not be the predicted one (#13211, #31222)."""
    X, y = make_blobs(600, centers=n_classes, cluster_std=4.0, random_state=3)
    names = np.array(["ash", "birch", "cedar", "date"])[y]
    machine = SVMClassifier(probability=True).fit(X[:400], names[:400])
    p = machine.predict_proba(X)
    assert p.shape == (600, n_classes)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    assert np.array_equal(machine.classes_[np.argmax(p, axis=1)], machine.predict(X))
    right = machine.predict(X[400:]) == names[400:]
    assert np.mean(p[400:].max(axis=1)) == pytest.approx(np.mean(right), abs=0.07)
    again = SVMClassifier(probability=True).fit(X[:400], names[:400])
    assert np.array_equal(again.predict_proba(X), p)


def test_predict_proba_says_what_it_needs():
    rows, labels = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    machine = SVMClassifier().fit(rows, labels)
    assert not hasattr(machine, "predict_proba")
    for each in (machine, machine.set_params(probability=True)):  # set after the fit it still needs one
        with pytest.raises(AttributeError, match=r"needs SVMClassifier\(probability=True, \.\.\.\), given before fit"):
            each.predict_proba([[0.5]])
    assert machine.fit(rows, labels).predict_proba([[0.5]]).shape == (1, 2)
    with pytest.raises(AttributeError, match="probability=True"):  # those of the fit before are not kept
        machine.set_params(probability=False).fit(rows, labels).set_params(probability=True).predict_proba([[0.5]])


@pytest.mark.parametrize(("name", "other"), [("poly", "polynomial"), ("rbf", "gaussian")])
def test_both_names_of_a_kernel_are_one_kernel(name, other):
    X, y = load_iris(return_X_y=True)
    one, two = (SVMClassifier(kernel=kernel).fit(X, y) for kernel in (name, other))
    assert np.array_equal(one.decision_function(X), two.decision_function(X))
    assert one.gamma_ == two.gamma_


def test_a_weight_is_a_number_of_copies_and_order_does_not_matter():
    rng = np.random.default_rng(5)
    X, y = make_moons(80, noise=0.4, random_state=1)
    weight = rng.integers(0, 4, size=80)
    weighted = SVMClassifier(probability=True).fit(X, y, sample_weight=weight)
    rows = rng.permutation(np.repeat(np.arange(80), weight))
    repeated = SVMClassifier(probability=True).fit(X[rows], y[rows])
    queries = rng.normal(size=(50, 2))
    np.testing.assert_allclose(repeated.decision_function(queries), weighted.decision_function(queries), rtol=1e-10)
    np.testing.assert_allclose(repeated.predict_proba(queries), weighted.predict_proba(queries), rtol=1e-8)
    assert np.all(np.abs(repeated.dual_coef_) <= 1 + 1e-12)


def test_class_weights_and_sample_weights_equal_svc():
    X, y = make_moons(150, noise=0.4, random_state=2)
    weight = np.random.default_rng(0).uniform(0.2, 3.0, size=150)
    for class_weight in (None, {0: 1.0, 1: 5.0}):
        ours = SVMClassifier(gamma=2.0, scale=None, tol=1e-8, class_weight=class_weight).fit(X, y, weight)
        peer = SVC(gamma=2.0, tol=1e-8, class_weight=class_weight).fit(X, y, weight)
        np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-5)
    # Unlike scikit-learn's, "balanced" counts weights, so that a weight stays a number of copies.
    total = np.bincount(y, weights=weight)
    factors = {c: total.sum() / (2 * total[c]) for c in (0, 1)}
    balanced = SVMClassifier(gamma=2.0, scale=None, tol=1e-8, class_weight="balanced").fit(X, y, weight)
    given = SVMClassifier(gamma=2.0, scale=None, tol=1e-8, class_weight=factors).fit(X, y, weight)
    np.testing.assert_allclose(balanced.decision_function(X), given.decision_function(X), atol=1e-6)


def test_precomputed_and_callable_kernels_equal_the_named_one():
    X, y = load_iris(return_X_y=True)
    named = SVMClassifier(kernel="poly", gamma=0.1, coef0=1.0, scale=None, tol=1e-8).fit(X, y)

    def kernel(a, b):
        return (0.1 * a @ b.T + 1.0) ** 3

    given = SVMClassifier(kernel="precomputed", tol=1e-8).fit(kernel(X, X), y)
    called = SVMClassifier(kernel=kernel, scale=None, tol=1e-8, probability=True).fit(X, y)
    for decisions in (given.decision_function(kernel(X, X)), called.decision_function(X)):
        np.testing.assert_allclose(decisions, named.decision_function(X), atol=1e-5)
    p = called.predict_proba(X)
    assert np.array_equal(np.argmax(p, axis=1), called.predict(X))


def test_containers_names_pickle_clone_and_the_input_is_left_alone():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    names = ["a", "b", "c", "d"]
    kept = X.copy()
    plain = SVMClassifier().fit(X, labels)
    assert np.array_equal(X, kept)
    pandas_frame, polars_frame = pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)
    for rows, queries, target in (
        (pandas_frame, pandas_frame, pd.Series(labels)),
        (polars_frame, polars_frame, pl.Series(labels)),
        (as_table(pandas_frame, labels), as_table(pandas_frame), None),
    ):
        machine = SVMClassifier().fit(rows, target)
        assert list(machine.feature_names_in_) == names
        assert np.array_equal(machine.decision_function(queries), plain.decision_function(X))
        assert machine.predict(queries)[0] == "setosa"
    copy = pickle.loads(pickle.dumps(plain))  # noqa: S301
    assert np.array_equal(copy.decision_function(X), plain.decision_function(X))
    assert clone(plain).get_params() == plain.get_params()
    model = SVMClassifier().fit(as_table(pandas_frame, labels))
    other_order = as_table(pandas_frame[["b", "a", "c", "d"]])
    np.testing.assert_array_equal(model.decision_function(other_order), model.decision_function(as_table(pandas_frame)))


def test_row_order_and_threads_do_not_change_the_model():
    X, y = make_moons(300, noise=0.3, random_state=8)
    order = np.random.default_rng(1).permutation(300)
    one = SVMClassifier(n_jobs=1).fit(X, y)
    for machine in (SVMClassifier(n_jobs=2).fit(X, y), SVMClassifier(n_jobs=1).fit(X[order], y[order])):
        assert np.array_equal(machine.decision_function(X), one.decision_function(X))


def test_warns_when_one_class_is_predicted_for_all():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.r_[np.zeros(55), np.ones(5)]
    with pytest.warns(SepalWarning, match="predicts the class"):
        SVMClassifier(C=0.01, gamma=0.1).fit(X, y)


def test_time_limit_keeps_a_model_and_says_so():
    """With the shortest limit it was chance whether there was a model."""
    X, y = make_moons(4000, noise=0.5, random_state=0)
    with pytest.warns(SepalWarning, match="time_limit"):
        machine = SVMClassifier(C=1e4, gamma=50.0, tol=1e-7, time_limit=1e-9).fit(X, y)  # over after the first round
    assert set(machine.predict(X)) == {0, 1}
    assert machine.violation_[0] > 1e-7
    assert abs(machine.dual_coef_.sum()) < 1e-6 * np.abs(machine.dual_coef_).sum() + 1e-9


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_time_limit_is_shared_by_all_pairs_of_classes(n_jobs):
    """Each of the 28 pairs, none of which ends by itself, had the whole limit: 14 s of processor time."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3200, 8)), np.arange(3200) % 8
    machine = SVMClassifier(C=1e6, gamma=0.05, tol=1e-9, time_limit=0.5, scale=None, n_jobs=n_jobs)
    start = time.process_time()  # which other work on the machine does not lengthen
    with pytest.warns(SepalWarning, match="time_limit"):
        machine.fit(X, y)
    assert time.process_time() - start < 7.0
    assert np.all(machine.violation_ > 1e-9)
    assert np.all(machine.n_iter_ > 0)
    assert len(np.unique(machine.predict(X))) > 1


def test_large_weights_are_solved_as_far_as_small_ones():
    """float32 kernel rows would leave the conditions violated by far more than is said."""
    X, y = make_moons(1600, noise=0.3, random_state=0)
    C, tol = 1000.0, 1e-3
    machine = SVMClassifier(C=C, gamma=5.0, scale=None, tol=tol).fit(X, y)
    beta = np.zeros(len(X))
    beta[machine.support_] = machine.dual_coef_[0]
    sign = np.where(y == machine.classes_[1], 1.0, -1.0)
    square = (X**2).sum(axis=1)
    gradient = np.exp(-5.0 * np.maximum(square[:, None] + square - 2.0 * X @ X.T, 0.0)) @ beta - sign
    low, high = np.minimum(0.0, C * sign), np.maximum(0.0, C * sign)
    assert gradient[beta > low].max() - gradient[beta < high].min() < tol * 1.001
    assert np.abs(beta).sum() > 1e5


def _mixed_rows():
    rng = np.random.default_rng(0)
    color, x = rng.choice(["red", "green", "blue"], 120), rng.normal(size=120)
    y = np.where((color == "red") ^ (x > 0), "a", "b")
    return pd.DataFrame({"color": pd.Categorical(color), "x": x}), y


def test_mixed_kernel_takes_nominal_columns():
    frame, y = _mixed_rows()
    machine = SVMClassifier(kernel="mixed", gamma=2.0, scale=None, tol=1e-8).fit(frame, y)
    x, color = frame["x"].to_numpy(), frame["color"].to_numpy().astype(str)
    K = np.exp(-2.0 * (x[:, None] - x) ** 2) * np.where(color[:, None] == color, 1.0, np.exp(-2.0))
    peer = SVC(C=1.0, kernel="precomputed", tol=1e-8).fit(K, y)
    np.testing.assert_allclose(machine.decision_function(frame), peer.decision_function(K), atol=1e-6)
    assert machine.gamma_ == 2.0
    assert machine.score(as_table(frame, y), y) == machine.score(frame, y)


def test_mixed_kernel_takes_missing_cells_in_any_row_order():
    frame, y = _mixed_rows()
    frame.loc[::9, "x"] = np.nan
    frame.loc[::11, "color"] = None
    order = np.random.default_rng(1).permutation(len(y))
    machine = SVMClassifier(kernel="mixed", tol=1e-9).fit(frame, y)
    other = SVMClassifier(kernel="mixed", tol=1e-9).fit(frame.iloc[order], y[order])
    np.testing.assert_allclose(machine.decision_function(frame), other.decision_function(frame), atol=1e-7)
    assert machine.score(frame, y) > 0.85


@pytest.mark.parametrize("given", ["frame", "table"])
def test_nominal_columns_without_a_kernel_for_them_say_what_to_do(given):
    frame, y = _mixed_rows()
    with pytest.raises(DataError, match=r'column "color" is nominal[\s\S]*kernel="mixed"'):
        SVMClassifier().fit(frame if given == "frame" else as_table(frame, y), y)


def test_chi_square_takes_new_cells_below_the_training_minimum_as_that():
    """A new cell below the training minimum was refused, since the scaled cell is negative."""
    X, y = load_iris(return_X_y=True)
    machine = SVMClassifier(kernel="chi2").fit(X, y)
    low = X.min(axis=0)
    assert np.array_equal(machine.decision_function([low - 1.0]), machine.decision_function([low]))
    with pytest.raises(DataError, match="not negative"):  # in given units a negative count is an error
        SVMClassifier(kernel="chi2", scale=None).fit(X, y).predict([[5.0, -1.0, 2.0, 1.0]])


def test_aligned_width_on_breast_cancer_is_near_the_peak_of_the_centred_alignment():
    table = sepal.datasets.load("breast-cancer").drop_missing()
    machine = SVMClassifier(kernel="rbf", width="aligned").fit(table)
    assert 0.9 < machine.width_ < 1.2  # 0.8004 at 0.5, 0.8524 at 1.0, 0.8349 at 2.0, in plain numpy
    assert machine.gamma_ == pytest.approx(1.0 / (2.0 * machine.width_**2))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"C": 0}, "C must be"),
        ({"C": "best"}, "C must be"),
        ({"C": np.nan}, "C must be"),
        ({"max_iter": 0}, "max_iter must be an integer of at least -1 other than 0"),
        ({"kernel": "rbff"}, "kernel must be"),
        ({"kernel": None}, "kernel must be"),
        ({"kernel": 3}, "kernel must be"),
        ({"kernel": "poly", "coef0": np.nan}, "coef0 must be"),
        ({"class_weight": "equal"}, "class_weight must be"),
        ({"class_weight": {0: 0.0}}, "class_weight must hold"),
        ({"class_weight": 3}, "class_weight must be"),
        ({"width": -1.0}, "width must be"),
        ({"gamma": 0.0}, "gamma must be"),
        ({"kernel": "poly", "degree": 0}, "degree must be"),
        ({"tol": 0.0}, "tol must be"),
        ({"time_limit": -1}, "time_limit must be"),
        ({"scale": "max"}, "scale"),
    ],
)
def test_wrong_parameters_are_named(parameters, words):
    with pytest.raises(ParameterError, match=words):
        SVMClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_nominal_columns_and_lost_classes_are_named():
    with pytest.raises(DataError, match="nominal"):
        SVMClassifier().fit(as_table([[1.0, "a"], [2.0, "b"]], [0, 1]))
    with pytest.raises(DataError, match="two classes"):
        SVMClassifier().fit([[0.0], [1.0]], [0, 1], sample_weight=[1, 0])
    with pytest.raises(DataError, match="weight 0"):
        SVMClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 2], sample_weight=[1, 1, 0])
    with pytest.raises(DataError, match="two classes"):  # a row of negative weight is absent, as in scikit-learn
        SVMClassifier().fit([[0.0], [1.0]], [0, 1], sample_weight=[1, -1])


def test_the_bias_is_the_middle_of_its_room_when_every_row_is_at_a_bound():
    """Weights of C (1 - 2e-16) counted as free, and one such row decided the bias."""
    # All weights are at the bound, which leaves the bias open between -0.9648 and 0.956.
    X = [[0.4], [-0.5], [0.3], [-0.5], [0.1], [-0.5]]
    machine = SVMClassifier(C=0.038, kernel="linear", scale=None, tol=1e-7).fit(X, [0, 1, 0, 1, 0, 1])
    x, sign = np.ravel(X), np.array([-1, 1, -1, 1, -1, 1])
    w = 0.038 * float(sign @ x)
    assert w == pytest.approx(-0.0874)
    room = [float((-1 - w * x[sign < 0]).max()), float((1 - w * x[sign > 0]).min())]  # all are inside the margin
    assert machine.intercept_[0] == pytest.approx(sum(room) / 2, abs=1e-9)
