"""What a store holds as JSON lines, one message each, in the order in which they were learned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from sepal.exceptions import DataError
from sepal.mail import Labelled, MailFilter


def lines(known: MailFilter) -> Iterator[str]:
    """A line for each message."""
    for each in known.messages():
        facts = {
            "hash": each.hash.hex(),
            "spam": each.spam,
            "learned": each.learned,
            "subject": each.subject,
            "words": each.words,
        }
        yield json.dumps(facts, ensure_ascii=True) + "\n"


def read_lines(path: str) -> Iterator[Labelled]:
    """The messages of a file that :func:`lines` wrote."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                yield _message(line, f"{path}, line {number}")
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: this is no UTF-8 text") from error


def _message(line: str, where: str) -> Labelled:
    try:
        facts = json.loads(line)
        known_by = bytes.fromhex(facts["hash"])
        words = tuple(sorted({str(word) for word in facts["words"]}))
        spam, learned, subject = facts["spam"], float(facts["learned"]), str(facts["subject"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{where}: expected a message as export writes it; {error}") from error
    if spam not in (True, False) or len(known_by) != 16:
        raise DataError(f"{where}: expected spam as true or false, and a hash of 32 figures")
    return Labelled(known_by, bool(spam), learned, subject, words)
