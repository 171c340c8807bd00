"""Where messages come from: a file with one, an mbox, a Maildir, a folder of files, standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sepal.exceptions import DataError

MOST_FILE_BYTES = 200_000_000  # of a file that is one message


def read_mail(path: str | os.PathLike[str]) -> Iterator[tuple[str, bytes]]:
    """The messages of a file, an mbox, a Maildir or a folder, each with a name; ``-`` is standard input.

    A file that begins with ``From `` is an mbox. Of a Maildir ``cur`` and ``new`` are read, of another folder all files
    in the order of their names, without those that begin with a point; folders in it are not.

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
            maildir = (place / "cur").is_dir() and (place / "new").is_dir()
            for folder in (place / "cur", place / "new") if maildir else (place,):
                for file in sorted(folder.iterdir(), key=lambda each: each.name):
                    if file.is_file() and not file.name.startswith("."):
                        yield str(file), file.read_bytes()[:MOST_FILE_BYTES]
            return
        with place.open("rb") as stream:
            yield from _file_messages(str(place), stream)
    except OSError as error:
        raise DataError(f"{place}: cannot be read: {error.strerror or error}") from error


def _file_messages(name: str, lines: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """One message, or those of an mbox: there a line ``From `` after an empty one begins the next."""
    kept: list[bytes] = []
    number, mbox, empty = 0, False, True
    for line in lines:
        if line.startswith(b"From ") and ((not kept and not number) or (mbox and empty)):
            if mbox:
                yield f"{name}:{number}", _without_last_empty(kept)
                number += 1
            mbox, kept = True, []
        else:
            unescaped = mbox and line.startswith(b">") and line.lstrip(b">").startswith(b"From ")
            kept.append(line[1:] if unescaped else line)
        empty = line in (b"\n", b"\r\n")
    if not kept and not mbox:
        raise DataError(f"{name}: there is no message in it")
    yield (f"{name}:{number}", _without_last_empty(kept)) if mbox else (name, b"".join(kept))


def _without_last_empty(lines: list[bytes]) -> bytes:
    return b"".join(lines[:-1] if lines and lines[-1] in (b"\n", b"\r\n") else lines)
