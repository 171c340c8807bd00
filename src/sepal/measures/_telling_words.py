"""Words that tell the classes apart: how much it says about the class of a text that a word is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import as_table, class_codes, learn_words, text_cells, text_columns
from sepal.exceptions import DataError
from sepal.parameters import Parameter, checked


@dataclass(frozen=True)
class TellingWord:
    """A word and how far it tells the classes apart.

    Attributes
    ----------
    column, word : str
    bits : float
        Mutual information of the class and whether the word is there.
    shares : tuple of float
        Of the texts of each class, the share that has the word; in the order of the classes.

    Examples
    --------
    >>> TellingWord("body", "prize", 0.05, (0.0, 0.11)).word
    'prize'
    """

    column: str
    word: str
    bits: float
    shares: tuple[float, ...]


@checked(Parameter("n_words", "whole", "how many words", at_least=1))
def telling_words(X: Any, y: Any = None, *, n_words: int = 20) -> tuple[TellingWord, ...]:
    """The words that separate the classes best.

    A word is judged by the mutual information of the class and of whether it is in the text, in bits: 0 where it is as
    frequent in every class, and the entropy of the classes where it settles the class. How often it is in a text does
    not matter. The first of many words look better than they are.

    Parameters
    ----------
    X : Table, ndarray or data frame
        With at least one column of texts.
    y : array-like, optional
        The class of each row.
    n_words : int
        How many, the best first; among equals by column and alphabet.

    Returns
    -------
    tuple of TellingWord

    Examples
    --------
    >>> from sepal.data import as_table
    >>> rows = as_table([["win a prize"], ["a day"], ["the prize"], ["a rain"]], ["s", "h", "s", "h"], kinds=["text"])
    >>> telling_words(rows, n_words=1)
    (TellingWord(column='x1', word='prize', bits=1.0, shares=(0.0, 1.0)),)
    """
    table = as_table(X, y)
    columns = text_columns(table)
    if not columns:
        raise DataError("no column holds texts", hint='say so with kinds={"body": "text"}')
    codes, classes = class_codes(table)
    sizes = np.bincount(codes, minlength=len(classes)).astype(np.float64)
    found = []
    for j in columns:
        cells = text_cells(table, j)
        learned = learn_words(cells, table.text_options)
        having = _rows_of_classes(learned.counts(cells), codes, len(classes))
        bits, names = information(having, sizes), learned.names
        for at in sorted(np.argsort(-bits, kind="stable")[: n_words + 1], key=lambda at: (-bits[at], names[at])):
            shares = tuple((having[:, at] / sizes).tolist())
            found.append(TellingWord(table.names[j], names[at], float(bits[at]), shares))
    return tuple(sorted(found, key=lambda each: (-each.bits, each.column, each.word))[:n_words])


def _rows_of_classes(counts: Any, codes: NDArray[np.int32], n_classes: int) -> NDArray[np.float64]:
    """(classes, words): the texts of each class that have each word."""
    having = np.zeros((n_classes, counts.shape[1]))
    np.add.at(having, (np.repeat(codes, np.diff(counts.indptr)), counts.indices), 1.0)
    return having


def information(having: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mutual information in bits, of each word (a column of ``having``) and the class."""
    n = sizes.sum()
    total = np.zeros(having.shape[1])
    for joint in (having, sizes[:, None] - having):
        share = joint.sum(axis=0) / n
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = joint / n * np.log2((joint / n) / (share * (sizes / n)[:, None]))
        total += np.nan_to_num(parts, nan=0.0, posinf=0.0, neginf=0.0).sum(axis=0)
    return np.maximum(total, 0.0)
