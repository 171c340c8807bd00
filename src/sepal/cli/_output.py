"""Where answers go: stdout, or a file that is either whole or not there."""

from __future__ import annotations

import csv
import io
import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from sepal.cli._answers import as_json_text
from sepal.cli._interrupts import will_write
from sepal.data import write_whole
from sepal.exceptions import ParameterError

PAGE_WIDTH = 80
MOST_COLUMN_DIGITS = 5
# What spreadsheets take for the start of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
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
    width = _asked_columns() or (shutil.get_terminal_size((PAGE_WIDTH, 24)).columns if terminal else PAGE_WIDTH)
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Look(width, color, encoding.startswith("utf"))


def table_width() -> int | None:
    """The columns a table must fit into: those of the terminal, or as COLUMNS says; a pipe or a file has no end."""
    return stdout_look().width if sys.stdout.isatty() or _asked_columns() else None


def _asked_columns() -> int | None:
    """What COLUMNS says, if that is a width."""
    asked = os.environ.get("COLUMNS", "")
    if not (asked.isascii() and asked.isdecimal() and len(asked) <= MOST_COLUMN_DIGITS):
        return None
    return int(asked) or None


def print_text(text: str) -> None:
    """Write to stdout; what its encoding lacks is written as an escape, not as an error."""
    encoding = sys.stdout.encoding or "ascii"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def printable(text: str) -> str:
    """Lines with every control character spelled out: the name of a class must not steer the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def check_out(
    out: Path, data: str | None = None, option: str = "--out", example: str = "report.txt", model: Path | None = None
) -> None:
    """Refuse a file that cannot be written, or that is read, before any work is done."""
    if out.is_dir():
        raise ParameterError(f"{option} {out}: expected a file, found a directory", hint=f"{option} {out / example}")
    if not out.parent.is_dir():
        raise ParameterError(f"{option} {out}: there is no directory {out.parent}", hint=f"mkdir -p {out.parent}")
    for what, read in (("data", None if data is None else Path(data)), ("model", model)):
        if read is not None and out.exists() and read.exists() and out.samefile(read):
            raise ParameterError(f"{option} {out}: this would overwrite the {what}", hint="choose another name")
    will_write(str(out))


def check_text_name(out: Path, what: str) -> None:
    """Refuse a name that promises more than text or JSON; a report may also be HTML."""
    html = what == "a report"
    if out.suffix.lower() in (NOT_TEXT if html else (*NOT_TEXT, ".html", ".htm")):
        forms = ("text", "JSON", "HTML") if html else ("text", "JSON")
        endings = (".html", ".txt", ".json") if html else (".txt", ".json")
        raise ParameterError(
            f"--out {out}: {what} is written as {', '.join(forms[:-1])} or {forms[-1]}, and not as "
            f"{out.suffix[1:].upper()}",
            hint=f"--out {' or '.join(str(out.with_suffix(ending)) for ending in endings)}",
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


def rows_text(
    kind: str, columns: dict[str, list[Any]], as_json: bool, escape_formulas: bool = False, header: bool = True
) -> str:
    """Columns of equal length as CSV, or as JSON with one object per row."""
    rows = list(zip(*columns.values(), strict=True))
    if as_json:
        return as_json_text(kind, {"rows": [dict(zip(columns, row, strict=True)) for row in rows]})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    escaped = _no_formula if escape_formulas else _as_is
    if header:
        writer.writerow(map(escaped, columns))
    writer.writerows(map(escaped, row) for row in rows)
    return text.getvalue()


def _as_is(cell: Any) -> Any:
    return cell


def _no_formula(cell: Any) -> Any:
    """A text that a spreadsheet would run, behind the apostrophe that makes it a text; numbers are no texts."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def write_out(out: Path, content: str | bytes | Iterable[str], what: str, option: str = "--out") -> None:
    """Write the file as a whole, and say on stderr what is in it; an error names the option."""
    write_whole(out, content, f"{option} {out}")
    typer.echo(f"{what} in {out}.", err=True)


def wants_json(as_json: bool, out: Path | None) -> bool:
    """Whether JSON was asked for, by the option or by the ending of the file."""
    return as_json or (out is not None and out.suffix.lower() == ".json")


def to_page(out: Path | None) -> bool:
    """Whether the file's ending asks for an HTML page."""
    return out is not None and out.suffix.lower() in (".html", ".htm")


def give(text: str, out: Path | None, what: str) -> None:
    """The answer, on the screen or in the file."""
    if out is None:
        print_text(text)
    else:
        write_out(out, text, what)


def look_of(out: Path | None) -> Look:
    """How text must look on the screen, or in a file."""
    return stdout_look() if out is None else Look()
