"""What a report says, as words ready to be shown: the terminal and the page set the same ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sepal.data import dropped_note, p_phrase, p_text, plural
from sepal.measures import MEASURES
from sepal.report._asked_words import asked_lines
from sepal.report._beside import row_name, told_beside
from sepal.report._explained_words import COMPLEXITY_WORDS, PAIR_WORDS, distance_words
from sepal.report._first_figures import model_lines, tiles
from sepal.report._reproducing import MadeFrom, reproducing_lines
from sepal.report._suspects import MOST_SHOWN, n_copies
from sepal.report._verdict import percent

if TYPE_CHECKING:
    from sepal.report._separability_report import SeparabilityReport

MOST_PAIRS, MOST_COLUMNS, MOST_PLANES, MOST_GROUPS, MOST_NEIGHBORS = 30, 15, 6, 10, 8
MOST_CLASSES = 40

SCALE_WORDS = {"minmax": "numbers scaled to 0..1", "standard": "numbers standardized", None: "numbers not scaled"}
MOST_WORD_CLASSES = 4  # with more, the class that has a word most often stands alone
SECTION_NAMES = {
    "model": "what a model reaches",
    "angle": "class means and angle",
    "suspects": "rows to look at",
    "overlap": "where classes mix",
    "words": "words that separate the classes",
    "features": "which features separate the classes",
    "alignment": "kernel alignment",
    "complexity": "complexity",
    "projections": "columns and planes",
}


def content(report: SeparabilityReport, source: MadeFrom) -> dict[str, Any]:
    """Words of every section, None for those left out."""
    return {
        "title": report.table.name or "Separability",
        "table": report.table,
        "size": _size(report),
        "asked": asked_lines(report.partitions, report.thornton.confidence, report.settings.notes),
        "verdict": report.verdict,
        "next_steps": report.next_steps,
        "tiles": tiles(report),
        "model": model_lines(report),
        "classes": _classes(report),
        "confidence": f"{100 * report.thornton.confidence:g} %",
        "more_classes": max(0, len(report.classes) - MOST_CLASSES),
        "pairs": _pairs(report),
        "angle": _angle(report),
        "features": _features(report),
        "words": _words(report),
        "columns": _columns(report),
        "planes": _planes(report),
        "suspects": _suspects(report),
        "complexity": _complexity(report),
        "alignment_sentence": _alignment_sentence(report),
        "copies_sentence": _copies_sentence(report),
        "pair_words": PAIR_WORDS.format(k="" if report.overlap is None else report.overlap.k),
        "complexity_words": COMPLEXITY_WORDS.format(
            distance="" if report.complexity is None else distance_words(report.complexity.distance)
        ),
        "notes": _notes(report),
        "skipped": [f"{SECTION_NAMES[name]}, because {why}" for name, why in report.skipped.items()],
        "seconds": _seconds(report),
        "lines": reproducing_lines(report, source),
        "grouped": report.settings.n_groups is not None,
    }


def _seconds(report: SeparabilityReport) -> str:
    """The whole time, and that of the sections that took long."""
    total = sum(report.seconds.values())
    slow = {name: value for name, value in report.seconds.items() if value >= 0.5}
    parts = ", ".join(f"{SECTION_NAMES.get(name, name)} {value:.1f} s" for name, value in slow.items())
    return f"{total:.1f} s" + (f" ({parts})" if parts else "")


def _counted(n: int, what: str) -> str:
    return f"{n:,} {plural(n, what)}"


def _size(report: SeparabilityReport) -> str:
    table = report.table
    kinds = ", ".join(f"{count} {kind}" for kind, count in table.kinds.items() if count)
    missing = f", {_counted(table.n_missing, 'missing cell')}" if table.n_missing else ""
    return (
        f"{_counted(table.n_rows, 'row')}, {_counted(table.n_columns, 'column')} ({kinds}), "
        f"{len(report.classes)} classes{missing}"
    )


def _classes(report: SeparabilityReport) -> list[dict[str, Any]]:
    return [
        {
            "label": entry.label,
            "rows": f"{entry.n_rows:,}",
            "share": percent(entry.share),
            "score": "not asked" if entry.score is None else percent(entry.score),
            "width": 0 if entry.score is None else round(100 * entry.score),
            "interval": " to ".join(map(percent, entry.interval)),
            "chance": percent(entry.chance),
            "chance_width": round(100 * entry.chance),
        }
        for entry in report.classes[:MOST_CLASSES]
    ]


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
    shown = lines[:MOST_COLUMNS]
    return {
        "lines": shown,
        "more": max(0, len(lines) - MOST_COLUMNS),
        "chance": percent(report.thornton.chance),
        "chance_width": round(100 * report.thornton.chance),
        "alike": _alike([str(line["score"]) for line in shown]),
    }


def _planes(report: SeparabilityReport) -> list[dict[str, str]] | None:
    if report.projections is None:
        return None
    return [
        {"first": plane.first, "second": plane.second, "score": percent(plane.score)}
        for plane in report.projections.planes[:MOST_PLANES]
    ]


def _words(report: SeparabilityReport) -> dict[str, Any] | None:
    """The words that separate the classes, and the class that has each of them most."""
    if not report.words:
        return None
    labels, several = [str(each.label) for each in report.classes], len({each.column for each in report.words}) > 1
    shown = labels if len(labels) <= MOST_WORD_CLASSES else []
    lines = []
    for each in report.words:
        most = max(range(len(labels)), key=lambda code: each.shares[code])
        lines.append(
            {
                "word": f"{each.word} ({each.column})" if several else each.word,
                "bits": f"{each.bits:.3f}",
                "most": labels[most],
                "share": f"{each.shares[most]:.1%}",
                "shares": [f"{share:.1%}" for share in each.shares[: len(shown)]],
                "width": round(100 * each.bits / report.words[0].bits) if report.words[0].bits else 0,
            }
        )
    return {"labels": shown, "lines": lines}


def _features(report: SeparabilityReport) -> dict[str, Any] | None:
    found = report.features
    if found is None:
        return None
    always = [entry.name for entry in found.inclusion if entry.share == 1.0]
    never = [entry.name for entry in found.inclusion if entry.share == 0.0]
    ranked = sorted((e for e in found.inclusion if 0.0 < e.share < 1.0), key=lambda entry: -entry.share)
    every = found.strategy == "every subset"
    of_rows = "" if found.n_rows == report.settings.n_rows else f" on a random sample of {found.n_rows:,} rows"
    return {
        "how": f"Thornton's index of {'every subset' if every else 'subsets met by a forward search'} of the columns"
        + of_rows,
        "best": ", ".join(found.best),
        "best_score": f"{found.best_score:.4f}",
        "smallest": ", ".join(found.smallest),
        "smallest_score": f"{found.smallest_score:.4f}",
        "near": "no other subset"
        if found.n_near_best == 1
        else f"{found.n_near_best:,} of {found.n_subsets:,} subsets are within one standard error",
        "lines": [
            {"name": entry.name, "share": f"{entry.share:.0%}", "value": entry.share, "width": round(100 * entry.share)}
            for entry in ranked[:MOST_COLUMNS]
        ],
        "more": max(0, len(ranked) - MOST_COLUMNS),
        "always": _some(always, MOST_COLUMNS),
        "never": _some(never, MOST_COLUMNS),
    }


def _alike(scores: list[str]) -> str | None:
    """One sentence in the place of bars that are all the same."""
    if len(scores) < 2 or len(set(scores)) > 1:
        return None
    return f"By each of these {len(scores)} columns alone neighbours agree on {scores[0]}."


def _alignment_sentence(report: SeparabilityReport) -> str | None:
    """The peak of the alignment curve."""
    found = report.alignment
    if found is None:
        return None
    kernel = "Gaussian" if found.kernel == "rbf" else "Gaussian (levels that differ are at distance 1)"
    return (
        "Rows that are close to each other should be of one class; how close is close is the width of a kernel. "
        f"The classes agree best with closeness at a width of {found.best_width:.3g}, in scaled columns: "
        f"{found.best_score:.3f}, where 0 is not at all and 1 is perfect (centred kernel alignment; {kernel} kernel, "
        f"{found.n_rows:,} rows)."
    )


def _copies_sentence(report: SeparabilityReport) -> str | None:
    """Copies of every sort, counted."""
    found = report.suspects
    if found is None:
        return None
    copies, in_conflict = n_copies(found), sum(len(group.rows) for group in found.conflicts)
    if not (copies or in_conflict or found.near_duplicates):
        return "No row is a copy of another, and no two of different classes are nearly equal."
    parts = [
        f"{_counted(copies, 'row')} {plural(copies, 'is a copy', 'are copies')} of another of the same class"
        if copies
        else "no row is a copy of another of its class",
        f"{_counted(in_conflict, 'row')} in {_counted(len(found.conflicts), 'group')} are equal in every column but "
        "not in class"
        if in_conflict
        else "none equals a row of another class",
        f"{_counted(len(found.near_duplicates), 'pair')} of different classes are nearly equal"
        if found.near_duplicates
        else "no two of different classes are nearly equal",
    ]
    sentence = "; ".join(parts) + "."
    return sentence[0].upper() + sentence[1:]


def _suspects(report: SeparabilityReport) -> dict[str, Any] | None:
    found = report.suspects
    if found is None:
        return None
    beside = {each.row: each for each in report.beside}
    rows = [
        {
            "row": f"{each.row:,}",
            "which": row_name(beside.get(each.row), each.row),
            "label": each.label,
            "voted": each.voted,
            "own": f"{each.own_share:.0%}",
            "margin": "" if math.isnan(each.margin) else f"{each.margin:.2f}",
            "mutual": each.mutual,
            "neighbors": _some([f"{row:,}" for row in each.neighbors]),
            "beside": told_beside(beside[each.row]) if each.row in beside else "",
        }
        for each in found.rows[:MOST_SHOWN]
    ]
    conflicts = [
        ", ".join(f"{row:,} ({name})" for row, name in zip(group.rows[:8], group.labels, strict=False))
        for group in found.conflicts[:MOST_GROUPS]
    ]
    near = [
        f"{pair.rows[0]:,} ({pair.labels[0]}) and {pair.rows[1]:,} ({pair.labels[1]})"
        for pair in found.near_duplicates[:MOST_GROUPS]
    ]
    return {
        "rows": rows,
        "n": f"{len(found.rows):,}",
        "more": max(0, len(found.rows) - MOST_SHOWN),
        "checked": f"{found.n_checked:,}",
        "k": found.k,
        "conflicts": conflicts,
        "near": near,
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
    groups = list(dict.fromkeys(measure.group for measure in MEASURES))
    return {"lines": lines, "groups": groups, "notes": profile.notes, "distance": distance_words(profile.distance)}


def _notes(report: SeparabilityReport) -> list[str]:
    """What was scaled, dropped, filled or sampled, each once, with the sections that did it."""
    settings = report.settings
    notes = [f"neighbours: {distance_words(settings.distance)}, {SCALE_WORDS[settings.scale]}"]
    if report.table.n_missing and not settings.n_dropped:
        notes[0] += "; a missing cell is compared as the distance defines it, and no row is left out"
    if settings.n_dropped:
        notes.append(dropped_note(settings.n_dropped, report.table.n_rows))
    if report.partitions is not None:
        notes += report.partitions.said
    elif settings.sampled:
        notes.append(
            f"neighbours were looked up for a random sample of {settings.n_asked:,} of {settings.n_rows:,} rows"
        )
    if report.sample_rows is not None:
        notes.append(f"complexity is that of a random sample of {report.sample_rows:,} rows")
    by_note: dict[str, list[str]] = {}
    for section in ("overlap", "angle", "alignment", "complexity", "projections"):
        found = getattr(report, section)
        for note in () if found is None else found.notes:
            if note not in settings.notes:
                by_note.setdefault(note, []).append(SECTION_NAMES[section])
    return [*notes, *settings.notes, *(f"{' and '.join(names)}: {note}" for note, names in by_note.items())]


def _some(words: Sequence[str], most: int = MOST_NEIGHBORS) -> str:
    """The first few words, with a sign if there are more."""
    return ", ".join(words[:most]) + (", ..." if len(words) > most else "")
