"""How one partition is loaded: from a file, a Dask graph, an Arrow data set, a polars query, or memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from sepal.data import FolderColumn


class Partition(Protocol):
    """How one partition is loaded."""

    @property
    def label(self) -> str:
        """What messages call it."""

    def content(self) -> Any:
        """A path, a data frame, or a pair of arrays: rows and labels."""


@dataclass(frozen=True)
class FilePart:
    """A file, or some row groups of a Parquet file, and the columns that its folders say."""

    path: str
    groups: tuple[int, ...] | None = None
    folders: tuple[FolderColumn, ...] = ()

    @property
    def label(self) -> str:
        """The file, and its row groups where it was cut."""
        return self.path if self.groups is None else f"{self.path} (row groups {self.groups[0]} to {self.groups[-1]})"

    def content(self) -> Any:
        """The path, or a frame of the row groups."""
        if self.groups is None:
            return self.path
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(self.path) as file:
            return file.read_row_groups(list(self.groups))


def wanted_keys(keys: tuple[Any, ...]) -> list[Any]:
    """Without the labels of rows that have none."""
    return [key for key in keys if key is not None]


@dataclass(frozen=True, eq=False)
class GraphPart:
    """One partition of Dask collections: the tasks that make it, and no others, which may hold rows of their own."""

    graph: Mapping[Any, Any]
    keys: tuple[Any, ...]
    label: str

    def content(self) -> Any:
        """A frame, or rows and labels as arrays, computed here."""
        dask: Any = import_module("dask")
        own = wanted_keys(self.keys)
        found = dict(zip(own, dask.get(dict(self.graph), own), strict=True))
        return found[own[0]] if len(self.keys) == 1 else tuple(found.get(key) for key in self.keys)


@dataclass(frozen=True, eq=False)
class HeldPart:
    """Rows of an Arrow table or a polars frame that is in memory here; they are sent with the tasks that need them."""

    rows: Any
    label: str

    def content(self) -> Any:
        """The rows."""
        return self.rows

    def __getstate__(self) -> tuple[Any, str, bool]:
        """Some rows of an Arrow table would take all its rows along."""
        if not hasattr(self.rows, "schema") or not hasattr(self.rows, "to_batches"):
            return self.rows, self.label, False
        import pyarrow

        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, self.rows.schema) as stream:
            stream.write_table(self.rows)
        return sink.getvalue().to_pybytes(), self.label, True

    def __setstate__(self, state: tuple[Any, str, bool]) -> None:
        rows, label, arrow = state
        if arrow:
            import pyarrow

            with pyarrow.ipc.open_stream(rows) as stream:
                rows = stream.read_all()
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "label", label)


@dataclass(frozen=True)
class FragmentPart:
    """A file, or a row group, of an Arrow data set."""

    fragment: Any
    schema: Any
    number: int

    @property
    def label(self) -> str:
        """The file it is in."""
        return str(getattr(self.fragment, "path", None) or f"fragment {self.number}")

    def content(self) -> Any:
        """An Arrow table."""
        return self.fragment.to_table(schema=self.schema)


@dataclass(frozen=True)
class QueryPart:
    """Some rows of a polars query."""

    query: Any
    offset: int
    length: int

    @property
    def label(self) -> str:
        """Which rows."""
        return f"rows {self.offset} to {self.offset + self.length - 1}"

    def content(self) -> Any:
        """A polars frame."""
        return self.query.slice(self.offset, self.length).collect()
