"""Where partitions come from: files, Dask collections, Arrow data sets and polars queries become one frozen value.

A partition is known by how it is loaded, never by its rows: it is small, can be sent to a worker, and is loaded there,
again if the worker is lost.
"""

from __future__ import annotations

import glob
import os
import pickle
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sepal.data import FolderColumn, KindsSpec, PartReading, Table, as_table, names_partitions, read_partition
from sepal.exceptions import DataError, MissingDependencyError, ParameterError, SepalError
from sepal.scale._hive import folder_columns, folder_texts
from sepal.scale._parts import FilePart, FragmentPart, GraphPart, HeldPart, Partition, QueryPart, wanted_keys

FORMATS = (".parquet", ".pq", ".csv", ".csv.gz", ".tsv", ".tsv.gz")
MOST_ROWS = 250_000  # of a partition, where its source can be cut
_MOST_QUERY = 100_000  # bytes of a query: what is larger holds rows


@dataclass(frozen=True)
class Partitioned:
    """A table in partitions, none of which is loaded. Made by :func:`partitioned`.

    Attributes
    ----------
    parts : tuple
        How each partition is loaded.
    name : str
    reading : object
        How each partition is read.

    Examples
    --------
    >>> Partitioned((FilePart("a.csv"), FilePart("b.csv")), "sales", PartReading())
    <Partitioned sales: 2 partitions>
    """

    parts: tuple[Partition, ...]
    name: str
    reading: PartReading

    def __repr__(self) -> str:
        return f"<Partitioned {self.name}: {len(self.parts)} partitions>"


def load_part(part: Partition, reading: PartReading) -> Table:
    """The rows of a partition, which may be none; whatever goes wrong, the error names it."""
    try:
        content = part.content()
        if isinstance(content, tuple):
            rows, labels = content
            if len(rows):
                return as_table(rows, labels)
            return as_table(np.zeros((1, rows.shape[1])), None if labels is None else np.zeros(1)).take([])
        return read_partition(content, part.label, reading, part.folders if isinstance(part, FilePart) else ())
    except MemoryError:
        raise
    except SepalError as error:
        if part.label in str(error):
            raise
        raise DataError(f"{part.label}: {error}") from error
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        raise DataError(f"{part.label}: the partition cannot be read: {reason}") from error


def is_partitioned(X: Any) -> bool:
    """Whether this is a table in partitions: a folder, a pattern of file names, or a collection that is not loaded.

    Examples
    --------
    >>> is_partitioned("sales/*.parquet"), is_partitioned("sales.csv"), is_partitioned([[1.0]])
    (True, False, False)
    """
    if isinstance(X, Partitioned):
        return True
    if isinstance(X, (str, os.PathLike)):
        return names_partitions(X)
    return _collection(X) is not None


def partitioned(
    source: Any,
    y: Any = None,
    *,
    target: str | int | Literal[False] | None = None,
    kinds: KindsSpec | None = None,
    columns: Sequence[str | int] | None = None,
    drop: Sequence[str | int] = (),
    ids: Sequence[str | int] = (),
    missing_target: Literal["error", "drop"] = "error",
    na: Sequence[str] = (),
    encoding: str | None = None,
) -> Partitioned:
    """A table in partitions. Nothing is read yet but names and, of Parquet files, row counts.

    Parameters
    ----------
    source : str, path, list of paths, Dask DataFrame or Array, pyarrow Dataset or polars LazyFrame
        A folder, a pattern such as ``"sales/*.parquet"``, or files: Parquet, and CSV, gzipped or not. Files are taken
        in the order of their names. Folders within it that are called ``name=value`` are columns, too, of whole numbers
        if all values are, else of texts, behind those of the files; not of files that are listed one by one. A Dask
        collection is loaded partition by partition where it is needed.
    y : Dask Array or str, optional
        The labels of a Dask Array, in blocks of the same rows; of anything else the name of the target.
    target, kinds, columns, drop, ids, missing_target, na, encoding
        As in :func:`sepal.read_table`.

    Returns
    -------
    Partitioned

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for i in range(3):
    ...         _ = Path(folder, f"{i}.csv").write_text("a,class\\n1,x\\n2,y\\n")
    ...     partitioned(f"{folder}/*.csv", target="class")
    <Partitioned *.csv: 3 partitions>
    """
    if isinstance(source, Partitioned):
        return source
    arrays = y is not None and not isinstance(y, str)
    reading = PartReading(
        target=y if isinstance(y, str) else target,
        kinds=kinds,
        columns=None if columns is None else tuple(columns),
        drop=tuple(drop),
        ids=tuple(ids),
        missing_target=missing_target,
        na=tuple(na),
        encoding=encoding,
    )
    if isinstance(source, (str, os.PathLike)) or (
        isinstance(source, (list, tuple)) and source and all(isinstance(each, (str, os.PathLike)) for each in source)
    ):
        files = _files(source)
        name = Path(os.fspath(source)).name if isinstance(source, (str, os.PathLike)) else f"{len(files)} files"
        said = folder_columns(files, os.fspath(source)) if isinstance(source, (str, os.PathLike)) else [()] * len(files)
        parts = (part for file, folders in zip(files, said, strict=True) for part in _file_parts(file, folders))
        return Partitioned(tuple(parts), name, reading)
    made = _collection(source)
    if made is None:
        raise ParameterError(
            "expected a folder, a pattern of file names, a list of files, a Dask DataFrame or Array, a pyarrow Dataset "
            f"or a polars LazyFrame; got {_given_name(source)}"
        )
    name, cut = made
    without = name == "Dask Array" and target is False  # a table without labels needs none named
    found = cut(source, y if arrays else False if without else None)
    if not found:
        raise DataError(f"the {name} has no rows")
    return Partitioned(found, name, reading)


def _given_name(source: Any) -> str:
    """What was given instead of partitions."""
    if not isinstance(source, (list, tuple)):
        return type(source).__name__
    other = next((type(each).__name__ for each in source if not isinstance(each, (str, os.PathLike))), None)
    return f"an empty {type(source).__name__}" if other is None else f"a {type(source).__name__} with a {other}"


def _files(source: Any) -> list[Path]:
    if isinstance(source, (list, tuple)):
        return [Path(each) for each in source]
    text = os.fspath(source)
    if Path(text).is_dir():
        found = sorted(_within(Path(text), frozenset()))
        if not found:
            raise DataError(f"{text}: the folder holds no file that ends in {', '.join(FORMATS)}")
        return found
    found = sorted(Path(each) for each in glob.iglob(text, recursive=True) if not Path(each).is_dir())  # noqa: PTH207 - any path
    if not found:
        raise DataError(f"{text}: no file has such a name", hint="put the pattern in quotes: 'folder/*.parquet'")
    return found


def _within(folder: Path, above: frozenset[Path]) -> Iterator[Path]:
    """The files of a folder and of those below, links followed, one that leads back to a folder above aside.

    Names that begin with a dot or a low line are of programs, which keep there what is not finished, or marks.
    """
    above |= {folder.resolve()}
    for each in folder.iterdir():
        if each.name.startswith((".", "_")):
            continue
        if not each.is_dir():
            if each.name.endswith(FORMATS):
                yield each
        elif each.resolve() not in above:
            yield from _within(each, above)


def _file_parts(file: Path, folders: tuple[FolderColumn, ...]) -> list[Partition]:
    """A Parquet file with many rows is cut between its row groups; any other file is one partition."""
    if not file.name.endswith((".parquet", ".pq")):
        return [FilePart(str(file), None, folders)]
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingDependencyError(
            f"{file}: Parquet in partitions needs pyarrow, which is not installed",
            hint="pip install sepal-learn[scale]",
        ) from error
    try:
        with pyarrow.parquet.ParquetFile(file) as opened:
            rows = [opened.metadata.row_group(g).num_rows for g in range(opened.metadata.num_row_groups)]
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = (str(error).strip().splitlines() or ["damaged"])[0][:200]
        raise DataError(f"{file}: expected a whole Parquet file, found a damaged one ({reason})") from error
    runs: list[list[int]] = [[]]
    held = 0
    for group, n in enumerate(rows):
        if n == 0:
            continue
        if runs[-1] and held + n > MOST_ROWS:
            runs.append([])
            held = 0
        runs[-1].append(group)
        held += n
    return [FilePart(str(file), None if len(runs) == 1 else tuple(run), folders) for run in runs]


def _frame_parts(frame: Any, y: Any) -> tuple[Partition, ...]:
    if y is not None:
        raise ParameterError("y of a Dask DataFrame must be the name of its target column")
    made = frame.optimize()
    return _graph_parts([made.__dask_graph__()], [(key,) for key in made.__dask_keys__()], "partition")


def _array_parts(X: Any, y: Any) -> tuple[Partition, ...]:
    dask: Any = import_module("dask")
    if y is False:  # rows without labels, to be answered
        (rows,) = dask.optimize(X.rechunk({1: -1}))
        return _graph_parts([rows.__dask_graph__()], [(row[0], None) for row in rows.__dask_keys__()], "block")
    if y is None or not hasattr(y, "blocks"):
        raise ParameterError("a Dask Array needs its labels as a Dask Array, too: give them as y")
    if X.ndim != 2 or y.ndim != 1:
        raise DataError(f"expected rows of two dimensions and labels of one; found {X.ndim} and {y.ndim}")
    known = not np.isnan([*X.chunks[0], *y.chunks[0]]).any()  # a filter leaves nobody knows how many
    if len(X.chunks[0]) != len(y.chunks[0]) or (known and X.chunks[0] != y.chunks[0]):
        raise DataError(
            f"expected rows and labels in blocks of the same rows; found blocks of {_blocks(X)} and {_blocks(y)} rows",
            hint="y.rechunk(X.chunks[0])" if known else "compute_chunk_sizes() of both, or give a Dask DataFrame",
        )
    rows, labels = dask.optimize(X.rechunk({1: -1}), y)
    keys = [(row[0], label) for row, label in zip(rows.__dask_keys__(), labels.__dask_keys__(), strict=True)]
    return _graph_parts([rows.__dask_graph__(), labels.__dask_graph__()], keys, "block")


def _blocks(array: Any) -> str:
    """The rows of the blocks, of the first few."""
    told = ["?" if n != n else str(n) for n in array.chunks[0]]
    return ", ".join([*told[:5], "..."] if len(told) > 5 else told)


def _graph_parts(graphs: Sequence[Any], keys: Sequence[tuple[Any, ...]], what: str) -> tuple[Partition, ...]:
    """Each with the tasks it needs."""
    cull = import_module("dask.optimization").cull
    together = {key: task for graph in graphs for key, task in dict(graph).items()}
    if any(type(task).__name__ == "Future" for task in together.values()):
        raise DataError(
            "a Dask collection that was persisted is in the memory of a cluster, and cannot be loaded again by tasks",
            hint="give the collection as it was before persist(), or a folder of Parquet files",
        )
    return tuple(GraphPart(dict(cull(together, wanted_keys(own))[0]), own, f"{what} {i}") for i, own in enumerate(keys))


def _arrow_parts(dataset: Any, y: Any) -> tuple[Partition, ...]:
    if y is not None:
        raise ParameterError("y of a pyarrow Dataset must be the name of its target column")
    found: list[Partition] = []
    try:
        fragments = list(dataset.get_fragments())
    except ValueError as error:
        raise DataError(
            "a pyarrow Dataset that was filtered or projected cannot be cut into partitions",
            hint="give the data set itself, and drop=... for columns; or filter with Dask or polars",
        ) from error
    for fragment in fragments:
        if not hasattr(fragment, "path"):  # a table in memory
            found += _held_parts(fragment.to_table(schema=dataset.schema), len(found))
            continue
        pieces = fragment.split_by_row_group() if hasattr(fragment, "split_by_row_group") else [fragment]
        found += [FragmentPart(each, dataset.schema, len(found) + i) for i, each in enumerate(pieces)]
    return tuple(found)


def _held_parts(rows: Any, first: int = 0) -> list[Partition]:
    cuts = enumerate(range(0, len(rows), MOST_ROWS), first)
    return [HeldPart(rows.slice(at, MOST_ROWS), f"fragment {i}") for i, at in cuts]


def _query_parts(query: Any, y: Any) -> tuple[Partition, ...]:
    if y is not None:
        raise ParameterError("y of a polars LazyFrame must be the name of its target column")
    import polars

    n_rows, loose = int(query.select(polars.len()).collect().item()), _in_any_order(query.explain())
    if loose and n_rows > MOST_ROWS:
        raise DataError(
            f"the polars LazyFrame gives its {n_rows:,} rows in another order each time, and cannot be cut into "
            "partitions",
            hint="unique, group_by: maintain_order=True; join: sort at the end by columns that tell rows apart; "
            "or write the rows to Parquet first",
        )
    parts = [QueryPart(query, at, min(MOST_ROWS, n_rows - at)) for at in range(0, n_rows, MOST_ROWS)]
    if loose or len(pickle.dumps(query)) > _MOST_QUERY:  # of a frame in memory, which would be sent with every part
        return tuple(HeldPart(part.content(), part.label) for part in parts)
    return tuple(parts)


def _in_any_order(plan: str) -> bool:
    """Whether rows of a polars query may come in another order the next time.

    >>> [_in_any_order(plan) for plan in ("SCAN", "UNIQUE[maintain_order: false]", "SORT BY x\\n  LEFT JOIN:")]
    [False, True, False]
    """
    joined = any(f"{how} JOIN:" in plan for how in ("INNER", "LEFT", "RIGHT", "FULL"))
    return not plan.startswith("SORT BY") and (joined or "maintain_order: false" in plan)


Maker = Callable[[Any, Any], tuple[Partition, ...]]
# What a class is called, in which package -> what messages call it, and how it is cut. Nothing is imported for it.
_COLLECTIONS: dict[tuple[str, str], tuple[str, Maker]] = {
    ("dask", "DataFrame"): ("Dask DataFrame", _frame_parts),
    ("dask", "Array"): ("Dask Array", _array_parts),
    ("pyarrow", "Dataset"): ("pyarrow Dataset", _arrow_parts),
    ("polars", "LazyFrame"): ("polars LazyFrame", _query_parts),
}


def _collection(X: Any) -> tuple[str, Maker] | None:
    for base in type(X).__mro__:
        found = _COLLECTIONS.get((base.__module__.split(".")[0], base.__name__))
        if found is not None:
            return found
    return None


def with_texts(source: Partitioned, names: Collection[str]) -> Partitioned:
    """The same partitions; columns of these names that folders say are texts, whatever they hold."""
    parts = (
        replace(part, folders=folder_texts(part.path, part.folders, names)) if isinstance(part, FilePart) else part
        for part in source.parts
    )
    return replace(source, parts=tuple(parts))


def narrowed(source: Partitioned, reading: PartReading) -> Partitioned:
    """The same partitions, read otherwise."""
    return replace(source, reading=reading)
