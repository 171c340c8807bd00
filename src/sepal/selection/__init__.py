"""Which features separate the classes, with an honest answer: near-best subsets instead of one winner.

In: labelled rows (a Table, or X and y). Out: scores of all subsets (``subset_sweep``) or of those a search
meets, with the subsets that the data cannot tell from the best.

May be imported by auto, report and everything after it on the road.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sepal.selection._alignment_criteria import Alignment, CenteredAlignment
from sepal.selection._choose import Procedure as Procedure
from sepal.selection._criteria import CRITERIA, ExpectedAccuracy, LooKnn, Mahalanobis, Thornton
from sepal.selection._criteria import PAIRS_PER_SECOND as PAIRS_PER_SECOND
from sepal.selection._criterion import Criterion
from sepal.selection._facts import SelectionFacts, select_facts
from sepal.selection._near_best import Subset
from sepal.selection._near_best import inclusion as inclusion
from sepal.selection._near_best import smallest as smallest
from sepal.selection._nested_score import NestedScore, nested_score
from sepal.selection._rank import FeatureRanking, rank_features
from sepal.selection._search import STRATEGIES, SubsetSearch, search_subsets
from sepal.selection._selection_test import SelectionTest, selection_test
from sepal.selection._spread import scored_by as scored_by
from sepal.selection._stability import Stability, nogueira_stability, stability
from sepal.selection._subset_sweep import SubsetSweep, subset_sweep
from sepal.selection._subset_sweep import sweep_cost as sweep_cost

if TYPE_CHECKING:
    from sepal.selection._selector import SeparabilitySelector

__all__ = [
    "CRITERIA",
    "STRATEGIES",
    "Alignment",
    "CenteredAlignment",
    "Criterion",
    "ExpectedAccuracy",
    "FeatureRanking",
    "LooKnn",
    "Mahalanobis",
    "NestedScore",
    "SelectionFacts",
    "SelectionTest",
    "SeparabilitySelector",
    "Stability",
    "Subset",
    "SubsetSearch",
    "SubsetSweep",
    "Thornton",
    "nested_score",
    "nogueira_stability",
    "rank_features",
    "search_subsets",
    "select_facts",
    "selection_test",
    "stability",
    "subset_sweep",
]


def __getattr__(name: str) -> Any:
    if name == "SeparabilitySelector":  # late: an estimator needs scikit-learn, which takes long to import
        from sepal.selection._selector import SeparabilitySelector

        return SeparabilitySelector
    raise AttributeError(f"module 'sepal.selection' has no attribute {name!r}")
