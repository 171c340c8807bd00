"""One decimal sign for a file: columns that can be read in one way only decide for those that could be read in two."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from sepal.data import Table, as_table, column_cells, match_table, read_table
from sepal.data._joined import joined_rows
from sepal.data._source import BLOCK_ROWS
from sepal.exceptions import ParameterError


def read(folder: Path, text: str, **arguments: Any) -> Table:
    file = folder / "t.csv"
    file.write_text(text)
    return read_table(file, **arguments)


def columns(table: Table) -> list[list[float]]:
    return [list(column) for column in table.values.T.tolist()]


GERMAN = "Preis;Gewicht;Klasse\n950;0,3;a\n1.037;0,5;b\n12.500;0,7;a\n880;1,2;b\n"
PRICES, WEIGHTS = [950, 1037, 12500, 880], [0.3, 0.5, 0.7, 1.2]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_points_between_thousands_beside_decimal_commas(tmp_path: Path, delimiter: str) -> None:
    """950, 1.037, 12.500 were read as 950, 1.037, 12.5 without a word."""
    table = read(tmp_path, GERMAN.replace(";", delimiter))
    assert columns(table) == [PRICES, WEIGHTS]
    assert table.notes == (
        'numbers in column "Preis" were read without signs between thousands: "12.500" is 12500',
        'numbers in column "Gewicht" were read without decimal commas: "1,2" is 1.2',
    )
    assert column_cells(table, 0) == ["950", "1.037", "12.500", "880"]


def test_points_stay_where_commas_separate_cells(tmp_path: Path) -> None:
    """A quoted 0,3 made 1.037 of a file of commas 1037; who groups by points separates by semicolons."""
    text = 'Preis,Gewicht,Klasse\n950,"0,3",a\n1.037,"0,5",b\n12.500,"0,7",a\n880,"1,2",b\n'
    table = read(tmp_path, text)
    assert columns(table) == [[950, 1.037, 12.5, 880], WEIGHTS]
    assert table.notes[0] == (
        'the point of "1.037" in column "Preis" was taken as a decimal point (1.037); "Gewicht" has decimal commas; '
        "if points stand between thousands here, write the numbers without them"
    )


LISTS = "x,l,label\n" + "".join(f'1.{100 + i},"{i % 3},{i % 2}",{"ab"[i % 2]}\n' for i in range(6))


def test_lists_in_a_file_of_commas_change_no_number(tmp_path: Path) -> None:
    """A column of 0,1 and 2,0 beside 1.100, 1.101, ... made these 1100, 1101, whatever was said of it."""
    numbers = [1.1, 1.101, 1.102, 1.103, 1.104, 1.105]
    table = read(tmp_path, LISTS)
    assert columns(table)[0] == numbers
    assert '"1.100" in column "x" was taken as a decimal point (1.1); "l" has decimal commas; if' in table.notes[0]
    for arguments in ({"kinds": {"l": "nominal"}}, {"drop": ["l"]}, {"columns": ["x"]}):
        table = read(tmp_path, LISTS, **arguments)
        assert columns(table)[0] == numbers
        assert not [note for note in table.notes if "decimal" in note]
    assert columns(read(tmp_path, LISTS.replace("1.10", "1.1")))[0] == [1.1, 1.11, 1.12, 1.13, 1.14, 1.15]


@pytest.mark.parametrize("remark", ["1,5", "1,5 %", "1.000.000"])
def test_one_remark_in_a_file_of_commas_changes_no_number(tmp_path: Path, remark: str) -> None:
    """A single 1,5 in an otherwise empty column was enough."""
    rows = "".join(f'{2 + i}.125,"{remark if i == 7 else ""}",{"ab"[i % 2]}\n' for i in range(12))
    table = read(tmp_path, f"x,remark,label\n{rows}")
    assert columns(table)[0] == [2.125 + i for i in range(12)]
    assert '"2.125" in column "x" was taken as a decimal point (2.125); "remark" has decimal commas' in table.notes[0]
    gap = read(tmp_path, f"x,remark,label\n{rows}-,,a\n")  # with a mark of a missing number
    assert columns(gap)[0][:12] == columns(table)[0]
    assert 'was taken as a decimal point (10.125); "remark" has decimal commas' in gap.notes[0]


def test_texts_in_a_file_of_commas_follow_texts(tmp_path: Path) -> None:
    text = 'x,price,share,label\n2.125,"13,210 EUR","0,5 %",a\n7,"1,125 EUR","2,5 %",b\n'
    assert columns(read(tmp_path, text)) == [[2.125, 7], [13.21, 1.125], [0.5, 2.5]]
    for arguments in ({"kinds": {"share": "nominal"}}, {"drop": ["share"]}):
        assert columns(read(tmp_path, text, **arguments))[1] == [13210, 1125]


@pytest.mark.parametrize("kind", ["nominal", "ordinal"])
def test_levels_with_points_in_a_file_of_commas_are_in_their_order(tmp_path: Path, kind: str) -> None:
    text = 'x,s,label\n1.125,"0,5",a\n2,"0,7",b\n10.5,"0,5",a\n'
    assert read(tmp_path, text, kinds={"x": kind}).levels[0] == ("1.125", "2", "10.5")


@pytest.mark.parametrize("delimiter", ["\t", "|", ";"])
def test_columns_that_are_dropped_prove_nothing(tmp_path: Path, delimiter: str) -> None:
    text = "x,l,label\n1.100,a;b,u\n1.102,c;d,v\n1.103,a;b,u\n".replace(",", delimiter).replace("a;b", "0,1")
    text = text.replace("c;d", "2,0")
    assert columns(read(tmp_path, text)) == [[1100, 1102, 1103], [0.1, 2, 0.1]]
    for arguments in ({"drop": ["l"]}, {"drop": [1]}, {"columns": ["x"]}, {"columns": [0], "target": "label"}):
        assert columns(read(tmp_path, text, **arguments)) == [[1.1, 1.102, 1.103]]
    assert columns(read(tmp_path, text, columns=["x"], target="l"))[0] == [1100, 1102, 1103]
    assert columns(read(tmp_path, text, columns=["x"], ids=["l"])) == [[1100, 1102, 1103]]


@pytest.mark.parametrize("delimiter", ["\t", "|"])
@pytest.mark.parametrize("kind", ["nominal", "ordinal", "text", ["0,1", "2,0"]])
def test_columns_wanted_as_texts_prove_nothing(tmp_path: Path, delimiter: str, kind: Any) -> None:
    """Next to semicolons they do: see above."""
    text = "x;l;label\n1.100;0,1;u\n1.102;2,0;v\n1.103;0,1;u\n".replace(";", delimiter)
    assert columns(read(tmp_path, text, kinds={"l": kind}))[0] == [1.1, 1.102, 1.103]


@pytest.mark.parametrize("end", ["a", "a;"])
def test_positions_from_the_end_are_those_of_named_columns(tmp_path: Path, end: str) -> None:
    """A semicolon at the end of every line makes no column."""
    text = f"x;l;{end}\n1.100;0,1;{end}\n1.102;2,0;{end.replace('a', 'b')}\n"
    assert columns(read(tmp_path, text, drop=[-2])) == [[1.1, 1.102]]


def test_unknown_columns_are_refused_as_before(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match='drop: there is no column "z"'):
        read(tmp_path, LISTS, drop=["z"])
    assert read(tmp_path, LISTS, drop=["z"], target=False).names == ("x", "l", "label")


@pytest.mark.parametrize("first", [";0,3", "1.037;2"])
def test_what_decides_may_stand_anywhere_in_the_file(tmp_path: Path, first: str) -> None:
    """Only the first hundred rows were looked at."""
    middle = "".join(f"{i % 7};{i % 5};a\n" for i in range(2 * BLOCK_ROWS))
    last = "1.037;2" if first == ";0,3" else ";0,3"
    table = read(tmp_path, f"Preis;Gewicht;Klasse\n{first};a\n{middle}{last};b\n")
    assert set(columns(table)[0]) >= {0, 1, 2, 3, 4, 5, 6, 1037}
    assert set(columns(table)[1]) == {0, 0.3, 1, 2, 3, 4}


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "numeric"])
def test_the_kind_of_one_column_does_not_change_another(tmp_path: Path, kind: str) -> None:
    table = read(tmp_path, GERMAN, kinds={"Gewicht": kind})
    assert columns(table)[0] == PRICES
    assert columns(read(tmp_path, GERMAN, kinds={"Preis": "numeric"}))[0] == PRICES


@pytest.mark.parametrize("odd", ["k. A.", "unbekannt", "<0,1"])
def test_a_few_odd_cells_do_not_keep_a_column_from_deciding(tmp_path: Path, odd: str) -> None:
    table = read(tmp_path, f"{GERMAN}700;{odd};a\n")
    assert table.kinds == ("numeric", "nominal")
    assert columns(table)[0] == [*PRICES, 700]


@pytest.mark.parametrize("words", ["0,3", "1,2 oder 3"])
def test_a_number_among_words_decides_nothing(tmp_path: Path, words: str) -> None:
    table = read(tmp_path, f"a\tb\tc\n1.037\t{words}\tx\n2\tviel\ty\n3\twenig\tx\n")
    assert columns(table)[0] == [1.037, 2, 3]


@pytest.mark.parametrize("cell", ["1.5", "0.25", "12.5", "1234.500", "0.500", ".125", "1.037e2"])
def test_a_column_with_a_decimal_point_keeps_it(tmp_path: Path, cell: str) -> None:
    table = read(tmp_path, f"a;b;class\n{cell};0,5;x\n1.037;2;y\n")
    assert columns(table) == [[float(cell), 1.037], [0.5, 2]]


def test_columns_that_differ_leave_the_others_as_they_stand_and_say_so(tmp_path: Path) -> None:
    table = read(tmp_path, "a;b;c;d;class\n950;0,3;2.5;3.125;x\n1.037;0,5;1.5;2;y\n")
    assert columns(table) == [[950, 1.037], [0.3, 0.5], [2.5, 1.5], [3.125, 2]]
    assert table.notes[0] == (
        'the point of "1.037" in column "a" and 1 more was taken as a decimal point (1.037); "b" has decimal commas, '
        '"c" decimal points; if points stand between thousands here, write the numbers without them'
    )


MIXED = [f"{i},5;{i};{i % 9 + 1},{100 + i};{'uv'[i % 2]}\n" for i in range(150)]
MIXED += [f"{i},5;{i}.5;{i % 9 + 1},{100 + i};{'uv'[i % 2]}\n" for i in range(150)]


@pytest.mark.parametrize("step", [1, -1])
def test_the_sign_does_not_depend_on_the_order_of_rows(tmp_path: Path, step: int) -> None:
    """Where columns prove both signs, 1,100 was 1.1 or 1100: the first hundred rows decided."""
    table = read(tmp_path, "a;b;c;label\n" + "".join(MIXED[::step]))
    assert sorted(table.values[:, 2].tolist()) == sorted(
        float(f"{i % 9 + 1}.{100 + i}") for i in range(150) for _ in "ab"
    )


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_the_sign_that_more_columns_prove_decides(tmp_path: Path, delimiter: str, step: int) -> None:
    rows = [("0,5", "0,7", "2", "1.037"), ("1", "1,5", "2.5", "950")] * 200 + [("1", "1", "1", "1")] * 200
    text = "".join(f"{delimiter.join((*row, 'uv'[i % 2]))}\n" for i, row in enumerate(rows[::step]))
    header = delimiter.join("abcde") + "\n"
    table = read(tmp_path, header + text)
    assert {row[3] for row in table.values.tolist()} == {1037, 950, 1}
    table = read(tmp_path, header + text.replace("0,7", "7").replace("1,5", "1.25"))
    assert {row[3] for row in table.values.tolist()} == {1.037, 950, 1}


@pytest.mark.parametrize("delimiter", ["\t", ";", "|", ","])
@pytest.mark.parametrize("beside", ["7", "2.5"])
def test_nobody_groups_the_digits_before_an_exponent(tmp_path: Path, delimiter: str, beside: str) -> None:
    """1,234e-03 was 1.234: its comma was taken for one between thousands."""
    cells = ["1,234e-03", "-9,816e-01", "1,5", "+2,125E+02"]
    rows = "".join(f'"{cell}"{delimiter}{beside}{delimiter}{"ab"[i % 2]}\n' for i, cell in enumerate(cells))
    table = read(tmp_path, delimiter.join(("x", "y", "label")) + "\n" + rows)
    assert columns(table) == [[0.001234, -0.9816, 1.5, 212.5], [float(beside)] * 4]
    table = read(tmp_path, delimiter.join(("x", "y", "label")) + "\n" + rows.replace("1,5", "1,500e+03"))
    assert columns(table)[0] == [0.001234, -0.9816, 1500, 212.5]


def test_a_point_that_nothing_decides_is_said_next_to_semicolons_only(tmp_path: Path) -> None:
    """Next to semicolons 1.037 beside 950 was read as 1.037 without a word."""
    table = read(tmp_path, "a;class\n950;x\n1.037;y\n")
    assert columns(table) == [[950, 1.037]]
    assert 'the point of "1.037" in column "a" was taken as a decimal point (1.037); if points' in table.notes[0]
    assert read(tmp_path, "a,class\n950,x\n1.037,y\n").notes == ()
    assert read(tmp_path, "a;b;class\n950;0.5;x\n1.037;2;y\n").notes == ()


def test_two_points_stand_between_thousands(tmp_path: Path) -> None:
    """1.000.000 was a million, and 1.037 beside it 1.037."""
    assert columns(read(tmp_path, "a;b;class\n1.000.000;950;x\n2;1.037;y\n")) == [[1e6, 2], [950, 1037]]


def test_commas_between_thousands_beside_decimal_points(tmp_path: Path) -> None:
    """The other way round; it depended on where the decimal points stand."""
    assert columns(read(tmp_path, "a;b;class\n950;0.5;x\n1,037;2;y\n")) == [[950, 1037], [0.5, 2]]
    rows = "3;4;x\n" * BLOCK_ROWS
    table = read(tmp_path, f"a;b;class\n950;1;x\n1,037;2;y\n{rows}2;0.5;y\n")
    assert [column[:2] + column[-1:] for column in columns(table)] == [[950, 1037, 2], [1, 2, 0.5]]
    assert 'numbers in column "a" were read without signs between thousands: "1,037" is 1037' in table.notes


@pytest.mark.parametrize("signs", [("", ""), (" %", " €"), ("%", "€"), ("", " €"), (" %", "")])
def test_percents_and_currencies_change_nothing(tmp_path: Path, signs: tuple[str, str]) -> None:
    """With percent and euro signs 13,210 was read as 13210 beside 0,5."""
    rows = [("12,573", "13,210", "x"), ("0,5", "10,490", "y"), ("3,1", "9,125", "x")]
    text = "".join(f"{a}{signs[0]};{b}{signs[1]};{k}\n" for a, b, k in rows)
    assert columns(read(tmp_path, f"a;b;k\n{text}")) == [[12.573, 0.5, 3.1], [13.21, 10.49, 9.125]]
    alone = "".join(f"{b}{signs[1]};{k}\n" for _, b, k in rows)
    table = read(tmp_path, f"b;k\n{alone}")
    assert columns(table) == [[13.21, 10.49, 9.125]]
    assert len(table.notes) == 1


# levels


NUMERIC_ORDER = ("-2", "-1", "0,5", "1", "1,5", "2", "10")


@pytest.mark.parametrize("kind", ["nominal", "ordinal"])
@pytest.mark.parametrize("end", ["", " %", "%", " €"])
def test_levels_that_are_numbers_are_in_their_order(tmp_path: Path, kind: str, end: str) -> None:
    """With a decimal comma they were sorted as texts: -1 < -2 < 0,5 < 1 < 1,5 < 10 < 2."""
    cells = ["0,5", "1", "1,5", "2", "10", "-1", "-2"]
    text = "".join(f"{cell}{end};{'ab'[i % 2]}\n" for i, cell in enumerate(cells))
    table = read(tmp_path, f"g;k\n{text}", kinds={"g": kind})
    assert table.kinds == (kind,)
    assert table.levels == (tuple(f"{level}{end}" for level in NUMERIC_ORDER),)
    assert columns(table) == [[2, 3, 4, 5, 6, 1, 0]]


def test_levels_with_points_between_thousands_are_in_their_order(tmp_path: Path) -> None:
    """1.037 was sorted below 880."""
    assert read(tmp_path, GERMAN, kinds={"Preis": "ordinal"}).levels[0] == ("880", "950", "1.037", "12.500")
    points = GERMAN.replace(",", ".")
    assert read(tmp_path, points, kinds={"Preis": "ordinal"}).levels[0] == ("1.037", "12.500", "880", "950")


def test_new_levels_with_decimal_commas_are_joined_in_their_order() -> None:
    """They came behind the others."""
    first = as_table([["10"], ["0,5"]], ["a", "b"])
    assert first.levels == (("0,5", "10"),)
    more = match_table(as_table([["2,5"]], ["a"]), first, learn=True)
    both = joined_rows(first, more)
    assert isinstance(both, Table)
    assert both.levels == (("0,5", "2,5", "10"),)
    assert columns(both) == [[2, 0, 1]]


@pytest.mark.parametrize("cells", [["12", "12 %"], ["$3", "€5"], ["0.5", "5,25"]])
def test_numbers_that_are_written_in_several_ways_are_told(cells):
    """They were levels without a word, unless one of them was no number at all."""
    text = "a;b;label\n" + "".join(f"{i % 7}.5;{cells[i == 9]};{'uv'[i % 2]}\n" for i in range(20))
    (note,) = read_table(io.BytesIO(text.encode()), target="label").notes
    assert note == (
        f'column "b" is nominal though all its values are numbers: "{cells[0]}" and "{cells[1]}" are not written in '
        "one way; write all of them alike"
    )
