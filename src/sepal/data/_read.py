"""Files in: bytes are read, unpacked and decoded here; the formats have their own modules."""

from __future__ import annotations

import difflib
import os
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Literal

from sepal.data._arff import looks_like_arff, read_arff
from sepal.data._columns import KindsSpec
from sepal.data._decoding import check_encoding, decoded
from sepal.data._delimited import CellRules, read_delimited
from sepal.data._error_words import listed, shown
from sepal.data._excel import DELIMITER, first_sheet, is_workbook
from sepal.data._json_lines import looks_like_json_lines, read_json_lines, refuse_json
from sepal.data._parquet import read_feather, read_parquet
from sepal.data._source import NoRowsError, Source, TargetSpec, Wishes, to_table
from sepal.data._table import Table
from sepal.data._unpacking import gunzipped
from sepal.exceptions import DataError, ParameterError

# How files begin that people take for tables.
FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "a zip archive that is no Excel workbook", "unzip it first"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "save it as CSV"),
    (b"\x93NUMPY", "a numpy array", "load it with numpy.load and give the array itself"),
    (b"BZh", "a bzip2 archive", "unpack it first: bunzip2 {name}"),
    (b"\xfd7zXZ", "an xz archive", "unpack it first: unxz {name}"),
    (b"(\xb5/\xfd", "a zstd archive", "unpack it first: unzstd {name}"),
    (b"%PDF", "a PDF document", "a table is needed: CSV, ARFF or Parquet"),
)


def read_table(
    path: str | os.PathLike[str] | BinaryIO,
    target: str | int | Literal[False] | None = None,
    kinds: KindsSpec | None = None,
    *,
    columns: Sequence[str | int] | None = None,
    drop: Sequence[str | int] = (),
    ids: Sequence[str | int] = (),
    missing_target: Literal["error", "drop"] = "error",
    na: Sequence[str] = (),
    encoding: str | None = None,
) -> Table:
    """Read a table from a CSV, TSV, ARFF, JSON lines, Parquet, Feather or Excel (.xlsx) file,
    gzipped or not.

    Parameters
    ----------
    path : str, path-like or binary file
        The file, or one that is open. Its content decides the format.
        In delimited text the delimiter is found among tab, semicolon, bar, comma and runs of blanks, or said by a
        first line ``sep=;``; cells may be quoted, and blanks around a cell do not count. An empty cell, ``?``, ``NA``,
        ``N/A``, ``NaN``, ``null``, ``#N/A``, ``#DIV/0!`` and the like (any case) are missing, and so are ``-``,
        ``--``, ``.`` and ``None`` among numbers, dates or words. The first row is the header unless all its cells are
        numbers. A column whose cells are all numbers is numeric, also where they are written as 1,234.56, 1.234,56,
        50.1 % or EUR 12; what can be read in two ways (1.037, 1,037) is read by the decimal sign that most of the
        other columns prove, but for those that are left out or wanted as texts. Numbers of a workbook stand as they
        are, and so do columns of numbers with points where commas separate cells. Dates and times become seconds since
        1970 or midnight where day and month cannot be confused; any other column is nominal with its levels sorted.
        ``Table.notes`` says what was converted.
        In ARFF nominal columns keep the declared order, texts become nominal, dates seconds since 1970.
    target : str, int or False, optional
        The target column, by name or by position (from 0; negative from the end). Without it a column named
        class, target or label (any case), else the last one. False: there is none, as in rows to be predicted.
    kinds : mapping, optional
        Per column, by name or position in the file: "numeric", "ordinal", "nominal", or the levels in order,
        which makes it ordinal. A numeric-looking column asked for as nominal keeps its texts as levels.
    columns : sequence of str or int, optional
        The features to use, and no others.
    drop : sequence of str or int
        Columns to leave out.
    ids : sequence of str or int
        Columns that say which row it is: kept in ``Table.apart``, never used. Without it, columns that number the
        rows, are different in every row or nearly so, or hold texts are set apart too, unless ``kinds`` or
        ``columns`` names them; ``Table.cautions`` says so.
    missing_target : {"error", "drop"}
        What to do about rows whose target is missing.
    na : sequence of str
        Further marks of missing cells in delimited text.
    encoding : str, optional
        Of text. Without it UTF-8, UTF-16 with its mark, Windows-1252 and Latin-1 are tried in that order.

    Returns
    -------
    Table

    Raises
    ------
    DataError
        If the file cannot be read as a table; the text names the file, line and column, what was expected
        and what was found.
    ParameterError
        If ``target`` or ``kinds`` name a column that is not there.
    MissingDependencyError
        If a Parquet file is given and neither pyarrow nor polars is installed, a Feather file without pyarrow, or a
        workbook without openpyxl.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "shirts.csv")
    ...     _ = file.write_text("size;price;sold\\nS;9,50;yes\\nL;12;no\\n")
    ...     table = read_table(file, kinds={"size": ["S", "M", "L"]})
    >>> table.values.tolist(), table.y.tolist()
    ([[0.0, 9.5], [2.0, 12.0]], ['yes', 'no'])
    """
    check_encoding(encoding)
    if isinstance(na, str) or not all(isinstance(mark, str) for mark in na):
        raise ParameterError(f"na: expected a list of texts, found {shown(na)}")
    if not isinstance(path, (str, os.PathLike)) and not hasattr(path, "read"):
        raise ParameterError(
            f"path: expected the name of a file, found {shown(path)}",
            hint="arrays and data frames need no reading: give them as X",
        )
    if missing_target not in ("error", "drop"):
        raise ParameterError(f"missing_target: expected 'error' or 'drop', found {shown(missing_target)}")
    wishes = Wishes(
        columns=None if columns is None else _listed_columns(columns, "columns"),
        drop=_listed_columns(drop, "drop"),
        ids=_listed_columns(ids, "ids"),
        missing_target=missing_target,
    )
    data, source, name = _bytes_of(path)
    marks = frozenset(mark.strip() for mark in na)
    return table_from_bytes(data, source, target, kinds, wishes=wishes, na=marks, encoding=encoding, name=name)


def _bytes_of(path: str | os.PathLike[str] | BinaryIO) -> tuple[bytes, str, str]:
    """The content, what errors call it, and the name of the table."""
    if isinstance(path, (str, os.PathLike)):
        file = Path(path)
        return _content(file), file.name, _stem(file.name)
    data = path.read()
    if not isinstance(data, bytes):
        raise ParameterError("path: expected a file that was opened for bytes", hint="open it with mode 'rb'")
    named = getattr(path, "name", None)
    source = Path(named).name if isinstance(named, str) else "standard input"
    return data, source, _stem(source)


def _listed_columns(columns: Sequence[str | int], word: str) -> tuple[str | int, ...]:
    if isinstance(columns, (str, int)) or not isinstance(columns, Sequence):
        raise ParameterError(f"{word}: expected a list of names or positions, found {shown(columns)}")
    return tuple(columns)


def table_from_bytes(
    data: bytes,
    source: str,
    target: TargetSpec,
    kinds: KindsSpec | None,
    *,
    cautions: tuple[str, ...] = (),
    wishes: Wishes = Wishes(judge=False),  # noqa: B008 - frozen
    na: frozenset[str] = frozenset(),
    encoding: str | None = None,
    **fields: Any,
) -> Table:
    """The table in the bytes of a file called ``source``; ``cautions`` come first among its notes."""
    parsed = _parse(_unpacked(data, source), source, target, kinds, wishes, na, encoding)
    parsed = replace(parsed, notes=(*cautions, *parsed.notes))
    fields.setdefault("description", parsed.description)
    return to_table(parsed, target, kinds, wishes, **fields)


def _parse(
    data: bytes,
    source: str,
    target: TargetSpec,
    kinds: KindsSpec | None,
    wishes: Wishes,
    na: frozenset[str],
    encoding: str | None,
) -> Source:
    if not data.removeprefix(BOM_UTF8):
        raise DataError(f"{source}: the file is empty", hint="a header and rows are needed")
    if data.startswith(b"PAR1"):
        return read_parquet(data, source)
    if data.startswith(b"ARROW1"):
        return read_feather(data, source)
    if data.startswith(b"PK") and is_workbook(data):
        return _of_workbook(data, source, target, kinds, wishes, na)
    _refuse_foreign(data, source)
    text, notes = decoded(data, source, encoding)
    if looks_like_arff(text, source):
        parsed = read_arff(text, source)
    elif looks_like_json_lines(text):
        parsed = read_json_lines(text, source)
    else:
        refuse_json(text, source)
        parsed = read_delimited(text, source, target, kinds, wishes, CellRules(na))
    return replace(parsed, notes=(*notes, *parsed.notes))


def _of_workbook(
    data: bytes, source: str, target: TargetSpec, kinds: KindsSpec | None, wishes: Wishes, na: frozenset[str]
) -> Source:
    """The first sheet; where it is no table, the error names the other sheets and no signs between cells."""
    sheet = first_sheet(data, source)
    try:
        parsed = read_delimited(sheet.text, source, target, kinds, wishes, CellRules(na, DELIMITER, sheet.numbers))
    except NoRowsError as error:
        raise NoRowsError(_unhinted(error), hint=sheet.cure, names=error.names) from error
    except DataError as error:
        raise DataError(_unhinted(error), hint=sheet.cure) from error
    return replace(parsed, notes=(*sheet.notes, *parsed.notes), widened_by=sheet.cure)


def _unhinted(error: DataError) -> str:
    return str(error).removesuffix(f"\nhint: {error.hint}")


def _stem(name: str) -> str:
    """The file's name without .gz and its format."""
    stem = Path(name.removesuffix(".gz")).stem
    return stem or name


def _content(file: Path) -> bytes:
    try:
        if file.is_dir():
            raise DataError(f"{file}: expected a file, found a directory", hint=_files_inside(file))
        if file.is_char_device() or file.is_block_device():
            raise DataError(f"{file}: expected a file, found a device")
        return file.read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"{file}: there is no such file", hint=_nearest_files(file)) from error
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{shown(str(file))}: the file cannot be read: {reason}") from error


def _files_inside(folder: Path) -> str | None:
    try:
        inside = sorted(item.name for item in folder.iterdir() if item.is_file())
    except OSError:
        return None
    return f"it holds {listed(inside, 5)}" if inside else "it holds no files"


def _nearest_files(file: Path) -> str:
    from sepal.data._bundled import SETS

    if str(file) in SETS:
        return f'for the bundled set use sepal.datasets.load("{file}")'
    try:
        others = [item.name for item in file.parent.iterdir()]
    except OSError:
        return f"the folder {shown(str(file.parent))} cannot be read either; check the path"
    near = difflib.get_close_matches(file.name, others, n=3, cutoff=0.5)
    if near:
        return f"did you mean {' or '.join(shown(name) for name in near)}?"
    return f"nothing in {shown(str(file.parent.absolute()))} has a similar name"


def _unpacked(data: bytes, source: str) -> bytes:
    return gunzipped(data, source) if data.startswith(b"\x1f\x8b") else data


def _refuse_foreign(data: bytes, source: str) -> None:
    for magic, what, cure in FOREIGN:
        if data.startswith(magic):
            hint = cure.format(name=source, stem=_stem(source))
            raise DataError(f"{source}: expected CSV, ARFF or Parquet, found {what}", hint=hint)
