"""Where answers go: stdout, or a file that is either whole or not there."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sepal.exceptions import ParameterError

PAGE_WIDTH = 80


@dataclass(frozen=True)
class Look:
    """How text must look where it goes."""

    width: int = PAGE_WIDTH
    color: bool = False
    unicode: bool = True


def stdout_look() -> Look:
    """The width, color and characters that stdout can show."""
    terminal = sys.stdout.isatty()
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "").replace("_", "")
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdigit() and int(columns) > 0 else PAGE_WIDTH
    if terminal and not columns.isdigit():
        width = shutil.get_terminal_size((PAGE_WIDTH, 24)).columns
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Look(width, color, encoding.startswith("utf"))


def print_text(text: str) -> None:
    """Write to stdout; what its encoding lacks is written as an escape, not as an error."""
    encoding = sys.stdout.encoding or "ascii"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def check_out(out: Path, data: str) -> None:
    """Refuse an ``--out`` that cannot work before any work is done."""
    if out.is_dir():
        raise ParameterError(f"--out {out}: expected a file, found a directory", hint=f"--out {out / 'report.txt'}")
    if not out.parent.is_dir():
        raise ParameterError(f"--out {out}: there is no directory {out.parent}", hint=f"mkdir -p {out.parent}")
    if out.suffix.lower() in (".html", ".htm", ".pdf"):
        raise ParameterError(
            f"--out {out}: a report is written as text, or as JSON, and not as {out.suffix[1:].upper()}",
            hint=f"--out {out.with_suffix('.txt')}, or {out.with_suffix('.json')}",
        )
    if out.exists() and Path(data).exists() and out.samefile(data):
        raise ParameterError(f"--out {out}: this would overwrite the data", hint="choose another name")


def write_whole(out: Path, text: str) -> None:
    """Write the file under another name and rename it, so that nobody ever sees half of it."""
    try:
        if out.exists() and not out.is_file():  # a device or a pipe must not be replaced
            out.write_text(text, encoding="utf-8")
            return
        target = Path(os.path.realpath(out))
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
        part = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            part.chmod(mode)
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise ParameterError(f"--out {out}: the file cannot be written: {reason}") from error


def _umask() -> int:
    """The umask can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
