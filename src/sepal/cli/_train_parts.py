"""``sepal train`` of rows in partitions: by sums over all of them where the learner allows, else on a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from sepal.cli._learners import Chosen, default_learner, learner_named, make_learner
from sepal.cli._options import MissingChoice
from sepal.cli._partitions import partitions_given
from sepal.cli._reading import Reading
from sepal.exceptions import ParameterError

if TYPE_CHECKING:
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
    found = fit_made(make, source, missing=missing.value, random_state=chosen.seed, **where)
    typer.echo(f"note: {found}", err=True)
    return name[0], found
