"""``sepal mail classify`` and ``filter``: the path that is taken for every message."""

from __future__ import annotations

import argparse
import re
import sys
from contextlib import suppress

from sepal.cli._answers import as_json_line
from sepal.cli._mail_answers import give_mail_answer
from sepal.exceptions import SepalError
from sepal.mail import Costs, MailFilter, MailVerdict, read_mail

STATUS = {"spam": 0, "ham": 1, "unsure": 2}
TEMPFAIL = 75
_OURS = re.compile(rb"(?im)^x-sepal[ \t]*:[^\n]*(?:\n|\Z)(?:[ \t][^\n]*(?:\n|\Z))*")
_END_OF_HEAD = re.compile(rb"(?P<head>\A|\n)\r?\n")


def _filter(asked: argparse.Namespace) -> tuple[MailFilter, Costs]:
    costs = Costs(asked.ham_cost, asked.spam_cost, asked.unsure_cost or None)
    return MailFilter(asked.store, create=False, wait=asked.wait), costs


def classify(asked: argparse.Namespace) -> int:
    """A line for each message; the status is that of the last one."""
    known, costs = _filter(asked)
    with known:
        found = [(name, known.classify(raw, costs)) for file in asked.files or ["-"] for name, raw in read_mail(file)]
    text = "".join(f"{each.label} {each.probability:.6f} {name}\n" for name, each in found)
    messages = [{"file": name, "label": each.label, "probability": each.probability} for name, each in found]
    give_mail_answer(asked, "mail_verdicts", text, {"messages": messages})
    return STATUS[found[-1][1].label] if found else 3


def filter_message(asked: argparse.Namespace) -> int:
    """The message with the header, or as it came where something is wrong; what else is said goes to stderr."""
    raw = sys.stdin.buffer.read()
    status, wrong, verdict = 0, None, None
    try:
        known, costs = _filter(asked)
        with known:
            found = known.classify(raw, costs)
        out, verdict = marked(raw, found), found
    except Exception as error:  # whatever it is, the message goes on
        expected = isinstance(error, (SepalError, OSError))
        out, wrong = raw, str(error) if expected else f"{type(error).__name__}: {error}"
        wrong = wrong.encode("utf-8", "backslashreplace").decode()
        status = TEMPFAIL if asked.on_error == "tempfail" else 0
    sys.stdout.buffer.write(out)
    sys.stdout.buffer.flush()
    with suppress(OSError):  # the message is on its way, which a full log must not undo
        sys.stderr.write(_said(asked.json, verdict, wrong))
        sys.stderr.flush()
    return status


def _said(as_json: bool, verdict: MailVerdict | None, wrong: str | None) -> str:
    """What stderr gets, where the log of the mail server is: an error, and with ``--json`` the verdict in any case."""
    if as_json:
        label, probability = (None, None) if verdict is None else (verdict.label, verdict.probability)
        return as_json_line("mail_verdict", {"label": label, "probability": probability, "error": wrong})
    return "" if wrong is None else f"sepal mail filter: {wrong}\n"


def marked(raw: bytes, verdict: MailVerdict) -> bytes:
    """The message with our header as the first one, behind the line of an mbox; one that claims to be ours goes."""
    first = b""
    if raw.startswith(b"From "):
        end = raw.find(b"\n") + 1
        first, raw = raw[:end], raw[end:]
    blank = _END_OF_HEAD.search(raw)
    end = len(raw) if blank is None else blank.end("head")
    ours = f"X-Sepal: {verdict.label}, probability={verdict.probability:.6f}".encode()
    line = b"\r\n" if (first + raw).partition(b"\n")[0].endswith(b"\r") else b"\n"
    return first + ours + line + _OURS.sub(b"", raw[:end]) + raw[end:]
