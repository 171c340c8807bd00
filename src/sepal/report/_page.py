"""A page of text: headings, paragraphs and tables, set with rich and wrapped to a width."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sepal.exceptions import MissingDependencyError

if TYPE_CHECKING:
    from rich.console import RenderableType

NARROWEST, WIDEST = 40, 100


@dataclass(frozen=True)
class Page:
    """Lines of text under headings, wrapped to a width."""

    console: Any
    buffer: io.StringIO
    width: int
    unicode: bool

    @classmethod
    def new(cls, width: int, color: bool, unicode: bool) -> Page:
        """An empty page."""
        try:
            from rich.console import Console
        except ModuleNotFoundError as error:
            raise MissingDependencyError(
                "the text of a report is set with rich, which is not installed", hint="pip install 'sepal-learn[app]'"
            ) from error
        width = min(max(width, NARROWEST), WIDEST)
        buffer = io.StringIO()
        console = Console(
            file=buffer,
            width=width,
            height=25,  # never used; without it rich reads COLUMNS, which may hold anything
            force_terminal=color,
            color_system="standard" if color else None,
            legacy_windows=False,
            emoji=False,
            markup=False,
            highlight=False,
        )
        return cls(console, buffer, width, unicode)

    def text(self) -> str:
        """What was written, without blanks at line ends."""
        return "\n".join(line.rstrip() for line in self.buffer.getvalue().strip("\n").split("\n")) + "\n"

    def heading(self, text: str) -> None:
        """A line of its own after an empty one."""
        from rich.text import Text

        self.console.print()
        self.console.print(Text(clean(text), style="bold cyan"))

    def paragraph(self, text: str | None, style: str = "") -> None:
        """Wrapped text; nothing for None."""
        if text:
            from rich.text import Text

            self._indented(Text(clean(text), style=style))

    def lines(self, lines: Iterable[str]) -> None:
        """Lines as they are."""
        from rich.text import Text

        for line in lines:
            self.console.print(Text("  " + line), no_wrap=True, overflow="crop", crop=True)

    def pairs(self, pairs: Iterable[tuple[str, str | None]]) -> None:
        """Names and what they are, in two columns; pairs without a value are left out."""
        rows = [(name, value) for name, value in pairs if value]
        self.table(None, [[name, value] for name, value in rows], wrap=(1,))

    def table(
        self,
        header: Sequence[str] | None,
        rows: Sequence[Sequence[str]],
        *,
        right: Sequence[int] = (),
        wrap: Sequence[int] = (),
    ) -> None:
        """Columns; those in ``right`` are numbers, those in ``wrap`` may take several lines.

        Numbers are never cut: where the columns of a table with a header do not fit, each row becomes a sentence.
        """
        from rich.table import Table
        from rich.text import Text

        if not rows:
            return
        if header is not None and not self._fits(header, rows, wrap):
            for row in rows:
                named = [f"{name} {cell}" for name, cell in zip(header, row, strict=True) if cell]
                self.paragraph(f"{named[0]}: {'; '.join(named[1:])}")
            return
        grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=header is not None, header_style="")
        for i in range(len(rows[0])):
            grid.add_column(
                Text(header[i], style="underline") if header else "",
                justify="right" if i in right else "left",
                no_wrap=i not in wrap,
                overflow="fold",
            )
        for row in rows:
            grid.add_row(*(Text(clean(cell)) for cell in row))
        self._indented(grid)

    def _fits(self, header: Sequence[str], rows: Sequence[Sequence[str]], wrap: Sequence[int]) -> bool:
        """Whether every column has room; one that may wrap needs that of its longest word, or a line's third."""
        need = 2
        for i, name in enumerate(header):
            cells = [name, *(row[i] for row in rows)]
            words = [word for cell in cells for word in (cell.split() or [""])] if i in wrap else cells
            need += min(max(map(len, words)), self.width // 3 if i in wrap else self.width) + 2
        return need - 2 <= self.width

    def _indented(self, content: RenderableType) -> None:
        from rich.padding import Padding

        self.console.print(Padding(content, (0, 0, 0, 2)))


def clean(text: str) -> str:
    """Without characters that could steer a terminal; data may hold anything."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def short(label: Any, most: int = 18) -> str:
    """A label that fits into a column."""
    text = clean(str(label))
    return text if len(text) <= most else text[: most - 3] + "..."
