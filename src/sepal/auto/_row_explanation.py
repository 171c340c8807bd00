"""Why single rows are answered as they are: what each member says, which columns decide, who the neighbours are."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sepal.auto._average import Average, probable
from sepal.data import Table, data_frame, row_cells, text_columns
from sepal.learners import KNNClassifier, NeighborExplanation

if TYPE_CHECKING:
    from sepal.auto._classifier import SepalClassifier

Array = NDArray[np.float64]
NEIGHBORS = 5
_MOST_BACKGROUND, _BACKGROUND_CELLS = 20, 4_000  # training rows that lend a column, and such rows for all columns
_MOST_SHOWN = 5
_MOST_WORDS = 8


@dataclass(frozen=True, eq=False)
class RowExplanation:
    """What :meth:`SepalClassifier.explain` says of given rows.

    Attributes
    ----------
    predicted : (n_rows,) array
        The answers.
    classes : (n_classes,) array
    probabilities : (n_rows, n_classes) array
    members : dict of str to (n_rows, n_classes) array
        The probabilities of each member, before they are averaged and calibrated.
    weights : dict of str to float
        The weight of each member in the average.
    names : tuple of str
        The columns.
    effects : (n_rows, n_columns) array
        How much probability of the answer is lost, on average, if the cell is replaced by that of another training
        row: positive where the column speaks for the answer, negative where it speaks against it.
    values : tuple of dict
        The cells of each row.
    neighbors : NeighborExplanation
        The five nearest training rows (of at most 4,000 that are kept) with their distances; ``rows`` are positions in
        what was given to ``fit``. They inform, and have no vote of their own.
    words : tuple of tuple of (str, float)
        Of each row the words of its texts, and what each adds to the score of the answer, the largest first.
    """

    predicted: NDArray[Any]
    classes: NDArray[Any]
    probabilities: Array
    members: dict[str, Array]
    weights: dict[str, float]
    names: tuple[str, ...]
    effects: Array
    values: tuple[dict[str, Any], ...]
    neighbors: NeighborExplanation
    words: tuple[tuple[tuple[str, float], ...], ...] = ()

    def frame(self) -> Any:
        """One line per row and column: the cell, and its effect on the probability of the answer."""
        return data_frame(
            [
                {"row": i, "predicted": self.predicted[i], "column": name, "value": cell, "effect": effect}
                for i, cells in enumerate(self.values)
                for (name, cell), effect in zip(cells.items(), self.effects[i].tolist(), strict=True)
            ]
        )

    def text(self, row: int = 0) -> str:
        """One answer in words."""
        at = int(np.flatnonzero(self.classes == self.predicted[row])[0])
        sure = ", ".join(f"{c} {p:.1%}" for c, p in zip(self.classes.tolist(), self.probabilities[row], strict=True))
        said = ", ".join(
            f"{name} {answer[row, at]:.1%} (weight {self.weights[name]:.2f})" for name, answer in self.members.items()
        )
        order = np.argsort(-np.abs(self.effects[row]), kind="stable")[:_MOST_SHOWN]
        cells = list(self.values[row].items())
        decided = ", ".join(f"{cells[j][0]} {_shown(cells[j][1])} ({100 * self.effects[row, j]:+.1f})" for j in order)
        near = self.neighbors
        entries = range(int(near.start[row]), min(int(near.start[row + 1]), int(near.start[row]) + NEIGHBORS))
        rows = ", ".join(f"{near.rows[e]} ({near.labels[e]}) at {near.distances[e]:.3g}" for e in entries)
        return "\n".join(
            [
                f"{self.predicted[row]}: {sure}",
                f"  members say {self.predicted[row]}: {said}",
                f"  columns, in points of probability: {decided}",
                *self._words_text(row),
                f"  nearest training rows, counted from 0: {rows}",
            ]
        )

    def _words_text(self, row: int) -> list[str]:
        if not self.words:
            return []
        told = ", ".join(f"{word} ({part:+.2f})" for word, part in self.words[row][:_MOST_WORDS])
        return [f"  words, for {self.predicted[row]}: {told or 'none that is known'}"]

    def __str__(self) -> str:
        n = len(self.predicted)
        shown = "\n".join(self.text(row) for row in range(min(n, _MOST_SHOWN)))
        return shown if n <= _MOST_SHOWN else f"{shown}\n... and {n - _MOST_SHOWN} more"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _shown(cell: Any) -> str:
    if cell is None:
        return "missing"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def explain_rows(model: SepalClassifier, table: Table) -> RowExplanation:
    """The explanation of new rows, which were read as the training rows were."""
    decisions = model._decisions_of(table)
    probabilities, chosen = model._probabilities(decisions), decisions.argmax(axis=1)
    inner = model._members_rows(table)
    members, weights = _members(model.average_, inner)
    near = KNNClassifier(min(NEIGHBORS, model.sample_.n_rows - 1), n_jobs=model.n_jobs).fit(model.sample_)
    found = near.explain(table)
    found = replace(found, rows=model.sample_rows_[found.rows], other_row=model.sample_rows_[found.other_row])
    return RowExplanation(
        predicted=np.asarray(model.classes_[chosen]),
        classes=model.classes_,
        probabilities=probabilities,
        members=members,
        weights=weights,
        names=table.names,
        effects=_effects(model, table, chosen),
        values=tuple(row_cells(table, i) for i in range(table.n_rows)),
        neighbors=found,
        words=_words(model, table, chosen),
    )


def _words(model: SepalClassifier, table: Table, chosen: NDArray[np.intp]) -> tuple[tuple[tuple[str, float], ...], ...]:
    """What the words of each row add to the score of its answer."""
    if model.texts_ is None:
        return ()
    ordered, two = table.select(model.column_order_.tolist()), len(model.classes_) == 2
    return tuple(
        tuple(model.texts_.told(ordered.take([i]), 0 if two else int(at), 1.0 if at == 1 or not two else -1.0))
        for i, at in enumerate(chosen)
    )


def _members(average: Average, table: Table) -> tuple[dict[str, Array], dict[str, float]]:
    """The answers of the members, and their weights; the kernels share one weight alike."""
    answers, weights = {}, {}
    for kernel in average.kernels:
        if average.weights[0] > 0.0:
            answers[kernel.name] = probable(kernel.decisions(table), average.temperature)
            weights[kernel.name] = float(average.weights[0]) / len(average.kernels)
    for member, weight in zip(average.others, average.weights[1:].tolist(), strict=True):
        if weight > 0.0:
            answers[member.name] = np.asarray(member.decisions(table, 1))
            weights[member.name] = weight
    return answers, weights


def _effects(model: SepalClassifier, table: Table, chosen: NDArray[np.intp]) -> Array:
    """For each row and column the mean loss of the answer's probability if another row lends the cell."""
    n, p = table.n_rows, table.n_columns
    most = int(np.clip(_BACKGROUND_CELLS // p, 1, _MOST_BACKGROUND))
    kept = model.sample_.values
    lenders = kept[np.unique(np.linspace(0, len(kept) - 1, most).astype(np.intp))]
    levels = list(table.levels)
    for j in text_columns(table):  # lent texts stand behind the own ones
        own_levels, their_levels = table.levels[j] or (), model.sample_.levels[j] or ()
        lenders, levels[j] = lenders.copy(), (*own_levels, *their_levels)
        lenders[:, j] += len(own_levels)
    effects = np.empty((n, p))
    for i in range(n):
        own = np.repeat(table.values[[i]], len(lenders) * p + 1, axis=0)
        for j in range(p):
            own[j * len(lenders) : (j + 1) * len(lenders), j] = lenders[:, j]
        asked = Table(own, table.names, table.kinds, tuple(levels), text_options=table.text_options)
        share = model._probabilities(model._decisions_of(asked))[:, chosen[i]]
        effects[i] = share[-1] - share[:-1].reshape(p, len(lenders)).mean(axis=1)
    return effects
