"""The features of a small table: figures from the founding paper's data, and when the report leaves them out.

The founding paper (A) has plots of all subsets and no figures; those here: all pairs of rows and all subsets in numpy.
"""

from __future__ import annotations

import numpy as np
import pytest

import sepal
from sepal.report import _features, separability


def test_liver_is_best_without_its_second_column(report_of):
    found = report_of("liver").features
    assert found.best == ("mcv", "sgpt", "sgot", "gammagt", "drinks")
    assert found.best_score == pytest.approx(0.6638, abs=5e-5)
    assert found.n_subsets == 63
    assert set(found.smallest) < set(sepal.datasets.load("liver").names)


def test_breast_cancer_complete_rows():
    found = separability(sepal.datasets.load("breast-cancer"), missing="drop").features
    names = sepal.datasets.load("breast-cancer").names
    assert found.best == tuple(names[j] for j in (0, 1, 4, 5, 7))
    assert found.best_score == pytest.approx(0.9693, abs=5e-5)
    assert found.smallest_score <= found.best_score


def test_a_column_of_noise_is_not_needed():
    # The first column alone separates the classes without an error, so that it is the smallest of the best.
    noise = np.array([3.0, 7.0, 1.0, 9.0, 4.0, 6.0, 2.0, 8.0])
    facts = separability(np.column_stack([[0, 1, 2, 3, 40, 41, 42, 43], noise]), list("aaaabbbb"))
    assert facts.features.best == facts.features.smallest == ("x1",)
    text = facts.to_text()
    assert "smallest  1.0000   x1" in text
    assert "picked for them" in " ".join(text.split())


@pytest.mark.parametrize("options", [{"distance": "manhattan"}, {"distance": "cosine"}])
def test_other_distances_have_no_feature_section(options):
    facts = separability(sepal.datasets.load("athletes"), **options)
    assert facts.features is None
    assert "Euclidean distance or HEOM" in facts.skipped["features"]
    assert "sepal select DATA" in facts.to_text()


def test_wide_tables_are_searched(report_of):
    found = report_of("sonar").features
    assert found.strategy == "forward"
    # The forward search of all 60 columns starts with each of them alone.
    assert found.n_subsets > 60
    assert found.best_score > report_of("sonar").thornton.score
    assert "forward search" in " ".join(report_of("sonar").to_text().split())


def test_long_tables_are_searched_on_a_sample(monkeypatch):
    monkeypatch.setattr(_features, "MOST_SECONDS", 0.0)
    monkeypatch.setattr(_features, "SEARCHED_ROWS", 100)
    report = separability(sepal.datasets.load("ripley-train"))
    assert (report.features.strategy, report.features.n_rows) == ("forward", 100)
    assert "random sample of 100 rows" in " ".join(report.to_text().split())


def test_very_wide_tables_get_a_hint(monkeypatch):
    monkeypatch.setattr(_features, "SEARCHED_COLUMNS", 1)
    report = separability(sepal.datasets.load("athletes"))
    assert report.features is None
    assert "sepal select" in report.skipped["features"]


def test_one_column_leaves_nothing_to_choose():
    facts = separability([[0.0], [1.0], [5.0], [6.0]], list("aabb"))
    assert facts.features is None
    assert "sepal select" not in facts.to_text()
