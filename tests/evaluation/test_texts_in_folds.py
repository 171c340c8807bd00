"""Words and their rareness come from the training rows of a fold, and from nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from sepal import KNNClassifier
from sepal.data import text_cells
from sepal.evaluation import evaluate
from tests.texts import drawn_texts

WORD = r"(?u)\b\w+\b"


def test_cross_validation_learns_the_words_anew_in_every_fold() -> None:
    table = drawn_texts(80)
    found = evaluate(KNNClassifier(5, weights="class_similarity"), table, cv=5, n_jobs=1)
    texts, y = np.asarray(text_cells(table, 0), dtype=object), np.asarray(table.y)
    back = np.argsort(found.rows)
    fold, shares = np.asarray(found.fold)[back], np.asarray(found.share)[back]
    expected, leaking = np.zeros((80, 2)), np.zeros((80, 2))
    for number in np.unique(fold):
        training, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        for answers, seen in ((expected, texts[training]), (leaking, texts)):
            reader = TfidfVectorizer(sublinear_tf=True, token_pattern=WORD).fit(seen)
            similar = (reader.transform(texts[test]) @ reader.transform(texts[training]).T).toarray()
            sums = [np.sort(similar[:, y[training] == label])[:, -5:].sum(axis=1) for label in found.classes]
            answers[test] = np.column_stack(sums) / np.sum(sums, axis=0)[:, None]
    assert shares == pytest.approx(expected, abs=1e-9)
    assert np.abs(leaking - expected).max() > 1e-3  # words of the test rows would have been seen


def test_a_model_does_not_change_with_what_it_is_asked() -> None:
    table = drawn_texts(60)
    model = KNNClassifier(3).fit(table.take(np.arange(40)))
    alone = [model.predict_proba(table.take(np.array([i])))[0] for i in range(40, 60)]
    assert np.asarray(alone) == pytest.approx(model.predict_proba(table.take(np.arange(40, 60))), abs=0.0)
