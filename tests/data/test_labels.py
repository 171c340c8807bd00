"""Labels to class codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sepal.data import as_table, class_codes
from sepal.data._text_codes import coded_packed_texts
from sepal.exceptions import DataError


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "b", "c"],
        np.array(["b", "a", "b", "c"], dtype=object),
        pd.Series(["b", "a", "b", "c"]),
        pl.Series(["b", "a", "b", "c"]),
        [2, 1, 2, 3],
        [2.0, 1.0, 2.0, 3.0],
        np.array([20, 10, 20, 30], dtype=np.uint8),
        np.array(["2002", "2001", "2002", "2003"], dtype="datetime64[Y]"),
    ],
)
def test_sorted_classes(y: Any) -> None:
    codes, classes = class_codes(y)
    assert codes.dtype == np.int32
    assert codes.tolist() == [1, 0, 1, 2]
    assert classes[codes].tolist() == np.asarray(y).tolist()


def test_booleans() -> None:
    codes, classes = class_codes([True, False, True])
    assert (codes.tolist(), classes.tolist()) == ([1, 0, 1], [False, True])


def test_declared_order_is_kept_and_absent_classes_are_left_out() -> None:
    y = pd.Series(pd.Categorical(["low", "high", "low"], categories=["low", "middle", "high"]))
    for data in (y, as_table([[1], [2], [3]], y)):
        codes, classes = class_codes(data)
        assert (codes.tolist(), classes.tolist()) == ([0, 1, 0], ["low", "high"])


def test_declared_order_survives_taking_rows() -> None:
    table = as_table([[1], [2], [3]], pd.Series(pd.Categorical(["z", "a", "z"], categories=["z", "a"])))
    codes, classes = class_codes(table.take([1, 2]))
    assert (codes.tolist(), classes.tolist()) == ([1, 0], ["z", "a"])


def test_few_distinct_fractions_are_labels() -> None:
    codes, classes = class_codes([0.5, 1.5] * 10)
    assert classes.tolist() == [0.5, 1.5]
    assert codes.tolist() == [0, 1] * 10


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (None, "there is no target"),
        (as_table([[1.0], [2.0]]), "there is no target"),
        (["x"] * 20, r'only one class, "x", in all 20 rows'),
        (
            as_table([[1.0], [2.0]], pd.Series([7, 7], name="kind")),
            'target "kind": .* only one class, 7, in all 2 rows',
        ),
        ([], "expected at least two classes, found no label"),
        (["a", None], "row 1: expected a label, found a missing value"),
        (
            np.linspace(0, 1, 30),
            "continuous.* 30 distinct numbers in 30 rows(.|\n)*to predict numbers use KNNRegressor",
        ),
        (np.repeat(np.linspace(0, 1, 21), 10), "continuous"),
        ([0.5, 1.5, 2.5], "continuous"),
        (np.array([(1, 2), "a"], dtype=object), "labels of one type"),
    ],
)
def test_refused(data: Any, text: str) -> None:
    with pytest.raises(DataError, match=text):
        class_codes(data)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.uint8, np.uint64])
def test_whole_numbers_up_to_the_ends_of_their_type(dtype: Any) -> None:
    """However the distinct numbers are found: the smallest and largest of a type, close together or far apart."""
    ends = np.iinfo(dtype)
    low, high = int(ends.min), int(ends.max)
    for wanted in ([low, low + 2, low + 3], [high - 3, high], [low, high]):
        y = np.array([wanted[i % len(wanted)] for i in range(300)], dtype=dtype)
        codes, classes = class_codes(y)
        assert classes.tolist() == wanted
        assert classes.dtype == dtype
        assert codes.tolist() == [i % len(wanted) for i in range(300)]


class _Own(str):
    """A text of a type derived from Python's own."""


def _words(seed: int, n: int) -> list[str]:
    """Texts of many lengths and letters, some of them alike but for one place, most of them more than once."""
    rng = np.random.default_rng(seed)
    letters = ["a", "b", "é", "ß", "中", "\U0001f33c", "\0", " "]
    distinct = ["", "x" * 40, "x" * 39 + "y", "y" + "x" * 39] + [
        "".join(rng.choice(letters, size=int(length))) + "." for length in rng.integers(0, 30, 150)
    ]
    return [distinct[i] for i in rng.integers(0, len(distinct), n)]


@pytest.mark.parametrize("seed", range(3))
def test_texts_are_coded_as_a_loop_over_sorted_texts_does(seed: int) -> None:
    words = _words(seed, 3_000)
    levels = sorted(set(words))
    wanted = [levels.index(word) for word in words]
    shared = {word: word for word in words}
    forms: dict[str, Any] = {
        "list": words,
        "tuple": tuple(words),
        "objects": np.array([word[:1] + word[1:] for word in words], dtype=object),
        "one object each": np.array([shared[word] for word in words], dtype=object),
        "every other cell": np.array([w for word in words for w in (word, None)], dtype=object)[::2],
        "derived": [_Own(word) for word in words],
        "pandas objects": pd.Series(words, dtype=object),
        "pandas": pd.Series(words),
        "pandas with gaps declared": pd.Series(words, dtype="string"),
        "part of a column": pd.Series(["z", *words, "z"]).iloc[1:-1],
        "arrow": pa.chunked_array([words]),
        "arrow, short offsets": pa.chunked_array([pa.array(["z", *words], type=pa.string()).slice(1)]),
        "arrow in parts": pa.chunked_array([words[:7], words[7:]], type=pa.large_string()),
        "polars": pl.Series(words),
        "polars in parts": pl.concat([pl.Series(words[:7]), pl.Series(words[7:])], rechunk=False),
        "part of a polars series": pl.Series(["z", *words, "z"])[1:-1],
    }
    for name, labels in forms.items():
        for data in (labels, as_table(np.arange(len(words))[:, None], labels)):
            codes, classes = class_codes(data)
            assert (codes.tolist(), classes.tolist()) == (wanted, levels), name
            assert codes.dtype == np.int32


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("longest", [1, 2, 3, 8, 9])
def test_texts_of_one_width(longest: int, order: str) -> None:
    rng = np.random.default_rng(longest)
    y = np.array(["".join(rng.choice(["a", "b", "ü"], size=longest)) for _ in range(500)], dtype=f"{order}U{longest}")
    for labels in (y, np.repeat(y, 2)[::2]):
        codes, classes = class_codes(labels)
        assert classes.dtype == y.dtype
        assert classes.tolist() == sorted(set(y.tolist()))
        assert classes[codes].tolist() == y.tolist()


def test_half_of_a_surrogate_pair_is_a_text() -> None:
    codes, classes = class_codes(["a", "\ud800", "a"])
    assert (codes.tolist(), classes.tolist()) == ([0, 1, 0], ["a", "\ud800"])


@pytest.mark.parametrize("gap", [None, float("nan"), pd.NA, pd.NaT])
def test_a_gap_among_texts_is_found_wherever_they_are_held(gap: Any) -> None:
    cells = ["b", "a", gap, "b"]
    forms = [cells, np.array(cells, dtype=object), pd.Series(cells, dtype=object)]
    forms += [pa.chunked_array([["b", "a", None, "b"]]), pd.Series(["b", "a", None, "b"])]
    forms += [pd.Series(["b", "a", None, "b"], dtype="string"), pl.Series(["b", "a", None, "b"])]
    for labels in forms:
        with pytest.raises(DataError, match=r"y, row 2: expected a label, found a missing value \(NaN\); 1 of 4"):
            class_codes(labels)


def test_texts_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import sepal.data._text_codes as text_codes

    looks: list[str] = []

    class Watched:
        def __getattr__(self, name: str) -> Any:
            looks.append(name)
            return getattr(native, name)

    native = text_codes._native
    monkeypatch.setattr(text_codes, "_native", Watched())
    words = ["b", "a", "b", "c"]
    by_arrow = pd.Series(words, dtype=pd.StringDtype("pyarrow"))
    forms = (words, np.array(words, dtype=object), np.array(words), by_arrow, pl.Series(words))
    for labels in forms:
        looks.clear()
        table = as_table([[1.0], [2.0], [3.0], [4.0]], labels)
        for _ in range(2):
            assert class_codes(table)[0].tolist() == [1, 0, 1, 2]
        assert len(looks) == 1, type(labels)
        assert class_codes(table.take([3, 0]))[0].tolist() == [1, 0]


def test_the_codes_of_a_table_cannot_be_changed_from_outside() -> None:
    table = as_table([[1.0], [2.0]], ["b", "a"])
    codes, classes = class_codes(table)
    codes[:], classes[:] = 7, "z"
    again = class_codes(table)
    assert (again[0].tolist(), again[1].tolist()) == ([1, 0], ["a", "b"])


def test_no_texts_but_empty_ones() -> None:
    for labels in (pd.Series(["", ""]), pa.chunked_array([["", ""]]), ["", ""]):
        with pytest.raises(DataError, match='only one class, "", in all 2 rows'):
            class_codes(labels)


def test_texts_that_do_not_lie_one_after_the_other_are_refused() -> None:
    """A frame may come from anywhere, and nothing beyond its bytes may be read."""
    cells = np.frombuffer(b"abc", dtype=np.uint8)
    for starts in ([0, 2, 1], [0, 4], [-1, 2], [5, 6]):
        with pytest.raises(ValueError, match="one after the other"):
            coded_packed_texts(np.array(starts), cells)
    assert coded_packed_texts(np.array([0, 1]), np.frombuffer(b"\xff", dtype=np.uint8)) is None
