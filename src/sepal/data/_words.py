"""Texts as sparse rows: counts of words, weighed by how rare these are, by the vectorizers of scikit-learn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.data._error_words import shown
from sepal.data._table import Table
from sepal.data._text_options import TextOptions
from sepal.exceptions import DataError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_WORD = r"\b\w+\b"


@dataclass(frozen=True, eq=False)
class Words:
    """What was learned from training texts: which words there are, and in how many texts each is.

    Attributes
    ----------
    options : TextOptions
    words : tuple of str
        Sorted; the columns stand for these. Empty where words are hashed.
    rows_with : ndarray of int64
        For each column, the training texts that have it.
    n_rows : int
        The training texts.

    Examples
    --------
    >>> learned = learn_words(["win a prize", "a quiet day"], TextOptions(count="binary", idf=False))
    >>> learned.words
    ('a', 'day', 'prize', 'quiet', 'win')
    >>> learned.rows(["a prize, a prize"]).toarray().tolist()
    [[1.0, 0.0, 1.0, 0.0, 0.0]]
    """

    options: TextOptions
    words: tuple[str, ...]
    rows_with: NDArray[np.int64]
    n_rows: int

    def fits_together(self) -> bool:
        """Whether the parts belong together: a model file may hold anything."""
        n = self.options.hashed or max(len(self.words), 1)
        return (
            self.rows_with.shape == (n,)
            and self.n_rows >= 0
            and bool(np.all((self.rows_with >= 0) & (self.rows_with <= self.n_rows)))
            and len(set(self.words)) == len(self.words)
        )

    @property
    def n_columns(self) -> int:
        """How many columns a row has."""
        return len(self.rows_with)

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called; by number where words are hashed."""
        return self.words or tuple(f"#{j}" for j in range(self.n_columns))

    @property
    def idf(self) -> NDArray[np.float64]:
        """What a word counts by its rareness; 1 each where that was not asked for."""
        if not self.options.idf:
            return np.ones(self.n_columns)
        return np.asarray(np.log((1.0 + self.n_rows) / (1.0 + self.rows_with)) + 1.0)

    def rows(self, texts: Sequence[str]) -> csr_array:
        """Texts as sparse rows, weighed; unknown words are left out."""
        return self.weighed(self.counts(texts))

    def weighed(self, counts: csr_array) -> csr_array:
        """Counts of words as rows; a word that no training text has counts nothing, unless words are hashed."""
        rows = counts.copy()
        if self.options.count == "log":
            rows.data = 1.0 + np.log(rows.data)
        rows.data *= self.idf[rows.indices]
        if self.words and not self.rows_with.all():
            rows.data *= (self.rows_with > 0)[rows.indices]
            rows.eliminate_zeros()
        return rows

    def unit_rows(self, texts: Sequence[str]) -> csr_array:
        """The same, each of length 1; a text without a known word stays empty."""
        return self.unit(self.rows(texts))

    @staticmethod
    def unit(rows: csr_array) -> csr_array:
        """The same rows, each of length 1; an empty one stays empty."""
        rows = rows.copy()
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        rows.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(rows.indptr))
        return rows

    def updated(self, texts: Sequence[str]) -> Words:
        """What is known after further texts: new words stand behind those there were, and rareness follows.

        ``min_rows`` held for the first texts; of the further ones every word counts.
        """
        more = learn_words(texts, replace(self.options, min_rows=1))
        n_rows = self.n_rows + more.n_rows
        if self.options.hashed is not None:
            return Words(self.options, (), self.rows_with + more.rows_with, n_rows)
        count = dict(zip(self.words, self.rows_with.tolist(), strict=False))
        for word, n in zip(more.words, more.rows_with.tolist(), strict=False):
            count[word] = count.get(word, 0) + n
        known = np.array([*count.values()] or [0], dtype=np.int64)
        return Words(self.options, tuple(count), known, n_rows)

    def known_in(self, counts: csr_array) -> Words:
        """What would be known from some of the training texts, given by their counts; the columns stay."""
        rows_with = _rows_with(counts)
        if self.options.hashed is None:
            rows_with = np.where(rows_with >= self.options.min_rows, rows_with, 0)
        return replace(self, rows_with=rows_with, n_rows=counts.shape[0])

    def counts(self, texts: Sequence[str]) -> csr_array:
        """How often each word is in each text."""
        from scipy.sparse import csr_array

        if self.words or self.options.hashed is not None:
            counts = csr_array(self._vectorizer.transform(texts), dtype=np.float64)
            counts.sort_indices()
            return counts
        return csr_array((len(texts), 1), dtype=np.float64)

    @cached_property
    def _vectorizer(self) -> Any:
        if self.options.hashed is not None:
            return _hashing(self.options)
        return _counting(self.options, {word: j for j, word in enumerate(self.words)})


def learn_words(texts: Sequence[str], options: TextOptions | None = None) -> Words:
    """Learn from training texts which words there are and how rare each is.

    Examples
    --------
    >>> learn_words(["one two", "two"]).rows_with.tolist()
    [1, 2]
    """
    options = options or TextOptions()
    if options.hashed is not None:
        return Words(options, (), _rows_with(_hashing(options).transform(texts)), len(texts))
    vectorizer = _counting(options, None)
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError as error:
        if "empty vocabulary" not in str(error):
            raise
        return Words(options, (), np.zeros(1, dtype=np.int64), len(texts))
    rows_with = _rows_with(counts)
    kept = rows_with >= options.min_rows
    words = tuple(str(word) for word in vectorizer.get_feature_names_out()[kept])
    return Words(options, words, rows_with[kept] if words else np.zeros(1, dtype=np.int64), len(texts))


def text_cells(table: Table, column: int) -> list[str]:
    """The texts of a column; a missing one is empty."""
    levels = table.levels[column] or ()
    texts = [*(str(level) for level in levels), ""]
    codes = table.values[:, column]
    return [texts[int(code)] for code in np.where(np.isnan(codes), len(levels), codes)]


def text_columns(table: Table) -> list[int]:
    """Where the columns of texts stand."""
    return [j for j, kind in enumerate(table.kinds) if kind == "text"]


def refuse_texts(table: Table, what: str) -> None:
    """Say that something knows no texts, if there are any.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> refuse_texts(as_table([["to be"], ["or not"]], kinds=["text"]), "the angle is of numbers")
    Traceback (most recent call last):
        ...
    sepal.exceptions.DataError: column "x1" holds texts, and the angle is of numbers
    hint: leave the column out, or give it another kind
    """
    for name, kind in zip(table.names, table.kinds, strict=True):
        if kind == "text":
            raise DataError(
                f"column {shown(name)} holds texts, and {what}", hint="leave the column out, or give it another kind"
            )


def _rows_with(counts: Any) -> NDArray[np.int64]:
    return np.bincount(counts.indices, minlength=counts.shape[1]).astype(np.int64)


def _counting(options: TextOptions, vocabulary: dict[str, int] | None) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer  # late: numbers need none of it

    return CountVectorizer(
        **_analysis(options), stop_words=_stop_words(options), vocabulary=vocabulary, binary=options.count == "binary"
    )


def _hashing(options: TextOptions) -> Any:
    from sklearn.feature_extraction.text import HashingVectorizer

    return HashingVectorizer(
        **_analysis(options),
        stop_words=_stop_words(options),
        n_features=options.hashed,
        binary=options.count == "binary",
        alternate_sign=False,
        norm=None,
    )


def _analysis(options: TextOptions) -> dict[str, Any]:
    words = options.unit == "words"
    return {
        "lowercase": options.lowercase,
        "ngram_range": options.ngrams,
        "analyzer": "word" if words else "char_wb",
        "token_pattern": _WORD if words else None,
    }


def _stop_words(options: TextOptions) -> Any:
    """Stop words as words are read: in small letters, a stop word with a hyphen as its two parts."""
    given = options.stop_words
    if given is None or isinstance(given, str):
        return given
    text = " ".join(given)
    return sorted(set(re.findall(_WORD, text.lower() if options.lowercase else text))) or None
