"""Subsets scored on workers are scored as here, and the same ones are chosen."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import sepal
from sepal.cli._app import app
from sepal.exceptions import ParameterError
from sepal.scale import _spreading, spread_subsets
from sepal.selection import _spread as spread
from sepal.selection import search_subsets, subset_sweep


@pytest.fixture
def asked(monkeypatch):
    """Which tasks went to workers."""
    names: list[str] = []
    run = _spreading.OnCluster.run

    def heard(self, name, task, jobs, progress=None, most=None):
        names.extend([name] * len(jobs))
        return run(self, name, task, jobs, progress, most)

    monkeypatch.setattr(_spreading.OnCluster, "run", heard)
    return names


def test_a_sweep_over_workers_has_the_same_scores(client, asked, monkeypatch):
    monkeypatch.setattr(spread, "_UNITS", 4)
    table = sepal.datasets.load("liver")
    criteria = ("thornton", "alignment", "mahalanobis")
    wanted = subset_sweep(table, criterion=criteria)
    with spread_subsets(client):
        found = subset_sweep(table, criterion=criteria)
        alone = subset_sweep(table)
    assert asked == ["score subsets"] * 8
    for name in criteria:
        np.testing.assert_allclose(found.all_scores[name], wanted.all_scores[name], rtol=1e-13)
    assert [each.features for each in found.top(5)] == [each.features for each in wanted.top(5)]
    assert np.array_equal(alone.scores, subset_sweep(table).scores, equal_nan=True)


@pytest.mark.parametrize("strategy", ["floating", "genetic"])
def test_a_search_over_workers_meets_the_same_subsets(strategy, client, asked):
    table = sepal.datasets.load("sonar")
    how = {"strategy": strategy, "max_evaluations": 300}
    wanted = search_subsets(table, **how)
    with spread_subsets(client):
        found = search_subsets(table, **how)
    assert len(asked) > 5
    assert found.scores == wanted.scores
    assert found.best == wanted.best
    assert [step.mask for step in found.history] == [step.mask for step in wanted.history]


def test_without_workers_nothing_is_sent(asked):
    with spread_subsets():
        subset_sweep(sepal.datasets.load("athletes"))
    assert asked == []


def test_rows_too_many_to_be_sent_are_refused(client, monkeypatch):
    monkeypatch.setattr(spread, "_MOST_BYTES", 100)
    with spread_subsets(client), pytest.raises(ParameterError, match="too many to be sent"):
        subset_sweep(sepal.datasets.load("athletes"))


def test_the_verb(client):
    words = ["select", "athletes", "--json", "--cv", "4"]
    here = CliRunner().invoke(app, words)
    there = CliRunner().invoke(app, [*words, "--cluster", client.scheduler.address])
    assert there.exit_code == 0, there.output
    found, wanted = json.loads(there.stdout), json.loads(here.stdout)
    assert {key for key in wanted if found[key] != wanted[key]} <= {"seconds"}
