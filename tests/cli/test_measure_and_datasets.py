"""``sepal measure``, ``sepal datasets``, ``sepal --version`` and the help texts."""

from __future__ import annotations

import json
import re

import pytest

import sepal as package
from sepal.data import SETS
from tests.cli.command import sepal


def test_measure_gives_the_known_figures():
    # Sources: tests/measures/test_published_figures.py.
    text = sepal("measure", "sonar").stdout
    assert re.search(r"score +0\.8750", text)
    assert re.search(r"104 +50% +0\.8300", text)
    assert re.search(r"187 +90% +0\.8678", text)


def test_measure_as_json_at_the_sizes_asked_for():
    said = json.loads(
        sepal("measure", "liver", "--train-size", "0.5", "--train-size", "10", "--permutations", "19", "--json").stdout
    )
    assert [point["train_rows"] for point in said["curve"]["points"]] == [10, 172]
    # Sources: tests/measures/test_published_figures.py.
    assert said["curve"]["points"][1]["accuracy"] == pytest.approx(0.6042, abs=5e-5)
    assert said["thornton"]["score"] == pytest.approx(0.6261, abs=5e-5)
    assert said["thornton"]["permutation_p"] == pytest.approx(1 / 20)


def test_measure_with_more_neighbors():
    said = json.loads(sepal("measure", "athletes", "--k", "3", "--train-size", "19", "--json").stdout)
    assert said["curve"]["k"] == 3


def test_the_sets_are_listed_with_a_mark_for_cautions():
    text = sepal("datasets").stdout
    for name, entry in SETS.items():
        (line,) = [line for line in text.splitlines() if line.split()[:1] == [name]]
        assert (" ! " in line) == bool(entry.cautions)
    assert re.search(r"sonar +208 +60 +2 ", text)
    assert re.search(r"ripley-test +1,000 +2 +2 ", text)
    narrow = sepal("datasets", COLUMNS="60").stdout
    assert max(map(len, narrow.splitlines())) <= 60


@pytest.mark.parametrize("name", list(SETS))
def test_a_set_is_described_with_its_source(name):
    joined = " ".join(sepal("datasets", name).stdout.split())
    for text in (SETS[name].citation, SETS[name].licence, *SETS[name].cautions):
        assert text in joined


def test_version():
    assert sepal("--version").stdout == f"sepal {package.__version__}\n"


@pytest.mark.parametrize(
    "verb", [(), ("report",), ("measure",), ("select",), ("evaluate",), ("train",), ("predict",), ("datasets",)]
)
def test_every_help_has_an_example_that_names_its_verb(verb):
    result = sepal(*verb, "--help")
    assert result.exit_code == 0
    assert re.search(rf"Example:  sepal {verb[0] if verb else 'report'} ", result.stdout)
    assert sepal(*verb, "-h").stdout == result.stdout
