"""PrototypeSelector and condense_curve."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from imblearn.pipeline import make_pipeline
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import sepal
from sepal.data import content_order
from sepal.exceptions import DataError, ParameterError
from sepal.prototypes import METHODS, PrototypeSelector, condense_curve, enn
from tests.prototypes.sets import smooth


@parametrize_with_checks([PrototypeSelector(), PrototypeSelector("hart"), PrototypeSelector("mss")])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_methods_are_these():
    assert list(METHODS) == [
        "hart", "fcnn", "rnn", "mss", "rss", "enn", "renn", "all_knn", "tomek_links", "drop3", "icf", "ib3",
    ]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_every_method_through_the_selector(method):
    X, y = smooth(0, n=300 if method == "ib3" else 90, n_classes=2)
    given = X.copy()
    selector = clone(PrototypeSelector(method, scale=None))
    X_kept, y_kept = selector.fit_resample(X, y)
    rows = METHODS[method](X, y, scale=None).rows
    assert selector.sample_indices_.tolist() == rows.tolist()
    assert np.array_equal(X_kept, X[rows])
    assert np.array_equal(y_kept, y[rows])
    assert np.array_equal(X, given)
    again = pickle.loads(pickle.dumps(selector))  # noqa: S301
    assert again.sample_indices_.tolist() == rows.tolist()


def test_containers_come_back_as_they_were():
    X, y = smooth(1)
    rows = PrototypeSelector().fit(X, y).sample_indices_
    frame = pd.DataFrame(X, columns=["u", "v", "w"], index=np.arange(len(y)) * 7)
    X_kept, y_kept = PrototypeSelector().fit_resample(frame, pd.Series(y, index=frame.index))
    assert X_kept.index.tolist() == (rows * 7).tolist()
    assert y_kept.tolist() == y[rows].tolist()
    X_kept, y_kept = PrototypeSelector().fit_resample(pl.DataFrame(frame), pl.Series(y))
    assert X_kept.rows() == [tuple(row) for row in X[rows].tolist()]
    assert y_kept.to_list() == y[rows].tolist()
    table = sepal.data.as_table(frame, y)
    selector = PrototypeSelector()
    X_kept, y_kept = selector.fit_resample(table)
    assert np.array_equal(X_kept.values, X[rows])
    assert selector.feature_names_in_.tolist() == ["u", "v", "w"]
    assert y_kept.tolist() == y[rows].tolist()


def test_method_params_reach_the_method():
    X, y = smooth(2)
    one = PrototypeSelector("enn", method_params={"n_neighbors": 1}).fit(X, y).sample_indices_
    five = PrototypeSelector("enn", method_params={"n_neighbors": 5}).fit(X, y).sample_indices_
    assert one.tolist() != five.tolist()


def test_unknown_method_gets_a_hint():
    with pytest.raises(ParameterError, match="did you mean 'hart'"):
        PrototypeSelector("hard").fit(*smooth(0))


def test_curve_counts_held_out_rows():
    """Without ties the accuracy is that of another library's 1-NN on the same folds and rows."""
    X, y = smooth(3, n=80, n_classes=2)
    curve = condense_curve(X, y, methods=["hart", "enn"], cv=4, random_state=5, scale=None)
    order = content_order(X, y)  # folds are dealt to rows by what is in them
    X, y = X[order], y[order]
    right = {"hart": [], "enn": [], "all": []}
    kept = {"hart": [], "enn": []}
    for train, test in StratifiedKFold(4, shuffle=True, random_state=5).split(X, y):
        for name in right:
            rows = np.arange(len(train)) if name == "all" else METHODS[name](X[train], y[train], scale=None).rows
            one = KNeighborsClassifier(1).fit(X[train][rows], y[train][rows])
            right[name] += (one.predict(X[test]) == y[test]).tolist()
            if name != "all":
                kept[name].append(len(rows) / len(train))
    assert curve.methods == ("hart", "enn")
    np.testing.assert_allclose(curve.accuracy, [np.mean(right["hart"]), np.mean(right["enn"])])
    np.testing.assert_allclose(curve.kept_share, [np.mean(kept["hart"]), np.mean(kept["enn"])])
    assert curve.full_accuracy == pytest.approx(np.mean(right["all"]))
    np.testing.assert_allclose(
        curve.standard_error, [np.std(right[name], ddof=1) / np.sqrt(80) for name in ("hart", "enn")]
    )


def test_curve_of_all_methods_draws_itself():
    X, y = load_iris(return_X_y=True)
    heard: list[tuple[str, float]] = []
    curve = condense_curve(X, y, cv=3, progress=lambda text, share: heard.append((text, share)))
    assert curve.methods == tuple(METHODS)
    assert heard[-1] == (f"{tuple(METHODS)[-1]}, fold 3 of 3", 1.0)
    assert curve.frame()["kept_share"].is_monotonic_increasing
    assert len(curve.plot().texts) == len(METHODS)
    assert "fcnn" in curve._repr_html_()


def test_curve_refuses_what_cannot_be_split():
    with pytest.raises(DataError, match="smallest class"):
        condense_curve([[0.0], [1.0], [2.0]], ["a", "b", "b"], cv=2)
    with pytest.raises(ParameterError, match="cv must"):
        condense_curve(*smooth(0), cv=1)


def test_folds_of_the_curve_hold_groups_together():
    rng = np.random.default_rng(4)
    once, labels = rng.normal(size=(40, 2)), np.arange(40) % 2
    near, y = np.repeat(once, 3, axis=0) + 1e-6 * rng.normal(size=(120, 2)), np.repeat(labels, 3)
    people = np.arange(120) // 3
    fooled = condense_curve(near, y, methods=["hart"], cv=5)
    honest = condense_curve(near, y, methods=["hart"], cv=5, groups=people)
    assert fooled.full_accuracy > 0.95 > 0.75 > honest.full_accuracy
    # A person's three rows are right or wrong together: the error of 40 trials, not of 120.
    p = honest.accuracy[0]
    assert honest.standard_error[0] == pytest.approx(np.sqrt(p * (1 - p) / 39), rel=1e-9)
    copies = np.repeat(once, 2, axis=0)
    assert condense_curve(copies, np.repeat(labels, 2), methods=["hart"], cv=5).full_accuracy < 0.75
    shuffled = rng.permutation(120)
    again = condense_curve(near[shuffled], y[shuffled], methods=["hart"], cv=5, groups=people[shuffled] * -7)
    assert again.accuracy.tolist() == honest.accuracy.tolist()
    with pytest.raises(DataError, match="one label for each of 120 rows"):
        condense_curve(near, y, groups=people[:5])
    with pytest.raises(DataError, match="has 20 groups, which is fewer than the 30 folds"):
        condense_curve(near, y, cv=30, groups=people)


def test_a_step_of_a_pipeline_of_imbalanced_learn():
    """Rows are left out in training only; a search may choose the method."""
    X, y = sepal.datasets.load("iris").values, sepal.datasets.load("iris").y
    model = make_pipeline(StandardScaler(), PrototypeSelector("enn"), SVC()).fit(X, y)
    kept = enn(StandardScaler().fit_transform(X), y).rows
    assert model[1].sample_indices_.tolist() == kept.tolist()
    plain = SVC().fit(StandardScaler().fit_transform(X)[kept], y[kept])
    assert model.predict(X).tolist() == plain.predict(StandardScaler().fit_transform(X)).tolist()
    search = GridSearchCV(model, {"prototypeselector__method": ["enn", "hart"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9


def test_missing_cells_in_one_part_of_a_fold_are_no_matter():
    """`condense_curve` failed where missing cells fell into the held-out part of a fold only."""
    X, y = smooth(0)
    X = np.array(X, dtype=float)
    X[3, 0] = np.nan
    found = condense_curve(X, y, methods=["enn"], cv=4)
    assert found.full_accuracy == condense_curve(X, y, methods=["enn"], cv=4, distance="heom").full_accuracy
