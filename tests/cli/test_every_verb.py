"""Every verb, those of mail too, asked for JSON; and where the world fails it: a status, a sentence, no traceback."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import typer

from sepal.cli._app import app
from sepal.cli._mail import _parser
from tests.cli.children import in_children
from tests.cli.command import sepal
from tests.mail.made import message

TABLE = "a,b,class\n" + "".join(f"{i % 7},{(i * 3) % 5},{'xy'[i % 2]}\n" for i in range(40))
SESSION = {
    "sepal_session": 1,
    "source": {"bundled": "iris"},
    "actions": [{"action": "data.rows", "parameters": {"count": 2}}],
}
STORE = ("--store", "mail.db")
# How each verb is called so that it is quick and prints something on stdout, where it prints at all.
VERBS = {
    "report": ["report", "t.csv"],
    "measure": ["measure", "t.csv"],
    "select": ["select", "t.csv", "--cv", "0"],
    "evaluate": ["evaluate", "t.csv", "-l", "knn", "--cv", "3"],
    "train": ["train", "t.csv", "-l", "knn", "-o", "new.sepal"],
    "predict": ["predict", "m.sepal", "t.csv"],
    "explore": ["explore", "t.csv", "--no-browser"],
    "do": ["do", "neighbors.curve", "t.csv"],
    "run": ["run", "session.json", "-o", "run"],
    "reproduce": ["reproduce", "--only", "A1", "--quick", "-o", "figures"],
    "datasets": ["datasets"],
    "mail learn": ["mail", "learn", "--spam", "spam.eml", *STORE],
    "mail relearn": ["mail", "relearn", "--spam", "stdin", *STORE],
    "mail unlearn": ["mail", "unlearn", "stdin", *STORE],
    "mail import": ["mail", "import", "--ham", "ham.eml", *STORE],
    "mail classify": ["mail", "classify", "stdin", *STORE],
    "mail filter": ["mail", "filter", *STORE],
    "mail explain": ["mail", "explain", "stdin", *STORE],
    "mail eval": ["mail", "eval", "spam.eml", "ham.eml", "--skip", "0"],
    "mail status": ["mail", "status", *STORE],
    "mail compact": ["mail", "compact", *STORE],
    "mail export": ["mail", "export", *STORE],
}
SILENT = {"train", "run"}  # their answer is a file, and what they say goes to stderr
NOT_FOLDED = {"do", "predict", "evaluate"}  # JSON, CSV, and the columns of Weka's output
SERVES = {"explore"}  # until Ctrl-C
STATUS = {"mail classify": 2}  # unsure: three messages are known, and ten of each kind are needed
# What a verb is asked to write into a file: those with a folder of their own, and one for each way of writing.
WRITES = {
    "report": [*VERBS["report"], "-o", "OUT/r.html"],
    "measure": [*VERBS["measure"], "-o", "OUT/m.json"],
    "select": [*VERBS["select"], "-o", "OUT/s.txt"],
    "evaluate": [*VERBS["evaluate"], "-o", "OUT/e.json"],
    "train": ["train", "t.csv", "-l", "knn", "-o", "OUT/m.sepal"],
    "predict": [*VERBS["predict"], "-o", "OUT/p.csv"],
    "do": [*VERBS["do"], "-o", "OUT/d.json"],
    "run": ["run", "session.json", "-o", "OUT/run"],
    "reproduce": ["reproduce", "--only", "A1", "--quick", "-o", "OUT/figures"],
    "datasets": ["datasets", "-o", "OUT/sets.json"],
    "mail classify": [*VERBS["mail classify"], "-o", "OUT/v.json"],
    "mail status": [*VERBS["mail status"], "-o", "OUT/s.html"],
    "mail export": [*VERBS["mail export"], "-o", "OUT/x.jsonl"],
    "mail learn": ["mail", "learn", "--spam", "stdin", "--store", "OUT/mail.db"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "session.json").write_text(json.dumps(SESSION))
    for name, number, spam in (("stdin", 1, True), ("spam.eml", 3, True), ("ham.eml", 4, False)):
        (tmp_path / name).write_bytes(message(number, spam))
    return tmp_path


# What verbs ask for that is made by others.
BEFORE = [
    *(["mail", "learn", f"--{kind}", f"{kind}.eml", *STORE] for kind in ("spam", "ham")),
    ["mail", "learn", "--ham", "stdin", *STORE],
    ["train", "t.csv", "-l", "knn", "-o", "m.sepal"],
]


def tried(worlds):
    """What became of each verb in each world; all that is needed is loaded, and made, before."""
    first = BEFORE + [words for name, words in VERBS.items() if name not in SERVES and not name.startswith("mail")]
    return in_children(first, worlds)


def test_every_verb_is_here():
    (mail,) = (each for each in _parser()._actions if each.dest == "==SUPPRESS==" and each.choices)
    verbs = {*typer.main.get_command(app).commands} - {"mail"}
    assert set(VERBS) == verbs | {f"mail {name}" for name in mail.choices}


def told(verb, folder, *more):
    """stdout and stderr of a verb, with what it needs made before."""
    for words in BEFORE:
        assert sepal(*words).exit_code == 0
    found = sepal(*VERBS[verb], *more, given=(folder / "stdin").read_bytes())
    assert found.exit_code == STATUS.get(verb, 0), found.output
    return found.stdout, found.stderr


def one_object(text):
    """One JSON object, and nothing beside it, that says what it is."""
    found = json.loads(text)
    assert found["sepal"]
    assert found["kind"]
    return found


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_answers_in_json(verb, folder, monkeypatch):
    monkeypatch.setattr("uvicorn.Server.run", lambda server, sockets: None)
    out, err = told(verb, folder, "--json")
    if verb == "mail export":  # JSON lines, with or without it
        lines = [json.loads(line) for line in out.splitlines()]
        assert [set(each) for each in lines] == [{"hash", "spam", "learned", "subject", "words"}] * 3
    elif verb == "mail filter":  # the message itself is on stdout
        assert out.encode().endswith((folder / "stdin").read_bytes())
        assert len(err.splitlines()) == 1
        assert set(one_object(err)) == {"sepal", "kind", "label", "probability", "error"}
    else:
        one_object(out)


INTO_A_FILE = [verb for verb in VERBS if verb not in {"train", "run", "reproduce", "explore", "mail filter"}]


@pytest.mark.parametrize("verb", INTO_A_FILE)
def test_every_answer_goes_into_a_file_as_the_same_json(verb, folder):
    """Where a model or a folder is written, the ending does not say JSON."""
    out, _ = told(verb, folder, "-o", "answer.json")
    assert out == ""
    written = (folder / "answer.json").read_text()
    (folder / STORE[1]).unlink()
    printed, _ = told(verb, folder, "--json")
    if verb == "mail export":
        assert len(written.splitlines()) == len(printed.splitlines()) == 3
    else:
        assert list(one_object(written)) == list(one_object(printed))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.usefixtures("folder")
def test_streams_that_are_closed_or_take_no_more():
    """Mail left with a traceback and status 1, which says good mail, where stdout was full or closed."""
    prints = {name: words for name, words in VERBS.items() if name not in SILENT}
    quiet = {name: words for name, words in VERBS.items() if name not in SERVES}
    worlds = {"full_stdout": prints, "no_stdout": prints, "closed_pipe": prints, "no_stdin": quiet, "poor": quiet}
    found = tried(worlds)
    for name, (code, out, err) in found.items():
        verb, world = name.split(", ")
        wrong = 3 if verb.startswith("mail") else 2
        if world == "closed_pipe":
            assert code == 141, (name, code, err)
            assert "error" not in err, (name, err)
        elif world in ("full_stdout", "no_stdout"):
            assert code == wrong, (name, code, err)
            why = "No space left on device" if world == "full_stdout" else "Bad file descriptor"
            assert err.splitlines()[-1] == f"error: the answer: cannot be read or written: {why}", (name, err)
        else:
            assert code == STATUS.get(verb, 0), (name, code, err)
            assert "\x1b" not in out + err
        if world == "poor" and not verb.startswith("mail"):
            wide = [line for line in out.splitlines() if len(line) > 40]
            assert not wide or verb in NOT_FOLDED, (name, wide)


@pytest.mark.usefixtures("folder")
def test_a_full_disk_and_a_folder_that_may_only_be_read(folder):
    """Nothing half-written is left, and the old file stays."""
    for name in ("full", "closed"):
        (folder / name).mkdir()
        for words in WRITES.values():
            for word in words:
                if word.startswith("OUT/") and "." in word:
                    (folder / name / word.removeprefix("OUT/")).write_text("old")
    before = sorted(each.name for each in (folder / "full").iterdir())
    (folder / "closed").chmod(0o555)
    top = folder
    while os.getuid() == 0 and top != top.parent and top.stat().st_mode & 0o005 != 0o005:
        top.chmod(top.stat().st_mode | 0o005)  # root becomes nobody, who must find the files
        top = top.parent
    worlds = {
        world: {verb: [word.replace("OUT", place) for word in words] for verb, words in WRITES.items()}
        for world, place in (("full_disk", "full"), ("closed_folder", "closed"))
    }
    found = tried(worlds)
    (folder / "closed").chmod(0o755)
    for name, (code, _, err) in found.items():
        assert code == (3 if name.startswith("mail") else 2), (name, code, err)
        assert "error: " in err
        assert len([line for line in err.splitlines() if line]) <= 4, err
    for place in ("full", "closed"):
        left = [each for each in (folder / place).iterdir() if each.is_file()]
        assert sorted(each.name for each in left) == before
        assert {each.read_text() for each in left} == {"old"}
