"""One partition of a table too large to be read whole: read as a file of its own would be, without judging columns."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sepal.data._columns import Column, KindsSpec, resolve_kinds
from sepal.data._error_words import Origin
from sepal.data._foreign_frames import is_frame
from sepal.data._parquet import frame_source
from sepal.data._read import table_from_bytes
from sepal.data._source import FolderColumn, NoRowsError, Source, Wishes, folders_only, to_table
from sepal.data._table import Table


@dataclass(frozen=True)
class PartReading:
    """How every partition is read: the words are those of :func:`sepal.read_table`."""

    target: str | int | Literal[False] | None = None
    kinds: KindsSpec | None = None
    columns: tuple[str | int, ...] | None = None
    drop: tuple[str | int, ...] = ()
    ids: tuple[str | int, ...] = ()
    missing_target: Literal["error", "drop"] = "error"
    na: tuple[str, ...] = ()
    encoding: str | None = None


def names_partitions(path: str | os.PathLike[str]) -> bool:
    """Whether this is a folder or a pattern of file names, and so a table in partitions.

    Examples
    --------
    >>> names_partitions("sales/*.parquet"), names_partitions("sales.csv")
    (True, False)
    """
    return glob.has_magic(os.fspath(path)) or Path(path).is_dir()


def read_partition(content: Any, label: str, reading: PartReading, folders: tuple[FolderColumn, ...] = ()) -> Table:
    """The table of a partition: a path, or a data frame, and what its folders say; errors call it by its label.

    No column is set apart but those in ``ids``: what tells rows apart is to be judged by all partitions together. Where
    there are no rows the table has its columns by name; of what kind they are is not known then.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"size": [1.0, 2.0], "kind": ["a", "b"]})
    >>> read_partition(frame, "part 0", PartReading("kind")).y.tolist()
    ['a', 'b']
    >>> read_partition(frame[:0], "part 1", PartReading("kind")).values.shape
    (0, 1)
    """
    wishes = Wishes(reading.columns, reading.drop, reading.ids, reading.missing_target, judge=False, folders=folders)
    marks: Sequence[str] = [mark.strip() for mark in reading.na]
    try:
        if is_frame(content):
            return to_table(frame_source(content, label), reading.target, reading.kinds, wishes)
        return table_from_bytes(
            Path(content).read_bytes(),
            label,
            reading.target,
            reading.kinds,
            wishes=wishes,
            na=frozenset(marks),
            encoding=reading.encoding,
        )
    except NoRowsError as error:
        if not error.names:
            raise
        resolve_kinds(reading.kinds, [*error.names, *(name for name, _ in folders_only(error.names, folders))])
        columns = [Column(name, j, np.zeros(0)) for j, name in enumerate(error.names)]
        return to_table(Source(columns, Origin(label)), reading.target, None, wishes)
