"""Answers as one HTML page: tables of what was found, with the code that gives the same."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from sepal.explore._facts import as_lists
from sepal.explore._shelf import Shelf
from sepal.explore._view import TableView

MOST_CELLS = 400  # of a list or table; more is told in numbers
PAGE_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:.5rem 0;font-variant-numeric:tabular-nums}"
    "td,th{padding:.15rem .7rem .15rem 0;text-align:left;vertical-align:top;overflow-wrap:anywhere}"
    "pre{overflow:auto;padding:.6rem;border:1px solid #8886}h2{margin-top:2.2rem}.more{opacity:.7}"
)


def session_page(shelf: Shelf, view: TableView, answers: Sequence[tuple[dict[str, Any], dict[str, Any] | None]]) -> str:
    """One self-contained page; actions without an answer are named as not run."""
    from sepal import __version__

    title = f"Sepal: {shelf.called(view.data)}"
    parts = [_view_table(shelf, view)]
    for number, (asked, found) in enumerate(answers, start=1):
        parts.append(f"<h2 id=a{number}>{number}. {html.escape(asked['action'])}</h2>")
        parts.append(_settings(asked["parameters"]))
        if found is None:
            parts.append("<p class=more>This was not run.</p>")
            continue
        result = as_lists(found["result"])
        summary = result.get("summary") if isinstance(result, dict) else None
        parts.append(f"<pre>{html.escape(summary)}</pre>" if isinstance(summary, str) else _value(result))
        code = f"{found['code']['shell']}\n{found['code']['python']}"
        parts.append(f"<details><summary>Code</summary><pre>{html.escape(code)}</pre></details>")
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{html.escape(title)}</title>"
        f"<meta name=viewport content='width=device-width'><style>{PAGE_STYLE}</style></head><body>"
        f"<h1>{html.escape(title)}</h1>{''.join(parts)}<p class=more>sepal {__version__}</p></body></html>\n"
    )


def _view_table(shelf: Shelf, view: TableView) -> str:
    said = {**view.to_dict(), "data": shelf.called(view.data)}
    return _value({name: value for name, value in said.items() if value not in (None, [], {})})


def _settings(settings: dict[str, Any]) -> str:
    said = {name: value for name, value in settings.items() if value is not None}
    return f"<p>{html.escape(', '.join(f'{name} {value}' for name, value in said.items()))}</p>" if said else ""


def _value(value: Any, depth: int = 0) -> str:
    """Any fact: objects as tables, lists of numbers in a line, long ones by their number only."""
    if isinstance(value, dict):
        rows = (f"<tr><th>{html.escape(str(k))}</th><td>{_value(v, depth + 1)}</td></tr>" for k, v in value.items())
        return f"<table>{''.join(rows)}</table>"
    if isinstance(value, list):
        if _cells(value) > MOST_CELLS:
            return f"<span class=more>{_shape(value)}; in the JSON beside this page</span>"
        if value and all(isinstance(each, dict) for each in value):
            return _records(value, depth)
        if value and all(isinstance(each, list) for each in value):
            rows = ("<tr>" + "".join(f"<td>{_value(c, depth + 1)}</td>" for c in row) + "</tr>" for row in value)
            return f"<table>{''.join(rows)}</table>"
        return ", ".join(_value(each, depth + 1) for each in value)
    if value is None:
        return "&ndash;"
    return html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))


def _records(records: list[dict[str, Any]], depth: int) -> str:
    names = list(dict.fromkeys(name for record in records for name in record))
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    rows = ("<tr>" + "".join(f"<td>{_value(r.get(n), depth + 1)}</td>" for n in names) + "</tr>" for r in records)
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _cells(value: Any) -> int:
    if isinstance(value, dict):
        return sum(_cells(each) for each in value.values())
    return sum(_cells(each) for each in value) if isinstance(value, list) else 1


def _shape(value: list[Any]) -> str:
    inner = len(value[0]) if value and isinstance(value[0], list) else None
    return f"{len(value):,} entries" if inner is None else f"{len(value):,} x {inner:,} entries"
