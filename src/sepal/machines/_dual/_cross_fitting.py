"""Decisions on rows that had no part in the machine that decided: what probabilities are calibrated by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.utils.validation import _num_samples

from sepal.data import Table, group_codes
from sepal.exceptions import ParameterError
from sepal.machines._dual._pairs import TrainingRows, gather
from sepal.machines._equal_rows import MergedRows

if TYPE_CHECKING:
    from sepal.machines._dual._machine import KernelMachine

Floats = NDArray[np.float64]
CALIBRATION_FOLDS = 5


def given_groups(groups: Any, X: Any) -> NDArray[np.intp] | None:
    """The numbers of labelled groups; None for the words, by which equal rows of one class stay together anyway."""
    if groups is None or (isinstance(groups, str) and groups in ("rows", "copies")):
        return None
    if isinstance(groups, str):
        raise ParameterError(f"groups must be one label per row, 'rows', 'copies' or None; got {groups!r}")
    return group_codes(groups, X.n_rows if isinstance(X, Table) else _num_samples(X))


def fold_of(rows: MergedRows, groups: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
    """The fold of each distinct row: dealt out within each class, in an order that depends on the values only.

    Where there are groups of the given rows, whole groups are dealt out; one with several classes counts for the first.
    """
    n = len(rows.codes)
    if groups is None:
        place = np.arange(n) - np.asarray(rows.start)[rows.codes]
        return np.asarray(place % CALIBRATION_FOLDS, dtype=np.intp)
    used = np.flatnonzero(rows.member_of >= 0)
    links = csr_array((np.ones(len(used)), (rows.member_of[used], n + groups[used])), shape=(n + groups.max() + 1,) * 2)
    unit = connected_components(links, directed=False)[1][:n]  # equal rows of two groups join them
    _, first, number = np.unique(unit, return_index=True, return_inverse=True)
    codes = rows.codes[first]
    order = np.lexsort((first, codes))
    place = np.empty(len(first), dtype=np.intp)
    place[order] = np.arange(len(first)) - np.searchsorted(codes[order], codes[order])
    return np.asarray(place[number] % CALIBRATION_FOLDS, dtype=np.intp)


def cross_fitted(
    machine: KernelMachine,
    training: TrainingRows,
    box: Floats,
    threads: int,
    groups: NDArray[np.intp] | None = None,
) -> Floats:
    """Decision values of all pairs for each distinct row, by machines trained without its fold.

    Where a fold holds all distinct rows of a class they stay in training, since no machine can do without them.
    """
    rows = training.rows
    fold = fold_of(rows, groups)
    out = np.zeros((len(rows.codes), rows.n_classes * (rows.n_classes - 1) // 2))
    for k in range(CALIBRATION_FOLDS):
        held = fold == k
        others = np.bincount(rows.codes[~held], minlength=rows.n_classes)
        kept = ~held | (others[rows.codes] == 0)
        if not held.any():
            continue
        part = training.take(kept)
        machines = gather(part, machine._solve(part, box[kept], threads))
        queries = rows.x[held]
        if training.gram is not None:
            queries = training.gram[held][:, np.flatnonzero(kept)[machines.support]]
        out[held] = machines.decisions(np.ascontiguousarray(queries), threads)
    return out
