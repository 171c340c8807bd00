"""The quality benchmark: its arithmetic by hand, and that a second run does only what is missing."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from benchmarks.quality._methods import Method, preparation
from benchmarks.quality._run import Result, folds, log_loss, read_results, run
from benchmarks.quality._suites import at_most, folder_sets
from benchmarks.quality._summary import by_set, honesty, markdown, means, ranks, summary, versus
from sepal.data import as_table, load


def test_ranks_share_ties_and_failures_are_last():
    accuracy = pd.DataFrame({"a": [0.9, 0.5], "b": [0.9, np.nan], "c": [0.8, 0.7]})
    assert ranks(accuracy).to_numpy().tolist() == [[1.5, 1.5, 3.0], [2.0, 3.0, 1.0]]


def test_wins_and_wilcoxon():
    found = versus(np.array([0.9, 0.8, 0.7, 0.6]), np.array([0.8, 0.8, 0.6, 0.7]))
    assert (found.wins, found.ties, found.losses) == (2, 1, 1)
    # Six wins of six: both tails of 2^6 signs.
    assert versus(np.arange(1, 7) / 10, np.zeros(6)).p == pytest.approx(2 / 64)
    assert versus(np.ones(3), np.ones(3)).p == 1.0


def test_log_loss_by_hand():
    shares = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]])
    expected = -(np.log(0.5) + np.log(0.75) + np.log(1e-6 / (1 + 1e-6))) / 3
    assert log_loss(shares, np.array([0, 1, 1])) == pytest.approx(expected)


def test_peers_see_medians_indicators_and_a_level_for_gaps():
    table = as_table([[1.0, "r"], [np.nan, "g"], [3.0, None], [8.0, "r"]])
    prepared = preparation(table).fit_transform(table.values)
    numbers = np.array([1.0, 3.0, 3.0, 8.0])
    np.testing.assert_allclose(prepared[:, 0], (numbers - numbers.mean()) / numbers.std())
    assert prepared[:, 1:].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_samples_keep_the_shares_of_the_classes():
    table = as_table(np.arange(4000.0)[:, None], np.repeat([0, 1], [3000, 1000]))
    sample = at_most(table)
    assert np.bincount(sample.y).tolist() == [1500, 500]
    assert at_most(sample) is sample


def guess() -> Method:
    return Method(lambda: DummyClassifier(strategy="prior"))


def test_a_second_run_does_only_what_is_missing(tmp_path):
    out, said = tmp_path / "results.jsonl", []
    sets = {"athletes": lambda: load("athletes"), "liver": lambda: load("liver")}
    assert run(sets, {"guess": guess()}, out, say=said.append)
    lines = out.read_text().splitlines()
    assert (len(lines), len(said)) == (20, 2)
    out.write_text("\n".join(lines[:-3]) + "\n")
    assert run(sets, {"guess": guess()}, out, say=said.append)
    assert said[2:] == ["guess: liver: 57.97 % over 3 folds"]  # 200 of 345 rows, 40 of each 69
    again = out.read_text().splitlines()
    assert again[:-3] == lines[:-3]
    assert [json.loads(line)["fold"] for line in again[-3:]] == [2, 3, 4]
    assert not run(sets, {"late": guess()}, out, minutes=0.0)
    assert len(read_results(out)) == 20


def test_every_method_gets_the_same_rows():
    codes = np.repeat([0, 1], 25)
    one, other = ([test.tolist() for _, test in folds(codes, repeat)] for repeat in (0, 0))
    assert one == other
    assert one != [test.tolist() for _, test in folds(codes, 1)]
    assert sorted(np.concatenate(one).tolist()) == list(range(50))


def lines(method: str, accuracy: float, seconds: float, error: str = "") -> list[Result]:
    return [
        Result("s", method, r, f, 50, accuracy, accuracy, 0.5, seconds, seconds, "1", error, 0.8, 0.04, -0.01)
        for r in range(2)
        for f in range(5)
    ]


def test_the_summary_in_figures():
    results = [*lines("SVC grid", 0.7, 2.0), *lines("sepal", 0.75, 0.5), *lines("LDA", 0.6, 0.1)]
    table = means([*results, *results[:4]])
    assert table.set_index("method").loc["sepal", "cpu_seconds"] == pytest.approx(5.0)
    found = summary(table, "sepal")
    assert found.index.tolist() == ["sepal", "SVC grid", "LDA"]
    assert found["rank"].tolist() == [1.0, 2.0, 3.0]
    assert found.loc["sepal", "cpu_ratio"] == pytest.approx(0.25)
    assert found.loc["LDA", ["won", "tied", "lost"]].tolist() == [1, 0, 0]
    assert "| **sepal** | 75.00 | 75.00 | 0.500 | 4.00 | -1.00 | 1.00 | 0.250 | 0.25 |" in markdown(table, "sepal")
    assert "| s | 75.00 | 60.00 | 70.00 |" in by_set(table)
    assert "| sepal | 1 | 80.00 | 75.00 | 5.00 | 5.00 |" in honesty(table)
    assert len(means(results[:9])) == 0  # a fold is missing


def test_lines_from_before_calibration_was_measured_are_still_read(tmp_path):
    out, results = tmp_path / "old.jsonl", lines("LDA", 0.6, 0.1)
    plain = [{k: v for k, v in vars(each).items() if k not in ("ece", "overconfidence")} for each in results]
    out.write_text("".join(json.dumps(each) + "\n" for each in plain))
    table = means([*read_results(out), *lines("sepal", 0.75, 0.5)])
    assert "| LDA | 60.00 | 60.00 | 0.500 |  |  | 2.00 |" in markdown(table, "sepal")
    assert "| **sepal** | 75.00 | 75.00 | 0.500 | 4.00 | -1.00 | 1.00 |" in markdown(table, "sepal")


def test_calibration_of_a_fold_by_hand(tmp_path):
    out = tmp_path / "results.jsonl"
    assert run({"athletes": lambda: load("athletes")}, {"guess": guess()}, out, say=str)
    codes = np.unique(load("athletes").y, return_inverse=True)[1]
    for result in read_results(out):
        # One confidence for all rows, the share of the larger class in training: a single bin.
        train, test = list(folds(codes, result.repeat))[result.fold]
        share = np.bincount(codes[train]).max() / len(train)
        right = np.mean(codes[test] == np.bincount(codes[train]).argmax())
        assert result.overconfidence == pytest.approx(share - right, abs=1e-6)
        assert result.ece == pytest.approx(abs(share - right), abs=1e-6)


def test_a_failure_is_a_line_and_comes_last(tmp_path):
    def broken():
        raise RuntimeError("no luck")

    out = tmp_path / "results.jsonl"
    assert run({"athletes": lambda: load("athletes")}, {"LDA": Method(broken), "SVC": guess()}, out, say=str)
    assert {result.error for result in read_results(out)} == {"RuntimeError: no luck", ""}
    table = means(read_results(out))
    assert summary(table, "SVC")["rank"].to_dict() == {"SVC": 1.0, "LDA": 2.0}


def test_tables_in_a_folder(tmp_path, capsys):
    (tmp_path / "good.csv").write_text("x,class\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(12)))
    (tmp_path / "few.csv").write_text("x,class\n1,a\n2,b\n3,a\n")
    (tmp_path / "rare.csv").write_text("x,class\n" + "".join(f"{i},{'abc'[i % 2 + (i == 1)]}\n" for i in range(14)))
    (tmp_path / "notes.pdf").write_bytes(b"%PDF-1.7")
    assert [(name, table.n_rows) for name, table in folder_sets(tmp_path).items()] == [("good", 12), ("rare", 13)]
    said = capsys.readouterr().err
    assert "left out: few.csv" in said
    assert "left out: notes.pdf" in said
    assert "rare.csv: left out 1 rows of small classes" in said
