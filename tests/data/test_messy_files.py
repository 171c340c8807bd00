"""Files as people bring them: each test holds the file that was misread."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sepal.data import Table, as_table, column_cells, read_table
from sepal.exceptions import DataError, MissingDependencyError, ParameterError
from sepal.measures import prepare


def read(folder: Path, content: str | bytes, name: str = "t.csv", **arguments) -> Table:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_table(file, **arguments)


def codes(table: Table) -> list[str]:
    return [each.code for each in table.cautions]


def column(folder: Path, cells: list[str], quote: str = '"', **arguments) -> Table:
    rows = "".join(f"{quote}{cell}{quote},{'ab'[i % 2]}\n" for i, cell in enumerate(cells))
    return read(folder, f"x,class\n{rows}", **arguments)


# missing cells


@pytest.mark.parametrize(
    "mark", ["", "NA", "N/A", "#N/A", "n/a", "None", "-", "--", ".", "nan", "NaN", "null", "?", "#DIV/0!", "#VALUE!"]
)
def test_marks_of_missing_numbers(tmp_path, mark):
    """One N/A, None, -, a lone point or #DIV/0! made a column of numbers nominal."""
    table = column(tmp_path, ["1.5", mark, "3"])
    assert table.kinds == ("numeric",)
    np.testing.assert_array_equal(table.values[:, 0], [1.5, np.nan, 3])


def test_marks_in_a_column_of_words_are_missing_and_said(tmp_path):
    """None and - were levels beside mild and severe."""
    table = column(tmp_path, ["mild", "None", "severe", "None", "-"])
    assert table.levels == (("mild", "severe"),)
    assert table.n_missing == 3
    assert table.notes == ('"-", "None" in column "x" was taken as missing in 3 rows',)


def test_plus_and_minus_are_levels(tmp_path):
    assert column(tmp_path, ["+", "-", "+"]).levels == (("+", "-"),)
    table = read(tmp_path, "x,class\n1,+\n2,-\n3,-\n")
    assert table.y.tolist() == ["+", "-", "-"]


def test_further_marks_by_na(tmp_path):
    table = column(tmp_path, ["1", "-999", "unknown", "4"], na=["-999", "unknown"])
    np.testing.assert_array_equal(table.values[:, 0], [1, np.nan, np.nan, 4])
    with pytest.raises(ParameterError, match="na: expected a list"):
        column(tmp_path, ["1"], na="-999")


def test_a_nearly_numeric_column_names_its_odd_cells(tmp_path):
    """Only the first of the odd cells was named."""
    table = column(tmp_path, ["1", "2", "3", "about 4", "5", "6", "7", "8?", "9", "x", "y", "12", "13"])
    (note,) = table.notes
    assert 'line 5 has "about 4", line 9 has "8?", line 11 has "x" and 1 more' in note


def test_a_nearly_numeric_column_that_is_set_apart_names_its_odd_cells_too(tmp_path):
    """158 different values: set apart, and not a word of the two cells that made it so."""
    lines = "".join(f"{'see note' if i in (5, 77) else 1 + i / 8},{i % 7},{'ab'[i % 2]}\n" for i in range(200))
    table = read(tmp_path, f"a,b,class\n{lines}")
    assert [each.name for each in table.apart] == ["a"]
    (note,) = (note for note in table.notes if "are numbers" in note)
    assert '198 of its 200 values are numbers: line 7 has "see note", line 79 has "see note"; if these' in note
    assert read(tmp_path, f"a,b,class\n{lines}", na=["see note"]).kinds == ("numeric", "numeric")


# numbers


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1,234.56", "12", "1,000,000"], [1234.56, 12, 1e6]),
        (["1.234,56", "12", "0,5"], [1234.56, 12, 0.5]),
        (["50.1%", "7 %", "100%"], [50.1, 7, 100]),
        (["€ 12", "€12.50", "€ -3"], [12, 12.5, -3]),
        (["12 EUR", "1,250 EUR", "7 EUR"], [12, 1250, 7]),
        (["-$1,250.00", "$3", "$4"], [-1250, 3, 4]),
        (["+5", "-3", "1e3"], [5, -3, 1000]),
        (["1\u202f234", "12", "1\u00a0234\u00a0567"], [1234, 12, 1234567]),
        (["1\u2009234,5", "2", "3"], [1234.5, 2, 3]),
        (["\u22125", "5", "6"], [-5, 5, 6]),
    ],
)
def test_numbers_as_people_write_them(tmp_path, cells, numbers):
    """Signs between thousands, percent and currency signs made numbers nominal without a word."""
    table = column(tmp_path, cells)
    assert table.kinds == ("numeric",)
    assert table.values[:, 0].tolist() == numbers


@pytest.mark.parametrize(
    "cells",
    [["$5", "€5"], ["5%", "0.5"], ["1,23.4", "1"], ["0,123,456", "1"], ["1_000", "2"], ["12a", "3"], ["1 23", "4"]],
)
def test_what_is_not_written_in_one_way_stays_nominal(tmp_path, cells):
    assert column(tmp_path, cells).kinds == ("nominal",)


def test_conversions_are_said(tmp_path):
    assert column(tmp_path, ["€ 1,200", "€ 5"]).notes == (
        'numbers in column "x" were read without signs between thousands and €: "€ 1,200" is 1200',
    )


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["6.117,23", "391,62"], 'signs between thousands and decimal commas: "6.117,23" is 6117.23'),
        (["9,00 %", "6,24 %"], 'decimal commas and percent signs: "9,00 %" is 9'),
        (["50.1%", "7%"], 'percent signs: "50.1%" is 50.1'),
    ],
)
def test_a_conversion_shows_a_cell(tmp_path, cells, said):
    """ "Read without decimal commas" alone could be taken for 39162."""
    rows = "".join(f"{cell};{'ab'[i % 2]}\n" for i, cell in enumerate(cells))
    assert read(tmp_path, f"x;class\n{rows}").notes == (f'numbers in column "x" were read without {said}',)


# dates


def seconds(*moment: int) -> float:
    return (datetime(*moment) - datetime(1970, 1, 1)).total_seconds()


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["2024-01-31", "1969-12-31"], seconds(2024, 1, 31)),
        (["2024/01/31", "2024/02/01"], seconds(2024, 1, 31)),
        (["2024-01-31 12:30", "2024-01-31T12:31:05.5Z"], seconds(2024, 1, 31, 12, 30)),
        (["2024-01-31T12:30:00+02:00", "2024-01-31"], seconds(2024, 1, 31, 10, 30)),
        (["31.01.2024", "1.2.2024"], seconds(2024, 1, 31)),
        (["31/01/2024", "01/02/2024"], seconds(2024, 1, 31)),
        (["01/31/2024", "02/01/2024"], seconds(2024, 1, 31)),
        (["12:30", "23:59:59"], 45000.0),
    ],
)
def test_dates_become_numbers_and_say_so(tmp_path, cells, first):
    """Dates were nominal, with a level for every day."""
    table = column(tmp_path, [*cells, "N/A"])
    assert table.kinds == ("numeric",)
    assert table.values[0, 0] == first
    assert "were turned into seconds since" in table.notes[0]


@pytest.mark.parametrize("cells", [["01/02/2024", "03/04/2024"], ["31/01/2024", "01/31/2024"], ["2024-02-30", "x"]])
def test_dates_that_can_be_read_in_two_ways_stay_texts(tmp_path, cells):
    assert column(tmp_path, cells).kinds == ("nominal",)


@pytest.mark.parametrize("cells", [["01/02/2024", "03/04/2024"], ["2024-01-31", "31.01.2024", "01/31/2024"]])
def test_dates_that_stay_texts_are_said(tmp_path, cells):
    """Dates of several styles stayed texts without a word."""
    (note,) = column(tmp_path, cells).notes
    assert note.startswith('column "x" is nominal though it holds dates: ')
    assert not column(tmp_path, ["12:30", "late"]).notes


def test_dates_are_the_same_from_csv_and_from_pandas(tmp_path):
    """Dates were levels when they came from a file, and numbers from a frame."""
    texts = ["2024-01-31 12:30:15", "2023-05-01 00:00:00", "1960-07-04 23:59:59"]
    frame = pd.DataFrame({"when": pd.to_datetime(texts)})
    table = read(tmp_path, "when,class\n" + "".join(f"{text},{i % 2}\n" for i, text in enumerate(texts)))
    assert table.values.tolist() == as_table(frame).values.tolist()
    assert table.notes[0] == as_table(frame).notes[0]


def test_dates_are_shown_as_they_stood_there(tmp_path):
    """Dates came out as seconds since 1970."""
    cells = ["31.01.2024", "1.2.2024", "", "03.02.2024"]
    table = column(tmp_path, cells)
    assert column_cells(table, 0) == ["31.01.2024", "1.2.2024", None, "03.02.2024"]
    assert column_cells(table.take([3, 1]).select(["x"]), 0) == ["03.02.2024", "1.2.2024"]
    frame = as_table(pd.DataFrame({"x": pd.to_datetime(["2024-01-31", None]), "n": [1.5, 2.0]}))
    assert column_cells(frame, 0) == ["2024-01-31", None]
    arff = "@relation r\n@attribute d date dd.MM.yyyy\n@attribute c {a,b}\n@data\n31.01.2024,a\n?,b\n"
    assert column_cells(read(tmp_path, arff, "t.arff", target="c"), 0) == ["31.01.2024", None]
    serials = read(tmp_path, "x,class\n45322,a\n45323.5,b\n", kinds={"x": "date"})
    assert column_cells(serials, 0) == ["45322", "45323.5"]


def test_excel_serials_are_dates_where_that_is_said(tmp_path):
    table = column(tmp_path, ["45322", "45323.5"], kinds={"x": "date"})
    assert table.values[:, 0].tolist() == [seconds(2024, 1, 31), seconds(2024, 2, 1, 12)]
    with pytest.raises(DataError, match='line 2, column 1 \\("x"\\): expected dates, found "01/02/2024"'):
        column(tmp_path, ["01/02/2024", "03/04/2024"], kinds={"x": "date"})


# encodings, formats, headers


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
def test_encodings_are_found(tmp_path, encoding):
    """UTF-16 and Windows-1252 were refused."""
    table = read(tmp_path, "größe,class\n1,café\n2,thé\n".encode(encoding))
    assert (table.names, table.y.tolist()) == (("größe",), ["café", "thé"])
    said = [note for note in table.notes if "Windows-1252" in note]
    assert bool(said) == (encoding in ("cp1252", "latin-1"))
    marked = "the file was read as UTF-16, as the mark at its beginning says"
    assert (marked in table.notes) == (encoding == "utf-16")


def test_an_encoding_can_be_given(tmp_path):
    table = read(tmp_path, "x,class\n1,да\n2,нет\n".encode("cp1251"), encoding="cp1251")
    assert table.y.tolist() == ["да", "нет"]
    with pytest.raises(ParameterError, match="no encoding of text"):
        read(tmp_path, "x,class\n1,a\n", encoding="klingon")


@pytest.mark.parametrize("first", ["sep=;", "SEP=;", '"sep=;"', "sep=\t", "sep=|"])
def test_excels_line_about_the_separator(tmp_path, first):
    """``sep=;`` was taken for the header."""
    sign = first.strip('"')[-1]
    table = read(tmp_path, f"{first}\r\nx{sign}y{sign}class\r\n1,5{sign}2,0{sign}a,b\r\n2,5{sign}3{sign}c\r\n")
    assert table.values.tolist() == [[1.5, 2.0], [2.5, 3.0]]
    assert table.y.tolist() == ["a,b", "c"]
    with pytest.raises(DataError, match=r"line 3: expected 3 cells"):
        read(tmp_path, f"{first}\nx{sign}y{sign}class\n1{sign}2\n")


def test_json_lines(tmp_path):
    rows = [{"x": 1.5, "c": "u", "b": True, "class": "a"}, {"x": None, "c": "v", "class": "b"}]
    table = read(tmp_path, "\n".join(map(json.dumps, rows)) + "\n", "t.jsonl", target="class")
    assert table.names == ("x", "c", "b")
    assert table.kinds == ("numeric", "nominal", "nominal")
    assert table.n_missing == 2


def test_dates_in_json_lines_are_those_of_csv(tmp_path):
    """Dates in JSON lines stayed texts."""
    days = ["2024-01-31", None, "2024-02-01"]
    rows = "".join(json.dumps({"day": day, "class": "ab"[i % 2]}) + "\n" for i, day in enumerate(days))
    table = read(tmp_path, rows, "t.jsonl", target="class")
    np.testing.assert_array_equal(table.values, column(tmp_path, ["2024-01-31", "", "2024-02-01"]).values)
    assert column_cells(table, 0) == days
    asked = read(tmp_path, rows, "t.jsonl", target="class", kinds={"day": "nominal"})
    assert asked.levels == (("2024-01-31", "2024-02-01"),)
    with pytest.raises(DataError, match='line 2: expected a text, a number, true, false or null in "x"'):
        read(tmp_path, '{"x": 1, "y": 2}\n{"x": [1], "y": 2}\n')
    with pytest.raises(DataError, match="line 3: expected a JSON object"):
        read(tmp_path, '{"x": 1, "y": 2}\n\nnonsense\n')


def test_feather(tmp_path):
    pd.DataFrame({"x": [1.0, 2.0], "class": ["a", "b"]}).to_feather(tmp_path / "t.feather")
    table = read_table(tmp_path / "t.feather")
    assert (table.values.tolist(), table.y.tolist()) == ([[1.0], [2.0]], ["a", "b"])
    whole = (tmp_path / "t.feather").read_bytes()
    with pytest.raises(DataError, match="damaged"):
        read(tmp_path, whole[: len(whole) // 2], "half.feather")


def test_an_open_file():
    table = read_table(io.BytesIO(b"x,class\n1,a\n2,b\n"))
    assert table.y.tolist() == ["a", "b"]
    with pytest.raises(ParameterError, match="opened for bytes"):
        read_table(io.StringIO("x,class\n1,a\n"))


# columns and cautions


def sorted_by_class(n=300, first=1000) -> str:
    rng = np.random.default_rng(0)
    lines = [f"{first + i},{rng.normal():.3f},{'ab'[i >= n // 2]}" for i in range(n)]
    return "idx,x,class\n" + "\n".join(lines) + "\n"


def test_a_counter_in_a_file_sorted_by_class_is_set_apart(tmp_path):
    """It was reported as 99.7 % separable."""
    table = read(tmp_path, sorted_by_class())
    assert table.names == ("x",)
    assert codes(table) == ["set_apart_row_number"]
    assert table.apart[0].values[:2].tolist() == [1000, 1001]
    assert table.take([5, 3]).apart[0].values.tolist() == [1005, 1003]
    kept = read(tmp_path, sorted_by_class(), kinds={"idx": "numeric"})
    assert kept.names == ("idx", "x")
    assert codes(kept) == ["determines_class", "looks_like_row_number"]


def test_setting_apart_does_not_depend_on_the_order_of_rows(tmp_path):
    header, *lines = sorted_by_class().splitlines()
    lines = [lines[i] for i in np.random.default_rng(1).permutation(len(lines))]
    assert read(tmp_path, "\n".join([header, *lines])).names == ("x",)


@pytest.mark.parametrize(
    ("name", "cell", "why"),
    [
        ("Unnamed: 0", lambda i: 7 * i, "identifier"),
        ("customer_id", lambda i: 90_000 + 37 * i, "identifier"),
        ("code", lambda i: f"K{i:04d}", "identifier"),
        ("name", lambda i: f"Person {i // 2 if i < 4 else i}", "many_levels"),
        ("note", lambda i: f"one of {i} or so", "text"),
        ("message", lambda i: f"this is the message number {i}", None),
        ("price", lambda i: 90_000 + 37 * i, None),
        ("town", lambda i: f"town {i % 12}", None),
        ("age", lambda i: 20 + i % 37, None),
    ],
)
def test_what_is_set_apart(tmp_path, name, cell, why):
    """Identifiers, names and texts were features, with a level for nearly every row."""
    rows = "".join(f"{cell(i)},{i * i % 7},{'ab'[i % 2]}\n" for i in range(60))
    table = read(tmp_path, f"{name},x,class\n{rows}")
    assert [each.why for each in table.apart] == ([] if why is None else [why])
    alone = read(tmp_path, f"{name},class\n" + "".join(f"{cell(i)},{'ab'[i % 2]}\n" for i in range(60)))
    assert alone.names == (name,)  # there is nothing else


def test_columns_by_name(tmp_path):
    text = "a,b,c,class\n" + "".join(f"{i % 3},{i % 5},{i % 7},{'xy'[i % 2]}\n" for i in range(30))
    assert read(tmp_path, text, drop=["a"]).names == ("b", "c")
    assert read(tmp_path, text, columns=["c", 0]).names == ("c", "a")
    table = read(tmp_path, text, ids=["b"])
    assert (table.names, table.apart[0].name, codes(table)) == (("a", "c"), "b", ["set_apart_asked"])
    assert table.drop(["a", "b"]).names == ("c",)
    assert table.drop(["b"]).apart == ()
    assert table.with_kinds({"a": "nominal"}).kinds == ("nominal", "numeric")
    assert table.with_kinds({"b": "numeric"}).names == ("a", "c", "b")
    with pytest.raises(ParameterError, match='drop: there is no column "d"'):
        read(tmp_path, text, drop=["d"])
    with pytest.raises(ParameterError, match='columns: "class" is the target'):
        read(tmp_path, text, columns=["class"])
    with pytest.raises(ParameterError, match="leaves nothing"):
        table.drop(["a", "c"])


def test_a_column_holds_texts_where_that_is_said(tmp_path):
    text = "a,b,class\n" + "".join(f"word{i % 3},{i % 5},{'xy'[i % 2]}\n" for i in range(30))
    table = read(tmp_path, text, kinds={"a": "text"})
    assert (table.names, table.kinds, table.apart) == (("a", "b"), ("text", "numeric"), ())
    assert codes(table) == ["text"]
    same = read(tmp_path, text).with_kinds({"a": "text"})
    assert (same.kinds, same.levels) == (table.kinds, table.levels)


def test_a_column_of_identifiers_can_be_read_as_texts(tmp_path):
    text = "a,b,class\n" + "".join(f"Person {i},{i % 5},{'xy'[i % 2]}\n" for i in range(30))
    table = read(tmp_path, text)
    assert (table.names, table.apart[0].why) == (("b",), "identifier")
    assert table.with_kinds({"a": "text"}).kinds == ("numeric", "text")


def test_a_column_that_determines_the_class(tmp_path):
    """A code that gives the class away was used without a word."""
    rows = "".join(f"D{i % 4},{i % 7},{'no' if i % 4 < 2 else 'yes'}\n" for i in range(80))
    table = read(tmp_path, f"diagnosis_code,x,churn\n{rows}")
    (caution,) = table.cautions
    assert (caution.code, caution.columns) == ("determines_class", ("diagnosis_code",))
    assert caution.text == '"diagnosis_code" determines "churn": remove it if it is not known beforehand'
    wrong = rows.replace("D3,3,yes", "D3,3,no", 1)
    assert read(tmp_path, f"diagnosis_code,x,churn\n{wrong}").cautions == ()


def test_classes_that_differ_by_case_or_blanks(tmp_path):
    """Yes and yes were two classes without a word."""
    table = read(tmp_path, "x,class\n1,Yes\n2,yes\n3,no\n4,yes \n5,big  dog\n6,Big dog\n")
    assert [each.text for each in table.cautions] == [
        'the classes "Big dog", "big  dog" differ by case or blanks only',
        'the classes "Yes", "yes" differ by case or blanks only',
    ]


def test_many_constant_columns_are_counted(tmp_path):
    names = ",".join(f"c{j}" for j in range(8))
    table = read(tmp_path, f"{names},x,class\n" + "".join(f"{'7,' * 8}{i},{'ab'[i % 2]}\n" for i in range(4)))
    (caution,) = table.cautions
    assert caution.code == "constant"
    assert caution.text == 'only one distinct value in 8 columns: "c0", "c1", "c2", "c3", "c4", ...'
    assert len(caution.columns) == 8


def test_a_distance_names_five_constant_columns_and_counts_all(tmp_path):
    """The report named all twelve, below the caution that names five."""
    header, cells = ",".join(f"k{j}" for j in range(12)), ",3" * 12
    table = read(tmp_path, f"a,{header},class\n1{cells},a\n2{cells},b\n")
    (note,) = prepare(table, scale="minmax").search.fitted.notes
    assert note == '12 constant columns, which contribute nothing: "k0", "k1", "k2", "k3", "k4", ...'


def test_rows_without_a_target(tmp_path):
    text = "x,class\n1,a\n2,\n3,b\n4,NA\n"
    table = read(tmp_path, text, missing_target="drop")
    assert (table.values[:, 0].tolist(), table.y.tolist()) == ([1, 3], ["a", "b"])
    assert "2 of 4 rows without a target were dropped" in table.notes
    with pytest.raises(DataError, match="the target is missing in 2 of 4 rows\nhint: drop these rows"):
        read(tmp_path, text)
    with pytest.raises(ParameterError, match="missing_target"):
        read(tmp_path, text, missing_target="ignore")
    with pytest.raises(DataError, match="missing in 2 of 2 rows\nhint: choose another target"):
        read(tmp_path, "x,class\n1,\n2,\n")


# workbooks


def workbook() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return packed.getvalue()


def test_a_workbook_names_the_line_that_installs_its_reader(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingDependencyError, match="is not installed\nhint: pip install openpyxl"):
        read(tmp_path, workbook(), "t.xlsx")


def test_a_workbook_is_read_like_a_file(tmp_path, monkeypatch):
    """The reader of workbooks is played by one that hands out these rows."""
    rows = [
        ("when", "x", "ok", "class", None),
        (datetime(2024, 1, 31), 1.5, True, "a", None),
        (None, None, None, None, None),
        (datetime(2024, 2, 1, 12), "N/A", False, "b, c", None),
    ]
    sheets = [SimpleNamespace(title="data", iter_rows=lambda values_only: iter(rows)), SimpleNamespace(title="notes")]
    reader = SimpleNamespace(load_workbook=lambda file, read_only, data_only: SimpleNamespace(worksheets=sheets))
    monkeypatch.setitem(sys.modules, "openpyxl", reader)
    table = read(tmp_path, workbook(), "t.xlsx")
    assert table.names == ("when", "x", "ok")
    assert table.values[:, 0].tolist() == [seconds(2024, 1, 31), seconds(2024, 2, 1, 12)]
    np.testing.assert_array_equal(table.values[:, 1], [1.5, np.nan])
    assert (table.levels[2], table.y.tolist()) == (("False", "True"), ["a", "b, c"])
    assert 'only the first of 2 sheets was read, "data"' in table.notes
    rows.append((1, 2, 3, 4, 5))
    with pytest.raises(DataError, match=r"t.xlsx, line 5: expected 4 cells"):
        read(tmp_path, workbook(), "t.xlsx")


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([("Report",), ("by hand",)], 'expected a target and at least one more column, found only "Report"'),
        ([("Report",), ("by", "hand")], "line 2: expected 1 cells as in the header, found 2"),
        ([("Report", "May")], "a header and no rows"),
        ([(None,)], "the first sheet is empty"),
    ],
)
def test_a_first_sheet_that_is_no_table_names_the_others(tmp_path, monkeypatch, rows, what):
    """A cover sheet was told of signs between cells."""
    sheets = [SimpleNamespace(title="cover", iter_rows=lambda values_only: iter(rows))]
    reader = SimpleNamespace(load_workbook=lambda file, read_only, data_only: SimpleNamespace(worksheets=sheets))
    monkeypatch.setitem(sys.modules, "openpyxl", reader)
    with pytest.raises(DataError) as alone:
        read(tmp_path, workbook(), "t.xlsx")
    assert what in str(alone.value)
    assert alone.value.hint == "a sheet must hold a header and rows below it"
    sheets += [SimpleNamespace(title="data"), SimpleNamespace(title="codes")]
    with pytest.raises(type(alone.value)) as caught:
        read(tmp_path, workbook(), "t.xlsx")
    assert str(caught.value).count("hint:") == 1
    assert caught.value.hint == (
        'only the first sheet is read, "cover"; the others are "data", "codes": if the table is there, move that '
        "sheet to the front or save it as CSV"
    )


def test_a_damaged_workbook(tmp_path, monkeypatch):
    def refuse(*arguments, **options):
        raise KeyError("no sheet")

    monkeypatch.setitem(sys.modules, "openpyxl", SimpleNamespace(load_workbook=refuse))
    with pytest.raises(DataError, match="expected a whole Excel workbook, found a damaged one"):
        read(tmp_path, workbook(), "t.xlsx")


@pytest.mark.parametrize(
    ("name", "cells", "why"),
    [
        ("id", "1 2 3 4 5 6", "row_number"),
        ("Unnamed: 0", "0 1 2 3 4 5", "row_number"),
        ("order_id", "A7 B2 C9 D1 E3 F4", "identifier"),
        ("id", "3 1 2 6 5 4", "row_number"),  # in any order
        ("id", "1 2 4 8 16 32", None),  # numbers that do not count the rows may be measured
        ("id", "1 1 2 3 4 5", None),
        ("order_id", "A A C D E F", None),
        ("rank", "1 2 3 4 5 6", None),  # nothing says that it numbers the rows, and six rows prove nothing
    ],
)
def test_few_rows_are_judged_by_the_name_of_the_column(tmp_path, name, cells, why):
    """A file of six rows with a column id, 1 to 6, was trained on its row numbers."""
    file = tmp_path / "six.csv"
    lines = [
        f"{cell},{x},{label}"
        for cell, x, label in zip(cells.split(), ["3", "4", "3", "9", "8", "9"], "aaabbb", strict=True)
    ]
    file.write_text(f"{name},x,class\n" + "\n".join(lines) + "\n")
    table = read_table(file)
    assert [(each.name, each.why) for each in table.apart] == ([] if why is None else [(name, why)])
    assert read_table(file, kinds={name: "nominal"}).names == (name, "x")


def test_brackets_of_accountants_are_a_minus(tmp_path):
    """(1.50) made a column of numbers nominal."""
    table = read(tmp_path, "x,c\n(1.50),a\n2.25,b\n(1200.00),a\n")
    assert table.values[:, 0].tolist() == [-1.5, 2.25, -1200.0]
    assert table.notes == ('numbers in column "x" were read without brackets: "(1200.00)" is -1200',)
    assert read(tmp_path, "x,c\n(a),a\n(b),b\n").kinds == ("nominal",)
    assert read(tmp_path, "x,c\n(-1),a\n2,b\n").kinds == ("nominal",)


def test_numbers_that_begin_with_a_zero_may_be_codes(tmp_path):
    """A zip code 01069 was written as 1069, and taken for a number without a word."""
    table = read(tmp_path, "zip,x,c\n01069,0.5,a\n80331,05,b\n01069,0,a\n")
    assert table.kinds == ("numeric", "numeric")
    assert [note.split(";")[0] for note in table.notes] == [
        'column "zip" holds numbers, though "01069" begins with a zero',
        'column "x" holds numbers, though "05" begins with a zero',
    ]
    assert "(kinds, --kind zip=nominal)" in table.notes[0]
    assert column_cells(table, 0) == ["01069", 80331, "01069"]
    assert read(tmp_path, "x,c\n0.5,a\n-0.25,b\n0,a\n").notes == ()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_lines_above_the_header_are_left_out_and_said(tmp_path, delimiter):
    """A title above the header was taken for it, and the file was refused."""
    rows = "".join(f"{i}{delimiter}{'ab'[i % 2]}\n" for i in range(12))
    table = read(tmp_path, f"Report of May 2023\n\nsize{delimiter}kind\n{rows}")
    assert (table.names, table.target, table.n_rows) == (("size",), "kind", 12)
    assert table.notes == ('the lines above the header were left out: "Report of May 2023"',)
    with pytest.raises(DataError, match="line 16"):  # lines are still those of the file
        read(tmp_path, f"Report of May 2023\n\nsize{delimiter}kind\n{rows}1{delimiter}2{delimiter}3{delimiter}4\n")


def test_what_is_no_title(tmp_path):
    """Blanks between cells and decimal commas; one column; a header of names that has no comma of its own."""
    assert read(tmp_path, "a b\n1,5 2,5\n2,5 3,5\n3,5 1,5\n1,0 2,0\n").names == ("a",)
    assert read(tmp_path, "a b c\n1 2 x\n3 4 y\n5 6 x\n").names == ("a", "b")


@pytest.mark.parametrize(("delimiter", "inside"), [(",", "|"), (",", ";"), (";", ","), ("\t", ","), ("|", ";")])
def test_a_header_is_no_title_of_the_signs_inside_cells(tmp_path, delimiter, inside):
    """``tags,size`` above ``x|y,1`` was taken for a title and left out."""
    rows = "".join(f"x{inside}{'yz'[i % 2]}{delimiter}{i}{delimiter}{'ab'[i % 2]}\n" for i in range(6))
    table = read(tmp_path, f"tags{delimiter}size{delimiter}kind\n{rows}")
    assert (table.names, table.target, table.n_rows) == (("tags", "size"), "kind", 6)
    # A cell of two lines has the sign between cells in neither.
    text = f"one{delimiter}two{delimiter}kind\n{inside}a{delimiter}{delimiter}b\n"
    table = read(tmp_path, f'{text}"{inside}\n{inside}"{delimiter}{delimiter}b\n')
    assert (table.names, table.target, table.n_rows) == (("one", "two"), "kind", 2)


def test_a_header_is_no_title_of_signs_inside_quotes(tmp_path):
    """The header was taken for a title where a quoted cell below it held the sign between cells."""
    table = read(tmp_path, 'one;two;kind\n;",;";a\n;,;b\n;,;a\n')
    assert (table.names, table.target, table.n_rows) == (("one", "two"), "kind", 3)


def test_titles_of_several_lines_may_hold_commas(tmp_path):
    rows = "".join(f"{i};{'ab'[i % 2]}\n" for i in range(6))
    table = read(tmp_path, f"Report, May 2023\nby hand, twice\nsize;kind\n{rows}")
    assert (table.names, table.target) == (("size",), "kind")
    assert table.notes == ('the lines above the header were left out: "Report, May 2023"',)
