"""Bytes as text: by what they are, and by what is said of them, which may be a lie."""

from __future__ import annotations

import binascii
import codecs
import re
from collections.abc import Iterator
from functools import lru_cache

# Python's codecs that are charsets of mail; there are others, such as unicode_escape, idna and undefined.
_CHARSETS = re.compile(
    r"ascii|big5|cp\d|euc_|gb|hp-roman8|hz|iso|johab|koi8|kz1048|mac-|ptcp154|shift_jis|tis-620|utf-"
)
_OTHER_NAMES = {
    "cn-big5": "big5", "cn-gb": "gb18030", "csgb2312": "gb18030", "gb_2312-80": "gb18030", "iso-8859-8-i": "iso8859-8",
    "windows-31j": "cp932", "windows-874": "cp874", "windows-949": "cp949", "x-big5": "big5", "x-euc-jp": "euc_jp",
    "x-gbk": "gb18030", "x-mac-cyrillic": "mac-cyrillic", "x-sjis": "cp932", "x-windows-949": "cp949",
}  # fmt: skip
# What browsers read instead, since mailers write it under the older name.
_WIDER = {
    "ascii": "cp1252", "big5": "cp950", "euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030",
    "iso2022_jp": "iso2022_jp_ext", "iso8859-1": "cp1252", "iso8859-11": "cp874", "iso8859-9": "cp1254",
    "shift_jis": "cp932", "tis-620": "cp874",
}  # fmt: skip
# Charsets that write other letters with the bytes of ASCII, and what tells that they do.
_SIGNS = {
    "hz": re.compile(rb"~\{"),
    "iso2022": re.compile(rb"[\x0e\x1b]"),
    "utf-7": re.compile(rb"\+"),
    "utf-16": re.compile(rb"\0|^\xff\xfe|^\xfe\xff"),
    "utf-32": re.compile(rb"\0"),
}
_TWO_BYTES = ("big5", "cp932", "cp949", "cp950", "euc_", "gb", "johab", "shift_jis")
_BY_CHANCE = 6  # bytes of two-byte letters: fewer may be UTF-8 by chance
_SURROGATE = re.compile("[\ud800-\udfff]")
_ENCODED = re.compile(r"=\?([^?\s]{1,60})\?([QqBb])\?(.*?)\?=", re.DOTALL)
_QUOTED = re.compile(rb"=([0-9A-Fa-f]{2})")
_NO_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")


def read_charset(raw: bytes, charset: str | None) -> str:
    """Text of bytes: UTF-8 where they are, which is no accident; else as they say; else as Windows writes.

    What says that it is no ASCII behind its bytes is believed first. Some damage is no reason to read the rest as
    something else.
    """
    said = _codec(charset) if charset else None
    for codec, readable in _candidates(raw, said):
        text = _read(raw, codec, readable)
        if text is not None:
            return whole(text)
    return raw.decode("cp1252", "replace")


def whole(text: str) -> str:
    """Without halves of characters, which nothing could write."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


@lru_cache(64)
def _codec(charset: str) -> str | None:
    """Python's name of a charset, if it is one."""
    name = charset.strip("\"' \t").lower()
    try:
        found = codecs.lookup(_OTHER_NAMES.get(name, name)).name if len(name) <= 40 else ""
    except (LookupError, ValueError):
        return None
    return _WIDER.get(found, found) if _CHARSETS.match(found) else None


def _candidates(raw: bytes, said: str | None) -> Iterator[tuple[str, float]]:
    """Codecs, likely ones first, and how many letters each must make readable for one that is lost."""
    if said is not None and _signed(said, raw):
        yield said, 1.0
    if said is not None and said.startswith(_TWO_BYTES) and len(raw) - len(_ascii(raw)) < _BY_CHANCE:
        yield said, float("inf")
    yield "utf-8", 1.0 if said == "utf-8" else 3.0
    if said is not None and not said.startswith(tuple(_SIGNS)):
        yield said, 1.0


def _signed(said: str, raw: bytes) -> bool:
    return any(said.startswith(name) and sign.search(raw) for name, sign in _SIGNS.items())


def _ascii(raw: bytes) -> bytes:
    return raw.translate(None, delete=bytes(range(128, 256)))


def _read(raw: bytes, codec: str, readable: float) -> str | None:
    """Text, if it is that; or most of it is."""
    try:
        return raw.decode(codec)
    except (LookupError, ValueError):
        if readable == float("inf"):
            return None
    try:
        text = raw.decode(codec, "replace")
    except (LookupError, ValueError):
        return None
    lost = text.count("\ufffd")
    plain = 0 if codec.startswith(tuple(_SIGNS)) else len(text.encode("ascii", "ignore"))
    return text if readable * lost <= len(text) - plain - lost else None


def unfolded(value: str) -> str:
    """A header with its encoded words decoded; those side by side in one charset are read together."""
    found: list[str] = []
    run: list[bytes] = []
    charset, at = "", 0
    for word in _ENCODED.finditer(value):
        between, own = value[at : word.start()], word[1].partition("*")[0].lower()
        if run and (between.strip() or own != charset):
            found.append(read_charset(b"".join(run), charset))
            run = []
        if between.strip() or not at:
            found.append(between)
        raw = word[3].encode("utf-8", "replace")
        run.append(from_base64(raw) if word[2] in "Bb" else _from_quoted(raw))
        charset, at = own, word.end()
    if run:
        found.append(read_charset(b"".join(run), charset))
    return "".join(found) + value[at:]


def _from_quoted(raw: bytes) -> bytes:
    return _QUOTED.sub(lambda found: bytes.fromhex(found[1].decode()), raw.replace(b"_", b" "))


def from_base64(raw: bytes) -> bytes:
    """What base64 holds, however it is broken."""
    try:
        return binascii.a2b_base64(raw)
    except binascii.Error:
        letters = _NO_BASE64.sub(b"", raw)
        letters = letters[: len(letters) - (len(letters) % 4 == 1)]
        return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))
