"""One vocabulary: options of one name have one spelling, one text and one place in all verbs."""

from __future__ import annotations

import argparse
import json
import re
from itertools import combinations

import pytest
import typer
from typer.testing import CliRunner

from sepal.cli._answers import JSON_HELP, OUT_HELP
from sepal.cli._app import app
from sepal.cli._mail import _parser
from sepal.cli._options import BEHIND, SHARED
from sepal.cli._reading import Reading

runner = CliRunner()
VERBS = typer.main.get_command(app).commands
READING = tuple(Reading.__dataclass_fields__)
FROM_ROWS = {"report", "measure", "select", "evaluate", "train"}
WITHOUT_ANSWER = {"explore", "mail"}  # a browser shows it, or its own verbs answer
# Which verbs each shared option means something in; "all" that read labelled rows, or every verb.
WHERE = {
    "target": FROM_ROWS | {"explore", "do"},
    "groups": FROM_ROWS | {"explore", "do"},
    "learner": {"evaluate", "train"},
    "k": {"measure", "evaluate", "train"},
    "weights": {"evaluate", "train"},
    "inverse": {"evaluate", "train"},
    "missing": FROM_ROWS | {"explore", "do"},
    "distance": FROM_ROWS - {"select"} | {"explore", "do"},  # a subset's distance is a sum over its columns
    "scale": FROM_ROWS | {"explore", "do"},
    "cv": {"select", "evaluate", "do"},
    "time_limit": {"report", "measure", "select", "evaluate"},
    "seed": FROM_ROWS | {"do"},
    "jobs": set(VERBS) - {"datasets", "mail"},  # which compare no rows with each other, or one message at a time
    "out": set(VERBS) - WITHOUT_ANSWER - {"run", "reproduce"},  # which write a folder
    "all_columns": {"evaluate", "predict"},
    "escape_formulas": {"evaluate", "predict"},
    "as_json": set(VERBS) - {"mail"},
    **dict.fromkeys(("cluster", "workers"), FROM_ROWS | {"predict"}),
    **dict.fromkeys(READING, FROM_ROWS | {"explore", "do"}),
}
OWN_TEXT = {("measure", "k")}  # an odd number, or 1: other rules than a learner's
(_MAIL_VERBS,) = (each for each in _parser()._actions if isinstance(each, argparse._SubParsersAction))
# Verb of mail -> option -> its spellings and its help.
MAIL = {
    name: {each.dest: (each.option_strings, each.help) for each in verb._actions if each.option_strings}
    for name, verb in _MAIL_VERBS.choices.items()
}
OTHER_JSON = {"filter", "export"}  # hands a message on; writes JSON lines anyway


def options(verb: str) -> dict[str, object]:
    return {each.name: each for each in VERBS[verb].params if each.param_type_name == "option"}


def helps(verb: str) -> dict[str, str]:
    """The help of each option as it is printed, without its default and range."""
    runner.invoke(app, [verb, "--help"])  # fills in what parameters say
    built = typer.main.get_command(app).commands[verb]
    built.get_help(typer.Context(built))
    return {each.name: each.help for each in built.params if each.param_type_name == "option"}


@pytest.fixture(scope="module")
def texts():
    return {verb: helps(verb) for verb in VERBS}


def test_the_verbs_are_these():
    assert set(VERBS) == {
        *("report", "measure", "select", "evaluate", "train", "predict", "explore", "do", "run", "reproduce"),
        *("datasets", "mail"),  # the second has verbs of its own
    }


@pytest.mark.parametrize("name", [*SHARED, *READING])
def test_an_option_is_where_it_means_something_with_one_spelling_and_one_text(name, texts):
    """Two verbs knew ``-o``, folds were ``--cv`` or ``--folds``, and the seed was 0, 1 or not to be had."""
    assert {verb for verb in VERBS if name in options(verb)} == WHERE[name]
    spelled = {tuple(options(verb)[name].opts) for verb in WHERE[name]}
    metavars = {options(verb)[name].metavar for verb in WHERE[name]}
    said = {texts[verb][name] for verb in WHERE[name] if (verb, name) not in OWN_TEXT}
    assert len(spelled) == len(metavars) == len(said) == 1, (spelled, metavars, said)
    assert said.pop()


def test_out_and_json_are_spelled_as_everywhere():
    for verb in ("train", "run", "reproduce"):
        named = options(verb)
        assert set(named["out" if verb == "train" else "folder"].opts) == {"-o", "--out"}
        assert named["as_json"].opts == ["--json"]


def test_every_verb_takes_json_and_every_verb_that_writes_takes_out():
    """``mail filter`` and ``mail export`` did not take ``--json``."""
    own = {verb: [each.opts for each in options(verb).values()] for verb in VERBS if verb != "mail"}
    own |= {f"mail {verb}": [opts for opts, _ in has.values()] for verb, has in MAIL.items()}
    spelled = {verb: {word for opts in each for word in opts} for verb, each in own.items()}
    assert [verb for verb, opts in spelled.items() if "--json" not in opts] == []
    without = {verb for verb, opts in spelled.items() if not {"-o", "--out"} <= opts}
    assert without == {"explore", "mail filter"}  # a browser shows it; a message is handed on to whoever asked


@pytest.mark.parametrize("verb", MAIL)
def test_the_verbs_of_mail_have_the_same_two_at_their_end(verb):
    last = list(MAIL[verb].items())[-2:]
    json_help = JSON_HELP if verb not in OTHER_JSON else MAIL[verb]["json"][1]
    assert last[-1] == ("json", (["--json"], json_help))
    assert (last[0] == ("out", (["-o", "--out"], OUT_HELP))) is (verb != "filter")


def test_options_of_mail_have_one_text_and_one_order():
    for first, second in combinations(MAIL, 2):
        one, other = MAIL[first], MAIL[second]
        both = [name for name in one if name in other]
        assert both == [name for name in other if name in one], (first, second)
        differ = {name for name in both if one[name] != other[name]}
        assert differ <= ({"json"} if OTHER_JSON & {first, second} else set()), (first, second)
    for verb, has in MAIL.items():
        assert [name for name, (_, text) in has.items() if not text] == [], verb


@pytest.mark.parametrize("verb", sorted(OTHER_JSON))
def test_where_json_means_something_else_its_help_says_so(verb):
    text = MAIL[verb]["json"][1]
    assert text != JSON_HELP
    assert "one JSON object" in text
    assert ("stderr" if verb == "filter" else "a line") in text


@pytest.mark.parametrize("verb", list(VERBS))
def test_shared_options_stand_in_one_order(verb):
    names = [name for name in options(verb) if name in (*SHARED, *READING)]
    assert names == [name for name in (*SHARED, *READING) if name in names]


def test_options_of_one_name_stand_in_one_order_in_any_two_verbs():
    """Where the workers are stood among the last options of two verbs, and before the seed of four."""
    for first, second in combinations(VERBS, 2):
        one, other = options(first), options(second)
        assert [name for name in one if name in other] == [name for name in other if name in one], (first, second)


@pytest.mark.parametrize("verb", list(VERBS))
def test_every_option_says_what_it_is_for(verb, texts):
    assert [name for name, text in texts[verb].items() if not text and name != "help"] == []


@pytest.mark.parametrize("name", list(BEHIND))
def test_help_comes_from_the_parameter_behind_an_option(name, texts):
    behind = BEHIND[name].find()
    assert behind.help
    told = [text[name] for verb, text in texts.items() if name in text and (verb, name) not in OWN_TEXT]
    assert told
    for text in told:
        assert text.lower().startswith(behind.help.lower())
        assert all(word in text for word in (BEHIND[name].words or (behind.words if BEHIND[name].room else ())))


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """A file with two classes, and one with a missing cell, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    lines = ["a,b,class", *(f"{i},{(7 * i) % 11},{'x' if i < 15 else 'y'}" for i in range(30))]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    lines[3] = ",4,x"
    (tmp_path / "gaps.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def run(*words: str):
    result = runner.invoke(app, words)
    assert result.exit_code == 0, result.output
    return result


QUICK = {
    "measure": ("rows.csv",),
    "select": ("rows.csv", "--cv", "0"),
    "evaluate": ("rows.csv", "-l", "knn", "--cv", "3"),
    "datasets": (),
}


@pytest.mark.parametrize("verb", list(QUICK))
def test_json_on_the_screen_and_in_a_file_are_the_same_facts(verb, rows):
    printed = json.loads(run(verb, *QUICK[verb], "--json").stdout)
    result = run(verb, *QUICK[verb], "-o", "answer.json")
    assert result.stdout == ""
    assert "answer.json." in result.stderr
    written = json.loads((rows / "answer.json").read_text())
    for facts in (printed, written):
        facts.pop("seconds", None)
    assert printed == written
    run(verb, *QUICK[verb], "-o", "answer.txt")
    assert (rows / "answer.txt").read_text().strip()


def test_datasets_as_json_name_what_the_text_names():
    said = json.loads(run("datasets", "--json").stdout)
    sonar = next(each for each in said["sets"] if each["name"] == "sonar")
    assert (sonar["n_rows"], sonar["n_columns"], sonar["class_counts"]) == (208, 60, {"M": 111, "R": 97})
    one = json.loads(run("datasets", "sonar", "--json").stdout)
    assert (one["kind"], one["citation"]) == ("dataset", sonar["citation"])


def test_train_says_in_json_what_it_made(rows):
    said = json.loads(run("train", "rows.csv", "-k", "3", "-o", "m.sepal", "--json").stdout)
    assert (said["kind"], said["learner"], said["n_rows"], said["file"]) == ("model", "knn", 30, "m.sepal")
    assert said["explanation"] is None


def test_rows_with_missing_cells_can_be_left_out_of_learning(rows):
    said = json.loads(run("evaluate", "gaps.csv", "-l", "knn", "--cv", "3", "--missing", "drop", "--json").stdout)
    assert said["n_rows"] == 29
    result = run("train", "gaps.csv", "-l", "knn", "--missing", "drop", "-o", "m.sepal")
    assert "1 of 30 rows with missing cells were dropped" in result.stderr
    assert "29 rows" in result.stderr


def test_threads_and_seed_reach_the_learner(rows):
    from sepal.estimators import load_model

    run("train", "athletes", "-l", "chain", "--jobs", "1", "--seed", "5", "-o", "m.sepal")
    model = load_model("m.sepal")
    assert (model.n_jobs, model.random_state) == (1, 5)
    assert run("predict", "m.sepal", "athletes", "--jobs", "2").stdout == run("predict", "m.sepal", "athletes").stdout


def test_new_rows_may_come_from_standard_input(rows):
    run("train", "rows.csv", "-l", "knn", "-o", "m.sepal")
    piped = runner.invoke(app, ["predict", "m.sepal", "-"], input=(rows / "rows.csv").read_bytes())
    assert piped.exit_code == 0, piped.output
    assert piped.stdout == run("predict", "m.sepal", "rows.csv").stdout


@pytest.mark.parametrize("text", ["1", "-3", "many", "loo"])
def test_folds_that_are_none_are_refused(text, rows):
    result = runner.invoke(app, ["select", "rows.csv", "--cv", text])
    assert result.exit_code == 2
    assert re.search(rf"--cv {text}: expected a number of folds, 0 or at least 2", result.stderr)


DATA_TAKING = {
    **{verb: [verb, "athletes"] for verb in sorted(FROM_ROWS)},
    "train": ["train", "athletes", "-l", "knn", "-o", "model.sepal"],
    "evaluate": ["evaluate", "athletes", "-l", "knn", "--test", "athletes"],
    "predict": ["predict", "model.sepal", "athletes"],
    "do": ["do", "data.rows", "athletes"],
    "explore": ["explore", "athletes", "--no-browser"],
}


@pytest.mark.parametrize("verb", DATA_TAKING)
def test_data_may_be_a_bundled_name_everywhere(verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sepal.explore.serve", lambda server, **more: None, raising=False)
    if verb == "predict":
        run(*DATA_TAKING["train"])
    run(*DATA_TAKING[verb])


def test_every_verb_that_reads_rows_is_asked_with_a_bundled_name():
    reading = {verb for verb in VERBS if {"data", "new"} & {each.name for each in VERBS[verb].params}}
    assert set(DATA_TAKING) == reading
    for verb in reading:
        for each in VERBS[verb].params:
            if each.metavar in ("DATA", "NEW"):  # --test of evaluate, too
                assert "the name of a bundled set" in each.help, (verb, each.name)
