"""Does the selection stay the same on other rows?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from sepal.data import data_frame, draw_by_class
from sepal.exceptions import DataError, ParameterError
from sepal.parameters import Parameter, RandomState, check_cells, checked, generator
from sepal.progress import Progress
from sepal.selection._choose import Procedure, procedure_keywords
from sepal.selection._near_best import Subset
from sepal.selection._parameters import PROCEDURE
from sepal.selection._row_units import by_content, class_of_units, groups_within, row_units


@dataclass(frozen=True, eq=False)
class Stability:
    """How much the selected subset changes when half the rows are left out.

    Attributes
    ----------
    value, low, high : float
        Nogueira's measure (1: always the same set; 0: as random sets of these sizes would agree) with its interval.
    frequency : dict
        Share of half-samples whose subset holds each feature.
    subsets : tuple of Subset
        One per half-sample.

    Examples
    --------
    >>> import sepal
    >>> from sepal.selection import stability
    >>> found = stability(sepal.datasets.load("liver"), n_samples=4)
    >>> len(found.subsets), max(found.frequency, key=found.frequency.get)
    (4, 'sgpt')
    """

    value: float
    low: float
    high: float
    frequency: dict[str, float]
    subsets: tuple[Subset, ...]

    def frame(self) -> Any:
        """One row per feature."""
        return data_frame({"feature": list(self.frequency), "frequency": list(self.frequency.values())})


@checked()
def nogueira_stability(Z: Any, confidence: float = 0.95) -> tuple[float, float, float]:
    """Stability of selected sets, rows of a binary matrix (runs by features), with its interval.

    Parameters
    ----------
    Z : array-like, shape (runs, features)
        1 where a run selected the feature, else 0.
    confidence : float
        Of the interval.

    Returns
    -------
    value, low, high : float
        1: always the same set; 0: as random sets of these sizes would agree; and the interval.

    References
    ----------
    S. Nogueira, K. Sechidis, G. Brown, "On the stability of feature selection algorithms", JMLR 18(174), 2018.

    Examples
    --------
    >>> nogueira_stability([[1, 0, 0], [1, 0, 0], [1, 0, 0]])
    (1.0, 1.0, 1.0)
    """
    chosen = check_cells("Z", Z)
    if chosen.ndim != 2 or len(chosen) < 2:
        raise ParameterError(f"Z must have a row for each of at least 2 runs; got shape {chosen.shape}")
    M, d = chosen.shape
    frequency, sizes = chosen.mean(axis=0), chosen.sum(axis=1)
    mean_size = float(sizes.mean())
    chance = (mean_size / d) * (1 - mean_size / d)
    if chance == 0:
        raise DataError("the stability of runs that always select all features, or none, is not defined")
    value = 1 - M / (M - 1) * float(np.mean(frequency * (1 - frequency))) / chance
    each = chosen @ frequency / d - sizes * mean_size / d**2
    each = each + value / 2 * (2 * sizes * mean_size / d**2 - sizes / d - mean_size / d + 1)
    deviation = float(np.sqrt(np.sum(((each - each.mean()) / chance) ** 2)))
    spread = float(ndtri(0.5 + confidence / 2)) * 2.0 / M * deviation
    return value, value - spread, value + spread


@checked(
    Parameter("n_samples", "whole", "on how many samples of rows to select again", at_least=2, at_most=10**6),
    *PROCEDURE,
    passes_on=procedure_keywords("random_state"),
)
def stability(
    X: Any,
    y: Any = None,
    *,
    n_samples: int = 50,
    groups: Any = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
    **procedure: Any,
) -> Stability:
    """Repeat the selection on random halves of the rows (each class halved) and compare the subsets.

    Parameters
    ----------
    X, y
        Labelled rows.
    n_samples : int
        Half-samples, drawn without replacement.
    groups : array-like, "rows", "copies" or None
        As in :func:`nested_score`: rows of one group are in a half-sample together or not at all.
    random_state, progress
        As in :func:`selection_test`.
    strategy, criterion, n_features, prefer, scale, ties, missing, blocks, keep
        How features are selected: as in :class:`SeparabilitySelector`; ``missing`` as in :func:`subset_sweep`.
    time_limit, max_evaluations, patience, n_jobs, options, **procedure
        Bounds of a search: as in :func:`search_subsets`.

    Returns
    -------
    Stability
        Nogueira's measure with its interval, and how often each feature was selected.

    Raises
    ------
    DataError
        If every half-sample selects all features: stability is not defined then.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> found = stability(sepal.datasets.load("liver"), n_samples=4)
    >>> round(found.frequency["drinks"], 2)
    1.0
    """
    if n_samples < 2:
        raise ParameterError(f"n_samples must be at least 2; got {n_samples!r}")
    how = Procedure(random_state=random_state, **procedure)
    given, how = how.prepare(X, y, groups), how.settled_by(X)
    problem = by_content(how, given)
    rng = generator(random_state)
    units = row_units(problem)
    class_of = class_of_units(units, problem.codes)
    subsets = []
    for at in range(n_samples):
        drawn = draw_by_class(np.arange(len(class_of)), class_of, lambda n: -(-n // 2), rng)
        rows = np.flatnonzero(np.isin(units, drawn))
        subsets.append(how.select(problem.table.take(rows), groups_within(problem, rows)))
        if progress is not None:
            progress(f"half-sample {at + 1} of {n_samples}", (at + 1) / n_samples)
    Z = np.array([[name in s.features for name in problem.names] for s in subsets], dtype=float)
    value, low, high = nogueira_stability(Z)
    frequency = dict(zip(problem.names, Z.mean(axis=0).tolist(), strict=True))
    return Stability(value, low, high, frequency, tuple(subsets))
