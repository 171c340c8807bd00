"""Files in: bytes are read, unpacked and decoded here; the formats have their own modules."""

from __future__ import annotations

import difflib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from sepal.data._arff import looks_like_arff, read_arff
from sepal.data._columns import KindsSpec
from sepal.data._delimited import read_delimited
from sepal.data._parquet import read_parquet
from sepal.data._source import Source, to_table
from sepal.data._table import Table
from sepal.data._unpacking import gunzipped
from sepal.data._where import listed, shown
from sepal.exceptions import DataError, ParameterError

# How files begin that people take for tables.
FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "an Excel workbook or another zip archive", "save it as CSV, or unzip it first"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "save it as CSV"),
    (b"\xff\xfe", "UTF-16 text", "convert it: iconv -f utf-16 -t utf-8 {name} > {stem}-utf8.csv"),
    (b"\xfe\xff", "UTF-16 text", "convert it: iconv -f utf-16 -t utf-8 {name} > {stem}-utf8.csv"),
    (b"\x93NUMPY", "a numpy array", "load it with numpy.load and give the array itself"),
    (b"BZh", "a bzip2 archive", "unpack it first: bunzip2 {name}"),
    (b"\xfd7zXZ", "an xz archive", "unpack it first: unxz {name}"),
    (b"(\xb5/\xfd", "a zstd archive", "unpack it first: unzstd {name}"),
    (b"%PDF", "a PDF document", "a table is needed: CSV, ARFF or Parquet"),
)


def read_table(
    path: str | os.PathLike[str],
    target: str | int | Literal[False] | None = None,
    kinds: KindsSpec | None = None,
) -> Table:
    """Read a table from a CSV, TSV, ARFF or Parquet file, gzipped or not.

    Parameters
    ----------
    path : str or path-like
        The file. Its content decides the format.
        In delimited text the delimiter is found among tab, semicolon, bar, comma and runs of blanks; cells
        may be quoted, and blanks around a cell do not count. An empty cell, ``?``, ``NA``, ``NaN`` and
        ``null`` (any case) are missing. The first row is the header unless all its cells are numbers. A
        column whose cells are all numbers is numeric, any other nominal with its levels sorted.
        In ARFF nominal columns keep the declared order, texts become nominal, dates seconds since 1970.
    target : str, int or False, optional
        The target column, by name or by position (from 0; negative from the end). Without it a column named
        class, target or label (any case), else the last one. False: there is none, as in rows to be predicted.
    kinds : mapping, optional
        Per column, by name or position in the file: "numeric", "ordinal", "nominal", or the levels in order,
        which makes it ordinal. A numeric-looking column asked for as nominal keeps its texts as levels.

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
        If a Parquet file is given and neither pyarrow nor polars is installed.

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
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(
            f"path: expected the name of a file, found {shown(path)}",
            hint="arrays and data frames need no reading: give them as X",
        )
    file = Path(path)
    return table_from_bytes(_content(file), file.name, target, kinds, name=_stem(file.name))


def table_from_bytes(
    data: bytes,
    source: str,
    target: str | int | Literal[False] | None,
    kinds: KindsSpec | None,
    *,
    cautions: tuple[str, ...] = (),
    **fields: Any,
) -> Table:
    """The table in the bytes of a file called ``source``; ``cautions`` come first among its notes."""
    parsed = _parse(_unpacked(data, source), source, kinds)
    parsed = replace(parsed, notes=(*cautions, *parsed.notes))
    fields.setdefault("description", parsed.description)
    return to_table(parsed, target, kinds, **fields)


def _parse(data: bytes, source: str, kinds: KindsSpec | None) -> Source:
    if not data.strip():
        raise DataError(f"{source}: the file is empty", hint="a header and rows are needed")
    if data.startswith(b"PAR1"):
        return read_parquet(data, source)
    text = _decoded(data, source)
    if looks_like_arff(text, source):
        return read_arff(text, source)
    return read_delimited(text, source, kinds)


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


def _decoded(data: bytes, source: str) -> str:
    for magic, what, cure in FOREIGN:
        if data.startswith(magic):
            hint = cure.format(name=source, stem=_stem(source))
            raise DataError(f"{source}: expected CSV, ARFF or Parquet, found {what}", hint=hint)
    if b"\0" in data:
        raise DataError(
            f"{source}: expected text or Parquet, found a binary file (a zero byte at {data.index(0)})",
            hint="save the table as CSV, ARFF or Parquet",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{source}, line {line}: expected UTF-8 text, found the byte 0x{data[error.start]:02X} "
            f"(byte {error.start} of the file)",
            hint=f"convert it, for example: iconv -f latin1 -t utf-8 {source} > {_stem(source)}-utf8.csv",
        ) from error
