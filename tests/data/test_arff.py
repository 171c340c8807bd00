"""ARFF: everything the format has, and what is wrong with a file that is not quite one."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sepal.data import Table, class_codes, read_table
from sepal.data._source import BLOCK_ROWS
from sepal.exceptions import DataError

NAN = float("nan")


def read(folder: Path, text: str, name: str = "t.arff", **arguments: Any) -> Table:
    (folder / name).write_bytes(text.encode())
    return read_table(folder / name, **arguments)


def labels(table: Table) -> list[Any]:
    assert table.y is not None
    return list(table.y.tolist())


WEATHER = """% a comment
@relation 'the weather'

@attribute outlook {sunny, rainy, overcast}
@attribute temperature numeric
@attribute play {yes, no}

@data
% another
sunny,85,no
overcast,?,yes

rainy,70.5,yes
"""


def is_weather(table: Table) -> None:
    assert table.names == ("outlook", "temperature")
    assert table.kinds == ("nominal", "numeric")
    assert table.levels == (("sunny", "rainy", "overcast"), None)
    np.testing.assert_array_equal(table.values, [[0.0, 85.0], [2.0, NAN], [1.0, 70.5]])
    assert (table.target, labels(table)) == ("play", ["no", "yes", "yes"])
    assert table.target_levels == ("yes", "no")
    assert table.weights is None


def test_dense(tmp_path: Path) -> None:
    table = read(tmp_path, WEATHER)
    is_weather(table)
    assert (table.name, table.description, table.notes) == ("t", "the weather", ())


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends(tmp_path: Path, newline: str) -> None:
    is_weather(read(tmp_path, WEATHER.replace("\n", newline)))


def test_upper_case_keywords_and_tabs(tmp_path: Path) -> None:
    text = WEATHER
    for word in ("@relation", "@attribute", "@data", "numeric"):
        text = text.replace(word, word.upper())
    is_weather(read(tmp_path, text.replace(" {", "\t\t{").replace("outlook", "\toutlook").replace(",", "\t,\t")))


def test_content_decides(tmp_path: Path) -> None:
    is_weather(read(tmp_path, "\n" + WEATHER, "t.txt"))
    (tmp_path / "t.arff.gz").write_bytes(gzip.compress(WEATHER.encode()))
    is_weather(read_table(tmp_path / "t.arff.gz"))


def test_byte_order_mark(tmp_path: Path) -> None:
    is_weather(read(tmp_path, "\ufeff" + WEATHER))


@pytest.mark.parametrize("word", ["numeric", "real", "integer", "Real", "INTEGER"])
def test_numeric_words(tmp_path: Path, word: str) -> None:
    is_weather(read(tmp_path, WEATHER.replace("numeric", word)))


def test_values_separated_by_blanks(tmp_path: Path) -> None:
    text = WEATHER.replace("sunny,85,no", "sunny 85\tno").replace("{yes, no}", "{yes no}")
    is_weather(read(tmp_path, text))
    is_weather(read(tmp_path, text.replace("85\tno", "85\t'no'  % hot, isn't it")))


def test_nominal_declaration_over_several_lines(tmp_path: Path) -> None:
    is_weather(
        read(tmp_path, WEATHER.replace("{sunny, rainy, overcast}", "{sunny,\n  % the wet one\n  rainy,\n  overcast }"))
    )


def test_no_blank_before_the_brace_and_comments_at_line_ends(tmp_path: Path) -> None:
    text = (
        WEATHER.replace("outlook {", "outlook{")
        .replace("sunny,85,no", "sunny,85,no % hot")
        .replace("numeric", "numeric % F")
    )
    is_weather(read(tmp_path, text))


def test_quoted_and_escaped_names_and_values(tmp_path: Path) -> None:
    """Quoted nominal values broke scipy's reader (scipy #10232), escaped quotes liac-arff's (openml-python #466)."""
    table = read(
        tmp_path,
        r"""@relation "it\"s"
@attribute 'body height' real
@attribute "what's \"new\"" {'a, b', "c d", 'it\'s', 'x\\y', e, '100 %', '{', 'tab\there'}
@attribute 'class' {'yes', "no"}
@data
1, 'a, b', yes
2, "c d" , 'no'
3,'it\'s',yes
4, "x\\y",no
5,e,"yes"
6 ,'100 %', no % a comment, with a comma
7,'{',yes
8,'tab\there',no
""",
    )
    assert table.description == 'it"s'
    assert table.names == ("body height", 'what\'s "new"')
    assert table.levels[1] == ("a, b", "c d", "it's", "x\\y", "e", "100 %", "{", "tab\there")
    assert table.values.tolist() == [[i + 1.0, float(i)] for i in range(8)]
    assert labels(table) == ["yes", "no"] * 4


def test_a_quoted_question_mark_is_a_value(tmp_path: Path) -> None:
    table = read(tmp_path, "@relation r\n@attribute a {'?',b}\n@attribute class {u,v}\n@data\n'?',u\n?,v\nb,u\n")
    np.testing.assert_array_equal(table.values.ravel(), [0.0, NAN, 1.0])


def test_unquoted_values_may_hold_blanks_between_commas(tmp_path: Path) -> None:
    table = read(
        tmp_path, "@relation r\n@attribute a {New York, Rome}\n@attribute class {u,v}\n@data\nNew York,u\nRome,v\n"
    )
    assert table.levels == (("New York", "Rome"),)
    assert table.values.ravel().tolist() == [0.0, 1.0]


def test_strings_become_nominal_in_order_of_appearance(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "@relation r\n@attribute t string\n@attribute class {u,v}\n@data\n'z, z',u\na,v\n?,u\n'z, z',v\n",
    )
    assert (table.kinds, table.levels) == (("nominal",), (("z, z", "a"),))
    np.testing.assert_array_equal(table.values.ravel(), [0.0, 1.0, NAN, 0.0])
    assert table.notes == ('texts in column "t" were taken as 2 nominal levels',)


def test_dates_become_seconds(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        """@relation r
@attribute d date
@attribute e DATE "yyyy-MM-dd HH:mm"
@attribute f date 'dd.MM.yyyy' {2.0}
@attribute class {u,v}
@data
1970-01-02T00:00:01, '1970-01-01 01:30', 03.01.1970, u
?, "1969-12-31 23:59", ?, v
""",
    )
    assert table.kinds == ("numeric",) * 3
    np.testing.assert_array_equal(table.values, [[86401.0, 5400.0, 172800.0], [NAN, -60.0, NAN]])
    assert sum("seconds since 1970" in note for note in table.notes) == 3


def test_sparse_rows(tmp_path: Path) -> None:
    """scipy's reader knows no sparse rows (scipy #3535)."""
    table = read(
        tmp_path,
        """@relation r
@attribute n numeric
@attribute c {first, second, 'th ird'}
@attribute t string
@attribute class {neg, pos}
@data
{0 2.5, 2 word, 3 pos}
{1 'th ird'}
{}
{ 3 pos , 0 ? }
{1 second 3 pos}
7, first, other, neg
""",
    )
    np.testing.assert_array_equal(
        table.values,
        [[2.5, 0.0, 0.0], [0.0, 2.0, NAN], [0.0, 0.0, NAN], [NAN, 0.0, NAN], [0.0, 1.0, NAN], [7.0, 0.0, 1.0]],
    )
    assert labels(table) == ["pos", "neg", "neg", "pos", "pos", "neg"]
    assert "texts that sparse rows leave out were taken as missing" in table.notes


def test_row_weights(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        """@relation r
@attribute n numeric
@attribute class {u,v}
@data
1,u,{0.5}
2,'v', {3}
3,u
{0 4}, {2.5}
5,u {1e1} % heavy
""",
    )
    assert table.weights is not None
    assert table.weights.tolist() == [0.5, 3.0, 1.0, 2.5, 10.0]
    assert table.values.ravel().tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    taken = table.take([1]).weights
    assert taken is not None
    assert taken.tolist() == [3.0]


def test_column_weights_are_noted(tmp_path: Path) -> None:
    table = read(tmp_path, WEATHER.replace("numeric", "numeric {4.0}").replace("overcast}", "overcast} {2}"))
    is_weather(table)
    assert table.notes == (
        'the weight 2 of column "outlook" is not used',
        'the weight 4.0 of column "temperature" is not used',
    )


def test_numeric_target_stays_a_number(tmp_path: Path) -> None:
    table = read(tmp_path, "@relation r\n@attribute a numeric\n@attribute class numeric\n@data\n1,198\n2,269\n")
    assert table.y is not None
    assert table.y.dtype == np.float64
    assert table.target_levels is None


def test_default_target_is_the_class_wherever_it_stands(tmp_path: Path) -> None:
    table = read(tmp_path, WEATHER.replace("outlook", "Class"))
    assert (table.target, table.names) == ("Class", ("temperature", "play"))


def test_declared_order_reaches_the_classes(tmp_path: Path) -> None:
    codes, classes = class_codes(read(tmp_path, WEATHER))
    assert (codes.tolist(), classes.tolist()) == ([1, 0, 0], ["yes", "no"])


def test_kinds_make_a_nominal_column_ordinal_in_declared_order(tmp_path: Path) -> None:
    table = read(tmp_path, WEATHER, kinds={"outlook": "ordinal"})
    assert (table.kinds[0], table.levels[0], table.notes) == ("ordinal", ("sunny", "rainy", "overcast"), ())


def test_many_blocks(tmp_path: Path) -> None:
    n = 2 * BLOCK_ROWS + 3
    rows = [f"{i},k{i % 2},{'uv'[i % 2]}" if i % 400 else f"{{0 {i}}}" for i in range(n)]
    head = "@relation r\n@attribute a numeric\n@attribute k {k0,k1}\n@attribute class {u,v}\n@data\n"
    table = read(tmp_path, head + "\n".join(rows))
    assert table.apart[0].values.tolist() == list(range(n))
    assert table.values[:, 0].tolist() == [i % 2 for i in range(n)]


# what is refused

HEAD = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute class {u,v}\n@data\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "1,x,u\n1,z,v\n", 't.arff, line 7, column 2 ("b"): expected one of "x", "y", found "z"'),
        (HEAD + "1,x,w\n", 't.arff, line 6, column 3 ("class"): expected one of "u", "v", found "w"'),
        (HEAD + "\n% c\none,x,u\n", 't.arff, line 8, column 1 ("a"): expected a number, found "one"'),
        (HEAD + "1_0,x,u\n", 't.arff, line 6, column 1 ("a"): expected a number, found "1_0"'),
        (HEAD + "inf,x,u\n", 't.arff, line 6, column 1 ("a"): expected finite numbers, found inf'),
        (HEAD + "{1 z}\n", 't.arff, line 6, column 2 ("b"): expected one of "x", "y", found "z"'),
        (HEAD + "1,x\n", "t.arff, line 6: expected 3 values, one per attribute, found 2"),
        (HEAD + "1,x,u,v\n", "t.arff, line 6: expected 3 values, one per attribute, found 4"),
        (HEAD + "1,'x',u,\n", "t.arff, line 6: expected 3 values, one per attribute, found 4"),
        (HEAD + "1,,u\n", 't.arff, line 6, column 2 ("b"): expected one of "x", "y", found ""\nhint: write ?'),
        (HEAD + ",x,u\n", 't.arff, line 6, column 1 ("a"): expected a number, found ""\nhint: write ?'),
        (HEAD + "1,x,?\n", 't.arff, line 6, column 3 ("class"): expected a label, found a missing value'),
        (HEAD + "1,'x,u\n", 't.arff, line 6: the quote \' opened before "x,u" is never closed'),
        (HEAD + "1,'x'y,u\n", 't.arff, line 6: expected a comma, found "y,u"'),
        (HEAD + "1,x,u,{heavy}\n", 't.arff, line 6: expected a row weight of 0 or more between braces, found "heavy"'),
        (HEAD + "1,x,u,{-1}\n", 't.arff, line 6: expected a row weight of 0 or more between braces, found "-1"'),
        (HEAD + "{0 1, 7 x}\n", "t.arff, line 6: expected each attribute at most once, found number 7, but"),
        (HEAD + "{0 1, 0 2}\n", "t.arff, line 6: expected each attribute at most once, found number 0, given twice"),
        (HEAD + "{0 1\n", "t.arff, line 6: expected entries of attribute number and value up to }"),
        (HEAD + "{a 1}\n", "t.arff, line 6: expected entries of attribute number and value up to }"),
        (HEAD + "{0 }\n", "t.arff, line 6: expected a value for attribute 0"),
        (HEAD + "{0 1} x\n", 't.arff, line 6: expected the end of the row or a weight, found "x"'),
        (HEAD, "t.arff: a header and no rows"),
        ("@relation r\n@attribute a numeric\n", "t.arff: expected @data, found the end of the file"),
        ("@relation r\n@data\n1\n", "t.arff, line 2: @data comes before any @attribute"),
        ("@relation r\n@attribute\n", "t.arff, line 2: expected the name of an attribute"),
        ("@relation r\n@attribute a\n", 't.arff, line 2: attribute "a": expected numeric, real, integer, string, date'),
        ("@relation r\n@attribute a float\n", 'string, date or {values}, found "float"'),
        ("@relation r\n@attribute a numeric [0,1]\n", 't.arff, line 2: attribute "a": expected the end of the line'),
        ("@relation r\n@attribute a {x,y\n@data\n", 't.arff, line 2: attribute "a": the brace { is never closed'),
        (
            "@relation r\n@attribute a {x,y,x}\n",
            't.arff, line 2: attribute "a": expected distinct values, found "x" twice',
        ),
        ("@relation r\n@attribute a {}\n", 't.arff, line 2: attribute "a": expected distinct values, found none'),
        ("@relation r\n@attribute 'a numeric\n", "t.arff, line 2: the quote ' opened before"),
        ("@relation r\n@attribute d date 'yyyy-ww'\n", 't.arff, line 2: attribute "d": the date letter w in yyyy-ww'),
        ("@relation r\n@attribute bag relational\n@attribute x numeric\n@end bag\n", 'attribute "bag" is relational'),
        (
            "@relation r\n@atribute a numeric\n",
            't.arff, line 2: expected @relation, @attribute or @data, found "@atribute',
        ),
        ("@relation r\n1,2,3\n", 't.arff, line 2: expected @relation, @attribute or @data, found "1,2,3"'),
        (HEAD.replace(" b ", " a ") + "1,x,u\n", 't.arff: columns 1 and 2 have the same name "a"'),
        (
            "@relation r\n@attribute d date\n@attribute class {u,v}\n@data\n2020-02-30T00:00:00,u\n",
            't.arff, line 5, column 1 ("d"): expected a date like yyyy-',
        ),
        (
            "@relation r\n@attribute d date\n@attribute class {u,v}\n@data\n02/2020,u\n",
            "expected a date like yyyy-MM-dd'T'HH:mm:ss, found \"02/2020\"",
        ),
        (
            "@relation r\n@attribute class {u,v}\n@data\nu\nv\n",
            "t.arff: expected a target and at least one more column",
        ),
    ],
)
def test_refused(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(DataError) as caught:
        read(tmp_path, text)
    assert expected in str(caught.value)
