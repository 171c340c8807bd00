"""Files that cannot be read: each says where, what was expected, what was found, and what to do."""

from __future__ import annotations

import gzip
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sepal.data import read_table
from sepal.exceptions import DataError, ParameterError


def refusal(folder: Path, data: str | bytes, name: str = "t.csv", **arguments: Any) -> str:
    """The error text for a file of this content; short whatever the content."""
    file = folder / name
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(DataError) as caught:
        read_table(file, **arguments)
    assert len(str(caught.value)) < 600
    return str(caught.value)


def test_ragged_row_too_short(tmp_path: Path) -> None:
    text = refusal(tmp_path, "a,b,class\n1,2,x\n\n1,2\n")
    assert text.startswith("t.csv, line 4: expected 3 cells as in the header, found 2\nhint: ")


def test_ragged_row_too_long(tmp_path: Path) -> None:
    text = refusal(tmp_path, "a;b;class\n1;2;x\n1;2;3;y\n")
    assert text.startswith("t.csv, line 3: expected 3 cells as in the header, found 4\nhint: ")
    assert '";"' in text


def test_ragged_row_after_many_lines_and_a_quoted_newline(tmp_path: Path) -> None:
    text = refusal(tmp_path, 'a,class\n"two\nlines",x\n' + "1,x\n" * 1000 + "1\n")
    assert text.startswith("t.csv, line 1004: ")


def test_row_names_without_a_heading(tmp_path: Path) -> None:
    assert "the header is one name short" in refusal(tmp_path, "a,class\nr1,2,x\nr2,3,y\n")


def test_wrong_encoding(tmp_path: Path) -> None:
    text = refusal(tmp_path, "a,class\n1,x\n2,caf\xe9\n".encode("latin1"), encoding="utf-8")
    assert text.startswith("t.csv, line 3: expected UTF-8 text, found the byte 0xE9 (byte 17 of the file)")
    assert "--encoding cp1252" in text


@pytest.mark.parametrize("rows", ["1,x\n", "10,x\n"])
@pytest.mark.parametrize("asked", ["utf-16", "UTF-16-LE", "utf-32"])
def test_a_mark_of_utf8_where_another_encoding_is_asked_for(tmp_path: Path, asked: str, rows: str) -> None:
    """cp1252 was hinted at, or pairs of letters were taken for Chinese ones and the file for a header."""
    text = refusal(tmp_path, f"a,class\n{rows}".encode("utf-8-sig"), encoding=asked)
    assert text == (
        f"t.csv: expected {asked.upper()} text, found the mark of UTF-8 at its beginning\n"
        "hint: give the encoding it has: encoding='utf-8', --encoding utf-8"
    )


def test_the_mark_of_utf8_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    """With encoding="utf-8" the first column was called by the mark and its name."""
    file = tmp_path / "t.csv"
    file.write_bytes("a,class\n1,x\n".encode("utf-8-sig"))
    assert read_table(file, encoding="UTF8").names == ("a",)


def test_an_encoding_that_does_not_fit_hints_at_the_one_that_does(tmp_path: Path) -> None:
    assert "--encoding utf-8" in refusal(tmp_path, "a,class\n1,\u00e9\n".encode(), encoding="ascii")
    assert "--encoding utf-16" in refusal(tmp_path, "a,class\n1,x\n".encode("utf-16"), encoding="utf-8")
    assert "--encoding latin-1" in refusal(tmp_path, b"a,class\n1,\x81\n", encoding="utf-8")
    assert "damaged" in refusal(tmp_path, "a,class\n1,x\n".encode("utf-8-sig") + b"\xe9\n")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[{"a": 1, "class": "x"}, {"a": 2, "class": "y"}]', "a JSON list"),
        ('\n[\n  {"a": 1,\n   "class": "x"}\n]\n', "a JSON list"),
        ('[{"a": 1, "class": "x"}, {"a": 2', "a JSON list"),
        ("[[1, 2], [3, 4]]\n", "a JSON list"),
        ('{\n"a": [1, 2],\n"class": ["x", "y"]\n}', "one JSON object over several lines"),
    ],
)
def test_json_that_is_no_json_lines(tmp_path: Path, text: str, what: str) -> None:
    """It was told of a quote that is closed too early."""
    found = refusal(tmp_path, text, "t.json")
    assert found.startswith(f"t.json: expected CSV, ARFF, Parquet or JSON lines, found {what}\nhint: write a line for")


@pytest.mark.parametrize("text", ["[1,2]\n[3,4]\n", '\n["a", "b"]\n[1, null]', "[1,2]\n[3,4]\n[5"])
def test_lists_in_lines_are_no_table(tmp_path: Path, text: str) -> None:
    """They were read as CSV, with a column "[1"."""
    assert refusal(tmp_path, text, "t.jsonl") == (
        "t.jsonl: expected CSV, ARFF, Parquet or JSON lines, found a JSON list in each line\n"
        "hint: write CSV, a line of names above the rows (jq -r @csv makes these), or an object in each line, such as "
        '{"age": 31}'
    )


def test_objects_without_keys(tmp_path: Path) -> None:
    """The hint showed doubled braces."""
    assert refusal(tmp_path, "{}\n{}") == (
        't.csv: the objects hold no keys\nhint: a line is a row, such as {"age": 31}'
    )


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("bits", [16, 32])
def test_the_mark_of_utf16_is_no_part_of_the_first_name(tmp_path: Path, order: str, bits: int) -> None:
    """With encoding="utf-16-le" the first column was called by the mark and its name; UTF-32 was taken for UTF-16."""
    file, name = tmp_path / "t.csv", f"utf-{bits}-{order}"
    file.write_bytes("\ufeffx,class\n1,\u00e9\n2,y\n".encode(name))
    for encoding in (name, f"UTF_{bits}_{order.upper()}", f"utf-{bits}", None):
        table = read_table(file, encoding=encoding)
        assert (table.names, table.values.tolist()) == (("x",), [[1.0], [2.0]])
        assert table.y is not None
        assert table.y.tolist() == ["\u00e9", "y"]
        said = f"the file was read as UTF-{bits}, as the mark at its beginning says"
        assert (said in table.notes) == (encoding is None)
    file.write_bytes("x,class\n1,\u00e9\n2,y\n".encode(name))
    assert read_table(file, encoding=name).names == ("x",)


@pytest.mark.parametrize(
    ("written", "asked", "said"),
    [
        ("utf-16-le", "utf-16-be", "UTF-16"),
        ("utf-16-be", "utf-16-le", "UTF-16"),
        ("utf-32-le", "utf-16", "UTF-32"),
        ("utf-32-le", "utf-16-le", "UTF-32"),
        ("utf-16-le", "utf-32", "UTF-16"),
    ],
)
def test_a_mark_of_another_encoding_is_believed(tmp_path: Path, written: str, asked: str, said: str) -> None:
    text = refusal(tmp_path, "\ufeffx,class\n1,a\n".encode(written), encoding=asked)
    assert text == (
        f"t.csv: expected {asked.upper()} text, found the mark of {said} at its beginning\n"
        f"hint: give the encoding it has: encoding='{said.lower()}', --encoding {said.lower()}"
    )


def test_a_header_in_brackets_is_no_json(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("[a],class\n1,x\n2,y\n")
    assert read_table(file).names == ("[a]",)


def test_half_a_utf16_character(tmp_path: Path) -> None:
    assert "expected UTF-16 text, found" in refusal(tmp_path, "a,class\n1,x\n".encode("utf-16") + b"\x00")


def test_target_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,outcome\n1,x\n")
    with pytest.raises(ParameterError, match='target: there is no column "outcomes"\nhint: did you mean "outcome"'):
        read_table(file, target="outcomes")


def test_no_target_because_there_is_one_column(tmp_path: Path) -> None:
    text = refusal(tmp_path, "a\n1\n2\n")
    assert text.startswith('t.csv: expected a target and at least one more column, found only "a"')


def test_one_class(tmp_path: Path) -> None:
    """The error did not name the table."""
    from sepal.data import class_codes

    file = tmp_path / "t.csv"
    file.write_text("a,class\n1,x\n2,x\n")
    with pytest.raises(
        DataError, match='table "t", target "class": expected at least two classes, found only one class, "x"'
    ):
        class_codes(read_table(file))


@pytest.mark.parametrize("cells", [("x", "y", ""), ("1", "2", "NA")])
def test_target_with_missing_values(tmp_path: Path, cells: tuple[str, ...]) -> None:
    text = refusal(tmp_path, "a,class,b\n" + "".join(f"1,{cell},2\n" for cell in cells))
    assert text.startswith('t.csv, line 4, column 2 ("class"): expected a label, found a missing value')
    assert "1 of 3 rows" in text


def test_infinite_target(tmp_path: Path) -> None:
    assert 't.csv, line 3, column 2 ("class")' in refusal(tmp_path, "a,class\n1,1\n2,inf\n")


def test_infinite_cell(tmp_path: Path) -> None:
    for cell in ("inf", "-Infinity", "1e999"):
        text = refusal(tmp_path, f"a,b,class\n1,2,x\n1,{cell},y\n")
        assert text.startswith('t.csv, line 3, column 2 ("b"): expected finite numbers, found ')


def test_duplicate_names(tmp_path: Path) -> None:
    """A file with a name that stands twice was refused."""
    file = tmp_path / "t.csv"
    file.write_text("\na,b,a,a_2,a,class\n1,2,3,4,5,x\n")
    table = read_table(file)
    assert table.names == ("a", "b", "a_3", "a_2", "a_4")
    assert table.values.tolist() == [[1, 2, 3, 4, 5]]
    assert 'names that stood twice were made unique: "a_3", "a_4"' in table.notes


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_empty_file(tmp_path: Path, data: bytes) -> None:
    assert refusal(tmp_path, data).startswith("t.csv: the file is empty")


@pytest.mark.parametrize("data", [b"\n\n  \n", b" ", b"\xef\xbb\xbf\r\n\t\r\n"])
def test_a_file_of_blank_lines(tmp_path: Path, data: bytes) -> None:
    """It was called empty, and a file of nothing but a byte order mark one of blank lines."""
    assert refusal(tmp_path, data).startswith("t.csv: the file holds blank lines only")


def test_header_only(tmp_path: Path) -> None:
    assert refusal(tmp_path, "a,b,class\n").startswith("t.csv: a header and no rows")


def test_a_directory(tmp_path: Path) -> None:
    (tmp_path / "inside.csv").write_text("x")
    with pytest.raises(DataError, match=r'found a directory\nhint: it holds "inside\.csv"'):
        read_table(tmp_path)


def test_a_device() -> None:
    with pytest.raises(DataError, match="found a device"):
        read_table("/dev/zero")


def test_a_binary_file(tmp_path: Path) -> None:
    assert "found a binary file (a zero byte at 4)" in refusal(tmp_path, b"a,b\n\0\1\2")


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (b"PK\x03\x04\0\0", "zip archive"),
        (b"\x93NUMPY\x01\0", "numpy array"),
        (b"%PDF-1.4\n", "PDF"),
        (b"BZh9", "bzip2"),
    ],
)
def test_well_known_foreign_files(tmp_path: Path, start: bytes, what: str) -> None:
    text = refusal(tmp_path, start)
    assert text.startswith("t.csv: expected CSV, ARFF or Parquet, found ")
    assert what in text
    assert "hint:" in text


MILLION = 10**6


@pytest.mark.parametrize(
    "content",
    [
        "x" * MILLION,
        "x," * (MILLION // 2),
        "a,class\n" + "1," * (MILLION // 2) + "\n",
        "a,class\n1,x\n" + "y" * MILLION + "\n",
        'a,class\n"' + "y" * MILLION + "\n",
        "a,class\n" + '"' * (MILLION + 1) + "\n",
        "a,class\n" + "\\" * MILLION + '"x\n',
        " " * MILLION + "@",
        "\n" * MILLION + "@",
        "%\n" * (MILLION // 2),
        "@relation x\n@attribute " + "y" * MILLION,
        "@relation x\n@attribute a {" + "y, " * (MILLION // 3),
        "@relation x\n@attribute a numeric\n@data\n'" + "\\" * MILLION,
    ],
)
def test_a_million_characters_in_a_line(tmp_path: Path, content: str) -> None:
    start = time.process_time()
    refusal(tmp_path, content)
    assert time.process_time() - start < 20  # looks for a hang, not for speed


def test_a_million_characters_in_a_good_cell(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,class\n" + "y" * MILLION + ",x\nz,w\n")
    assert read_table(file).n_rows == 2


def test_a_missing_file_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "flowers.csv").write_text("x")
    with pytest.raises(DataError, match=r'flower\.csv: there is no such file\nhint: did you mean "flowers\.csv"'):
        read_table(tmp_path / "flower.csv")
    with pytest.raises(DataError, match="has a similar name"):
        read_table(tmp_path / "qqq")


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read either"):
        read_table(tmp_path / "nowhere" / "t.csv")


def test_a_bundled_name_is_not_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r'sepal\.datasets\.load\("heart"\)'):
        read_table("heart")


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    (tmp_path / "t.csv").write_text("a,class\n1,x\n")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(DataError, match="cannot be read: Permission denied"):
        read_table(tmp_path / "t.csv")


def test_an_impossible_path() -> None:
    for path, why in (("a\0b", "embedded null byte"), ("x" * 5000, "File name too long")):
        with pytest.raises(DataError, match=f"the file cannot be read: {why}"):
            read_table(path)


def test_not_a_path() -> None:
    with pytest.raises(ParameterError, match="path: expected the name of a file"):
        read_table(np.zeros((2, 2)))  # type: ignore[arg-type]


def test_unclosed_quote_names_the_line_where_it_opened(tmp_path: Path) -> None:
    text = refusal(tmp_path, 'a,b,class\n"x\ny",2,u\n1,"open,v\n3,4,w\n5,6,u\n')
    assert text.startswith('t.csv, line 4: the quote " opened before "open,v')
    assert "is never closed" in text


def test_unclosed_quote_that_meets_another_quote(tmp_path: Path) -> None:
    text = refusal(tmp_path, 'a,b,class\n1,"open,v\n3,"x",w\n')
    assert text.startswith('t.csv, line 3: expected a delimiter after the closing quote, found "x')
    assert "opened on line 2" in text


def test_text_after_a_closing_quote(tmp_path: Path) -> None:
    text = refusal(tmp_path, 'a,class\n"x"yz,u\n')
    assert text.startswith('t.csv, line 2: expected a delimiter after the closing quote, found "yz,u"')


@pytest.mark.parametrize("keep", [5, 20, -9, -1])
def test_truncated_gzip(tmp_path: Path, keep: int) -> None:
    whole = gzip.compress(b"a,class\n" + b"1,x\n" * 5000)
    assert "cut off or damaged" in refusal(tmp_path, whole[:keep], "t.csv.gz")


def test_damaged_gzip(tmp_path: Path) -> None:
    whole = bytearray(gzip.compress(b"a,class\n" + bytes(range(32, 120)) * 50))
    whole[15] ^= 0xFF
    assert "cut off or damaged" in refusal(tmp_path, bytes(whole), "t.csv.gz")
