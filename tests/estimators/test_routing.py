"""Metadata routing: weights and groups reach every estimator through scikit-learn's pipelines and cross-validation."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.estimators.every_estimator import EVERY, METHODS, frame_and_target, name_of

WITH_GROUPS = [
    "AnyTable",
    "FeatureVectorClassifier",
    "FeatureVectorRegressor",
    "GeneralizedDiscriminant",
    "KNNClassifier",
    "KNNRegressor",
    "KernelAdatronClassifier",
    "PaperChainClassifier",
    "ParzenClassifier",
    "PrototypeSelector",
    "SVMClassifier",
    "SepalClassifier",
    "SepalRegressor",
    "SeparabilitySelector",
]


def taking(name: str) -> list:
    return [each for each in EVERY if name in inspect.signature(each.fit).parameters]


def answers(estimator) -> bool:
    """Whether it can stand at the end of a pipeline: what only chooses rows cannot."""
    return any(hasattr(estimator, method) for method in METHODS)


def said(model, rows) -> np.ndarray:
    return np.asarray(getattr(model, next(method for method in METHODS if hasattr(model, method)))(rows))


def weights_and_groups(name: str, n: int) -> dict[str, np.ndarray]:
    return {name: 1.0 + np.arange(n) % 3 if name == "sample_weight" else np.arange(n) // 4}


def test_who_takes_what() -> None:
    assert [name_of(each) for each in taking("groups")] == WITH_GROUPS
    assert len(taking("sample_weight")) == 14


@pytest.mark.parametrize(
    ("estimator", "name"),
    [(each, name) for name in ("sample_weight", "groups") for each in taking(name) if answers(each)],
    ids=lambda each: each if isinstance(each, str) else name_of(each),
)
def test_a_pipeline_hands_them_on(estimator, name) -> None:
    frame, y = frame_and_target(estimator)
    rows, given = frame.to_numpy(), weights_and_groups(name, len(frame))
    scaled = StandardScaler().fit_transform(rows)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(estimator).set_fit_request(**{name: True})
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipe = make_pipeline(scaler, asking).fit(rows, y, **given)
    np.testing.assert_array_equal(said(pipe, rows), said(clone(estimator).fit(scaled, y, **given), scaled))


@pytest.mark.parametrize("estimator", [each for each in taking("sample_weight") if hasattr(each, "score")], ids=name_of)
def test_cross_validation_hands_on_weights(estimator) -> None:
    frame, y = frame_and_target(estimator)
    rows, weight, folds = frame.to_numpy(), 1.0 + np.arange(len(frame)) % 3, KFold(2, shuffle=True, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(estimator).set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        found = cross_validate(asking, rows, y, cv=folds, params={"sample_weight": weight})["test_score"]
    wanted = [
        clone(estimator).fit(rows[train], y[train], sample_weight=weight[train]).score(rows[test], y[test])
        for train, test in folds.split(rows)
    ]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("estimator", [each for each in taking("groups") if hasattr(each, "score")], ids=name_of)
def test_cross_validation_hands_on_groups(estimator) -> None:
    frame, y = frame_and_target(estimator)
    rows, groups = frame.to_numpy(), np.arange(len(frame)) // 4
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(estimator).set_fit_request(groups=True)
        found = cross_validate(asking, rows, y, cv=GroupKFold(2), params={"groups": groups})["test_score"]
    wanted = [
        clone(estimator).fit(rows[train], y[train], groups=groups[train]).score(rows[test], y[test])
        for train, test in GroupKFold(2).split(rows, groups=groups)
    ]
    np.testing.assert_array_equal(found, wanted)
