"""Scores by name and folds at a time: as scikit-learn's cross_validate says, and the same for every n_jobs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, make_scorer
from sklearn.model_selection import StratifiedKFold, cross_validate

from sepal.auto import SepalClassifier
from sepal.evaluation import evaluate
from sepal.exceptions import ParameterError
from sepal.learners import KNNClassifier, KNNRegressor

IRIS = load_iris()
FOLDS = StratifiedKFold(3)
ROWS = {"groups": "rows", "cv": FOLDS}


def error_and_rows(model, X, y):
    return {"error": 1.0 - float(np.mean(model.predict(X) == y)), "rows": len(y)}


@pytest.mark.parametrize(
    "scoring",
    [
        ["neg_log_loss", "balanced_accuracy"],
        {"auc": "roc_auc_ovr", "mine": make_scorer(balanced_accuracy_score)},
        "f1_macro",
        error_and_rows,
    ],
    ids=["names", "own names", "name", "function"],
)
def test_scores_are_those_of_cross_validate(scoring) -> None:
    forest = RandomForestClassifier(5, random_state=0)
    wanted = cross_validate(forest, IRIS.data, IRIS.target, cv=FOLDS, scoring=scoring)
    found = evaluate(forest, IRIS.data, IRIS.target, scoring=scoring, **ROWS)
    names = {name.removeprefix("test_") for name in wanted if name.startswith("test_")}
    assert set(found.scores) == ({scoring} if isinstance(scoring, str) else names)
    for name, scores in found.scores.items():
        np.testing.assert_allclose(scores, wanted["test_score" if isinstance(scoring, str) else f"test_{name}"])
    assert found.to_dict()["scores"] == {name: scores.tolist() for name, scores in found.scores.items()}


def test_a_function_of_one_number_is_called_score_and_without_scoring_there_is_none() -> None:
    found = evaluate(KNNClassifier(3), IRIS.data, IRIS.target, scoring=make_scorer(accuracy_score), **ROWS)
    np.testing.assert_allclose(found.scores["score"], found.fold_scores())
    plain = evaluate(KNNClassifier(3), IRIS.data, IRIS.target, **ROWS)
    assert plain.scores == {}
    assert "scores" not in plain.to_dict()


@pytest.mark.parametrize("estimator", [KNNClassifier(), SepalClassifier(time_limit=None), KNNRegressor(3)], ids=repr)
def test_answers_do_not_depend_on_how_many_folds_are_fitted_at_a_time(estimator) -> None:
    rows = np.arange(0, 150, 3)
    name = "r2" if isinstance(estimator, KNNRegressor) else "neg_log_loss"
    heard: list[float] = []
    how = {"cv": 3, "scoring": name, "progress": lambda text, share: heard.append(share)}
    one, two = (evaluate(estimator, IRIS.data[rows], IRIS.target[rows], n_jobs=jobs, **how) for jobs in (None, 2))
    np.testing.assert_array_equal(one.predicted, two.predicted)
    np.testing.assert_array_equal(one.scores[name], two.scores[name])
    if one.share is not None:
        np.testing.assert_array_equal(one.share, two.share)
    assert heard == pytest.approx([1 / 3, 2 / 3, 1, 2 / 3, 1])


@pytest.mark.parametrize("wrong", ["nonsense", 7, [], ["accuracy", "nonsense"], {"a": 3}])
def test_scores_that_nobody_knows(wrong) -> None:
    with pytest.raises(ParameterError, match="scoring"):
        evaluate(KNNClassifier(), IRIS.data, IRIS.target, scoring=wrong)


def test_a_score_is_a_number() -> None:
    with pytest.raises(ParameterError, match="score must give a number, found 'good'"):
        evaluate(KNNClassifier(), IRIS.data, IRIS.target, scoring=lambda *_: "good")
