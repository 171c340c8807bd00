"""The report, the measures and the verbs take a pattern of file names, and say how they asked."""

from __future__ import annotations

import json
from html import unescape

import dask.dataframe
import pytest
from typer.testing import CliRunner

import sepal
from sepal.cli._app import app
from sepal.measures import angle_of_separability
from sepal.report import partitions_report
from sepal.scale import partitioned
from tests.scale.frames import frame


def test_few_rows_are_all_asked_and_all_sections_are_of_all(cut):
    table = frame("real", 240)
    whole = sepal.separability(table.drop(columns="class"), table["class"], n_jobs=1)
    found = sepal.separability(cut(table, [100, 140]), "class", n_jobs=1)
    assert found.partitions.exact
    assert found.partitions.rows_seen == found.partitions.n_sampled == 240
    assert found.thornton == whole.thornton
    assert found.curve == whole.curve
    assert [each.row for each in found.suspects.rows] == [each.row for each in whole.suspects.rows]
    assert found.verdict == whole.verdict
    assert "exact: all 240 rows asked all others" in found.to_text(100)
    assert "exact: all 240 rows" in found.to_html()
    assert "separability('sales/*.csv', 'class')" in found.to_text(120, source="sales/*.csv")


def test_a_dask_frame_is_asked_as_a_table_is():
    table = frame("mixed", 240)
    whole = sepal.separability(table.drop(columns="class"), table["class"], n_jobs=1)
    found = sepal.separability(dask.dataframe.from_pandas(table, npartitions=3), "class", n_jobs=1)
    assert (found.partitions.exact, found.partitions.rows_seen) == (True, 240)
    assert found.thornton == whole.thornton
    assert found.curve == whole.curve


def test_a_sample_is_told_in_the_header(cut, monkeypatch):
    monkeypatch.setattr("sepal.report._partitions.TOGETHER", 100)
    table = frame("real", 400)
    how = {"distance": "auto", "scale": "minmax", "missing": "distance", "random_state": 0, "n_jobs": 1}
    source = partitioned(cut(table, [150, 250]), "class")
    found = partitions_report(source, **how, n_queries=80, time_limit=None, progress=None)
    assert not found.partitions.exact
    assert (found.settings.n_asked, found.settings.n_rows, found.table.n_rows) == (80, 400, 400)
    assert found.thornton.interval == found.partitions.interval
    text = " ".join(found.to_text(200).split())
    assert "from a sample: 80 of 400 rows asked all rows" in text
    assert "stratified random sample of 100 rows" in text
    assert sum(each.n_rows for each in found.classes) == 400
    whole = angle_of_separability(table.drop(columns="class"), table["class"], n_permutations=0)
    assert found.angle.n_rows == 400
    assert found.angle.mahalanobis == pytest.approx(whole.mahalanobis, rel=1e-12)
    assert "no permutation test" in text


@pytest.fixture
def run():
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def test_the_verbs(cut, run, tmp_path):
    pattern = cut(frame("real", 200), [80, 120])
    said = run("measure", pattern, "--target", "class", "--json", "--jobs", "1")
    assert said.exit_code == 0, said.output
    facts = json.loads(said.stdout)
    assert (facts["partitions"]["exact"], facts["partitions"]["rows_seen"]) == (True, 200)
    assert "200 rows x 10 columns in 2 partitions" in said.stderr
    sampled = run("measure", pattern, "--sample", "50", "--json", "--jobs", "1")
    assert json.loads(sampled.stdout)["partitions"]["rows_seen"] == 50
    model = tmp_path / "model.sepal"
    trained = run("train", pattern, "--learner", "knn", "--out", str(model))
    assert trained.exit_code == 0, trained.output
    assert model.exists()
    refused = run("measure", "sonar", "--sample", "5")
    assert refused.exit_code != 0
    assert "partitions" in refused.stderr
    both = run("report", pattern, "--exact", "--sample", "5")
    assert "leave out --sample" in both.stderr


def test_train_says_what_all_rows_decided(cut, run, tmp_path):
    pattern, model = cut(frame("mixed", 200), [80, 120]), tmp_path / "model.sepal"
    trained = run("train", pattern, "--learner", "fisher", "--out", model, "--jobs", "1")
    assert trained.exit_code == 0, trained.output
    assert "FisherDiscriminant: the plane fitted to all 200 rows by sums over partitions" in trained.stderr
    asked = run("predict", model, pattern, "--out", tmp_path / "out.csv")
    assert asked.exit_code == 0, asked.output
    assert "score: " in asked.stderr
    assert "always answers the same" in run("train", pattern, "--learner", "majority", "--out", model).stderr


@pytest.mark.parametrize("words", [("evaluate", "--learner", "knn"), ("select",)])
def test_verbs_that_learn_answer_a_pattern_as_one_file(words, cut, run, tmp_path):
    table = frame("real", 90)
    table.to_csv(tmp_path / "one.csv", index=False)
    verb, *options = words
    found, wanted = (
        run(verb, each, "--target", "class", "--json", *options)
        for each in (cut(table, [40, 50]), str(tmp_path / "one.csv"))
    )
    assert found.exit_code == wanted.exit_code == 0, found.output
    found, wanted = json.loads(found.stdout), json.loads(wanted.stdout)
    differ = {key for key in wanted if found[key] != wanted[key]}
    assert differ <= {"data", "seconds"}, differ  # its name, and the time it took


def _sampled_report(cut, monkeypatch):
    monkeypatch.setattr("sepal.report._partitions.TOGETHER", 100)
    how = {"distance": "auto", "scale": "minmax", "missing": "distance", "random_state": 0, "n_jobs": 1}
    source = partitioned(cut(frame("real", 400), [150, 250]), "class")
    return partitions_report(source, **how, n_queries=80, time_limit=None, progress=None)


def test_the_first_lines_say_that_it_is_of_a_sample_and_the_plan(cut, monkeypatch):
    """In the page before its first section, in the text before the classes, and in JSON under one key."""
    found = _sampled_report(cut, monkeypatch)
    low, high = found.thornton.interval
    wanted = [
        "from a sample: 80 of 400 rows asked all rows",
        f"95% interval for the index of all rows {low:.4f} to {high:.4f}",
        "is of a stratified random sample of 100 rows",
        "400 rows x 10 columns in 2 partitions, 1 worker",
        "exact: all 400 rows ask, about",
        "doing: sample, since so many rows were asked for",
        "80 of 400 rows asked in",
    ]
    header = unescape(found.to_html().partition("</header>")[0])
    top = " ".join(found.to_text(100).partition("\nClasses\n")[0].split())
    for each in wanted:
        assert each.casefold() in header.casefold()  # a sentence there begins with a capital
        assert each in top
    told = json.loads(found.to_json())["partitions"]
    assert (told["exact"], told["rows_seen"], told["n_rows"], told["n_sampled"]) == (False, 80, 400, 100)
    assert told["interval"] == [low, high]
    assert told["plan"].splitlines()[0] == "400 rows x 10 columns in 2 partitions, 1 worker"
    assert told["seconds"] > 0


def test_the_first_lines_of_one_table_say_nothing_of_it():
    found = sepal.separability(sepal.datasets.load("athletes"))
    assert found.partitions is None
    assert '<dl class="asked">' not in found.to_html()
    assert "asked" not in found.to_text(100).partition("\nClasses\n")[0]
