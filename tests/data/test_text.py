"""Columns of texts: which they are, and the words in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer, TfidfVectorizer

import sepal
from sepal.data import TextOptions, as_table, learn_words, match_table, read_table, refuse_texts, text_cells
from sepal.exceptions import DataError, ParameterError
from tests.oracles import text as oracle

TRAINING = [
    "Win a prize, WIN it now!",
    "a quiet day at the river",
    "the river and the sea: naïve Tränen",
    "",
    "now or never now now",
]
NEW = ["the prize of the unknown", "win win win", "nothing known here", "Now, at the sea; a prize"]
STOP = ("the", "a", "and")
WORD = r"\b\w+\b"


@pytest.mark.parametrize("idf", [True, False])
@pytest.mark.parametrize("count", ["log", "count", "binary"])
@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 3)])
@pytest.mark.parametrize("stop", [None, STOP])
def test_rows_of_words(ngrams: Any, count: Any, idf: bool, stop: Any) -> None:
    learned = learn_words(TRAINING, TextOptions(ngrams=ngrams, count=count, idf=idf, stop_words=stop))
    training = [oracle.words(text, *ngrams, stop or ()) for text in TRAINING]
    assert learned.words == tuple(sorted({word for text in training for word in text}))
    check_rows(learned, training, [oracle.words(text, *ngrams, stop or ()) for text in NEW], count, idf)


def test_rows_of_letters() -> None:
    learned = learn_words(TRAINING, TextOptions(unit="characters", ngrams=(2, 4)))
    training = [oracle.letters(text, 2, 4) for text in TRAINING]
    assert learned.words == tuple(sorted({unit for text in training for unit in text}))
    check_rows(learned, training, [oracle.letters(text, 2, 4) for text in NEW], "log", True)


def check_rows(learned: Any, training: list[list[str]], new: list[list[str]], count: str, idf: bool) -> None:
    found = learned.rows(NEW).toarray()
    for row, units in zip(found, new, strict=True):
        wanted = oracle.weighed(units, training, count, idf)
        got = {word: value for word, value in zip(learned.words, row.tolist(), strict=True) if value}
        assert got == pytest.approx(wanted, rel=1e-13)
    lengths = np.linalg.norm(learned.unit_rows(NEW).toarray(), axis=1)
    assert lengths == pytest.approx([1.0 if row.any() else 0.0 for row in found], abs=1e-15)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stop_words": "english"},
        {"stop_words": STOP},
        *({"ngrams": (low, high)} for low in (1, 2, 3) for high in (1, 2, 3) if low <= high),
        {"unit": "characters", "ngrams": (1, 3)},
        {"unit": "characters", "ngrams": (3, 5), "count": "binary"},
        {"min_rows": 2},
        {"min_rows": 3, "ngrams": (1, 2)},
        {"count": "count"},
        {"count": "binary"},
        {"count": "count", "idf": False},
        {"count": "log", "idf": False},
        {"lowercase": False},
    ],
    ids=str,
)
def test_every_option_is_that_of_scikit_learn(options: dict[str, Any]) -> None:
    """Plain ``TfidfVectorizer`` with the words for the same options; texts of the founding kind, cut at random."""
    rng = np.random.default_rng(11)
    words = ["The", "river", "And", "a", "prize", "NOW", "free-of", "charge:", "naïve", "Tränen,", "it's", "24", "the"]
    texts = [" ".join(rng.choice(words, size=rng.integers(1, 12))) for _ in range(60)]
    training, new = texts[:40], texts[40:]
    said = TextOptions(**options)
    plain = TfidfVectorizer(
        analyzer="word" if said.unit == "words" else "char_wb",
        token_pattern=WORD if said.unit == "words" else None,
        ngram_range=said.ngrams,
        stop_words=list(said.stop_words) if isinstance(said.stop_words, tuple) else said.stop_words,
        min_df=said.min_rows,
        binary=said.count == "binary",
        sublinear_tf=said.count == "log",
        use_idf=said.idf,
        lowercase=said.lowercase,
        norm="l2",
    ).fit(training)
    learned = learn_words(training, said)
    assert learned.words == tuple(plain.get_feature_names_out())
    for given in (training, new):  # rareness is frozen: new texts do not change it
        assert learned.unit_rows(given).toarray() == pytest.approx(plain.transform(given).toarray(), abs=1e-13)
    hashed = learn_words(training, replace(said, hashed=2**18, min_rows=1))
    counted = HashingVectorizer(
        analyzer=plain.analyzer, token_pattern=plain.token_pattern, ngram_range=said.ngrams, n_features=2**18,
        stop_words=plain.stop_words, binary=plain.binary, lowercase=plain.lowercase, alternate_sign=False, norm=None,
    )  # fmt: skip
    weigher = TfidfTransformer(use_idf=said.idf, sublinear_tf=said.count == "log").fit(counted.transform(training))
    found, wanted = hashed.unit_rows(new), weigher.transform(counted.transform(new))
    assert abs(found - csr_array(wanted)).max() < 1e-13
    if said.min_rows == 1:  # rareness that is updated is that of all texts at once
        later, at_once = learned.updated(new), plain.fit(texts)
        places = [later.words.index(word) for word in at_once.get_feature_names_out()]
        assert later.unit_rows(new).toarray()[:, places] == pytest.approx(at_once.transform(new).toarray(), abs=1e-13)


def test_words_and_their_rareness_are_those_of_the_training_rows_of_a_fold() -> None:
    """Answers of every fold are those of a vectorizer that saw its training rows only; one that saw all differs."""
    rng = np.random.default_rng(2)
    words = np.array([f"w{i}" for i in range(60)])
    labels = np.arange(90) % 2
    texts = [
        " ".join(rng.choice(words[label * 12 : label * 12 + 46], size=5)) + f" only{i // 2}"
        for i, label in enumerate(labels.tolist())
    ]
    table = as_table([[text] for text in texts], labels, names=["body"], kinds=["text"])
    found = sepal.evaluate(sepal.KNNClassifier(1), table, cv=5, random_state=0)

    def shares(leaking: bool) -> list[float]:
        told = []
        for row, fold in zip(found.rows, found.fold, strict=True):
            training = found.rows[found.fold != fold]
            seen = [texts[i] for i in (range(90) if leaking else training)]
            made = TfidfVectorizer(token_pattern=WORD, sublinear_tf=True).fit(seen)
            near = (made.transform([texts[i] for i in training]) @ made.transform([texts[row]]).T).toarray().ravel()
            best = near >= near.max() - 1e-12
            told.append(float(np.mean(labels[training][best] == 1)))
        return told

    assert found.share[:, 1] == pytest.approx(shares(leaking=False), abs=1e-12)
    assert np.abs(found.share[:, 1] - shares(leaking=True)).max() > 0.4


def test_rare_words_may_be_left_out() -> None:
    learned = learn_words(TRAINING, TextOptions(min_rows=2))
    assert learned.words == ("a", "now", "river", "the")
    assert learned.rows_with.tolist() == [2, 2, 2, 2]


def test_hashed_words_count_as_others_do() -> None:
    plain, hashed = learn_words(TRAINING), learn_words(TRAINING, TextOptions(hashed=2**16))
    assert (hashed.words, hashed.n_columns) == ((), 2**16)
    x, z = plain.unit_rows(TRAINING), hashed.unit_rows(TRAINING)
    assert (z @ z.T).toarray() == pytest.approx((x @ x.T).toarray(), abs=1e-12)  # no two words share a column


def test_english_stop_words() -> None:
    assert learn_words(["the river and I"], TextOptions(stop_words="english")).words == ("river",)


def test_what_is_learned_later_counts_as_if_it_had_been_there() -> None:
    first, all_at_once = learn_words(TRAINING[:2]), learn_words(TRAINING)
    later = first.updated(TRAINING[2:])
    assert sorted(later.words) == list(all_at_once.words)
    assert later.n_rows == all_at_once.n_rows
    places = [later.words.index(word) for word in all_at_once.words]
    assert np.array_equal(later.rows(NEW).toarray()[:, places], all_at_once.rows(NEW).toarray())


def test_texts_without_a_word() -> None:
    learned = learn_words(["", "...", "!"])
    assert learned.rows(["a word", ""]).toarray().tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"ngrams": (1, 4)}, "two integers from 1 to 3"),
        ({"ngrams": (2, 1)}, "two integers"),
        ({"unit": "characters", "ngrams": (3, 9)}, "from 1 to 8"),
        ({"unit": "characters", "stop_words": "english"}, "no meaning for characters"),
        ({"stop_words": "german"}, "stop_words must be"),
        ({"stop_words": (1, 2)}, "expected words"),
        ({"count": "tf"}, "count must be"),
        ({"min_rows": 0}, "min_rows must be"),
        ({"hashed": 1}, "hashed must be"),
    ],
)
def test_options_that_mean_nothing(given: dict[str, Any], text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        TextOptions(**given)


def rows_of(texts: list[str]) -> str:
    return "body,x,class\n" + "".join(f'"{text}",{i * i % 7},{"ab"[i % 2]}\n' for i, text in enumerate(texts))


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        (lambda i: f"dear number {i}, we write to you once more", "text"),
        (lambda i: f"dear number {i % 25}, we write to you once more", None),  # few different ones: levels
        (lambda i: f"Person {i}", None),
        (lambda i: f"Mr. A. B. {i}", None),
        (lambda i: "yes" if i % 3 else "no", "nominal"),
    ],
)
def test_texts_are_recognised(tmp_path: Any, cell: Any, kind: str | None) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(rows_of([cell(i) for i in range(60)]))
    table = read_table(file)
    read = dict(zip(table.names, table.kinds, strict=True))
    assert read.get("body") == ("nominal" if kind is None and cell(0) == cell(25) else kind)
    assert [each.code for each in table.cautions if each.columns == ("body",)] == (
        ["text"] if kind == "text" else ["set_apart_text"] if cell(0).startswith("Mr") else
        ["set_apart_identifier"] if cell(0).startswith("Person") else []
    )  # fmt: skip


def test_texts_are_recognised_in_memory_too() -> None:
    texts = [f"dear number {i}, we write to you once more" for i in range(40)]
    cells = [[text, float(i)] for i, text in enumerate(texts)]
    table = as_table(cells)
    assert table.kinds == ("text", "numeric")
    assert text_cells(table.take([3]), 0) == texts[3:4]
    assert as_table(table.frame("pandas")).kinds == table.kinds
    assert as_table(table.frame("polars")).kinds == table.kinds
    assert as_table(cells, kinds={0: "nominal"}).kinds == ("nominal", "numeric")


def test_options_stay_with_the_table() -> None:
    options = TextOptions(ngrams=(1, 2))
    table = as_table([["to be", "or"], [None, "not"]], kinds=[options, "text"])
    assert (table.kinds, table.text_options) == (("text", "text"), options)
    assert table.take([0]).select([1]).text_options == options
    assert text_cells(table, 0) == ["to be", ""]
    with pytest.raises(ParameterError, match="read alike"):
        as_table([["a", "b"]], kinds=[options, TextOptions(idf=False)])


def test_new_texts_keep_their_own() -> None:
    training = as_table([["to be", 1.0], ["or not", 2.0]], kinds=["text", "numeric"])
    new = match_table([["what else", 3.0], ["to be", 4.0]], training)
    assert (new.kinds, text_cells(new, 0)) == (training.kinds, ["what else", "to be"])
    named = as_table([["red", 1.0], ["blue", 2.0]])
    assert match_table(as_table([["red", 1.0]], kinds=["text", "numeric"]), named).values.tolist() == [[1.0, 1.0]]


def test_who_knows_no_texts_says_so() -> None:
    table = as_table([["to be"], ["or not"]], kinds=["text"])
    with pytest.raises(DataError, match='column "x1" holds texts, and this is for numbers'):
        refuse_texts(table, "this is for numbers")
