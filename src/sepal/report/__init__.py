"""What a person should know about a labelled table, as facts, and these as text, JSON and one HTML page.

In: labelled rows (a Table, or X and y). Out: frozen facts that print as the terminal report and turn into JSON.
The facts come from the measures; the text adds nothing to them.

May be imported by cli, explorer and mail.
"""

from __future__ import annotations

from sepal.report._facts import MeasureFacts, ReportFacts, plain
from sepal.report._gather import measure_facts, report_facts
from sepal.report._page import Page
from sepal.report._separability import SeparabilityReport, separability
from sepal.report._text import inclusion_rows

__all__ = [
    "MeasureFacts",
    "Page",
    "ReportFacts",
    "SeparabilityReport",
    "inclusion_rows",
    "measure_facts",
    "plain",
    "report_facts",
    "separability",
]
