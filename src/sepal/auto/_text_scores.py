"""Texts for the average: a linear machine on the words turns them into one number per class.

The numbers of the training rows come from machines that did not see the row, its copies or its group: ten folds, the
classes in their proportions, and in each words, rareness and machine from the other folds only. The members of the
average then learn from these numbers beside the other columns. The machine is the squared hinge with a ridge (a linear
support vector machine), one class against the others; the strength of the ridge is chosen by the log-loss of the
left-out rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from sepal.auto._judging import ClassJudge
from sepal.auto._nested import fold_numbers
from sepal.data import Kind, Table, Words, learn_words, text_cells, text_columns

Array = NDArray[np.float64]
Positions = NDArray[np.intp]
PENALTIES = (0.3, 1.0, 3.0, 10.0)  # what a row on the wrong side costs, beside the squared length of the slopes
_TOLERANCE = 1e-4
_ROUNDS = 1000


@dataclass(frozen=True, eq=False)
class TextScores:
    """What was learned from texts.

    Attributes
    ----------
    columns : tuple of int
        The text columns.
    words : tuple of Words
        Of each of them.
    slopes : ndarray, shape (words of all columns, outputs)
    offsets : ndarray, shape (outputs,)
    names : tuple of str
        What the outputs are called; for two classes there is one, positive for the second.
    penalty : float
        The one that was chosen.
    """

    columns: tuple[int, ...]
    words: tuple[Words, ...]
    slopes: Array
    offsets: Array
    names: tuple[str, ...]
    penalty: float

    def fits_together(self) -> bool:
        """Whether the parts belong together: a model file may hold anything."""
        n = sum(each.n_columns for each in self.words)
        return (
            0 < len(self.columns) == len(self.words)
            and self.slopes.shape == (n, len(self.names))
            and self.offsets.shape == (len(self.names),)
            and bool(np.isfinite(self.slopes).all() and np.isfinite(self.offsets).all())
        )

    def numbers(self, table: Table) -> Table:
        """The table with scores in place of texts."""
        rows = _side_by_side([w.unit_rows(text_cells(table, j)) for j, w in zip(self.columns, self.words, strict=True)])
        return with_scores(table, np.asarray(rows @ self.slopes) + self.offsets, self.names)

    def told(self, table: Table, output: int, sign: float) -> list[tuple[str, float]]:
        """Words of the only row of a table, and what each adds to an output (times ``sign``), the largest first."""
        rows = _side_by_side([w.unit_rows(text_cells(table, j)) for j, w in zip(self.columns, self.words, strict=True)])
        names = [name for each in self.words for name in each.names]
        parts = sign * rows.data * self.slopes[rows.indices, output]
        order = sorted(range(len(parts)), key=lambda i: (-abs(parts[i]), names[rows.indices[i]]))
        return [(names[rows.indices[i]], float(parts[i])) for i in order]


def with_scores(table: Table, scores: Array, names: tuple[str, ...]) -> Table:
    """The table without its texts, with columns of numbers behind the others."""
    kept = [j for j, kind in enumerate(table.kinds) if kind != "text"]
    numeric: Kind = "numeric"
    return replace(
        table,
        values=np.column_stack([table.values[:, kept], scores]),
        names=(*(table.names[j] for j in kept), *names),
        kinds=(*(table.kinds[j] for j in kept), *(numeric,) * len(names)),
        levels=(*(table.levels[j] for j in kept), *(None,) * len(names)),
    )


def fit_text_scores(
    table: Table, judge: ClassJudge, order: Positions, classes: NDArray[Any], step: Callable[[float], None]
) -> tuple[TextScores, Table]:
    """Learn from all rows, and the table of training rows with scores by machines that did not see the row.

    ``order`` is a random order of the rows, the classes well mixed, in which they are dealt to the folds; ``step`` is
    told the share that is done.
    """
    columns = text_columns(table)
    learned = [learn_words(text_cells(table, j), table.text_options) for j in columns]
    counts = [words.counts(text_cells(table, j)) for words, j in zip(learned, columns, strict=True)]
    fold_of = fold_numbers(judge.groups, order)
    n_outputs = 1 if len(classes) == 2 else len(classes)
    tried = np.zeros((len(PENALTIES), table.n_rows, n_outputs))
    n_folds = int(fold_of.max()) + 1
    for fold in range(n_folds):
        rest, aside = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        words = [each.known_in(count[rest]) for each, count in zip(learned, counts, strict=True)]
        rows = _side_by_side([w.unit(w.weighed(count)) for w, count in zip(words, counts, strict=True)])
        for place, penalty in enumerate(PENALTIES):
            slopes, offsets = _machine(rows[rest], judge.codes[rest], _part(judge.mass, rest), n_outputs, penalty)
            tried[place, aside] = np.asarray(rows[aside] @ slopes) + offsets
        step((fold + 1.0) / (n_folds + 1.0))
    best = _best(tried, judge)
    rows = _side_by_side([w.unit(w.weighed(count)) for w, count in zip(learned, counts, strict=True)])
    slopes, offsets = _machine(rows, judge.codes, judge.mass, n_outputs, PENALTIES[best])
    names = _names(table, columns, classes)
    found = TextScores(tuple(columns), tuple(learned), slopes, offsets, names, PENALTIES[best])
    return found, with_scores(table, tried[best], names)


def _best(tried: Array, judge: ClassJudge) -> int:
    """The penalty of the least log-loss after the best temperature."""
    decisions = np.concatenate([-tried, tried], axis=2) / 2.0 if tried.shape[2] == 1 else tried
    return int(judge.criteria(decisions)[:, judge.names.index("log_loss")].argmin())


def _machine(
    rows: csr_array, codes: NDArray[np.int32], mass: Array | None, n_outputs: int, penalty: float
) -> tuple[Array, Array]:
    """Slopes and offsets, one class against the others."""
    from sklearn.svm import LinearSVC

    slopes, offsets = np.zeros((rows.shape[1], n_outputs)), np.zeros(n_outputs)
    for output in range(n_outputs):
        target = codes == (1 if n_outputs == 1 else output)
        if target.all() or not target.any():
            offsets[output] = 1.0 if target.all() else -1.0
            continue
        machine = LinearSVC(C=penalty, dual=False, tol=_TOLERANCE, max_iter=_ROUNDS)
        machine.fit(rows, target, sample_weight=mass)
        slopes[:, output], offsets[output] = machine.coef_[0], machine.intercept_[0]
    return slopes, offsets


def _side_by_side(parts: list[csr_array]) -> csr_array:
    return csr_array(parts[0] if len(parts) == 1 else hstack(parts, format="csr"))


def _part(mass: Array | None, rows: Positions) -> Array | None:
    return None if mass is None else mass[rows]


def _names(table: Table, columns: list[int], classes: NDArray[Any]) -> tuple[str, ...]:
    """What the scores are called, unlike any column there is."""
    what = table.names[columns[0]] if len(columns) == 1 else "words"
    labels = classes[1:] if len(classes) == 2 else classes
    found: list[str] = []
    for label in labels.tolist():
        name = f"{what}: {label}"
        while name in table.names or name in found:
            name += "'"
        found.append(name)
    return tuple(found)
