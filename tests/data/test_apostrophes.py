"""Single quotes are quotes within a line only; any other apostrophe is a character of its cell."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sepal.data import Table, read_table
from sepal.exceptions import DataError


def read(text: str, **arguments: Any) -> Table:
    return read_table(io.BytesIO(text.encode()), **arguments)


def rows_of(names: list[str]) -> str:
    return "name,x,label\n" + "".join(f"{name},{i}.5,{'ab'[i % 2]}\n" for i, name in enumerate(names))


def names_of(table: Table) -> list[str | None]:
    (levels,) = (each for each in table.levels if each is not None)
    return [None if code != code else levels[int(code)] for code in table.values[:, 0].tolist()]


@pytest.mark.parametrize(
    "cells",
    [
        {20: "'t Hooft", 60: "Peeters'"},
        {20: "'", 60: "'"},
        {7: "'", 8: "'", 9: "'"},
        {150: "'t Hooft", 250: "Peeters'"},
        {20: "'s Hertogen", 21: "don't", 22: "dogs'"},
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_rows_between_two_apostrophes_are_rows(cells: dict[int, str], delimiter: str) -> None:
    """100 rows were 60: all from 't Hooft to Peeters' were one cell, without a word."""
    names = [cells.get(i, "n") for i in range(300)]
    text = rows_of(names).replace(",", delimiter)
    table = read(text, kinds={"name": "nominal"})
    frame = pd.read_csv(io.StringIO(text), sep=delimiter)
    assert (table.n_rows, names_of(table)) == (len(frame), frame["name"].tolist()) == (300, names)
    assert table.values[:, 1].tolist() == frame["x"].tolist()


@pytest.mark.parametrize("late", [("'t Hooft", "Peeters'"), ("'", "'"), ("'u", "v''")])
def test_rows_are_rows_where_single_quotes_are_the_quotes(late: tuple[str, str]) -> None:
    """Where the first cells are 'q', such a pair beyond the first hundred records merged 40 rows."""
    names = [{200: late[0], 240: late[1]}.get(i, "'q'" if i < 3 else "n") for i in range(400)]
    table = read(rows_of(names), kinds={"name": "nominal"})
    assert table.n_rows == 400
    assert names_of(table) == ["q"] * 3 + names[3:]


def test_apostrophes_of_one_line_are_no_quotes_where_its_cells_are_needed() -> None:
    """A line that begins with 't Hooft and ends with Peeters' was one cell."""
    lines = [f"{'ab'[i % 2]},{i}.5,n\n" for i in range(40)]
    lines[20] = "'t Hooft,20.5,Peeters'\n"
    table = read("name,x,label\n" + "".join(lines), target=False)
    assert table.values[20, 1] == 20.5
    lines[:3] = ["'a',0.5,'n'\n", "'b, c',1.5,'n'\n", "'a',2.5,'n'\n"]
    table = read("name,x,label\n" + "".join(lines), target=False)
    levels = table.levels[0]
    assert levels is not None
    assert [levels[int(code)] for code in table.values[[0, 1, 20], 0]] == ["a", "b, c", "'t Hooft"]
    assert table.values[20, 1] == 20.5


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_cells_in_single_quotes(delimiter: str) -> None:
    """As Weka writes them: signs between cells, doubled quotes and quotes behind a backslash belong to the cell."""
    text = "kind,x,label\n'a, b',1.5,u\n'it''s, so',2.5,v\n c,3.5,u\n'',4.5,v\n"
    table = read(text.replace(",", delimiter))
    words = [word.replace(",", delimiter) for word in ("a, b", "it's, so", "c")]
    assert names_of(table) == [*words, None]
    text = text.replace("''s", "\\'s")
    assert names_of(read(text.replace(",", delimiter))) == [*words, None]


def test_one_odd_apostrophe_is_a_character_beside_cells_in_single_quotes() -> None:
    names = ["'a, b'" if i % 2 else "c" for i in range(50)]
    names[10] = "'tis"
    table = read(rows_of(names))
    assert names_of(table) == ["a, b" if name == "'a, b'" else name for name in names]


def test_single_quotes_hold_no_line_break() -> None:
    with pytest.raises(DataError, match="line 3: expected 2 cells as in the header, found 1"):
        read("name,label\n'a, b',u\n'two\nlines',v\n'c, d',u\n")


def test_many_apostrophes_in_a_line_are_read_at_once(tmp_path: Path) -> None:
    """Each opens a quote that the whole line would have to be searched for."""
    lines = "".join("'a," * 5_000 + "b\n" for _ in range(3))
    (tmp_path / "t.csv").write_text("x," * 5_000 + "label\n" + lines)
    table = read_table(tmp_path / "t.csv", kinds={0: "nominal"}, columns=[0])
    assert table.levels == (("'a",),)
    np.testing.assert_array_equal(table.values, [[0.0], [0.0], [0.0]])
