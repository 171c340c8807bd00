"""What a person should know about a labelled table, as one object, and this as text, JSON and one HTML page.

In: labelled rows (a Table, or X and y). Out: a frozen report that prints on a terminal and turns into JSON and HTML.
The facts come from the measures; the renderings add nothing to them.

May be imported by reproduce, cli, explorer and mail.
"""

from __future__ import annotations

from sepal.report._facts import MeasureFacts
from sepal.report._gather import measure_facts
from sepal.report._page import Page as Page
from sepal.report._partitions import partitions_measures as partitions_measures
from sepal.report._rendered import rendered as rendered
from sepal.report._section_text import inclusion_rows as inclusion_rows
from sepal.report._separability import partitions_report as partitions_report
from sepal.report._separability import separability
from sepal.report._separability_report import SeparabilityReport
from sepal.report._shown import plain as plain
from sepal.report._svg import alignment_svg as alignment_svg
from sepal.report._svg import curve_svg as curve_svg
from sepal.report._svg import mark_svg as mark_svg
from sepal.report._svg import radar_svg as radar_svg
from sepal.report._svg_charts import Line as Line
from sepal.report._svg_charts import bars_svg as bars_svg
from sepal.report._svg_charts import dots_svg as dots_svg
from sepal.report._svg_charts import histogram_svg as histogram_svg
from sepal.report._svg_charts import lines_svg as lines_svg
from sepal.report._svg_charts import map_svg as map_svg
from sepal.report._svg_charts import shades_svg as shades_svg
from sepal.report._time_limit import Clock as Clock
from sepal.report._time_limit import TimeIsOverError as TimeIsOverError
from sepal.report._time_limit import alarm as alarm

__all__ = ["MeasureFacts", "SeparabilityReport", "measure_facts", "separability"]
