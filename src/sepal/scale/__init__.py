"""Beyond one machine: the same questions about rows in partitions, on a Dask cluster or streamed here.

In: a folder or pattern of files, a Dask DataFrame or Array, a pyarrow Dataset, a polars LazyFrame. Out: the frozen
results of the other rooms, and how they were found: whether exactly, from how many rows, at what cost.

May be imported by report and everything after it on the road.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sepal.scale._angle import angle_of_parts as angle_of_parts
from sepal.scale._angle import angle_partitions
from sepal.scale._answer import PartitionsMeasure, measure_partitions
from sepal.scale._answer import ask_partitions as ask_partitions
from sepal.scale._answer import carried_out as carried_out
from sepal.scale._drawing import draw_rows as draw_rows
from sepal.scale._leave_one_out import partitions_loo_curve
from sepal.scale._part_notes import reading_notes as reading_notes
from sepal.scale._part_notes import same_fact as same_fact
from sepal.scale._pass_plan import PassPlan
from sepal.scale._pass_plan import PlanStep as PlanStep
from sepal.scale._pass_plan import adding_step as adding_step
from sepal.scale._pass_plan import spoken as spoken
from sepal.scale._planning import Plan, asking_for
from sepal.scale._planning import make_plan as make_plan
from sepal.scale._predict import PartAnswers, predict_partitions
from sepal.scale._prepare import Fitted as Fitted
from sepal.scale._prepare import fit_parts as fit_parts
from sepal.scale._prepare import prepare_blocks as prepare_blocks
from sepal.scale._prepare import prepare_partitions
from sepal.scale._sample_table import SampledTable, sample_table
from sepal.scale._sample_table import sample_of as sample_of
from sepal.scale._sources import Partitioned, partitioned
from sepal.scale._sources import is_partitioned as is_partitioned
from sepal.scale._spreading import spread_subsets
from sepal.scale._suspects import AskedSuspects as AskedSuspects
from sepal.scale._suspects import suspects_asked as suspects_asked
from sepal.scale._trial import Rates as Rates
from sepal.scale._work import place_of_work as place_of_work

if TYPE_CHECKING:
    from sepal.scale._evaluating import evaluate_partitions
    from sepal.scale._knn import knn_partitions
    from sepal.scale._learning import LEARNT_FROM as LEARNT_FROM
    from sepal.scale._learning import PartitionsFit, fit_partitions
    from sepal.scale._learning import fit_made as fit_made
    from sepal.scale._learning_plan import learning_seconds as learning_seconds

__all__ = [
    "PartAnswers",
    "Partitioned",
    "PartitionsFit",
    "PartitionsMeasure",
    "PassPlan",
    "Plan",
    "SampledTable",
    "angle_partitions",
    "asking_for",
    "evaluate_partitions",
    "fit_partitions",
    "knn_partitions",
    "measure_partitions",
    "partitioned",
    "partitions_loo_curve",
    "predict_partitions",
    "prepare_partitions",
    "sample_table",
    "spread_subsets",
]

# Late: what measures partitions needs no estimator, and scikit-learn takes long to import.
_LATE = {
    "LEARNT_FROM": "_learning",
    "PartitionsFit": "_learning",
    "evaluate_partitions": "_evaluating",
    "fit_made": "_learning",
    "fit_partitions": "_learning",
    "knn_partitions": "_knn",
    "learning_seconds": "_learning_plan",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(f"sepal.scale.{_LATE[name]}"), name)
    raise AttributeError(f"module 'sepal.scale' has no attribute {name!r}")
