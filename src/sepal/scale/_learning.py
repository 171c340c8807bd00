"""Models fitted to rows in partitions: by sums over all rows where these are enough, else to a stated sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from sepal.auto import SepalClassifier, refit_by_sums
from sepal.data import Missing, Table, shown
from sepal.estimators import AnyTable, Diet, View, as_numbers, fit_view
from sepal.exceptions import DataError
from sepal.machines import FeatureVectorClassifier, FisherDiscriminant, VectorMap
from sepal.neighbors import recall_in
from sepal.parameters import RandomState, checked
from sepal.progress import Progress, stage
from sepal.scale._blocks import Loading
from sepal.scale._learning_plan import learning_seconds, rows_to_try
from sepal.scale._moments import exact_moments
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._pass_plan import PassPlan, PlanStep, adding_step, drawing_step, kernels_step
from sepal.scale._products import MOST_ADDED, class_scatters, places_of
from sepal.scale._sample_table import SampledTable, sample_of
from sepal.scale._schema import Schema, read_schema
from sepal.scale._sources import Partitioned, partitioned
from sepal.scale._totals import Array, PartsPath, PartsSums, PathOf, numbers_by
from sepal.scale._work import Workplace, place_of_work

LEARNT_FROM = 100_000  # rows of partitions that are brought together to learn from
LANDMARKS_FROM = 20_000  # of which feature vectors are chosen: that costs rows times vectors squared


@dataclass(frozen=True, eq=False)
class PartitionsFit:
    """A model of rows in partitions, and what of it all rows decided.

    Attributes
    ----------
    model : estimator
        Fitted; it holds nothing of partitions and is saved like any other.
    by_sums : tuple of str
        What was fitted to all rows by sums over partitions; empty where all of it is of the sample.
    n_rows : int
        Rows in all partitions that take part.
    n_sampled : int
        Rows that were brought together; 0 where sums were enough.
    table : Table
        The columns, with the rows that were brought together if there are any.
    plan : PassPlan or None
        What was to be done.
    exact : bool
        Whether all rows decided everything.
    rows_seen : int
        Rows that decided something.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sepal.data import as_table
    >>> from sepal.machines import FisherDiscriminant
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for i in range(2):
    ...         _ = Path(folder, f"{i}.csv").write_text("a,class\\n1,x\\n2,x\\n7,y\\n8,y\\n")
    ...     found = fit_partitions(FisherDiscriminant(), folder)
    >>> print(found)
    FisherDiscriminant: the plane fitted to all 8 rows by sums over partitions
    >>> found.model.predict(as_table([[3.0], [6.0]], names=["a"])).tolist()
    ['x', 'y']
    """

    model: Any
    by_sums: tuple[str, ...]
    n_rows: int
    n_sampled: int
    table: Table
    plan: PassPlan | None = None

    @property
    def rows_seen(self) -> int:
        """Rows that decided something."""
        return self.n_rows if self.by_sums else self.n_sampled

    @property
    def recall(self) -> float | None:
        """Share of the neighbours that the model finds where it searches approximately; else None."""
        return recall_in(self.model)

    @property
    def exact(self) -> bool:
        """Whether all rows decided everything, and the model finds all neighbours."""
        return self.n_sampled in (0, self.n_rows) and self.recall is None

    def __str__(self) -> str:
        found = self._how()
        return found if self.recall is None else f"{found}; approximate neighbours (recall {self.recall:.1%})"

    def _how(self) -> str:
        name = type(getattr(self.model, "machine", self.model)).__name__
        if self.n_sampled == self.n_rows:
            return f"{name}: fitted to all {self.n_rows:,} rows, brought together"
        rest = "" if self.n_sampled == 0 else f"; all else to a sample of {self.n_sampled:,} of them"
        if not self.by_sums:
            return f"{name}: fitted to a stratified random sample of {self.n_sampled:,} of {self.n_rows:,} rows"
        return f"{name}: {', '.join(self.by_sums)} fitted to all {self.n_rows:,} rows by sums over partitions{rest}"

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class _Given:
    """Partitions whose columns are known, where they are added up, and how a sample of them is drawn."""

    schema: Schema
    work: Workplace
    n_sample: int
    random_state: RandomState
    progress: Progress | None

    def sample(self, most: int) -> SampledTable:
        """Rows brought together."""
        return sample_of(self.schema, self.work, min(most, self.n_sample), self.random_state, self.progress)

    def view(self) -> View:
        """What makes numbers of tables of any kind, learnt from all rows."""
        schema = self.schema
        view = fit_view(schema.like, "minmax")
        if len(view.gaps):
            low, high = np.nanmin(schema.like.values, axis=0), np.nanmax(schema.like.values, axis=0)
            mean, _ = exact_moments(schema, self.work, low, high)
            view = replace(view, middle=view.scaling.apply(mean[None, view.numbers])[0])
        return view

    def labelled(self) -> Table:
        """The columns, with a few rows that hold the ends of each and some class."""
        like = self.schema.like
        return replace(like, y=np.resize(self.schema.classes, like.n_rows))


Fitting = Callable[[Any, _Given], PartitionsFit | None]


def _fisher(model: Any, given: _Given) -> PartitionsFit | None:
    machine, view, keep = _unwrapped(model, given)
    schema, ends = given.schema, numbers_by(view, given.schema.like)
    if ends.n_columns > MOST_ADDED:
        return None
    if ends.has_missing:
        column = ends.names[int(np.flatnonzero(np.isnan(ends.values).any(axis=0))[0])]
        raise DataError(
            f"column {shown(column)} has missing cells; this machine needs complete rows",
            hint="SepalClassifier takes missing cells; or leave the column out",
        )
    rows = as_numbers(ends, Diet()) if view is None else ends.values  # refuses names before all rows are passed
    coordinates = _Values(view)
    places = places_of(schema.like, coordinates)
    scatters = class_scatters(schema, given.work, coordinates, places, stage(given.progress, "adding up products"))
    fitted = clone(machine).fit_scatters(rows, schema.classes, scatters, places.shift)
    return PartitionsFit(keep(fitted), ("the plane",), schema.n_rows, 0, schema.like)


@dataclass(frozen=True, eq=False)
class _Values:
    """The cells, as a machine for numbers sees them."""

    view: View | None

    def __call__(self, table: Table) -> Array:
        return numbers_by(self.view, table).values


def _vectors(model: Any, given: _Given) -> PartitionsFit | None:
    machine, view, keep = _unwrapped(model, given)
    if machine.model != "ridge" or machine.kernel == "precomputed":
        return None
    schema = given.schema
    drawn = given.sample(LANDMARKS_FROM)
    if len(drawn.rows) == drawn.n_rows:
        return PartitionsFit(clone(model).fit(drawn.table), (), drawn.n_rows, drawn.n_rows, drawn.table)

    def sums_over(mapping: VectorMap, factors: Array) -> PartsPath:
        loading = Loading.of(schema, fitted.classes_)
        counts = [counted[label] for label in fitted.classes_.tolist()]
        how = PathOf(loading, view, mapping, factors)
        return PartsPath(schema.source.parts, given.work, how, float(factors @ counts), schema.sent, given.progress)

    counted = dict(zip(schema.classes.tolist(), schema.class_counts.tolist(), strict=True))
    fitted = clone(machine)
    rows = drawn.table if view is None else numbers_by(view, drawn.table).values
    fitted.fit_by_sums(rows, drawn.table.y, counted, sums_over)
    return PartitionsFit(keep(fitted), ("the weights of the vectors",), schema.n_rows, len(drawn.rows), drawn.table)


def _without_choices(model: Any, given: _Given) -> PartitionsFit | None:
    drawn = given.sample(LEARNT_FROM)
    fitted = clone(model).fit(drawn.table, progress=given.progress)
    if len(drawn.rows) == drawn.n_rows:
        return PartitionsFit(fitted, (), drawn.n_rows, drawn.n_rows, drawn.table)
    sums = PartsSums(given.schema, given.work, fitted.classes_, given.progress)
    done = refit_by_sums(fitted, drawn.table, sums, given.schema.n_rows)
    return PartitionsFit(fitted, done, given.schema.n_rows, len(drawn.rows), drawn.table)


def _sampled(model: Any, given: _Given) -> PartitionsFit:
    drawn = given.sample(LEARNT_FROM)
    return PartitionsFit(clone(model).fit(drawn.table), (), drawn.n_rows, len(drawn.rows), drawn.table)


# Which models sums are enough for, themselves or within a wrapper for tables of any kind.
BY_SUMS: dict[type, Fitting] = {
    FisherDiscriminant: _fisher,
    FeatureVectorClassifier: _vectors,
    SepalClassifier: _without_choices,
}


# At how many points kernels are added up, about, and in how many passes.
SUMMED: dict[type, tuple[int, int]] = {FeatureVectorClassifier: (200, 3), SepalClassifier: (707, 3)}


def _unwrapped(model: Any, given: _Given) -> tuple[Any, View | None, Callable[[Any], Any]]:
    """The machine for numbers, what makes numbers of the rows, and what puts the fitted machine back."""
    if not isinstance(model, AnyTable):
        return model, None, lambda fitted: fitted
    view = given.view()
    return model.machine, view, lambda fitted: clone(model).keep(given.labelled(), view, fitted)


@checked(*PARTITION_PARAMETERS)
def fit_partitions(
    model: Any,
    source: Any,
    y: Any = None,
    *,
    target: str | int | None = None,
    n_sample: int = LEARNT_FROM,
    random_state: RandomState = 0,
    client: Any = None,
    cluster: str | None = None,
    workers: int | None = None,
    n_jobs: int | None = None,
    say: Callable[[PassPlan], object] | None = None,
    progress: Progress | None = None,
) -> PartitionsFit:
    """Fit a classifier to rows in partitions.

    :class:`sepal.machines.FisherDiscriminant` is fitted to all rows by sums; so are the weights of the vectors of
    :class:`sepal.machines.FeatureVectorClassifier`, and the kernels and the plane of
    :class:`sepal.auto.SepalClassifier`, whose vectors, widths and trees are those of a sample. Every other model is
    fitted to a sample.

    Parameters
    ----------
    model : estimator
        A classifier of Sepal or scikit-learn's manner; it is cloned.
    source, y, target
        As in :func:`partitioned`.
    n_sample : int
        Rows that are brought together, at most. Feature vectors are chosen among 20,000 of them.
    random_state : int, Generator or None
        For the sample.
    client, cluster, workers, n_jobs, say, progress
        As in :func:`measure_partitions`.

    Returns
    -------
    PartitionsFit

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import sepal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for i in range(2):
    ...         _ = Path(folder, f"{i}.csv").write_text("a,class\\n1,x\\n2,x\\n7,y\\n8,y\\n")
    ...     fit_partitions(sepal.KNNClassifier(1), folder, n_sample=6)
    KNNClassifier: fitted to a stratified random sample of 6 of 8 rows
    """
    how = {"n_sample": n_sample, "random_state": random_state, "client": client, "cluster": cluster}
    parts = partitioned(source, y, target=target)
    return fit_made(lambda like: model, parts, workers=workers, n_jobs=n_jobs, say=say, progress=progress, **how)


def fit_made(
    make: Callable[[Table], Any],
    source: Partitioned,
    *,
    missing: Missing = "distance",
    n_sample: int = LEARNT_FROM,
    random_state: RandomState = 0,
    client: Any = None,
    cluster: str | None = None,
    workers: int | None = None,
    n_jobs: int | None = None,
    say: Callable[[PassPlan], object] | None = None,
    progress: Progress | None = None,
) -> PartitionsFit:
    """As :func:`fit_partitions`, of a model that is made once the columns are known: ``make`` gets them."""
    with place_of_work(client, cluster, workers, n_jobs) as work:
        schema = read_schema(source, work, missing, stage(progress, "reading columns"))
        given = _Given(schema, work, n_sample, random_state, progress)
        model = make(given.labelled())
        inner = model.machine if isinstance(model, AnyTable) else model
        way = BY_SUMS.get(type(inner))
        plan = _plan(model, inner, given)
        if say is not None:
            say(plan)
        found = None if way is None else way(model, given)
        return replace(_sampled(model, given) if found is None else found, plan=plan)


def _plan(model: Any, inner: Any, given: _Given) -> PassPlan:
    """What will be done: rows drawn, a model fitted to them, and what sums over all rows add to it."""
    schema, work, name = given.schema, given.work, type(inner).__name__
    if type(inner) is FisherDiscriminant and schema.like.n_columns <= MOST_ADDED:
        return PassPlan.of(schema, work, (adding_step(schema, work, f"{name} by sums over all rows, in one pass"),))
    most = min(LANDMARKS_FROM if type(inner) is FeatureVectorClassifier else LEARNT_FROM, given.n_sample)
    n_rows = min(most, schema.n_rows)
    learning = PlanStep(f"{name} is fitted to them", learning_seconds(model, rows_to_try(schema, work), n_rows))
    steps = [drawing_step(schema, n_rows), learning]
    summed = SUMMED.get(type(inner))
    if summed is not None and n_rows < schema.n_rows:
        steps.append(kernels_step(schema, work, "what can be is fitted again by sums over all rows", *summed))
    return PassPlan.of(schema, work, tuple(steps), n_rows)
