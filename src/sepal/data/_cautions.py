"""What a reader of results must know about a table, as facts with codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sepal.data._apart import Apart, why_apart
from sepal.data._error_words import listed, shown
from sepal.data._scaling import surely_vary

if TYPE_CHECKING:
    from sepal.data._table import Table

FEWEST_ROWS = 20  # of fewer rows a column determines the class too easily
ROWS_PER_VALUE = 5  # on average, from which on it is no chance that each value has one class
PROBED_ROWS = 1_000
MOST_NAMED = 5


@dataclass(frozen=True)
class Caution:
    """A fact about a table that changes how its results are to be read.

    Attributes
    ----------
    code : str
        Stable; for programs.
    text : str
        One sentence, for people.
    columns : tuple of str
        The columns it is about.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> table = as_table([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]], ["a", "b", "a"])
    >>> [(each.code, each.columns) for each in table.cautions]
    [('constant', ('x2',))]
    """

    code: str
    text: str
    columns: tuple[str, ...] = ()


_APART = {
    "row_number": "{name} numbers the rows",
    "identifier": "{name} is different in every row",
    "many_levels": "{name} has {distinct:,} different values",
    "text": "{name} holds texts",
}


def cautions_of(table: Table) -> tuple[Caution, ...]:
    """All cautions about a table, those that weigh most first."""
    return (
        *_determining(table),
        *_alike_classes(table),
        *(_apart_caution(each) for each in table.apart if each.why in _APART),
        *_asked_caution(table.apart),
        *_empty_caution(table.apart),
        *_text_cautions(table),
        *_suspicious(table),
        *constant_cautions(table.values, table.names),
    )


def _apart_caution(apart: Apart) -> Caution:
    what = _APART[apart.why].format(name=f"column {shown(apart.name)}", distinct=apart.distinct)
    option = f'"{apart.name}"' if " " in apart.name else apart.name
    kind = "numeric" if apart.values.dtype.kind in "iuf" else "nominal"
    text = f"{what}: set apart and not used; to use it, say what it is (kinds, --kind {option}={kind})"
    return Caution(f"set_apart_{apart.why}", text, (apart.name,))


def _asked_caution(apart: Sequence[Apart]) -> list[Caution]:
    names = [each.name for each in apart if each.why == "asked"]
    if not names:
        return []
    return [Caution("set_apart_asked", f"set apart as asked: {listed(names, MOST_NAMED)}", tuple(names))]


def _empty_caution(apart: Sequence[Apart]) -> list[Caution]:
    names = tuple(each.name for each in apart if each.why == "empty")
    if not names:
        return []
    return [Caution("set_apart_empty", f"not a single value in {columns_named(names)}: set apart and not used", names)]


def _text_cautions(table: Table) -> list[Caution]:
    names = [name for name, kind in zip(table.names, table.kinds, strict=True) if kind == "text"]
    told = "column {} holds texts: compared by the words in them"
    return [Caution("text", told.format(shown(name)), (name,)) for name in names]


def _suspicious(table: Table) -> list[Caution]:
    """Columns that would have been set apart in a file."""
    found = []
    for j, (name, kind) in enumerate(zip(table.names, table.kinds, strict=True)):
        why = why_apart(name, kind, table.values[:, j], table.levels[j])
        if why is not None:
            what = _APART[why[0]].format(name=f"column {shown(name)}", distinct=why[1])
            text = f"{what}; if it only says which row it is, leave it out"
            found.append(Caution(f"looks_like_{why[0]}", text, (name,)))
    return found


def _determining(table: Table) -> list[Caution]:
    if table.y is None or table.n_rows < FEWEST_ROWS:
        return []
    classes, codes = np.unique(np.asarray(table.y), return_inverse=True)
    if not 2 <= classes.size <= table.n_rows // ROWS_PER_VALUE:
        return []
    head = np.linspace(0, table.n_rows - 1, min(table.n_rows, PROBED_ROWS)).astype(np.intp)
    target = shown(table.target or "the class")
    found = []
    for j, name in enumerate(table.names):
        if table.kinds[j] == "text":
            continue
        values = table.values[:, j]
        if _determines(values[head], codes[head], classes.size, whole=False) and _determines(
            values, codes, classes.size, whole=True
        ):
            text = f"{shown(name)} determines {target}: remove it if it is not known beforehand"
            found.append(Caution("determines_class", text, (name,)))
    return found


def _determines(values: NDArray[np.float64], codes: NDArray[np.intp], n_classes: int, *, whole: bool) -> bool:
    """Whether equal values have equal classes, and either values repeat or each class is one interval of them."""
    present = ~np.isnan(values)
    if whole and not present.all():
        return False
    order = np.lexsort((codes[present], values[present]))
    v, c = values[present][order], codes[present][order]
    changes = c[1:] != c[:-1]
    if np.any(changes & (v[1:] == v[:-1])):
        return False
    if not whole:
        return True
    distinct = 1 + int(np.sum(v[1:] != v[:-1]))
    return distinct * ROWS_PER_VALUE <= v.size or int(changes.sum()) == n_classes - 1


def _alike_classes(table: Table) -> list[Caution]:
    if table.y is None or np.asarray(table.y).dtype.kind not in "OU":
        return []
    alike: dict[str, list[str]] = {}
    for label in dict.fromkeys(np.asarray(table.y).tolist()):
        if isinstance(label, str):
            alike.setdefault(" ".join(label.split()).casefold(), []).append(label)
    groups = [sorted(labels) for labels in alike.values() if len(labels) > 1]
    return [
        Caution("classes_alike", f"the classes {listed(group, MOST_NAMED)} differ by case or blanks only")
        for group in sorted(groups)
    ]


def columns_named(names: Sequence[str]) -> str:
    """One column by name, or how many and which."""
    if len(names) == 1:
        return f"column {shown(names[0])}"
    return f"{len(names)} columns: {listed(list(names), MOST_NAMED)}"


def constant_cautions(values: NDArray[np.float64], names: Sequence[str]) -> list[Caution]:
    """One sentence for all constant columns, one for all empty ones."""
    if surely_vary(values):
        return []
    head = values[:64]  # often enough to see that every column varies
    if head.size and (np.fmin.reduce(head, axis=0) < np.fmax.reduce(head, axis=0)).all():
        return []
    if not values.size:
        return []
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    constant = tuple(names[int(j)] for j in np.flatnonzero(low == high))
    empty = tuple(names[int(j)] for j in np.flatnonzero(np.isnan(low)))
    found = []
    if constant and values.shape[0] > 1:
        found.append(Caution("constant", f"only one distinct value in {columns_named(constant)}", constant))
    if empty:
        found.append(Caution("empty", f"not a single value in {columns_named(empty)}", empty))
    return found


def all_cautions(table: Any) -> tuple[Caution, ...]:
    """The cautions of a table, and its notes as cautions with the code ``note``; each sentence once.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> all_cautions(as_table([[1.0, 5.0], [2.0, 5.0]], ["x", "y"]))[0].code
    'constant'
    """
    known = {each.text: each for each in table.cautions}
    return tuple(known.get(text, Caution("note", text)) for text in caution_texts(table))


def caution_texts(table: Any) -> tuple[str, ...]:
    """Cautions and notes as sentences, each once."""
    return tuple(dict.fromkeys((*(caution.text for caution in table.cautions), *table.notes)))
