"""Why an answer is what it is: the neighbours, how far each column puts them, and how close the vote was."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sepal.data import data_frame, plural
from sepal.neighbors import recall_told
from sepal.parameters import check_whole


@dataclass(frozen=True, eq=False, kw_only=True)
class ListedNeighbors(ABC):
    """The neighbours behind each answer, whatever is answered.

    Attributes
    ----------
    start : (n_queries + 1,) array
        The neighbours of query i are entries ``start[i]:start[i+1]`` of the arrays below, nearest first.
    rows, labels, distances : arrays
        Training rows (positions in what was given to ``fit``), their classes or targets, their distances.
    shares : array
        How much of the vote each neighbour has; adds up to 1 per query.
    parts : (n_entries, n_columns) array
        How much of the distance each column makes, as shares of it; zeros at distance 0. Where a distance is not a sum
        over columns (precomputed) there are none and it has no columns. Of sparse rows only the columns that differ.
    names : tuple of str
        The columns.
    notes : tuple of str
        The recall, where neighbours are approximate.
    words : tuple of tuple of str
        Of each neighbour the words it shares with the query, those first that make them most similar; () without texts.
    """

    predicted: NDArray[Any]
    start: NDArray[np.int64]
    rows: NDArray[np.intp]
    labels: NDArray[Any]
    distances: NDArray[np.float64]
    shares: NDArray[np.float64]
    parts: NDArray[np.float64]
    names: tuple[str, ...]
    words: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def recall(self) -> float | None:
        """Share of the neighbours that an approximate search finds; None where all are found."""
        return recall_told(self.notes)

    @property
    def n_queries(self) -> int:
        """How many rows were asked about."""
        return len(self.predicted)

    def frame(self) -> Any:
        """One line per query and neighbour, with the share of the distance by column."""
        query = np.repeat(np.arange(self.n_queries), np.diff(self.start))
        columns: dict[str, Any] = {
            "query": query,
            "predicted": self.predicted[query],
            "rank": np.arange(len(query)) - self.start[query] + 1,
            "row": self.rows,
            self._label: self.labels,
            "distance": self.distances,
            "share": self.shares,
        }
        for j, name in enumerate(self.names):
            columns[f"by {name}"] = self.parts[:, j]
        return data_frame(columns)

    _label: ClassVar[str] = "class"

    @abstractmethod
    def text(self, query: int = 0, most: int = 10) -> str:
        """One answer in words."""

    def _check_asked(self, query: int, most: int) -> None:
        check_whole("query", query, at_least=-len(self.predicted), at_most=len(self.predicted) - 1)
        check_whole("most", most, at_least=0)

    def _neighbor_lines(self, query: int, most: int) -> list[str]:
        lines = []
        for entry in range(int(self.start[query]), int(min(self.start[query + 1], self.start[query] + most))):
            order = np.argsort(-self.parts[entry], kind="stable")[:3]
            by = ", ".join(f"{self.names[j]} {self.parts[entry, j]:.0%}" for j in order if self.parts[entry, j] > 0)
            lines.append(
                f"  row {self.rows[entry]} ({self.labels[entry]}) at {self.distances[entry]:.4g}"
                f", share {self.shares[entry]:.3f}" + (f": {by}" if by else "") + self._words_of(entry)
            )
        return lines

    def _words_of(self, entry: int) -> str:
        if not self.words:
            return ""
        return f"; shared words: {', '.join(self.words[entry])}" if self.words[entry] else "; no word shared"

    def __str__(self) -> str:
        shown = "\n".join(self.text(query) for query in range(min(self.n_queries, 5)))
        more = "" if self.n_queries <= 5 else f"\n... and {self.n_queries - 5} more"
        return shown + more + "".join(f"\n{note}" for note in self.notes)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def plot(self, query: int = 0, ax: Any = None) -> Any:
        """The neighbours of one query as bars, split by column."""
        from sepal.plots import draw_split_bars

        at = np.arange(self.start[query], self.start[query + 1])
        lengths = self.parts[at] * self.distances[at, None]
        bars = [f"row {self.rows[e]} ({self.labels[e]})" for e in at]
        return draw_split_bars(lengths, bars, self.names, xlabel="distance", title=f"{self.predicted[query]}", ax=ax)


@dataclass(frozen=True, eq=False, kw_only=True)
class NeighborExplanation(ListedNeighbors):
    """The neighbours behind each class that was answered.

    Attributes
    ----------
    predicted : (n_queries,) array
        The answers.
    classes : (n_classes,) array
    votes : (n_queries, n_classes) array
        Share of each class in the vote.
    start, rows, labels, distances, shares, parts, names, words, notes
        The neighbours: those of query i are entries ``start[i]:start[i+1]``, nearest first, with their positions among
        the rows given to ``fit``, classes, distances, shares of the vote (1 in all) and the share of each column in
        the distance. Where a distance is not a sum over columns (precomputed) there are no columns; of sparse rows
        only those that differ are there. ``words`` are those that a neighbour shares with the query; () without texts.
    runner_up : (n_queries,) array
        The class with the second largest vote.
    margin : (n_queries,) array
        How far the winner is ahead of the runner-up, in shares of the vote.
    flips : (n_queries,) array of int
        How many of the winner's neighbours, the weightiest first, would have to change to the runner-up for the two to
        be equal: 1 is a close call.
    other_row, other_label, other_distance : (n_queries,) arrays
        The nearest training row of any class but the predicted one.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> found = sepal.KNNClassifier(3).fit(table).explain(table.take([0]))
    >>> print(found.text())
    no: votes no 1.000, yes 0.000; ahead of yes by 1.000, undone by 2 changed neighbours
      row 0 (no) at 0, share 0.333
      row 2 (no) at 0.07775, share 0.333: agility 74%, speed 26%
      row 6 (no) at 0.1887, share 0.333: speed 72%, agility 28%
      nearest of another class: row 14 (yes) at 0.3615
    """

    classes: NDArray[Any]
    votes: NDArray[np.float64]
    runner_up: NDArray[Any]
    margin: NDArray[np.float64]
    flips: NDArray[np.intp]
    other_row: NDArray[np.intp]
    other_label: NDArray[Any]
    other_distance: NDArray[np.float64]

    def text(self, query: int = 0, most: int = 10) -> str:
        """One answer in words."""
        self._check_asked(query, most)
        votes = ", ".join(f"{c} {v:.3f}" for c, v in zip(self.classes.tolist(), self.votes[query], strict=True))
        ahead = f"ahead of {self.runner_up[query]} by {self.margin[query]:.3f}"
        undone = f"undone by {self.flips[query]} changed {plural(self.flips[query], 'neighbour')}"
        head = f"{self.predicted[query]}: votes {votes}; {ahead}, {undone}"
        other = f"row {self.other_row[query]} ({self.other_label[query]}) at {self.other_distance[query]:.4g}"
        return "\n".join([head, *self._neighbor_lines(query, most), f"  nearest of another class: {other}"])


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberExplanation(ListedNeighbors):
    """The neighbours behind each number that was answered.

    Attributes
    ----------
    predicted, std : (n_queries,) arrays
        The answers, and the weighted standard deviation of the neighbours' targets.
    aggregate : str
        What the targets became: their mean, their median, or the value of a line.
    contributions : array
        Of each neighbour, what it adds to a mean: its share times its target; they add up to the answer for
        ``aggregate="mean"``.
    start, rows, labels, distances, shares, parts, names, words, notes
        The neighbours, as in :class:`NeighborExplanation`; labels are their targets.

    Examples
    --------
    >>> from sepal.learners import KNNRegressor
    >>> model = KNNRegressor(2).fit([[0.0], [1.0], [2.0], [9.0]], [0.0, 1.0, 2.0, 9.0])
    >>> print(model.explain([[0.4]]).text())
    0.5: mean of 2 neighbours, spread 0.5
      row 0 (0.0) at 0.04444, share 0.500: x1 100%
      row 1 (1.0) at 0.06667, share 0.500: x1 100%
    """

    std: NDArray[np.float64]
    aggregate: str

    _label: ClassVar[str] = "target"

    @property
    def contributions(self) -> NDArray[np.float64]:
        """Share times target."""
        return np.asarray(self.shares * self.labels)

    def text(self, query: int = 0, most: int = 10) -> str:
        """One answer in words."""
        self._check_asked(query, most)
        n = int(self.start[query + 1] - self.start[query])
        head = f"{self.predicted[query]:.6g}: {self.aggregate} of {n} neighbours, spread {self.std[query]:.4g}"
        return "\n".join([head, *self._neighbor_lines(query, most)])


def flips_needed(
    shares: NDArray[np.float64], for_winner: NDArray[np.bool_], start: NDArray[np.int64], margin: NDArray[np.float64]
) -> NDArray[np.intp]:
    """The fewest neighbours of the winner whose change to the runner-up closes the margin; each change counts twice."""
    found = np.zeros(len(margin), dtype=np.intp)
    for query in range(len(margin)):
        at = slice(int(start[query]), int(start[query + 1]))
        closing = np.cumsum(np.sort(2.0 * shares[at][for_winner[at]])[::-1])
        found[query] = int(np.searchsorted(closing, margin[query] - 1e-12)) + 1 if margin[query] > 1e-12 else 0
    return found
