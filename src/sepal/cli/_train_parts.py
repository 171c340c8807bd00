"""``sepal train`` of rows in partitions: by sums over all of them where the learner allows, else on a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from sepal.cli._learners import Chosen, default_learner, learner_named, make_learner
from sepal.cli._new_rows import tell_notes
from sepal.cli._options import MissingChoice
from sepal.cli._partitions import partitions_given, tell_plan
from sepal.cli._reading import Reading
from sepal.data import plural
from sepal.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sepal.data import Table
    from sepal.scale import PartitionsFit


def refuse_constant(name: str) -> None:
    """A learner that always answers the same needs no file."""
    if name in ("majority", "mean"):
        raise ParameterError(f"--learner {name}: it always answers the same, and needs no model file")


def fitted_to_parts(
    data: str,
    target: str | None,
    reading: Reading,
    learner: str | None,
    chosen: Chosen,
    missing: MissingChoice,
    where: dict[str, Any],
) -> tuple[str, PartitionsFit]:
    """The name of the learner, and what was fitted; how it was is said on stderr."""
    from sepal.scale import fit_made

    name = [""]

    def make(like: Table) -> Any:
        name[0] = learner_named(learner) or default_learner(chosen.options, like, "classify")
        refuse_constant(name[0])
        return make_learner(name[0], chosen, like)

    source = partitions_given(data, target, reading)
    found = fit_made(make, source, missing=missing.value, random_state=chosen.seed, say=tell_plan, **where)
    typer.echo(f"note: {found}", err=True)
    tell_notes(map(str, () if found.plan is None else found.plan.notes))
    return name[0], found


def tell_evaluating(names: Sequence[str], chosen: Chosen, table: Table, held_out: int | float | str) -> None:
    """About how long the learners take for all folds, by trials on some of the rows; said on stderr."""
    from sepal.scale import learning_seconds, spoken

    folds = table.n_rows if held_out == "loo" else held_out if isinstance(held_out, int) else 1
    share = held_out if isinstance(held_out, float) else 1 - 1 / max(folds, 2)
    learners = [make_learner(name, chosen, table) for name in names if name not in ("majority", "mean")]
    rows = int(share * table.n_rows)
    each = [learning_seconds(learner, table, rows, (1 - share) / share) for learner in learners]
    if None in each:
        return
    seconds = folds * sum(one for one in each if one is not None)
    times = f"{folds:,} times" if folds > 1 else "once"
    typer.echo(
        f"learning: {len(learners)} {plural(len(learners), 'learner')}, each fitted {times} to {rows:,} rows, "
        f"about {spoken(seconds)}",
        err=True,
    )
