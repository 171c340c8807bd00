"""Cells that people write and float() does not read: 1,234.56, 1.234,56, 50.1 %, EUR 12, (12), dates and times.

Each function looks at the distinct texts of one column. All of them must be understood in one and the same way; where
two ways are possible and differ, none is taken. Patterns have no repetition inside another, so that no text is slow.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

# Missing where the other cells are numbers or dates, or in a column of words; "+" and "-" may be two levels.
SOFT_MISSING = frozenset(("-", "--", ".", "None"))
LONGEST = 64  # characters of a number or a date

_CURRENCIES = ("€", "$", "£", "¥", "EUR", "USD", "GBP", "CHF", "JPY")
_BLANKS = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f'\u2019"), " ") | {0x2212: "-"}
_GROUPS = {
    ",": re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+"),
    ".": re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+"),
    " ": re.compile(r"[0-9]{1,3}(?: [0-9]{3})+"),
}
NO_NUMBER = re.compile("[b-dghj-mo-su-xzK-MOQV-XZ]")  # letters of no currency, no exponent, neither nan nor inf
_DIGITS = re.compile(r"[0-9]+")
# Decimal sign, signs between groups of three digits.
_STYLES = ((".", ", "), (",", ". "))

_DAY = re.compile(r"([0-9]{1,4})([-/.])([0-9]{1,2})([-/.])([0-9]{1,4})")
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(Z|[+-][0-9]{2}:?[0-9]{2})?")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

CellReading = tuple[dict[str, float], str]


@dataclass(frozen=True)
class Readings:
    """The numbers of texts by each decimal sign with which all of them are numbers, and how they are written."""

    by_sign: dict[str, dict[str, float]]
    cores: Sequence[str]
    currencies: frozenset[str]
    percent: bool

    def with_sign(self, decimal: str) -> CellReading:
        """The number of each text, and what was left out of them; by ``decimal`` if all texts have it so."""
        point = decimal if decimal in self.by_sign else next(iter(self.by_sign))
        found = self.by_sign[point]
        told = _told(self.cores, point, self.currencies, self.percent)
        brackets = ["brackets"] if any("(" in text for text in found) else []
        return found, " and ".join(part for part in (told, *brackets) if part)


def number_readings(texts: Iterable[str], known: Collection[str] = ()) -> Readings | None:
    """The texts as numbers, by each decimal sign that all of them allow; None if some text is no number.

    Those of ``known`` are Python's spelling of numbers, and allow every sign.

    >>> {sign: list(found.values()) for sign, found in number_readings(["1,037 %", "5 %"]).by_sign.items()}
    {'.': [1037.0, 5.0], ',': [1.037, 5.0]}
    >>> list(number_readings(["1,037", "0,5"]).by_sign), number_readings(["1,037", "0.5"]).by_sign
    ([','], {'.': {'1,037': 1037.0, '0.5': 0.5}})
    >>> number_readings(["1.125", "1.037", "0,5"], known={"1.125"}).by_sign
    {',': {'1.125': 1.125, '1.037': 1037.0, '0,5': 0.5}}
    """
    cores: list[str] = []
    signs: set[str] = set()
    percent: set[bool] = set()
    styles = {style: dict[str, float]() for style in _STYLES}
    for text in texts:
        if len(text) > LONGEST or NO_NUMBER.search(text):
            return None
        core, sign, share = ("", "", False) if text in known else _undressed(text)
        cores.append(core)
        signs |= {sign} - {""}
        percent.add(share)
        if len(signs) > 1 or len(percent) > 1:
            return None  # dollars next to euros, percents next to shares
        for style, found in list(styles.items()):
            number = float(text) if text in known else _number(core, *style)
            if number is None:
                del styles[style]
            else:
                found[text] = number
        if not styles:
            return None
    by_sign = {point: found for (point, _), found in styles.items()}
    return Readings(by_sign, cores, frozenset(signs), percent == {True})


def messy_numbers(texts: Iterable[str], decimal: str = ".", known: Collection[str] = ()) -> CellReading | None:
    """The number of each text, and what was left out of them; None if some text is no number.

    ``decimal`` is the decimal sign of the file: the first that is tried.
    """
    readings = number_readings(texts, known)
    return None if readings is None else readings.with_sign(decimal)


def beside_numbers(texts: Sequence[str]) -> str:
    """The percent sign or the currency that numbers are written with, in some at least.

    >>> beside_numbers(["5", "$6"]), beside_numbers(["37 %"]), beside_numbers(["1,234"])
    ('$', '%', '')
    """
    return max("%" if share else sign for _, sign, share in map(_undressed, texts))


def is_bare_number(text: str) -> bool:
    """Whether a text is a number as it stands, with one decimal sign or the other.

    >>> [is_bare_number(text) for text in ("0,5", "1.234,5", "-1,5e-03", "5 %", "1-2")]
    [True, True, True, False, False]
    """
    return len(text) <= LONGEST and any(_number(text, *style) is not None for style in _STYLES)


def _undressed(text: str) -> tuple[str, str, bool]:
    """The text without currency and percent sign, the currency, and whether it was a percentage."""
    core = text.translate(_BLANKS).strip()
    share = core.endswith("%")
    core = core[:-1].rstrip() if share else core
    if core[:1] == "(" and core[-1:] == ")" and core[1:2] not in ("", "-", "+", "("):  # as accountants write -12
        core = "-" + core[1:-1].strip()
    minus = core[:1] if core[:1] in "+-" and len(core) > 1 else ""
    core = core[len(minus) :].lstrip() if minus else core
    for sign in _CURRENCIES:
        if core.startswith(sign):
            return minus + core[len(sign) :].strip(), sign, share
        if core.endswith(sign):
            return minus + core[: -len(sign)].strip(), sign, share
    return minus + core, "", share


def _number(core: str, decimal: str, groups: str) -> float | None:
    minus = -1.0 if core[:1] == "-" else 1.0
    digits = core[1:] if core[:1] in ("+", "-") else core
    exponent = ""
    for mark in ("e", "E"):
        if mark in digits:
            digits, _, exponent = digits.partition(mark)
            if not _DIGITS.fullmatch(exponent.lstrip("+-")) or len(exponent) > 5:
                return None
            break
    whole, point, broken = digits.partition(decimal)
    if (point and broken and not _DIGITS.fullmatch(broken)) or not (whole or broken):
        return None
    if whole and not _DIGITS.fullmatch(whole):
        sign = next((sign for sign in groups if sign in whole), None)
        if exponent or sign is None or not _GROUPS[sign].fullmatch(whole) or whole.startswith("0"):
            return None  # nobody groups the digits before an exponent
        whole = whole.replace(sign, "")
    found = minus * float(f"{whole or 0}.{broken or 0}" + (f"e{exponent}" if exponent else ""))
    return found if math.isfinite(found) else None


def _told(sample: Sequence[str], decimal: str, signs: Iterable[str], percent: bool) -> str:
    parts = []
    grouping = next((sign for sign in (", " if decimal == "." else ". ") if any(sign in core for core in sample)), None)
    if grouping is not None:
        parts.append("signs between thousands")
    if decimal == "," and any("," in core for core in sample):
        parts.append("decimal commas")
    parts += sorted(signs)
    parts += ["percent signs"] if percent else []
    return " and ".join(parts)


def dates(texts: Sequence[str]) -> CellReading | None:
    """Seconds since 1970 (UTC where no zone is given) of each text, or seconds of the day; None if some is no date."""
    if not texts or any(len(text) > LONGEST for text in texts):
        return None
    for what, read in _DATE_STYLES:
        found: dict[str, float] = {}
        for text in texts:
            seconds = read(text.strip())
            if seconds is None:
                break
            found[text] = seconds
        if len(found) == len(texts):
            return None if _ambiguous(texts) and "/" in what else (found, what)
    return None


def each_a_date(texts: Sequence[str]) -> bool:
    """Whether every text by itself is a date, though together they may be written in several ways."""
    return bool(texts) and all(
        len(text) <= LONGEST and any(read(text.strip()) is not None for what, read in _DATE_STYLES if what != "times")
        for text in texts
    )


def _ambiguous(texts: Sequence[str]) -> bool:
    """Whether day and month could change places in every date."""
    return all(read(text.strip()) is not None for text in texts for read in (_month_first, _day_first))


def _moment(text: str, places: tuple[int, int, int], separators: str) -> float | None:
    day_text, _, time_text = text.partition("T" if "T" in text else " ")
    day = _DAY.fullmatch(day_text)
    if day is None or day[2] != day[4] or day[2] not in separators:
        return None
    parts = (day[1], day[3], day[5])
    year, month, date = (parts[place] for place in places)
    if len(year) != 4 or len(month) > 2 or len(date) > 2:
        return None
    clock = _clock(time_text.strip()) if time_text else (0.0, None)
    if clock is None:
        return None
    try:
        start = datetime(int(year), int(month), int(date), tzinfo=clock[1] or UTC)
    except ValueError:
        return None
    return (start - _EPOCH).total_seconds() + clock[0]


def _clock(text: str) -> tuple[float, timezone | None] | None:
    """Seconds since midnight, and the zone."""
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    zone = None
    if found[5]:
        sign, digits = (-1 if found[5][0] == "-" else 1), found[5][1:].replace(":", "")
        ahead = timedelta(hours=int(digits[:2]), minutes=int(digits[2:])) if digits else timedelta()
        if ahead >= timedelta(hours=24):
            return None
        zone = timezone(sign * ahead)
    return 3600.0 * hour + 60.0 * minute + second + float(f"0.{found[4] or 0}"), zone


def _iso(text: str) -> float | None:
    return _moment(text, (0, 1, 2), "-/.")


def _day_first(text: str) -> float | None:
    return _moment(text, (2, 1, 0), "/-")


def _month_first(text: str) -> float | None:
    return _moment(text, (2, 0, 1), "/-")


def _dotted(text: str) -> float | None:
    return _moment(text, (2, 1, 0), ".")


def _time_of_day(text: str) -> float | None:
    clock = _clock(text)
    return None if clock is None or clock[1] is not None else clock[0]


_DATE_STYLES: tuple[tuple[str, Callable[[str], float | None]], ...] = (
    ("dates", _iso),
    ("dates (day.month.year)", _dotted),
    ("dates (day/month/year)", _day_first),
    ("dates (month/day/year)", _month_first),
    ("times", _time_of_day),
)
