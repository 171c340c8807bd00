"""Measures of texts, and the words that tell classes apart."""

from __future__ import annotations

import numpy as np
import pytest

import sepal
from sepal.data import as_table, text_cells
from sepal.exceptions import DataError
from sepal.measures import angle_of_separability, expected_accuracy, suspects, telling_words
from tests.oracles import text as oracle
from tests.texts import drawn_texts


def test_the_words_that_tell_most() -> None:
    table = drawn_texts(90)
    texts = [oracle.words(text) for text in text_cells(table, 0)]
    labels = [str(label) for label in table.y]
    known = sorted({word for text in texts for word in text})
    wanted = sorted(known, key=lambda word: (-oracle.word_information(texts, labels, word), word))
    found = telling_words(table, n_words=12)
    assert [each.bits for each in found] == pytest.approx(
        [oracle.word_information(texts, labels, word) for word in wanted[:12]], abs=1e-12
    )
    for each in found:
        assert each.bits == pytest.approx(oracle.word_information(texts, labels, each.word), abs=1e-12)
        having = [np.mean([each.word in text for text, own in zip(texts, labels, strict=True) if own == label])
                  for label in ("ham", "spam")]  # fmt: skip
        assert each.shares == pytest.approx(tuple(having), abs=1e-12)
    with pytest.raises(DataError, match="no column holds texts"):
        telling_words([[1.0], [2.0]], ["a", "b"])


@pytest.mark.parametrize("mixed", [False, True])
def test_measures_and_reports(mixed: bool) -> None:
    table = drawn_texts(60, mixed=mixed)
    ready = sepal.prepare(table)
    score = sepal.thornton_score(ready)
    assert score == _nearest_agree(table)
    assert sepal.thornton_test(ready).p_value < 0.01
    assert 0.5 < expected_accuracy(ready, train_size=30) <= 1.0
    order = np.random.default_rng(0).permutation(60)
    assert sepal.thornton_score(table.take(order)) == score
    assert {row.row for row in suspects(ready).rows} <= set(range(60))
    report = sepal.separability(table)
    assert report.thornton.score == score
    assert report.words[0].word == telling_words(table)[0].word
    assert report.model is not None
    assert "Words that separate the classes" in report.to_text()
    assert report.words[0].word in report.to_html()
    assert report.skipped["angle"] == 'column "body" holds texts, and this measure is of numbers and names'


def _nearest_agree(table: sepal.Table) -> float:
    """Thornton's index by loops; ties count by their share."""
    from tests.neighbors.test_text_search import expected

    distances = expected("text" if table.n_columns == 1 else "mixed", table, table.n_rows)
    np.fill_diagonal(distances, np.inf)
    labels = np.asarray(table.y)
    nearest = distances <= distances.min(axis=1, keepdims=True) * (1 + 1e-12)
    return float(np.mean([np.mean(labels[row] == label) for row, label in zip(nearest, labels, strict=True)]))


def test_the_angle_is_of_numbers() -> None:
    table = as_table([["to be"], ["or not"], ["what else"]], ["a", "b", "b"], kinds=["text"])
    with pytest.raises(DataError, match='column "x1" holds texts'):
        angle_of_separability(table)
