"""What was noted when files were read, once for all of them: of notes that say the same the first one is kept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sepal.data import plural

# Of the rows of one file: of all rows together it need not be true.
_OF_ONE_FILE = ("only one distinct value in ", "not a single value in ")
# Names of columns stay, cells and numbers go.
_COLUMN_OR_CELL = re.compile(r'(column "[^"]*")|"[^"]*"|[0-9][0-9.,e+-]*')
_WHERE = re.compile(r" \(in .*\)$")
_LINES = re.compile(r"(line  has )(, line  has )*( and  more)?")


@dataclass(frozen=True)
class PartNote:
    """A note about a file, and about so many others that say the same.

    Examples
    --------
    >>> print(PartNote("numbers were read without percent signs", "a.csv", 3))
    numbers were read without percent signs (in a.csv and 2 more partitions)
    """

    text: str
    label: str
    n_parts: int = 1

    def __str__(self) -> str:
        more = self.n_parts - 1
        others = f" and {more:,} more {plural(more, 'partition')}" if more else ""
        return f"{self.text} (in {self.label}{others})"


def reading_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Those of the notes of a table that say how its cells were read.

    Examples
    --------
    >>> reading_notes(['only one distinct value in column "x"', 'dates in column "d" were turned into seconds'])
    ('dates in column "d" were turned into seconds',)
    """
    return tuple(note for note in notes if not note.startswith(_OF_ONE_FILE))


def same_fact(note: str) -> str:
    """The note without its file, and the cells and numbers it gives as examples: two files say the same with others.

    Examples
    --------
    >>> same_fact('numbers in column "x1" were read without decimal commas: "0,5" is 0.5')
    'numbers in column "x1" were read without decimal commas:  is '
    """
    text = _WHERE.sub("", note)
    return _LINES.sub("lines", _COLUMN_OR_CELL.sub(lambda found: found[1] or "", text))


class NotesOfAll:
    """The notes of all partitions, added up in any order."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[int, int, str, str]] = {}
        self._count: dict[str, int] = {}

    def add(self, notes: Iterable[str], at: int, label: str) -> None:
        """Those of the partition at a place."""
        for order, note in enumerate(notes):
            fact = same_fact(note)
            self._count[fact] = self._count.get(fact, 0) + 1
            if fact not in self._first or (at, order) < self._first[fact][:2]:
                self._first[fact] = (at, order, note, label)

    @property
    def told(self) -> tuple[PartNote, ...]:
        """Each once, in the order of the partitions that say them first."""
        found = sorted((first, fact) for fact, first in self._first.items())
        return tuple(PartNote(note, label, self._count[fact]) for (_, _, note, label), fact in found)
