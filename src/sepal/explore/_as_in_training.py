"""Another file, read as the training rows were: by the command and by the Explorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sepal.data import Table

Kinds = Mapping[str, Any]


def read_as_in(
    training: Table, read: Callable[[dict[str, Any], list[str]], Table], kinds: Kinds, ids: Sequence[str]
) -> tuple[Table, dict[str, Any], list[str]]:
    """The table that ``read`` makes of kinds and identifiers, and those that were needed.

    It is read a second time where a column was taken in another way than in training.
    """
    asked, named = dict(kinds), list(ids)
    table = read(asked, named)
    more_kinds, more_ids = kinds_as_in(training, table), _identifiers_as_in(training, table)
    if not more_kinds and not more_ids:
        return table, asked, named
    asked, named = {**asked, **more_kinds}, [*named, *more_ids]
    return read(asked, named), asked, named


def kinds_as_in(training: Table, table: Table) -> dict[str, str]:
    """Columns that were read or set apart in another way than in training, and what they are there."""
    found = {}
    read, apart = dict(zip(table.names, table.kinds, strict=True)), {each.name for each in table.apart}
    for name, levels in zip(training.names, training.levels, strict=True):
        texts = levels is not None and any(isinstance(level, str) for level in levels)
        if name in apart or (texts and read.get(name) == "numeric"):
            found[name] = "nominal" if texts else "numeric"
    return found


def _identifiers_as_in(training: Table, table: Table) -> list[str]:
    return [each.name for each in training.apart if each.name in table.names]
