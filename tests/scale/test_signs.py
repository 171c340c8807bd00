"""Files that write one column with different decimal signs are told apart, and what was noted of files is told once."""

from __future__ import annotations

import gzip

import pandas as pd
import pytest

import sepal
from sepal.exceptions import DataError
from sepal.scale import partitioned, predict_partitions, sample_table
from sepal.scale._part_notes import same_fact
from sepal.scale._schema import read_schema
from sepal.scale._signs import sign_of_cell

# Of column a: points between thousands, which the commas of b prove; or nothing proves anything.
PROVEN = "a;b;class\n3.198;7,5;u\n4.250;8,5;v\n"
UNPROVEN = "a;b;class\n5.778;4;u\n6.125;7;v\n"


def _write(folder, *texts, endings=("csv", "csv", "csv")):
    for i, (text, ending) in enumerate(zip(texts, endings, strict=False)):
        (folder / f"{i}.{ending}").write_text(text)
    return partitioned(sorted(folder.iterdir()), target="class")


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (UNPROVEN, PROVEN, r'column "a": in .*0\.csv "5\.778" is 5\.778, and in .*1\.csv "3\.198" is 3198: the dec'),
        (PROVEN, UNPROVEN, r'column "a": in .*0\.csv "3\.198" is 3198, and in .*1\.csv "5\.778" is 5\.778: the dec'),
        # No semicolons, so that the reader itself has no doubt about points.
        (UNPROVEN.replace(";", "\t"), PROVEN, r'in .*0\.csv "5\.778" is 5\.778, and in .*1\.csv "3\.198" is 3198'),
        # Whole numbers, of which nothing but the text tells that they were written with points.
        ("a;b;class\n5.000;4;u\n6.000;7;v\n", PROVEN, r'in .*0\.csv "5\.000" is 5, and in .*1\.csv "3\.198" is 3198'),
        ("a\tb\tclass\n5.000\t4\tu\n6\t7\tv\n", PROVEN, r'in .*0\.csv "5\.000" is 5, and in .*1\.csv "3\.198" is 3198'),
        (PROVEN, "a;b;class\n5;4.000;u\n6;7.000;v\n", r'column "b": in .*0\.csv "7,5" is 7\.5, and in .*"4\.000" is 4'),
        # Commas between thousands in the one, decimal commas in the other.
        (
            'a,b,class\n"1,037",4.5,u\n"2,050",1.5,v\n',
            'a,b,class\n"1,037","0,5",u\n"2,050","1,5",v\n',
            "is 1037, and in",
        ),
        ("a;b;class\n1,037 €;4.5;u\n2,050 €;1.5;v\n", "a;b;class\n1,5 €;4;u\n2,5 €;1;v\n", '"1,037 €" is 1037, and in'),
    ],
)
def test_one_column_with_two_decimal_signs_is_refused(first, second, said, tmp_path, here):
    with pytest.raises(DataError, match=said) as refused:
        read_schema(_write(tmp_path, first, second), here)
    assert "write the numbers of all files with the same decimal sign" in refused.value.hint
    with pytest.raises(DataError, match="the decimal signs differ"):
        sample_table(partitioned(tmp_path), 4)


def test_workers_and_new_rows_are_told_too(tmp_path, there):
    source = _write(tmp_path, "a;b;class\n5.000;4;u\n6.000;7;v\n", PROVEN)
    with pytest.raises(DataError, match=r'in .*0\.csv "5\.000" is 5, and in .*1\.csv "3\.198" is 3198'):
        read_schema(source, there)
    model = sepal.KNNClassifier(1).fit(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}), ["u", "v"])
    with pytest.raises(DataError, match="the decimal signs differ"):
        next(predict_partitions(model, partitioned(tmp_path, target=False)))


@pytest.mark.parametrize(
    ("first", "second", "values"),
    [
        (PROVEN, PROVEN, [[3198, 7.5], [4250, 8.5]] * 2),
        (UNPROVEN, UNPROVEN, [[5.778, 4], [6.125, 7]] * 2),
        # Whole numbers are the same with either sign, and other columns have their own.
        (PROVEN, "a;b;class\n5;4;u\n612;7;v\n", [[3198, 7.5], [4250, 8.5], [5, 4], [612, 7]]),
        # The second file has to be looked at again, and the first holds what looks like a hidden point.
        ("a;b;class\n5.000;7,5;u\n", "a;b;class\n5;4;u\n612;7;v\n", [[5000, 7.5], [5, 4], [612, 7]]),
        (
            "a,b,class\n1.5,4,u\n2.5,7,v\n",
            'a,b,class\n1,"0,5",u\n2,"1,5",v\n',
            [[1.5, 4], [2.5, 7], [1, 0.5], [2, 1.5]],
        ),
    ],
)
def test_where_nothing_disagrees_nothing_changes(first, second, values, tmp_path, here):
    schema = read_schema(_write(tmp_path, first, second), here)
    assert [row for part in range(2) for row in schema.table(part).values.tolist()] == values


def test_files_that_leave_no_doubt_may_differ(tmp_path, here):
    points = "a,b,class\n" + "".join(f'"1,03{i}",{i}.5,{"uv"[i % 2]}\n' for i in range(6))
    commas = "a;b;class\n" + "".join(f"1.03{i};{i},5;{'uv'[i % 2]}\n" for i in range(6))
    schema = read_schema(_write(tmp_path, points, commas), here)
    assert [schema.table(part).values.tolist() for part in range(2)] == [[[1030.0 + i, i + 0.5] for i in range(6)]] * 2


def test_a_column_that_is_left_out_may_have_any_sign(tmp_path, here):
    _write(tmp_path, UNPROVEN, PROVEN)
    assert read_schema(partitioned(tmp_path, target="class", drop=["a"]), here).like.names == ("b",)


def test_packed_files_and_other_encodings_are_looked_at_as_well(tmp_path, here):
    (tmp_path / "0.csv.gz").write_bytes(gzip.compress(b"a\tb\tclass\n5.000\t4\tu\n6\t7\tv\n"))
    (tmp_path / "1.csv").write_text(PROVEN, "utf-16")
    with pytest.raises(DataError, match=r'in .*0\.csv\.gz "5\.000" is 5, and in .*1\.csv "3\.198" is 3198'):
        read_schema(partitioned(tmp_path, target="class"), here)
    (tmp_path / "0.csv.gz").write_bytes(b"a\tb\tclass\n5\t4\tu\n6\t7\tv\n")  # not packed, whatever its name says
    assert read_schema(partitioned(tmp_path, target="class"), here).n_rows == 4


def test_numbers_that_are_no_texts_have_no_sign_to_differ_in(tmp_path, here):
    """A point in Parquet or ARFF stands between nothing."""
    pd.DataFrame({"a": [5.778, 6.125], "b": [4.0, 7.0], "class": ["u", "v"]}).to_parquet(tmp_path / "0.parquet")
    arff = (
        "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute class {u,v}\n@data\n5.778,4,u\n6.5,7,v\n"
    )
    schema = read_schema(_write(tmp_path, arff, PROVEN, endings=("arff", "csv")), here)
    assert schema.like.values[:, 0].tolist()[:2] == [5.778, 4250.0]


@pytest.mark.parametrize(
    ("text", "number", "sign"),
    [
        ("3.198", 3198.0, "decimal commas"),
        ("3.198", 3.198, "decimal points"),
        ("1.234,5 €", 1234.5, "decimal commas"),
        ("(1,234)", -1234.0, "decimal points"),
        ("EUR 12.5", 12.5, "decimal points"),
        ("1\u00a0234,5", 1234.5, "decimal commas"),
        ("1,5e3", 1500.0, "decimal commas"),
        ("1.234.567", 1234567.0, "decimal commas"),
        ("12", 12.0, None),
        ("12 %", 12.0, None),
    ],
)
def test_what_a_cell_tells(text, number, sign):
    assert sign_of_cell(text, number) == sign


def test_notes_of_files_are_told_once(tmp_path, here):
    """The cells they give as examples differ from file to file; the first file says it for all."""
    second = "a;b;class\n1.250;2,5;u\n7.125;3,5;v\n"
    schema = read_schema(_write(tmp_path, PROVEN, second, "a;b;class\n1;2;u\n3;3;v\n"), here)
    (first, other) = schema.notes
    assert first.startswith('numbers in column "a" were read without signs between thousands: "4.250" is 4250 (in ')
    assert other.startswith('numbers in column "b" were read without decimal commas: "8,5" is 8.5 (in ')
    assert all(note.endswith("0.csv and 1 more partition)") for note in schema.notes)
    assert [note for note in sepal.separability(partitioned(tmp_path), n_jobs=1).settings.notes if "(in " in note] == [
        first,
        other,
    ]
    assert sample_table(partitioned(tmp_path), 6, n_jobs=1).table.notes[:2] == (first, other)


def test_what_is_true_of_one_file_only_is_not_said_of_all(tmp_path, here):
    schema = read_schema(_write(tmp_path, "a,b,class\n1,,u\n1,2,v\n", "a,b,class\n2,,u\n3,,v\n"), here)
    assert schema.notes == ()


def test_notes_are_the_same_but_for_cells_and_files():
    note = 'numbers in column "{}" were read without decimal commas: "{}" is {}'
    assert same_fact(note.format("x1", "0,5", 0.5)) == same_fact(note.format("x1", "1,25", 1.25) + " (in a.csv)")
    assert same_fact(note.format("x1", "0,5", 0.5)) != same_fact(note.format("x2", "0,5", 0.5))
    odd = 'column "x" is nominal though {} of its 9 values are numbers: line 4 has "n"{}; if these mean missing cells'
    assert same_fact(odd.format(8, "")) == same_fact(odd.format(7, ', line 6 has "k"'))
