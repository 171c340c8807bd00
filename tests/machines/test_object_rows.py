"""A function as kernel compares rows that form no table: texts, sets, sequences of several lengths."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from sepal.estimators import save_model
from sepal.exceptions import DataError, ParameterError
from sepal.machines import KernelAdatronClassifier, SVMClassifier

WORDS = ["A A", "A", "B", "B B", "A B A", "A A A", "B A B", "B B B B"]
LABELS = np.array(["a", "a", "b", "b", "a", "a", "b", "b"])


def counts(texts):
    return np.array([[text.count("A"), text.count("B")] for text in texts], dtype=float)


def by_letters(one, other):
    return counts(one) @ counts(other).T


def by_sum(one, other):
    return np.outer([sum(row) for row in one], [sum(row) for row in other])


@pytest.mark.parametrize("machine", [SVMClassifier, KernelAdatronClassifier])
@pytest.mark.parametrize("container", [list, tuple, np.array, pd.Series, lambda rows: np.array(rows, dtype=object)])
def test_texts_are_answered_as_their_counts_are(machine, container):
    by_text = machine(kernel=by_letters, tol=1e-9).fit(container(WORDS), LABELS)
    by_count = machine(kernel="linear", scale=None, tol=1e-9).fit(counts(WORDS), LABELS)
    new = ["B A A", "A", "B B A B"]
    np.testing.assert_allclose(
        by_text.decision_function(container(new)), by_count.decision_function(counts(new)), atol=1e-6
    )
    assert by_text.predict(new).tolist() == by_count.predict(counts(new)).tolist()
    assert by_text.score(container(WORDS), LABELS) == by_count.score(counts(WORDS), LABELS)
    assert by_text.support_vectors_.tolist() == [WORDS[i] for i in by_text.support_]
    assert not hasattr(by_text, "n_features_in_")


def test_rows_of_weight_0_are_absent_and_others_count_as_copies():
    weight = np.array([0.0, 1.0, 2.0, 1.0, 1.0, 1.0, 0.0, 1.0])
    by_text = SVMClassifier(kernel=by_letters, tol=1e-9).fit(WORDS, LABELS, weight)
    by_count = SVMClassifier(kernel="linear", scale=None, tol=1e-9).fit(counts(WORDS), LABELS, weight)
    np.testing.assert_allclose(by_text.decision_function(WORDS), by_count.decision_function(counts(WORDS)), atol=1e-6)
    assert not {0, 6} & set(by_text.support_.tolist())


def test_sequences_of_several_lengths_sets_and_objects_are_rows():
    sequences = [[1, 2], [3], [-1, -1, -1], [-4]]
    found = SVMClassifier(kernel=by_sum).fit(sequences, [1, 1, 0, 0])
    assert found.predict([[5, 5, 5, 5], (-2,)]).tolist() == [1, 0]
    sets = [{1, 2}, {1}, {7}, {7, 8}]
    common = SVMClassifier(kernel=lambda a, b: np.array([[len(x & z) for z in b] for x in a])).fit(sets, [0, 0, 1, 1])
    assert common.predict([{1, 9}, {7, 9}]).tolist() == [0, 1]


def test_a_table_of_numbers_is_still_a_table_and_a_list_of_numbers_is_none():
    table = SVMClassifier(kernel=lambda a, b: a @ b.T, scale=None).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    assert table.n_features_in_ == 2
    for rows in ([1.0, 2.0, 3.0], np.array([1, 2, 3])):
        with pytest.raises(ValueError, match="Expected 2D array"):
            SVMClassifier(kernel=by_sum).fit(rows, [0, 1, 1])
    again = table.set_params(kernel=by_sum).fit([[1], [2, 3], [-4], [-5]], [1, 1, 0, 0])
    assert not hasattr(again, "n_features_in_")  # those of the earlier fit are gone
    with pytest.raises(DataError, match="one for each row"):
        again.predict([[1.0, 2.0], [3.0, 4.0]])


def test_choices_probabilities_and_copies_of_the_machine():
    words, labels = WORDS * 5, np.tile(LABELS, 5)
    chosen = SVMClassifier(C="auto", kernel=by_letters, probability=True).fit(words, labels)
    assert chosen.C_search_.best == chosen.C_
    assert np.array_equal(chosen.classes_[chosen.predict_proba(words).argmax(axis=1)], chosen.predict(words))
    by_groups = SVMClassifier(C="auto", kernel=by_letters).fit(words, labels, groups=np.arange(40) // 8)
    assert by_groups.predict(["B B"]).tolist() == ["b"]
    assert cross_val_score(SVMClassifier(kernel=by_letters), words, labels, cv=4).mean() > 0.9
    copy = pickle.loads(pickle.dumps(chosen))  # noqa: S301
    assert np.array_equal(copy.decision_function(words), chosen.decision_function(words))
    assert clone(chosen).kernel is by_letters


def test_what_does_not_fit_together_is_said(tmp_path):
    with pytest.raises(DataError, match="expected a matrix of shape"):
        SVMClassifier(kernel=lambda a, b: np.ones((1, 1))).fit(WORDS, LABELS)
    with pytest.raises(DataError, match="7"):
        SVMClassifier(kernel=by_letters).fit(WORDS, LABELS[:-1])
    with pytest.raises(DataError, match="nominal"):  # texts without a function to compare them
        SVMClassifier().fit([["a", "b"], ["c", "d"]], [0, 1])
    with pytest.raises(ParameterError, match="a function cannot be written"):
        save_model(SVMClassifier(kernel=by_letters).fit(WORDS, LABELS), tmp_path / "model")
