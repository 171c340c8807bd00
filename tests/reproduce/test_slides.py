"""The sums of D. Greene's slides on nearest-neighbour classifiers (UCD COMP30120, 2015), by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sepal import datasets
from sepal.plots import styled
from sepal.reproduce import EXPERIMENTS
from sepal.reproduce._e7_mail import _stream, _word_shares
from tests.oracles.weka_folds import weka_folds


def facts(result):
    return {fact.name: fact for fact in result.facts}


@pytest.fixture(scope="module")
def found():
    return {key: EXPERIMENTS[key].run(quick=True) for key in EXPERIMENTS if key.startswith("E")}


def test_athletes(found):
    by = facts(found["E1"])
    assert [by[f"answer of {k} nearest"].ours for k in (1, 3, 5)] == ["no"] * 3
    assert by["distance of athlete 4"].ours == pytest.approx(np.hypot(0.25, 0.25))
    assert by["distance of athlete 5"].ours == pytest.approx(np.hypot(0.25, 0.5))
    assert by["distance of athlete 2"].ours == 0.75
    assert by["Manhattan distances of the nearest three"].ours == "0.50, 0.75, 0.75"
    assert by["Thornton's index of the athletes"].ours == 1.0


def test_distances(found):
    by = facts(found["E2"])
    assert by["absolute differences of (60, 62) and (70, 53)"].ours == 19
    assert by["Euclidean distance"].ours == pytest.approx(np.sqrt(181))
    assert by["largest difference of a normalised age"].ours == pytest.approx(0)
    assert by["1 - cosine from (1, 0) to (0, 1)"].ours == pytest.approx(1)
    assert [fact.difference == pytest.approx(0, abs=0.005) for fact in found["E2"].facts[:4]] == [True] * 4


def test_noise(found):
    result = found["E3"]
    one, fifteen, all_of_them = (fact.ours for fact in result.facts)
    assert 0.1 < one < 0.3
    assert fifteen < 0.05
    assert 0.25 < all_of_them < 0.35


def test_condensing(found):
    by = facts(found["E4"])
    assert by["different sets from random orders"].ours > 10
    assert by["different sets by enemy order, rows shuffled"].ours == 1
    assert by["training rows classified rightly by the kept ones"].ours == 1.0
    assert [len(kept) for kept in found["E4"].data["random"]] == found["E4"].data["sizes"].tolist()
    assert len(found["E4"].data["sizes"]) == 20


def test_words(found):
    by = facts(found["E5"])
    assert by["bigrams of a sentence of six words"].difference == 0
    assert by["cosine of the slide's two vectors"].ours == pytest.approx(0.5)
    assert by["cosine of the first two texts, words"].ours == pytest.approx(4 / np.sqrt(5 * 4))
    assert by["cosine of the first two texts, bigrams"].ours == pytest.approx(3 / 5)
    assert by["cosine of the first and the last text, words"].ours == pytest.approx(3 / np.sqrt(5 * 3))


def test_weka_block(found):
    result = found["E6"]
    assert facts(result)["always the largest class"].ours == pytest.approx(100 * 9 / 14)
    assert [list(fold) for fold in EXPERIMENTS["E6"].code._FOLDS] == weka_folds(datasets.load("weather").y.tolist())
    assert np.asarray(result.data["confusion"]["1-NN"]).tolist() == [[2, 3], [3, 6]]  # as Weka 3.9.7 prints it
    assert facts(result)["1-NN, Weka's folds: rows that are right"].difference == 0
    assert facts(result)["3-NN, Weka's folds: rows that are right"].published == 9
    block = [row[0] for row in result.tables[0].rows]
    assert any(line.startswith("Correctly Classified Instances") for line in block)
    assert any(line.startswith("Kappa statistic") for line in block)


def test_a_filter_while_spam_changes(found):
    by = {fact.name: fact.ours for fact in found["E7"].facts}
    assert by["best possible"] < min(value for name, value in by.items() if name != "best possible")
    assert by["stopped after the first wave"] > 2 * by["error of the filter"]
    assert by["k-NN with all messages"] > by["k-NN with the last 150"]
    first, *later = (float(cell) for cell in found["E7"].tables[0].rows[5][1:])
    assert found["E7"].tables[0].rows[5][0] == "the filter, stopped after the first wave"
    assert first < 20
    assert min(later) > 35  # a coin would have 50


def test_the_best_possible_filter_knows_the_law_of_the_stream():
    shares = _word_shares(2)
    assert shares.sum(axis=1) == pytest.approx(1)
    counts, spam, odds = _stream(60, 2, seed=1)
    for i in (0, 29, 30, 59):
        wave = 1 if i < 30 else 2
        by_hand = 0.0
        for word, n in enumerate(counts[i]):
            for _ in range(n):
                by_hand += np.log(max(shares[wave][word], 1e-12) / max(shares[0][word], 1e-12))
        assert odds[i] == pytest.approx(by_hand)
    assert 20 < spam.sum() < 40


@pytest.mark.parametrize("key", [key for key in EXPERIMENTS if key.startswith("E")])
def test_pictures_have_words(found, key):
    figure = styled(EXPERIMENTS[key].draw)(found[key])
    for ax in figure.axes:
        assert ax.get_title(loc="left") or ax.get_xlabel()
