"""Approximate neighbours enter no result without their recall beside it: a walk over all of them, in text and JSON."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

import sepal
from sepal.cli._app import app
from sepal.estimators import AnyTable
from sepal.exceptions import DataError, ParameterError
from sepal.measures import expected_accuracy_curve, overlap_regions, suspects
from sepal.report import measure_facts
from sepal.scale import (
    evaluate_partitions,
    fit_partitions,
    knn_partitions,
    measure_partitions,
    partitions_loo_curve,
    predict_partitions,
    prepare_partitions,
)

pytestmark = pytest.mark.filterwarnings("ignore:approximate neighbours")
N = 900
HOW = {"method": "approximate"}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, 4))
    found = pd.DataFrame(X, columns=list("abcd"))
    found["class"] = np.where(X[:, 0] + 0.5 * rng.normal(size=N) > 0, "yes", "no")
    return found


@pytest.fixture(scope="module")
def one(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("one") / "rows.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def parts(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    for at in range(3):
        frame.iloc[at * 300 : (at + 1) * 300].to_csv(folder / f"{at}.csv", index=False)
    return str(folder)


def _told(result):
    """The share a result tells, which stands in its text, its page and its facts where it has such."""
    assert "recall" in str(result)
    assert "recall" in repr(result)
    if hasattr(result, "_repr_html_"):
        assert "recall" in result._repr_html_()
    if hasattr(result, "to_html"):
        assert "recall" in result.to_html().partition("</header>")[0]
    share = result.recall_ if hasattr(result, "recall_") else result.recall
    if hasattr(result, "to_dict"):
        assert json.loads(json.dumps(result.to_dict()))["recall"] == share
    if hasattr(result, "exact"):
        assert result.exact is False
    return share


OF_ONE_TABLE = {
    "prepare": lambda X, y: sepal.prepare(X, y, **HOW),
    "neighbor_ranking": lambda X, y: sepal.neighbor_ranking(X, 3, **HOW),
    "thornton_test": lambda X, y: sepal.thornton_test(X, y, **HOW),
    "expected_accuracy_curve": lambda X, y: expected_accuracy_curve(sepal.prepare(X, y, **HOW)),
    "suspects": lambda X, y: suspects(sepal.prepare(X, y, **HOW)),
    "overlap_regions": lambda X, y: overlap_regions(sepal.prepare(X, y, **HOW)),
    "separability": lambda X, y: sepal.separability(X, y, **HOW, time_limit=0.5),
    "separability of prepared rows": lambda X, y: sepal.separability(sepal.prepare(X, y, **HOW), time_limit=0.5),
    "measure_facts": lambda X, y: measure_facts(X, y, **HOW),
    "KNNClassifier": lambda X, y: sepal.KNNClassifier(5, **HOW).fit(X, y),
    "KNNRegressor": lambda X, y: sepal.KNNRegressor(5, **HOW).fit(X, X[:, 0]),
    "explain": lambda X, y: sepal.KNNClassifier(5, **HOW).fit(X, y).explain(X[:2]),
    "explain of numbers": lambda X, y: sepal.KNNRegressor(5, **HOW).fit(X, X[:, 0]).explain(X[:2]),
    "loo_curve_": lambda X, y: sepal.KNNClassifier("auto", k_max=9, **HOW).fit(X, y).loo_curve_,
    "leave_one_out": lambda X, y: sepal.KNNClassifier(5, **HOW).fit(X, y).leave_one_out(),
    "leave_one_out of numbers": lambda X, y: sepal.KNNRegressor(5, **HOW).fit(X, X[:, 0]).leave_one_out(),
    "leave_one_out_curve": lambda X, y: sepal.leave_one_out_curve(X, y, k_max=9, **HOW),
    "evaluate": lambda X, y: sepal.evaluate(sepal.KNNClassifier(5, **HOW), X, y, cv=3),
    "evaluate of numbers": lambda X, y: sepal.evaluate(sepal.KNNRegressor(5, **HOW), X, X[:, 0], cv=3),
    "evaluate of AnyTable": lambda X, y: sepal.evaluate(AnyTable(sepal.KNNClassifier(5, **HOW)), X, y, cv=3),
    "evaluate of a pipeline": lambda X, y: sepal.evaluate(
        make_pipeline(StandardScaler(), sepal.KNNClassifier(5, **HOW)), X, y, cv=3
    ),
    "evaluate of a search": lambda X, y: sepal.evaluate(
        GridSearchCV(sepal.KNNClassifier(**HOW), {"n_neighbors": [1, 3]}, cv=2), X, y, cv=3
    ),
}
OF_PARTITIONS = {
    "prepare_partitions": lambda parts: prepare_partitions(parts, "class", **HOW),
    "thornton_test": lambda parts: sepal.thornton_test(prepare_partitions(parts, "class", **HOW)),
    "suspects": lambda parts: suspects(prepare_partitions(parts, "class", **HOW)),
    "expected_accuracy_curve": lambda parts: expected_accuracy_curve(prepare_partitions(parts, "class", **HOW)),
    "partitions_loo_curve": lambda parts: partitions_loo_curve(prepare_partitions(parts, "class", **HOW), 3),
    "measure_partitions": lambda parts: measure_partitions(parts, "class", **HOW),
    "measure_partitions of a sample": lambda parts: measure_partitions(parts, "class", n_queries=100, **HOW),
    "knn_partitions": lambda parts: knn_partitions(sepal.KNNClassifier(5, **HOW), parts, "class"),
    "fit_partitions": lambda parts: fit_partitions(sepal.KNNClassifier(5, **HOW), parts, "class", n_sample=600),
    "evaluate_partitions": lambda parts: evaluate_partitions(sepal.KNNClassifier(5, **HOW), parts, "class", cv=3),
    "predict_partitions": lambda parts: next(
        iter(predict_partitions(knn_partitions(sepal.KNNClassifier(5, **HOW), parts, "class"), parts))
    ),
    "separability": lambda parts: sepal.separability(parts, "class", **HOW, time_limit=5.0),
}


@pytest.mark.parametrize("name", OF_ONE_TABLE)
def test_results_of_one_table(frame, name):
    """Comparisons, explanations, curves asked for later, pipelines and pages left the recall out."""
    X, y = frame.drop(columns="class").to_numpy(), frame["class"].to_numpy()
    assert 0.8 < _told(OF_ONE_TABLE[name](X, y)) <= 1.0


@pytest.mark.parametrize("name", OF_PARTITIONS)
def test_results_of_partitions(parts, name):
    assert 0.8 < _told(OF_PARTITIONS[name](parts)) <= 1.0


def test_comparisons_tell_whose_neighbours_are_approximate(frame):
    X, y = frame.drop(columns="class").to_numpy(), frame["class"].to_numpy()
    runs = {name: sepal.evaluate(sepal.KNNClassifier(5, method=name), X, y, cv=3) for name in ("approximate", "auto")}
    found = sepal.compare(runs)
    assert found.recalls == {"approximate": runs["approximate"].recall}
    assert f"approximate: approximate neighbours, {runs['approximate'].recall:.1%} of the 10 nearest" in str(found)
    assert found.frame()["first_recall"].tolist() == [runs["approximate"].recall]
    assert found.frame()["second_recall"].isna().all()
    assert "first_recall" not in sepal.compare({"a": runs["auto"], "b": runs["auto"]}).frame()
    assert runs["approximate"].majority.recall is None  # which asks nobody


def _run(*words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.parametrize("where", ["one", "parts"])
@pytest.mark.parametrize("verb", ["report", "measure", "evaluate --learner knn", "evaluate --cv 2"])
def test_verbs(where, verb, request, tmp_path):
    """The comparison of several learners had no column for it, and single files took no --method."""
    data = request.getfixturevalue(where)
    words = [*verb.split(), data, "--target", "class", "--method", "approximate", "--jobs", "1"]
    words += ["--time-limit", "20s"] if verb == "report" else []
    text = _run(*words)
    assert text.exit_code == 0, text.output
    assert "recall" in text.stdout
    facts = json.loads(_run(*words, "--json").stdout)
    if verb == "evaluate --cv 2":
        by_name = {each["learner"]: each.get("recall") for each in facts["learners"]}
        share = by_name.pop("knn")
        assert 0.8 < share <= 1.0
        assert set(by_name.values()) == {None}
        head, row = (next(line for line in text.stdout.splitlines() if word in line) for word in ("accuracy", "k-NN"))
        assert row[: head.index("recall") + len("recall")].endswith(f" {100 * share:.1f}")
    else:
        assert 0.8 < facts["recall"] <= 1.0
    if verb == "report":
        page = tmp_path / "report.html"
        assert _run(*words, "--out", page).exit_code == 0
        assert "nearest are found" in page.read_text().partition("</header>")[0]
        assert "--method approximate" in page.read_text()


def test_who_cannot_tell_it_refuses(frame, parts, tmp_path):
    X, y = frame.drop(columns="class").to_numpy(), frame["class"].to_numpy()
    model = sepal.KNNClassifier(5, **HOW).fit(X, y)
    with pytest.raises(ParameterError, match="cannot be written to a model file"):
        sepal.save_model(model, tmp_path / "model.sepal")
    refused = _run("evaluate", "sonar", "--learner", "svm", "--method", "approximate")
    assert "the learner svm searches no neighbours" in refused.stderr
    with pytest.raises(DataError, match="needs all rows together"):
        knn_partitions(sepal.KNNClassifier(5), parts, "class").explain(frame.drop(columns="class")[:1])
