"""Arguments of public functions, methods and settings that are no such thing: an error of Sepal, and no answer."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import numpy as np
import pytest

import sepal
from sepal import (
    data,
    distances,
    evaluation,
    kernels,
    learners,
    machines,
    measures,
    neighbors,
    prototypes,
    report,
    selection,
)
from sepal.exceptions import SepalError

TABLE = sepal.datasets.load("athletes")
CORNERS = {"low": [0.0, 0.0], "high": [9.0, 9.0]}
ROWS = {"X", "y", "Z", "table", "label", "machine", "ax", "axes", "rows", "progress"}
WRONG = (object(), True, -3.5, "nonsense", float("nan"))
# What is called with which arguments, to which one wrong one is added; where it takes rows they are athletes.
WITH_ROWS = {
    "plane": partial(data.plane, TABLE),
    "row_page": partial(data.row_page, TABLE),
    "sampled": partial(data.sampled, TABLE, n_rows=5),
    "summarize": partial(data.summarize, TABLE),
    "fit_distance": partial(distances.fit_distance, TABLE),
    "gram": partial(kernels.gram, TABLE),
    "gram of two": partial(kernels.gram, TABLE, TABLE),
    "align_feature_weights": partial(measures.align_feature_weights, TABLE, n_starts=1),
    "complexity": partial(measures.complexity, TABLE),
    "hyperparameter_surface": partial(
        machines.hyperparameter_surface, sepal.SVMClassifier(), TABLE, C=[1.0], width=[0.5]
    ),
    "rank_features": partial(selection.rank_features, TABLE),
    "voronoi_edges": partial(neighbors.voronoi_edges, [[1.0, 2.0], [3.0, 1.0]], **CORNERS),
}
WITHOUT_ROWS = {
    "check_psd": partial(kernels.check_psd, np.eye(2)),
    "center_gram": partial(kernels.center_gram, np.eye(2)),
    "kernel_distance": partial(kernels.kernel_distance, np.eye(2)),
    "normalize_gram": partial(kernels.normalize_gram, np.eye(2)),
    "kernel_alignment": partial(measures.kernel_alignment, np.eye(2), y=["a", "b"]),
    "expected_costs": partial(evaluation.expected_costs, shares=[[0.5, 0.5]], costs=np.ones((2, 2))),
    "least_cost": partial(evaluation.least_cost, shares=[[0.5, 0.5]], costs=np.ones((2, 2))),
    "cost_matrix": partial(evaluation.cost_matrix, np.ones((2, 2))),
    "compare": evaluation.compare,
    "load": data.load,
    "select": TABLE.select,
    "drop": TABLE.drop,
    "set_apart": TABLE.set_apart,
    "gamma_from_width": kernels.gamma_from_width,
    "width_from_gamma": kernels.width_from_gamma,
    "simulate_angle": partial(measures.simulate_angle, shifts=[1.0], n_repeats=2),
    "bayes_threshold": partial(evaluation.bayes_threshold, false_alarm=1.0, miss=1.0),
    "best_threshold": partial(evaluation.best_threshold, [0.1, 0.9], [0, 1]),
    "nogueira_stability": partial(selection.nogueira_stability, np.array([[1, 0], [1, 0], [0, 1]])),
    "ADWIN": learners.ADWIN,
    "DDM": learners.DDM,
    "Alignment": selection.Alignment,
    "CenteredAlignment": selection.CenteredAlignment,
    "ExpectedAccuracy": selection.ExpectedAccuracy,
    "LooKnn": selection.LooKnn,
    "Thornton": selection.Thornton,
}
# A wrong value of all others that is right of this one.
RIGHT = {
    ("forget", "before", -3.5),
    ("simulate_angle", "shifts", -3.5),
    ("kernel_alignment", "sample_weight", True),
    ("hyperparameter_surface", "sample_weight", True),  # one weight for all rows, as scikit-learn takes it
}


def refused(name: str, ask: Any) -> list[str]:
    """The arguments that were tried; fails where one was taken."""
    tried = []
    for each in inspect.signature(ask).parameters.values():
        if each.name in ROWS or each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) or isinstance(each.default, bool):
            continue
        tried.append(each.name)
        for wrong in WRONG:
            if (name, each.name, wrong) in RIGHT:
                continue
            with pytest.raises(SepalError, match=each.name):
                ask(**{each.name: wrong})
    return tried


@pytest.mark.parametrize("name", [*WITH_ROWS, *WITHOUT_ROWS])
def test_functions_and_settings(name):
    """``complexity(scale="nonsense")`` and ``gamma_from_width(-1)`` gave numbers, others ended in a TypeError."""
    assert refused(name, {**WITH_ROWS, **WITHOUT_ROWS}[name])


@pytest.fixture(scope="module")
def asked():
    """Methods of fitted models and of results, by name."""
    sweep = selection.subset_sweep(TABLE)
    search = selection.search_subsets(TABLE, strategy="forward")
    window = learners.WindowKNNClassifier().fit(TABLE)
    numbers = learners.KNNRegressor(2).fit(TABLE.values, TABLE.values[:, 0])
    return {
        "near_best": sweep.near_best,
        "near_best of a search": search.near_best,
        "smallest_near_best": sweep.smallest_near_best,
        "inclusion": sweep.inclusion,
        "frame": sweep.frame,
        "top": sweep.top,
        "forget": window.forget,
        "partial_fit": partial(window.partial_fit, TABLE),
        "predict_quantiles": partial(numbers.predict_quantiles, TABLE.values),
        "explain": sepal.SepalClassifier(time_limit=1.0).fit(TABLE).explain,
        "leave_one_out": sepal.KNNClassifier(1).fit(TABLE).leave_one_out,
        "leave_one_out of numbers": numbers.leave_one_out,
        "scores_for_every_k": partial(sepal.KNNClassifier(1).fit(TABLE).scores_for_every_k, TABLE),
        "text": sepal.KNNClassifier(1).fit(TABLE).explain(TABLE).text,
        "text of numbers": numbers.explain(TABLE.values).text,
        "ranking": sepal.prepare(TABLE).ranking,
        "grid": data.plane(TABLE).grid,
        "at": partial(evaluation.cost_curve([0.1, 0.4, 0.9], [False, True, True]).at, false_alarm=1.0, miss=1.0),
        "plot of suspects": measures.suspects(TABLE).plot,
        "plot of planes": measures.informative_projections(TABLE).plot,
        "interval": evaluation.evaluate(sepal.KNNClassifier(1), TABLE, cv=2).interval,
    }


def test_methods(asked):
    """``near_best(size="nonsense")`` was an empty answer, and ``interval(-3.5)`` an interval."""
    assert [name for name, ask in asked.items() if not refused(name, ask)] == []


@pytest.mark.parametrize("wrong", [None, "nonsense", 3.0, sepal.KNNClassifier])
def test_what_is_no_estimator_is_not_evaluated(wrong):
    """scikit-learn's AttributeError came out."""
    with pytest.raises(SepalError, match=r"^estimator must be a classifier or regressor; got"):
        evaluation.evaluate(wrong, TABLE)


@pytest.mark.parametrize("wrong", ["nonsense", True, 0, 20, float("nan")])
def test_a_training_size_that_is_none_is_named(wrong):
    """A text ended in a TypeError, and True was one row."""
    with pytest.raises(SepalError, match="train_sizes"):
        report.measure_facts(TABLE, train_sizes=[wrong])


@pytest.mark.parametrize("wrong", [None, "nonsense", sepal.SVMClassifier])
def test_what_is_no_classifier_has_no_regions(wrong):
    with pytest.raises(SepalError, match="machine must be a fitted classifier"):
        machines.decision_regions(wrong, TABLE)


@pytest.mark.parametrize("wrong", [[], [1.0], [[1.0, 1.0]], np.True_])
def test_weights_of_columns_are_called_by_their_own_name(wrong):
    """They were called ``distance_params['weights']``, which nobody had given."""
    with pytest.raises(SepalError, match="feature_weights must hold one number for each of 2 columns"):
        sepal.KNNClassifier(1, feature_weights=wrong).fit(TABLE)


def test_no_folds_are_refused():
    with pytest.raises(SepalError, match="cv: there is no fold in it"):
        evaluation.evaluate(sepal.KNNClassifier(1), TABLE, cv=[])


def test_evaluations_that_are_none():
    """The error was that a text has no attribute 'scheme'."""
    made = evaluation.evaluate(sepal.KNNClassifier(1), TABLE, cv=2)
    for wrong in ({"a": made, "b": 1}, [made, "b"], None):
        with pytest.raises(SepalError, match="evaluations must be a list or a mapping of what evaluate gives"):
            evaluation.compare(wrong)


def test_parameters_of_methods_that_are_not_asked_or_unknown():
    """The first were left alone without a word, the second ended in a TypeError."""
    with pytest.raises(SepalError, match="method_params: 'enn' is none of the methods hart"):
        prototypes.condense_curve(TABLE, methods=["hart"], method_params={"enn": {"n_neighbors": 1}}, cv=2)
    with pytest.raises(SepalError, match="method_params: 'n_neighbours' is no parameter of the method 'enn'"):
        prototypes.PrototypeSelector("enn", method_params={"n_neighbours": 1}).fit(TABLE)
    with pytest.raises(SepalError, match="method_params: 'distance' is"):
        prototypes.PrototypeSelector("enn", method_params={"distance": "manhattan"}).fit(TABLE)


def test_a_function_as_distance_is_not_called_a_sparse_matrix():
    with pytest.raises(SepalError, match="distance is a function of two rows, and this needs the coordinates"):
        prototypes.fcnn(TABLE, distance=lambda a, b: float(abs(a - b).sum()))


@pytest.mark.parametrize("model", [sepal.KNNClassifier(1), learners.KNNRegressor(1)], ids=["classes", "numbers"])
def test_weights_of_a_score_are_checked_as_those_of_fit_are(model):
    """Negative ones gave a score, others another library's error."""
    y = TABLE.y if isinstance(model, sepal.KNNClassifier) else TABLE.values[:, 0]
    fitted = model.fit(TABLE.values, y)
    for wrong in ([1.0, 2.0], np.full(20, np.nan), ["a"] * 20, np.full(20, -1.0), np.zeros(20)):
        with pytest.raises(SepalError, match="sample_weight"):
            fitted.score(TABLE.values, y, sample_weight=wrong)


def test_every_kind_of_wrong_value_is_told_in_the_words_of_the_parameters(asked):
    with pytest.raises(SepalError, match=r"^size must be None or an integer of at least 1; got -3\.5$"):
        asked["near_best"](size=-3.5)
    with pytest.raises(SepalError, match=r"^low must be a list of 2, each a finite number; got \[1\.0\]$"):
        WITH_ROWS["voronoi_edges"](low=[1.0])
    with pytest.raises(SepalError, match=r"^scale must be None, 'minmax' or 'standard'; got 'nonsense'$"):
        WITH_ROWS["complexity"](scale="nonsense")
