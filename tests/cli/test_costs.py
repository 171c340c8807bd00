"""``sepal evaluate --costs``."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sepal.cli._app import app
from sepal.data import as_table
from sepal.evaluation import costs_said
from sepal.exceptions import ParameterError

RUN = CliRunner()


def test_one_learner_is_decided_and_counted_by_costs():
    told = ["evaluate", "athletes", "-l", "knn", "-k", "5", "--cv", "loo", "--json"]
    plain = json.loads(RUN.invoke(app, told).stdout)
    dear = json.loads(RUN.invoke(app, [*told, "--costs", "yes=20", "--costs", "no:yes=1"]).stdout)
    assert dear["classes"] == ["no", "yes"]
    assert dear["costs"] == [[0, 1], [20, 0]]
    wrong = dear["confusion"]
    assert dear["mean_cost"] == pytest.approx((wrong[0][1] + 20 * wrong[1][0]) / 20)
    assert wrong[1][0] <= plain["confusion"][1][0]
    assert "costs" not in plain


def test_several_learners_get_a_column_of_costs():
    text = RUN.invoke(app, ["evaluate", "athletes", "--cv", "2", "--costs", "yes=20"]).stdout
    assert " cost " in text
    assert "always the class of least cost" in text
    assert "always the largest class" not in text
    assert "gain: how much less a row costs with SepalClassifier; p: by the corrected t test over folds." in text


def test_gain_and_p_are_of_the_costs():
    """They compared accuracies, which no answer had been chosen for."""
    told = ["evaluate", "heart", "--cv", "3", "--costs", "disease=5", "--quick", "--json"]
    facts = json.loads(RUN.invoke(app, told).stdout)
    assert facts["compared_by"] == "mean cost"
    first, *others = facts["learners"]
    for other in others:
        test = other["first_against_this"]
        assert test["difference"] == pytest.approx(other["mean_cost"] - first["mean_cost"])
        assert test["mcnemar_p"] is None
        assert 0.0 <= test["t_p"] <= 1.0
    lines = RUN.invoke(app, told[:-1]).stdout.splitlines()
    (row,) = (line for line in lines if line.startswith("always the class of least cost"))
    largest = others[-1]
    assert row.split()[-2] == f"{largest['mean_cost'] - first['mean_cost']:+.4f}"


def test_one_test_set_is_compared_row_by_row():
    text = RUN.invoke(app, ["evaluate", "heart", "--split", "66", "--costs", "disease=5", "--quick"]).stdout
    assert "p: by the paired t test on the rows." in text


@pytest.mark.parametrize("text", ["yes", "maybe=2", "yes=x", "yes:maybe=2", "yes=-1"])
def test_wrong_costs_are_told_before_anything_is_fitted(text):
    table = as_table([[1.0], [2.0]], ["no", "yes"])
    with pytest.raises(ParameterError, match="cost"):
        costs_said([text], table.y.tolist())


def test_names_with_colons_and_numbers_as_classes():
    assert costs_said(["a:b=2"], ["a:b", "c"]) == {"a:b": 2.0}
    assert costs_said(["1:0=2"], [0, 1]) == {(1, 0): 2.0}
