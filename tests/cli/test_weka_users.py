"""What a user of Weka types in the first ten minutes."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sepal.cli._app import app

# weather.nominal.arff, as it comes with Weka.
WEATHER = """@relation weather.symbolic
@attribute outlook {sunny, overcast, rainy}
@attribute temperature {hot, mild, cool}
@attribute humidity {high, normal}
@attribute windy {TRUE, FALSE}
@attribute play {yes, no}
@data
sunny,hot,high,FALSE,no
sunny,hot,high,TRUE,no
overcast,hot,high,FALSE,yes
rainy,mild,high,FALSE,yes
rainy,cool,normal,FALSE,yes
rainy,cool,normal,TRUE,no
overcast,cool,normal,TRUE,yes
sunny,mild,high,FALSE,no
sunny,cool,normal,FALSE,yes
rainy,mild,normal,FALSE,yes
sunny,mild,normal,TRUE,yes
overcast,mild,high,TRUE,yes
overcast,hot,normal,FALSE,yes
rainy,mild,high,TRUE,no
"""


@pytest.fixture
def weather(tmp_path):
    file = tmp_path / "weather.nominal.arff"
    file.write_text(WEATHER)
    return file


def run(*words, code=0):
    found = CliRunner().invoke(app, [str(word) for word in words])
    assert found.exit_code == code, found.output
    return found


def test_classes_with_fewer_rows_than_folds(weather):
    """Ten folds of nine and five rows were an error."""
    found = json.loads(run("evaluate", weather, "-l", "knn", "--json").stdout)
    assert found["n_rows"] == 14
    assert found["test_mode"] == "10-fold cross-validation, classes in as many folds as they have rows"


@pytest.mark.parametrize(("name", "ours"), [("IBk", "KNN"), ("weka.classifiers.lazy.IBk", "KNN"), ("SMO", "SVM")])
def test_names_of_weka(name, ours):
    assert ours in json.loads(run("evaluate", "athletes", "-l", name, "--cv", "2", "--json").stdout)["scheme"]


def test_what_we_have_not_names_the_nearest(weather):
    found = run("evaluate", weather, "-l", "NaiveBayes", code=2)
    assert "we have no NaiveBayes" in found.stderr
    assert "nearest: --learner parzen" in found.stderr
    assert "the majority" in run("evaluate", weather, "-l", "ZeroR", code=2).stderr


def test_predict_on_a_file_with_the_target_tells_the_score(weather, tmp_path):
    model = tmp_path / "m.sepal"
    run("train", weather, "-o", model, "-l", "IBk", "-k", "1")
    found = run("predict", model, weather)
    assert 'score: 14 of 14 rows as the column "play" says (100.0%)' in found.stderr
    lines = WEATHER.splitlines()
    new = tmp_path / "new.csv"
    new.write_text("outlook,temperature,humidity,windy\n" + lines[-1].rpartition(",")[0] + "\n")
    assert "score" not in run("predict", model, new).stderr
