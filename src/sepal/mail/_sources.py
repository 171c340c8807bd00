"""Where messages come from: a file with one, an mbox, a Maildir, a folder of files, standard input."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sepal.exceptions import DataError

MOST_MESSAGE_BYTES = 2_000_000  # of one message; the filter reads fewer
_HEADER = re.compile(rb"[A-Za-z][A-Za-z0-9_-]{0,75}[ \t]*:")
_FROM = re.compile(rb"(?:\xef\xbb\xbf)?From ")
_ENVELOPE = re.compile(rb"From \S+\s+(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b")
_NOTHING = re.compile(rb"(?:\xef\xbb\xbf)?\r?\n")
_USUAL = re.compile(
    rb"^(?:from|to|cc|subject|date|received|message-id|mime-version|content-type|return-path|reply-to|sender):",
    re.I | re.M,
)


def read_mail(path: str | os.PathLike[str]) -> Iterator[tuple[str, bytes]]:
    """The messages of a file, an mbox, a Maildir or a folder, each with a name; ``-`` is standard input.

    A file that begins with ``From `` is an mbox, in a folder too, where an address and a day of the week must follow
    for the next message to begin; empty lines and a byte order mark before it do not count. Of a Maildir ``cur`` and
    ``new`` are read, where every file is one message, of another folder all files in the order of their names, without
    those that begin with a point; folders in it are not. A file that neither begins with a header nor has one of the
    usual ones is no mail, which is an error. Of a message the first 2,000,000 bytes are given, to the end of their
    line.

    Parameters
    ----------
    path : str or path
        The file or folder.

    Returns
    -------
    iterator of (str, bytes)
        A name and the bytes of each message.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(os.path.join(folder, "box"), "wb") as file:
    ...         _ = file.write(b"From a Mon\\nSubject: 1\\n\\nhi\\n\\nFrom b Tue\\nSubject: 2\\n\\nho\\n")
    ...     [raw for _, raw in read_mail(os.path.join(folder, "box"))]
    [b'Subject: 1\\n\\nhi\\n', b'Subject: 2\\n\\nho\\n']
    """
    if str(path) == "-":
        yield from _file_messages("standard input", sys.stdin.buffer)
        return
    place = Path(path)
    try:
        if place.is_dir():
            yield from _folder_messages(place)
            return
        with place.open("rb") as stream:
            yield from _file_messages(str(place), stream)
    except OSError as error:
        raise DataError(f"{place}: cannot be read: {error.strerror or error}") from error


def _folder_messages(place: Path) -> Iterator[tuple[str, bytes]]:
    """Of a Maildir a message a file; of other folders the messages of each file."""
    within = place.resolve()
    one_each = _is_maildir(place) or (within.name in ("cur", "new") and _is_maildir(within.parent))
    for folder in (place / "cur", place / "new") if _is_maildir(place) else (place,):
        for file in sorted(folder.iterdir(), key=lambda each: each.name):
            if not file.is_file() or file.name.startswith("."):
                continue
            with file.open("rb") as stream:
                if one_each:
                    yield str(file), _as_mail(str(file), stream.read(MOST_MESSAGE_BYTES))
                else:
                    yield from _file_messages(str(file), stream, next_one=_ENVELOPE)


def _is_maildir(place: Path) -> bool:
    return (place / "cur").is_dir() and (place / "new").is_dir()


def _file_messages(
    name: str, lines: Iterable[bytes], next_one: re.Pattern[bytes] = _FROM
) -> Iterator[tuple[str, bytes]]:
    """One message, or those of an mbox: there a line ``From `` after an empty one begins the next.

    In folders, where most files are one message with ``From `` as people write it, more is asked of that line.
    """
    kept: list[bytes] = []
    number, mbox, begun, empty, size = 0, False, False, True, 0
    for line in lines:
        if (mbox and empty and next_one.match(line)) or (not begun and _FROM.match(line)):
            if mbox:
                yield f"{name}:{number}", _without_last_empty(kept)
                number += 1
            mbox, kept, size = True, [], 0
        elif size < MOST_MESSAGE_BYTES:
            unescaped = mbox and line.startswith(b">") and line.lstrip(b">").startswith(b"From ")
            kept.append(line[1:] if unescaped else line)
            size += len(line)
        empty = line in (b"\n", b"\r\n")
        begun = begun or not _NOTHING.fullmatch(line)
    if not kept and not mbox:
        raise DataError(f"{name}: there is no message in it")
    yield (f"{name}:{number}", _without_last_empty(kept)) if mbox else (name, _as_mail(name, b"".join(kept)))


def _without_last_empty(lines: list[bytes]) -> bytes:
    return b"".join(lines[:-1] if lines and lines[-1] in (b"\n", b"\r\n") else lines)


def _as_mail(name: str, raw: bytes) -> bytes:
    """The bytes, if they may be a message: a picture or a table is none."""
    begin = raw[:65_536].removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    if raw and not (_HEADER.match(begin) or begin.startswith((b"From ", b">From ")) or _USUAL.search(begin)):
        raise DataError(
            f"{name}: this is no mail: it does not begin with a header such as Subject: ...",
            hint="messages are read as files with headers, mbox files, Maildirs and folders",
        )
    return raw
