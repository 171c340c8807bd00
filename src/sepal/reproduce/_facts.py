"""What an experiment finds: numbers beside those that were published, tables, and what a picture needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from sepal.plots import styled

Value = float | int | str | None


@dataclass(frozen=True)
class Fact:
    """One figure: ours, the published one where there is one, and why they differ or agree.

    Attributes
    ----------
    name : str
        What was computed.
    ours, published : float, int, str or None
        Our figure, and the one in the source where it has one.
    why : str
        Why they agree or differ.
    unit : str
        Degrees, points, seconds; empty for plain numbers.
    digits : int
        Digits after the point on the page.

    Examples
    --------
    >>> fact = Fact("angle of the liver data", 3.85, 4.0, unit="degrees")
    >>> fact.difference
    -0.15
    """

    name: str
    ours: Value
    published: Value = None
    why: str = ""
    unit: str = ""
    digits: int = 2

    @property
    def difference(self) -> float | None:
        """Ours less the published one, where both are numbers."""
        if isinstance(self.ours, str) or isinstance(self.published, str) or None in (self.ours, self.published):
            return None
        return round(float(self.ours) - float(self.published), 12) + 0.0  # type: ignore[arg-type]

    @property
    def reason(self) -> str:
        """Why both agree or differ; where they agree to the digits shown, that is all there is to say."""
        if not self.why and self.published is not None and self.shown(self.ours) == self.shown(self.published):
            return "As published."
        return self.why

    def shown(self, value: Value) -> str:
        """A value as it stands on the page."""
        if value is None:
            return ""
        return value if isinstance(value, str) else f"{value:,.{0 if isinstance(value, int) else self.digits}f}"


@dataclass(frozen=True)
class FactTable:
    """A small table: a title, names of columns, rows of words.

    Attributes
    ----------
    title : str
        What stands above it.
    header : tuple of str
        The names of the columns.
    rows : tuple of tuple of str
        The cells, already in words.

    Examples
    --------
    >>> FactTable("ages", ("given", "normalised"), (("24", "0.08"),)).header
    ('given', 'normalised')
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Result:
    """What one experiment found.

    Attributes
    ----------
    sentence : str
        What it shows, in plain words.
    facts : tuple of Fact
    data : mapping
        Arrays and numbers that the picture is drawn from.
    tables : tuple of FactTable

    Examples
    --------
    >>> Result("the classes are apart", (Fact("index", 1.0),), {}).facts[0].ours
    1.0
    """

    sentence: str
    facts: tuple[Fact, ...]
    data: Mapping[str, Any]
    tables: tuple[FactTable, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """An entry of the list: what is asked, where it comes from, and the module that answers.

    Attributes
    ----------
    id : str
        Letter and number, as ``sepal reproduce --only`` takes them.
    title : str
        What is asked.
    module : str
        The module of ``sepal.reproduce`` that answers.
    said : str
        What the source says about it.

    Examples
    --------
    >>> from sepal.reproduce import EXPERIMENTS
    >>> EXPERIMENTS["E1"].title
    'Athletes: who will be selected?'
    """

    id: str
    title: str
    module: str
    said: str = field(default="")

    @property
    def code(self) -> Any:
        """The module, imported when it is needed."""
        return import_module(f"sepal.reproduce.{self.module}")

    def parameters(self, quick: bool) -> Mapping[str, Any]:
        """Those of the full or of the quick run."""
        found: Mapping[str, Any] = self.code.QUICK if quick else self.code.FULL
        return found

    def run(self, quick: bool = False) -> Result:
        """Find the facts."""
        found: Result = self.code.run(**self.parameters(quick))
        return found

    def draw(self, result: Result) -> Any:
        """The figure of what was found, in our style."""
        return styled(self.code.draw)(result)


def word_rows(columns: Sequence[Sequence[Any]]) -> tuple[tuple[str, ...], ...]:
    """Columns of a table as rows of words."""
    return tuple(tuple(str(cell) for cell in row) for row in zip(*columns, strict=True))
