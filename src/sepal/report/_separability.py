"""Everything about the separability of labelled rows, in one object."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sepal.data import ScaleName, Table
from sepal.exceptions import DataError, ParameterError
from sepal.measures import (
    ComplexityProfile,
    OverlapRegions,
    Projections,
    SeparabilityAngle,
    Suspects,
    angle_of_separability,
    complexity,
    informative_projections,
    overlap_regions,
    suspects,
)
from sepal.report._facts import ReportFacts, Verdict, plain
from sepal.report._gather import Progress, report_facts
from sepal.report._geometry_verdict import geometry_verdicts
from sepal.report._rows import ALL_PAIRS_ROWS, SAMPLE_ROWS, Rows, take_rows

if TYPE_CHECKING:
    import pandas as pd

_PLANE_ROWS = 1_500
_SHUFFLES, _SHUFFLED_ROWS = 199, 20_000_000  # shuffles of the angle, and rows they may touch in all


@dataclass(frozen=True, eq=False)
class SeparabilityReport:
    """How separable the classes are, how sure that is, what separates them and which rows stand in the way.

    Attributes
    ----------
    facts : ReportFacts
        Table, classes, Thornton's index with its test, accuracy over all splits.
    verdict : tuple of Verdict
        Sentences, each with the code of the rule that made it.
    angle : SeparabilityAngle or None
    complexity : ComplexityProfile or None
    suspects : Suspects or None
    overlap : OverlapRegions or None
    projections : Projections or None
        None where a section was left out; ``skipped`` says why.
    skipped : dict
        Section to reason.
    seconds : dict
        Section to the time it took.
    sample_rows : int or None
        Rows in the sample that complexity was taken from; None for all.
    """

    facts: ReportFacts
    verdict: tuple[Verdict, ...]
    angle: SeparabilityAngle | None
    complexity: ComplexityProfile | None
    suspects: Suspects | None
    overlap: OverlapRegions | None
    projections: Projections | None
    skipped: dict[str, str]
    seconds: dict[str, float]
    sample_rows: int | None

    def frame(self) -> pd.DataFrame:
        """The main numbers, one line each."""
        import pandas as pd

        lines = [(name, value) for name, value in self._numbers().items()]
        return pd.DataFrame(lines, columns=["measure", "value"])

    def _numbers(self) -> dict[str, float | None]:
        thornton = self.facts.thornton
        found: dict[str, float | None] = {
            "thornton": thornton.score,
            "thornton_chance": thornton.chance,
            "thornton_corrected": thornton.corrected,
            "thornton_p": thornton.p_value,
            "majority": self.facts.majority.share,
            "expected_accuracy_at_most_rows": self.facts.curve.points[-1].accuracy,
        }
        if self.angle is not None:
            found |= {"wilks": self.angle.wilks.value, "wilks_p": self.angle.wilks.p_value}
            if len(self.angle.pairs) == 1:
                pair = self.angle.pairs[0]
                found |= {"theta_degrees": pair.degrees, "mahalanobis": pair.mahalanobis}
        if self.complexity is not None:
            found |= self.complexity.values
        return found

    def to_dict(self) -> dict[str, Any]:
        """Dicts, lists, texts, numbers and None only."""
        sections = {
            "angle": self.angle,
            "complexity": self.complexity,
            "suspects": self.suspects,
            "overlap": self.overlap,
        }
        found = {**self.facts.to_dict(), "kind": "separability"}
        found["verdict"] = plain(self.verdict)
        for name, section in sections.items():
            found["row_suspects" if name == "suspects" else name] = plain(section)
        found["projections"] = None
        if self.projections is not None:
            found["projections"] = plain({"planes": self.projections.planes[:50], "single": self.projections.single})
        found |= plain({"skipped": self.skipped, "seconds": self.seconds, "sample_rows": self.sample_rows})
        return found

    def to_json(self) -> str:
        """One JSON object with stable keys, in ASCII."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def to_html(self, source: str | None = None) -> str:
        """One self-contained page. ``source`` is the file or set to name in the lines that reproduce it."""
        from sepal.report._html import html_page

        return html_page(self, source)

    def to_text(self, width: int = 80) -> str:
        """The terminal report, with the sentences of all sections."""
        import textwrap

        base = {verdict.code for verdict in self.facts.verdict}
        more = [verdict.text for verdict in self.verdict if verdict.code not in base]
        lines = [
            line
            for text in more
            for line in textwrap.wrap(text, width - 2, initial_indent="- ", subsequent_indent="  ")
        ]
        return self.facts.to_text(width) + ("\n" + "\n".join(lines) + "\n" if lines else "")

    def plot(self) -> Any:
        """The planes that show the classes best, or the accuracy curve where there are none."""
        if self.projections is not None:
            return self.projections.plot()
        from sepal.plots import draw_curve

        points = self.facts.curve.points
        return draw_curve(
            [point.train_rows for point in points],
            [point.accuracy for point in points],
            [point.split_std for point in points],
            xlabel="training rows",
            ylabel="accuracy of the nearest neighbour",
            band_label="one random split",
            line_label="mean over all splits",
        )

    def _repr_html_(self) -> str:
        import html

        sentences = "".join(f"<li>{html.escape(verdict.text)}</li>" for verdict in self.verdict)
        return f"<ul>{sentences}</ul>{self.frame().to_html(index=False, float_format='{:.4g}'.format)}"

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<SeparabilityReport: {self.verdict[0].text}>"


def separability(
    X: Any,
    y: Any = None,
    *,
    distance: str = "auto",
    scale: ScaleName | None = "minmax",
    missing: str = "distance",
    time_limit: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> SeparabilityReport:
    """Measure everything about the separability of labelled rows.

    Parameters
    ----------
    X, y, distance, scale, missing, random_state, n_jobs, progress
        As in :func:`sepal.report.report_facts`.
    time_limit : float, optional
        Seconds. Once they are over, sections that have not begun are left out, and ``skipped`` says so. Thornton's
        index, its test and the accuracy curve are always there.

    Returns
    -------
    SeparabilityReport

    Notes
    -----
    Above 20,000 rows neighbours are looked up for a random sample of rows, and complexity is that of a sample; the
    report says so. The angle of separability is in the units given, and never stands without the companions that do not
    depend on units.

    Examples
    --------
    >>> from sepal import datasets
    >>> report = separability(datasets.load("athletes"))
    >>> report.verdict[0].code
    'always_agree'
    """
    if time_limit is not None and not (isinstance(time_limit, (int, float, np.number)) and time_limit > 0):
        raise ParameterError(f"time_limit must be None or a number of seconds above 0; got {time_limit!r}")
    say = (lambda what, done: None) if progress is None else progress
    started = time.perf_counter()
    how: dict[str, Any] = {"distance": distance, "scale": scale, "missing": missing, "n_jobs": n_jobs}
    facts = report_facts(X, y, random_state=random_state, progress=lambda what, done: say(what, 0.3 * done), **how)
    seconds, skipped = {"neighbours and splits": time.perf_counter() - started}, {}
    rows = take_rows(X, y, missing, random_state)
    part, sample_rows = _complexity_rows(rows, random_state)
    n_queries = None if rows.sample is None else SAMPLE_ROWS
    k = min(5, rows.table.n_rows - 1)
    asked = {"k": k, "n_queries": n_queries, "random_state": random_state, **how}
    left = None if time_limit is None else max(0.1, time_limit / 3)
    sections: dict[str, Callable[[], Any]] = {
        "angle": lambda: _angle(rows.given, random_state),
        "suspects": lambda: suspects(rows.given, **asked),
        "overlap": lambda: overlap_regions(rows.given, **asked),
        "complexity": lambda: complexity(part, time_limit=left, random_state=random_state, n_jobs=n_jobs),
        "projections": lambda: informative_projections(rows.table, most_rows=_PLANE_ROWS, random_state=random_state),
    }
    found: dict[str, Any] = {}
    for i, (name, work) in enumerate(sections.items()):
        say(name, 0.3 + 0.14 * i)
        if time_limit is not None and time.perf_counter() - started > time_limit:
            found[name], skipped[name] = None, f"the time limit of {time_limit:g} s was over"
            continue
        began = time.perf_counter()
        try:
            found[name] = work()
        except DataError as error:
            found[name], skipped[name] = None, str(error).split("\n", 1)[0]
        seconds[name] = time.perf_counter() - began
    say("done", 1.0)
    verdict = (*facts.verdict, *geometry_verdicts(facts, **found))
    return SeparabilityReport(facts, verdict, **found, skipped=skipped, seconds=seconds, sample_rows=sample_rows)


def _complexity_rows(rows: Rows, random_state: int) -> tuple[Table, int | None]:
    """All rows of a table that is not too large, else a sample with every class in it."""
    if rows.table.n_rows <= ALL_PAIRS_ROWS:
        return rows.table, None
    rng = np.random.default_rng(random_state)
    parts = []
    for code in range(len(rows.classes)):
        inside = np.flatnonzero(rows.codes == code)
        wanted = min(len(inside), max(2, round(len(inside) * SAMPLE_ROWS / rows.table.n_rows)))
        parts.append(rng.choice(inside, size=wanted, replace=False))
    sample = np.sort(np.concatenate(parts))
    return rows.table.take(sample), len(sample)


def _angle(table: Table, random_state: int) -> SeparabilityAngle:
    """Complete rows if nearly all are and every class keeps some, else column means for missing cells."""
    complete = ~np.isnan(table.values).any(axis=1)
    labels = table.y if table.y is not None else np.empty(0)
    kept = len(np.unique(labels[complete])) == len(np.unique(labels)) if len(labels) else False
    pairs = len(np.unique(labels)) * (len(np.unique(labels)) - 1) // 2
    shuffles = min(_SHUFFLES, _SHUFFLED_ROWS // max(1, table.n_rows * pairs))
    return angle_of_separability(
        table,
        missing="drop" if complete.mean() >= 0.8 and kept else "mean",
        n_permutations=shuffles if shuffles >= 19 else 0,
        random_state=random_state,
    )
