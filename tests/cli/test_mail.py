"""``sepal mail``: verbs, exit statuses, what the filter writes, and what it must not import."""

from __future__ import annotations

import gzip
import io
import json
import random
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from sepal.cli._mail import main_mail
from sepal.cli._mail_filter import marked
from sepal.mail import MailFilter, MailVerdict, Score
from tests.mail.made import message

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def store(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SEPAL_MAIL", str(tmp_path / "mail.db"))
    for kind in ("spam", "ham"):
        box = b"".join(b"From x Mon\n" + message(i, kind == "spam") + b"\n" for i in range(30))
        (tmp_path / f"{kind}.mbox").write_bytes(box)
        assert main_mail(["learn", f"--{kind}", str(tmp_path / f"{kind}.mbox")]) == 0
    assert capsys.readouterr().out == "learned 30, known before 0\n" * 2
    (tmp_path / "s").write_bytes(message(100, True))
    (tmp_path / "h").write_bytes(message(100, False))
    (tmp_path / "u").write_bytes(b"Subject: zzz\n\nqqq\n")
    return tmp_path


def test_exit_statuses_are_those_of_bogofilter(store, capsys):
    assert main_mail(["classify", str(store / "s")]) == 0
    assert main_mail(["classify", str(store / "h")]) == 1
    assert main_mail(["classify", str(store / "u")]) == 2
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["spam", "ham", "unsure"]
    assert main_mail(["classify", str(store / "nothing")]) == 3
    assert main_mail(["classify", "--ham-cost", "x", str(store / "s")]) == 3
    assert main_mail(["classify", "--store", str(store / "none.db"), str(store / "s")]) == 3
    assert main_mail(["classify", "--ham-cost", "-2", str(store / "s")]) == 3


def _filter(store: Path, raw: bytes, *words: str) -> subprocess.CompletedProcess:
    told = [sys.executable, "-c", "import sepal.cli; sepal.cli.main()", "mail", "filter", *words]
    return subprocess.run(told, input=raw, capture_output=True, cwd=ROOT, timeout=60)


def test_the_filter_adds_one_header_and_changes_nothing_else(store):
    raw = b"From x Mon\n" + message(100, True).replace(b"Subject", b"X-Sepal: ham, I am good\nSubject")
    found = _filter(store, raw)
    first, header, rest = found.stdout.split(b"\n", 2)
    assert (found.returncode, first) == (0, b"From x Mon")
    assert header.startswith(b"X-Sepal: spam, probability=0.9")
    assert rest == message(100, True)


@pytest.mark.parametrize("line", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    ("head", "left", "body"),
    [
        (b"Subject: a\nX-Sepal: ham\n", b"Subject: a\n", b"\nbody\n"),
        (b"X-Sepal: ham\nSubject: a\n", b"Subject: a\n", b"\nX-Sepal: said here\n\nbody\n"),
        (b"X-SEPAL : ham\n folded\n\tmore\nSubject: a\n", b"Subject: a\n", b"\n\n"),
        (b"Subject: a\nX-Sepal: ham", b"Subject: a\n", b""),
        (b"Subject: a\nX-Sepal: ham\n folded", b"Subject: a\n", b""),
        (b"X-Sepal: ham\nX-Sepal: ham\n", b"", b"\nbody"),
        (b"", b"", b"\nX-Sepal: said here\n\nbody\n"),
        (b"X-Sepal-Not: x\n", b"X-Sepal-Not: x\n", b"\nhi"),
    ],
)
def test_no_header_of_ours_is_forged(head, left, body, line):
    """The last header of a mail with CRLF, and that of a mail without a body, stayed."""
    verdict = MailVerdict("spam", 0.75, Score(0.0, 0.0, 0.0))
    for first in (b"", b"From a Mon\n"):
        raw, wanted = first + head + body, first + b"X-Sepal: spam, probability=0.750000\n" + left + body
        assert marked(raw.replace(b"\n", line), verdict) == wanted.replace(b"\n", line)


def test_a_filter_that_fails_passes_the_message_on(store):
    (store / "broken.db").write_text("no store")
    raw = bytes(range(256)) * 10
    for words, status in ((["--on-error", "tempfail"], 75), (["--on-error", "pass"], 0), ([], 0)):
        found = _filter(store, raw, "--store", str(store / "broken.db"), *words)
        assert (found.returncode, found.stdout) == (status, raw)
        assert b"no store" in found.stderr
    assert (store / "broken.db").read_text() == "no store"


@pytest.mark.parametrize(
    "harm", ["UPDATE flags SET flags = x''", "DELETE FROM meta WHERE key = 'n_spam'", "DROP TABLE word"]
)
def test_a_damaged_store_does_not_stop_a_message(store, harm):
    """The message was lost behind a traceback."""
    with sqlite3.connect(store / "mail.db") as db:
        db.execute(harm)
    db.close()
    raw = message(100, True)
    for how, status in (("tempfail", 75), ("pass", 0)):
        found = _filter(store, raw, "--on-error", how)
        assert (found.returncode, found.stdout) == (status, raw)
        assert found.stderr.startswith(b"sepal mail filter: ")
        assert b"Traceback" not in found.stderr


@pytest.mark.parametrize("wrong", [ZeroDivisionError("of all things"), MemoryError(), UnicodeError("\ud800")])
def test_no_error_whatever_stops_a_message(store, wrong, monkeypatch, capsys):
    def fails(*_):
        raise wrong

    monkeypatch.setattr(MailFilter, "classify", fails)
    raw = message(100, True)
    for how, status in (("tempfail", 75), ("pass", 0)):
        out = io.BytesIO()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out))
        assert main_mail(["filter", "--on-error", how]) == status
        assert out.getvalue() == raw
        assert type(wrong).__name__ in capsys.readouterr().err


def test_the_filter_tells_its_verdict_as_json_on_stderr(store, capsys):
    raw = message(100, True)
    found = _filter(store, raw, "--json")
    assert (found.returncode, found.stdout) == (0, _filter(store, raw).stdout)
    assert main_mail(["classify", str(store / "s"), "--json"]) == 0
    judged = json.loads(capsys.readouterr().out)["messages"][0]
    assert found.stderr.count(b"\n") == 1  # a line of a log
    said = json.loads(found.stderr)
    assert (said["kind"], said["label"], said["error"]) == ("mail_verdict", "spam", None)
    assert said["probability"] == judged["probability"]


def test_the_filter_tells_its_error_as_json_and_passes_the_message_on(store):
    (store / "broken.db").write_text("no store")
    raw = bytes(range(256)) * 10
    for how, status in (("tempfail", 75), ("pass", 0)):
        found = _filter(store, raw, "--store", str(store / "broken.db"), "--on-error", how, "--json")
        assert (found.returncode, found.stdout) == (status, raw)
        said = json.loads(found.stderr)
        assert (said["label"], said["probability"]) == (None, None)
        assert "no store" in said["error"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["--json"], ["--store", "broken.db"], ["--store", "broken.db", "--json"]])
def test_a_full_log_does_not_stop_a_message(store, words):
    """The error was written before the message, which was lost with status 3 where stderr took no more."""
    (store / "broken.db").write_text("no store")
    told = [sys.executable, "-c", "import sepal.cli; sepal.cli.main()", "mail", "filter", *words]
    with Path("/dev/full").open("wb") as full:
        found = subprocess.run(told, input=message(100, True), stdout=subprocess.PIPE, stderr=full, cwd=store)
    assert (found.returncode, found.stdout.endswith(message(100, True))) == (0, True)


@pytest.mark.parametrize("words", [["classify"], ["filter"], ["filter", "--json"]], ids=" ".join)
def test_nothing_heavy_is_imported_for_a_message(store, words):
    code = (
        f"import sys; sys.argv = ['sepal', 'mail', *{words}]\n"
        "import sepal.cli\n"
        "try: sepal.cli.main()\n"
        "except SystemExit as left: print(left.code, sorted({'numpy', 'scipy', 'sklearn', 'typer'} & set(sys.modules)))"
    )
    told = [sys.executable, "-c", code]
    with (store / "s").open("rb") as mail:
        found = subprocess.run(told, stdin=mail, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "0 []"


def test_unlearn_relearn_export_import_and_compact(store, capsys):
    assert main_mail(["export", "--out", str(store / "a.jsonl")]) == 0
    assert main_mail(["unlearn", str(store / "spam.mbox")]) == 0
    assert main_mail(["relearn", "--spam", str(store / "ham.mbox")]) == 0
    assert capsys.readouterr().out == "forgotten 30\nrelearned 30, new 0\n"
    assert main_mail(["import", "--store", str(store / "b.db"), str(store / "a.jsonl")]) == 0
    assert main_mail(["export", "--store", str(store / "b.db"), "--out", str(store / "b.jsonl")]) == 0
    assert (store / "a.jsonl").read_text() == (store / "b.jsonl").read_text()
    assert main_mail(["compact"]) == 0
    lines = (store / "a.jsonl").read_text().splitlines()
    for wrong in ("{", "[]", '{"hash": 1}', json.dumps({**json.loads(lines[0]), "spam": 2})):
        (store / "w.jsonl").write_text(wrong)
        assert main_mail(["import", str(store / "w.jsonl")]) == 3
        assert "line 1" in capsys.readouterr().err
    assert main_mail(["import", str(store / "spam.mbox")]) == 3


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"learned": float("nan")}, "learned must be a time"),
        ({"learned": 1e300}, "learned must be a time"),
        ({"learned": 10**400}, "learned must be a time"),
        ({"learned": -1}, "learned must be a time"),
        ({"learned": True}, "learned must be a time"),
        ({"subject": "\ud800"}, "subject must be a text"),
        ({"subject": None}, "subject must be a text"),
        ({"words": ["\ud800"]}, "words must be a list"),
        ({"words": "abc"}, "words must be a list"),
        ({"words": [1]}, "words must be a list"),
        ({"spam": 1}, "spam must be true or false"),
        ({"hash": "12 4" * 8}, "hash must be a text of 32"),
        ({"spam": False}, "the message is known as spam"),
    ],
)
def test_a_line_that_cannot_be_imported_is_named_and_nothing_is_imported(store, capsys, wrong, told):
    """A time of 1e300 was taken in and ended status, a text was taken for its letters, half of a file was learned."""
    assert main_mail(["export", "--out", str(store / "a.jsonl")]) == 0
    lines = (store / "a.jsonl").read_text().splitlines()
    fresh = [json.dumps({**json.loads(lines[0]), "hash": f"{i:032x}"}) for i in range(150)]
    (store / "w.jsonl").write_text("\n".join([*fresh, json.dumps({**json.loads(lines[0]), **wrong})]))
    assert main_mail(["import", str(store / "w.jsonl")]) == 3
    said = capsys.readouterr().err
    assert "line 151" in said
    assert told in said
    assert main_mail(["export", "--out", str(store / "b.jsonl")]) == 0
    assert (store / "b.jsonl").read_text() == (store / "a.jsonl").read_text()


def test_a_time_that_is_none_does_not_end_status(store, capsys):
    with sqlite3.connect(store / "mail.db") as db:
        db.execute("UPDATE message SET learned = 1e300 WHERE number = 59")
    db.close()
    assert main_mail(["status"]) == 0
    assert "to an unknown time" in capsys.readouterr().out


def test_explain_status_and_eval(store, capsys):
    assert main_mail(["explain", str(store / "s")]) == 0
    text = capsys.readouterr().out
    assert "Most similar spam" in text
    assert "Words for spam" in text
    assert main_mail(["status"]) == 0
    assert "30 spam and 30 good messages" in capsys.readouterr().out
    assert main_mail(["status", "--out", str(store / "status.html")]) == 0
    assert (store / "status.html").read_text().startswith("<!doctype html>")
    (store / "mail.csv").write_text("subject,text,class\n" + "pills,cheap offer,spam\nminutes,of meeting,ham\n" * 20)
    assert main_mail(["eval", "--skip", "4", "--out", str(store / "eval.html"), str(store / "mail.csv")]) == 0
    assert capsys.readouterr().out == ""
    page = (store / "eval.html").read_text()
    assert "both parts           error   0.00 %" in page
    assert "<svg" in page


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"date,subject,text,class\n2020,x,hello,spam\n2021,y\n", "line 3: the row is short: there is no text"),
        (b"text,class,date\nhello,spam,1\nfoo,ham\n", "line 3: the row is short: there is no date"),
        (b"text,class\n", "expected the columns text and class"),
        (gzip.compress(b"text,class\nhello,spam\n", mtime=0)[:20], "cannot be read"),
        (gzip.compress(b"text,class\nhello,spam\n" * 9, mtime=0)[:12] + b"\xff" * 30, "cannot be read"),
    ],
)
def test_a_table_of_mail_that_is_damaged_is_told_as_such(tmp_path, capsys, raw, told):
    """These were tracebacks."""
    path = tmp_path / ("mail.csv" if raw[:1] in b"td" else "mail.csv.gz")
    path.write_bytes(raw)
    assert main_mail(["eval", "--skip", "0", str(path)]) == 3
    said = capsys.readouterr().err
    assert told in said
    assert "Traceback" not in said


def test_fewer_messages_than_none_cannot_be_skipped(tmp_path, capsys):
    (tmp_path / "mail.csv").write_text("text,class\n" + "hello,spam\nfoo,ham\n" * 9)
    assert main_mail(["eval", "--skip", "-1", str(tmp_path / "mail.csv")]) == 3
    assert "skip must be an integer of at least 0; got -1" in capsys.readouterr().err


def test_the_same_facts_as_json(store, capsys):
    def told(*words, status=0):
        assert main_mail([*words, "--json"]) == status
        return json.loads(capsys.readouterr().out)

    message_, other = str(store / "s"), str(store / "h")
    found = told("classify", message_, other, status=1)  # that of the last one, ham
    assert found["kind"] == "mail_verdicts"
    assert [(each["file"], each["label"]) for each in found["messages"]] == [(message_, "spam"), (other, "ham")]
    assert told("status")["status"]["n_spam"] == 30
    assert told("explain", message_)["messages"][0]["explanation"]["score"]["log_odds"] > 0
    assert told("learn", "--spam", message_)["learned"] == 1
    assert told("relearn", "--ham", message_)["relearned"] == 1
    assert told("unlearn", message_)["forgotten"] == 1
    assert told("compact")["bytes"] > 0
    assert main_mail(["classify", message_, "-o", str(store / "v.json")]) == 0
    assert json.loads((store / "v.json").read_text())["messages"] == found["messages"][:1]


def test_mutated_messages_have_an_answer_or_a_clear_error(store, capsys):
    draw = random.Random(7)  # noqa: S311
    start = message(1, True) + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + message(2, False) + b"\n--b--"
    for _ in range(60):
        raw = bytearray(start)
        for _ in range(draw.randint(1, 30)):
            place = draw.randrange(len(raw))
            raw[place : place + draw.randint(0, 3)] = draw.choice(
                [b"\n", b"\0", b"\xff", b"<", b"--b", b"=?utf-8?b?", b";"]
            )
        (store / "m").write_bytes(raw)
        assert main_mail(["classify", str(store / "m")]) in (0, 1, 2)
        assert main_mail(["learn", "--spam", str(store / "m")]) == 0
    assert "Traceback" not in capsys.readouterr().err


# Maildrop is tried where it is; procmail is installed by `make test` where it may be.
@pytest.mark.parametrize("agent", ["procmail", *(["maildrop"] if shutil.which("maildrop") else [])])
def test_delivery_through_a_real_agent(store, agent, procmail):
    program = procmail if agent == "procmail" else shutil.which(agent)
    for folder in ("in", "junk"):
        for part in ("cur", "new", "tmp"):
            (store / folder / part).mkdir(parents=True)
    command = f'{sys.executable} -c "import sepal.cli; sepal.cli.main()" mail filter --store {store}/mail.db'
    if agent == "procmail":
        recipe = f":0fw\n| {command}\n\n:0:\n* ^X-Sepal: spam\n{store}/junk/\n\n:0\n{store}/in/\n"
        told = [program, "-m", "SHELL=/bin/sh", str(store / "recipe")]
    else:
        recipe = f'xfilter \'{command}\'\nif (/^X-Sepal: spam/)\n{{\n  to "{store}/junk"\n}}\nto "{store}/in"\n'
        told = [program, str(store / "recipe")]
    (store / "recipe").write_text(recipe)
    (store / "recipe").chmod(0o600)
    for name in ("s", "h"):
        subprocess.run(told, input=(store / name).read_bytes(), check=True, cwd=ROOT, timeout=60)
    for folder, name in (("junk", "s"), ("in", "h")):
        (file,) = (store / folder / "new").iterdir()
        assert (store / name).read_bytes().split(b"\n\n", 1)[1] in file.read_bytes()
        assert b"X-Sepal: " in file.read_bytes()
