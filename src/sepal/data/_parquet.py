"""Parquet and Feather, through whichever reader is installed."""

from __future__ import annotations

import io
import re
from typing import Any

from sepal.data._columns import Column, coded_column
from sepal.data._convert import frame_columns
from sepal.data._error_words import Origin
from sepal.data._source import NoRowsError, Source
from sepal.data._unpacking import most_unpacked
from sepal.exceptions import DataError, MissingDependencyError, SepalError

# The index pandas stores next to the columns.
_INDEX = re.compile(r"__index_level_\d+__")


def read_parquet(data: bytes, source: str) -> Source:
    """The columns of a Parquet file, kinds from their types."""
    return frame_source(_frame(data, source), source)


def read_feather(data: bytes, source: str) -> Source:
    """The columns of a Feather (Arrow IPC) file, kinds from their types."""
    try:
        import pyarrow
        import pyarrow.feather
    except ImportError as error:
        raise MissingDependencyError(
            f"{source}: reading Feather needs pyarrow, which is not installed", hint="pip install pyarrow"
        ) from error
    try:
        frame = pyarrow.feather.read_table(io.BytesIO(data))
    except MemoryError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, LookupError, RuntimeError) as error:
        raise _damaged(source, error, "Feather") from error
    return frame_source(frame, source)


def frame_source(frame: Any, source: str) -> Source:
    """The columns of a data frame that was read from a file, or is a part of one."""
    if frame.shape[0] == 0:
        names = [str(name) for name in getattr(frame, "column_names", frame.columns)]
        raise NoRowsError(
            f"{source}: columns and no rows",
            hint="at least one row of data is needed",
            names=[name for name in names if not _INDEX.fullmatch(name)],
        )
    origin = Origin(source)
    try:
        found = frame_columns(frame, origin)
    except (SepalError, MemoryError):
        raise
    except (ValueError, ArithmeticError, LookupError, TypeError, OSError, RuntimeError) as error:
        # What pyarrow and polars find only when they hand out the cells.
        raise _damaged(source, error) from error
    columns = [column for column in found if not _INDEX.fullmatch(column.name)]
    if not columns:
        raise DataError(f"{source}: no columns")
    return Source(columns, origin, as_texts=lambda position: _texts(frame, position))


def _texts(frame: Any, position: int) -> Column:
    """The cells of a numeric column, digit by digit."""
    import narwhals as nw

    series = nw.from_native(frame, eager_only=True)[:, position]
    return coded_column(str(series.name), position, (None if cell is None else str(cell) for cell in series.to_list()))


def _frame(data: bytes, source: str) -> Any:
    # pyarrow first: it knows whether the order of a dictionary means something.
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return _polars_frame(data, source)
    try:
        with pyarrow.parquet.ParquetFile(io.BytesIO(data)) as file:
            _check_size(file.metadata.num_rows, file.metadata.num_columns, len(data), source)
            return file.read()
    except (SepalError, MemoryError):
        raise
    except (pyarrow.ArrowException, OSError, ValueError, LookupError, RuntimeError) as error:
        raise _damaged(source, error) from error


def _check_size(rows: int, columns: int, packed: int, source: str) -> None:
    """A run of one value takes a few bytes however long it is: a small file must not fill the memory."""
    if 8 * rows * columns > most_unpacked(packed):
        raise DataError(
            f"{source}: a file of {packed:,} bytes declares {rows:,} rows of {columns:,} columns",
            hint="this is hardly a table; if it is, read it with pyarrow and give the data frame",
        )


def _polars_frame(data: bytes, source: str) -> Any:
    try:
        import polars
    except ImportError as error:
        raise MissingDependencyError(
            f"{source}: reading Parquet needs pyarrow or polars, and neither is installed",
            hint="pip install pyarrow",
        ) from error
    try:
        schema = polars.read_parquet_schema(io.BytesIO(data))
        rows = polars.scan_parquet(io.BytesIO(data)).select(polars.len()).collect().item()
        _check_size(rows, len(schema), len(data), source)
        return polars.read_parquet(io.BytesIO(data))
    except (polars.exceptions.PolarsError, OSError) as error:
        raise _damaged(source, error) from error


def _damaged(source: str, error: Exception, what: str = "Parquet") -> DataError:
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
    return DataError(f"{source}: expected a whole {what} file, found a damaged one ({reason})")
