"""The classifier without choices on texts, alone and beside other columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sepal import KNNClassifier, SepalClassifier
from sepal.auto import SepalRegressor
from sepal.data import as_table, learn_words, text_cells
from sepal.estimators import load_model, save_model
from sepal.exceptions import DataError
from tests.texts import drawn_texts


@pytest.mark.parametrize("mixed", [False, True])
def test_it_learns_from_words(mixed: bool, tmp_path: Path) -> None:
    table = drawn_texts(200, mixed=mixed)
    training, test = table.take(np.arange(150)), table.take(np.arange(150, 200))
    model = SepalClassifier(n_jobs=1).fit(training)
    assert model.score(test) >= 0.9  # a third is spam
    shares = model.predict_proba(test)
    again = load_model(save_model(model, tmp_path / "model.sepal"))
    assert np.array_equal(again.predict_proba(test), shares)
    assert np.array_equal(again.predict_proba(test.frame("pandas")), shares)
    assert model.explain().baselines


def test_neither_the_order_of_rows_nor_of_columns_matters() -> None:
    table = drawn_texts(90, mixed=True)
    shares = SepalClassifier(n_jobs=1).fit(table).predict_proba(table)
    order = np.random.default_rng(1).permutation(90)
    cells = [[table.frame("pandas").iloc[i, j] for j in (2, 0, 1)] for i in order]
    shuffled = as_table(
        cells, np.asarray(table.y)[order], kinds=["nominal", "text", "numeric"], names=["colour", "body", "length"]
    )
    again = SepalClassifier(n_jobs=1).fit(shuffled).predict_proba(shuffled)
    assert again == pytest.approx(shares[order], abs=1e-9)


def test_scores_of_training_rows_do_not_know_their_labels() -> None:
    """Labels that words say nothing about: what is claimed for further rows is what guessing gives."""
    claimed = []
    for seed in range(4):
        table = drawn_texts(150, seed=seed, told=0.0)
        claimed.append(SepalClassifier(n_jobs=1).fit(table).leave_one_out_score_)
    assert np.mean(claimed) <= 2 / 3 + 0.03  # always "ham"


def test_a_fold_knows_the_words_of_the_others_only() -> None:
    table = drawn_texts(30)
    cells = text_cells(table, 0)
    learned = learn_words(cells)
    counts = learned.counts(cells)
    rest = np.arange(20)
    known = learned.known_in(counts[rest])
    alone = learn_words(cells[:20])
    places = [learned.words.index(word) for word in alone.words]
    found = known.unit(known.weighed(counts)).toarray()
    assert found[:, places] == pytest.approx(alone.unit_rows(cells).toarray(), abs=1e-15)
    assert not np.delete(found, places, axis=1).any()


def test_words_explain_an_answer() -> None:
    table = drawn_texts(150)
    model = SepalClassifier(n_jobs=1).fit(table)
    asked = as_table([["free prize of the day"]], kinds=["text"], names=["body"])
    found = model.explain(asked)
    assert found.predicted.tolist() == ["spam"]
    words = dict(found.words[0])
    assert set(words) == {"free", "prize", "of", "the", "day"}
    assert words["free"] > 0 > words["day"]
    assert "words, for spam:" in found.text()
    assert "free" in found.text()


def test_neighbours_name_the_words_they_share() -> None:
    table = as_table(
        [["win a prize now", 1.0], ["a quiet day", 2.0], ["prize of the day", 1.0], ["rain and bread", 3.0]],
        ["spam", "ham", "spam", "ham"],
        kinds=["text", "numeric"],
    )
    found = KNNClassifier(2).fit(table).explain(as_table([["win the prize", 1.0]], kinds=["text", "numeric"]))
    assert found.rows.tolist() == [0, 2]
    assert [set(each) for each in found.words] == [{"win", "prize"}, {"the", "prize"}]
    assert "shared words: win, prize" in found.text()


def test_numbers_are_not_learned_from_texts() -> None:
    with pytest.raises(DataError, match='column "body" holds texts, and numbers are learned from numbers and names'):
        SepalRegressor().fit(drawn_texts(30), np.arange(30.0))


def test_texts_alone_are_answered_in_the_order_of_their_scores() -> None:
    """Kernels and trees on the scores of one linear machine blurred the order of the rows, and 1 - AUC was larger."""
    table = drawn_texts(220)
    training, test = table.take(np.arange(160)), table.take(np.arange(160, 220))
    model = SepalClassifier(n_jobs=1).fit(training)
    assert [line.name for line in model.trace_.members if line.weight > 0.0] == ["linear"]
    scores = model.texts_.numbers(test).values[:, 0]
    shares = model.predict_proba(test)[:, 1]
    assert np.array_equal(np.argsort(scores, kind="stable"), np.argsort(shares, kind="stable"))
    beside = SepalClassifier(n_jobs=1).fit(drawn_texts(220, mixed=True))
    assert sum(line.weight > 0.0 for line in beside.trace_.members) > 1
