"""Data frames out, of pandas or polars, whichever is there: the columns of a table, and the lines of results."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import MissingDependencyError, ParameterError

if TYPE_CHECKING:
    from sepal.data._table import Table

LIBRARIES = ("pandas", "polars")


def _library(wanted: str | None) -> tuple[str, Any]:
    """The library that makes the frame: the one asked for, or the first that is installed."""
    if wanted is not None and wanted not in LIBRARIES:
        raise ParameterError(f"library: expected one of {', '.join(LIBRARIES)}, found {wanted!r}")
    for name in LIBRARIES if wanted is None else (wanted,):
        try:
            return name, importlib.import_module(name)
        except ImportError:
            continue
    missing = " or ".join(LIBRARIES) if wanted is None else wanted
    raise MissingDependencyError(
        f"a data frame was asked for and {missing} is not installed", hint=f"pip install {wanted or LIBRARIES[0]}"
    )


def to_frame(table: Table, library: str | None) -> Any:
    """See :meth:`Table.frame`."""
    name, module = _library(library)
    return (_to_pandas if name == "pandas" else _to_polars)(table, module)


def data_frame(found: Mapping[str, Any] | Sequence[Any], columns: Sequence[str] | None = None) -> Any:
    """The lines of a result as a data frame: columns by name, or a sequence of lines.

    Lines are mappings, or tuples of ``columns``.
    """
    name, module = _library(None)
    if name == "pandas":
        return module.DataFrame(found, columns=columns)
    if isinstance(found, Mapping):
        return module.DataFrame({key: list(values) for key, values in found.items()}, strict=False)
    if columns is not None and not (found and isinstance(found[0], Mapping)):
        return module.DataFrame([list(line) for line in found], schema=list(columns), orient="row", strict=False)
    names = list(columns or dict.fromkeys(key for line in found for key in line))
    return module.DataFrame({key: [line.get(key) for line in found] for key in names}, strict=False)


def frame_html(
    result: Any,
    float_format: Callable[[float], str] | None = None,
    *,
    max_rows: int | None = None,
    frame_of: Callable[[], Any] | None = None,
) -> str:
    """The frame of a result as a table of HTML; its words alone where no library of frames is installed."""
    try:
        frame = (frame_of or result.frame)()
    except MissingDependencyError:
        return f"<pre>{escape(repr(result))}</pre>"
    if hasattr(frame, "to_html"):
        return str(frame.to_html(index=False, float_format=float_format, max_rows=max_rows))
    return str(frame._repr_html_())


def _to_pandas(table: Table, pd: Any) -> Any:
    columns = {}
    for j, (name, kind, levels) in enumerate(zip(table.names, table.kinds, table.levels, strict=True)):
        column = table.values[:, j]
        if levels is None:
            columns[name] = column.copy()
        elif kind == "text":
            columns[name] = np.array(_text_cells(levels, column), dtype=object)
        else:
            codes = np.where(np.isnan(column), -1, column).astype(np.intp)
            columns[name] = pd.Categorical.from_codes(codes, categories=list(levels), ordered=kind == "ordinal")
    return pd.DataFrame(columns)


def _text_cells(levels: Sequence[Any], codes: NDArray[np.float64]) -> list[Any]:
    return [None if code != code else levels[int(code)] for code in codes.tolist()]


def _to_polars(table: Table, pl: Any) -> Any:
    columns = []
    for j, (name, kind, levels) in enumerate(zip(table.names, table.kinds, table.levels, strict=True)):
        column = table.values[:, j]
        if levels is None:
            columns.append(pl.Series(name, column, nan_to_null=True))
        elif kind == "text":
            columns.append(pl.Series(name, _text_cells(levels, column), dtype=pl.String))
        else:
            texts = [str(level) for level in levels]
            cells = [None if np.isnan(code) else texts[int(code)] for code in column]
            columns.append(pl.Series(name, cells, dtype=pl.Enum(texts)))
    return pl.DataFrame(columns)
