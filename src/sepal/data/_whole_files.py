"""Files out: each is either whole or as it was, whatever happens while it is written."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from sepal.exceptions import ParameterError, SepalError


def write_whole(path: str | Path, content: str | bytes | Iterable[str], place: str | None = None) -> None:
    """Write aside, wait until the disk has it, and rename: nobody ever sees half of a file.

    Parameters
    ----------
    path : str or Path
        Links are followed, and the mode of a file that is replaced stays. A device or a pipe is written to.
    content : str, bytes or iterable of str
        Text is written as UTF-8. Pieces are written as they come; if one fails, so does the whole file.
    place : str, optional
        How an error names the file.

    Raises
    ------
    ParameterError
        If the file cannot be written; what stood there before is as it was.
    """
    pieces = (content,) if isinstance(content, (str, bytes)) else content
    out = Path(path)
    try:
        if out.exists() and not out.is_file() and not out.is_dir():
            with out.open("wb") as file:
                _write(file, pieces)
        else:
            _replace(Path(os.path.realpath(out)), pieces)
    except SepalError:
        raise  # of whoever makes the pieces
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = None if out.parent.is_dir() else f"make the folder first: mkdir -p {out.parent}"
        raise ParameterError(f"{place or out}: the file cannot be written: {reason}", hint=hint) from error


def _write(file: IO[bytes], pieces: Iterable[str | bytes]) -> None:
    for piece in pieces:
        file.write(piece.encode("utf-8", "backslashreplace") if isinstance(piece, str) else piece)


def _replace(target: Path, pieces: Iterable[str | bytes]) -> None:
    if target.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not os.access(target, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    part = target.parent / f".sepal-{secrets.token_hex(8)}.part"
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with os.fdopen(handle, "wb") as file:
            _write(file, pieces)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    _settle(target.parent)


def _settle(folder: Path) -> None:
    """Have the new name on the disk too, where folders can be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
