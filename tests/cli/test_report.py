"""``sepal report``: the same facts as text and JSON, from files and bundled sets."""

from __future__ import annotations

import json
import re

import pytest
from sklearn.datasets import load_iris

from tests.cli.command import sepal

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def iris_file(tmp_path):
    """Iris as a CSV file, species first, so that it must be named as the target."""
    iris = load_iris()
    lines = ["species,sepal_l,sepal_w,petal_l,petal_w"]
    for label, row in zip(iris.target, iris.data, strict=True):
        lines.append(",".join([iris.target_names[label], *(str(cell) for cell in row)]))
    path = tmp_path / "iris.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_breast_cancer_is_the_default_and_complete_rows_give_the_known_figure():
    result = sepal("report", "--missing", "drop")
    assert result.exit_code == 0
    assert result.stdout.startswith("Sepal report: breast-cancer\n")
    # Source: tests/measures/test_published_figures.py.
    assert re.search(r"score +0\.9578 +95% interval", result.stdout)
    assert "16 of 699 rows, which have missing cells" in result.stdout
    assert re.search(r"benign +444 +65\.0%", result.stdout)
    assert result.stderr == ""


def test_json_holds_the_same_facts_as_the_text(iris_file):
    options = ("report", str(iris_file), "--target", "species", "--scale", "none")
    said = json.loads(sepal(*options, "--json").stdout)
    text = sepal(*options).stdout
    # Iris as it is: 0.96.
    assert said["thornton"]["score"] == pytest.approx(0.96)
    assert re.search(r"score +0\.9600", text)
    for entry in said["classes"]:
        assert re.search(rf"{entry['label']} +{entry['n_rows']} +{entry['share']:.1%}", text)
    for suspect in said["suspects"]["shown"]:
        assert re.search(rf"^ *{suspect['row']} +{suspect['label']} +{suspect['voted']} ", text, re.M)
    for verdict in said["verdict"]:
        assert verdict["text"] in " ".join(text.split())


@pytest.mark.parametrize("target", ["species", "0", "-5"])
def test_the_target_by_name_or_position(iris_file, target):
    said = json.loads(sepal("measure", str(iris_file), "--target", target, "--json").stdout)
    assert [entry["label"] for entry in said["classes"]] == ["setosa", "versicolor", "virginica"]


def test_a_column_called_like_a_number_is_meant_before_a_position(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("a,0,b\n1,x,5\n2,x,6\n8,y,7\n9,y,8\n")
    said = json.loads(sepal("measure", str(path), "--target", "0", "--json").stdout)
    assert [entry["label"] for entry in said["classes"]] == ["x", "y"]


@pytest.fixture
def small_file(tmp_path):
    """Four rows, two classes."""
    path = tmp_path / "small.csv"
    path.write_text("a,class\n1,x\n2,x\n8,y\n9,y\n")
    return str(path)


@pytest.mark.parametrize("columns", ["60", "80"])
def test_narrow_terminals(small_file, columns):
    text = sepal("report", small_file, COLUMNS=columns).stdout
    assert max(map(len, text.splitlines())) <= int(columns)


def test_no_color_when_piped(small_file):
    assert not ANSI.search(sepal("report", small_file, FORCE_COLOR="1").stdout)


def test_out_writes_the_text_and_leaves_stdout_alone(small_file, tmp_path):
    out = tmp_path / "report.txt"
    out.write_text("old")
    result = sepal("report", small_file, "--out", str(out), COLUMNS="60")
    assert (result.exit_code, result.stdout) == (0, "")
    assert str(out) in result.stderr
    shown = sepal("report", small_file, COLUMNS="80").stdout
    took = re.compile(r"took +[\d.]+ s")  # no two runs take the same time
    assert took.sub("", out.read_text(encoding="utf-8")) == took.sub("", shown)
    assert took.search(shown)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["report.txt", "small.csv"]


def test_out_writes_a_page(small_file, tmp_path):
    out = tmp_path / "report.html"
    done = sepal("report", small_file, "--out", str(out))
    assert done.exit_code == 0
    page = out.read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "Thornton" in page


@pytest.mark.parametrize("options", [("--out", "facts.json"), ("--json", "--out", "facts.txt")])
def test_out_writes_json(small_file, tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    assert sepal("report", small_file, *options).exit_code == 0
    assert json.loads((tmp_path / options[-1]).read_text())["thornton"]["score"] == 1.0


def test_a_bundled_name_wins_over_a_file_and_dot_slash_means_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "athletes").write_text("a,class\n1,x\n2,x\n8,y\n9,y\n")
    assert json.loads(sepal("measure", "athletes", "--json").stdout)["table"]["n_rows"] == 20
    assert json.loads(sepal("measure", "./athletes", "--json").stdout)["table"]["n_rows"] == 4


def test_cautions_are_shown():
    joined = " ".join(sepal("measure", "liver", COLUMNS="100").stdout.split())
    assert "the class is not a diagnosis" in joined
    assert "a valid target is drinks >= 3" in joined
