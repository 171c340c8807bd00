"""Bytes to text: the encoding that was asked for, or the first of a few that fits."""

from __future__ import annotations

import codecs

from sepal.data._error_words import shown
from sepal.exceptions import DataError, ParameterError

# What a mark at the beginning says, the longer ones first: that of UTF-32 begins with one of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Tried in this order where no mark says it: UTF-8 refuses nearly every text that is none, Latin-1 refuses nothing.
_TRIED = (("utf-8", None), ("cp1252", "Windows-1252"), ("latin-1", "Latin-1"))


def check_encoding(encoding: str | None) -> None:
    """Refuse the name of an encoding that Python does not know, or that is none of text."""
    if encoding is None:
        return
    try:
        known = codecs.lookup(encoding)._is_text_encoding
    except (LookupError, TypeError, ValueError, UnicodeError):
        known = False
    if not known:
        raise ParameterError(
            f"encoding: there is no encoding of text called {shown(encoding)}", hint="utf-8, utf-16, cp1252 and latin-1"
        )


def decoded(data: bytes, source: str, encoding: str | None) -> tuple[str, tuple[str, ...]]:
    """The text, and a note where its encoding is not UTF-8 and was not asked for."""
    if encoding is not None:
        return _as_asked(data, source, encoding), ()
    marked = _marked(data)
    if marked is not None:
        note = f"the file was read as {marked.upper()}, as the mark at its beginning says"
        return _strictly(data, source, marked), () if marked == "utf-8-sig" else (note,)  # UTF-8 goes without saying
    if b"\0" in data:
        raise DataError(
            f"{source}: expected text or Parquet, found a binary file (a zero byte at {data.index(0)})",
            hint="save the table as CSV, ARFF or Parquet; for UTF-16 text without a mark give encoding='utf-16-le'",
        )
    for name, called in _TRIED:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        note = (
            f"the file is not UTF-8 and was read as {called}; if texts look wrong, say its encoding "
            "(encoding, --encoding)"
        )
        return text, () if called is None else (note,)
    raise AssertionError("Latin-1 refuses nothing")


def _marked(data: bytes) -> str | None:
    """The encoding that the mark at the beginning says."""
    return next((name for mark, name in _MARKS if data.startswith(mark)), None)


def _as_asked(data: bytes, source: str, encoding: str) -> str:
    """By the encoding that was asked for, without the mark, unless that says another and both fit many bytes."""
    name, marked = codecs.lookup(encoding).name, _marked(data)
    if marked is not None and name.startswith(("utf-16", "utf-32")) and not _fits(data, name, marked):
        said = marked.removesuffix("-sig")
        raise DataError(
            f"{source}: expected {encoding.upper()} text, found the mark of {said.upper()} at its beginning",
            hint=_cure(said),
        )
    return _strictly(data, source, encoding).removeprefix("\ufeff")


def _fits(data: bytes, name: str, marked: str) -> bool:
    """Whether a mark says this encoding; utf-16-le and the like say more than the name of the mark."""
    return name == marked or (name.startswith(marked) and data.startswith("\ufeff".encode(name)))


def _strictly(data: bytes, source: str, encoding: str) -> str:
    called = encoding.removesuffix("-sig").upper()
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{source}, line {line}: expected {called} text, found the byte "
            f"0x{data[error.start]:02X} (byte {error.start} of the file)",
            hint=_hint(data, encoding),
        ) from error
    except UnicodeError as error:
        raise DataError(
            f"{source}: expected {called} text, found something else ({error})", hint=_hint(data, encoding)
        ) from error


def _hint(data: bytes, refused: str) -> str:
    """The encoding that the text has, by its mark or by trying: it is not ``refused``."""
    marked = _marked(data)
    if marked is not None:
        said = marked.removesuffix("-sig")
        damaged = codecs.lookup(refused).name.startswith(said)
        return "the file is damaged there; write it again" if damaged else _cure(said)
    for name, _ in _TRIED:
        try:
            data.decode(name)
        except UnicodeDecodeError:
            continue
        return _cure(name)
    raise AssertionError("Latin-1 refuses nothing")


def _cure(encoding: str) -> str:
    return f"give the encoding it has: encoding={encoding!r}, --encoding {encoding}"
