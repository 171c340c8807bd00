"""Files out: each is either whole or as it was, whatever happens while it is written."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

from sepal.exceptions import ParameterError


def write_whole(path: str | Path, content: str | bytes, place: str | None = None) -> None:
    """Write aside, wait until the disk has it, and rename: nobody ever sees half of a file.

    Parameters
    ----------
    path : str or Path
        Links are followed, and the mode of a file that is replaced stays. A device or a pipe is written to.
    content : str or bytes
        Text is written as UTF-8.
    place : str, optional
        How an error names the file.

    Raises
    ------
    ParameterError
        If the file cannot be written; what stood there before is as it was.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    out = Path(path)
    try:
        if out.exists() and not out.is_file() and not out.is_dir():
            out.write_bytes(data)
        else:
            _replace(Path(os.path.realpath(out)), data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = None if out.parent.is_dir() else f"make the folder first: mkdir -p {out.parent}"
        raise ParameterError(f"{place or out}: the file cannot be written: {reason}", hint=hint) from error


def _replace(target: Path, data: bytes) -> None:
    if target.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not os.access(target, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    part = target.parent / f".sepal-{secrets.token_hex(8)}.part"
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
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
