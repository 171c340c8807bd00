"""Models evaluated on rows in partitions: on all of them where they are few enough, else on a stated sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sepal.evaluation import Evaluation, evaluate
from sepal.parameters import RandomState, checked
from sepal.progress import Progress
from sepal.scale._learning import LEARNT_FROM
from sepal.scale._learning_plan import learning_seconds
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._pass_plan import PassPlan, PlanStep
from sepal.scale._sample_table import sample_table
from sepal.scale._sources import partitioned


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
    where = {"client": client, "cluster": cluster, "workers": workers, "n_jobs": n_jobs, "progress": progress}
    drawn = sample_table(parts, n_sample, random_state=random_state, **where)
    assert drawn.plan is not None  # noqa: S101 - a sample that is drawn has one
    plan = replace(drawn.plan, steps=(_learning(model, drawn.table, cv),))
    if say is not None:
        say(plan)
    seed = random_state if isinstance(random_state, int) else 0
    found = evaluate(model, drawn.table, cv=cv, random_state=seed, progress=progress)
    return replace(found, n_given=drawn.n_rows, plan=plan)


def _learning(model: Any, table: Any, cv: Any) -> PlanStep:
    """All folds, with the time they take where their number is known."""
    n, name = table.n_rows, type(getattr(model, "machine", model)).__name__
    if not isinstance(cv, int) or cv < 2:
        return PlanStep(f"{name} is evaluated on {n:,} rows", None)
    rows = n - n // cv
    each = learning_seconds(model, table, rows, 1 / (cv - 1))
    return PlanStep(f"{name} is fitted {cv} times to {rows:,} rows", None if each is None else cv * each)
