"""Labels as numbers: the distinct ones, sorted, and the place of each label among them; texts are coded here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native


@dataclass(frozen=True, eq=False)
class CodedLabels:
    """The distinct labels in order, as an array to be indexed by ``codes``, one for each label."""

    levels: NDArray[Any]
    codes: NDArray[np.integer[Any]]


def coded_texts(labels: Sequence[Any] | NDArray[Any]) -> CodedLabels | None:
    """The labels as codes if all are plain texts, as those of data frames are: then none is missing.

    Few labels are distinct, so that only these are sorted.

    Examples
    --------
    >>> coded = coded_texts(["b", "a", "b"])
    >>> coded.levels.tolist(), coded.codes.tolist(), coded_texts(["b", None])
    (['a', 'b'], [1, 0, 1], None)
    """
    if isinstance(labels, np.ndarray) and labels.dtype.kind == "U":
        return _of_one_width(labels)
    found = _native.text_codes(labels=labels)
    if found is None:
        return _of_any_type(labels)
    return _in_order(*found)


def coded_packed_texts(starts: NDArray[np.int64], packed: NDArray[np.uint8]) -> CodedLabels | None:
    """Texts that lie one after the other in memory, as codes; None where they are no UTF-8.

    Examples
    --------
    >>> coded = coded_packed_texts(np.array([0, 1, 3, 4]), np.frombuffer(b"baab", dtype=np.uint8))
    >>> coded.levels.tolist(), coded.codes.tolist()
    (['aa', 'b'], [1, 0, 1])
    """
    codes, first = _native.packed_text_codes(starts=starts, packed=packed)
    try:
        distinct = [packed[starts[i] : starts[i + 1]].tobytes().decode() for i in first]
    except UnicodeDecodeError:
        return None
    return _in_order(codes, distinct)


def _in_order(codes: NDArray[np.integer[Any]], distinct: Sequence[str]) -> CodedLabels:
    """Texts that were numbered as they came, numbered by their order."""
    order = sorted(range(len(distinct)), key=distinct.__getitem__)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return CodedLabels(_objects([distinct[i] for i in order]), place[codes])


def _of_one_width(texts: NDArray[Any]) -> CodedLabels | None:
    """Texts of an array that gives each the same room: equal ones have equal bits."""
    width = texts.dtype.itemsize // 4
    if texts.size == 0 or width == 0:
        return None
    even = np.ascontiguousarray(texts, dtype=texts.dtype.str[:2] + str(width + width % 2))
    group_of, first = _native.distinct_keys(keys=even.view(np.uint64).reshape(len(texts), -1))
    levels, place = np.unique(texts[first], return_inverse=True)
    return CodedLabels(levels, place.astype(np.int32)[group_of])


def _of_any_type(labels: Sequence[Any] | NDArray[Any]) -> CodedLabels | None:
    """Texts of which some are of a type derived from Python's own, or have no form in UTF-8."""
    cells = labels.tolist() if isinstance(labels, np.ndarray) else labels
    try:
        distinct = set(cells)
    except TypeError:  # lists and the like: not for this to tell
        return None
    if not distinct or not all(isinstance(label, str) for label in distinct):
        return None
    levels = sorted(distinct)
    place = {text: code for code, text in enumerate(levels)}
    codes = np.fromiter(map(place.__getitem__, cells), dtype=np.int32, count=len(cells))
    return CodedLabels(_objects(levels), codes)


def _objects(texts: list[str]) -> NDArray[Any]:
    found = np.empty(len(texts), dtype=object)
    found[:] = texts
    return found
