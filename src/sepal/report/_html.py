"""The report as one page: no network, no script, light and dark, phone and paper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sepal.data import class_codes, names
from sepal.exceptions import MissingDependencyError
from sepal.measures._complexity_table import MEASURES
from sepal.measures._projections import jittered
from sepal.report._geometry_verdict import p_phrase, p_text
from sepal.report._svg import curve_svg, plane_svg, radar_svg
from sepal.report._verdict import percent

if TYPE_CHECKING:
    from sepal.report._separability import SeparabilityReport

MOST_PAIRS, MOST_COLUMNS, MOST_PLANES, MOST_SUSPECTS, MOST_GROUPS = 30, 15, 6, 20, 10
MOST_CLASSES = 40

SECTION_NAMES = {
    "angle": "Means and the angle between the classes",
    "suspects": "Rows to look at",
    "overlap": "Where classes mix",
    "complexity": "Complexity",
    "projections": "Columns and planes",
}


def html_page(report: SeparabilityReport, source: str | None = None) -> str:
    """The page as text."""
    try:
        from jinja2 import Environment
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "the HTML report is made with jinja2, which is not installed", hint="pip install 'sepal-learn[app]'"
        ) from error
    template = files("sepal.report").joinpath("templates", "report.html.j2").read_text(encoding="utf-8")
    page = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(template)
    return page.render(**page_content(report, source))


def page_content(report: SeparabilityReport, source: str | None) -> dict[str, Any]:
    """What the template shows; every number is a text already."""
    from sepal import __version__

    facts = report.facts
    return {
        "version": __version__,
        "title": facts.table.name or "Separability",
        "table": facts.table,
        "size": _size(report),
        "verdict": report.verdict,
        "tiles": _tiles(report),
        "classes": _classes(report),
        "more_classes": max(0, len(facts.classes) - MOST_CLASSES),
        "curve": _curve(report),
        "pairs": _pairs(report),
        "angle": _angle(report),
        "columns": _columns(report),
        "planes": _planes(report),
        "suspects": _suspects(report),
        "complexity": _complexity(report),
        "notes": _notes(report),
        "skipped": {SECTION_NAMES[name]: why for name, why in report.skipped.items()},
        "seconds": [(SECTION_NAMES.get(name, name), f"{value:.1f} s") for name, value in report.seconds.items()],
        "total_seconds": f"{sum(report.seconds.values()):.1f} s",
        "lines": _lines(report, source),
    }


def _plural(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def _size(report: SeparabilityReport) -> str:
    table = report.facts.table
    kinds = ", ".join(f"{count} {kind}" for kind, count in table.kinds.items() if count)
    missing = f", {_plural(table.n_missing, 'missing cell')}" if table.n_missing else ""
    return (
        f"{_plural(table.n_rows, 'row')}, {_plural(table.n_columns, 'column')} ({kinds}), "
        f"{len(report.facts.classes)} classes{missing}"
    )


def _tiles(report: SeparabilityReport) -> list[tuple[str, str, str]]:
    """Name, number, small print."""
    thornton, majority = report.facts.thornton, report.facts.majority
    low, high = thornton.interval
    last = report.facts.curve.points[-1]
    return [
        ("Neighbours agree", percent(thornton.score), f"{thornton.confidence:.0%} interval {low:.1%} to {high:.1%}"),
        ("By chance", percent(thornton.chance), p_phrase(thornton.p_value)),
        ("Largest class", percent(majority.share), f"always answering “{majority.label}”"),
        ("To expect on new rows", percent(last.accuracy), f"1-NN trained on {last.train_rows:,} rows"),
    ]


def _classes(report: SeparabilityReport) -> list[dict[str, Any]]:
    return [
        {
            "label": entry.label,
            "rows": f"{entry.n_rows:,}",
            "share": percent(entry.share),
            "score": "not asked" if entry.score is None else percent(entry.score),
            "width": 0 if entry.score is None else round(100 * entry.score),
        }
        for entry in report.facts.classes[:MOST_CLASSES]
    ]


def _curve(report: SeparabilityReport) -> Any:
    points = report.facts.curve.points
    if len(points) < 2:
        return None
    return _markup(
        curve_svg(
            [point.train_rows for point in points],
            [point.accuracy for point in points],
            [point.split_std for point in points],
            report.facts.majority.share,
            "largest class",
        )
    )


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 - our own SVG, whose words are escaped where they are put in


def _pairs(report: SeparabilityReport) -> dict[str, Any] | None:
    """Class pairs, those that mix most first, with both sections' numbers."""
    if report.angle is None and report.overlap is None:
        return None
    angles = {} if report.angle is None else {pair.classes: pair for pair in report.angle.pairs}
    regions = {} if report.overlap is None else {region.classes: region for region in report.overlap.regions}
    lines = []
    for classes in list(regions or angles)[:MOST_PAIRS]:
        pair, region = angles.get(classes), regions.get(classes)
        interval = None if pair is None else pair.hotelling.interval
        lines.append(
            {
                "classes": classes,
                "mixing": "" if region is None else percent(region.mixing),
                "distance": "" if pair is None else f"{pair.mahalanobis:.2f}",
                "interval": "" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}",
                "degrees": "" if pair is None else f"{pair.degrees:.1f}°",
                "p": "" if pair is None else p_text(pair.adjusted_p),
                "least": "" if region is None else region.columns[0].name,
                "most": "" if region is None else region.columns[-1].name,
            }
        )
    total = len(regions or angles)
    return {
        "lines": lines,
        "more": max(0, total - MOST_PAIRS),
        "k": None if report.overlap is None else report.overlap.k,
    }


def _angle(report: SeparabilityReport) -> dict[str, Any] | None:
    angle = report.angle
    if angle is None:
        return None
    found: dict[str, Any] = {
        "wilks": f"{angle.wilks.value:.3g}",
        "wilks_p": p_phrase(angle.wilks.p_value),
        "pillai": f"{angle.pillai.value:.4f}",
        "notes": angle.notes,
        "pair": None,
    }
    if len(angle.pairs) == 1:
        pair = angle.pairs[0]
        corrected = pair.hotelling.corrected
        found["pair"] = {
            "degrees": f"{pair.degrees:.2f}°",
            "invariant": f"{math.degrees(pair.invariant_theta):.1f}°",
            "standardized": f"{math.degrees(pair.standardized_theta):.1f}°",
            "distance": f"{pair.mahalanobis:.3f}",
            "corrected": "none" if corrected is None else f"{corrected:.3f}",
            "error": percent(pair.plug_in_error),
            "t2": f"{pair.hotelling.t2:.1f}",
            "p": p_text(pair.hotelling.p_value),
            "permutation": p_text(pair.permutation_p),
        }
    return found


def _columns(report: SeparabilityReport) -> dict[str, Any] | None:
    if report.projections is None:
        return None
    ranked = sorted(report.projections.single.items(), key=lambda item: -item[1])
    lines = [{"name": name, "score": percent(score), "width": round(100 * score)} for name, score in ranked]
    return {"lines": lines[:MOST_COLUMNS], "more": max(0, len(lines) - MOST_COLUMNS)}


def _planes(report: SeparabilityReport) -> dict[str, Any] | None:
    found = report.projections
    if found is None:
        return None
    codes, classes = class_codes(found.table)
    place = {name: i for i, name in enumerate(found.table.names)}
    pictures = []
    for plane in found.planes[:MOST_PLANES]:
        x, y = (jittered(found.table.values[:, place[name]], i) for i, name in enumerate((plane.first, plane.second)))
        pictures.append(
            {
                "svg": _markup(plane_svg(x, y, codes, plane.first, plane.second)),
                "score": percent(plane.score),
                "first": plane.first,
                "second": plane.second,
            }
        )
    return {"pictures": pictures, "classes": classes.tolist()[:MOST_CLASSES], "notes": found.notes}


def _suspects(report: SeparabilityReport) -> dict[str, Any] | None:
    found = report.suspects
    if found is None:
        return None
    rows = [
        {
            "row": f"{each.row + 1:,}",
            "label": each.label,
            "voted": each.voted,
            "own": f"{each.own_share:.0%}",
            "margin": "" if math.isnan(each.margin) else f"{each.margin:.2f}",
            "mutual": each.mutual,
            "neighbors": ", ".join(f"{row + 1:,}" for row in each.neighbors),
        }
        for each in found.rows[:MOST_SUSPECTS]
    ]
    conflicts = [
        ", ".join(f"{row + 1:,} ({name})" for row, name in zip(group.rows[:8], group.labels, strict=False))
        for group in found.conflicts[:MOST_GROUPS]
    ]
    near = [
        f"{pair.rows[0] + 1:,} ({pair.labels[0]}) and {pair.rows[1] + 1:,} ({pair.labels[1]})"
        for pair in found.near_duplicates[:MOST_GROUPS]
    ]
    return {
        "rows": rows,
        "n": f"{len(found.rows):,}",
        "more": max(0, len(found.rows) - MOST_SUSPECTS),
        "checked": f"{found.n_checked:,}",
        "k": found.k,
        "conflicts": conflicts,
        "n_conflicts": len(found.conflicts),
        "n_duplicates": len(found.duplicates),
        "n_copies": sum(len(group.rows) - 1 for group in found.duplicates),
        "near": near,
        "n_near": len(found.near_duplicates),
    }


def _complexity(report: SeparabilityReport) -> dict[str, Any] | None:
    profile = report.complexity
    if profile is None:
        return None
    lines = []
    for measure in MEASURES:
        value, interval = profile.values[measure.id], profile.intervals.get(measure.id)
        spread = "" if interval is None else f"{interval[0]:.3f} to {interval[1]:.3f}"
        lines.append(
            {
                "id": measure.id,
                "name": measure.name.replace("_", " "),
                "value": "undefined" if math.isnan(value) else f"{value:.3f}",
                "interval": spread,
                "says": measure.summary,
            }
        )
    radar = radar_svg(
        [measure.id for measure in MEASURES],
        [profile.values[measure.id] for measure in MEASURES],
        [measure.group for measure in MEASURES],
    )
    groups = list(dict.fromkeys(measure.group for measure in MEASURES))
    return {
        "lines": lines,
        "radar": _markup(radar),
        "groups": groups,
        "notes": profile.notes,
        "distance": profile.distance,
    }


def _notes(report: SeparabilityReport) -> list[str]:
    """What was scaled, dropped or sampled, each once."""
    settings = report.facts.settings
    notes = [f"distance {settings.distance}, numbers scaled by {settings.scale or 'nothing'}"]
    if settings.n_dropped:
        notes.append(f"{settings.n_dropped:,} rows with missing cells were dropped")
    if settings.sampled:
        notes.append(
            f"neighbours were looked up for a random sample of {settings.n_asked:,} of {settings.n_rows:,} rows"
        )
    if report.sample_rows is not None:
        notes.append(f"complexity is that of a random sample of {report.sample_rows:,} rows")
    parts: Sequence[Sequence[str]] = (
        settings.notes,
        () if report.angle is None else report.angle.notes,
        () if report.complexity is None else report.complexity.notes,
        () if report.projections is None else report.projections.notes,
    )
    return list(dict.fromkeys([*notes, *(note for part in parts for note in part)]))


def _lines(report: SeparabilityReport, source: str | None) -> Mapping[str, str]:
    """The Python and shell lines that make this report again."""
    table, settings = report.facts.table, report.facts.settings
    bundled = source is None and table.name in names()
    data = source or (table.name if bundled else None) or "mydata.csv"
    target = "" if bundled or table.target is None else table.target
    named = f', target="{target}"' if target else ""
    load = f'sepal.datasets.load("{data}")' if bundled else f'sepal.read_table("{data}"{named})'
    options, flags = "", ""
    if settings.asked_distance != "auto":
        options, flags = f', distance="{settings.asked_distance}"', f" --distance {settings.asked_distance}"
    if settings.scale != "minmax":
        options += f", scale={settings.scale!r}".replace("'", '"')
        flags += f" --scale {settings.scale or 'none'}"
    if settings.missing != "distance":
        options, flags = f'{options}, missing="{settings.missing}"', f"{flags} --missing {settings.missing}"
    shell = f"sepal report {_quoted(data)}" + (f" --target {_quoted(target)}" if target else "") + flags
    return {
        "python": f"import sepal\nreport = sepal.separability({load}{options})\nprint(report)",
        "shell": f"{shell} --out report.html",
    }


def _quoted(word: str) -> str:
    import shlex

    return shlex.quote(word)
