"""One table per feature: what each says alone, beside the best subset, and by the usual filters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import data_frame, frame_html, name_order
from sepal.exceptions import ParameterError
from sepal.measures import mutual_information
from sepal.parameters import Parameter, checked
from sepal.selection._alignment_criteria import CenteredAlignment
from sepal.selection._choose import Procedure, procedure_keywords
from sepal.selection._criteria import Thornton
from sepal.selection._criterion import Criterion
from sepal.selection._evaluator import Evaluator
from sepal.selection._near_best import Subset
from sepal.selection._parameters import PROCEDURE
from sepal.selection._problem import FeatureProblem
from sepal.selection._relieff import relieff


@dataclass(frozen=True, eq=False)
class FeatureRanking:
    """What is known of each feature.

    Attributes
    ----------
    names : tuple of str
    best : Subset
        The best subset by Thornton's index, to which ``gain`` and ``loss`` refer.
    columns : dict of arrays
        ``thornton`` (alone), ``gain`` (when added to the best subset; NaN for its members), ``loss`` (when dropped from
        it; NaN for others, and where it is the only member), ``inclusion`` (share of near-best subsets that hold it),
        ``relieff``, ``mutual_information`` (see :func:`sepal.measures.mutual_information`), ``anova_f`` (NaN for
        nominal columns, where it is not defined),
        ``correlation`` (with the classes: the correlation ratio, which is abs(r) for two classes; Cramer's V for
        nominal columns), ``alignment`` (centered, alone).

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import rank_features
    >>> ranking = rank_features(table)
    >>> ranking.best.features, ranking.columns["thornton"].round(2).tolist()
    (('speed', 'agility'), [0.85, 0.51])
    """

    names: tuple[str, ...]
    best: Subset
    columns: dict[str, NDArray[np.float64]]

    def frame(self, by: str = "inclusion") -> Any:
        """One row per feature, sorted by a column, largest first; among equals by Thornton's index alone, then name."""
        if by not in self.columns:
            raise ParameterError(f"by must be one of {', '.join(self.columns)}; got {by!r}")
        columns = {name: np.asarray(values) for name, values in self.columns.items()}
        order = np.lexsort((np.argsort(name_order(self.names)), -columns["thornton"], -columns[by]))
        sorted_columns = {name: values[order] for name, values in columns.items()}
        return data_frame({"feature": [self.names[j] for j in order], **sorted_columns})

    def _repr_html_(self) -> str:
        return frame_html(self, float_format="{:.4f}".format)


@checked(
    Parameter("n_neighbors", "whole", "neighbours of each class that ReliefF looks at", at_least=1),
    *PROCEDURE,
    passes_on=procedure_keywords("criterion"),
)
def rank_features(
    X: Any, y: Any = None, *, n_neighbors: int = 10, groups: Any = None, **procedure: Any
) -> FeatureRanking:
    """Everything about each feature in one table.

    Parameters
    ----------
    X, y
        Labelled rows.
    n_neighbors : int
        Of each class, for ReliefF.
    groups : array-like, "rows", "copies" or None
        As in :func:`subset_sweep`, for Thornton's index and ReliefF, which ask for neighbours. The other columns of the
        table look at all rows.
    strategy, n_features, prefer, scale, ties, missing, blocks, keep, random_state
        How the best subset is found, by Thornton's index: as in :class:`SeparabilitySelector`; ``missing`` as in
        :func:`subset_sweep`.
    time_limit, max_evaluations, patience, n_jobs, options, **procedure
        Bounds of a search: as in :func:`search_subsets`.

    Returns
    -------
    FeatureRanking

    Examples
    --------
    >>> import sepal.datasets
    >>> ranking = rank_features(sepal.datasets.load("liver"))
    >>> ranking.frame(by="loss")["feature"][0]
    'sgot'
    """
    how = Procedure(criterion="thornton", **procedure)
    problem = how.prepare(X, y, groups)
    result = how.run(problem)
    best = how.choose(result)
    single = _per_unit_scores(problem, Thornton(how.ties), [1 << unit for unit in range(problem.n_units)])
    changed = _per_unit_scores(
        problem, Thornton(how.ties), [best.mask ^ (1 << unit) for unit in range(problem.n_units)]
    )
    member = np.array([best.mask >> unit & 1 == 1 for unit in range(problem.n_units)])
    of_unit = np.array([unit for unit, columns in enumerate(problem.units) for _ in columns])
    order = np.array([column for columns in problem.units for column in columns])
    held = np.array(list(result.inclusion().values()))
    per_unit = {
        "thornton": single,
        "gain": np.where(member, np.nan, changed - best.score),
        "loss": np.where(member, best.score - changed, np.nan),
        "inclusion": held,
    }
    columns = {name: values[of_unit] for name, values in per_unit.items()}
    filters = {
        "relieff": relieff(problem.table, problem.codes, len(problem.classes), n_neighbors, problem.groups),
        **_filters(problem),
    }
    columns |= {name: values[order] for name, values in filters.items()}
    alone = _per_unit_scores(problem, CenteredAlignment(), [1 << unit for unit in range(problem.n_units)])
    columns["alignment"] = alone[of_unit]
    return FeatureRanking(tuple(problem.table.names[c] for c in order), best, columns)


def _per_unit_scores(problem: FeatureProblem, criterion: Criterion, masks: list[int]) -> NDArray[np.float64]:
    """Scores in the order given; NaN for the empty subset."""
    found = np.array(Evaluator(problem, criterion)(masks))
    return np.where(np.isneginf(found), np.nan, found)


def _filters(problem: FeatureProblem) -> dict[str, NDArray[np.float64]]:
    """Mutual information, F and correlation of each column, from its known cells."""
    p = problem.table.n_columns
    result = {name: np.full(p, np.nan) for name in ("mutual_information", "anova_f", "correlation")}
    scaled = problem.scaling.apply(problem.table.values)
    for f, kind in enumerate(problem.table.kinds):
        known = ~np.isnan(scaled[:, f])
        x, codes = scaled[known, f], problem.codes[known]
        result["mutual_information"][f] = mutual_information(x, codes, discrete=kind == "nominal")
        if kind == "nominal":
            result["correlation"][f] = _cramer(x, codes)
        else:
            result["anova_f"][f], result["correlation"][f] = _variance_ratio(x, codes)
    return result


def _variance_ratio(x: NDArray[np.float64], codes: NDArray[np.int32]) -> tuple[float, float]:
    """F of the one-way analysis of variance, and the correlation ratio."""
    if len(x) == 0:  # every cell is missing
        return 0.0, 0.0
    counts = np.bincount(codes)
    present = counts > 0
    means = np.bincount(codes, weights=x)[present] / counts[present]
    between = float(np.sum(counts[present] * (means - x.mean()) ** 2))
    total = float(np.sum((x - x.mean()) ** 2))
    if total == 0 or len(means) < 2:
        return 0.0, 0.0
    within = max(total - between, 0.0)
    degrees = (len(means) - 1, len(x) - len(means))
    f = np.inf if within <= 1e-15 * total else (between / degrees[0]) / (within / max(degrees[1], 1))
    return float(f), float(np.sqrt(min(between / total, 1.0)))


def _cramer(x: NDArray[np.float64], codes: NDArray[np.int32]) -> float:
    """Cramer's V of a nominal column and the classes."""
    _, levels = np.unique(x, return_inverse=True)
    table = np.zeros((levels.max() + 1, codes.max() + 1)) if len(x) else np.zeros((1, 1))
    np.add.at(table, (levels, codes), 1.0)
    table = table[:, table.sum(axis=0) > 0]
    smaller = min(table.shape) - 1
    if smaller < 1:
        return 0.0
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / table.sum()
    return float(np.sqrt(np.sum((table - expected) ** 2 / expected) / (table.sum() * smaller)))
