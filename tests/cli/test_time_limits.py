"""Time limits are kept: what does not fit is left out and said, and what cannot be cut short ends the command."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import sepal
from sepal.cli import _since_start
from sepal.cli._app import app
from sepal.report import measure_facts
from sepal.selection import _facts, select_facts

ENDED = """
import time
from sepal.cli._progress import watching
from sepal.cli._since_start import started
started()
with watching("reading", 0.01) as progress:
    progress("loading", 0.5)
    time.sleep(60)
"""


def test_what_cannot_be_cut_short_ends_the_command():
    """``--time-limit 30s`` took 93 s: no step, import or file may keep the command beyond 10 % and a second."""
    done = subprocess.run([sys.executable, "-c", ENDED], capture_output=True, text=True, timeout=50)
    assert done.returncode == 2
    assert done.stderr == (
        "error: the time limit of 0.01 s was over (loading); nothing was written\nhint: allow more time\n"
    )


def test_the_grace_is_within_a_tenth_and_a_second():
    assert _since_start.GRACE_SHARE <= 0.1
    assert _since_start.GRACE_SECONDS < 1.0


def test_a_verb_without_the_command_is_never_ended(monkeypatch):
    monkeypatch.setattr(_since_start, "_began", [])
    monkeypatch.setattr(_since_start, "Timer", None)  # would fail if it were asked for
    with _since_start.ended_after(1e-3, lambda: "reading"):
        pass


def test_loading_counts_for_a_limit_and_the_guard(monkeypatch):
    """Seconds of loading came on top of ``--time-limit``."""
    waits = []

    class Waiting:
        def __init__(self, seconds, work):
            waits.append(seconds)

        def start(self):
            pass

        cancel = start

    monkeypatch.setattr(_since_start, "_began", [])
    monkeypatch.setattr(_since_start, "Timer", Waiting)
    _since_start.started()
    _since_start._began[0] -= 4.0
    with _since_start.ended_after(10.0, lambda: "reading"):
        pass
    assert waits == [pytest.approx(10.0 * 1.1 + 0.8 - 4.0, abs=0.5)]


def test_measure_within_a_limit_that_is_over():
    table = sepal.datasets.load("ripley-train")
    whole = measure_facts(table)
    found = measure_facts(table, time_limit=1e-6, n_permutations=10_000_000)
    assert found.thornton.score == whole.thornton.score
    assert (found.curve, found.margins) == (None, None)
    assert found.skipped == dict.fromkeys(("margins", "splits", "permutations"), "the time limit was over")
    text = found.to_text()
    assert "Left out" in text
    assert "expected accuracy" in text
    assert json.loads(found.to_json())["curve"] is None
    assert whole.skipped == {}


def test_measure_within_a_limit_that_is_long_says_the_same():
    table = sepal.datasets.load("liver")
    plain, limited = measure_facts(table), measure_facts(table, time_limit=600.0)
    assert limited == plain


def test_permutations_need_every_row(monkeypatch):
    monkeypatch.setattr("sepal.report._rows.RANKED_PER_SECOND", 1.0)
    monkeypatch.setattr("sepal.report._rows.LEAST_SAMPLE", 50)
    found = measure_facts(sepal.datasets.load("ripley-train"), time_limit=60.0, n_permutations=9)
    assert found.settings.n_asked == 50
    assert found.skipped == {"permutations": "the time limit lets a sample ask, and permutations need every row"}


def test_measure_takes_the_option():
    found = CliRunner().invoke(app, ["measure", "liver", "--time-limit", "90s", "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["skipped"] == {}
    assert CliRunner().invoke(app, ["measure", "liver", "--time-limit", "soon"]).exit_code == 2


def many_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    return rng.normal(size=(3000, 4)) + y[:, None] * [1.0, 0.0, 0.0, 0.0], y


def test_select_searches_a_sample_where_the_limit_is_short():
    """``sepal select`` on 19,020 rows took 24 s for a limit of 3 s."""
    X, y = many_rows()
    found = select_facts(X, y, strategy="forward", time_limit=1e-3)
    assert found.n_rows == 500
    assert found.notes[:2] == (
        _facts.NO_FOLDS,
        "the time limit allows 500 of 3,000 rows: a random sample of them was searched",
    )
    assert found.nested is None
    order = np.random.default_rng(1).permutation(len(y))
    again = select_facts(X[order], y[order], strategy="forward", time_limit=1e-3)
    for mask in (1, 2, 4, 8):  # drawn by content, not by place
        assert again.result.scores[mask] == found.result.scores[mask]


def test_select_with_time_enough_takes_all_rows():
    X, y = many_rows()
    found = select_facts(X[:300], y[:300], strategy="forward", cv=2, time_limit=600.0)
    assert (found.n_rows, found.notes) == (300, ())
    assert found.nested.honest == select_facts(X[:300], y[:300], strategy="forward", cv=2).nested.honest


def test_folds_that_take_too_long_are_left_out(monkeypatch):
    """``sepal select`` went on with its folds when the limit was over."""
    X, y = many_rows()
    now = [0.0]
    monkeypatch.setattr(_facts.time, "monotonic", lambda: now[0])

    def slow(*rows, progress, **more):
        now[0] = 200.0
        progress("fold 1 of 2", 0.5)
        raise AssertionError("the limit was over")

    monkeypatch.setattr(_facts, "nested_score", slow)
    found = select_facts(X[:300], y[:300], strategy="forward", cv=2, time_limit=100.0)
    assert found.nested is None
    assert found.notes == (_facts.NO_FOLDS,)
