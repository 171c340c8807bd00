"""What a method kept, and how good that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import data_frame
from sepal.exceptions import DataError
from sepal.prototypes._cases import Cases
from sepal.prototypes._condense import CaseMetric, Kept

# Under these metrics rows that differ can be at distance 0: by a gap, or in a column without weight.
_ZERO_FOR_UNEQUAL = frozenset({"nan_l2", "mixed"})


@dataclass(frozen=True, eq=False)
class Round:
    """One sweep, round or pass: which rows it added or removed, in that order, and how many were kept after it.

    Attributes
    ----------
    added_rows, removed_rows : array of int
        Positions in what was given.
    n_kept : int
        Rows kept when it was over.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.prototypes import hart
    >>> [each.n_kept for each in hart(table).history]
    [5]
    """

    added_rows: NDArray[np.intp]
    removed_rows: NDArray[np.intp]
    n_kept: int


@dataclass(frozen=True, eq=False, repr=False)
class PrototypeSet:
    """The rows a method keeps.

    Attributes
    ----------
    method : str
    rows : array
        The kept rows, ascending, as positions in what was given.
    history : tuple of Round
        What each sweep, round or pass changed.
    is_consistent : bool
        Whether these rows classify every row that is not in conflict rightly.
    consistency : float
        Share of the training rows whose nearest kept rows are all of their class: right under every tie rule.
    n_rows : int
        How many training rows there were (rows dropped for missing cells not counted).
    conflicting_rows : array
        Rows at distance 0 from a row of another class. No subset classifies them all.
    labels, label_rows : arrays
        The class of each given row that took part, and which row it is.
    distance : str
    notes : tuple of str

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.prototypes import hart
    >>> found = hart(table)
    >>> found.n_kept, found.reduction, found.consistency
    (5, 0.75, 1.0)
    """

    method: str
    rows: NDArray[np.intp]
    history: tuple[Round, ...]
    consistency: float
    is_consistent: bool
    n_rows: int
    conflicting_rows: NDArray[np.intp]
    labels: NDArray[Any]
    label_rows: NDArray[np.intp]
    distance: str
    notes: tuple[str, ...] = ()

    @property
    def n_kept(self) -> int:
        """How many rows are kept."""
        return len(self.rows)

    @property
    def reduction(self) -> float:
        """Share of the rows that are not needed."""
        return 1.0 - self.n_kept / self.n_rows

    def frame(self) -> Any:
        """One line per training row: its class, whether it is kept, whether it is in conflict."""
        return data_frame(
            {
                "row": self.label_rows,
                "class": self.labels,
                "kept": np.isin(self.label_rows, self.rows),
                "conflicting": np.isin(self.label_rows, self.conflicting_rows),
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Rows of each class before and after, side by side."""
        from sepal.plots import draw_class_counts

        kept = np.isin(self.label_rows, self.rows)
        classes = np.unique(self.labels)
        before = [int(np.sum(self.labels == c)) for c in classes]
        after = [int(np.sum(self.labels[kept] == c)) for c in classes]
        return draw_class_counts([str(c) for c in classes], before, after, repr(self).strip("<>"), ax)

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{note}</li>" for note in self.notes)
        return f"<p>{repr(self).strip('<>')}</p><ul>{lines}</ul>"

    def __repr__(self) -> str:
        return (
            f"<PrototypeSet by {self.method}: {self.n_kept} of {self.n_rows} rows, "
            f"consistency {self.consistency:.4g}, {self.distance}>"
        )


def added_rounds(cases: Cases, kept: Kept) -> tuple[Round, ...]:
    """The history of a method that adds rows, round by round."""
    rounds, n_kept = [], 0
    none = np.zeros(0, dtype=np.intp)
    for number in np.unique(kept.round):
        added = cases.first_rows[kept.pos[kept.round == number]]
        n_kept += len(added)
        rounds.append(Round(added, none, n_kept))
    return tuple(rounds)


def removed_rounds(rows: NDArray[np.intp], passes: Sequence[NDArray[np.intp]]) -> tuple[Round, ...]:
    """The history of a method that starts from all rows and takes some away in each pass."""
    rounds, n_kept = [], len(rows)
    for removed in passes:
        n_kept -= len(removed)
        rounds.append(Round(np.zeros(0, dtype=np.intp), removed, n_kept))
    return tuple(rounds)


def _is_right(
    cases: Cases, metric: CaseMetric, kept_mask: NDArray[np.bool_], known: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    """Which cases the kept ones classify rightly. Equal coordinates are at distance 0, missing cells or not."""
    right = metric.is_right(np.flatnonzero(kept_mask)) if known is None else known
    n_kept_at = np.bincount(cases.point_of, weights=kept_mask)
    n_others_at = n_kept_at[cases.point_of] - kept_mask
    return np.asarray(right & (n_others_at == 0))


def nothing_left(method: str, cases: Cases) -> DataError:
    """What to raise where a method would keep no row at all: a set of no rows answers nothing."""
    n, in_conflict = cases.data.n_rows, int(np.sum(cases.is_conflict[cases.case_of]))
    if in_conflict == n:
        return DataError(
            f"{method} keeps no row: {in_conflict} of {n} rows are equal to a row of another class",
            hint="give columns that tell the classes apart, or clean the labels first (sepal.suspects)",
        )
    of_these = f", {in_conflict} of which are equal to a row of another class" if in_conflict else ""
    return DataError(
        f"{method} keeps no row: none of {n} rows passes its rule{of_these}",
        hint="use another method or milder parameters, or leave the rows as they are",
    )


def prototype_set(
    method: str,
    cases: Cases,
    metric: CaseMetric,
    kept_rows: NDArray[np.intp],
    history: tuple[Round, ...],
    notes: tuple[str, ...] = (),
    right: NDArray[np.bool_] | None = None,
) -> PrototypeSet:
    """Judge what was kept; ``right`` is what the method already knows of that, case by case."""
    data = cases.data
    if len(kept_rows) == 0:
        raise nothing_left(method, cases)
    kept_mask = np.zeros(cases.n_cases, dtype=bool)
    kept_mask[cases.case_of[np.isin(data.rows, kept_rows)]] = True
    right = _is_right(cases, metric, kept_mask, right)
    # A kept case is wrong only if a row of another class is at distance 0.
    hopeless = cases.is_conflict | (kept_mask & ~right)
    if data.dense.fitted.metric in _ZERO_FOR_UNEQUAL and not np.all(right | hopeless):
        hopeless |= metric.enemy_values() == 0.0
    conflicting_rows = cases.rows_of(hopeless)
    if len(conflicting_rows):
        notes = (
            *notes,
            f"{len(conflicting_rows)} rows are at distance 0 from a row of another class: no subset has them all right",
        )
    n_classes = len(data.classes)
    kept_codes = np.bincount(cases.codes[kept_mask], minlength=n_classes)
    lost = np.flatnonzero((np.bincount(data.codes, minlength=n_classes) > 0) & (kept_codes == 0))
    if len(lost):
        notes = (*notes, f"no row is kept of: {', '.join(str(c) for c in data.classes[lost])}")
    return PrototypeSet(
        method,
        np.sort(kept_rows),
        history,
        float(np.sum(cases.mass * right) / np.sum(cases.mass)),
        bool(np.all(right | hopeless)),
        len(data.codes),
        conflicting_rows,
        data.classes[data.codes],
        data.rows,
        data.dense.fitted.name,
        (*data.notes, *notes),
    )
