"""Dates in the notation of Java's SimpleDateFormat, which ARFF files use."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

DEFAULT_PATTERN = "yyyy-MM-dd'T'HH:mm:ss"

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONE = r"(?>(?:GMT|UTC)?[+-]\d{1,2}:?\d{2}|(?:GMT|UTC)?[+-]\d{1,2}|GMT|UTC|Z)"
_NUMERIC = frozenset("yuMLdHkKhmsSD")
# Letters read as something else than a number; E and G carry nothing the rest does not say.
_WORDS = {"a": r"[AaPp][Mm]", "E": r"[^\W\d]++\.?+", "G": r"AD", "z": _ZONE, "Z": _ZONE, "X": _ZONE}
# A two-digit year below this is in the 2000s (the POSIX rule; Java's moves with the day it is asked).
_PIVOT = 69
# The default has 21 characters, and no date needs a hundred.
LONGEST_PATTERN = 200


def date_parser(pattern: str) -> Callable[[str], float]:
    """A function from a text in this notation to seconds since 1970 (UTC unless the text says a zone).

    Both this function and the one it returns raise ValueError with the reason. As in Java every part takes what it can
    and gives nothing back to those before it, so the time for a text is that of reading it.
    """
    if len(pattern) > LONGEST_PATTERN:
        raise ValueError(f"a date format of {len(pattern):,} characters is not supported")
    parts = _parts(pattern)
    fields: list[str] = []
    expression = ""
    for i, (letter, text) in enumerate(parts):
        if letter is None:
            expression += re.escape(text)
            continue
        fields.append(text)
        if letter in _WORDS:
            expression += f"({_WORDS[letter]})"
        elif letter in "ML" and len(text) > 2:
            expression += r"([^\W\d]{3,}+\.?+)"
        else:
            # Only next to another number does the count of letters fix the count of digits.
            touching = i + 1 < len(parts) and parts[i + 1][0] in _NUMERIC
            expression += rf"(\d{{{len(text)}}})" if touching else r"(\d++)"
    compiled = re.compile(expression)

    def parse(text: str) -> float:
        match = compiled.fullmatch(text.strip())
        try:
            if match is not None:
                return _seconds(dict(zip(fields, match.groups(), strict=True)))
        except (ValueError, OverflowError):
            match = None  # the right form, but no such day or time
        raise ValueError(f"a date like {pattern}")

    return parse


def _parts(pattern: str) -> list[tuple[str | None, str]]:
    """Runs of one letter as (letter, run), everything literal as (None, text)."""
    parts: list[tuple[str | None, str]] = []
    for match in re.finditer(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']", pattern):
        literal, letter = match[1], match[2]
        if letter is not None:
            if letter not in _NUMERIC and letter not in _WORDS:
                raise ValueError(f"the date letter {letter} in {pattern} is not supported")
            parts.append((letter, match[0]))
        elif literal is not None:
            parts.append((None, literal.replace("''", "'") if literal else "'"))
        else:
            parts.append((None, match[0]))
    if sum(len(text) for letter, text in parts if letter) == 0:
        raise ValueError(f"the date format {pattern} has no date letter")
    return parts


def _seconds(found: dict[str, str]) -> float:
    """From the texts of the letter runs to seconds since 1970; the days and hours not named are the first."""
    value = {run[0]: text for run, text in found.items()}
    year = _year(found)
    month = _month(value.get("M", value.get("L", "1")))
    start = datetime(year, month, int(value.get("d", "1")), tzinfo=UTC)
    if "D" in value:
        start = datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=int(value["D"]) - 1)
    minute, second, hour = int(value.get("m", "0")), int(value.get("s", "0")), _hour(value)
    if minute > 59 or second > 59 or hour > 23:
        raise ValueError("a time of day")
    moment = start + timedelta(hours=hour, minutes=minute, seconds=second)
    zone = next((value[letter] for letter in "zZX" if letter in value), "Z")
    return (moment - _offset(zone)).timestamp() + int(value.get("S", "0")) / 1000


def _year(found: dict[str, str]) -> int:
    for run, text in found.items():
        if run[0] in "yu":
            short = len(run) == 2 and len(text) == 2
            return int(text) + ((2000 if int(text) < _PIVOT else 1900) if short else 0)
    return 1970


def _month(text: str) -> int:
    if text.isdigit():
        return int(text)
    if text[:3].lower() not in _MONTHS:
        raise ValueError("an English month name")
    return _MONTHS.index(text[:3].lower()) + 1


def _hour(value: dict[str, str]) -> int:
    if "H" in value or "k" in value:
        return int(value["H"]) if "H" in value else int(value["k"]) % 24
    half = int(value.get("h", value.get("K", "0")))
    if half > 12:
        raise ValueError("an hour up to 12")
    return half % 12 + (12 if value.get("a", "am").lower() == "pm" else 0)


def _offset(zone: str) -> timedelta:
    match = re.fullmatch(r"(?:GMT|UTC)?([+-])(\d{1,2}):?(\d{2})?", zone)
    if match is None:
        return timedelta(0)
    size = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    return -size if match[1] == "-" else size
