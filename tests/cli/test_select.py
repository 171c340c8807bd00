"""``sepal select``: the known best subsets, what is said about them, files, and wrong words."""

from __future__ import annotations

import json
import re

import pytest

import sepal as package
from sepal.cli._options import seconds
from sepal.exceptions import ParameterError
from tests.cli.command import refused, sepal


@pytest.fixture(autouse=True)
def _inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text("a,b,class\n1,2,x\n2,1,x\n3,7,x\n8,9,y\n9,8,y\n7,1,y\n")


@pytest.fixture(scope="module")
def breast_cancer():
    """The answer for complete rows, as JSON and as text."""
    options = ("select", "breast-cancer", "--missing", "drop", "--cv", "5")
    return json.loads(sepal(*options, "--json").stdout), sepal(*options, COLUMNS="100").stdout


def test_the_known_best_subset(breast_cancer):
    said, text = breast_cancer
    assert (said["kind"], said["strategy"], said["n_evaluations"], said["n_rows"]) == ("selection", "sweep", 511, 683)
    # The three best of 511 subsets by a brute force over all pairs of rows in plain numpy.
    assert said["best"]["columns"] == [0, 1, 4, 5, 7]
    assert said["best"]["score"] == pytest.approx(0.9693, abs=5e-5)
    assert sorted(entry["columns"] for entry in said["near_best"][1:3]) == [[0, 1, 2, 3, 4, 5, 7], [1, 4, 5, 6, 7, 8]]
    assert re.search(r"0\.9693 +0\.0000 +0\.0000 +5 +clump_thickness", text)
    assert re.search(r"scored +511 subsets in [0-9.]+ s \([0-9,]+ per second\)", text)


def test_the_text_says_what_the_json_says(breast_cancer):
    said, text = breast_cancer
    joined = " ".join(text.split())
    n = said["n_near_best"]
    assert f"683 rows cannot tell {n} of 511 subsets apart" in joined
    for name, share in said["inclusion"].items():
        held = sum(name in entry["features"] for entry in said["near_best"])
        assert share == pytest.approx(held / n)
        assert re.search(rf"{name} +{share:.0%} ", text)
    assert min(len(entry["features"]) for entry in said["near_best"]) == len(said["smallest_near_best"]["features"])
    assert ", ".join(said["smallest_near_best"]["features"]) in joined
    assert said["honest"]["optimistic"] == said["best"]["score"] > said["honest"]["accuracy"]
    low, high = said["honest"]["interval"]
    accuracy = said["honest"]["accuracy"]
    assert re.search(rf"honest +{accuracy:.4f}   rows that took no part .*; 95 %: {low:.4f} to {high:.4f}", text)
    assert re.search(rf"optimistic +{said['honest']['optimistic']:.4f} ", text)


def test_a_search_of_a_wide_table_with_a_wanted_size():
    said = json.loads(
        sepal("select", "sonar", "--strategy", "forward", "--n-features", "3", "--cv", "0", "--json").stdout
    )
    assert said["honest"] is None
    assert len(said["best"]["features"]) == 3
    # 60 + 59 + 58 candidates.
    assert said["n_evaluations"] == 177


def test_a_sweep_with_a_wanted_size_compares_subsets_of_that_size():
    said = json.loads(sepal("select", "liver", "--n-features", "2", "--cv", "0", "--json").stdout)
    assert {len(entry["features"]) for entry in said["near_best"]} == {2}
    assert said["near_best"][0] == said["best"]
    near = said["n_near_best"]
    assert near == len(said["near_best"]) > 1
    assert said["sentence"].startswith(f"345 rows cannot tell {near} of 15 subsets apart")


@pytest.mark.parametrize("column", ["alkphos", "1"])
def test_kept_columns_are_in_every_subset(column):
    said = json.loads(sepal("select", "liver", "--keep", column, "--cv", "0", "--json").stdout)
    assert said["kept"] == ["alkphos"]
    assert all(1 in entry["columns"] for entry in said["near_best"])
    assert said["n_evaluations"] == 32


def test_a_time_limit_ends_the_search_with_the_best_so_far():
    said = json.loads(
        sepal("select", "sonar", "--strategy", "random", "--time-limit", "0.2s", "--cv", "0", "--json").stdout
    )
    assert said["stopped"] == "time_limit"
    assert said["seconds"] < 5.0
    assert said["best"]["score"] == max(entry["score"] for entry in said["near_best"])


def test_a_criterion_that_is_no_accuracy_promises_none():
    said = json.loads(sepal("select", "athletes", "--criterion", "mahalanobis", "--cv", "4", "--json").stdout)
    assert "promised" not in said["sentence"]
    assert said["n_near_best"] == 1


def test_out_and_plot(tmp_path):
    result = sepal("select", "good.csv", "--cv", "2", "--out", "subset.json", "--plot", "features.png")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "subset.json" in result.stderr
    # Column a separates the classes by itself.
    assert json.loads((tmp_path / "subset.json").read_text())["smallest_near_best"]["features"] == ["a"]
    assert (tmp_path / "features.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["features.png", "good.csv", "subset.json"]
    assert sepal("select", "good.csv", "--cv", "0", "--out", "subset.txt").exit_code == 0
    assert (tmp_path / "subset.txt").read_text().startswith("Features that separate the classes: good\n")


@pytest.mark.parametrize("columns", ["60", "80"])
def test_narrow_terminals(columns):
    text = sepal("select", "good.csv", "--cv", "2", COLUMNS=columns).stdout
    assert max(map(len, text.splitlines())) <= int(columns)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[("60s", 60.0), ("2m", 120.0), ("1.5h", 5400.0), ("90", 90.0), (".5 M", 30.0), ("3.s", 3.0)],
        *[("1e-9", 1e-9), ("1e3", 1000.0), ("2.5E-3 s", 0.0025), ("1e300", 1e9)],  # some thirty years at most
    ],
)
def test_times(text, expected):
    assert seconds(text, "--time-limit") == expected


@pytest.mark.parametrize("text", ["", "fast", "0s", "-1s", "1d", "1m30s", "nan", "e3", "1e", "0e5"])
def test_what_is_no_time(text):
    with pytest.raises(ParameterError, match="--time-limit"):
        seconds(text, "--time-limit")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--strategy", "greedy"), ("strategy", "greedy", "floating")),
        (("--criterion", "accuracy"), ("criterion", "accuracy", "thornton")),
        (("--strategy", "branch_and_bound"), ("branch_and_bound",)),
        (("--n-features", "3"), ("3",)),
        (("--keep", "c"), ("keep", '"c"')),
        (("--keep", "a", "--keep", "b"), ("keep", "no feature is left")),
        (("--time-limit", "soon"), ("--time-limit soon", "--time-limit 60s")),
        (("--strategy", "sweep", "--time-limit", "1s"), ("--time-limit 1s", "sweep", "--strategy auto")),
        (("--cv", "1"), ("--cv 1", "at least 2")),
        (("--cv", "99"), ("cv", "6")),
        (("--out", "no/subset.json"), ("there is no directory no",)),
        (("--out", "subset.png"), ("PNG", "subset.json")),
        (("--out", "good.csv"), ("overwrite the data",)),
        (("--plot", "features.bmp"), ("--plot", "PNG", "features.svg")),
    ],
)
def test_wrong_words(tmp_path, options, words):
    message = refused("select", "good.csv", *options)
    for word in words:
        assert word in message
    assert [file.name for file in tmp_path.iterdir()] == ["good.csv"]


def test_too_many_features_for_a_sweep():
    message = refused("select", "sonar", "--strategy", "sweep")
    assert "60 features" in message
    assert "floating" in message


def test_progress_tells_speed_and_the_best_so_far():
    told = []
    package.selection.select_facts(
        package.datasets.load("liver"), strategy="forward", cv=3, progress=lambda *words: told.append(words)
    )
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert told[-1] == ("done", 1.0)
    assert any(re.fullmatch(r"\d+ subsets, [\d,]+ per second, best so far 0\.\d{4}", words) for words, _ in told)


def test_a_sweep_tells_speed_and_the_best_so_far():
    told = []
    package.selection.select_facts(
        package.datasets.load("heart"), strategy="sweep", honest=False, progress=lambda *words: told.append(words)
    )
    pattern = r"[\d,]+ of 8,192 subsets, [\d,]+ per second(, best so far 0\.\d{4})?"
    counted = [words for words, _ in told if re.fullmatch(pattern, words)]
    assert counted
    assert "best so far" in counted[-1]
    assert told[-1] == ("done", 1.0)


def test_columns_without_a_value_are_no_features(tmp_path):
    """Exports end rows with empty cells; those columns stood in subsets, and --missing drop left no row."""
    rows = "".join(f"{i % 2 + i / 40};{i * 7 % 11};{'xy'[i % 2]};;;\n" for i in range(40))
    (tmp_path / "export.csv").write_text("a;b;class;;;\n" + rows)
    for missing in ("distance", "drop"):
        found = sepal("select", "export.csv", "--target", "class", "--missing", missing, "--json")
        said = json.loads(found.stdout)
        assert (said["n_features"], said["n_rows"]) == (2, 40)
        assert set(said["inclusion"]) == {"a", "b"}
        assert found.stderr.count("not a single value in") == 1
        assert 'not a single value in 2 columns: "x4", "x5": set apart and not used' in found.stderr


@pytest.mark.parametrize("name", ["/dev/null", "null.dat"])
def test_a_picture_for_a_device_is_a_png(name, tmp_path):
    """It was a traceback of matplotlib: Format '' is not supported."""
    (tmp_path / "null.dat").symlink_to("/dev/null")
    found = sepal("select", "good.csv", "--cv", "0", "--plot", name)
    assert (found.exit_code, "The picture is in" in found.stderr) == (0, True)
