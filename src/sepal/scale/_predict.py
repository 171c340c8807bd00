"""Answers for rows in partitions: one partition after the other is read, answered and let go."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import PartReading, Table
from sepal.exceptions import DataError
from sepal.neighbors import recall_in
from sepal.parameters import checked
from sepal.progress import Progress, stage
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._parts import Partition
from sepal.scale._pass_plan import PassPlan, PlanStep
from sepal.scale._schema import Schema, read_schema
from sepal.scale._search import BlockSearch
from sepal.scale._sources import Partitioned, load_part, narrowed, partitioned, with_texts
from sepal.scale._trial import Growth
from sepal.scale._work import Here, OnCluster, Workplace, place_of_work

PREDICTING = "predicting"
_TRIED_ROWS = 100, 2_000  # least and most rows that are answered to tell how long all take, else a twentieth of all
Saying = Callable[[PassPlan], object]


@dataclass(frozen=True, eq=False)
class PartAnswers:
    """What a model answers to the rows of one partition.

    Attributes
    ----------
    first_row : int
        The number of its first row among all rows, counted from 0 through all partitions.
    predictions : array
    probabilities : array of shape (n_rows, n_classes) or None
        None where the model gives none.
    table : Table or None
        The rows, with the columns that were asked for; None where these are none.
    names : tuple of str
        All columns.
    identifiers : tuple of str
        Columns the model does not know that tell rows apart in all partitions.
    plan : PassPlan or None
        What was to be done to all partitions.
    recall : float or None
        Share of the neighbours that the model finds where it searches approximately.
    exact : bool
        Every row of the partition is answered, ``rows_seen`` of them; False where neighbours are approximate.

    Examples
    --------
    >>> table = Table(np.zeros((1, 1)), ("a",), ("numeric",), (None,))
    >>> PartAnswers(7, np.array(["x"]), None, table, ("a",), ()).first_row
    7
    """

    first_row: int
    predictions: NDArray[Any]
    probabilities: NDArray[np.float64] | None
    table: Table | None
    names: tuple[str, ...]
    identifiers: tuple[str, ...]
    plan: PassPlan | None = None
    recall: float | None = None

    @property
    def exact(self) -> bool:
        """Whether the model finds all neighbours, where it asks for any."""
        return self.recall is None

    @property
    def rows_seen(self) -> int:
        """Rows that were answered."""
        return len(self.predictions)


@dataclass(frozen=True)
class _ModelFile:
    """How a worker loads the model: by the file, which is another one once it is written again."""

    path: str
    written: int
    n_jobs: int | None


@lru_cache(maxsize=1)
def _loaded(file: _ModelFile) -> Any:
    from sepal.estimators import load_model  # late, here and below: what measures partitions needs no estimator

    model = load_model(file.path)
    within = getattr(model, "machine", model)
    if file.n_jobs is not None and "n_jobs" in within.get_params(deep=False):
        within.set_params(n_jobs=file.n_jobs)
    return model


@dataclass(frozen=True)
class _Asking:
    """How partitions are read, which columns the model wants, and which come back (None: all)."""

    reading: PartReading
    wanted: tuple[str, ...]
    back: tuple[str, ...] | None


Answered = tuple[NDArray[Any], NDArray[np.float64] | None, Table | None, tuple[str, ...]]


def answer_part(file: _ModelFile, part: Partition, asking: _Asking) -> Answered:
    """Load a partition, and let the model answer its rows."""
    return _answers(_loaded(file), part, asking)


def _answers(model: Any, part: Partition, asking: _Asking) -> Answered:
    return _answered(model, load_part(part, asking.reading), part, asking)


def _answered(model: Any, table: Table, part: Partition, asking: _Asking) -> Answered:
    given = table.select(list(asking.wanted))
    # A pipeline begins with a step of scikit-learn, which knows data frames and no Tables.
    rows = given if type(model).__module__.startswith("sepal.") else given.frame("pandas")
    try:
        predictions = np.asarray(model.predict(rows))
        shares = np.asarray(model.predict_proba(rows)) if hasattr(model, "predict_proba") else None
    except DataError as error:
        raise DataError(f"{part.label}: {error}") from error
    back: Table | None = table
    if asking.back is not None:
        named = [name for name in asking.back if name in table.names]
        back = table.select(named) if named else None
    return predictions, shares, back, table.names


@dataclass(frozen=True)
class _Tried:
    """What a model takes to answer a partition, and for each of its rows; and its answers to some rows."""

    once: float
    each: float
    answers: Answered


def try_part(file: _ModelFile, part: Partition, asking: _Asking, n_rows: int) -> _Tried:
    """Let the model answer some rows of a partition."""
    return _try(_loaded(file), part, asking, n_rows)


def _try(model: Any, part: Partition, asking: _Asking, n_rows: int) -> _Tried:
    table = load_part(part, asking.reading)
    _answered(model, table.take(np.arange(min(1, table.n_rows))), part, asking)  # what is made once is made now
    tried: list[tuple[float, float]] = []
    for size in (max(1, n_rows // 10), n_rows):
        rows = table.take(np.linspace(0, table.n_rows - 1, min(size, table.n_rows)).astype(np.intp))
        begin = time.perf_counter()
        found = _answered(model, rows, part, asking)
        tried.append((float(rows.n_rows), time.perf_counter() - begin))
    grown = Growth.of(*tried)
    return _Tried(grown.row, grown.pair, found)


@checked(*PARTITION_PARAMETERS)
def predict_partitions(
    model: Any,
    source: Any,
    *,
    client: Any = None,
    cluster: str | None = None,
    workers: int | None = None,
    columns: Callable[[str], bool] | None = None,
    n_jobs: int | None = None,
    say: Saying | None = None,
    use: Callable[[PartAnswers], object] | None = None,
    progress: Progress | None = None,
) -> Iterator[PartAnswers]:
    """Answers of a model to rows in partitions, in their order, with no more than a few partitions in memory.

    Every partition is read twice: once to see that all have the columns of the model, of the same kinds, before the
    first answer is given; then to answer it. Some rows of the largest are answered before, to tell how long all take.

    Parameters
    ----------
    model : str or Path, or estimator
        A file that :func:`sepal.save_model` wrote, where the workers find it, too. Or a fitted estimator: it answers
        here, one partition after the other; one of :func:`knn_partitions` asks its workers.
    source
        As in :func:`partitioned`, or what that made with ``target=False``.
    client, cluster, workers
        As in :func:`measure_partitions`.
    columns : callable, optional
        Says of a name whether that column comes back beside the answers, as identifiers always do. By default all do;
        what does not come back is not sent.
    n_jobs : int, optional
        Threads, where the work is done here.
    say : callable, optional
        Called with the plan before the first answer.
    use : callable, optional
        What is done here with the answers to each partition: it is tried once with some, so that the plan knows of it.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

    Yields
    ------
    PartAnswers

    Examples
    --------
    >>> import tempfile
    >>> import sepal
    >>> from sepal.scale import partitioned
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     knn = sepal.KNNClassifier(n_neighbors=1).fit(sepal.datasets.load("athletes"))
    ...     _ = sepal.save_model(knn, f"{folder}/model.sepal")
    ...     for i in range(2):
    ...         _ = Path(folder, f"{i}.csv").write_text(f"agility,speed\\n{i},8\\n8,{i}\\n")
    ...     found = list(predict_partitions(f"{folder}/model.sepal", partitioned(f"{folder}/*.csv", target=False)))
    >>> [each.first_row for each in found]
    [0, 2]
    """
    from sepal.estimators import load_answering

    source = partitioned(source, target=False)
    if not isinstance(model, (str, Path)):
        yield from _answered_here(model, source, columns, client, n_jobs, progress, say, use)
        return
    path = Path(model).resolve()
    _, names, training = load_answering(path)
    wanted = tuple(names)
    source = _as_trained(source, training)
    with place_of_work(client, cluster, workers, n_jobs) as work:
        file = _ModelFile(str(path), path.stat().st_mtime_ns, work.threads if isinstance(work, OnCluster) else n_jobs)

        def tried(most: int, *some: Any) -> _Tried:
            found: _Tried = next(iter(work.run("measure speed", try_part, [(file, *some)], None, most)))[1]
            return found

        asking, parts, identifiers, first_rows, most, plan = _columns_of(
            source, work, wanted, columns, progress, say, use, tried
        )
        jobs = [(file, part, asking) for part in parts]
        tell, at_a_time = stage(progress, PREDICTING), 2 * work.workers
        for begin in range(0, len(jobs), at_a_time):
            # So many and no more: what is answered before its turn waits here.
            waiting: dict[int, Answered] = {}
            turn = begin
            for at, found in work.run(PREDICTING, answer_part, jobs[begin : begin + at_a_time], None, most):
                waiting[begin + at] = found
                while turn in waiting:
                    yield PartAnswers(first_rows[turn], *waiting.pop(turn), identifiers, plan)
                    turn += 1
                    if tell is not None:
                        tell(turn / len(jobs))


def _columns_of(
    source: Partitioned,
    work: Workplace,
    wanted: tuple[str, ...],
    columns: Callable[[str], bool] | None,
    progress: Progress | None,
    say: Saying | None,
    use: Callable[[PartAnswers], object] | None,
    tried: Callable[[int, Partition, _Asking, int], _Tried] | None,
) -> tuple[_Asking, tuple[Partition, ...], tuple[str, ...], list[int], int, PassPlan]:
    """How partitions are asked, which must have the columns wanted; those with rows; identifiers; beginnings; bytes
    sent; the plan.
    """
    schema = read_schema(source, work, progress=stage(progress, "reading columns"))
    known = (*schema.like.names, *schema.apart)
    lost = next((name for name in wanted if name not in known), None)
    if lost is not None:
        raise DataError(
            f'{source.parts[0].label}: there is no column "{lost}", which the model was trained with',
            hint=f"the columns are {', '.join(schema.like.names[:12])}",
        )
    identifiers = tuple(name for name in schema.apart if name not in wanted)
    back = None if columns is None else tuple(name for name in known if name in identifiers or columns(name))
    first_rows = np.concatenate([[0], np.cumsum(schema.part_rows)[:-1]]).tolist()
    asking = _Asking(source.reading, wanted, back)
    plan = _plan(schema, work, asking, identifiers, use, tried)
    if say is not None:
        say(plan)
    return asking, schema.source.parts, identifiers, first_rows, schema.sent, plan


def _plan(
    schema: Schema,
    work: Workplace,
    asking: _Asking,
    identifiers: tuple[str, ...],
    use: Callable[[PartAnswers], object] | None,
    tried: Callable[[int, Partition, _Asking, int], _Tried] | None,
) -> PassPlan:
    """What will be done, with the time it takes by a trial on some rows of the largest partition."""
    parts, n = schema.source.parts, schema.n_rows
    what, largest = f"{len(parts):,} partitions are read and answered, one after the other", int(schema.part_rows.max())
    at_a_time, shares = 1 if isinstance(work, Here) else 2 * work.workers, 0
    seconds = None
    if tried is not None:
        n_rows = min(largest, max(_TRIED_ROWS[0], min(_TRIED_ROWS[1], n // 20)))
        found = tried(schema.sent, parts[int(np.argmax(schema.part_rows))], asking, n_rows)
        using, begin = 0.0, time.perf_counter()
        if use is not None:
            use(PartAnswers(0, *found.answers, identifiers))
            using = (time.perf_counter() - begin) / max(1, len(found.answers[0]))
        shares = 0 if found.answers[1] is None else found.answers[1].shape[1]
        seconds = schema.seconds + (len(parts) * found.once + n * found.each) / work.workers + n * using
    held = at_a_time * largest * 8 * (schema.like.n_columns + 1 + shares)
    return PassPlan.of(schema, work, (PlanStep(what, seconds),), None, held)


def _answered_here(
    model: Any,
    source: Partitioned,
    columns: Callable[[str], bool] | None,
    client: Any,
    n_jobs: int | None,
    progress: Progress | None,
    say: Saying | None,
    use: Callable[[PartAnswers], object] | None,
) -> Iterator[PartAnswers]:
    """The same of a model that is in this process."""
    columns_in = model.columns_ if getattr(model, "feature_names_in_", None) is None else None
    wanted = tuple(map(str, model.feature_names_in_ if columns_in is None else columns_in.names))
    source = _as_trained(source, model.columns_)
    with place_of_work(client=client, n_jobs=n_jobs) as work:
        # Who asks all partitions for every answer would take a pass over these for the trial.
        near = getattr(getattr(model, "neighborhood_", None), "search", None)
        tried = None if isinstance(near, BlockSearch) else lambda most, *some: _try(model, *some)
        asking, parts, identifiers, first_rows, _, plan = _columns_of(
            source, work, wanted, columns, progress, say, use, tried
        )
    tell = stage(progress, PREDICTING)
    for at, part in enumerate(parts):
        yield PartAnswers(first_rows[at], *_answers(model, part, asking), identifiers, plan, recall_in(model))
        if tell is not None:
            tell((at + 1) / len(parts))


def _as_trained(source: Partitioned, training: Table | None) -> Partitioned:
    """A column of texts stays one, though the texts of a partition, or of all folders, happen to be numbers."""
    columns = () if training is None else zip(training.names, training.kinds, training.levels, strict=True)
    texts = [
        name
        for name, kind, levels in columns
        if kind == "nominal" and levels is not None and any(isinstance(level, str) for level in levels)
    ]
    kinds = source.reading.kinds
    if kinds is None and texts:
        kinds = dict.fromkeys(texts, "nominal")
    return narrowed(with_texts(source, texts), replace(source.reading, target=False, kinds=kinds))
