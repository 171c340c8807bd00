"""How the model of few rows fares on further rows: folds in which every choice is made anew.

Leave-one-out answers each row without itself, but widths, ridges, weights and the calibration were picked to make these
answers good. Up to some hundred rows that flatters by a few points. Here a tenth of the rows (whole groups, where these
are left out together) is put aside, everything is chosen and fitted from the others, and the tenth is answered.

The share of right answers is taken for one of fewer independent trials: models of different folds share rows, and the
model of all rows is not theirs. The factor was measured; ``benchmarks/statistics`` does it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from sepal.auto._judging import class_judge
from sepal.auto._order import numbered_by_first_row, spread_order
from sepal.measures import wilson_interval

if TYPE_CHECKING:
    from sepal.auto._classifier import SepalClassifier

Array = NDArray[np.float64]
FEW_ROWS = 300  # with more, choosing flatters by less than the error of the score
_FOLDS = 10
_MORE_VARIANCE = 1.4  # than that of independent trials
_CONFIDENCE = 0.95


def fold_interval(model: SepalClassifier) -> tuple[float, float]:
    """A 95 % interval for the accuracy of a fitted model on further rows."""
    table, groups = model.sample_, model.sample_groups_
    codes = np.searchsorted(model.classes_, np.asarray(table.y)).astype(np.int32)
    weights = class_judge(codes, model.balanced).weights
    units = len(codes) if groups is None else len(np.unique(groups))
    trials = model.n_rows_ * units / (len(codes) ** 2 * float(weights @ weights))  # rows of one group count once
    many = model.n_rows_ > FEW_ROWS
    score = model.leave_one_out_score_ if many else float(weights @ fold_answers(model, codes))
    return wilson_interval(min(1.0, score), trials / _MORE_VARIANCE, _CONFIDENCE)


def fold_answers(model: SepalClassifier, codes: NDArray[np.int32]) -> Array:
    """1 for each row that is answered rightly by a model in whose choices it took no part."""
    table, groups = model.sample_, model.sample_groups_
    order = spread_order(codes, np.random.RandomState(0))
    units = numbered_by_first_row(np.arange(len(codes)) if groups is None else groups, order)
    assert units is not None  # noqa: S101 - groups were given
    n_units = int(units.max()) + 1
    fold = np.empty(len(codes), dtype=np.intp)
    fold[order] = units * min(_FOLDS, n_units) // n_units
    right = np.empty(len(codes))
    for k in range(fold.max() + 1):
        rest, aside = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        present = np.unique(codes[rest])
        if len(present) < 2:
            right[aside] = codes[aside] == present[0]
            continue
        part = clone(model).set_params(n_jobs=1)
        part.fit(table.take(rest), groups="rows" if groups is None else groups[rest])
        right[aside] = part.predict(table.take(aside)) == np.asarray(table.y)[aside]
    return right
