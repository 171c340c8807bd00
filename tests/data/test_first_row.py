"""What the first row is: names, which may hold line breaks, or numbers, whatever their decimal sign."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import openpyxl
import pandas as pd
import pytest

from sepal.data import Table, read_table

BROKEN = [["Name\n(full)", "sex", "label"], *(["pqr"[i % 3], "mf"[i % 2], "ab"[i % 2]] for i in range(12))]


def read(data: str | bytes, **arguments: Any) -> Table:
    return read_table(io.BytesIO(data.encode() if isinstance(data, str) else data), **arguments)


def written(rows: Sequence[Sequence[Any]], delimiter: str = ",", quoting: Any = csv.QUOTE_ALL) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
@pytest.mark.parametrize("place", [0, 1])
def test_a_line_break_in_a_name(delimiter: str, quoting: Any, place: int) -> None:
    """In the first name it was a title: the names were those of the first row, which was lost."""
    rows = [[row[place], row[1 - place], row[2]] for row in BROKEN]
    text = written(rows, delimiter, quoting)
    table = read(text)
    assert [*table.names, table.target] == list(pd.read_csv(io.StringIO(text), sep=delimiter).columns) == rows[0]
    assert (table.n_rows, table.notes) == (12, ())


def test_a_line_break_in_a_name_of_a_workbook() -> None:
    book = openpyxl.Workbook()
    for row in BROKEN:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    table = read(file.getvalue())
    assert (table.names, table.target, table.n_rows) == (("Name\n(full)", "sex"), "label", 12)


def test_a_line_break_before_a_bracket() -> None:
    """``(EUR)"`` was the name."""
    text = '"Price\n(EUR)",x,label\n' + "".join(f"{i}.5,{i * 2},{'ab'[i % 2]}\n" for i in range(6))
    table = read(text)
    assert (table.names, table.n_rows, table.notes) == (("Price\n(EUR)", "x"), 6, ())


@pytest.mark.parametrize("title", ["Report", '"Report, May\n(final)"', '"Report\nof May"\n\nby hand'])
def test_a_title_above_a_name_with_a_line_break(title: str) -> None:
    table = read(f"{title}\n{written(BROKEN)}")
    assert (table.names, table.n_rows) == (("Name\n(full)", "sex"), 12)
    (note,) = table.notes
    assert note.startswith('the lines above the header were left out: "Report')  # without its quotes
    n_lines = title.count("\n") + 2 + len(BROKEN)  # as the file counts them
    with pytest.raises(ValueError, match=f"line {n_lines + 1}: expected 3 cells"):
        read(f"{title}\n{written(BROKEN)}1,2\n")


def test_a_name_in_quotes_with_a_backslash() -> None:
    text = 'Report\n"path, \\"old\\"",dir,label\n' + '"a, \\"b\\", c","x\n, y",u\n"a","z",v\n' * 3
    assert (read(text).names, read(text).n_rows) == (('path, "old"', "dir"), 6)
    text = 'Report\n"path, old",dir,label\n' + '"C:\\a\\","x\n, y",u\n"C:\\b\\","z",v\n' * 3
    assert (read(text).names, read(text).n_rows) == (("path, old", "dir"), 6)


def test_a_lone_quote_in_cells_hides_no_line() -> None:
    """Of a cell such as 5" no quote is opened, and between blanks none over the end of a line."""
    for cell in ('5"', '5 "', 'a "b', 'a "b, c" d'):
        text = f"Report\nsize;dir;label\n{cell};1;u\n{cell};2;v\n{cell};3;u\n"
        assert (read(text).names, read(text).n_rows) == (("size", "dir"), 3)
    text = '"size, in m" b label\n1.5 2 u\n2.5 3 v\n3.5 4 u\n'
    assert read(text).names == ("size, in m", "b")


@pytest.mark.parametrize("delimiter", ["\t", "|", ";"])
def test_a_first_row_of_decimal_commas_is_data(delimiter: str) -> None:
    """It was the header of all files but those with semicolons: 29 rows of 30."""
    rows = [(f"{i},5", f"{i % 9},25", "0,5" if i % 2 else "1,5") for i in range(30)]
    table = read("".join(delimiter.join(row) + "\n" for row in rows))
    assert (table.n_rows, table.names) == (30, ("x1", "x2"))
    assert table.values[:3].tolist() == [[0.5, 0.25], [1.5, 1.25], [2.5, 2.25]]
    assert table.y is not None
    assert table.y.tolist() == [1.5, 0.5] * 15
    assert table.notes[0] == "the file has no header; its columns are called x1 to x3"


@pytest.mark.parametrize("first", ["0.5;0,25;0", "1.234,5;2;3", "1 234,5;2;3", "-1,5e-03;+2,5;,5", "1,234.5;2;3"])
def test_a_first_row_of_numbers_with_either_sign_is_data(first: str) -> None:
    assert read(f"{first}\n" + "".join(f"{i}.5;{i % 9},25;{i % 3}\n" for i in range(30))).n_rows == 31


@pytest.mark.parametrize("first", ["5 %;50 %;95 %", "1-2;3-4;5-6", "<1,5;2;3", "1,2,3;1;2", "$5;1;2"])
def test_other_first_rows_are_names(first: str) -> None:
    assert read(f"{first}\n" + "".join(f"{i};{i % 9};{i % 3}\n" for i in range(30))).n_rows == 30


def test_a_header_in_single_quotes_is_no_title() -> None:
    text = "'s0'|'label'\n'x,y'|'bar|x'\n'x,y'|'u'\n'1,5'|'v'\n'x,y'|'bar|x'\n'O''Neil, B'|'u'\n"
    table = read_table(io.BytesIO(text.encode()), target="label")
    assert (table.n_rows, table.names) == (5, ("s0",))
