"""Tables in: arrays, lists and data frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.data._apart import is_running_text
from sepal.data._array_columns import column_from_array, rounding_notes
from sepal.data._cell_copies import FloatCells, float_cells, float_columns
from sepal.data._columns import (
    Column,
    Kind,
    KindsSpec,
    Wanted,
    check_finite,
    check_names,
    coded_column,
    recast,
    resolve_kinds,
    text_options,
)
from sepal.data._error_words import MEMORY, Origin, shown
from sepal.data._foreign_frames import (
    as_plain_array,
    declared_levels,
    is_frame,
    is_series,
    number_columns,
    plain_numbers,
    quiet_missing,
)
from sepal.data._labels import Labels, label_array
from sepal.data._sparse_rows import SparseRows
from sepal.data._table import Table, assemble, constant_notes
from sepal.data._written import Written
from sepal.exceptions import CellTypeError, DataError, ParameterError


def as_table(
    X: Any,
    y: ArrayLike | Any | None = None,
    *,
    kinds: KindsSpec | None = None,
    names: Sequence[str] | None = None,
) -> Table:
    """Any table-like input as a :class:`Table`.

    Parameters
    ----------
    X : Table, ndarray, pandas, polars or pyarrow data frame, or list of rows
        A Table comes back as it is unless another argument changes it. Arrays are copied, so later changes
        to them do not reach the table.
    y : array-like or Series, optional
        The labels, or a numeric target; replaces the target of a Table. A Series gives its name to the
        target and its categories, if any, their order to the classes.
    kinds : mapping or sequence, optional
        What columns are, where their type does not say it: by name or position (from 0), a kind, or the
        levels in order, which makes the column ordinal; or one entry per column.
        Without it: categorical, text and boolean columns are nominal, long texts of several words that are
        nearly all different are read as texts, ordered categorical columns are ordinal, numbers numeric, dates
        numeric in seconds since 1970. A polars Enum is nominal: its order is that of
        the declaration, which need not mean anything.
    names : sequence of str, optional
        Column names. Without it those of the data frame, or x1, x2, ...

    Returns
    -------
    Table

    Raises
    ------
    DataError
        If the input is not a table of finite numbers, texts, booleans, categories or dates; the text says
        where.
    ParameterError
        If ``kinds`` or ``names`` do not fit the columns.

    Examples
    --------
    >>> table = as_table([[1.5, "red"], [2.0, "blue"], [None, "red"]], ["a", "b", "a"])
    >>> table.kinds, table.levels[1]
    (('numeric', 'nominal'), ('blue', 'red'))
    >>> as_table([["S"], ["L"]], kinds={0: ["S", "M", "L"]}).values.ravel().tolist()
    [0.0, 2.0]
    """
    labels = None if y is None else label_array(y)
    X = rows_inside(X)
    kinds = _kinds_by_place(kinds, names)
    if isinstance(X, Table):
        table = X
        if kinds is not None:
            table = _recast_table(table, kinds)
    elif is_frame(X):
        table = _from_frame(X, kinds)
    else:
        return _labelled(_from_array(X, kinds, names), labels)
    if names is not None:
        table = replace(table, names=_given_names(names, table.n_columns))
    return _labelled(table, labels)


def rows_inside(X: Any) -> Any:
    """The rows, where they are inside of a prepared table; what was given, of which arrays are plain ones now."""
    return X.__sepal_table__() if hasattr(type(X), "__sepal_table__") else as_plain_array(X)


def _kinds_by_place(kinds: KindsSpec | None, names: Sequence[str] | None) -> KindsSpec | None:
    """Kinds of columns that are called by the names they are about to get."""
    if not isinstance(kinds, Mapping) or not isinstance(names, (list, tuple)):
        return kinds
    return {names.index(key) if key in names else key: kind for key, kind in kinds.items()}


def _given_names(names: Sequence[str], n_columns: int) -> tuple[str, ...]:
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise ParameterError(f"names: expected a name for each column, found {shown(names)}")
    given = tuple(names)
    strange = next((name for name in given if not isinstance(name, (str, int, float, np.number))), None)
    if strange is not None or None in given:
        raise ParameterError(f"names: expected texts, found {shown(strange)}")
    texts = tuple(str(name) for name in given)
    if len(texts) != n_columns:
        raise ParameterError(f"names: expected one per column ({n_columns}), found {len(texts)}")
    check_names(texts, "names: ")
    return texts


def _labelled(table: Table, labels: Labels | None) -> Table:
    if labels is None:
        return table
    if labels.y.size != table.n_rows:
        raise DataError(
            f"X has {table.n_rows} rows and y has {labels.y.size} labels", hint="give one label for every row"
        )
    # The caller may change the array later; the table must not change with it.
    found = replace(table, y=labels.y.copy(), target=labels.name, class_order=labels.order)
    if labels.coded is not None:
        found.__dict__["_coded_labels"] = labels.coded  # coded already
    return found


def _recast_table(table: Table, kinds: KindsSpec) -> Table:
    table = _brought_back(table, kinds)
    wanted = resolve_kinds(kinds, table.names)
    values, new_kinds, levels = table.values.copy(), list(table.kinds), list(table.levels)
    notes = list(table.notes)
    for j, want in wanted.items():
        column = Column(table.names[j], j, table.values[:, j], table.kinds[j], table.levels[j] or (), declared=True)
        column = recast(column, want, MEMORY)
        values[:, j], new_kinds[j] = column.values, column.kind
        levels[j] = None if column.kind == "numeric" else column.levels
        notes.extend(column.notes)
    return replace(
        table,
        values=values,
        kinds=tuple(new_kinds),
        levels=tuple(levels),
        notes=tuple(notes),
        text_options=text_options(wanted, table.text_options),
    )


def _brought_back(table: Table, kinds: KindsSpec) -> Table:
    """The table with those columns that were set apart and whose kind is given now, at its end."""
    back = [each for each in table.apart if isinstance(kinds, Mapping) and each.name in kinds]
    if not back:
        return table
    columns = [column_from_array(each.name, table.n_columns + j, each.values) for j, each in enumerate(back)]
    return replace(
        table,
        values=np.column_stack([table.values, *(column.values for column in columns)]),
        names=(*table.names, *(column.name for column in columns)),
        kinds=(*table.kinds, *(column.kind for column in columns)),
        levels=(*table.levels, *(None if column.kind == "numeric" else column.levels for column in columns)),
        apart=tuple(each for each in table.apart if each not in back),
    )


def _of_kind(column: Column, wanted: Wanted | None) -> Column:
    """The column as asked for; where nothing was asked, texts are recognised."""
    if wanted is None and column.kind == "nominal" and not column.declared:
        wanted = "text" if is_running_text(column.values, column.levels) else None
    return recast(column, wanted, MEMORY)


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise DataError(
            f"X: Expected 2D array, got {len(shape)}D array instead: rows and columns are needed, found shape {shape}",
            hint="Reshape your data with X.reshape(-1, 1) for one column or X.reshape(1, -1) for one row",
        )
    if shape[0] == 0:
        raise DataError(f"X: Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    if shape[1] == 0:
        raise DataError(f"X: Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")


def _from_array(X: Any, kinds: KindsSpec | None, given: Sequence[str] | None) -> Table:
    array = _two_dimensional(X)
    _check_shape(array.shape)
    n_columns = array.shape[1]
    names = [f"x{j + 1}" for j in range(n_columns)] if given is None else list(_given_names(given, n_columns))
    if array.dtype.kind in "iuf" and kinds is None:
        return _of_numbers(float_cells(array), names, lambda: rounding_notes(array, "X"), first_by_row)
    wanted = resolve_kinds(kinds, names)
    columns = [column_from_array(name, j, array[:, j]) for j, name in enumerate(names)]
    found = [_of_kind(column, wanted.get(j)) for j, column in enumerate(columns)]
    return assemble(found, text_options=text_options(wanted))


def _of_numbers(
    cells: FloatCells,
    names: Sequence[str],
    rounding: Callable[[], Sequence[str]],
    first_of: Callable[[NDArray[np.bool_]], int],
) -> Table:
    """A table of nothing but numbers.

    ``rounding`` notes what is too large to be exact, ``first_of`` says in which column to look for what is infinite.
    """
    values, complete, exact = cells
    notes = () if exact else rounding()
    if not complete:
        infinite = np.isinf(values)
        if infinite.any():
            j = first_of(infinite)
            check_finite(Column(names[j], j, values[:, j]), MEMORY)
        quiet_missing(values)
    numeric: Kind = "numeric"
    kinds, levels = (numeric,) * len(names), (None,) * len(names)
    table = Table(values, tuple(names), kinds, levels, notes=(*notes, *constant_notes(values, names)))
    if complete:
        table.__dict__["n_missing"] = 0  # counted already
    return table


def first_by_row(cells: NDArray[np.bool_]) -> int:
    """The column of the first of these cells, row by row."""
    return int(np.argwhere(cells)[0, 1])


def first_by_column(cells: NDArray[np.bool_]) -> int:
    """The first column with one of these cells."""
    return int(cells.any(axis=0).argmax())


def _two_dimensional(X: Any) -> NDArray[Any]:
    if hasattr(X, "tocsr") or isinstance(X, SparseRows):
        raise DataError(
            "X: expected a dense table, found a sparse matrix; sparse input is not supported",
            hint="use X.toarray() if it fits into memory",
        )
    if isinstance(X, (str, bytes, os.PathLike)):
        raise DataError(
            f"X: expected a table, found {shown(X)}",
            hint="read a file with sepal.read_table(path), a bundled set with sepal.datasets.load(name)",
        )
    if X is None or isinstance(X, Mapping):
        raise DataError(f"X: expected a table, array or data frame, found {type(X).__name__}")
    if is_series(X):
        _check_shape((len(X),))
    if type(X).__name__ == "LazyFrame":
        raise DataError("X: expected a data frame in memory, found a LazyFrame", hint="use X.collect()")
    if not isinstance(X, (list, tuple)):
        return np.asarray(X)
    lengths = {len(row): i for i, row in reversed(list(enumerate(X))) if isinstance(row, (list, tuple, np.ndarray))}
    if len(lengths) > 1:
        first, row = lengths.pop(len(X[0]), 0), min(lengths.values())
        raise DataError(f"X, row {row}: expected {len(X[first])} cells as in row {first}, found {len(X[row])}")
    try:
        array = np.asarray(X)
    except ValueError:  # lists inside cells, or a row that is none
        return _cell_by_cell(X)
    # Next to a text numpy turns numbers into texts, so a mixed list is read cell by cell.
    return array if array.dtype.kind in "biufcmM" else np.array(X, dtype=object)


def _cell_by_cell(X: Sequence[Any]) -> NDArray[Any]:
    """Rows as an array of objects, whatever the cells hold."""
    for i, row in enumerate(X):
        if not isinstance(row, (list, tuple, np.ndarray)):
            raise DataError(f"X, row {i}: expected a row of cells, found {shown(row)}")
    array = np.empty((len(X), len(X[0])), dtype=object)
    for i, row in enumerate(X):
        for j, cell in enumerate(row):
            array[i, j] = cell
    return array


def _from_frame(X: Any, kinds: KindsSpec | None) -> Table:
    numbers = plain_numbers(X) if kinds is None else None
    if numbers is not None:
        names, arrays = _frame_names(X, MEMORY), numbers if isinstance(numbers, list) else numbers.T
        return _of_numbers(
            float_columns(numbers) if isinstance(numbers, list) else float_cells(numbers),
            names,
            lambda: [note for j, each in enumerate(arrays) for note in rounding_notes(each, names[j])],
            first_by_column,
        )
    columns = frame_columns(X)
    wanted = resolve_kinds(kinds, [column.name for column in columns])
    found = [_of_kind(column, wanted.get(column.position)) for column in columns]
    return assemble(found, text_options=text_options(wanted))


def frame_columns(X: Any, origin: Origin = MEMORY) -> list[Column]:
    """The columns of a pandas, polars or pyarrow data frame, kinds from their types."""
    import narwhals as nw

    names, numbers = _frame_names(X, origin), number_columns(X)
    frame = nw.from_native(X, eager_only=True)
    return [
        column_from_array(name, j, numbers[j], origin) if j in numbers else _decoded_column(frame[:, j], j, origin)
        for j, name in enumerate(names)
    ]


def _frame_names(X: Any, origin: Origin) -> list[str]:
    _check_shape(X.shape)
    names = [str(name) for name in getattr(X, "column_names", X.columns)]
    check_names(names, f"{origin.source or 'X'}: ")
    return names


def _decoded_column(series: Any, position: int, origin: Origin) -> Column:
    try:
        return _column_from_series(series, position, origin)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{origin.column(position, str(series.name))}: expected UTF-8 text, found {shown(error.object[:20])}"
        ) from error


def _column_from_series(series: Any, position: int, origin: Origin) -> Column:
    import narwhals as nw

    name, dtype = str(series.name), series.dtype  # asked once: narwhals makes it anew each time
    if dtype.is_nested():
        raise CellTypeError(
            f"{origin.column(position, name)}: every argument must be a string, a number, a boolean or a date; "
            f"found {shown(dtype)}",
            hint="make a column of each part first",
        )
    levels, ordered = declared_levels(series.to_native())
    if levels is not None:
        kind: Kind = "ordinal" if ordered else "nominal"
        return coded_column(name, position, series.to_list(), levels, kind=kind, declared=True)
    if dtype in (nw.Date, nw.Datetime):
        # Integers of every size become floats in numpy; arrow refuses those that must be rounded.
        gaps = series.is_null().to_numpy()
        seconds = series.dt.timestamp("us").fill_null(0).to_numpy().astype(np.float64) / 1e6
        seconds[gaps] = np.nan
        note = f"dates in column {shown(name)} were turned into seconds since 1970"
        return Column(name, position, seconds, notes=(note,), written=Written())
    if dtype in (nw.Boolean, nw.String, nw.Categorical):
        array: NDArray[Any] = np.empty(len(series), dtype=object)
        array[:] = series.to_list()
    else:
        array = np.asarray(series.to_numpy())
    return column_from_array(name, position, array, origin)
