"""What a column is, as one word of a command line: ``size=S<M<L``."""

from __future__ import annotations

import csv
from collections.abc import Sequence


def kind_words(name: str, kind: str | Sequence[object]) -> str:
    """A column and its kind, or its levels in order; a level that holds <, = or a quote stands in double quotes.

    >>> kind_words("size", "nominal"), kind_words("age", ("<18", "18-65", ">=65"))
    ('size=nominal', 'age="<18"<18-65<">=65"')
    """
    if isinstance(kind, str):
        return f"{name}={kind}"
    if len(kind) == 1:
        return f"{name}={_quoted(str(kind[0]), always=True)}"
    return f"{name}={'<'.join(_quoted(str(level)) for level in kind)}"


def kind_said(text: str) -> tuple[str, str | list[str]] | None:
    """The column and its kind, or its levels; None where the text says none.

    >>> kind_said("size=nominal"), kind_said('age="<18"<18-65<">=65"'), kind_said("age")
    (('size', 'nominal'), ('age', ['<18', '18-65', '>=65']), None)
    """
    signs = [at for at, sign in enumerate(text) if sign == "="]
    # The last one that stands outside of quotes, unless the name has a quote of its own.
    place = max((at for at in signs if text[:at].count('"') % 2 == 0), default=signs[-1] if signs else 0)
    name, kind = text[:place], text[place + 1 :]
    if not name or not kind:
        return None
    if "<" not in kind and not kind.startswith('"'):
        return name, kind
    levels = next(csv.reader([kind], delimiter="<", skipinitialspace=True), [])
    return name, [level.strip() for level in levels]


def _quoted(level: str, always: bool = False) -> str:
    if not always and not set(level) & set('<="\r\n'):
        return level
    return '"' + level.replace('"', '""') + '"'
