"""What a store holds as JSON lines, one message each, in the order in which they were learned."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

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


def read_lines(paths: Sequence[str], known: MailFilter) -> list[Labelled]:
    """The messages of files that :func:`lines` wrote; none if any of them is wrong, or has another label already."""
    labels = {each.hash: each.spam for each in known.messages()}
    found = []
    for path in paths:
        for number, line in enumerate(_text_lines(path), 1):
            try:
                each = _message(line)
                if labels.setdefault(each.hash, each.spam) != each.spam:
                    raise ValueError(f"the message is known as {'ham' if each.spam else 'spam'}")
            except ValueError as error:
                raise DataError(f"{path}, line {number}: expected a message as export writes it; {error}") from error
            found.append(each)
    return found


def _text_lines(path: str) -> Iterator[str]:
    try:
        with Path(path).open(encoding="utf-8") as file:
            yield from file
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: this is no UTF-8 text") from error


def _message(line: str) -> Labelled:
    try:
        facts = json.loads(line)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    missing = [name for name in _CHECKS if not isinstance(facts, dict) or name not in facts]
    if missing:
        raise ValueError(f"there is no {missing[0]}")
    for name, (allowed, wanted) in _CHECKS.items():
        if not allowed(facts[name]):
            raise ValueError(f"{name} must be {wanted}; got {json.dumps(facts[name])[:60]}")
    words = tuple(sorted(set(facts["words"])))
    return Labelled(bytes.fromhex(facts["hash"]), facts["spam"], float(facts["learned"]), facts["subject"], words)


def _is_time(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value <= _LAST_TIME  # type: ignore[operator]


def _is_text(value: object) -> bool:
    """Whether it can be written: JSON may hold halves of characters."""
    return isinstance(value, str) and not _HALF.search(value)


_LAST_TIME = 253_402_214_400.0  # the end of the year 9999
_HALF = re.compile("[\ud800-\udfff]")
_HASH = re.compile("[0-9a-fA-F]{32}")
_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "hash": (lambda value: isinstance(value, str) and bool(_HASH.fullmatch(value)), "a text of 32 hexadecimal figures"),
    "spam": (lambda value: isinstance(value, bool), "true or false"),
    "learned": (_is_time, "a time in seconds since 1970"),
    "subject": (_is_text, "a text of whole characters"),
    "words": (
        lambda value: isinstance(value, list) and all(map(_is_text, value)),
        "a list of texts of whole characters",
    ),
}
