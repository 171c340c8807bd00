"""Facts as text for a terminal or a file. Nothing is computed here; color only repeats what the words say."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sepal.report._facts import ClassFacts, MeasureFacts, ReportFacts, SettingsFacts, Suspect, TableFacts, ThorntonFacts
from sepal.report._page import Page, short
from sepal.report._terminal_plot import bar, curve_plot
from sepal.report._verdict import percent, quoted

MOST_CLASSES = 12
_SCALES = {"minmax": "numbers scaled to 0..1", "standard": "numbers standardized", None: "numbers not scaled"}


def report_text(facts: ReportFacts, width: int, *, color: bool, unicode: bool) -> str:
    """The report as text; see :meth:`ReportFacts.to_text`."""
    page = Page.new(width, color, unicode)
    page.heading(f"Sepal report: {facts.table.name or 'a table without a name'}")
    page.paragraph(facts.table.description)
    page.pairs([*_table_lines(facts.table), *_settings_lines(facts.settings, facts.table)])
    _classes(page, facts)
    page.heading("Verdict")
    page.paragraph(" ".join(sentence.text for sentence in facts.verdict), style="bold")
    _thornton(page, facts)
    _curve(page, facts)
    _suspects(page, facts)
    source = [("cite", facts.table.citation), ("licence", facts.table.licence)]
    if any(text for _, text in source):
        page.heading("Source")
        page.pairs(source)
    return page.text()


def measure_text(facts: MeasureFacts, width: int, *, color: bool, unicode: bool) -> str:
    """The measures as text; see :meth:`ReportFacts.to_text`."""
    page = Page.new(width, color, unicode)
    page.heading(facts.table.name or "a table without a name")
    page.pairs(
        [
            ("rows", f"{facts.settings.n_rows:,}, {_counts(facts.classes)}"),
            *(("caution", note) for note in facts.table.notes),
            *_settings_lines(facts.settings, facts.table),
        ]
    )
    page.heading("Thornton's index")
    page.pairs([*_thornton_lines(facts.thornton), ("per class", _scores(facts.classes))])
    page.heading(_curve_title(facts))
    page.table(
        ["training rows", "share", "accuracy", "one split +-"],
        [
            [f"{point.train_rows:,}", f"{point.train_share:.0%}", f"{point.accuracy:.4f}", f"{point.split_std:.4f}"]
            for point in facts.curve.points
        ],
        right=range(4),
    )
    margins = facts.margins
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
    return page.text()


def _table_lines(table: TableFacts) -> list[tuple[str, str | None]]:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in table.kinds.items() if count)
    missing = None
    if table.n_missing:
        missing = f"{table.n_missing:,} {_plural(table.n_missing, 'cell')} in {table.n_rows_with_missing:,} "
        missing += _plural(table.n_rows_with_missing, "row")
    return [
        ("rows", f"{table.n_rows:,}"),
        ("columns", f"{table.n_columns:,} ({kinds})"),
        ("missing", missing),
        ("target", table.target),
        *(("caution", note) for note in table.notes),
    ]


def _settings_lines(settings: SettingsFacts, table: TableFacts) -> list[tuple[str, str | None]]:
    used = settings.distance
    if table.kinds["nominal"] < table.n_columns:
        used += f", {_SCALES[settings.scale]}"
    if settings.asked_distance == "auto" and settings.distance == "heom":
        reasons = ["columns that are not numbers"] if table.kinds["numeric"] < table.n_columns else []
        if table.n_missing and not settings.n_dropped:
            reasons.append("missing cells")
        used += f" (chosen for {' and '.join(reasons)})"
    dropped = sampled = None
    if settings.n_dropped:
        dropped = f"{settings.n_dropped:,} of {table.n_rows:,} rows, which have missing cells"
    if settings.sampled:
        sampled = (
            f"{settings.n_asked:,} random rows were compared with all {settings.n_rows:,}; the curve and the "
            "suspects are those of these rows"
        )
    return [
        ("distance", used),
        ("dropped", dropped),
        ("sampled", sampled),
        *(("note", note) for note in settings.notes),
    ]


def _plural(number: int, word: str) -> str:
    return word if number == 1 else word + "s"


def _counts(classes: Sequence[ClassFacts]) -> str:
    counts = ", ".join(f"{short(entry.label)}: {entry.n_rows:,}" for entry in classes[:MOST_CLASSES])
    return f"{len(classes):,} classes ({counts}" + (", ...)" if len(classes) > MOST_CLASSES else ")")


def _scores(classes: Sequence[ClassFacts]) -> str:
    known = [f"{short(entry.label)}: {entry.score:.4f}" for entry in classes if entry.score is not None]
    return ", ".join(known[:MOST_CLASSES]) + (", ..." if len(known) > MOST_CLASSES else "")


def _classes(page: Page, facts: ReportFacts) -> None:
    page.heading("Classes")
    shown = facts.classes
    if len(shown) > MOST_CLASSES:
        shown = tuple(sorted(shown, key=lambda entry: -entry.n_rows)[:MOST_CLASSES])
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
        test = f"z = {thornton.z:.1f}, {p_text(thornton.p_value)} (over all permutations of the classes)"
    if thornton.permutation_p is not None:
        permuted = f"{p_text(thornton.permutation_p)} from {thornton.n_permutations:,} random permutations"
    return [
        ("score", f"{thornton.score:.4f}   {thornton.confidence:.0%} interval {low:.4f} to {high:.4f}"),
        ("chance", f"{thornton.chance:.4f}   corrected {thornton.corrected:.4f} (0 is chance, 1 is perfect)"),
        ("test", test),
        ("permuted", permuted),
    ]


def p_text(p_value: float) -> str:
    """A p-value no more exact than it can be."""
    return "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.4f}"


def _thornton(page: Page, facts: ReportFacts) -> None:
    page.heading("Thornton's index: rows whose nearest neighbour has their class")
    page.pairs(_thornton_lines(facts.thornton))
    known = [(entry, entry.score) for entry in facts.classes if entry.score is not None]
    if len(known) > MOST_CLASSES:
        page.paragraph(f"The {MOST_CLASSES} classes that agree least:")
        known = sorted(known, key=lambda pair: pair[1])[:MOST_CLASSES]
    room = page.width - 36
    page.table(
        None,
        [[short(entry.label), f"{score:.4f}", bar(score, room, unicode=page.unicode)] for entry, score in known],
        right=(1,),
    )


def _curve_title(facts: ReportFacts | MeasureFacts) -> str:
    of = f" of {facts.curve.n_rows:,} rows" if facts.settings.sampled else ""
    return f"Expected accuracy of {facts.curve.k}-NN, exact over all random splits{of}"


def _curve(page: Page, facts: ReportFacts) -> None:
    points = facts.curve.points
    page.heading(_curve_title(facts))
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
        page.lines([f"share of rows in training   {plot.mean} mean   {plot.band} one split, {noise} 1 sd"])
    every = 1 if page.width >= 76 or len(points) < 6 else 2
    picked = points[::every]
    page.table(
        None,
        [
            ["training rows", *(f"{point.train_rows:,}" for point in picked)],
            ["accuracy", *(f"{point.accuracy:.3f}" for point in picked)],
            ["one split +-", *(f"{point.split_std:.3f}" for point in picked)],
        ],
        right=range(1, len(picked) + 1),
    )


def _suspects(page: Page, facts: ReportFacts) -> None:
    suspects = facts.suspects
    page.heading("Suspect rows: nearest to another class")
    checked = f"{suspects.n_checked:,} rows"
    if not suspects.shown:
        page.paragraph(f"None of {checked} is nearer to another class than to its own.")
    else:
        page.paragraph(
            f"{suspects.n_contradicted:,} of {checked} {'is' if suspects.n_contradicted == 1 else 'are'} nearer to "
            f"another class than to {'its' if suspects.n_contradicted == 1 else 'their'} own. "
            "The worst, to be looked at first:"
        )
        _suspect_table(page, suspects.shown)
        page.paragraph(
            "Row 1 is the first below the header; in Python its index is 0. Around it: the classes of its five "
            "nearest rows and of all tied with the fifth."
        )
    if suspects.n_conflict_groups:
        page.paragraph(
            f"{suspects.n_conflict_rows:,} rows in {suspects.n_conflict_groups:,} "
            f"{_plural(suspects.n_conflict_groups, 'group')} are equal in every column but not in class."
        )


def _suspect_table(page: Page, suspects: Sequence[Suspect]) -> None:
    wide = page.width >= 76
    most = 14 if wide else 9
    header = ["row", "class", "margin", "nearest", "class", "around it"]
    rows = [
        [
            f"{suspect.data_row}",
            short(suspect.label, most),
            f"{suspect.margin:.3f}",
            f"{suspect.nearest_data_row}",
            short(suspect.nearest_label, most),
            ", ".join(f"{short(count.label, most)}: {count.n_rows:,}" for count in suspect.neighborhood[:3])
            + (", ..." if len(suspect.neighborhood) > 3 else ""),
        ]
        for suspect in suspects
    ]
    if wide:
        header.insert(5, "distance")
        for row, suspect in zip(rows, suspects, strict=True):
            row.insert(5, f"{suspect.nearest_distance:.3g}")
    page.table(header, rows, right=(0, 2, 3, 5) if wide else (0, 2, 3), wrap=(len(header) - 1,))
