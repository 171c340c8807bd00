"""Parquet, through whichever reader is installed."""

from __future__ import annotations

import io
import re
from typing import Any

from sepal.data._convert import frame_columns
from sepal.data._source import Source
from sepal.data._where import Origin
from sepal.exceptions import DataError, MissingDependencyError

# The index pandas stores next to the columns.
_INDEX = re.compile(r"__index_level_\d+__")


def read_parquet(data: bytes, source: str) -> Source:
    """The columns of a Parquet file, kinds from their types."""
    frame = _frame(data, source)
    if frame.shape[0] == 0:
        raise DataError(f"{source}: columns and no rows", hint="at least one row of data is needed")
    origin = Origin(source)
    columns = [column for column in frame_columns(frame, origin) if not _INDEX.fullmatch(column.name)]
    if not columns:
        raise DataError(f"{source}: no columns")
    return Source(columns, origin)


def _frame(data: bytes, source: str) -> Any:
    # pyarrow first: it knows whether the order of a dictionary means something.
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return _polars_frame(data, source)
    try:
        return pyarrow.parquet.read_table(io.BytesIO(data))
    except (pyarrow.ArrowException, OSError) as error:
        raise _damaged(source, error) from error


def _polars_frame(data: bytes, source: str) -> Any:
    try:
        import polars
    except ImportError as error:
        raise MissingDependencyError(
            f"{source}: reading Parquet needs pyarrow or polars, and neither is installed",
            hint="pip install pyarrow",
        ) from error
    try:
        return polars.read_parquet(io.BytesIO(data))
    except (polars.exceptions.PolarsError, OSError) as error:
        raise _damaged(source, error) from error


def _damaged(source: str, error: Exception) -> DataError:
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
    return DataError(f"{source}: expected a whole Parquet file, found a damaged one ({reason})")
