"""Distances of rows with texts: by the words in them, beside numbers and names.

One column of texts alone: 1 - cosine of the rows of words. Several, or texts beside other columns: HEOM, in which a
column of texts adds w (1 - cosine) to the squared distance. That is half the squared distance of the two unit vectors:
a text column counts from 0 (the same words) to 1 (no word in common), as any other column does, and the distance stays
a metric. A text without a known word, or a missing one, is at 1 from every other, as a missing cell is in HEOM.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from sepal.data import Kind, ScaleName, SparseRows, Table, Words, learn_words, text_cells, text_columns
from sepal.distances._fitted import FittedDistance
from sepal.distances._named import DISTANCES, check_params, fit_distance
from sepal.distances._weights import column_weights
from sepal.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MIXED_NAMES, ALONE_NAMES = ("auto", "heom"), ("auto", "cosine")


@dataclass(frozen=True, eq=False)
class TextPoints:
    """Rows ready to be compared: ``rows`` of words, of all text columns side by side, and the ``rest`` as coordinates.

    A text is a vector of squared length w / 2; the inner product of two rows is half the weighted sum of their cosines.
    """

    rows: csr_array
    rest: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rest)

    def take(self, at: NDArray[np.signedinteger[Any]] | slice) -> TextPoints:
        """Some of them."""
        return TextPoints(self.rows[at], np.ascontiguousarray(self.rest[at]))


@dataclass(frozen=True, eq=False)
class TextDistance:
    """What was learned from training rows: the words of each text column, and the distance of the other columns.

    ``counts`` and ``metric`` say to readers of a FittedDistance that nothing was learnt from labels and that there are
    no dense coordinates.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> rows = as_table([["to be or not"], ["to be it is"]], kinds=["text"])
    >>> fit_text_distance(rows).name
    'cosine'
    """

    name: str
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    columns: tuple[int, ...]
    words: tuple[Words, ...]
    weights: NDArray[np.float64]  # of the text columns
    rest: FittedDistance | None
    notes: tuple[str, ...] = ()
    counts: None = None
    metric: str = "text"

    def fits_together(self) -> bool:
        """Whether the parts belong to one distance: a model file may hold anything."""
        others = tuple(j for j, kind in enumerate(self.kinds) if kind != "text")
        return (
            len(self.names) == len(self.kinds)
            and 0 < len(self.columns) == len(self.words) == len(self.weights)
            and sorted((*self.columns, *others)) == list(range(len(self.kinds)))
            and bool(np.all(np.isfinite(self.weights) & (self.weights >= 0)))
            and (self.rest is None) == (not others)
            and (self.rest is None or len(self.rest.names) == len(others))
        )

    @property
    def alone(self) -> bool:
        """Whether there is one column of texts and nothing else."""
        return len(self.kinds) == 1

    @property
    def value_is(self) -> str:
        """How far the value that is ranked is from a distance, as in a FittedDistance."""
        return "double" if self.alone else "square"

    def sparse_rows(self, table: Table) -> SparseRows:
        """The rows of words where there is nothing else."""
        self._check(table)
        matrix = self.words[0].rows(text_cells(table, self.columns[0]))
        return SparseRows(matrix, y=table.y, weights=table.weights, target=table.target, class_order=table.class_order)

    def embed(self, table: Table) -> TextPoints:
        """Rows of a table with the columns this distance was fitted on."""
        from scipy.sparse import csr_array, hstack

        self._check(table)
        parts = [
            learned.unit_rows(text_cells(table, j)) * np.sqrt(weight / 2.0)
            for j, learned, weight in zip(self.columns, self.words, self.weights, strict=True)
        ]
        rows = csr_array(parts[0] if len(parts) == 1 else hstack(parts, format="csr"))
        rest = np.zeros((table.n_rows, 0)) if self.rest is None else self.rest.embed(without_texts(table))
        return TextPoints(rows, rest)

    def text_squares(self, queries: TextPoints, points: csr_array) -> NDArray[np.float64]:
        """What the texts add to the squared distances; ``points`` are the rows of words as columns."""
        total = float(self.weights.sum())
        squares = (queries.rows @ points).toarray()
        squares *= -2.0
        squares += total
        squares[squares < 1e-14 * total] = 0.0  # unit vectors of one direction differ by rounding: that is no distance
        return np.asarray(squares)

    def written_out(self, table: Table) -> Table:
        """Rows as plain columns, every word a number, whose unscaled HEOM is this distance.

        For one column of texts alone it is the root of it, which ranks alike. Each text needs a known word.
        """
        points = self.embed(table)
        silent = self._without_a_word(points)
        if silent.any():
            raise DataError(
                f"row {int(np.flatnonzero(silent)[0])}: a text without a word, which cannot be written out as numbers",
                hint="leave such rows out",
            )
        others = table.select([j for j, kind in enumerate(table.kinds) if kind != "text"]) if self.rest else None
        n_words, numeric = points.rows.shape[1], "numeric"
        made = replace(
            table,
            values=points.rows.toarray(),
            names=tuple(f"word {j + 1}" for j in range(n_words)),
            kinds=cast("tuple[Kind, ...]", (numeric,) * n_words),
            levels=(None,) * n_words,
        )
        if others is None or self.rest is None:
            return made
        return replace(
            made,
            values=np.column_stack([made.values, self.rest.scaling.apply(others.values)]),
            names=(*made.names, *others.names),
            kinds=(*made.kinds, *others.kinds),
            levels=(*made.levels, *others.levels),
        )

    def distances(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Ranked values as distances."""
        return values / 2.0 if self.alone else np.sqrt(values)

    def native_values(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distances as what is ranked: the inverse of :meth:`distances`."""
        return distances * 2.0 if self.alone else distances**2

    def compares_nothing(self, points: TextPoints, table: Table) -> NDArray[np.bool_]:
        """Rows that are not at distance 0 from their own copies: with a text of no known word, or a missing cell."""
        found = self._without_a_word(points)
        return found if self.rest is None else found | self.rest.compares_nothing(points.rest)

    def _without_a_word(self, points: TextPoints) -> NDArray[np.bool_]:
        found = np.zeros(len(points), dtype=bool)
        begin = 0
        for learned in self.words:
            inside = points.rows[:, begin : begin + learned.n_columns]
            found |= np.diff(inside.indptr) == 0
            begin += learned.n_columns
        return found

    def parts(self, queries: Table, rows: Table) -> NDArray[np.float64]:
        """(n, n_columns): what each column adds to the squared distance between row i of one table and of the other."""
        x, z = self.embed(queries), self.embed(rows)
        found = np.zeros((len(x), len(self.kinds)))
        begin = 0
        for j, learned, weight in zip(self.columns, self.words, self.weights, strict=True):
            at = slice(begin, begin + learned.n_columns)
            shared = np.asarray(x.rows[:, at].multiply(z.rows[:, at]).sum(axis=1)).ravel()
            found[:, j] = np.maximum(weight - 2.0 * shared, 0.0)
            begin = at.stop
        if self.rest is not None:
            others = [j for j, kind in enumerate(self.kinds) if kind != "text"]
            found[:, others] = self.rest.parts(without_texts(queries), without_texts(rows))
        return found

    def shared_words(self, queries: Table, rows: Table, most: int = 10) -> list[list[tuple[str, str, float]]]:
        """Words that row i of one table and of the other have in common: column, word, share in their cosine.

        The largest first. Words that were hashed have numbers for names.
        """
        found: list[list[tuple[str, str, float]]] = [[] for _ in range(queries.n_rows)]
        for j, learned in zip(self.columns, self.words, strict=True):
            names = learned.names
            own, theirs = (learned.unit_rows(text_cells(table, j)) for table in (queries, rows))
            both = csr_array_of(own.multiply(theirs))
            for i, listed in enumerate(found):
                at = slice(both.indptr[i], both.indptr[i + 1])
                pairs = zip(both.indices[at].tolist(), both.data[at].tolist(), strict=True)
                listed += [(self.names[j], names[word], value) for word, value in pairs]
        return [sorted(listed, key=lambda each: (-each[2], each[0], each[1]))[:most] for listed in found]

    def _check(self, table: Table) -> None:
        if table.kinds != self.kinds:
            raise DataError(
                f"the distance was fitted on columns of the kinds {', '.join(self.kinds)}, the rows to compare have "
                f"{', '.join(table.kinds)}"
            )


def csr_array_of(rows: Any) -> csr_array:
    """Sparse rows of any form as rows."""
    from scipy.sparse import csr_array

    return csr_array(rows)


def without_texts(table: Table) -> Table:
    """The other columns of a table."""
    return table.select([j for j, kind in enumerate(table.kinds) if kind != "text"])


def fit_text_distance(
    table: Table, distance: str = "auto", *, scale: ScaleName | None = None, params: Mapping[str, Any] | None = None
) -> TextDistance:
    """Learn the words of each text column, and fit HEOM to the others.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> rows = as_table([["red wine", 1.0], ["white wine", 3.0]], kinds=["text", "numeric"])
    >>> fit_text_distance(rows, scale="minmax").parts(rows.take([0]), rows.take([1])).round(3).tolist()
    [[0.664, 1.0]]
    """
    columns = text_columns(table)
    alone = table.n_columns == 1
    names = ALONE_NAMES if alone else MIXED_NAMES
    if distance not in names:
        raise ParameterError(
            f"distance must be {' or '.join(names)} where column {table.names[columns[0]]!r} holds texts; "
            f"got {distance!r}",
            hint="leave the column out, or give it another kind",
        )
    name = "cosine" if alone else "heom"
    check_params(DISTANCES[name], params or {})
    weights = column_weights(table, params or {})
    others = [j for j in range(table.n_columns) if j not in columns]
    rest = None
    if others:
        own = weights[others]
        silenced = not np.any(own > 0)  # which is no distance by itself, but beside texts it is
        used = None if np.all(own == 1.0) or silenced else {"weights": own}
        rest = fit_distance(without_texts(table), "heom", scale=scale, params=used)
        rest = replace(rest, factors=np.zeros(len(own))) if silenced else rest
    learned = tuple(learn_words(text_cells(table, j), table.text_options) for j in columns)
    notes = () if rest is None else rest.notes
    silent = [table.names[j] for j, words in zip(columns, learned, strict=True) if not words.rows_with.any()]
    if silent:
        notes = (*notes, f"texts without a word, which contribute nothing: {', '.join(map(repr, silent))}")
    return TextDistance(name, table.names, table.kinds, tuple(columns), learned, weights[columns], rest, notes)
