"""Where answers go: stdout, or a file that is either whole or not there."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sepal.exceptions import ParameterError

PAGE_WIDTH = 80
NOT_TEXT = (".pdf", ".png", ".svg", ".csv", ".xlsx")


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


def table_width() -> int | None:
    """The columns a table must fit into: those of the terminal, or as COLUMNS says; a pipe or a file has no end."""
    asked = os.environ.get("COLUMNS", "")
    return stdout_look().width if sys.stdout.isatty() or (asked.isdigit() and int(asked) > 0) else None


def print_text(text: str) -> None:
    """Write to stdout; what its encoding lacks is written as an escape, not as an error."""
    encoding = sys.stdout.encoding or "ascii"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def check_out(out: Path, data: str, option: str = "--out", example: str = "report.txt") -> None:
    """Refuse a file that cannot be written before any work is done."""
    if out.is_dir():
        raise ParameterError(f"{option} {out}: expected a file, found a directory", hint=f"{option} {out / example}")
    if not out.parent.is_dir():
        raise ParameterError(f"{option} {out}: there is no directory {out.parent}", hint=f"mkdir -p {out.parent}")
    if out.exists() and Path(data).exists() and out.samefile(data):
        raise ParameterError(f"{option} {out}: this would overwrite the data", hint="choose another name")


def check_text_name(out: Path, what: str) -> None:
    """Refuse a name that promises more than text, JSON or HTML."""
    if out.suffix.lower() in NOT_TEXT:
        raise ParameterError(
            f"--out {out}: {what} is written as text, JSON or HTML, and not as {out.suffix[1:].upper()}",
            hint=f"--out {out.with_suffix('.html')}, {out.with_suffix('.txt')} or {out.with_suffix('.json')}",
        )


def check_name(out: Path, suffixes: tuple[str, ...], option: str, what: str) -> None:
    """Refuse a name that promises a format which is not written; a device or a pipe may be called anything."""
    if out.suffix.lower() in suffixes or (out.exists() and not out.is_file()):
        return
    found = out.suffix[1:].upper() or "a name without an ending"
    raise ParameterError(
        f"{option} {out}: {what} is written as {' or '.join(s[1:].upper() for s in suffixes)}, and not as {found}",
        hint=" or ".join(f"{option} {out.with_suffix(suffix)}" for suffix in suffixes),
    )


def as_json_text(kind: str, facts: dict[str, Any]) -> str:
    """Facts as one JSON object that says what it is and who wrote it."""
    from sepal import __version__
    from sepal.report import plain

    return json.dumps({"sepal": __version__, "kind": kind, **plain(facts)}, indent=2, allow_nan=False) + "\n"


def rows_text(kind: str, columns: dict[str, list[Any]], as_json: bool) -> str:
    """Columns of equal length as CSV, or as JSON with one object per row."""
    rows = list(zip(*columns.values(), strict=True))
    if as_json:
        return as_json_text(kind, {"rows": [dict(zip(columns, row, strict=True)) for row in rows]})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def write_whole(out: Path, content: str | bytes, option: str = "--out") -> None:
    """Write the file under another name and rename it, so that nobody ever sees half of it."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if out.exists() and not out.is_file():  # a device or a pipe must not be replaced
            out.write_bytes(data)
            return
        target = Path(os.path.realpath(out))
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            part.chmod(mode)
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise ParameterError(f"{option} {out}: the file cannot be written: {reason}") from error


def _umask() -> int:
    """The umask can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
