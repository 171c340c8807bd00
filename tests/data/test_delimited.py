"""CSV and its relatives: dialects, headers, kinds, targets."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sepal.data import Table, read_table
from sepal.data._source import BLOCK_ROWS
from sepal.exceptions import ParameterError

NAN = float("nan")


def read(folder: Path, text: str | bytes, name: str = "t.csv", **arguments: Any) -> Table:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(file, **arguments)


def labels(table: Table) -> list[Any]:
    assert table.y is not None
    return list(table.y.tolist())


PLAIN = "height,color,class\n1.5,red,a\n2.5,blue,b\n"


def is_plain(table: Table) -> None:
    assert table.names == ("height", "color")
    assert table.kinds == ("numeric", "nominal")
    assert table.levels == (None, ("blue", "red"))
    assert table.values.tolist() == [[1.5, 1.0], [2.5, 0.0]]
    assert (table.target, labels(table)) == ("class", ["a", "b"])


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " ", "   ", " \t "])
def test_delimiters(tmp_path: Path, delimiter: str) -> None:
    is_plain(read(tmp_path, PLAIN.replace(",", delimiter)))


@pytest.mark.parametrize("delimiter", [", ", " ; ", " | ", " ,"])
def test_blanks_around_cells_do_not_count(tmp_path: Path, delimiter: str) -> None:
    is_plain(read(tmp_path, PLAIN.replace(",", delimiter)))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends(tmp_path: Path, newline: str, last: bool) -> None:
    text = PLAIN if last else PLAIN.rstrip("\n")
    is_plain(read(tmp_path, text.replace("\n", newline).encode()))


def test_byte_order_mark(tmp_path: Path) -> None:
    is_plain(read(tmp_path, b"\xef\xbb\xbf" + PLAIN.encode()))


@pytest.mark.parametrize("name", ["t.csv.gz", "t.tsv", "t.txt", "t", "t.gz", "t.CSV"])
def test_content_decides_not_the_suffix(tmp_path: Path, name: str) -> None:
    is_plain(read(tmp_path, gzip.compress(PLAIN.encode()), name))
    is_plain(read(tmp_path, PLAIN, name))


def test_name_is_the_stem(tmp_path: Path) -> None:
    assert read(tmp_path, gzip.compress(PLAIN.encode()), "my.data.csv.gz").name == "my.data"


def test_blank_lines_are_skipped(tmp_path: Path) -> None:
    is_plain(read(tmp_path, "\n  \n" + PLAIN.replace("\n", "\n\n \t \n")))


def test_a_tab_separated_row_of_gaps_is_a_row(tmp_path: Path) -> None:
    table = read(tmp_path, "a\tb\tclass\n1\t2\tx\n\t\ty\n")
    np.testing.assert_array_equal(table.values, [[1.0, 2.0], [NAN, NAN]])


@pytest.mark.parametrize("quote", ['"', "'"])
def test_quoted_cells(tmp_path: Path, quote: str) -> None:
    broken = "two\nlines" if quote == '"' else "two, lines"  # single quotes hold no line break
    text = f'"height, in m","color",class\n"1.5","dark, red",a\n2.5,"",b\n3,"{broken}",a\n'
    table = read(tmp_path, text.replace('"', quote))
    assert table.names == ("height, in m", "color")
    assert table.levels == (None, ("dark, red", broken))
    np.testing.assert_array_equal(table.values, [[1.5, 0.0], [2.5, NAN], [3.0, 1.0]])
    assert labels(table) == ["a", "b", "a"]


def test_doubled_quotes(tmp_path: Path) -> None:
    table = read(tmp_path, 'x,class\n"say ""hi""",a\n"""",b\n')
    assert table.levels == (('"', 'say "hi"'),)


def test_backslash_before_a_quote(tmp_path: Path) -> None:
    table = read(tmp_path, 'x,y,class\n"say \\"hi\\", please",1,a\n"back\\\\slash",2,b\n')
    assert table.levels[0] == ("back\\slash", 'say "hi", please')


def test_backslash_at_the_end_of_a_quoted_path_is_a_backslash(tmp_path: Path) -> None:
    table = read(tmp_path, 'x,class\n"C:\\dir\\",a\n"C:\\new",b\n')
    assert table.levels == (("C:\\dir\\", "C:\\new"),)


def test_blanks_around_quoted_cells(tmp_path: Path) -> None:
    table = read(tmp_path, 'x , y,class\n 1, "a, b" ,u\n2 ,"c",v\n\t3,\t"d, e",v\n')
    assert table.levels == (None, ("a, b", "c", "d, e"))


def test_blank_separated_with_quotes(tmp_path: Path) -> None:
    table = read(tmp_path, '"body height"  color class\n 1.5 "dark red" a  \n2.5   blue b\n')
    assert table.names == ("body height", "color")
    assert table.levels[1] == ("blue", "dark red")


def test_a_quote_inside_an_unquoted_cell_is_a_character(tmp_path: Path) -> None:
    table = read(tmp_path, "x,class\n5\" pipe,a\nit's,b\n")
    assert table.levels == (('5" pipe', "it's"),)


def test_apostrophes_are_not_quotes(tmp_path: Path) -> None:
    table = read(tmp_path, "x,y,class\n'tis,1,a\ndon't,2,b\nrock 'n' roll,3,a\n")
    assert table.levels[0] == ("'tis", "don't", "rock 'n' roll")


def test_a_longer_cell_than_the_csv_module_allows(tmp_path: Path) -> None:
    long = "x, " * 60_000
    table = read(tmp_path, f'x,class\n"{long}",a\nshort,b\n')
    assert table.levels == (("short", long.strip()),)


# numbers and missing cells


@pytest.mark.parametrize("token", ["", "?", "NA", "na", "NaN", "nan", "null", "NULL", "Null", " ? ", '"NA"', '""'])
def test_missing_tokens(tmp_path: Path, token: str) -> None:
    table = read(tmp_path, f"x,y,class\n{token},u,a\n2,{token},b\n3,v,a\n")
    assert table.kinds == ("numeric", "nominal")
    np.testing.assert_array_equal(table.values, [[NAN, 0.0], [2.0, NAN], [3.0, 1.0]])


@pytest.mark.parametrize(
    ("text", "number"),
    [("1e5", 1e5), ("+3", 3.0), (".5", 0.5), ("-2.", -2.0), ("1E-3", 1e-3), (" 7 ", 7.0), ("007", 7.0)],
)
def test_numbers(tmp_path: Path, text: str, number: float) -> None:
    table = read(tmp_path, f"x,class\n{text},a\n1,b\n")
    assert (table.kinds, table.values.tolist()) == (("numeric",), [[number], [1.0]])


@pytest.mark.parametrize("text", ["1_000", "0x10", "12%", "true", "--1", "1e"])
def test_no_numbers(tmp_path: Path, text: str) -> None:
    table = read(tmp_path, f"x|class\n{text}|a\n1|b\n")
    assert (table.kinds, table.levels) == (("nominal",), (tuple(sorted(["1", text])),))


def test_true_and_false_are_nominal(tmp_path: Path) -> None:
    assert read(tmp_path, "x,class\ntrue,a\nfalse,b\n").levels == (("false", "true"),)


def test_decimal_commas_next_to_semicolons(tmp_path: Path) -> None:
    table = read(tmp_path, "x;y;class\n1,5;-,25e1;a\n2;?;b\n")
    assert table.kinds == ("numeric", "numeric")
    np.testing.assert_array_equal(table.values, [[1.5, -2.5], [2.0, NAN]])


def test_decimal_commas_without_a_header(tmp_path: Path) -> None:
    table = read(tmp_path, "1,5;2,5;1\n3,5;4,5;2\n")
    assert table.values.tolist() == [[1.5, 2.5], [3.5, 4.5]]
    assert labels(table) == [1, 2]


def test_decimal_commas_and_points_do_not_mix_within_a_column(tmp_path: Path) -> None:
    """A point in one column made the decimal commas of all columns nominal."""
    table = read(tmp_path, "x;y;z;class\n1,5;2.5;1,5;a\n2;3;1.5;b\n")
    assert table.kinds == ("numeric", "numeric", "nominal")
    assert table.values[:, :2].tolist() == [[1.5, 2.5], [2.0, 3.0]]
    assert 'numbers in column "x" were read without decimal commas: "1,5" is 1.5' in table.notes


def test_an_empty_column_is_numeric_with_a_note(tmp_path: Path) -> None:
    table = read(tmp_path, "x,y,class\n1,,a\n2,NA,b\n")
    assert table.kinds == ("numeric", "numeric")
    assert 'not a single value in column "y"' in table.notes


def test_a_nearly_numeric_column_is_noted(tmp_path: Path) -> None:
    table = read(tmp_path, "x,class\n1,a\n2,b\n\n3,a\noops,b\n")
    assert table.kinds == ("nominal",)
    (note,) = table.notes
    assert note.startswith('column "x" is nominal though 3 of its 4 values are numbers: line 6 has "oops"; ')


def test_a_text_after_many_numbers_is_read_again(tmp_path: Path) -> None:
    n = 3 * BLOCK_ROWS
    rows = [f"{i % 7},{i},a" for i in range(n)]
    rows[-2] = "many,5,b"
    table = read(tmp_path, "x,z,class\n" + "\n".join(rows))
    assert table.kinds == ("nominal", "numeric")
    assert table.levels[0] == ("0", "1", "2", "3", "4", "5", "6", "many")
    expected = [float(i % 7) for i in range(n)]
    expected[-2] = 7.0
    assert table.values[:, 0].tolist() == expected


def test_many_blocks_keep_the_order(tmp_path: Path) -> None:
    n = 2 * BLOCK_ROWS + 17
    table = read(tmp_path, "x,c,class\n" + "".join(f"{i},k{i % 3},{'ab'[i % 2]}\n" for i in range(n)))
    (counter,) = table.apart
    assert (counter.name, counter.why, counter.values.tolist()) == ("x", "row_number", list(range(n)))
    assert table.cautions[0].code == "set_apart_row_number"
    assert table.values[:, 0].tolist() == [i % 3 for i in range(n)]
    assert labels(table) == ["ab"[i % 2] for i in range(n)]


def test_an_identifier_is_set_apart(tmp_path: Path) -> None:
    """An identifier was a feature like any other, with a level for every row."""
    table = read(tmp_path, "id,x,class\n" + "".join(f"row{i},{i % 9},{i % 2}\n" for i in range(30)))
    assert table.names == ("x",)
    assert table.apart[0].values.tolist() == [f"row{i}" for i in range(30)]
    text = (
        'column "id" is different in every row: set apart and not used; to use it, say what it is '
        "(kinds, --kind id=nominal)"
    )
    assert [(each.code, each.text, each.columns) for each in table.cautions] == [
        ("set_apart_identifier", text, ("id",))
    ]


# header


def test_a_first_row_of_numbers_is_data(tmp_path: Path) -> None:
    table = read(tmp_path, "1.5,?,0\n2.5,3,1\n")
    assert (table.names, table.target, table.n_rows) == (("x1", "x2"), "x3", 2)
    assert table.notes[0] == "the file has no header; its columns are called x1 to x3"


def test_a_first_row_with_one_text_is_a_header_and_noted_if_doubtful(tmp_path: Path) -> None:
    table = read(tmp_path, "5.1,3.5,1.4,setosa\n4.9,3.0,1.3,setosa\n")
    assert table.names == ("5.1", "3.5", "1.4")
    assert "3 of its 4 cells are numbers" in table.notes[0]
    assert read(tmp_path, PLAIN).notes == ()


def test_columns_without_a_name(tmp_path: Path) -> None:
    table = read(tmp_path, ",x,class\n0,5,a\n1,6,b\n")
    assert table.names == ("x1", "x")
    assert table.notes == ("column 1 has no name and is called x1",)


def test_a_delimiter_at_the_end_of_every_line(tmp_path: Path) -> None:
    table = read(tmp_path, "x,class,\n1,a,\n2,b,\n")
    assert (table.names, table.target) == (("x",), "class")
    assert "ignored" in table.notes[0]


# target


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("class,x,y", "class"),
        ("x,Target,y", "Target"),
        ("LABEL,x,y", "LABEL"),
        ("label,target,Class", "Class"),
        ("label,target,y", "target"),
        ("x,y,z", "z"),
    ],
)
def test_default_target(tmp_path: Path, header: str, target: str) -> None:
    assert read(tmp_path, f"{header}\n1,2,3\n4,5,6\n").target == target


@pytest.mark.parametrize(
    ("target", "name"), [("x", "x"), (0, "x"), (-2, "y"), (1, "y"), (-1, "class"), (np.int64(0), "x")]
)
def test_target_by_name_and_position(tmp_path: Path, target: Any, name: str) -> None:
    table = read(tmp_path, "x,y,class\n1,2,3\n4,5,6\n", target=target)
    assert table.target == name
    assert name not in table.names


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("Clas", 'no column "Clas"\nhint: did you mean "class"'),
        ("CLASS", 'did you mean "class"'),
        (3, r"target: expected a column from 0 to 2 .*, found 3"),
        (-4, "found -4"),
        (True, "no column True"),
        (1.5, "no column 1.5"),
    ],
)
def test_wrong_target(tmp_path: Path, target: Any, text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        read(tmp_path, "x,y,class\n1,2,3\n4,5,6\n", target=target)


@pytest.mark.parametrize(
    ("cells", "expected", "kind"),
    [
        (("1", "2"), [1, 2], "i"),
        (("1.0", "0.0"), [1, 0], "i"),
        (("0.5", "2"), [0.5, 2.0], "f"),
        (("01", "b"), ["01", "b"], "U"),
        (("x" * 300, "y"), ["x" * 300, "y"], "O"),
    ],
)
def test_label_types(tmp_path: Path, cells: tuple[str, str], expected: list[Any], kind: str) -> None:
    table = read(tmp_path, f"x,class\n1,{cells[0]}\n2,{cells[1]}\n")
    assert table.y is not None
    assert (labels(table), table.y.dtype.kind) == (expected, kind)


# kinds


def test_numbers_asked_for_as_nominal_keep_their_texts(tmp_path: Path) -> None:
    table = read(tmp_path, "zip,x,class\n010,1,a\n2,2,b\n10,3,a\n", kinds={"zip": "nominal"})
    assert table.levels == (("2", "010", "10"), None)
    assert table.values[:, 0].tolist() == [1.0, 0.0, 2.0]


def test_levels_in_order(tmp_path: Path) -> None:
    table = read(tmp_path, "s,g,class\nL,3,a\n?,1,b\n", kinds={0: ["S", "L"], "g": [3, 2, 1]})
    assert table.kinds == ("ordinal", "ordinal")
    assert table.levels == (("S", "L"), (3, 2, 1))
    np.testing.assert_array_equal(table.values, [[1.0, 0.0], [NAN, 2.0]])


def test_kinds_reach_the_target(tmp_path: Path) -> None:
    text = "x,class\n1,2\n2,1\n3,2\n"
    assert labels(read(tmp_path, text, kinds={"class": "nominal"})) == ["2", "1", "2"]
    assert read(tmp_path, text, kinds={"class": ["2", "1"]}).target_levels == ("2", "1")


def test_wrong_kinds_say_where(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r't\.csv, line 3, column 1 \("s"\): expected numbers, found "L"'):
        read(tmp_path, "s,class\n1,a\nL,b\n", kinds={"s": "numeric"})
    with pytest.raises(ValueError, match=r't\.csv, line 3, column 1 \("s"\): expected one of "S", found "L"'):
        read(tmp_path, "s,class\nS,a\nL,b\n", kinds={"s": ["S"]})
    with pytest.raises(ParameterError, match='kinds: there is no column "t"'):
        read(tmp_path, "s,class\nS,a\nL,b\n", kinds={"t": "nominal"})


def test_rows_to_be_predicted_have_no_target(tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.write_text("a,class\n1,?\n2,x\n")
    table = read_table(path, target=False)
    assert (table.names, table.y, table.target) == (("a", "class"), None, None)
    path.write_text("a\n1\n2\n")
    assert read_table(path, target=False).values.tolist() == [[1.0], [2.0]]
