"""CSV, TSV and their relatives."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from sepal.data._columns import Column, KindsSpec, Wanted, resolve_kinds
from sepal.data._decimal_signs import Says, settled_sign, unsure_notes
from sepal.data._dialect import Dialect, records, sniff
from sepal.data._error_words import Origin, listed, shown
from sepal.data._growing import Growing
from sepal.data._messy_cells import is_bare_number
from sepal.data._parsed_numbers import MISSING, parsed_numbers
from sepal.data._source import BLOCK_ROWS, NoRowsError, Source, TargetSpec, Wishes, folders_only, unused_columns
from sepal.data._titles import declared_delimiter, without_title
from sepal.exceptions import DataError


@dataclass(frozen=True)
class CellRules:
    """``missing`` are marks of missing cells besides the usual ones; ``delimiter`` is one that is known.

    ``numbers`` are, by column, cells that are numbers whatever the decimal sign.
    """

    missing: frozenset[str] = frozenset()
    delimiter: str | None = None
    numbers: Mapping[int, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Rows:
    """The rows of a text below its header; they can be read as often as there is need."""

    text: str
    dialect: Dialect
    origin: Origin
    skip: int
    names: Sequence[str]
    rules: CellRules

    def column(self, position: int, *, is_text: bool) -> Growing:
        known = self.rules.numbers.get(position, frozenset())
        return Growing(self.names[position], position, is_text, self.rules.missing, known)

    def fill(self, columns: Sequence[Growing], lines: array[int] | None = None) -> None:
        """Feed all rows to the columns, block by block; ``lines`` collects where each row starts."""
        rows = islice(records(self.text, self.dialect, self.origin), self.skip, None)
        while block := list(islice(rows, BLOCK_ROWS)):
            if lines is not None:
                for line, cells in block:
                    if len(cells) != len(self.names):
                        raise _ragged(line, cells, len(self.names), self.dialect, self.origin, first=not lines)
                    lines.append(line)
            cells_by_column = list(zip(*(cells for _, cells in block), strict=True))
            for column in columns:
                column.add(cells_by_column[column.position], self.dialect.decimal)

    def as_texts(self, columns: Sequence[Growing], positions: Collection[int]) -> list[Growing]:
        """The columns, those at these positions read again as texts."""
        fresh = {position: self.column(position, is_text=True) for position in positions}
        if fresh:
            self.fill(list(fresh.values()))
        return [fresh.get(column.position, column) for column in columns]


def read_delimited(
    text: str, source: str, target: TargetSpec, kinds: KindsSpec | None, wishes: Wishes, rules: CellRules
) -> Source:
    """The columns of a delimited text, kinds from its cells and from ``kinds``, which may name columns of folders, too.

    Columns that ``wishes`` leave out, and that are no target, have no say in the decimal sign.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text += "" if text.endswith("\n") else "\n"
    text, said = declared_delimiter(text)
    text, title = (text, None) if said else without_title(text)
    lines = array("Q")
    origin = Origin(source, lines.__getitem__)
    dialect = sniff(text, origin, said or rules.delimiter)
    first = next(records(text, dialect, origin), None)
    if first is None:
        raise DataError(f"{source}: the file holds blank lines only", hint="a header and rows are needed")
    names, notes, skip = _header(first, dialect)
    if title is not None:
        notes.insert(0, f"the lines above the header were left out: {shown(title)}")
    folders = [name for name, _ in folders_only(names, wishes.folders)]
    asked = {j for j, want in resolve_kinds(kinds, [*names, *folders]).items() if _wants_text(want)}
    rows = _Rows(text, dialect, origin, skip, names, rules)
    columns = [rows.column(j, is_text=j in asked) for j in range(len(names))]
    rows.fill(columns, lines)
    is_ghost = _is_unnamed(names, first[1]) and columns[-1].is_empty
    own = names[:-1] if is_ghost else names
    if not lines:
        raise NoRowsError(f"{source}: a header and no rows", hint="at least one row of data is needed", names=own)
    if is_ghost:
        notes.append("a delimiter at the end of every line was ignored")
    # Some looked numeric for the first blocks, whose texts are gone.
    late = [column.position for column in columns if column.turned_text and column.chunks_before > 0]
    columns = rows.as_texts(columns[: len(own)], late)
    unused = unused_columns([*own, *folders], len(own), target, wishes)
    heard = [_heard(column, dialect, column.position in asked, column.position in unused) for column in columns]
    decimal = settled_sign(heard, dialect.delimiter)
    # Signs that were taken as decimal ones may stand between thousands.
    misread = [j for j, each in enumerate(heard) if each.plain and each.unsure and decimal != dialect.decimal]
    if misread and not _points_stay(dialect):
        columns = rows.as_texts(columns, misread)
    else:
        notes += unsure_notes(heard, dialect.decimal, dialect.delimiter)

    def finished(column: Growing, is_asked: bool) -> Column:
        stays = _points_stay(dialect) and column.stands(dialect.decimal)
        return column.finish(dialect.decimal if stays else decimal, asked=is_asked, origin=origin)

    return Source(
        [finished(column, column.position in asked) for column in columns],
        origin,
        notes=tuple(notes),
        as_texts=lambda j: finished(rows.as_texts([columns[j]], [j])[0], is_asked=True),
        widened_by="cells may be separated by commas, semicolons, tabs, bars or blanks",
        soft_missing=True,
    )


def _points_stay(dialect: Dialect) -> bool:
    """Whether numbers with points are what they are, whatever others prove: next to commas they are hardly grouped."""
    return dialect.delimiter == ","


def _heard(column: Growing, dialect: Dialect, is_asked: bool, is_unused: bool) -> Says:
    """What a column says of the decimal sign; nothing where it is not used, or as texts and not next to semicolons."""
    if is_unused or (is_asked and dialect.delimiter != ";"):
        return Says(column.name)
    said = column.says(dialect.decimal)
    return replace(said, plain=said.plain or (_points_stay(dialect) and column.stands(dialect.decimal)))


def _is_unnamed(names: Sequence[str], header: Sequence[str]) -> bool:
    """Whether the last column has no name: a delimiter may stand at the end of every line."""
    return names[-1] == f"x{len(names)}" and header[-1].strip() == ""


def _wants_text(wanted: Wanted | None) -> bool:
    return wanted is not None and wanted not in ("numeric", "date")


def _header(first: tuple[int, list[str]], dialect: Dialect) -> tuple[list[str], list[str], int]:
    """Names, notes, and how many records to skip. Only a first row of numbers (and gaps) is no header."""
    cells = first[1]
    texts = [cell.strip() for cell in cells]
    present = [text for text in texts if text.lower() not in MISSING]
    numbers = sum(_is_number(text, dialect.decimal) for text in present)
    if present and numbers == len(present):
        notes = [f"the file has no header; its columns are called x1 to x{len(texts)}"]
        return [f"x{j + 1}" for j in range(len(texts))], notes, 0
    names = [text or f"x{j + 1}" for j, text in enumerate(texts)]
    notes = [f"column {j + 1} has no name and is called x{j + 1}" for j, text in enumerate(texts[:-1]) if not text]
    if numbers > len(present) / 2:
        notes.append(
            f"the first row was taken as the header though {numbers} of its {len(texts)} cells are numbers; "
            "if the file has no header, add one"
        )
    names, renamed = _unique_names(names)
    return names, [*notes, *renamed], 1


def _is_number(cell: str, decimal: str) -> bool:
    return parsed_numbers([cell], decimal) is not None or is_bare_number(cell)


def _unique_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Each name once: the second ``age`` is ``age_2``; and a note that says so."""
    taken, found, renamed = set(names), list[str](), list[str]()
    count: dict[str, int] = {}
    for name in names:
        count[name] = count.get(name, 0) + 1
        new = name
        while count[name] > 1 and new in taken:
            new = f"{name}_{count[name]}"
            count[name] += new in taken
        if new != name:
            taken.add(new)
            renamed.append(new)
        found.append(new)
    if not renamed:
        return found, []
    return found, [f"names that stood twice were made unique: {listed(renamed, 5)}"]


def _ragged(line: int, cells: list[str], width: int, dialect: Dialect, origin: Origin, *, first: bool) -> DataError:
    called = {"\t": "a tab", None: "blanks"}.get(dialect.delimiter, f'"{dialect.delimiter}"')
    if first and len(cells) == width + 1:
        hint = "the header is one name short; if the first column holds row names, give it a name"
    else:
        hint = f"cells are separated by {called} here; a text that contains it must be quoted"
    return DataError(f"{origin.line(line)}: expected {width} cells as in the header, found {len(cells)}", hint=hint)
