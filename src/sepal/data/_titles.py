"""What may stand above the header of a delimited text: Excel's ``sep=;``, and titles."""

from __future__ import annotations

import re

from sepal.data._dialect import DELIMITERS

_TITLE_LINES, _TITLE_CHARACTERS = 10, 20_000  # lines above a header, and how far they are looked for
# A cell in double quotes, with backslashes before quotes or without, or else what stands between quotes in a line: what
# they hold is no sign between cells.
_END = r"(?=[ \t]*(?:[,;|\t\n]|\Z))"
_CELL = rf'(?:\A|(?<=[,;|\t\n])) *+"(?:(?:[^"\\]|""|\\.)*+"{_END}|(?:[^"]|"")*+"{_END})'
_SINGLE = rf"(?:\A|(?<=[,;|\t\n])) *+'(?:[^'\n]|'')*+'{_END}"
_QUOTED = re.compile(rf'{_CELL}|"[^"\n]*+"|{_SINGLE}', re.DOTALL)
_HIDDEN = str.maketrans(dict.fromkeys(",;|\t\n", "_"))


def declared_delimiter(text: str) -> tuple[str, str | None]:
    """The text with Excel's first line ``sep=;`` made blank, and the delimiter it declares."""
    first, newline, rest = text.partition("\n")
    said = first.strip(' "')
    if not newline or said[:4].lower() != "sep=" or len(said) != 5 or said[4] not in DELIMITERS:
        return text, None
    return "\n" + rest, said[4]


def without_title(text: str) -> tuple[str, str | None]:
    """The text with the lines above its header made blank, and the first of them; None where there are none.

    A title has none of the signs between cells; below it at least three lines have as many as each other, and the first
    of these holds names only. A first line with as many of another sign as the second and most others is no title: that
    sign stands between the cells, and these may hold others. Signs and line breaks inside quotes do not count.
    """
    head = _QUOTED.sub(lambda found: found[0].translate(_HIDDEN), text[:_TITLE_CHARACTERS]).split("\n")
    filled = [i for i, line in enumerate(head[:-1]) if line.strip()]
    found = {delimiter: [head[i].count(delimiter) for i in filled] for delimiter in (",", ";", "\t", "|")}
    for counts in found.values():
        if len(counts) > 1 and counts[0] == counts[1] > 0 and 2 * counts.count(counts[0]) > len(counts):
            return text, None
    for delimiter, counts in found.items():
        first = next((k for k, count in enumerate(counts) if count), 0)
        below = counts[first : first + _TITLE_LINES]
        if not 0 < first <= _TITLE_LINES or len(below) < 3 or len(set(below)) > 1:
            continue
        if all(_is_name(cell) for cell in head[filled[first]].split(delimiter)):
            above = text[: sum(len(line) + 1 for line in head[: filled[first]])]
            title = above[sum(len(line) + 1 for line in head[: filled[0]]) :][: len(head[filled[0]])]
            return "\n" * above.count("\n") + text[len(above) :], _bare(title.strip())
    return text, None


def _bare(title: str) -> str:
    bare = title[1:-1]
    return bare if title == f'"{bare}"' and '"' not in bare else title


def _is_name(cell: str) -> bool:
    bare = cell.strip().strip("\"'")
    return bool(bare) and not bare[0].isdigit() and bare[0] not in "+-.,"
