"""Rows with texts are chosen by the distances that loops give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sepal
from sepal.exceptions import DataError
from sepal.prototypes import METHODS, hart
from tests.neighbors.test_text_search import expected
from tests.texts import drawn_texts


@pytest.mark.parametrize("mixed", [False, True])
def test_what_is_kept_answers_all_rows(mixed: bool) -> None:
    table = drawn_texts(60, told=0.3, mixed=mixed)
    kept = hart(table).rows
    distances = expected("mixed" if mixed else "text", table, 60)[:, kept]
    labels = np.asarray(table.y)
    near = distances <= distances.min(axis=1, keepdims=True) * (1 + 1e-12)
    assert all(set(labels[kept][row]) == {label} for row, label in zip(near, labels, strict=True))
    assert len(kept) < 60
    model = sepal.KNNClassifier(1, prototypes="hart").fit(table)
    assert model.score(table) == 1.0


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"ib3"}))  # which keeps nothing of so few rows
def test_every_method_takes_texts(name: str) -> None:
    table = drawn_texts(90, told=0.5, mixed=True)
    assert 0 < len(METHODS[name](table).rows) <= 90


def test_a_text_without_a_word_is_named() -> None:
    table = drawn_texts(20)
    values = table.values.copy()
    values[3] = np.nan
    with pytest.raises(DataError, match="row 3: a text without a word"):
        hart(replace(table, values=values))
