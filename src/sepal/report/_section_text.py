"""The sections of a report on a terminal, from the words that the page shows too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sepal.data import name_key, plural
from sepal.report._explained_words import COMPLEXITY_WORDS, PAIR_WORDS
from sepal.report._page import Page, short
from sepal.report._terminal_plot import bar

MOST_ROWS_BESIDE = 5
if TYPE_CHECKING:
    from sepal.report._separability_report import SeparabilityReport


def model_text(page: Page, found: dict[str, Any] | None) -> None:
    """What a model reaches on rows that it has not seen, beside simple rules."""
    if found is None:
        return
    page.heading("What a model reaches on new rows")
    page.paragraph(found["how"])
    page.table(None, [[line["name"], line["score"], line["says"]] for line in found["lines"]], right=(1,), wrap=(0, 2))


def suspects_text(page: Page, found: dict[str, Any] | None, copies: str | None) -> None:
    """Rows contradicted by their neighbours, and copies."""
    if found is None:
        return
    page.heading("Rows to look at, counted from 0")
    page.paragraph(
        f"{found['n']} of {found['checked']} rows are contradicted by their {found['k']} nearest neighbours."
    )
    wide = not 60 <= page.width < 76  # narrower still, rows become sentences
    most = 14 if wide else 8
    rows = [
        [
            line["row"],
            short(line["label"], most),
            short(line["voted"], most),
            line["own"],
            line["margin"],
            str(line["mutual"]),
            line["neighbors"],
        ]
        for line in found["rows"]
    ]
    header = ["row", "labelled", "neighbours say", "agree", "margin", "mutual", "nearest rows"]
    if not wide:
        header[2], header[5] = "say", "mut."
    page.table(header, rows, right=(0, 3, 4, 5), wrap=(6,))
    if found["more"]:
        page.paragraph(f"and {found['more']:,} more")
    if rows:
        page.paragraph(
            "Row 0 is the first below the header. Agree: share of the neighbours with the row's own label. Margin: "
            "negative if a row of another class is nearest. Mutual: contradicting neighbours that have the row among "
            "their own nearest."
        )
    told = [(f"row {line['which']}", line["beside"]) for line in found["rows"][:MOST_ROWS_BESIDE] if line["beside"]]
    if told:
        page.paragraph("Where they differ most from their neighbours (whose values stand in brackets):")
        page.pairs(told)
    page.paragraph(copies)
    for group in found["conflicts"]:
        page.paragraph(f"Equal, different classes: rows {group}")
    for pair in found["near"]:
        page.paragraph(f"Nearly equal: rows {pair}")


def _degrees(page: Page, angle: str) -> str:
    return angle if page.unicode else angle.replace("°", " deg")


def pairs_text(page: Page, pairs: dict[str, Any] | None, angle: dict[str, Any] | None) -> None:
    """Class pairs with the distance of their means, and the angle."""
    if pairs is None:
        return
    page.heading("Pairs of classes")
    most = 7 if 60 <= page.width < 76 else 12
    rows = [
        [
            " / ".join(short(label, most) for label in line["classes"]),
            line["mixing"],
            line["distance"],
            line["interval"],
            _degrees(page, line["degrees"]),
            line["p"],
        ]
        for line in pairs["lines"]
    ]
    page.table(["classes", "mixing", "distance", "95 % interval", "angle", "p"], rows, right=range(1, 6), wrap=(0, 3))
    if pairs["more"]:
        page.paragraph(f"and {pairs['more']:,} more pairs that mix less")
    for line in pairs["lines"][:1]:
        if line["least"]:
            page.paragraph(
                f"{line['classes'][0]} and {line['classes'][1]} are told apart least by {line['least']} and best by "
                f"{line['most']}."
            )
    page.paragraph(PAIR_WORDS.format(k=pairs["k"] or ""))
    if angle is None:
        return
    pair = angle["pair"]
    if pair is None:
        page.paragraph(
            f"All means: Wilks' lambda {angle['wilks']} ({angle['wilks_p']}), Pillai's trace {angle['pillai']}."
        )
        return
    page.pairs(
        [
            ("angle", f"{_degrees(page, pair['degrees'])} in the units given"),
            ("", f"{_degrees(page, pair['standardized'])} in units of the spread inside classes"),
            ("atan(D/2)", f"{_degrees(page, pair['invariant'])}, which does not depend on units"),
            ("distance D", f"{pair['distance']}, corrected for the size of the sample {pair['corrected']}"),
            ("error", f"{pair['error']} for a straight boundary, if the classes were normal (optimistic)"),
            (
                "Hotelling",
                f"T2 = {pair['t2']}, p-value {pair['p']}; of the angle from shuffled labels {pair['permutation']}",
            ),
        ]
    )


WORDS_WORDS = (
    "Bits: how much it says about the class whether the word is in the text (mutual information). Beside it the share "
    "of the texts that have the word. The first of many words look better than they are."
)


def words_text(page: Page, found: dict[str, Any] | None) -> None:
    """The words that separate the classes."""
    if found is None:
        return
    page.heading("Words that separate the classes")
    labels = found["labels"]
    head = ["word", "bits", *(short(label, 12) for label in labels)] if labels else ["word", "bits", "most in", "share"]
    rows = [
        [
            short(line["word"], 24),
            line["bits"],
            *(line["shares"] if labels else [short(line["most"], 16), line["share"]]),
        ]
        for line in found["lines"]
    ]
    page.table(head, rows, right=tuple(range(1, len(head))))
    page.paragraph(WORDS_WORDS)


def features_text(page: Page, found: dict[str, Any] | None, report: SeparabilityReport) -> None:
    """Subsets of the columns."""
    if found is None:
        if report.table.n_columns > 1:
            page.heading("Features")
            page.paragraph("Which of them separate the classes: sepal select DATA")
        return
    page.heading("Features")
    page.paragraph(f"{found['how']}.")
    page.pairs(
        [
            ("best", f"{found['best_score']}   {found['best']}"),
            ("near it", found["near"]),
            ("smallest", f"{found['smallest_score']}   {found['smallest']}"),
        ]
    )
    page.pairs([("in all", found["always"]), ("in none", found["never"])])
    page.table(None, inclusion_rows({line["name"]: line["value"] for line in found["lines"]}, page), right=(1,))
    page.paragraph(
        "In all, in none, bars: how many of these subsets hold the feature. The scores are optimistic, since the "
        "subsets were picked for them; sepal select gives the honest one."
    )


def inclusion_rows(shares: Mapping[str, float], page: Page, most: int | None = None) -> list[list[str]]:
    """Name, share and bar of features, largest share first, among equals by name, for :meth:`Page.table`."""
    order = sorted(shares, key=lambda name: (-shares[name], name_key(name)))[:most]
    room = page.width - 36
    return [[short(name, 22), f"{shares[name]:.0%}", bar(shares[name], room, unicode=page.unicode)] for name in order]


def columns_text(page: Page, columns: dict[str, Any] | None, planes: list[dict[str, str]] | None) -> None:
    """Single columns and planes of two by Thornton's index."""
    if columns is None or planes is None:
        return
    page.heading("Columns alone, and the planes that show the classes best")
    rows = [
        [short(line["name"], 22), line["score"], bar(line["width"] / 100, page.width - 36, unicode=page.unicode)]
        for line in columns["lines"]
    ]
    if columns["alike"]:
        page.paragraph(columns["alike"])
    else:
        page.table(None, rows, right=(1,))
    if columns["more"]:
        page.paragraph(f"and {columns['more']:,} more {plural(columns['more'], 'column')}")
    page.table(
        None, [[f"{plane['first']} and {plane['second']}", plane["score"]] for plane in planes], wrap=(0,), right=(1,)
    )
    page.paragraph(
        f"How often neighbours agree there; by chance they would on {columns['chance']}. The best of many planes looks "
        "better than it is."
    )


def complexity_text(page: Page, found: dict[str, Any] | None, alignment: str | None) -> None:
    """The complexity measures and kernel alignment."""
    if found is not None:
        page.heading("Complexity, from 0 (easy) to 1 (hard)")
        rows = [
            [line["id"], line["value"], line["says"] + (f" ({line['interval']})" if line["interval"] else "")]
            for line in found["lines"]
        ]
        page.table(None, rows, right=(1,), wrap=(2,))
        page.paragraph(COMPLEXITY_WORDS.format(distance=found["distance"]))
    if alignment is not None:
        page.heading("Kernel alignment")
        page.paragraph(alignment)


def made_text(page: Page, words: dict[str, Any]) -> None:
    """What was scaled, dropped, sampled or left out, how long it took, and how to make it again."""
    page.heading("How this was made")
    page.pairs(
        [
            *(("note", note) for note in words["notes"]),
            *(("left out", reason) for reason in words["skipped"]),
            ("took", words["seconds"]),
            ("shell", words["lines"]["shell"]),
            ("Python", words["lines"]["python"].replace("\n", "; ")),
            ("cite", words["table"].citation),
            ("licence", words["table"].licence),
        ]
    )
