"""What a user of Weka types in the first ten minutes."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import sepal
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
    assert found["test_mode"] == "10-fold cross-validation, classes of fewer than 10 rows in fewer folds"


def test_one_class_with_fewer_rows_than_folds(tmp_path):
    """It was scikit-learn's warning about n_splits, and nothing in the run information."""
    file = tmp_path / "few.csv"
    rows = [f"{i}.5,{i % 7}.1,{'xy'[i % 2]}\n" for i in range(30)]
    file.write_text("a,b,class\n" + "".join(rows) + "40.5,41.5,z\n42.5,41.9,z\n39.1,42.5,z\n")
    found = run("evaluate", file, "-l", "knn")
    assert found.stderr == ""
    assert "10-fold cross-validation, classes of fewer than 10 rows in fewer folds, seed 0" in found.stdout


@pytest.mark.filterwarnings("always::sepal.exceptions.SepalWarning")
def test_what_every_fold_warns_of_is_said_once(weather):
    """The warning was printed once for every fold."""
    assert run("evaluate", weather, "-l", "SMO").stderr.count("predicts the class yes for every training row") == 1


@pytest.mark.parametrize(("name", "ours"), [("IBk", "KNN"), ("weka.classifiers.lazy.IBk", "KNN"), ("SMO", "SVM")])
def test_names_of_weka(name, ours):
    assert ours in json.loads(run("evaluate", "athletes", "-l", name, "--cv", "2", "--json").stdout)["scheme"]


def test_what_we_have_not_names_the_nearest(weather):
    found = run("evaluate", weather, "-l", "NaiveBayes", code=2)
    assert "we have no NaiveBayes" in found.stderr
    assert "nearest: --learner parzen" in found.stderr


def test_predict_on_a_file_with_the_target_tells_the_score(weather, tmp_path):
    model = tmp_path / "m.sepal"
    run("train", weather, "-o", model, "-l", "IBk", "-k", "1")
    found = run("predict", model, weather)
    assert 'score: 14 of 14 rows as the column "play" says (100.0%)' in found.stderr
    lines = WEATHER.splitlines()
    new = tmp_path / "new.csv"
    new.write_text("outlook,temperature,humidity,windy\n" + lines[-1].rpartition(",")[0] + "\n")
    assert "score" not in run("predict", model, new).stderr


def test_predict_on_a_file_with_numbers_tells_how_far_they_are(tmp_path):
    """By hand: errors 1, 0, 1 around a mean of 19/6, so 1 - 2 / (26/3) = 0.7692; it was silent on numbers."""
    model, train, new = tmp_path / "m.sepal", tmp_path / "train.csv", tmp_path / "new.csv"
    train.write_text("x,price\n" + "".join(f"{i},{2 * i + 0.5}\n" for i in range(30)))
    new.write_text("x,price\n0,1.5\n1,2.5\n2,5.5\n3,\n")
    run("train", train, "-o", model, "-l", "IBk", "-k", "1")
    said = 'score: R squared 0.7692, mean absolute error 0.6667 against the column "price" of 3 rows'
    assert said in run("predict", model, new).stderr
    new.write_text("x,price\n0,1.5\n")
    assert 'score: mean absolute error 1 against the column "price" of 1 row\n' in run("predict", model, new).stderr


def test_ibk_with_k_and_inverse_distances():
    """IBk -K 3 -I votes by 1 / distance."""
    found = json.loads(run("evaluate", "liver", "-l", "IBk", "-K", "3", "-I", "--cv", "2", "--json").stdout)
    assert found["parameters"]["n_neighbors"] == "3"
    assert found["parameters"]["weights"] == "'distance'"
    same = run("evaluate", "liver", "-l", "knn", "-k", "3", "--weights", "distance", "--cv", "2", "--json").stdout
    assert json.loads(same)["confusion"] == found["confusion"]
    assert "leave one out" in run("evaluate", "liver", "-I", "--weights", "rank", code=2).stderr


@pytest.mark.parametrize("name", ["IBk", "ib1", "weka.classifiers.lazy.IBk"])
def test_ibk_without_k_is_one_nearest_neighbour(name):
    """Weka's default; it chose k by leave-one-out."""
    found = json.loads(run("evaluate", "liver", "-l", name, "--cv", "2", "--json").stdout)
    assert found["parameters"]["n_neighbors"] == "1"
    own = json.loads(run("evaluate", "liver", "-l", "knn", "--cv", "2", "--json").stdout)
    assert own["parameters"]["n_neighbors"] == "'auto'"
    said = run("evaluate", "liver", "-l", name, "--set", "n_neighbors=5", "--cv", "2", "--json").stdout
    assert json.loads(said)["parameters"]["n_neighbors"] == "5"


@pytest.mark.filterwarnings("always::sepal.exceptions.SepalWarning")
def test_smo_on_levels_is_named_plainly(weather, tmp_path):
    """The run information said AnyTable(machine=SVMClassifier(...))."""
    found = run("evaluate", weather, "-l", "SMO")
    assert "Learner:      SVMClassifier(C='auto', probability=True) on levels as indicators" in found.stdout
    assert "kernel='rbf'" in found.stdout
    assert "AnyTable" not in found.output
    trained = run("train", weather, "-l", "SMO", "-o", tmp_path / "m.sepal", "--json")
    assert "SVMClassifier, 14 rows" in trained.stderr
    assert "AnyTable" not in trained.output


def test_predict_on_training_rows_says_so(weather, tmp_path):
    """It told 100.0 % and nothing else."""
    model, new = tmp_path / "m.sepal", tmp_path / "new.csv"
    run("train", weather, "-o", model, "-l", "IBk")
    said = "14 rows are equal to rows the model was trained on: the score says little about new rows"
    assert f"note: all {said}" in run("predict", model, weather).stderr
    head, *lines = (line for line in WEATHER.splitlines() if "," in line and "@" not in line)
    names = "outlook,temperature,humidity,windy,play\n"
    new.write_text(names + f"{head}\novercast,mild,normal,TRUE,yes\n" + f"{lines[0]}\n")
    assert "note: 2 of 3 rows are equal to rows" in run("predict", model, new).stderr
    new.write_text(names + "overcast,mild,normal,TRUE,yes\n")
    assert "equal to rows" not in run("predict", model, new).stderr
    new.write_text(names.replace(",play", "") + head.rpartition(",")[0] + "\n")
    assert "equal to rows" not in run("predict", model, new).stderr  # there is no score


def test_all_columns_carry_cells_as_they_stood(tmp_path):
    """6.117,23 came out as 6117.23."""
    file, model, out = tmp_path / "de.csv", tmp_path / "m.sepal", tmp_path / "out.csv"
    rows = [f"6.{100 + i},23;3,{i}0;{5 * i} %;{'ja' if i % 2 else 'nein'}" for i in range(1, 10)]
    file.write_text("betrag;maß;anteil;klasse\n" + "\n".join(rows) + "\n", encoding="utf-8")
    run("train", file, "-o", model, "-l", "IBk")
    run("predict", model, file, "--all-columns", "-o", out)
    with out.open(encoding="utf-8") as written:
        found = [[row["betrag"], row["maß"], row["anteil"]] for row in csv.DictReader(written)]
    assert found == [row.split(";")[:3] for row in rows]


def test_zero_r(weather, tmp_path):
    """Weka's ZeroR on the weather: 9 of 14 right, kappa 0."""
    found = json.loads(run("evaluate", weather, "-l", "ZeroR", "--json").stdout)
    assert (found["right"], found["kappa"]) == (9, 0.0)
    assert found["confusion"] == [[0, 5], [0, 9]]
    file = tmp_path / "line.csv"
    file.write_text("x,y\n" + "".join(f"{x},{2 * x + 0.5}\n" for x in range(30)))
    numbers = json.loads(run("evaluate", file, "-l", "ZeroR", "--json").stdout)
    assert (numbers["scheme"], numbers["task"]) == ("mean", "regression")
    assert "needs no model file" in run("train", weather, "-l", "ZeroR", "-o", tmp_path / "m.sepal", code=2).stderr


def test_run_information(weather):
    text = run("evaluate", weather, "-l", "IBk", "-K", "1", "--seed", "7").stdout
    block = text.split("=== Run information ===")[1].split("===")[0]
    for words in (
        "KNNClassifier(n_neighbors=1)",
        "weights='uniform'",
        "weather.nominal, 14 rows",
        "outlook, temperature, humidity, windy",
        "Target: play",
        "10-fold cross-validation",
        "seed 7",
        f"sepal {sepal.__version__}",
    ):
        assert words in " ".join(block.split())
    table = run("evaluate", weather, "--cv", "2").stdout
    assert f"seed 0, 14 rows, 2 classes, sepal {sepal.__version__}" in " ".join(table.split())


def test_a_split(weather):
    """66 % of 14 rows are 9, by class 6 of 9 and 3 of 5, to one row; the five others are answered."""
    found = json.loads(run("evaluate", weather, "-l", "IBk", "--split", "66", "--json").stdout)
    assert (found["n_rows"], found["test_mode"]) == (5, "split, 66 % of the rows for training")
    assert [sum(row) for row in found["confusion"]] == [2, 3]
    assert "above 0 and below 100" in run("evaluate", weather, "--split", "100", code=2).stderr
    assert "--cv and --split" in run("evaluate", weather, "--split", "66", "--cv", "loo", code=2).stderr


def test_a_test_file(tmp_path):
    """As k-NN by hand: one neighbour, and the test rows stand beside their training rows."""
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text(
        "id,x,colour,class\n"
        + "".join(f"A{i},{1.5 * i},{'rg'[i % 2]},{'no' if i < 15 else 'yes'}\n" for i in range(30))
    )
    test.write_text("class,colour,x,id\nno,r,1.5,T1\nyes,g,43.5,T2\nno,blue,42,T3\n")
    out = tmp_path / "answers.csv"
    words = ["evaluate", train, "--test", test, "-l", "IBk", "-K", "1", "--predictions", out, "--show-wrong", "5"]
    found = run(*words, "--json")
    facts = json.loads(found.stdout)
    assert facts["test_mode"] == "test rows of their own, 1 of them equal to training rows"
    assert (facts["n_rows"], facts["right"], facts["seed"]) == (3, 2, None)
    assert [(row["row"], row["identifiers"], row["actual"], row["prediction"]) for row in facts["wrong_rows"]] == [
        (2, {"id": "T3"}, "no", "yes")
    ]
    assert facts["wrong_rows"][0]["values"] == {"x": 42, "colour": "blue"}
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["row"], row["id"], row["prediction"]) for row in rows] == [
        ("0", "T1", "no"), ("1", "T2", "yes"), ("2", "T3", "yes")
    ]  # fmt: skip
    text = run(*words).stdout
    assert "33 rows: 30 to train on, 3 to answer" in text
    assert "row 2, id T3: no, answered yes" in text
    assert "x 42, colour blue" in text
    run(*words, "--all-columns")
    assert out.read_text().splitlines()[3].endswith(",42,blue")


def test_a_test_file_that_lacks_a_column(tmp_path):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("height,class\n" + "".join(f"{i},{'no' if i < 5 else 'yes'}\n" for i in range(10)))
    test.write_text("heigt,class\n1.5,no\n")
    found = run("evaluate", train, "--test", test, code=2).stderr
    assert 'there is no column "height", which the training rows have' in found
    assert 'did you mean "heigt"?' in found


def test_bundled_sets_train_and_test():
    found = json.loads(
        run("evaluate", "ripley-train", "--test", "ripley-test", "-l", "IBk", "-K", "1", "--json").stdout
    )
    train, test = sepal.datasets.load("ripley-train"), sepal.datasets.load("ripley-test")
    model = sepal.KNNClassifier(1).fit(train)
    assert (found["n_rows"], found["right"]) == (1000, int((model.predict(test) == test.y).sum()))


def test_predictions_carry_identifiers(tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"C{1000 + i},{rng.normal() + 3 * (i % 2):.3f},{'ab'[i % 2]}" for i in range(40)]
    train, new, model, out = (tmp_path / name for name in ("t.csv", "n.csv", "m.sepal", "o.csv"))
    train.write_text("customer,x,class\n" + "\n".join(lines) + "\n")
    new.write_text("customer,x,remark,order_id\nC7,0.1,late,77\nC8,3.2,,78\n")
    run("evaluate", train, "-l", "IBk", "--predictions", out)
    assert out.read_text().startswith("row,customer,fold,actual,prediction,right,")
    assert out.read_text().splitlines()[1].startswith("0,C1000,")
    run("train", train, "-l", "IBk", "-K", "1", "-o", model)
    run("predict", model, new, "-o", out)
    assert out.read_text().splitlines() == [
        "row,customer,order_id,prediction,p(a),p(b)",
        "0,C7,77,a,1.0,0.0",
        "1,C8,78,b,0.0,1.0",
    ]
    run("predict", model, new, "-o", out, "--all-columns")
    assert out.read_text().splitlines()[0] == "row,customer,order_id,prediction,p(a),p(b),x,remark"
    assert out.read_text().splitlines()[2] == "1,C8,78,b,0.0,1.0,3.2,"


def test_dates_are_written_as_the_file_had_them(tmp_path):
    """They came out as 1704067200."""
    days = [f"{1 + i % 28}.{1 + i % 12}.2024" for i in range(24)]
    lines = [f"{day},{i % 2 + i / 100},{'ab'[i % 2]}" for i, day in enumerate(days)]
    train, new, model, out = (tmp_path / name for name in ("t.csv", "n.csv", "m.sepal", "o.csv"))
    train.write_text("ordered,x,class\n" + "\n".join(lines) + "\n")
    run("evaluate", train, "-l", "IBk", "-K", "1", "--predictions", out, "--all-columns")
    with out.open(newline="") as file:
        assert [row["ordered"] for row in csv.DictReader(file)] == days
    run("train", train, "-l", "IBk", "-K", "1", "-o", model)
    new.write_text("x,ordered,sent\n0.1,31.01.2024,2024-02-01 12:30\n1.2,2.3.2024,2024-02-03 12:30\n")
    run("predict", model, new, "-o", out, "--all-columns")
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["prediction"], row["ordered"], row["sent"]) for row in rows] == [
        ("a", "31.01.2024", "2024-02-01 12:30"),
        ("b", "2.3.2024", "2024-02-03 12:30"),
    ]


def test_wrong_rows_surest_first():
    found = json.loads(
        run("evaluate", "liver", "-l", "IBk", "-K", "5", "--cv", "3", "--show-wrong", "20", "--json").stdout
    )
    sure = [row["probability"] for row in found["wrong_rows"]]
    assert len(sure) == 20
    assert sure == sorted(sure, reverse=True)
    table = sepal.datasets.load("liver")
    for row in found["wrong_rows"]:
        assert list(row["values"].values()) == table.values[row["row"]].tolist()
        assert row["actual"] == table.y[row["row"]] != row["prediction"]
    file_of_numbers = run(
        "evaluate", "liver", "--task", "regress", "-l", "knn", "-k", "5", "--cv", "3", "--show-wrong", "2"
    )
    assert "Farthest from the truth: 2 of 345 rows" in file_of_numbers.stdout
