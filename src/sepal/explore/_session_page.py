"""Answers as one HTML page: tables of what was found, with the code that gives the same."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from sepal.data import coded_target
from sepal.explore._actions import action_named
from sepal.explore._facts import as_lists
from sepal.explore._pictures import pictures
from sepal.explore._shelf import Shelf
from sepal.explore._view import TableView
from sepal.report import mark_svg, rendered

MOST_IN_LINE = 4  # values of a list that stand in one line
MOST_LINES = 60  # of a table; what is longer is told by its size
UNSAID = ("sepal", "kind", "table")  # what every answer repeats
# Beside the style that all pages of Sepal share.
OWN_STYLE = (
    "main>table,.scroll table{width:auto;margin:.25rem 0 .75rem}td,th{padding-right:1.2rem}tbody th{font-weight:400}"
    ".planes{margin:.75rem 0;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr))}"
    ".planes:has(.few){grid-template-columns:repeat(auto-fill,minmax(11rem,1fr))}.planes figure{max-width:38rem}"
    "figcaption{margin:.2rem 0 .6rem}"
)
MOST_KEYS = 24  # classes whose marks are explained


def session_page(shelf: Shelf, view: TableView, answers: Sequence[tuple[dict[str, Any], dict[str, Any] | None]]) -> str:
    """One self-contained page; actions without an answer are named as not run."""
    from sepal import __version__

    title = f"Sepal: {shelf.called(view.data)}"
    names = [_sentence(action_named(asked["action"]).help) for asked, _ in answers]
    listed = "".join(f"<li><a href='#a{at}'>{_safe(name)}</a></li>" for at, name in enumerate(names, start=1))
    parts = [_view_table(shelf, view), f"<ol>{listed}</ol>"]
    for number, (name, (asked, found)) in enumerate(zip(names, answers, strict=True), start=1):
        parts.append(f"<h2 id=a{number}>{number}. {_safe(name)}</h2>{_settings(asked)}")
        if found is None:
            parts.append("<p class=soft>This was not run.</p>")
            continue
        result = as_lists(found["result"])
        summary = result.get("summary") if isinstance(result, dict) else None
        parts.append(_figures(shelf, view, asked, result))
        parts.append(f"<pre>{_safe(summary)}</pre>" if isinstance(summary, str) else _section(result))
        code = f"{found['code']['shell']}\n{found['code']['python']}"
        parts.append(f"<details><summary>Code</summary><pre>{_safe(code)}</pre></details>")
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{_safe(title)}</title>"
        f"<meta name=viewport content='width=device-width'><style>{rendered('sepal.report/page.css.j2')}{OWN_STYLE}"
        f"</style></head><body><main><h1>{_safe(title)}</h1>{''.join(parts)}<p class=soft>sepal {__version__}</p>"
        "</main></body></html>\n"
    )


def _figures(shelf: Shelf, view: TableView, asked: dict[str, Any], result: Any) -> str:
    """The pictures of an answer, with the key of the classes where these are told by their marks."""
    space = shelf.space(view)
    settings = action_named(asked["action"]).settings(asked["parameters"])
    found = pictures(space, asked["action"], settings, result)
    few = " class=few" if asked["action"] == "data.summary" else ""
    drawn = "".join(f"<figure{few}>{each.svg}<figcaption>{_safe(each.caption)}</figcaption></figure>" for each in found)
    if not drawn:
        return ""
    labels = coded_target(space.table)[0] if any(each.classes for each in found) else None
    names = [] if labels is None else [str(label) for label in labels]
    key = "".join(f"<li>{mark_svg(code)}{_safe(name)}</li>" for code, name in enumerate(names[:MOST_KEYS]))
    key += f"<li>and {len(names) - MOST_KEYS} more classes</li>" if len(names) > MOST_KEYS else ""
    return (f"<ul class=key>{key}</ul>" if key else "") + f"<div class=planes>{drawn}</div>"


def _safe(text: Any) -> str:
    return html.escape(str(text))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _words(name: str) -> str:
    return name.replace("_", " ")


def _view_table(shelf: Shelf, view: TableView) -> str:
    said = {**view.to_dict(), "data": shelf.called(view.data)}
    return _section({name: value for name, value in said.items() if not _nothing(value)})


def _settings(asked: dict[str, Any]) -> str:
    said = [f"{_words(name)} {value}" for name, value in asked["parameters"].items() if not _nothing(value)]
    return f"<p class=soft>{_safe('; '.join([asked['action'], *said]))}</p>"


def _nothing(value: Any) -> bool:
    return value is None or value in ([], {}, "")


def _section(value: Any) -> str:
    """A fact; what an object holds of single values in one table, the rest below, each with its heading."""
    if not isinstance(value, dict):
        return _block(value)
    columns = _columns(value)
    single = {name: each for name, each in value.items() if name not in columns and _in_a_line(each)}
    lines = [f"<tr><th>{_safe(_words(n))}</th><td>{_cell(v)}</td></tr>" for n, v in single.items() if _said(n, v)]
    parts = [f"<table><tbody>{''.join(lines)}</tbody></table>" if lines else ""]
    if columns:
        parts.append(_table(list(columns), list(zip(*columns.values(), strict=True))))
    for name, each in value.items():
        if name not in single and name not in columns and _said(name, each):
            inner = _section(each) if isinstance(each, dict) else _block(each)
            parts.append(f"<h3>{_safe(_words(name))}</h3>{inner}" if inner else "")
    return "".join(parts)


def _in_a_line(value: Any) -> bool:
    return not isinstance(value, dict) and (
        not isinstance(value, list) or (len(value) <= MOST_IN_LINE and not any(map(_is_nested, value)))
    )


def _said(name: str, value: Any) -> bool:
    return name not in UNSAID and not _nothing(value)


def _columns(value: dict[str, Any]) -> dict[str, list[Any]]:
    """Lists of one length that stand beside each other: the columns of a table."""
    lists = {n: v for n, v in value.items() if isinstance(v, list) and len(v) > 1 and not any(map(_is_nested, v))}
    sizes = [len(each) for each in lists.values()]
    most = max(sizes, key=sizes.count, default=0)
    found = {name: each for name, each in lists.items() if len(each) == most}
    return found if len(found) > 1 else {}


def _is_nested(value: Any) -> bool:
    return isinstance(value, (dict, list))


def _block(value: Any) -> str:
    if not isinstance(value, list):
        return f"<p>{_cell(value)}</p>"
    if not any(map(_is_nested, value)):
        return f"<p>{', '.join(map(_cell, value))}</p>" if len(value) <= MOST_LINES else _too_long(value)
    if all(isinstance(each, dict) for each in value):
        names = list(
            dict.fromkeys(n for each in value for n, cell in each.items() if not _nothing(cell) and _in_a_line(cell))
        )
        return _table(names, [[each.get(name) for name in names] for each in value])
    if all(isinstance(each, list) for each in value):
        return _table([], value)
    return _too_long(value)


def _table(names: list[str], rows: Sequence[Sequence[Any]]) -> str:
    if len(rows) > MOST_LINES or any(len(row) > MOST_LINES for row in rows):
        return _too_long(rows)
    numbers = [all(isinstance(row[at], (int, float, type(None))) for row in rows) for at in range(len(names))]
    marks = [" class=n" if number else "" for number in numbers] or [" class=n"] * MOST_LINES
    head = "".join(f"<th{mark}>{_safe(_words(name))}</th>" for name, mark in zip(names, marks, strict=False))
    lines = (
        "<tr>" + "".join(f"<td{mark}>{_cell(cell)}</td>" for cell, mark in zip(row, marks, strict=False)) + "</tr>"
        for row in rows
    )
    return f"<div class=scroll><table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"


def _cell(value: Any) -> str:
    if value is None:
        return "&ndash;"
    if _is_nested(value):
        return ", ".join(map(_cell, value))
    return _safe(f"{value:.4g}" if isinstance(value, float) else value)


def _too_long(rows: Sequence[Any]) -> str:
    return f"<p class=soft>{len(rows):,} lines: too many for this page; the code below gives them.</p>"
