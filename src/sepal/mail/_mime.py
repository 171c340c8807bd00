"""The parts of a message: one look at the bytes for each level, however the message was made.

The standard library's parser asks every line whether it ends any of the parts it is in, and reads headers at length;
mail is written by people who want readers of mail to fail.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from urllib.parse import unquote_to_bytes

from sepal.mail._charsets import from_base64, read_charset, unfolded

MOST_PARTS = 100
_DEPTH = 30  # parts in each other; what is deeper is read as it stands
_HEADER = 2_000  # bytes of a header that are read
_READ = ("content-type", "content-disposition", "content-transfer-encoding")
_HEAD = re.compile(rb"(?:(?:[!-9;-~]+[ \t]*:|[ \t])[^\n]*(?:\n|\Z))*")
_FOLD = re.compile(rb"\r?\n[ \t]+")
_TYPE = re.compile(r"([^\s;/]+/[^\s;/]+)")
_PARAMETER = re.compile(r'[; ] ?([A-Za-z0-9_*.-]{1,60}) ?= ?("(?:[^"\\]|\\.)*"|[^; ]+)')
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True)
class MailPart:
    """One that holds no others: its type, the name of the file it may be, and how its bytes are written."""

    kind: str
    name: str
    attached: bool
    charset: str | None
    coding: str
    body: bytes

    def content(self) -> bytes:
        """What it holds."""
        match self.coding:
            case "base64":
                return from_base64(self.body)
            case "quoted-printable":
                return binascii.a2b_qp(self.body)
            case "x-uuencode" | "uuencode" | "x-uue" | "uue":
                return _from_uu(self.body)
        return self.body


def raw_headers(head: bytes, names: tuple[str, ...]) -> dict[str, bytes]:
    """The first of each header that is asked for, as it stands."""
    found: dict[str, bytes] = {}
    for line in _FOLD.sub(b" ", head).splitlines():
        name, colon, value = line.partition(b":")
        key = name.strip().lower().decode("latin-1")
        if colon and key in names and key not in found:
            found[key] = value.strip()[:_HEADER]
    return found


def mail_parts(raw: bytes) -> Iterator[MailPart]:
    """The parts of a message whose lines end in one byte, in their order; of very many the first."""
    waiting = [(raw, 0, "text/plain")]
    for _ in range(MOST_PARTS):
        if not waiting:
            return
        raw, depth, usual = waiting.pop()
        head, body = _split(raw)
        values = raw_headers(head, _READ)
        told, disposition, coding = (" ".join(read_charset(values.get(name, b""), None).split()) for name in _READ)
        named = _TYPE.match(told)
        kind, facts = named[1].lower() if named else usual, _parameters(told)
        inside = _inside(kind, facts.get("boundary", ""), body) if depth < _DEPTH else None
        if inside is not None:
            usual = "message/rfc822" if kind == "multipart/digest" else "text/plain"
            waiting += [(each, depth + 1, usual) for each in reversed(inside)]
            continue
        name = unfolded(_parameters(disposition).get("filename") or facts.get("name") or "")
        attached = disposition.lower().startswith("attachment")
        whole = kind.startswith(("multipart/", "message/"))  # though it should hold others
        yield MailPart("text/plain" if whole else kind, name, attached, facts.get("charset"), coding.lower(), body)


def _inside(kind: str, boundary: str, body: bytes) -> list[bytes] | None:
    """The parts of a part; None where there are none."""
    if kind == "message/delivery-status":
        return []
    if kind.startswith("message/"):
        return [body]
    if not kind.startswith("multipart/") or not boundary:
        return None
    line = re.compile(rb"\n--" + re.escape(boundary.encode("utf-8", "replace")) + rb"(--)?[ \t]*(?=\n|\Z)")
    body = b"\n" + body
    places: list[tuple[int, int]] = []
    for found in islice(line.finditer(body), MOST_PARTS + 1):
        places.append(found.span())
        if found[1]:
            break
    else:
        places.append((len(body), len(body)))
    return [body[begin + 1 : end] for (_, begin), (end, _) in pairwise(places)] or None


def _split(raw: bytes) -> tuple[bytes, bytes]:
    """Headers, up to the first line that is none, and body of a part."""
    found = _HEAD.match(raw)
    end = found.end() if found else 0
    return raw[:end], raw[end:].removeprefix(b"\n")


def _parameters(value: str) -> dict[str, str]:
    """What follows the first word of a header; values may be in pieces and in a charset (RFC 2231)."""
    found: dict[str, str] = {}
    pieces: dict[str, dict[int, tuple[str, bool]]] = {}
    for each in _PARAMETER.finditer(value):
        text = _ESCAPED.sub(r"\1", each[2][1:-1]) if each[2][0] == '"' else each[2]
        key, star, number = each[1].lower().partition("*")
        if not star:
            found.setdefault(key, text)
        else:
            at = number.rstrip("*")
            place = int(at) if at.isdecimal() and len(at) < 4 else 0
            pieces.setdefault(key, {}).setdefault(place, (text, each[1].endswith("*")))
    for key, of_key in pieces.items():
        texts = [of_key[place] for place in sorted(of_key)]
        charset, marks, first = texts[0][0].partition("'")[0], texts[0][0].count("'"), texts[0][0]
        if texts[0][1] and marks >= 2:
            texts[0] = (first.split("'", 2)[2], True)
        raw = b"".join(unquote_to_bytes(text) if coded else text.encode("utf-8", "replace") for text, coded in texts)
        found[key] = read_charset(raw, charset if marks >= 2 else None)
    return found


def _from_uu(raw: bytes) -> bytes:
    """What follows the line ``begin``; lines that are broken are left out."""
    found, begun = [], False
    for line in raw.split(b"\n"):
        if not begun:
            begun = line.startswith(b"begin ")
        elif line.strip() == b"end":
            break
        else:
            try:
                found.append(binascii.a2b_uu(line))
            except binascii.Error:
                continue
    return b"".join(found)
