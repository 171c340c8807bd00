"""Numbers of a workbook stand as they are: they prove no decimal sign and follow none."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import openpyxl
import pandas as pd
import pytest

from sepal.data import Table, read_table

NUMBERS = [1.125, 2.125, 3.125, 2, 5.125, 6.125]


def read(header: Sequence[Any], *columns: Sequence[Any], **arguments: Any) -> Table:
    """A workbook of these columns, and one of labels."""
    book = openpyxl.Workbook()
    book.active.append([*header, "label"])
    for i, cells in enumerate(zip(*columns, strict=True)):
        book.active.append([*cells, "ab"[i % 2]])
    file = io.BytesIO()
    book.save(file)
    file.seek(0)
    arguments.setdefault("target", "label")
    table = read_table(file, **arguments)
    file.seek(0)
    frame = pd.read_excel(file)
    assert table.n_rows == len(frame)
    for j, name in enumerate(frame.columns[:-1]):
        if all(isinstance(cell, (int, float)) for cell in columns[j]) and table.kinds[j] == "numeric":
            assert table.values[:, j].tolist() == frame[name].tolist()
    return table


@pytest.mark.parametrize("text", ["0,5", "0,5 %", "1.000.000", "1.234,56"])
def test_numbers_stand_as_they_are_beside_decimal_commas(text: str) -> None:
    """1.125 was 1125, and 2 beside it 2."""
    table = read(["x", "s"], NUMBERS, [text] * 6)
    assert table.values[:, 0].tolist() == NUMBERS
    assert not [note for note in table.notes if '"x"' in note]


@pytest.mark.parametrize(("text", "number"), [("0,5", 0.5), ("1,234", 1.234)])
def test_numbers_prove_no_decimal_sign(text: str, number: float) -> None:
    """1.25 in one column made the text 1,234 of another 1234, beside 0,5 in a third."""
    table = read(["x", "y", "s", "t"], [1.25] * 6, [0.5] * 6, ["0,5"] * 6, [text] * 6)
    assert table.values[0].tolist() == [1.25, 0.5, 0.5, number]


def test_true_numbers_among_texts_are_not_multiplied() -> None:
    """A column of 1.125 and the text 0,5; one of 2.5 and the text 1.100 beside decimal commas."""
    table = read(["x"], [1.125, "0,5", 2, "1.100", 1e-7, 3.125])
    assert table.values[:, 0].tolist() == [1.125, 0.5, 2, 1100, 1e-7, 3.125]
    table = read(["x", "s"], [2.5, "1.100", 3.125], ["0,5"] * 3)
    assert table.values[:, 0].tolist() == [2.5, 1100, 3.125]


def test_texts_are_understood_by_what_other_texts_prove() -> None:
    table = read(["x", "s"], ["950", "1.037", "12.500"], ["0,5", "0,7", "1,25"])
    assert table.values.tolist() == [[950, 0.5], [1037, 0.7], [12500, 1.25]]


@pytest.mark.parametrize("kind", ["nominal", "ordinal"])
def test_levels_that_are_numbers_are_in_the_order_of_the_numbers(kind: str) -> None:
    table = read(["x", "s"], [1.125, 2, 10.5, 3, 1.125, 2], ["0,5"] * 6, kinds={"x": kind})
    assert table.levels[0] == ("1.125", "2", "3", "10.5")
    table = read(["x"], [1.125, "0,5", 10, "1.100", 2, 2], kinds={"x": kind})
    assert table.levels == (("0,5", "1.125", "2", "10", "1.100"),)


def test_numbers_among_words_are_shown_as_they_stand() -> None:
    table = read(["x", "s"], [1.125, 2.125, 2.125, "k. A.", "k. A.", "k. A."], ["0,5"] * 6)
    assert table.levels[0] == ("1.125", "2.125", "k. A.")


def test_hours_stand_as_they_are() -> None:
    """1.125 seconds were 1125 beside 0,5."""
    table = read(["t", "s"], [timedelta(seconds=1, milliseconds=125), timedelta(seconds=2), 3.5], ["0,5"] * 3)
    assert table.values[:, 0].tolist() == [1.125, 2, 3.5]
