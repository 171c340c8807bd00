"""Random tables written with random delimiters and quoting, then read back."""

from __future__ import annotations

import csv
import gzip
import io
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sepal.data import read_table

MISSING = ("", "?", "NA", "NaN", "null", "N/A", "#N/A", "n/a", "nan", "#DIV/0!")
# Delimiters, quotes, backslashes and newlines abound. Left out is only what a reader cannot know: blanks at the
# ends (they do not count), an apostrophe at the start (it may be a quote), delimiters in the names, and the name #, by
# which a column numbers the rows and is set apart.
TEXTS = st.text(st.sampled_from("abé漢.,;|\t '\"\\%#@{}?\n-_"), min_size=1, max_size=8).filter(
    lambda text: text == text.strip() and text not in ("?", "-", "--", ".") and text[0] != "'"
)
NAMES = st.text(st.sampled_from("abcé漢. '\"\\%#{}-_"), min_size=1, max_size=8).filter(
    lambda text: text == text.strip() and text[0] not in "'%" and text != "#"
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[Any]], list[bool]]:
    """Names, rows (None is missing) and which columns are numeric. The last column, the target, has no gaps."""
    width, height = draw(st.integers(2, 5)), draw(st.integers(1, 12))
    names = draw(st.lists(NAMES, min_size=width, max_size=width, unique=True))
    numeric = draw(st.lists(st.booleans(), min_size=width, max_size=width))
    columns: list[list[Any]] = []
    for j in range(width):
        cell: st.SearchStrategy[Any] = NUMBERS if numeric[j] else TEXTS
        if j < width - 1:
            cell = st.none() | cell
        columns.append(draw(st.lists(cell, min_size=height, max_size=height)))
        numeric[j] = numeric[j] or not any(columns[j])  # a column without any value is numeric
    return names, [list(row) for row in zip(*columns, strict=True)], numeric


def written(rows: list[list[Any]], delimiter: str, quoting: int, newline: str, gap: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=newline)
    for row in rows:
        writer.writerow([gap if cell is None else repr(cell) if isinstance(cell, float) else cell for cell in row])
    return out.getvalue()


@settings(max_examples=150, deadline=None)
@given(
    tables(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(MISSING),
    st.booleans(),
)
def test_what_is_written_is_read(
    table: tuple[list[str], list[list[Any]], list[bool]],
    delimiter: str,
    quoting: int,
    newline: str,
    gap: str,
    packed: bool,
) -> None:
    names, rows, numeric = table
    data = written([names, *rows], delimiter, quoting, newline, gap).encode()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "t.csv.gz" if packed else "t.csv")
        file.write_bytes(gzip.compress(data) if packed else data)
        read = read_table(file, target=-1)
    assert read.names == tuple(names[:-1])
    assert read.target == names[-1]
    for j, name in enumerate(names[:-1]):
        expected = [row[j] for row in rows]
        levels = read.levels[j]
        assert (levels is None) == numeric[j], name
        if levels is None:
            numbers = [math.nan if cell is None else float(cell) for cell in expected]
            np.testing.assert_array_equal(read.values[:, j], numbers)
        else:
            found = [None if math.isnan(code) else levels[int(code)] for code in read.values[:, j]]
            assert found == expected
            assert list(levels) == sorted({cell for cell in expected if cell is not None})
    assert read.y is not None
    labels = [row[-1] for row in rows]
    assert read.y.tolist() == ([float(label) for label in labels] if numeric[-1] else labels)
