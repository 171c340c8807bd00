"""What stands beside every result: of how many rows it is, whether it is exact, and the recall where it is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sepal.exceptions import ParameterError

APPROXIMATE = "approximate neighbours"  # how a note that tells recall begins


def recall_note(recall: float, k: int, n_rows: int, how: str) -> str:
    """The note that goes with every result: which share of the k nearest is found, measured on so many rows.

    >>> recall_note(0.985, 10, 200, "4 of 80 cells are looked at")
    'approximate neighbours: 98.5% of the 10 nearest are found (recall, measured on 200 rows by exact searches; 4 of 80 cells are looked at)'
    """  # noqa: E501 - one line of output
    measured = f"recall, measured on {n_rows} rows by exact searches; {how}"
    return f"{APPROXIMATE}: {recall:.1%} of the {k} nearest are found ({measured})"


def recall_said(notes: Sequence[str]) -> str:
    """The note that tells recall, to be put behind a result; nothing where neighbours are exact.

    >>> recall_said(["approximate neighbours: 98.5% are found"]), recall_said(["exact"])
    ('; approximate neighbours: 98.5% are found', '')
    """
    return "".join(f"; {note}" for note in recall_among(notes))


def recall_html(notes: Sequence[str]) -> str:
    """The same as a paragraph of HTML."""
    return "".join(f"<p>{note}</p>" for note in recall_among(notes))


def recall_among(notes: Sequence[str]) -> tuple[str, ...]:
    """The notes that tell recall: one, or none where neighbours are exact."""
    return tuple(note for note in notes if note.startswith(APPROXIMATE))


def recall_told(notes: Sequence[str]) -> float | None:
    """The share that a note tells, to a thousandth; None where neighbours are exact.

    >>> recall_told(["approximate neighbours: 98.5% are found"]), recall_told(["exact"])
    (0.985, None)
    """
    said = recall_among(notes)
    return None if not said else round(float(said[0].removeprefix(f"{APPROXIMATE}: ").partition("%")[0]) / 100, 4)


def recall_in(model: Any) -> float | None:
    """The least ``recall_`` of a fitted estimator and of those inside it (steps, members, the best of a search).

    >>> from types import SimpleNamespace as Model
    >>> recall_in(Model(steps=[("scale", Model()), ("knn", Model(recall_=0.97))])), recall_in(Model(C=1.0))
    (0.97, None)
    """
    found, seen, waiting = [], set(), [model]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (list, tuple)):
            waiting += each
        elif isinstance(each, dict):
            waiting += each.values()
        elif hasattr(each, "__dict__") and not isinstance(each, type) and id(each) not in seen:
            seen.add(id(each))
            if isinstance(recall := getattr(each, "recall_", None), float):
                found.append(recall)
            elif each is model or hasattr(each, "get_params") or hasattr(each, "estimators_"):
                waiting += vars(each).values()
    return min(found, default=None)


class ToldOfRows:
    """What every result of rows has, of one table and of partitions: exact, rows_seen, recall, and the plan."""

    n_rows: int
    notes: tuple[str, ...]
    plan: Any

    @property
    def rows_seen(self) -> int:
        """Rows that asked, or took part."""
        return self.n_rows

    @property
    def recall(self) -> float | None:
        """Share of the neighbours that were found where they were searched approximately; else None."""
        return recall_told(self.notes)

    @property
    def exact(self) -> bool:
        """Whether all rows took part, and all neighbours were found."""
        return self.rows_seen == self.n_rows and self.recall is None


def refuse_approximate(search: Any, what: str, hint: str) -> None:
    """Refuse approximate neighbours where their recall cannot stand beside the result."""
    if getattr(search, "found_by", None) == "approximate":
        raise ParameterError(f"{what} cannot tell the recall of approximate neighbours", hint=hint)
