"""WindowKNNClassifier against plain loops, and what a learner on a stream must not get wrong."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

import sepal
from sepal.exceptions import DataError, ParameterError
from sepal.learners import WindowKNNClassifier
from tests.oracles.window import Window


def stream(
    seed: int, n: int = 150, p: int = 3, n_classes: int = 3, grid: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, p)) + 1.2 * y[:, None]
    if grid:
        X = np.round(X)
    X[n // 2 :] += 1.0  # the world moves on
    return X, np.array(list("pqrstu"))[y]


def rows_of(X: np.ndarray) -> list[tuple]:
    return [tuple(row) for row in X.tolist()]


CASES = [
    ({"window": 40}, {"most": 40}),
    ({"window": 40, "n_neighbors": 1}, {"most": 40, "k": 1}),
    ({"window": 30, "scale": None}, {"most": 30, "scaled": False}),
    ({"window": 30, "weights": "distance"}, {"most": 30, "by_distance": True}),
    ({"window": None, "max_age": 25.0}, {"max_age": 25.0}),
    ({"window": None, "class_quota": 7}, {"quota": 7}),
    ({"window": 30, "class_quota": 12, "max_age": 40.0}, {"most": 30, "quota": 12, "max_age": 40.0}),
    ({"window": 40, "edit_neighbors": 3, "edit_every": 10}, {"most": 40, "edit_k": 3, "edit_every": 10}),
]


@pytest.mark.parametrize("grid", [False, True], ids=["smooth", "tied"])
@pytest.mark.parametrize("number", range(len(CASES)))
def test_prequential_equals_the_plain_loops(number, grid):
    given, expected = CASES[number]
    X, y = stream(number, grid=grid)
    oracle = Window(**expected)
    said = oracle.prequential(rows_of(X), y, range(len(y)))
    learner = WindowKNNClassifier(**given)
    found = learner.prequential(X, y)
    assert found.rows.tolist() == list(range(1, len(y)))
    assert found.predictions.tolist() == said[1:]
    assert found.score == pytest.approx(np.mean([a == b for a, b in zip(said[1:], y[1:], strict=True)]))
    arrival, labels, times = learner.window_rows()
    assert arrival.tolist() == [r[0] for r in oracle.rows]
    assert labels.tolist() == [r[2] for r in oracle.rows]
    assert times.tolist() == [r[3] for r in oracle.rows]
    assert learner.n_window_ == len(oracle.rows)
    assert learner.n_seen_ == len(y)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_one_row_at_a_time_equals_all_at_once(number):
    given, _ = CASES[number]
    X, y = stream(10 + number, n=120)
    whole = WindowKNNClassifier(**given)
    expected = whole.prequential(X, y).predictions.tolist()
    single = WindowKNNClassifier(**given).partial_fit(X[:1], y[:1])
    found = []
    for i in range(1, len(y)):
        if "max_age" not in given:  # predicting does not expire rows; learning does
            found.append(single.predict(X[i : i + 1])[0])
        single.partial_fit(X[i : i + 1], y[i : i + 1])
    if "max_age" not in given:
        assert found == expected
    assert [a.tolist() for a in single.window_rows()] == [a.tolist() for a in whole.window_rows()]


def test_mixed_rows_with_gaps_and_new_levels():
    rng = np.random.default_rng(3)
    rows = []
    for i in range(120):
        colors = ["red", "blue"] if i < 60 else ["red", "blue", "green"]
        cell = None if rng.random() < 0.1 else float(round(rng.normal(), 1))
        rows.append((cell, str(rng.choice(colors)), float(rng.integers(5))))
    y = ["hot" if r[1] == "red" else "cold" for r in rows]
    oracle = Window(most=50, k=3)
    said = oracle.prequential(rows, y, range(len(y)))
    learner = WindowKNNClassifier(window=50, n_neighbors=3)
    found = []
    for start in range(0, 120, 20):  # levels come in different batches
        part = slice(start, start + 20)
        frame = pd.DataFrame(rows[part], columns=["size", "color", "weight"])
        found += learner.prequential(frame, y[part]).predictions.tolist()
    assert found == said[1:]


def test_gaps_that_come_late_change_nothing_before():
    X, y = stream(4)
    learner = WindowKNNClassifier(window=60)
    plain = learner.fit(X[:100], y[:100]).predict(X[100:])
    learner.predict(np.array([[np.nan, 0.0, 1.0]]))
    assert learner.predict(X[100:]).tolist() == plain.tolist()


def test_fitted_once_it_is_k_nearest_neighbors():
    X, y = stream(5)
    ours = WindowKNNClassifier(window=None, n_neighbors=7, scale=None).fit(X, y)
    theirs = KNeighborsClassifier(7).fit(X, y)
    rng = np.random.default_rng(0)
    queries = rng.normal(size=(200, 3))
    np.testing.assert_allclose(ours.predict_proba(queries), theirs.predict_proba(queries), atol=1e-9)


@pytest.mark.parametrize("name", ["manhattan", "chebyshev", "minkowski", "cosine"])
def test_other_distances(name):
    X, y = stream(6)
    params = {"p": 3.0} if name == "minkowski" else {}
    ours = WindowKNNClassifier(window=None, n_neighbors=1, scale=None, distance=name, distance_params=params).fit(X, y)
    levels, codes = np.unique(y, return_inverse=True)  # scikit-learn 1.7 takes no names here
    theirs = KNeighborsClassifier(1, metric=name, **params, algorithm="brute").fit(X, codes)
    queries = np.random.default_rng(1).normal(size=(100, 3))
    assert ours.predict(queries).tolist() == levels[theirs.predict(queries)].tolist()


@pytest.mark.parametrize("power", [-1070, -1030, -700, 600, 1000, 1016])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"weights": "distance"},
        {"distance": "heom", "edit_neighbors": 3, "edit_every": 10},
        {"scale": None, "weights": "distance"},
        {"scale": None, "distance": "manhattan"},
        {"scale": None, "distance": "minkowski", "distance_params": {"p": 9.0}},
        {"scale": None, "distance": "cosine"},
        {"distance_params": {"weights": [1.0, 3.0, 0.5]}},
    ],
    ids=str,
)
def test_the_smallest_and_the_largest_numbers_are_numbers(given, power):
    """Ranges near 1e-310 made infinite factors of their columns, and squares of small numbers vanished."""
    X, y = stream(7, n=90)
    X = np.round(10.0 * X)
    usual = WindowKNNClassifier(window=40, n_neighbors=3, **given).fit(X, y)
    other = WindowKNNClassifier(window=40, n_neighbors=3, **given)
    assert other.prequential(np.ldexp(X, power), y).predictions.tolist() == (
        WindowKNNClassifier(window=40, n_neighbors=3, **given).prequential(X, y).predictions.tolist()
    )
    new = np.round(10.0 * stream(8, n=40)[0])
    np.testing.assert_allclose(other.predict_proba(np.ldexp(new, power)), usual.predict_proba(new), rtol=1e-9)


def test_columns_of_very_different_sizes_count_alike():
    """A range near 1e-310 made an infinite factor of its column."""
    X, y = stream(9, n=60)
    X = np.round(10.0 * X)
    usual = WindowKNNClassifier(n_neighbors=3).fit(X, y)
    other = WindowKNNClassifier(n_neighbors=3).fit(np.ldexp(X, [-1070, 0, 800]), y)
    assert other.predict(np.ldexp(X + 1.0, [-1070, 0, 800])).tolist() == usual.predict(X + 1.0).tolist()
    # A range that is no number itself: from one end of the numbers to the other.
    ends = np.array([[-1.0], [-0.9], [0.9], [1.0]]) * 1.7e308
    assert WindowKNNClassifier(n_neighbors=1).fit(ends, list("aabb")).predict(ends * 0.5).tolist() == list("aabb")


def test_column_weights_scale_columns():
    X, y = stream(7)
    weights = np.array([1.0, 0.0, 4.0])
    for name, power in (("euclidean", 0.5), ("manhattan", 1.0)):
        weighted = WindowKNNClassifier(scale=None, distance=name, distance_params={"weights": weights}).fit(X, y)
        scaled = WindowKNNClassifier(scale=None, distance=name).fit(X * weights**power, y)
        assert weighted.predict(X).tolist() == scaled.predict(X * weights**power).tolist()


def test_new_classes_are_put_in_order():
    learner = WindowKNNClassifier(n_neighbors=1, scale=None)
    learner.partial_fit([[0.0], [1.0]], ["m", "m"])
    learner.partial_fit([[5.0], [9.0]], ["z", "a"])
    assert learner.classes_.tolist() == ["a", "m", "z"]
    assert learner.predict([[0.1], [5.1], [9.1]]).tolist() == ["m", "z", "a"]
    learner.partial_fit([[20.0]], ["longer name"])
    assert learner.predict([[19.0]]).tolist() == ["longer name"]
    assert learner.predict_proba([[19.0]]).tolist() == [[0.0, 1.0, 0.0, 0.0]]


def test_classes_may_be_announced():
    learner = WindowKNNClassifier(n_neighbors=1).partial_fit([[0.0]], [1], classes=[0, 1, 2])
    assert learner.classes_.tolist() == [0, 1, 2]
    assert learner.predict_proba([[3.0]]).tolist() == [[0.0, 1.0, 0.0]]


def test_forget_by_number_time_and_class():
    def fresh() -> WindowKNNClassifier:
        return WindowKNNClassifier(n_neighbors=1).fit(
            [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"], times=[0.0, 1.5, 1.5, 7.0]
        )

    assert fresh().forget(1).window_rows()[0].tolist() == [1, 2, 3]
    assert fresh().forget(before=2.0).window_rows()[0].tolist() == [3]
    assert fresh().forget(label="a").window_rows()[0].tolist() == [1, 3]
    assert fresh().forget(1, label="b").window_rows()[0].tolist() == [0, 2, 3]
    empty = fresh().forget()
    assert empty.n_window_ == 0
    assert empty.predict([[0.0]]).tolist() == ["a"]  # as many a as b so far: the first of them
    assert empty.predict_proba([[0.0]]).tolist() == [[0.5, 0.5]]
    assert not np.any(empty._rows_.cells)  # really gone
    assert empty.partial_fit([[5.0]], ["b"]).predict([[0.0]]).tolist() == ["b"]


def test_time_does_not_go_back_where_times_are_left_out():
    """A row without a time came at its number, 2, after one at 2000, and would never have been too old."""
    learner = WindowKNNClassifier(max_age=5).partial_fit([[0.0], [1.0]], ["a", "b"], times=[1999, 2000])
    with pytest.raises(DataError, match=r"times must not go back: .* at their number, 2 here, .* came at 2000"):
        learner.partial_fit([[5.0]], ["b"])
    assert learner.partial_fit([[5.0]], ["b"], times=[2001]).window_rows()[2].tolist() == [1999.0, 2000.0, 2001.0]
    early = WindowKNNClassifier().partial_fit([[0.0], [1.0]], ["a", "b"], times=[0.5, 1.5])
    assert early.partial_fit([[5.0]], ["b"]).window_rows()[2].tolist() == [0.5, 1.5, 2.0]


@pytest.mark.parametrize(
    ("smaller", "left"),
    [
        ({"window": 10}, list(range(91, 101))),
        ({"class_quota": 3}, [78, 88, 97, 98, 99, 100]),
        ({"class_quota": 3, "window": 4}, [97, 98, 99, 100]),
        ({"window": None, "class_quota": None}, list(range(101))),
    ],
)
def test_a_window_made_smaller_lets_the_oldest_go(smaller, left):
    """It kept all rows it had: one went for each that came."""
    labels = ["b" if i % 10 == 8 else "a" for i in range(101)]
    learner = WindowKNNClassifier(window=200).partial_fit(np.arange(100.0)[:, None], labels[:100])
    before = learner.set_params(**smaller).window_rows()[0]
    assert before.tolist() == list(range(100))
    learner.partial_fit([[100.0]], labels[100:])
    found = learner.window_rows()[0].tolist()
    assert found == left
    assert learner.n_window_ == len(left)
    plain = WindowKNNClassifier(window=None).fit(np.array(left, dtype=float)[:, None], [labels[i] for i in left])
    asked = np.linspace(-5, 110, 40)[:, None]
    assert learner.predict_proba(asked).tolist() == plain.predict_proba(asked).tolist()


def test_memory_is_bounded():
    X, y = stream(8, n=3000)
    learner = WindowKNNClassifier(window=100)
    learner.prequential(X, y)
    assert len(learner._rows_.codes) < 120
    by_age = WindowKNNClassifier(window=None, max_age=50)
    for start in range(0, 3000, 100):
        by_age.partial_fit(X[start : start + 100], y[start : start + 100])
    assert by_age.n_window_ == 51
    assert len(by_age._rows_.codes) < 500


def test_drift_is_signalled_and_followed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = (X[:, 0] > 0) ^ (np.arange(3000) >= 1500)  # the classes change places
    plain = WindowKNNClassifier(window=1000, drift="adwin")
    found = plain.prequential(X, y.astype(int))
    assert 1500 < found.drift_rows[0] < 1600
    assert plain.drift_detected_
    forgets = WindowKNNClassifier(window=1000, drift="adwin", on_drift="forget")
    assert forgets.prequential(X, y.astype(int)).score > found.score + 0.05
    one_by_one = WindowKNNClassifier(window=1000, drift="ddm").partial_fit(X[:1600], y[:1600].astype(int))
    assert one_by_one.drift_detector_.n_drifts == 1
    assert one_by_one.prequential_score_ == pytest.approx(
        WindowKNNClassifier(window=1000).prequential(X[:1600], y[:1600].astype(int)).score
    )


def test_signals_are_those_of_the_detector():
    X, y = stream(9, n=600)
    learner = WindowKNNClassifier(window=50, drift="ddm")
    found = learner.prequential(X, y)
    detector = sepal.learners.DDM()
    errors = (~found.correct).tolist()
    drifts, warnings = [], []
    for row, error in zip(found.rows.tolist(), errors, strict=True):
        if detector.update(error):
            drifts.append(row)
        elif detector.warning:
            warnings.append(row)
    assert found.drift_rows.tolist() == drifts
    assert found.warning_rows.tolist() == warnings


def test_result_of_a_stream_shows_itself():
    X, y = stream(10)
    found = WindowKNNClassifier(drift="ddm").prequential(X, y)
    rolling = found.rolling(20)
    assert rolling[-1] == pytest.approx(found.correct[-20:].mean())
    assert rolling[4] == pytest.approx(found.correct[:5].mean())
    assert found.frame()["correct"].tolist() == found.correct.tolist()
    assert len(found.plot().lines) == 2 + len(found.drift_rows)
    assert "score" in found._repr_html_()


def test_containers_and_pickle():
    X, y = stream(11)
    base = WindowKNNClassifier(window=70).fit(X, y)
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    for container in (frame, pl.DataFrame(frame), sepal.data.as_table(frame)):
        other = WindowKNNClassifier(window=70).fit(container, y)
        assert other.predict(container).tolist() == base.predict(X).tolist()
        assert other.feature_names_in_.tolist() == ["u", "v", "w"]
    again = pickle.loads(pickle.dumps(base))  # noqa: S301
    assert again.predict(X).tolist() == base.predict(X).tolist()
    table = sepal.data.as_table(frame, y)
    assert WindowKNNClassifier(window=70).fit(table).predict(X_of(table)).tolist() == base.predict(X).tolist()


def X_of(table: sepal.Table) -> sepal.Table:  # noqa: N802
    return table


def test_the_callers_arrays_stay_his_own():
    X, y = stream(12)
    learner = WindowKNNClassifier().fit(X, y)
    before = learner.predict(X).tolist()
    kept = X.copy()
    X[:] = 0.0
    assert learner.predict(kept).tolist() == before


@pytest.mark.parametrize("unit", [1.0, 1e9, 1e-9])
def test_votes_by_distance_do_not_depend_on_the_unit(unit):
    X = np.array([[1.0], [1.1], [-1.1], [5.0]]) * unit
    window = WindowKNNClassifier(n_neighbors=3, weights="distance", scale=None).fit(X, list("baab"))
    assert window.predict([[0.0]]).tolist() == ["a"]
    np.testing.assert_allclose(window.predict_proba([[0.0]]), [[2 / 3.1, 1.1 / 3.1]], rtol=1e-12)


def test_votes_of_rows_that_are_next_to_nothing_away():
    """One over such a distance is infinite, and shares of infinite votes were no numbers."""
    given = {"n_neighbors": 4, "weights": "distance", "distance": "manhattan", "scale": None}
    model = WindowKNNClassifier(**given).fit([[0.0], [1.0], [2e-310], [3e-310]], list("abcd"))
    assert model.predict_proba([[1e-310]])[0] == pytest.approx([0.4, 0.0, 0.4, 0.2])


def test_the_class_that_is_named_has_the_largest_share_where_votes_are_tied():
    """Thirds that differ in their last bit became equal when they were divided by their sum."""
    X = [[1, 1, 1], [1, 1, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 0]]
    model = WindowKNNClassifier(None, n_neighbors=6, scale=None).fit(np.array(X, float), [0, 0, 2, 1, 0, 1, 0, 2])
    rows = np.array([[a, b, c] for a in (0.0, 1.0) for b in (0.0, 1.0) for c in (0.0, 1.0)])
    assert model.predict(rows).tolist() == model.classes_[model.predict_proba(rows).argmax(axis=1)].tolist()
    assert model.predict([[0.0, 0.0, 0.0]]).tolist() == [1]
    assert model.predict_proba([[0.0, 0.0, 0.0]])[0] == pytest.approx([1 / 3] * 3)


def test_levels_that_are_only_asked_for_are_not_kept():
    window = WindowKNNClassifier(n_neighbors=1).fit([["red"], ["blue"]], ["a", "b"])
    before = pickle.dumps(window)
    window.predict([[f"shade {i}"] for i in range(100)])
    assert len(pickle.dumps(window)) == len(before)
    window.partial_fit([["green"]], ["c"])
    assert window.predict([["green"], ["red"], ["blue"]]).tolist() == ["c", "a", "b"]


def test_predicting_changes_nothing():
    X, y = stream(13)
    learner = WindowKNNClassifier(window=60, max_age=20).fit(X, y)
    before = [a.tolist() for a in learner.window_rows()]
    learner.predict(X)
    learner.predict_proba(X)
    assert [a.tolist() for a in learner.window_rows()] == before


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"window": 0}, "window must be"),
        ({"n_neighbors": None}, "n_neighbors must be"),
        ({"max_age": -1.0}, "max_age"),
        ({"class_quota": 0}, "class_quota"),
        ({"weights": "rank"}, "weights must be"),
        ({"distance": "mahalanobis"}, "distance must be"),
        ({"scale": "standard"}, "scale must be"),
        ({"distance": "cosine"}, "needs scale=None"),
        ({"distance_params": {"q": 1}}, "is not known"),
        ({"distance_params": {"weights": [1.0]}}, "weights"),
        ({"drift": "page-hinkley"}, "drift must be"),
        ({"on_drift": "cry"}, "on_drift"),
        ({"edit_every": 0}, "edit_every"),
    ],
)
def test_wrong_parameters_are_named(given, message):
    X, y = stream(0)
    with pytest.raises(ParameterError, match=message):
        WindowKNNClassifier(**given).fit(X, y)


def test_wrong_rows_are_named():
    X, y = stream(0)
    learner = WindowKNNClassifier().fit(X, y, times=np.arange(len(y)))
    with pytest.raises(DataError, match="must not go back"):
        learner.partial_fit(X[:1], y[:1], times=[3.0])
    with pytest.raises(DataError, match="one finite number per row"):
        learner.partial_fit(X[:1], y[:1], times=[1.0, 2.0])
    with pytest.raises(DataError, match="rows and y has"):
        learner.partial_fit(X[:2], y[:1])
    with pytest.raises(DataError, match="now it holds levels"):
        learner.partial_fit([["a", 1.0, 2.0]], y[:1])
    with pytest.raises(DataError, match="does not define them"):
        WindowKNNClassifier(distance="euclidean").fit([[np.nan], [1.0]], ["a", "b"])
    with pytest.raises(NotFittedError):
        WindowKNNClassifier().predict(X)
