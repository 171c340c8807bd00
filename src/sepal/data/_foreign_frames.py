"""What Sepal knows about other libraries' frames and series, without importing the libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def _not_foreign(data: Any) -> bool:
    """Whether it needs no question: it is known to be no frame, and narwhals takes long to import."""
    return isinstance(data, (np.ndarray, list, tuple)) or type(data).__module__.startswith(("builtins", "sepal."))


def is_frame(data: Any) -> bool:
    """Whether narwhals takes it for a data frame held in memory."""
    if _not_foreign(data):
        return False
    import narwhals as nw

    return bool(nw.dependencies.is_into_dataframe(data))


def is_series(data: Any) -> bool:
    """Whether narwhals takes it for a series."""
    if _not_foreign(data):
        return False
    import narwhals as nw

    return bool(nw.dependencies.is_into_series(data))


def plain_numbers(frame: Any) -> NDArray[Any] | list[NDArray[Any]] | None:
    """The cells of a pandas or polars data frame of nothing but numbers of numpy's types; None for any other.

    Columns, or an array of all of them where pandas has one type for all.
    """
    blocks = _number_places(frame)
    if not blocks or sum(map(len, blocks)) != frame.shape[1]:
        return None
    if len(blocks) == 1 and not _is_polars(frame):
        return np.asarray(frame.to_numpy())
    return [column for _, column in sorted(_columns_of(frame, blocks).items())]


def number_columns(frame: Any) -> dict[int, NDArray[Any]]:
    """The columns of a pandas or polars data frame that hold numbers of a numpy type, by their places."""
    return _columns_of(frame, _number_places(frame))


def _columns_of(frame: Any, blocks: list[list[int]]) -> dict[int, NDArray[Any]]:
    """Each column as an array: a view of the frame's own memory where it lets us have one."""
    if _is_polars(frame):
        series = frame.get_columns()
        return {place: np.asarray(series[place].to_numpy()) for places in blocks for place in places}
    found = {}
    for places in blocks:
        # By their type they are not copied; one column after the other takes many times as long as all at once.
        block = frame.select_dtypes(frame.dtypes.iloc[places[0]].type)
        cells = np.asarray((block if block.shape[1] == len(places) else frame.iloc[:, places]).to_numpy())
        found.update({place: cells[:, j] for j, place in enumerate(places)})
    return found


_POLARS_NUMBERS = {f"{kind}{size}" for kind in ("Int", "UInt", "Float") for size in (8, 16, 32, 64)}


def _number_places(frame: Any) -> list[list[int]]:
    """The places of those columns that are numbers for numpy too, one list for each type."""
    places: dict[Any, list[int]] = {}
    if _is_polars(frame):
        gaps = frame.null_count().row(0)  # whole numbers with gaps would be floats, and what is too large not seen
        for j, (kind, missing) in enumerate(zip(map(str, frame.dtypes), gaps, strict=True)):
            if kind in _POLARS_NUMBERS and (missing == 0 or kind.startswith("Float")):
                places.setdefault(kind, []).append(j)
        return list(places.values())
    kinds = getattr(getattr(frame, "dtypes", None), "values", None)
    for j, numpy_kind in enumerate(kinds if isinstance(kinds, np.ndarray) else ()):
        if isinstance(numpy_kind, np.dtype) and numpy_kind.kind in "iuf":
            places.setdefault(numpy_kind.type, []).append(j)  # in any order of bytes
    return list(places.values())


def _is_polars(data: Any) -> bool:
    return type(data).__module__.startswith("polars")


def quiet_missing(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every missing cell, in place, as the one NaN that is silent: that of R is not, and spoils the range."""
    values[np.isnan(values)] = np.nan
    return values


def as_plain_array(data: Any) -> Any:
    """Masked arrays and matrices as plain arrays, masked cells as missing ones; anything else as it is.

    Examples
    --------
    >>> as_plain_array(np.ma.masked_array([1, 2], mask=[False, True])).tolist()
    [1.0, nan]
    """
    if type(data) is np.ndarray or not isinstance(data, (np.ma.MaskedArray, np.matrix)):
        return data
    if not isinstance(data, np.ma.MaskedArray):
        return np.asarray(data)
    if data.dtype.kind in "biuf":
        return np.asarray(np.ma.filled(data.astype(np.float64), np.nan))
    cells = np.array(data.data, dtype=object)
    cells[np.ma.getmaskarray(data)] = None
    return cells


def declared_levels(series: Any) -> tuple[tuple[Any, ...] | None, bool]:
    """The categories a series declares, in order, and whether that order means something.

    A polars Enum declares its categories but says nothing of their meaning, so it is not ordered; a polars
    Categorical declares nothing.
    """
    categorical = getattr(series, "cat", None) if type(series).__module__.startswith("pandas") else None
    if categorical is not None:
        return tuple(categorical.categories.tolist()), bool(categorical.ordered)
    dtype = getattr(series, "dtype", None)
    if type(dtype).__name__ == "Enum":
        return tuple(dtype.categories.to_list()), False  # type: ignore[union-attr]
    arrow = getattr(series, "type", None)
    if type(arrow).__name__ == "DictionaryType":
        chunks = series.unify_dictionaries().chunks
        return tuple(chunks[0].dictionary.to_pylist() if chunks else ()), bool(arrow.ordered)  # type: ignore[union-attr]
    return None, False


def packed_texts(series: Any) -> tuple[NDArray[np.int64], NDArray[np.uint8]] | None:
    """Where the texts of a column that Arrow holds begin and end, and the bytes of all of them.

    None for any other column, for one of several parts, and where a text is missing.
    """
    arrow = _arrow_array(series)
    offsets = {"string": np.int32, "large_string": np.int64}.get(str(getattr(arrow, "type", None)))
    parts = getattr(arrow, "chunks", [arrow])
    if offsets is None or len(parts) != 1 or parts[0].null_count or not len(parts[0]):
        return None
    _, starts, cells = parts[0].buffers()
    begin = np.frombuffer(starts, dtype=offsets)[parts[0].offset : parts[0].offset + len(parts[0]) + 1]
    return begin.astype(np.int64), np.frombuffer(cells or b"", dtype=np.uint8)


def _arrow_array(series: Any) -> Any:
    """The memory of a column of texts as Arrow has it, without a copy of the texts one by one; None where it is not."""
    dtype = getattr(series, "dtype", None)
    if getattr(dtype, "storage", None) == "pyarrow":  # of pandas
        return series.array.__arrow_array__()
    if not _is_polars(series):
        return series
    try:
        return series.to_arrow() if str(dtype) == "String" else None
    except ImportError:  # polars does without pyarrow
        return None
