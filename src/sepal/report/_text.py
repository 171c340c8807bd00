"""Facts as text for a terminal or a file. Nothing is computed here; color only repeats what the words say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sepal.data import p_phrase, plural
from sepal.neighbors import recall_among
from sepal.report._asked_words import asked_lines
from sepal.report._content import SCALE_WORDS, content
from sepal.report._explained_words import distance_words
from sepal.report._facts import (
    ClassFacts,
    CurveFacts,
    MarginFacts,
    MeasureFacts,
    PartitionsFacts,
    SettingsFacts,
    TableFacts,
    ThorntonFacts,
)
from sepal.report._page import Page, short
from sepal.report._reproducing import MadeFrom
from sepal.report._section_text import (
    columns_text,
    complexity_text,
    features_text,
    made_text,
    model_text,
    pairs_text,
    suspects_text,
    words_text,
)
from sepal.report._terminal_plot import bar, curve_plot
from sepal.report._verdict import percent, quoted

if TYPE_CHECKING:
    from sepal.report._separability_report import SeparabilityReport

MOST_TEXT_CLASSES = 12
SKIPPED_NAMES = {"margins": "margins", "splits": "expected accuracy", "permutations": "permutations"}


def report_text(report: SeparabilityReport, width: int, *, color: bool, unicode: bool, source: MadeFrom = None) -> str:
    """The report as text; see :meth:`SeparabilityReport.to_text`."""
    page, words = Page.new(width, color, unicode), content(report, source)
    page.heading(f"Sepal report: {report.table.name or 'a table without a name'}")
    page.paragraph(report.table.description)
    settings = _settings_lines(report.settings, report.table, report.partitions)
    page.pairs([*words["asked"], *_table_lines(report.table), *settings])
    _classes(page, report)
    page.heading("Verdict")
    page.paragraph(report.verdict[0].text, style="bold")
    page.pairs([("-", sentence.text) for sentence in report.verdict[1:]])
    page.heading("What to do next")
    page.pairs([(f"{number}.", step.text) for number, step in enumerate(report.next_steps, start=1)])
    model_text(page, words["model"])
    _thornton(page, report)
    _curve(page, report)
    suspects_text(page, words["suspects"], words["copies_sentence"])
    pairs_text(page, words["pairs"], words["angle"])
    words_text(page, words["words"])
    features_text(page, words["features"], report)
    columns_text(page, words["columns"], words["planes"])
    complexity_text(page, words["complexity"], words["alignment_sentence"])
    made_text(page, words)
    return page.text()


def measure_text(facts: MeasureFacts, width: int, *, color: bool, unicode: bool) -> str:
    """The measures as text; see :meth:`MeasureFacts.to_text`."""
    page = Page.new(width, color, unicode)
    page.heading(facts.table.name or "a table without a name")
    page.pairs(
        [
            *asked_lines(facts.partitions, facts.thornton.confidence, facts.settings.notes),
            ("rows", f"{facts.settings.n_rows:,}, {_counts(facts.classes)}"),
            *(("caution", note) for note in facts.table.notes),
            *_settings_lines(facts.settings, facts.table, facts.partitions),
        ]
    )
    page.heading("Thornton's index")
    page.pairs(_thornton_lines(facts.thornton))
    _class_scores(page, facts)
    if facts.curve is not None:
        page.heading(_curve_title(facts.curve, facts.settings))
        page.table(
            [f"training {facts.curve.units}", "share", "accuracy", "one split +-"],
            [
                [f"{point.train_size:,}", f"{point.train_share:.0%}", f"{point.accuracy:.4f}", f"{point.split_std:.4f}"]
                for point in facts.curve.points
            ],
            right=range(4),
        )
    if facts.margins is not None:
        _margins(page, facts.margins)
    if facts.skipped:
        page.heading("Left out")
        page.pairs([(SKIPPED_NAMES[name], why) for name, why in facts.skipped.items()])
    return page.text()


def _margins(page: Page, margins: MarginFacts) -> None:
    page.heading("Margins, from -0.5 (inside another class) to 0.5")
    if math.isnan(margins.minimum):
        page.paragraph("No row has another one of its class, so there are none.")
    else:
        page.pairs(
            [
                ("range", f"{margins.minimum:.4f} to {margins.maximum:.4f}"),
                ("quartiles", f"{margins.lower_quartile:.4f}, {margins.median:.4f}, {margins.upper_quartile:.4f}"),
                ("negative", f"{margins.n_negative:,} of {margins.n_checked:,} rows are nearer to another class"),
            ]
        )


def _table_lines(table: TableFacts) -> list[tuple[str, str | None]]:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in table.kinds.items() if count)
    missing = None
    if table.n_missing:
        missing = f"{table.n_missing:,} {plural(table.n_missing, 'cell')} in {table.n_rows_with_missing:,} "
        missing += plural(table.n_rows_with_missing, "row")
    return [
        ("rows", f"{table.n_rows:,}"),
        ("columns", f"{table.n_columns:,} ({kinds})"),
        ("missing", missing),
        ("target", table.target),
        *(("caution", note) for note in table.notes),
    ]


def _settings_lines(
    settings: SettingsFacts, table: TableFacts, partitions: PartitionsFacts | None
) -> list[tuple[str, str | None]]:
    used = distance_words(settings.distance)
    if table.kinds["nominal"] < table.n_columns:
        used += f", {SCALE_WORDS[settings.scale]}"
    if settings.asked_distance == "auto" and settings.distance == "heom":
        reasons = ["columns that are not numbers"] if table.kinds["numeric"] < table.n_columns else []
        if table.n_missing and not settings.n_dropped:
            reasons.append("missing cells")
        used += f" (chosen for {' and '.join(reasons)})"
    dropped = sampled = None
    if settings.n_dropped:
        dropped = f"{settings.n_dropped:,} of {table.n_rows:,} rows, which have missing cells"
    if settings.sampled and partitions is None:  # of partitions it stands at the top
        sampled = (
            f"{settings.n_asked:,} random rows were compared with all {settings.n_rows:,}; the curve and the "
            "suspects are those of these rows"
        )
    return [
        ("distance", used),
        ("dropped", dropped),
        ("sampled", sampled),
        *(("note", note) for note in settings.notes if note not in recall_among(settings.notes)),  # told at the top
    ]


def _counts(classes: Sequence[ClassFacts]) -> str:
    counts = ", ".join(f"{short(entry.label)}: {entry.n_rows:,}" for entry in classes[:MOST_TEXT_CLASSES])
    return f"{len(classes):,} classes ({counts}" + (", ...)" if len(classes) > MOST_TEXT_CLASSES else ")")


def _classes(page: Page, facts: SeparabilityReport) -> None:
    page.heading("Classes")
    shown = facts.classes
    if len(shown) > MOST_TEXT_CLASSES:
        shown = tuple(sorted(shown, key=lambda entry: -entry.n_rows)[:MOST_TEXT_CLASSES])
    room = page.width - 44
    rows = [
        [
            short(entry.label),
            f"{entry.n_rows:,}",
            percent(entry.share),
            bar(entry.share, room, unicode=page.unicode),
        ]
        for entry in shown
    ]
    page.table(None, rows, right=(1, 2))
    if len(facts.classes) > len(shown):
        page.paragraph(f"and {len(facts.classes) - len(shown):,} smaller classes")
    page.paragraph(
        f"Majority rate: always answering {quoted(facts.majority.label)} is right for "
        f"{percent(facts.majority.share)} of the rows."
    )


def _thornton_lines(thornton: ThorntonFacts) -> list[tuple[str, str | None]]:
    low, high = thornton.interval
    test = permuted = None
    if thornton.z is not None and thornton.p_value is not None:
        test = f"z = {thornton.z:.1f} over all permutations of the classes, {p_phrase(thornton.p_value)}"
    if thornton.permutation_p is not None:
        permuted = f"{p_phrase(thornton.permutation_p)} from {thornton.n_permutations:,} random permutations"
    return [
        ("score", f"{thornton.score:.4f}   {thornton.confidence:.0%} interval {low:.4f} to {high:.4f}"),
        ("chance", f"{thornton.chance:.4f}   corrected {thornton.corrected:.4f} (0 is chance, 1 is perfect)"),
        ("test", test),
        ("permuted", permuted),
    ]


def _thornton(page: Page, facts: SeparabilityReport) -> None:
    page.heading("Thornton's index: rows whose nearest neighbour has their class")
    page.pairs(_thornton_lines(facts.thornton))
    _class_scores(page, facts)


def _class_scores(page: Page, facts: SeparabilityReport | MeasureFacts) -> None:
    known = [(entry, entry.score) for entry in facts.classes if entry.score is not None]
    if len(known) > MOST_TEXT_CLASSES:
        page.paragraph(f"The {MOST_TEXT_CLASSES} classes that agree least:")
        known = sorted(known, key=lambda pair: pair[1])[:MOST_TEXT_CLASSES]
    room = page.width - 62
    page.table(
        ["class", "score", f"{facts.thornton.confidence:.0%} interval", "chance", ""],
        [
            [
                short(entry.label),
                f"{score:.4f}",
                f"{entry.interval[0]:.4f} to {entry.interval[1]:.4f}",
                f"{entry.chance:.4f}",
                bar(score, room, unicode=page.unicode) if room > 4 else "",
            ]
            for entry, score in known
        ],
        right=(1, 2, 3),
    )


def _curve_title(curve: CurveFacts, settings: SettingsFacts) -> str:
    of = f" of {curve.n_rows:,} rows" if curve.n_rows < settings.n_rows else ""
    if curve.n_groups is not None:
        of = f" of {curve.n_groups:,} groups" + of.replace(" of ", " with ")
    return f"Expected accuracy of {curve.k}-NN, exact over all random splits{of}"


def _curve(page: Page, facts: SeparabilityReport) -> None:
    points = facts.curve.points
    page.heading(_curve_title(facts.curve, facts.settings))
    if len(points) > 1:
        plot = curve_plot(
            [point.train_share for point in points],
            [point.accuracy for point in points],
            [point.split_std for point in points],
            width=page.width - 8,
            unicode=page.unicode,
        )
        page.lines(plot.lines)
        noise = "±" if page.unicode else "+-"
        page.paragraph(
            f"share of {facts.curve.units} in training   {plot.mean} mean   {plot.band} one split, {noise} 1 sd"
        )
    widest = max(len(f"{point.train_size:,}") for point in points)
    room = min(len(points), max(2, (page.width - 15) // (max(widest, 5) + 2)))  # columns beside their names
    picked = [points[round(i * (len(points) - 1) / max(1, room - 1))] for i in range(room)]
    page.table(
        None,
        [
            [f"training {facts.curve.units}", *(f"{point.train_size:,}" for point in picked)],
            ["accuracy", *(f"{point.accuracy:.3f}" for point in picked)],
            ["one split +-", *(f"{point.split_std:.3f}" for point in picked)],
        ],
        right=range(1, len(picked) + 1),
    )
