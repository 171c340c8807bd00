"""Tables out: the feature columns as a pandas or polars data frame."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from sepal.exceptions import MissingDependencyError, ParameterError

if TYPE_CHECKING:
    from sepal.data._table import Table

LIBRARIES = ("pandas", "polars")


def to_frame(table: Table, library: str) -> Any:
    """See :meth:`Table.frame`."""
    if library not in LIBRARIES:
        raise ParameterError(f"library: expected one of {', '.join(LIBRARIES)}, found {library!r}")
    try:
        module = importlib.import_module(library)
    except ImportError as error:
        raise MissingDependencyError(
            f"a {library} data frame was asked for and {library} is not installed",
            hint=f"pip install {library}",
        ) from error
    return (_to_pandas if library == "pandas" else _to_polars)(table, module)


def _to_pandas(table: Table, pd: Any) -> Any:
    columns = {}
    for j, (name, kind, levels) in enumerate(zip(table.names, table.kinds, table.levels, strict=True)):
        column = table.values[:, j]
        if levels is None:
            columns[name] = column.copy()
        else:
            codes = np.where(np.isnan(column), -1, column).astype(np.intp)
            columns[name] = pd.Categorical.from_codes(codes, categories=list(levels), ordered=kind == "ordinal")
    return pd.DataFrame(columns)


def _to_polars(table: Table, pl: Any) -> Any:
    columns = []
    for j, (name, levels) in enumerate(zip(table.names, table.levels, strict=True)):
        column = table.values[:, j]
        if levels is None:
            columns.append(pl.Series(name, column, nan_to_null=True))
        else:
            texts = [str(level) for level in levels]
            cells = [None if np.isnan(code) else texts[int(code)] for code in column]
            columns.append(pl.Series(name, cells, dtype=pl.Enum(texts)))
    return pl.DataFrame(columns)
