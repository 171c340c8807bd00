"""JSON lines: one object for each row."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from sepal.data._array_columns import column_from_array
from sepal.data._columns import dated
from sepal.data._error_words import Origin, shown
from sepal.data._source import Source
from sepal.exceptions import DataError

_LIST_OF_OBJECTS = re.compile(r'\s*+\[\s*+\{\s*+"')
_PLAIN = (str, int, float, bool, type(None))


def looks_like_json_lines(text: str) -> bool:
    """Whether the first line that is not blank is a JSON object."""
    first = text.lstrip().split("\n", 1)[0].strip()
    if not first.startswith("{"):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def refuse_json(text: str, source: str) -> None:
    """Say of JSON that is no JSON lines what it is: a list, lists in lines, or one object over several lines."""
    start = text.lstrip()[:1]
    if start not in ("[", "{"):
        return
    if _are_lists(text.lstrip().split("\n", 2)[:2]):
        raise DataError(
            f"{source}: expected CSV, ARFF, Parquet or JSON lines, found a JSON list in each line",
            hint="write CSV, a line of names above the rows (jq -r @csv makes these), or an object in each line, such "
            'as {"age": 31}',
        )
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        if _LIST_OF_OBJECTS.match(text) is None:  # such a beginning says enough, though the rest is damaged
            return
        found = []
    if isinstance(found, (list, dict)):
        what = "a JSON list" if isinstance(found, list) else "one JSON object over several lines"
        raise DataError(
            f"{source}: expected CSV, ARFF, Parquet or JSON lines, found {what}",
            hint="write a line for each row, an object in each (JSON lines): jq -c '.[]' does, and to_json of pandas "
            'with orient="records", lines=True',
        )


def _are_lists(lines: list[str]) -> bool:
    """Whether there are two lines, and each is a JSON list."""
    try:
        return len(lines) == 2 and all(isinstance(json.loads(line), list) for line in lines)
    except (ValueError, RecursionError):
        return False


def read_json_lines(text: str, source: str) -> Source:
    """The columns are the keys in order of appearance; a key that a row lacks is a missing cell there."""
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    origin = Origin(source, lines.__getitem__)
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        rows.append(_row(line, number, origin))
        lines.append(number)
    names = list(dict.fromkeys(key for row in rows for key in row))
    if not names:
        raise DataError(f"{source}: the objects hold no keys", hint='a line is a row, such as {"age": 31}')
    columns = []
    for position, name in enumerate(names):
        cells = np.empty(len(rows), dtype=object)
        cells[:] = [row.get(name) for row in rows]
        columns.append(dated(column_from_array(name, position, cells, origin)))  # JSON has no dates of its own
    return Source(columns, origin)


def _row(line: str, number: int, origin: Origin) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{origin.line(number)}: expected a JSON object, found {shown(line.strip())}") from error
    if not isinstance(row, dict):
        raise DataError(f"{origin.line(number)}: expected a JSON object, found {shown(row)}")
    for key, value in row.items():
        if not isinstance(value, _PLAIN):
            raise DataError(
                f"{origin.line(number)}: expected a text, a number, true, false or null in {shown(key)}, "
                f"found {shown(value)}",
                hint="make a column of each part first",
            )
    return row
