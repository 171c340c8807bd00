"""The page of all experiments: facts, tables, pictures and what in the sources is wrong."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sepal.report import rendered
from sepal.reproduce._errors import ERRORS
from sepal.reproduce._facts import Fact
from sepal.reproduce._registry import EXPERIMENTS, GROUPS
from sepal.reproduce._store import Stored, paths


def index_page(folder: Path, found: Sequence[Stored]) -> str:
    """One page with everything in it; the SVG and JSON files are linked beside."""
    from sepal import __version__

    shown = {each.id: _section(folder, each) for each in found}
    groups = [
        {
            "letter": letter,
            "source": source,
            "sections": [part for key, part in shown.items() if key.startswith(letter)],
        }
        for letter, source in GROUPS.items()
    ]
    compared = [fact for each in found for fact in each.result.facts if fact.published is not None]
    return rendered(
        "sepal.reproduce/index.html.j2",
        version=__version__,
        groups=[group for group in groups if group["sections"]],
        tiles=(
            ("experiments", f"{len(found)} of {len(EXPERIMENTS)}", "on this page"),
            ("figures", f"{sum(len(each.result.facts) for each in found)}", "computed anew"),
            ("with a published figure", f"{len(compared)}", "ours beside theirs"),
            ("time", f"{sum(each.seconds for each in found):.0f} s", "for all of them"),
        ),
        quick=[each.id for each in found if each.quick],
        errors=ERRORS,
        there=set(shown),
    )


def _section(folder: Path, kept: Stored) -> dict[str, Any]:
    experiment = EXPERIMENTS[kept.id]
    image = base64.b64encode(paths(folder, kept.id)["png"].read_bytes()).decode()
    facts = kept.result.facts
    return {
        "id": kept.id,
        "title": experiment.title,
        "said": experiment.said,
        "sentence": kept.result.sentence,
        "facts": [_line(fact) for fact in facts],
        "compared": any(fact.published is not None for fact in facts),
        "explained": any(fact.reason for fact in facts),
        "tables": kept.result.tables,
        "image": f"data:image/png;base64,{image}",
        "quick": kept.quick,
        "seconds": f"{kept.seconds:.1f} s",
    }


def _line(fact: Fact) -> dict[str, str]:
    apart, whole = fact.difference, isinstance(fact.ours, int) and isinstance(fact.published, int)
    return {
        "name": fact.name + (f", {fact.unit}" if fact.unit else ""),
        "ours": fact.shown(fact.ours),
        "published": fact.shown(fact.published),
        "difference": "" if apart is None else f"{apart:+,.{0 if whole else fact.digits}f}",
        "why": fact.reason,
    }
