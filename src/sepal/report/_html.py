"""The report as one page: no network, no script, light and dark, phone and paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sepal.data import class_codes
from sepal.measures import MEASURES, jittered
from sepal.report._content import MOST_CLASSES, MOST_PLANES, content
from sepal.report._rendered import as_markup, rendered
from sepal.report._reproducing import MadeFrom
from sepal.report._svg import DATES, N_COLORS, alignment_svg, curve_svg, mark_svg, plane_svg, radar_svg

if TYPE_CHECKING:
    from sepal.report._separability_report import SeparabilityReport

_SHORT = 4  # characters of a label that may stand in a picture


def html_page(report: SeparabilityReport, source: MadeFrom = None) -> str:
    """The page as text."""
    from sepal import __version__

    words, pictures = content(report, source), _pictures(report)
    return rendered(
        "sepal.report/report.html.j2",
        version=__version__,
        pictures=pictures,
        contents=_contents(words, pictures),
        **words,
    )


HEADINGS = (
    ("next", "What to do next"),
    ("model", "What a model reaches"),
    ("classes", "Classes"),
    ("pairs", "Pairs of classes"),
    ("words", "Words"),
    ("features", "Features"),
    ("columns", "Columns alone"),
    ("planes", "Planes"),
    ("curve", "More rows"),
    ("alignment", "Kernel alignment"),
    ("suspects", "Rows to look at"),
    ("complexity", "Complexity"),
    ("how", "How this was made"),
)


def _contents(words: dict[str, Any], pictures: dict[str, Any]) -> list[tuple[str, str]]:
    """The sections that are there, for the table of contents."""
    absent = {
        name for name in ("model", "pairs", "words", "features", "columns", "planes", "suspects") if not words[name]
    }
    absent |= set() if pictures.get("curve") else {"curve"}
    absent |= set() if words["alignment_sentence"] else {"alignment"}
    absent |= set() if words["complexity"] else {"complexity"}
    return [(anchor, heading) for anchor, heading in HEADINGS if anchor not in absent]


def _pictures(report: SeparabilityReport) -> dict[str, Any]:
    found: dict[str, Any] = {}
    points = report.curve.points
    if len(points) > 1:
        found["curve"] = as_markup(
            curve_svg(
                [point.train_size for point in points],
                [point.accuracy for point in points],
                [point.split_std for point in points],
                report.majority.share,
                "largest class",
                report.curve.units,
            )
        )
    if report.alignment is not None and len(report.alignment.widths) > 1:
        curve = report.alignment
        found["alignment"] = as_markup(
            alignment_svg(curve.widths.tolist(), curve.scores.tolist(), curve.best_width, curve.best_score)
        )
    if report.complexity is not None:
        values = report.complexity.values
        found["radar"] = as_markup(
            radar_svg(
                [measure.id for measure in MEASURES],
                [values[measure.id] for measure in MEASURES],
                [measure.group for measure in MEASURES],
            )
        )
    if report.projections is not None:
        table = report.projections.table
        codes, classes = class_codes(table)
        place = {name: i for i, name in enumerate(table.names)}
        levels = {
            name: DATES if own is None and name in table.written and table.written[name].dates else own
            for name, own in zip(table.names, table.levels, strict=True)
        }
        names = [str(label) for label in classes.tolist()[:MOST_CLASSES]]
        found["classes"] = [(as_markup(mark_svg(code)), name) for code, name in enumerate(names)]
        # With many classes nobody looks up each mark in a key: labels that are short enough stand in the picture.
        inside = names if len(names) > N_COLORS and max(map(len, names)) <= _SHORT else ()
        found["planes"] = [
            as_markup(
                plane_svg(
                    jittered(table.values[:, place[plane.first]], 0),
                    jittered(table.values[:, place[plane.second]], 1),
                    codes % MOST_CLASSES,
                    ((plane.first, levels[plane.first]), (plane.second, levels[plane.second])),
                    inside,
                )
            )
            for plane in report.projections.planes[:MOST_PLANES]
        ]
    return found
