from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import sepal.datasets
from sepal.exceptions import ParameterError
from sepal.selection import SeparabilitySelector


@parametrize_with_checks([SeparabilitySelector(), SeparabilitySelector("forward", prefer="smallest")])
def test_scikit_learn_conventions(estimator: SeparabilitySelector, check: object) -> None:
    check(estimator)  # type: ignore[operator]


def test_frames_in_and_out() -> None:
    table = sepal.datasets.load("liver")
    frame = table.frame()
    selector = SeparabilitySelector().set_output(transform="pandas").fit(frame, table.y)
    assert list(selector.transform(frame).columns) == ["mcv", "sgpt", "sgot", "gammagt", "drinks"]
    assert selector.get_feature_names_out().tolist() == ["mcv", "sgpt", "sgot", "gammagt", "drinks"]
    assert round(selector.subset_.score, 4) == 0.6638  # tests/selection/test_subset_sweep.py
    wide = pl.DataFrame({name: table.values[:, j] for j, name in enumerate(table.names)})
    out = SeparabilitySelector().set_output(transform="polars").fit(wide, table.y).transform(wide)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == ["mcv", "sgpt", "sgot", "gammagt", "drinks"]


def test_mixed_frame_with_missing_cells() -> None:
    table = sepal.datasets.load("heart")
    frame = table.frame()
    before = frame.copy()
    selector = SeparabilitySelector(keep=["age"], n_features=3).fit(frame, table.y)
    assert selector.get_support()[0]
    assert selector.get_support().sum() == 4
    pd.testing.assert_frame_equal(frame, before)


def test_in_a_pipeline_under_grid_search() -> None:
    table = sepal.datasets.load("liver")
    pipeline = make_pipeline(MinMaxScaler(), SeparabilitySelector(), KNeighborsClassifier(1))
    grid = GridSearchCV(pipeline, {"separabilityselector__n_features": [2, 5]}, cv=3).fit(table.values, table.y)
    assert set(grid.cv_results_["mean_test_score"] > 0.5) == {True}


def test_pickle_and_scores() -> None:
    table = sepal.datasets.load("liver")
    selector = SeparabilitySelector().fit(table.values, table.y)
    again = pickle.loads(pickle.dumps(selector))  # noqa: S301
    assert again.get_support().tolist() == selector.get_support().tolist()
    sweep = selector.search_
    with_1 = max(sweep.scores[m] for m in range(1, 64) if m & 2)
    without_1 = max(sweep.scores[m] for m in range(1, 64) if not m & 2)
    assert selector.scores_[1] == pytest.approx(with_1 - without_1)


def test_unknown_words_are_refused() -> None:
    X, y = np.eye(4), [0, 1, 0, 1]
    with pytest.raises(ParameterError, match="strategy must be 'auto', 'sweep', 'forward'"):
        SeparabilitySelector("best_first").fit(X, y)
    with pytest.raises(ParameterError, match="prefer must be"):
        SeparabilitySelector(prefer="fast").fit(X, y)
