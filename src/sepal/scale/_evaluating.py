"""Models evaluated on rows in partitions: on all of them where they are few enough, else on a stated sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sepal.data import Table
from sepal.evaluation import Evaluation, evaluate
from sepal.parameters import RandomState, checked
from sepal.progress import Progress, stage
from sepal.scale._learning import LEARNT_FROM
from sepal.scale._learning_plan import learning_seconds, rows_to_try
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._pass_plan import PassPlan, PlanStep, drawing_step
from sepal.scale._sample_table import sample_of
from sepal.scale._schema import read_schema
from sepal.scale._sources import partitioned
from sepal.scale._work import place_of_work


@checked(*PARTITION_PARAMETERS)
def evaluate_partitions(
    model: Any,
    source: Any,
    y: Any = None,
    *,
    target: str | int | None = None,
    n_sample: int = LEARNT_FROM,
    cv: Any = 10,
    random_state: RandomState = 0,
    client: Any = None,
    cluster: str | None = None,
    workers: int | None = None,
    n_jobs: int | None = None,
    say: Callable[[PassPlan], object] | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """How well a model answers rows in partitions that it was not trained on, as :func:`sepal.evaluate` does.

    Parameters
    ----------
    model : estimator
        It is cloned for every fold.
    source, y, target
        As in :func:`partitioned`.
    n_sample : int
        Rows that are brought together, at most; of each class its share.
    cv : int, "loo", float, splitter or list of test rows
        As in :func:`sepal.evaluate`.
    random_state : int, Generator or None
        For the sample; a number is the seed of the folds, too.
    client, cluster, workers, n_jobs, say, progress
        As in :func:`measure_partitions`.

    Returns
    -------
    Evaluation
        ``exact`` says whether the rows are all there are.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import sepal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for i in range(2):
    ...         _ = Path(folder, f"{i}.csv").write_text("a,class\\n1,x\\n2,x\\n7,y\\n8,y\\n")
    ...     found = evaluate_partitions(sepal.KNNClassifier(1), folder, cv=2)
    >>> found.accuracy, found.exact, found.rows_seen
    (1.0, True, 8)
    """
    parts = partitioned(source, y, target=target)
    with place_of_work(client, cluster, workers, n_jobs) as work:
        schema = read_schema(parts, work, progress=stage(progress, "reading columns"))
        n_rows = min(n_sample, schema.n_rows)
        learning = _learning(model, rows_to_try(schema, work), n_rows, cv)
        plan = PassPlan.of(schema, work, (drawing_step(schema, n_rows), learning), n_rows)
        if say is not None:
            say(plan)
        drawn = sample_of(schema, work, n_sample, random_state, progress)
    seed = random_state if isinstance(random_state, int) else 0
    found = evaluate(model, drawn.table, cv=cv, random_state=seed, progress=progress)
    return replace(found, n_given=drawn.n_rows, plan=plan)


def _learning(model: Any, trial: Table, n: int, cv: Any) -> PlanStep:
    """All folds, with the time they take where their number is known."""
    name = type(getattr(model, "machine", model)).__name__
    if not isinstance(cv, int) or cv < 2:
        return PlanStep(f"{name} is evaluated on {n:,} rows", None)
    rows = n - n // cv
    each = learning_seconds(model, trial, rows, 1 / (cv - 1))
    return PlanStep(f"{name} is fitted {cv} times to {rows:,} rows", None if each is None else cv * each)
