"""The header of an ARFF file: relation, attributes, and where the data start."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from sepal.data._columns import check_names
from sepal.data._error_words import Origin, shown
from sepal.data._java_dates import DEFAULT_PATTERN, date_parser
from sepal.exceptions import DataError

ArffType = Literal["numeric", "nominal", "string", "date"]
_NUMERIC_WORDS = ("numeric", "real", "integer")

# Possessive, so that no text can make them slow; the closing quote is optional to report its absence.
QUOTED = re.compile(r"'([^'\\]*+(?:\\.[^'\\]*+)*+)('?)|\"([^\"\\]*+(?:\\.[^\"\\]*+)*+)(\"?)", re.DOTALL)
_MARKS = re.compile(r"[\\'\"{}]")
_WORD = re.compile(r"[^\s{}]+")
_WEIGHT = re.compile(r"\{\s*([^{}\s]+)\s*\}")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "u001E": "\x1e"}


@dataclass(frozen=True)
class Attribute:
    """A declared column."""

    name: str
    type: ArffType
    levels: tuple[str, ...] = ()
    parse_date: Callable[[str], float] | None = None


@dataclass(frozen=True)
class Header:
    """What stands above ``@data``."""

    relation: str
    attributes: tuple[Attribute, ...]
    data_start: int  # index of the first line after @data
    notes: tuple[str, ...]


def quoted_text(text: str, position: int, place: str) -> tuple[str, int]:
    """The text of the quoted token that starts here, and where it ends."""
    match = QUOTED.match(text, position)
    if match is None or not (match[2] or match[4]):
        raise DataError(
            f"{place}: the quote {text[position]} opened before "
            f"{shown(text[position + 1 : position + 30])} is never closed",
            hint=f"a quote inside a quoted text is written \\{text[position]}",
        )
    inner = match[1] if match[1] is not None else match[3]
    if "\\" in inner:
        inner = re.sub(r"(?s)\\(u001E|.)", lambda found: _ESCAPES.get(found[1], found[1]), inner)
    return inner, match.end()


def read_header(lines: Sequence[str], origin: Origin) -> Header:
    """Read up to and including ``@data``."""
    relation, attributes, notes = "", [], []
    i = 0
    while i < len(lines):
        number, stripped = i + 1, lines[i].strip()
        i += 1
        if not stripped or stripped.startswith("%"):
            continue
        match = re.match(r"@([A-Za-z]+)\s*", stripped)
        keyword, rest = (match[1].lower(), stripped[match.end() :]) if match else ("", stripped)
        if keyword == "relation":
            quoted = rest[:1] in ("'", '"')
            relation = quoted_text(rest, 0, origin.line(number))[0] if quoted else rest
        elif keyword == "attribute":
            rest, i = _whole_declaration(rest, lines, i)
            attribute, note = _attribute(rest, origin.line(number))
            attributes.append(attribute)
            notes += note
        elif keyword == "data":
            if not attributes:
                raise DataError(f"{origin.line(number)}: @data comes before any @attribute")
            check_names([attribute.name for attribute in attributes], f"{origin.source}: ")
            return Header(relation, tuple(attributes), i, tuple(notes))
        else:
            raise DataError(
                f"{origin.line(number)}: expected @relation, @attribute or @data, found {shown(stripped)}",
                hint="comment lines start with %",
            )
    raise DataError(f"{origin.source}: expected @data, found the end of the file")


def _whole_declaration(rest: str, lines: Sequence[str], i: int) -> tuple[str, int]:
    """A declaration with the lines its braces go on over, and the line after it. Every character is seen once."""
    parts, braces = [rest], _Braces()
    braces.see(rest)
    while braces.open and i < len(lines) and not lines[i].lstrip().startswith("@"):
        if not lines[i].lstrip().startswith("%"):
            parts.append(" " + lines[i].strip())
            braces.see(parts[-1])
        i += 1
    return "".join(parts), i


@dataclass
class _Braces:
    """Which braces stand outside quotes in a text that comes in parts."""

    quote: str = ""  # the one that is open
    escaped_until: int = 0  # from the start of the next part: what a backslash covers
    opened: bool = False
    closed: bool = False

    @property
    def open(self) -> bool:
        return self.opened and not self.closed

    def see(self, part: str) -> None:
        after = self.escaped_until
        for found in _MARKS.finditer(part):
            if found.start() < after:
                continue
            mark = found[0]
            if self.quote:
                self.quote = "" if mark == self.quote else self.quote
                after = found.start() + 2 if mark == "\\" else after
            elif mark in "'\"":
                self.quote = mark
            else:
                self.opened |= mark == "{"
                self.closed |= mark == "}"
        self.escaped_until = max(0, after - len(part))


def _attribute(rest: str, place: str) -> tuple[Attribute, list[str]]:
    """One declaration: name, type, and perhaps a weight."""
    if rest[:1] in ("'", '"'):
        name, position = quoted_text(rest, 0, place)
    else:
        word = _WORD.match(rest)
        if word is None:
            raise DataError(f"{place}: expected the name of an attribute, found {shown(rest)}")
        name, position = word[0], word.end()
    declared = rest[position:].strip()
    if declared.startswith("{"):
        levels, end = _levels(declared, name, place)
        return Attribute(name, "nominal", levels), _remainder(declared[end:], name, place)
    word = _WORD.match(declared)
    kind, after = (word[0].lower(), declared[word.end() :].strip()) if word else ("", "")
    if kind in _NUMERIC_WORDS:
        return Attribute(name, "numeric"), _remainder(after, name, place)
    if kind == "string":
        return Attribute(name, "string"), _remainder(after, name, place)
    if kind == "date":
        return _date(name, after, place)
    if kind == "relational":
        raise DataError(
            f"{place}: attribute {shown(name)} is relational (a table in a table), which is not supported",
            hint="turn each inner row into a row of its own",
        )
    raise DataError(
        f"{place}: attribute {shown(name)}: expected numeric, real, integer, string, date or {{values}}, "
        f"found {shown(declared)}"
    )


def _date(name: str, after: str, place: str) -> tuple[Attribute, list[str]]:
    pattern, end = DEFAULT_PATTERN, 0
    if after[:1] in ("'", '"'):
        pattern, end = quoted_text(after, 0, place)
    elif after[:1] not in ("", "{", "%"):
        word = _WORD.match(after)
        pattern, end = (word[0], word.end()) if word else (pattern, 0)
    try:
        parse = date_parser(pattern)
    except ValueError as error:
        raise DataError(f"{place}: attribute {shown(name)}: {error}") from error
    note = f"dates in column {shown(name)} were turned into seconds since 1970"
    return Attribute(name, "date", parse_date=parse), [note, *_remainder(after[end:], name, place)]


def _remainder(rest: str, name: str, place: str) -> list[str]:
    """What may follow a type: a weight, a comment, nothing."""
    rest = rest.strip()
    if not rest or rest.startswith("%"):
        return []
    weight = _WEIGHT.match(rest)
    if weight is None:
        raise DataError(f"{place}: attribute {shown(name)}: expected the end of the line, found {shown(rest)}")
    return [f"the weight {weight[1]} of column {shown(name)} is not used"]


def _levels(text: str, name: str, place: str) -> tuple[tuple[str, ...], int]:
    """The values between braces. With a comma among them commas separate, else blanks do."""
    levels: list[str] = []
    bare = QUOTED.sub("", text)
    plain = re.compile(r"[^,}]*" if "," in bare.partition("}")[0] else r"[^\s}]*")
    position = 1
    while True:
        while position < len(text) and (text[position] == "," or text[position].isspace()):
            position += 1
        if position >= len(text):
            raise DataError(f"{place}: attribute {shown(name)}: the brace {{ is never closed")
        if text[position] == "}":
            break
        if text[position] in "'\"":
            level, position = quoted_text(text, position, place)
        else:
            match = plain.match(text, position)
            level, position = (match[0].strip(), match.end()) if match else ("", position)
        levels.append(level)
    if not levels or len(set(levels)) < len(levels):
        what = f"{shown(Counter(levels).most_common(1)[0][0])} twice" if levels else "none"
        raise DataError(f"{place}: attribute {shown(name)}: expected distinct values, found {what}")
    return tuple(levels), position + 1
