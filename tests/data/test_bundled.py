"""The bundled sets against what is published about them."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

import sepal.datasets
from sepal.data import SETS, class_codes
from sepal.exceptions import DataError

# rows, columns, complete rows, class counts, (numeric, ordinal, nominal): from bundled/README.md and the UCI pages
FACTS = {
    "breast-cancer": (699, 9, 683, {"benign": 458, "malignant": 241}, (9, 0, 0)),
    "liver": (345, 6, 345, {1: 145, 2: 200}, (6, 0, 0)),
    "sonar": (208, 60, 208, {"M": 111, "R": 97}, (60, 0, 0)),
    "heart": (303, 13, 297, {"healthy": 164, "disease": 139}, (6, 1, 6)),
    "diabetes": (768, 8, 768, {"neg": 500, "pos": 268}, (8, 0, 0)),
    "voting": (435, 16, 232, {"democrat": 267, "republican": 168}, (0, 0, 16)),
    "hepatitis": (155, 19, 80, {"live": 123, "die": 32}, (6, 0, 13)),
    "ripley-train": (250, 2, 250, {0: 125, 1: 125}, (2, 0, 0)),
    "ripley-test": (1000, 2, 1000, {0: 500, 1: 500}, (2, 0, 0)),
    "athletes": (20, 2, 20, {"no": 12, "yes": 8}, (2, 0, 0)),
    "weather": (14, 4, 14, {"no": 5, "yes": 9}, (0, 0, 4)),
    "iris": (150, 4, 150, {"setosa": 50, "versicolor": 50, "virginica": 50}, (4, 0, 0)),
    "wine": (178, 13, 178, {"class_0": 59, "class_1": 71, "class_2": 48}, (13, 0, 0)),
}


def test_names() -> None:
    assert sepal.datasets.names() == list(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_facts(name: str) -> None:
    rows, columns, complete, counts, kinds = FACTS[name]
    table = sepal.datasets.load(name)
    assert (table.n_rows, table.n_columns) == (rows, columns)
    assert int((~np.isnan(table.values).any(axis=1)).sum()) == complete
    codes, classes = class_codes(table)
    assert dict(zip(classes.tolist(), np.bincount(codes).tolist(), strict=True)) == counts
    assert tuple(table.kinds.count(kind) for kind in ("numeric", "ordinal", "nominal")) == kinds
    assert (table.name, table.target) == (name, "play" if name == "weather" else "class")


@pytest.mark.parametrize("name", FACTS)
def test_story(name: str) -> None:
    table = sepal.datasets.load(name)
    assert table.description
    assert table.citation
    assert table.licence
    assert table.notes == SETS[name].cautions
    assert (table.n_rows, table.n_columns, len(set(table.y))) == SETS[name].size


def test_cautions_are_shown() -> None:
    assert any("not a diagnosis" in note for note in sepal.datasets.load("liver").notes)
    assert any("zeros" in note for note in sepal.datasets.load("diabetes").notes)


def test_zeros_of_diabetes_are_left_alone() -> None:
    # UCI: glucose 5, pressure 35, triceps 227, insulin 374, mass 11 zeros
    table = sepal.datasets.load("diabetes")
    zeros = dict(zip(table.names, (table.values == 0).sum(axis=0).tolist(), strict=True))
    assert [zeros[name] for name in ("glucose", "pressure", "triceps", "insulin", "mass")] == [5, 35, 227, 374, 11]


def test_breast_cancer_misses_bare_nuclei_only() -> None:
    table = sepal.datasets.load("breast-cancer")
    assert dict(zip(table.names, np.isnan(table.values).sum(axis=0).tolist(), strict=True))["bare_nuclei"] == 16
    assert table.n_missing == 16
    assert table.drop_missing().notes[-1] == "16 of 699 rows with missing cells were dropped"


def test_heart_kinds() -> None:
    table = sepal.datasets.load("heart")
    kind = dict(zip(table.names, table.kinds, strict=True))
    levels = dict(zip(table.names, table.levels, strict=True))
    assert {name for name in kind if kind[name] == "nominal"} == {
        "sex",
        "chest_pain",
        "fasting_sugar_high",
        "rest_ecg",
        "exercise_angina",
        "thal",
    }
    assert kind["st_slope"] == "ordinal"
    assert levels["st_slope"] == ("upsloping", "flat", "downsloping")
    assert levels["fasting_sugar_high"] == ("0", "1")


def test_hepatitis_kinds() -> None:
    table = sepal.datasets.load("hepatitis")
    kind = dict(zip(table.names, table.kinds, strict=True))
    assert {name for name in kind if kind[name] == "numeric"} == {
        "age",
        "bilirubin",
        "alk_phosphate",
        "sgot",
        "albumin",
        "protime",
    }
    assert all(levels in (None, ("1", "2")) for levels in table.levels)


def test_voting_levels() -> None:
    assert set(sepal.datasets.load("voting").levels) == {("n", "y")}


def test_athletes_first_rows() -> None:
    # The first two lines of the table in D. Greene's slides (2015).
    assert sepal.datasets.load("athletes").values[:2].tolist() == [[2.5, 6.0], [3.75, 8.0]]


def test_iris_as_fisher_printed_it() -> None:
    """Many copies, UCI's first, have the 35th and 38th flower wrong; these are Fisher's (1936, table 1)."""
    table = sepal.datasets.load("iris")
    assert table.names == ("sepal_length", "sepal_width", "petal_length", "petal_width")
    assert table.values[[34, 37]].tolist() == [[4.9, 3.1, 1.5, 0.2], [4.9, 3.6, 1.4, 0.1]]


def test_every_file_is_used_and_named_in_the_readme() -> None:
    folder = files("sepal.data").joinpath("bundled")
    found = {item.name for item in folder.iterdir()}
    assert found == {entry.file for entry in SETS.values() if "." in entry.file} | {"README.md"}
    readme = folder.joinpath("README.md").read_text(encoding="utf-8")
    for name, entry in SETS.items():
        assert entry.file in readme
        assert name in readme


@pytest.mark.parametrize(
    ("name", "hint"), [("breastcancer", 'did you mean "breast-cancer"'), ("zzz", "there are breast-cancer, liver")]
)
def test_unknown_name(name: str, hint: str) -> None:
    with pytest.raises(DataError, match=f'there is no bundled set "{name}"\nhint: {hint}'):
        sepal.datasets.load(name)
