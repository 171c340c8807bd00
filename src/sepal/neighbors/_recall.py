"""What stands beside every result that approximate neighbours entered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sepal.exceptions import ParameterError

APPROXIMATE = "approximate neighbours"  # how a note that tells recall begins


def recall_said(notes: Sequence[str]) -> str:
    """The note that tells recall, to be put behind a result; nothing where neighbours are exact.

    >>> recall_said(["approximate neighbours: 98.5% are found"]), recall_said(["exact"])
    ('; approximate neighbours: 98.5% are found', '')
    """
    return "".join(f"; {note}" for note in notes if note.startswith(APPROXIMATE))


def refuse_approximate(search: Any, what: str, hint: str) -> None:
    """Refuse approximate neighbours where their recall cannot stand beside the result."""
    if getattr(search, "found_by", None) == "approximate":
        raise ParameterError(f"{what} cannot tell the recall of approximate neighbours", hint=hint)
