"""Columns that say which row it is and not what it is like: row numbers, identifiers, names, free text.

They are set apart when a file is read: kept beside the table for output, and used for nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEWEST_JUDGED = 20  # of fewer rows only columns are judged whose name says that they number or name the rows
FEWEST_NAMED = 3
SURE_ROWS = 30  # from here on distinct whole numbers in a narrow range are no chance
MOST_LEVELS = 1_000
WORDS_OF_TEXT = 4.0  # on average, from which on a cell is a text and not a name
RUNNING_TEXT = 5.0, 25.0  # words and characters on average, from which on it is worth reading
PROBED_LEVELS = 1_000
NAMES = frozenset(
    (
        *("id", "idx", "index", "row", "rowid", "row_id", "rownum", "row_number", "rownames", "nr", "no", "no."),
        *("number", "#", "key", "uuid", "guid", "record", "record_id"),
    )
)


@dataclass(frozen=True, eq=False)
class Apart:
    """A column that is kept beside a table.

    Attributes
    ----------
    name : str
    why : {"row_number", "identifier", "many_levels", "text", "asked", "empty"}
    values : array
        A cell for each row: numbers (NaN is missing) or objects (None is missing).
    distinct : int
        Different values in the file.

    Examples
    --------
    >>> column = Apart("id", "asked", np.array(["A17", "B23", "C04"], dtype=object))
    >>> column.take(np.array([0, 2])).values.tolist()
    ['A17', 'C04']
    """

    name: str
    why: str
    values: NDArray[Any]
    distinct: int = 0

    def take(self, rows: NDArray[Any]) -> Apart:
        """The column of these rows."""
        return Apart(self.name, self.why, self.values[rows], self.distinct)


def why_apart(
    name: str, kind: str, values: NDArray[np.float64], levels: Sequence[Any] | None
) -> tuple[str, int] | None:
    """Why a column tells rows apart rather than classes, and its number of different values; None for a feature.

    It does not depend on the order of the rows.
    """
    if kind in ("ordinal", "text"):
        return None
    if values.size < FEWEST_JUDGED:
        return _why_named(values, levels) if is_identifier_name(name) else None
    if kind == "nominal" and levels is not None:
        return _why_levels(values, levels)
    return _why_numbers(name, values)


def _why_named(values: NDArray[np.float64], levels: Sequence[Any] | None) -> tuple[str, int] | None:
    """Of few rows: a column called ``id`` that counts them, or holds another text in each."""
    n = values.size
    if n < FEWEST_NAMED or np.isnan(values).any() or np.unique(values).size < n:
        return None
    if levels is not None:
        return "identifier", n
    counts = bool((values == np.floor(values)).all()) and float(values.max() - values.min()) + 1 == n
    return ("row_number", n) if counts else None


def _why_levels(values: NDArray[np.float64], levels: Sequence[Any]) -> tuple[str, int] | None:
    if len(levels) <= _most_levels(values.size):
        return None
    codes = np.unique(values[~np.isnan(values)]).astype(np.intp)
    distinct = codes.size
    if distinct <= _most_levels(values.size):
        return None
    if _sizes(levels, codes)[0] >= WORDS_OF_TEXT:
        return "text", distinct
    return ("identifier" if distinct == values.size else "many_levels"), distinct


@dataclass(frozen=True)
class ColumnSums:
    """Facts about a column that can be added up over partitions: all that is needed to judge it.

    Attributes
    ----------
    n_rows, n_missing : int
    n_levels : int or None
        Levels that occur; None for numbers.
    low, high : float
    whole : bool
        Whether all numbers are whole.
    distinct : bool
        Whether no value was seen twice.
    """

    n_rows: int
    n_missing: int
    n_levels: int | None
    low: float
    high: float
    whole: bool
    distinct: bool


def sums_tell_apart(name: str, kind: str, sums: ColumnSums) -> bool:
    """Whether a column tells rows apart rather than classes: what :func:`why_apart` says of the rows themselves.

    Examples
    --------
    >>> sums_tell_apart("nr", "numeric", ColumnSums(40, 0, None, 1.0, 40.0, True, True))
    True
    >>> sums_tell_apart("age", "numeric", ColumnSums(40, 0, None, 18.0, 57.0, True, False))
    False
    """
    n = sums.n_rows
    if kind in ("ordinal", "text"):
        return False
    named = is_identifier_name(name)
    reach = sums.high - sums.low + 1
    if n < FEWEST_JUDGED:
        numbers = sums.n_levels is not None or (sums.whole and reach == n)
        return named and n >= FEWEST_NAMED and not sums.n_missing and sums.distinct and numbers
    if sums.n_levels is not None:
        return sums.n_levels > _most_levels(n)
    return not sums.n_missing and sums.whole and sums.distinct and (named or _counts_rows(n, reach))


def _most_levels(n: int) -> int:
    return max(FEWEST_JUDGED, min(n // 2, MOST_LEVELS))


def _counts_rows(n: int, reach: float) -> bool:
    return reach == n or (n >= SURE_ROWS and reach < 2 * n)


def is_running_text(values: NDArray[np.float64], levels: Sequence[Any]) -> bool:
    """Whether a nominal column holds texts: long ones, of several words, nearly all different.

    It does not depend on the order of the rows.

    Examples
    --------
    >>> texts = [f"the {i}th of a number of texts that differ" for i in range(30)]
    >>> is_running_text(np.arange(30.0), texts), is_running_text(np.arange(30.0), ["A17"] * 30)
    (True, False)
    """
    if values.size < FEWEST_JUDGED or len(levels) <= FEWEST_JUDGED:
        return False
    found = _why_levels(values, levels)
    if found is None or found[0] != "text":
        return False
    words, characters = _sizes(levels, np.unique(values[~np.isnan(values)]).astype(np.intp))
    return words >= RUNNING_TEXT[0] and characters >= RUNNING_TEXT[1]


def _sizes(levels: Sequence[Any], codes: NDArray[np.intp]) -> tuple[float, float]:
    """Words and characters of a level, on average over some of them."""
    texts = [level for level in (levels[code] for code in codes[:PROBED_LEVELS]) if isinstance(level, str)]
    if not texts:
        return 0.0, 0.0
    return sum(len(text.split()) for text in texts) / len(texts), sum(map(len, texts)) / len(texts)


def _why_numbers(name: str, values: NDArray[np.float64]) -> tuple[str, int] | None:
    head = values[:FEWEST_JUDGED]
    if not (head == np.floor(head)).all() or np.unique(head).size < head.size:
        return None  # nearly every feature ends here
    if not (values == np.floor(values)).all():
        return None
    n = values.size
    counts = _counts_rows(n, float(values.max() - values.min()) + 1)
    named = is_identifier_name(name)
    if not (counts or named) or np.unique(values).size < n:
        return None
    return ("row_number" if counts else "identifier"), n


def is_identifier_name(name: str) -> bool:
    """``id``, ``Unnamed: 0``, ``customer_id``, ``PassengerId``, ``orderID`` and the like."""
    bare = name.strip()
    low = bare.lower()
    if low in NAMES or low.startswith("unnamed:"):
        return True
    return low.endswith(("_id", " id", "-id", ".id")) or (len(bare) > 2 and bare.endswith(("Id", "ID")))
