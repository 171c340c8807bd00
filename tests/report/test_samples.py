"""Large tables: a sample asks, and the report says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sepal
from sepal.data import as_table
from sepal.exceptions import ParameterError
from sepal.measures import hit_and_miss_of, margin_solve
from sepal.report import _rows, _sections, measure_facts, separability
from sepal.report._margins import margins
from sepal.report._rows import take_rows
from tests.oracles.neighbors import distances
from tests.oracles.thornton import hypothesis_margins


@pytest.fixture
def small_limits(monkeypatch):
    """A table of a few hundred rows counts as large."""
    monkeypatch.setattr(_rows, "ALL_PAIRS_ROWS", 300)
    monkeypatch.setattr(_rows, "SAMPLE_ROWS", 200)
    monkeypatch.setattr(_sections, "ALL_PAIRS_ROWS", 300)
    monkeypatch.setattr(_sections, "SAMPLE_ROWS", 200)


def test_a_sample_is_taken_and_said(small_limits):
    table = sepal.datasets.load("ripley-test")
    facts = separability(table)
    assert (facts.settings.n_asked, facts.settings.n_rows, facts.settings.sampled) == (200, 1000, True)
    assert facts.thornton.z is None
    assert facts.thornton.p_value is None
    assert (facts.curve.n_rows, facts.suspects.n_checked) == (200, 200)
    assert "200 random rows were compared with all 1,000" in facts.to_text(100)
    low, high = facts.thornton.interval
    assert low < sepal.thornton_score(table) < high
    assert facts.verdict[0].code == "mostly_agree"


def test_the_same_sample_every_time(small_limits):
    table = sepal.datasets.load("liver")
    assert measure_facts(table).to_dict() == measure_facts(table).to_dict()


def test_permutations_are_refused_on_a_sample(small_limits):
    with pytest.raises(ParameterError, match="permutations"):
        measure_facts(sepal.datasets.load("liver"), n_permutations=10)


def take(table, scale):
    return take_rows(table, None, distance="auto", scale=scale, missing="distance", random_state=0, n_jobs=None)


def asking(table, sample, scale):
    rows = take(table, scale)
    return replace(rows, ready=replace(rows.ready, asking=sample))


@pytest.mark.parametrize("name", ["liver", "sonar"])
def test_margins_of_a_sample_are_those_of_the_oracle(name):
    table = sepal.datasets.load(name)
    rows = asking(table, np.arange(3, table.n_rows, 7), scale=None)
    D = distances("euclidean", table.values, table.values)
    oracle = np.array(hypothesis_margins(D, table.y.tolist(), normalized=True))[rows.sample]
    assert margins(rows) == pytest.approx(oracle, abs=1e-12)


def test_margins_of_a_sample_with_copies_and_lone_rows():
    X = np.array([[0.0], [0.0], [0.0], [3.0], [3.0], [9.0]])
    y = ["a", "a", "b", "b", "b", "c"]
    ready = take(as_table(X, y), scale=None).ready
    hit, miss = hit_and_miss_of(ready, np.arange(6))
    # 0 and 1: hit 0, miss 0. 2: hit 3, miss 0. 3 and 4: hit 0, miss 3. 5 is alone.
    found = margin_solve(hit, miss, normalized=True)
    assert found == pytest.approx([0.0, 0.0, -0.5, 0.5, 0.5, np.nan], nan_ok=True)


def test_a_sample_is_scaled_by_the_ranges_of_all_rows():
    X = np.array([[0.0], [1.0], [2.0], [100.0]])
    table, scale = take(as_table(X, ["a", "b", "a", "b"]), scale="minmax").part(np.array([0, 1, 2]))
    assert scale is None
    assert table.values.ravel() == pytest.approx([0.0, 0.01, 0.02])
    assert table.y.tolist() == ["a", "b", "a"]


def test_names_with_many_levels_leave_fewer_rows_for_the_model(monkeypatch):
    """Each level is a coordinate of the model: 900 of them took two seconds for 1,000 rows."""
    from sepal.report import _model

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = [[f"town {k}", float(v)] for k, v in zip(rng.integers(0, 40, 300), rng.normal(size=300) + y, strict=True)]
    assert separability(X, y).model.n_rows == 300
    monkeypatch.setattr(_model, "COORDINATES", 42 * 120)
    monkeypatch.setattr(_model, "FEWER_ROWS", 50)
    assert separability(X, y).model.n_rows == 120
    monkeypatch.setattr(_model, "FEWER_ROWS", 200)
    assert separability(X, y).model.n_rows == 200
