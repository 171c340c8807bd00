"""The bundled sets as text and as JSON."""

from __future__ import annotations

from typing import Any

from sepal.cli._answers import as_json_text
from sepal.cli._output import Look
from sepal.data import SETS, Table, class_codes, load
from sepal.report import Page

MARK = "!"


def list_text(look: Look) -> str:
    """One line per set; a mark where there is a caution."""
    page = Page.new(look.width, look.color, look.unicode)
    page.heading("Bundled data sets")
    tables = {name: load(name) for name in SETS}
    rows = [
        [
            name,
            f"{table.n_rows:,}",
            f"{table.n_columns:,}",
            f"{len(class_codes(table)[1]):,}",
            MARK if SETS[name].cautions else "",
            SETS[name].title,
        ]
        for name, table in tables.items()
    ]
    header = ["name", "rows", "columns", "classes", MARK, "what it is"]
    if look.width < 76:
        header, rows = header[:-1], [row[:-1] for row in rows]
    page.table(header, rows, right=(1, 2, 3), wrap=(5,))
    page.paragraph(f"{MARK} has a caution: see 'sepal datasets NAME'.")
    return page.text()


def datasets_json(name: str | None) -> str:
    """The same facts as one JSON object: of one set, or of all."""
    if name is not None:
        return as_json_text("dataset", _facts(name))
    return as_json_text("datasets", {"sets": [_facts(each) for each in SETS]})


def _facts(name: str) -> dict[str, Any]:
    table = load(name)
    classes = class_codes(table)[1].tolist()
    return {
        "name": name,
        "title": SETS[name].title,
        "description": SETS[name].description,
        "n_rows": table.n_rows,
        "n_columns": table.n_columns,
        "n_missing": table.n_missing,
        "class_counts": {label: int((table.y == label).sum()) for label in classes},
        "columns": [{"name": each, "kind": kind} for each, kind in zip(table.names, table.kinds, strict=True)],
        "cautions": SETS[name].cautions,
        "citation": table.citation,
        "licence": table.licence,
    }


def describe_text(name: str, look: Look) -> str:
    """One set: what it is, its columns, where it comes from, what to beware of."""
    table = load(name)
    page = Page.new(look.width, look.color, look.unicode)
    page.heading(f"{name}: {SETS[name].title}")
    page.paragraph(SETS[name].description)
    counts = ", ".join(f"{label}: {int((table.y == label).sum()):,}" for label in class_codes(table)[1].tolist())
    page.pairs(
        [
            ("rows", f"{table.n_rows:,}" + (f", {table.n_missing:,} missing cells" if table.has_missing else "")),
            ("classes", counts),
            *_columns(table),
            *(("caution", caution) for caution in SETS[name].cautions),
            ("cite", table.citation),
            ("licence", table.licence),
        ]
    )
    return page.text()


def _columns(table: Table) -> list[tuple[str, str]]:
    """The names of the columns of each kind."""
    by_kind = {
        kind: [name for name, its_kind in zip(table.names, table.kinds, strict=True) if its_kind == kind]
        for kind in ("numeric", "ordinal", "nominal")
    }
    return [
        (kind, ", ".join(names) if len(names) <= 20 else f"{', '.join(names[:18])}, ... ({len(names)} columns)")
        for kind, names in by_kind.items()
        if names
    ]
