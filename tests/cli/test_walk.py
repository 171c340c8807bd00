"""Every messy file through every verb: each answers, and all give the same cautions, with codes in JSON."""

from __future__ import annotations

import csv
import io
import json

import pytest
from typer.testing import CliRunner

from sepal.cli._app import app
from tests.cli.messy import FILES, N, json_lines

VERBS = {
    "report": (),
    "measure": (),
    "select": ("--cv", "0"),
    "evaluate": ("-l", "knn", "--cv", "3"),
    "train": ("-l", "knn"),
}


def run(*words):
    found = CliRunner().invoke(app, [str(word) for word in words])
    assert found.exit_code == 0, found.output
    return found


def cautions_of(verb, file, folder, options):
    out = ("-o", folder / "model.sepal") if verb == "train" else ()
    found = run(verb, file, "--json", *options, *VERBS[verb], *out)
    facts = json.loads(found.stdout)
    told = facts["table"]["cautions"] if verb in ("report", "measure") else facts["cautions"]
    if verb in ("select", "evaluate", "train"):  # on a terminal these say them on stderr
        for each in told:
            assert f"caution: {each['text']}" in found.stderr
    return told


@pytest.mark.parametrize("name", FILES)
def test_every_verb_on_every_file(tmp_path, name):
    messy = FILES[name]
    file = messy.write(tmp_path)
    told = {verb: cautions_of(verb, file, tmp_path, messy.options) for verb in VERBS}
    assert all(each == told["report"] for each in told.values())
    assert tuple(each["code"] for each in told["report"]) == messy.codes
    texts = " | ".join(each["text"] for each in told["report"])
    for sentence in messy.said:
        assert sentence in texts
    answers = run("predict", tmp_path / "model.sepal", file)
    assert len(list(csv.DictReader(io.StringIO(answers.stdout)))) == N
    assert "score: " in answers.stderr


def test_texts_on_a_terminal_carry_the_cautions_too(tmp_path):
    file = FILES["names and dates"].write(tmp_path)
    for verb in ("report", "measure"):
        text = " ".join(run(verb, file).stdout.split())
        for sentence in FILES["names and dates"].said:
            assert sentence in text


def test_json_lines(tmp_path):
    file = json_lines(tmp_path)
    told = [cautions_of(verb, file, tmp_path, ()) for verb in VERBS]
    assert [[each["code"] for each in some] for some in told] == [["set_apart_identifier"]] * len(VERBS)


def test_select_leaves_texts_out_and_says_so(tmp_path):
    """It was an error, whatever other columns there were."""
    file = FILES["texts beside a number"].write(tmp_path)
    found = run("select", file, "--cv", "0", "--json")
    assert json.loads(found.stdout)["best"]["features"] == ["x"]
    assert "note: not selected from, since they hold texts: message" in found.stderr
