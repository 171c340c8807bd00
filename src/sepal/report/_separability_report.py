"""All facts about the separability of labelled rows, in one object that can be read, drawn and written."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from sepal.data import (
    data_frame,
    frame_html,
)
from sepal.measures import (
    AlignmentCurve,
    ComplexityProfile,
    OverlapRegions,
    Projections,
    SeparabilityAngle,
    Suspects,
    TellingWord,
)
from sepal.neighbors import recall_html, recall_said
from sepal.report._facts import (
    ClassFacts,
    CurveFacts,
    FeatureFacts,
    MajorityFacts,
    ModelFacts,
    PartitionsFacts,
    RowBeside,
    SettingsFacts,
    TableFacts,
    ThorntonFacts,
    Verdict,
)
from sepal.report._reproducing import MadeFrom
from sepal.report._shown import Shown, plain
from sepal.report._suspects import suspects_dict

_PLANES_TOLD = 50


@dataclass(frozen=True, eq=False)
class SeparabilityReport(Shown):
    """How separable the classes are, how sure that is, what separates them and which rows stand in the way.

    Attributes
    ----------
    table, classes, majority, settings : facts
        What was given, class by class, and how distances were taken.
    thornton, curve : facts
        Thornton's index with its test, and the accuracy to expect over all random splits.
    verdict : tuple of Verdict
        Sentences, each with the code of the rule that made it.
    next_steps : tuple of Verdict
        What to do next: about the model, about rows, and what to collect.
    model : ModelFacts or None
        What a classifier reaches on rows that were left out.
    suspects : Suspects or None
    beside : tuple of RowBeside
        The values of the first suspects beside those of their neighbours.
    features : FeatureFacts or None
    words : tuple of TellingWord
        Where there are texts, the words that separate the classes best.
    alignment : AlignmentCurve or None
    angle : SeparabilityAngle or None
    overlap : OverlapRegions or None
    complexity : ComplexityProfile or None
    projections : Projections or None
        None where a section was left out; ``skipped`` says why.
    skipped : dict
        Section to reason.
    seconds : dict
        Section to the time it took.
    sample_rows : int or None
        Rows in the sample that complexity was taken from; None for all.
    partitions : PartitionsFacts or None
        Of rows in partitions: how they were asked; the sections after Thornton's index are of a sample.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> report = sepal.separability(table, time_limit=0.01)
    >>> report.verdict[0].code
    'always_agree'
    """

    table: TableFacts
    classes: tuple[ClassFacts, ...]
    majority: MajorityFacts
    settings: SettingsFacts
    thornton: ThorntonFacts
    curve: CurveFacts
    verdict: tuple[Verdict, ...] = ()
    next_steps: tuple[Verdict, ...] = ()
    model: ModelFacts | None = None
    suspects: Suspects | None = None
    beside: tuple[RowBeside, ...] = ()
    features: FeatureFacts | None = None
    words: tuple[TellingWord, ...] = ()
    alignment: AlignmentCurve | None = None
    angle: SeparabilityAngle | None = None
    overlap: OverlapRegions | None = None
    complexity: ComplexityProfile | None = None
    projections: Projections | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    sample_rows: int | None = None
    partitions: PartitionsFacts | None = None

    kind = "report"

    def frame(self) -> Any:
        """The main numbers, one line each."""
        return data_frame(list(self._headline_figures().items()), columns=["measure", "value"])

    def _headline_figures(self) -> dict[str, float | None]:
        thornton = self.thornton
        found: dict[str, float | None] = {
            "thornton": thornton.score,
            "thornton_chance": thornton.chance,
            "thornton_corrected": thornton.corrected,
            "thornton_p": thornton.p_value,
            "majority": self.majority.share,
            "expected_accuracy_at_most_rows": self.curve.points[-1].accuracy,
        }
        if self.model is not None:
            low, high = self.model.interval
            found |= {"model": self.model.score, "model_from": low, "model_to": high, "linear": self.model.linear}
        if self.alignment is not None:
            found["alignment"] = self.alignment.best_score
        if self.angle is not None:
            found |= {"wilks": self.angle.wilks.value, "wilks_p": self.angle.wilks.p_value}
            if len(self.angle.pairs) == 1:
                pair = self.angle.pairs[0]
                found |= {"theta_degrees": pair.degrees, "mahalanobis": pair.mahalanobis}
        if self.complexity is not None:
            found |= self.complexity.values
        return found

    def to_dict(self) -> dict[str, Any]:
        """Dicts, lists, texts, numbers and None only; NaN and infinity become None."""
        from sepal import __version__

        special: dict[str, Any] = {"suspects": None, "projections": None}
        if self.suspects is not None:
            special["suspects"] = suspects_dict(self.suspects)
        if self.projections is not None:
            special["projections"] = {
                "planes": plain(self.projections.planes[:_PLANES_TOLD]),
                "single": plain(self.projections.single),
            }
        names = (each.name for each in fields(self))
        facts = {name: special[name] if name in special else plain(getattr(self, name)) for name in names}
        return {"sepal": __version__, "kind": self.kind, **self._recall_fact(), **facts}

    def to_html(self, source: MadeFrom = None) -> str:
        """One self-contained page.

        ``source`` is the file or set to name in the lines that reproduce it, or these lines: "python" and "shell".
        """
        from sepal.report._html import html_page

        return html_page(self, source)

    def to_text(self, width: int = 80, *, color: bool = False, unicode: bool = True, source: MadeFrom = None) -> str:
        """The report as it stands on a terminal. ``source`` as in :meth:`to_html`, else as :meth:`Shown.to_text`."""
        from sepal.report._text import report_text

        return report_text(self, width, color=color, unicode=unicode, source=source)

    def plot(self, axes: Any = None) -> Any:
        """The planes that show the classes best, or the accuracy curve where there are none.

        Parameters
        ----------
        axes : sequence of matplotlib axes, optional
            One for each plane, as many as should be drawn; the curve takes the first. A new figure without it.

        Returns
        -------
        array of matplotlib axes
        """
        if self.projections is not None:
            return self.projections.plot(axes=axes)
        from sepal.plots import draw_curve, several_axes

        points = self.curve.points
        drawn = draw_curve(
            [point.train_size for point in points],
            [point.accuracy for point in points],
            [point.split_std for point in points],
            xlabel=f"training {self.curve.units}",
            ylabel="accuracy of the nearest neighbour",
            band_label="one random split",
            line_label="mean over all splits",
            ax=None if axes is None else several_axes(axes, 1)[0],
        )
        return np.array([drawn])

    def _repr_html_(self) -> str:
        import html

        sentences = "".join(f"<li>{html.escape(verdict.text)}</li>" for verdict in self.verdict)
        return f"<ul>{sentences}</ul>{frame_html(self, float_format='{:.4g}'.format)}{recall_html(self.settings.notes)}"

    def _in_plain_words(self) -> str:
        steps = (f"{number}. {step.text}" for number, step in enumerate(self.next_steps, start=1))
        return "\n".join([*(sentence.text for sentence in self.verdict), *steps])

    def __repr__(self) -> str:
        return f"<SeparabilityReport: {self.verdict[0].text}{recall_said(self.settings.notes)}>"
