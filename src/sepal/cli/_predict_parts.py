"""``sepal predict`` over partitions: each is answered and written in turn, into a file that is whole or not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sepal.cli._answer_table import beside, shares
from sepal.cli._new_rows import tell_notes
from sepal.cli._output import rows_text, wants_json, write_out
from sepal.cli._partitions import tell_plan
from sepal.cli._score import Answers
from sepal.data import is_identifier_name, label_cells
from sepal.exceptions import ParameterError

if TYPE_CHECKING:
    from sepal.scale import PartAnswers, PassPlan


@dataclass
class PartWriter:
    """Makes the lines of one partition after the other, and remembers what is to be said at the end."""

    fitted: Any
    score: Answers
    all_columns: bool
    escape_formulas: bool
    others: list[str] = field(default_factory=list)
    known: Sequence[str] = ()  # notes about the training rows

    def say(self, plan: PassPlan) -> None:
        """The plan, and what was noted when the files were read, but for what was known of the training rows."""
        from sepal.scale import same_fact

        tell_plan(plan)
        said = {same_fact(note) for note in self.known}
        tell_notes(str(note) for note in plan.notes if same_fact(note.text) not in said)

    @property
    def apart(self) -> set[str]:
        """Columns that were identifiers in training."""
        return {each.name for each in getattr(getattr(self.fitted, "columns_", None), "apart", ())}

    def wants(self, name: str) -> bool:
        """Whether a column is written beside the answers, or compared with them."""
        return self.all_columns or name == self.score.target or name in self.apart or is_identifier_name(name)

    def tried(self, some: PartAnswers) -> None:
        """Make the lines of some rows and let them go: how long that takes is part of the plan."""
        list(replace(self, score=deepcopy(self.score), others=[]).lines(iter([some])))

    def lines(self, found: Iterator[PartAnswers]) -> Iterator[str]:
        """The text of each partition; the first begins with the names of the columns."""
        wanted = {str(name) for name in self.fitted.feature_names_in_}
        for part in found:
            answers: dict[str, list[Any]] = {"prediction": part.predictions.tolist()}
            if part.probabilities is not None:
                answers |= shares(self.fitted.classes_.tolist(), part.probabilities)
            self.others = [name for name in part.names if name not in wanted and name != self.score.target]
            table, rows = part.table, [part.first_row + i for i in range(len(part.predictions))]
            if table is not None and self.score.target in table.names:
                truth = label_cells(table, table.names.index(self.score.target), self.score.like)
                self.score.count(answers["prediction"], truth)
            known = self.apart | set(part.identifiers)
            named = [name for name in self.others if name in known or is_identifier_name(name)]
            columns = {"row": rows, **answers}
            if table is not None:
                columns = beside(answers, table, rows, named, self.all_columns)
            yield rows_text("predictions", columns, False, self.escape_formulas, header=part.first_row == 0)


def predict_parts(
    model: Path, new: str, out: Path | None, as_json: bool, writer: PartWriter, where: dict[str, Any]
) -> None:
    """Write the answers to all partitions as one table."""
    if out is None or wants_json(as_json, out):
        raise ParameterError(
            f"{new}: the answers to rows in partitions are written as CSV into a file", hint="give --out out.csv"
        )
    from sepal.scale import partitioned, predict_partitions

    source = partitioned(new, target=False)
    found = predict_partitions(model, source, columns=writer.wants, say=writer.say, use=writer.tried, **where)
    write_out(out, writer.lines(found), "The predictions are")
