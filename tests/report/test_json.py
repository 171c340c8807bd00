"""The report as JSON: stable keys, no NaN, no type JSON does not have."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sepal
from sepal.report import measure_facts, separability
from sepal.report._shown import plain

TABLE_KEYS = [
    "name",
    "description",
    "n_rows",
    "n_columns",
    "kinds",
    "n_missing",
    "n_rows_with_missing",
    "target",
    "notes",
    "cautions",
    "citation",
    "licence",
]
SETTINGS_KEYS = [
    "asked_distance",
    "distance",
    "scale",
    "missing",
    "ties",
    "n_rows",
    "n_dropped",
    "n_asked",
    "random_state",
    "notes",
    "n_groups",
]
THORNTON_KEYS = [
    "score",
    "interval",
    "confidence",
    "chance",
    "corrected",
    "macro",
    "z",
    "p_value",
    "permutation_std",
    "permutation_p",
    "n_permutations",
]
SUSPECT_KEYS = [
    "row",
    "label",
    "voted",
    "own_share",
    "margin",
    "mutual",
    "nearest_row",
    "nearest_label",
    "nearest_distance",
    "neighbors",
    "neighborhood",
]
SUSPECTS_KEYS = [
    "shown",
    "n_contradicted",
    "n_checked",
    "n_conflict_groups",
    "n_conflict_rows",
    "n_duplicate_groups",
    "n_copies",
    "n_near_duplicates",
    "k",
    "conflicts",
    "near_duplicates",
]


def refuse(constant):
    raise AssertionError(f"{constant} is not JSON")


def read(text):
    return json.loads(text, parse_constant=refuse)


def test_the_keys_of_a_report(report_of):
    said = read(report_of("liver").to_json())
    assert list(said) == [
        "sepal",
        "kind",
        "table",
        "classes",
        "majority",
        "settings",
        "thornton",
        "curve",
        "verdict",
        "next_steps",
        "model",
        "suspects",
        "beside",
        "features",
        "words",
        "alignment",
        "angle",
        "overlap",
        "complexity",
        "projections",
        "skipped",
        "seconds",
        "sample_rows",
        "partitions",
    ]
    assert said["kind"] == "report"
    assert said["sepal"] == sepal.__version__
    assert list(said["table"]) == TABLE_KEYS
    assert list(said["classes"][0]) == ["label", "n_rows", "share", "score", "chance", "interval"]
    assert list(said["majority"]) == ["label", "share"]
    assert list(said["verdict"][0]) == ["code", "text"]
    assert list(said["settings"]) == SETTINGS_KEYS
    assert list(said["thornton"]) == THORNTON_KEYS
    assert list(said["curve"]) == ["k", "n_rows", "points", "n_groups"]
    assert list(said["curve"]["points"][0]) == ["train_rows", "train_share", "accuracy", "split_std", "train_groups"]
    assert list(said["suspects"]) == SUSPECTS_KEYS
    assert list(said["suspects"]["shown"][0]) == SUSPECT_KEYS
    assert list(said["suspects"]["shown"][0]["neighborhood"][0]) == ["label", "n_rows"]
    assert list(said["features"]) == [
        "strategy",
        "n_rows",
        "n_subsets",
        "n_near_best",
        "best",
        "best_score",
        "smallest",
        "smallest_score",
        "inclusion",
    ]
    assert list(said["features"]["inclusion"][0]) == ["name", "share"]
    # The labels of this set are the integers 1 and 2, and stay integers.
    assert [entry["label"] for entry in said["classes"]] == [1, 2]


def test_the_keys_of_the_measures():
    said = read(measure_facts(sepal.datasets.load("athletes")).to_json())
    assert list(said) == [
        "sepal",
        "kind",
        "table",
        "classes",
        "majority",
        "settings",
        "thornton",
        "curve",
        "margins",
        "partitions",
        "skipped",
    ]
    assert list(said["margins"]) == [
        "minimum",
        "lower_quartile",
        "median",
        "upper_quartile",
        "maximum",
        "n_negative",
        "n_checked",
    ]


def test_what_is_not_defined_is_null():
    said = read(measure_facts([[0.0], [1.0]], ["a", "b"], train_sizes=[1]).to_json())
    assert said["margins"]["median"] is None
    assert said["thornton"]["z"] is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32(0.5), 0.5),
        (np.int8(3), 3),
        (np.bool_(True), True),
        (float("nan"), None),
        (np.float64("inf"), None),
        ((1, np.str_("a")), [1, "a"]),
        ({1: np.nan}, {"1": None}),
        (np.array([1.5, np.nan]), [1.5, None]),
        (np.datetime64("2020-01-01"), "2020-01-01"),
    ],
)
def test_plain_values(value, expected):
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)


def test_labels_outside_ascii_stay_readable_by_every_parser():
    text = separability([[0.0], [1.0], [5.0], [6.0]], ["é", "é", "\ud800", "\ud800"]).to_json()
    assert text.isascii()
    assert read(text)["classes"][0]["label"] == "é"
