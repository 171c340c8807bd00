"""Labels in: from anything array-like to a checked array, and from there to class codes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.data._columns import LARGEST_EXACT_INTEGER, is_missing
from sepal.data._error_words import listed, shown
from sepal.data._foreign_frames import as_plain_array, declared_levels, is_series, packed_texts
from sepal.data._label_arrays import level_array
from sepal.data._sparse_rows import SparseRows
from sepal.data._table import Table
from sepal.data._text_codes import CodedLabels, coded_packed_texts, coded_texts
from sepal.exceptions import CellTypeError, DataError

# A target of floats counts as continuous when it has fractions and more distinct values than this.
MOST_FLOAT_CLASSES = 20


@dataclass(frozen=True, eq=False)
class Labels:
    """A checked target: one label per row, none missing; ``coded`` where that was found on the way."""

    y: NDArray[Any]
    name: str | None = None
    order: tuple[Any, ...] | None = None
    coded: CodedLabels | None = None


def label_array(y: ArrayLike | Any, place: str = "y") -> Labels:
    """The labels as a one-dimensional array without missing values, in the type they came in."""
    if isinstance(y, (str, bytes)):
        raise DataError(
            f"{place}: expected one label per row, found the text {shown(y)}",
            hint="take the column out of the data frame: X.drop(columns=name) as X, X[name] as y; "
            "of files and Dask frames: sepal.scale.prepare_partitions(X, y)",
        )
    name, order, coded, y = None, None, None, as_plain_array(y)
    if is_series(y):
        name, order, array, coded = _series(y, place)
    else:
        array, coded = _sequence(y, place)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(f"{place}: expected one label per row, found an array of shape {array.shape}")
    if array.dtype.kind == "T":  # numpy's texts of any length, which hardly anything of numpy takes
        array = array.astype(object)
    if coded is None and array.dtype.kind == "O":
        coded = coded_texts(array)
    if coded is not None:
        return Labels(array, name, order, coded)
    if array.dtype.kind == "O":
        array = _tidy_objects(array, place)
    if array.dtype.kind == "c":
        raise DataError(f"{place}: expected labels, found complex numbers. Complex data not supported")
    _refuse_gaps(array, place)
    return Labels(array, name, order)


def _series(y: Any, place: str) -> tuple[str | None, tuple[Any, ...] | None, NDArray[Any], CodedLabels | None]:
    """Name, declared order and labels of a series, and these as codes where Arrow holds texts."""
    texts = packed_texts(y)
    coded = None if texts is None else coded_packed_texts(*texts)
    if coded is not None:
        name = getattr(y, "name", None)
        return str(name) if name else None, None, coded.levels[coded.codes], coded
    import narwhals as nw

    series: Any = nw.from_native(cast(Any, y), series_only=True)
    if series.dtype.is_nested():
        raise DataError(f"{place}: expected one label per row, found {shown(series.dtype)}")
    levels, _ = declared_levels(y)
    return str(series.name) if series.name else None, levels, series.to_numpy(), None


def _sequence(y: Any, place: str) -> tuple[NDArray[Any], CodedLabels | None]:
    if hasattr(y, "tocsr"):
        raise DataError(f"{place}: expected an array of labels, found a sparse matrix", hint="use y.toarray()")
    coded = coded_texts(y) if isinstance(y, (list, tuple)) else None
    if coded is not None:
        levels = level_array(coded.levels.tolist(), len(y))
        return levels[coded.codes], CodedLabels(levels, coded.codes)
    return _plain_sequence(y, place), None


def _plain_sequence(y: Any, place: str) -> NDArray[Any]:
    try:
        array = np.asarray(y)
    except ValueError as error:
        raise DataError(f"{place}: expected one label per row, found rows of different lengths") from error
    if isinstance(y, (list, tuple)) and array.dtype.kind in "US":
        # numpy would turn the number in ["a", 1] into a text without a word.
        return np.array(y, dtype=object) if any(not isinstance(v, (str, bytes)) for v in y) else array
    if isinstance(y, (list, tuple)) and array.dtype.kind == "f" and array.ndim == 1 and _may_be_rounded(array):
        return np.array(y, dtype=object)
    return array


def _may_be_rounded(array: NDArray[np.float64]) -> bool:
    """Whether whole numbers, too large and too small for one type of integers, became floats."""
    return array.size > 0 and bool(np.nanmax(np.abs(array), initial=0.0) >= LARGEST_EXACT_INTEGER)


def _tidy_objects(array: NDArray[Any], place: str) -> NDArray[Any]:
    """Objects of one sort: booleans, whole numbers and numbers become arrays of those, texts stay."""
    present = [value for value in array if not is_missing(value)]
    sorts: tuple[tuple[Any, Any], ...] = (
        ((bool, np.bool_), np.bool_),
        ((int, np.integer), np.int64),
        ((int, float, np.number), np.float64),
        ((str,), None),
    )
    for types, dtype in sorts:
        if all(isinstance(value, types) and (dtype is np.bool_ or not isinstance(value, bool)) for value in present):
            if dtype is None or len(present) < array.size:
                return array
            try:
                return np.array(present, dtype=dtype)
            except OverflowError:
                return array  # whole numbers beyond 64 bits: exact as they are
    strange = next((value for value in present if not isinstance(value, Hashable)), None)
    if strange is not None:
        raise DataError(f"{place}: expected one label per row, found {shown(strange)}")
    first: dict[type, Any] = {}
    for value in present:
        first.setdefault(type(value), value)
    if len(first) > 1:
        one, other = list(first.values())[:2]
        raise DataError(
            f"{place}: expected labels of one type, found {shown(one)} and {shown(other)}",
            hint="turn all labels into texts: [str(label) for label in y]",
        )
    return array


def _refuse_gaps(array: NDArray[Any], place: str) -> None:
    if array.dtype.kind == "f":
        gaps = np.isnan(array)
        endless = np.flatnonzero(np.isinf(array))
        if endless.size:
            raise DataError(f"{place}, row {endless[0]}: expected a label, found {array[endless[0]]} (inf)")
    elif array.dtype.kind == "O":
        gaps = np.fromiter((is_missing(value) for value in array), dtype=bool, count=array.size)
    elif array.dtype.kind in "mM":
        gaps = np.isnat(array)
    else:
        return
    missing = np.flatnonzero(gaps)
    if missing.size:
        raise DataError(
            f"{place}, row {missing[0]}: expected a label, found a missing value (NaN); "
            f"{missing.size} of {array.size} are missing",
            hint="drop the rows without a label",
        )


def _rows(n: int) -> str:
    return "the only row" if n == 1 else f"all {n} rows"


def class_codes(data: Table | SparseRows | ArrayLike | Any) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """The classes of a table or of labels, and the class of each row.

    Parameters
    ----------
    data : Table or array-like
        A table with a target, or the labels themselves.

    Returns
    -------
    codes : ndarray of int32, shape (n_rows,)
        Positions in ``classes``.
    classes : ndarray
        The labels that occur, in the order their source declares, else sorted. No answer of Sepal depends
        on this order.

    Raises
    ------
    DataError
        Without a target, with one class only, with missing labels, or when the target is a measured number
        and not a class.

    Examples
    --------
    >>> codes, classes = class_codes(["b", "a", "b"])
    >>> codes.tolist(), classes.tolist()
    ([1, 0, 1], ['a', 'b'])
    """
    table = data if isinstance(data, (Table, SparseRows)) else None
    if data is None or (table is not None and table.y is None):
        raise DataError(
            "there is no target (y is None); separability needs a class for every row",
            hint="give the labels as y, or name the target when reading the file",
        )
    place = f"target {shown(table.target)}" if table is not None and table.target else "y"
    if isinstance(table, Table) and table.name:
        place = f"table {shown(table.name)}, {place}"
    declared = None if table is None else table.class_order
    coded = table._coded_labels if isinstance(table, Table) else None
    if coded is None:
        labels = label_array(data if table is None else table.y, place)
        _refuse_continuous(labels.y, place)
        coded = labels.coded or _unique(labels.y, place)
        declared = labels.order if table is None else declared
    classes, codes = coded.levels.copy(), coded.codes
    if classes.size < 2:
        found = f"only one class, {shown(classes.tolist()[0])}," if classes.size else "no label"
        raise DataError(
            f"{place}: expected at least two classes, found {found} in {_rows(codes.size)}",
            hint="separability compares classes; check that the right column is the target",
        )
    if declared is not None:
        rank = {label: i for i, label in enumerate(declared)}
        order = sorted(range(classes.size), key=lambda i: rank.get(classes[i], len(rank)))
        position = np.empty(classes.size, dtype=np.intp)
        position[order] = np.arange(classes.size)
        classes, codes = classes[order], position[codes]
    return codes.astype(np.int32), classes


def check_class_labels(y: ArrayLike | Any, place: str = "y") -> NDArray[Any]:
    """The labels in the type they have, whatever holds them; refused is what a classifier cannot learn.

    That is missing labels, labels of several types, bytes, and measured numbers. Numbers that are not whole are
    measured, as in scikit-learn, whose scores take them for such.

    Raises
    ------
    DataError
        Says what was found, and in which row.
    CellTypeError
        If a label is of bytes.

    Examples
    --------
    >>> check_class_labels(np.array([True, False], dtype=object))
    array([ True, False])
    >>> try:
    ...     check_class_labels([b"b", b"a"])
    ... except CellTypeError as error:
    ...     print(error)
    y, row 0: expected a text or a whole number as label, found the bytes b'b'
    hint: turn them into texts: [label.decode() for label in y]
    """
    labels = label_array(y, place).y
    if not labels.size:
        return labels
    if labels.dtype.kind == "S" or isinstance(labels[0], bytes):  # labels are of one type
        raise CellTypeError(
            f"{place}, row 0: expected a text or a whole number as label, found the bytes {labels.tolist()[0]!r}",
            hint="turn them into texts: [label.decode() for label in y]",
        )
    if labels.dtype.kind != "f":
        return labels
    broken = np.flatnonzero(labels != np.floor(labels))
    if broken.size:
        raise DataError(
            f"Unknown label type: continuous. {place}, row {broken[0]}: expected classes, found {labels[broken[0]]:g}, "
            f"which is not whole; {np.unique(labels).size} distinct numbers in {labels.size} rows",
            hint="to predict numbers use KNNRegressor or SepalRegressor; if they name classes turn them into texts: "
            "[str(label) for label in y], or on the command line --task classify",
        )
    return labels


def _unique(y: NDArray[Any], place: str) -> CodedLabels:
    if y.dtype.kind in "iu" and y.size and int(y.max()) - int(y.min()) < y.size:
        return _unique_whole(y)
    if y.dtype.kind == "U" and (coded := coded_texts(y)) is not None:
        return coded
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise DataError(
            f"{place}: expected labels that can be sorted, found {listed(list(y[:3]))}",
            hint="turn all labels into texts: [str(label) for label in y]",
        ) from error
    return CodedLabels(classes, codes.reshape(-1))


def _unique_whole(y: NDArray[Any]) -> CodedLabels:
    """Whole numbers that lie close together need no sorting."""
    offset = (y - y.min() if y.dtype.kind == "u" else y.astype(np.int64) - int(y.min())).astype(np.intp)
    value = np.empty(int(offset.max()) + 1, dtype=y.dtype)
    value[offset] = y
    occurs = np.bincount(offset) > 0
    return CodedLabels(value[occurs], (np.cumsum(occurs) - 1)[offset])


def is_continuous(y: NDArray[Any]) -> bool:
    """Whether labels are measured numbers and no classes."""
    if y.dtype.kind != "f" or np.all(y == np.floor(y)):
        return False
    distinct = np.unique(y)
    return bool(distinct.size > MOST_FLOAT_CLASSES or distinct.size > y.size // 2)


def _refuse_continuous(y: NDArray[Any], place: str) -> None:
    if is_continuous(y):
        distinct = np.unique(y)
        raise DataError(
            f"Unknown label type: continuous. {place}: expected classes, found {distinct.size} distinct numbers "
            f"in {y.size} rows ({listed(distinct[:3].tolist())}, ...)",
            hint="to predict numbers use KNNRegressor or SepalRegressor; for classes cut them into some, or choose "
            "another target",
        )
