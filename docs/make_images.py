"""Make the picture of the README from a bundled set: python docs/make_images.py

It uses what every user has: the facts of the report, the curve that draws itself, and one drawing function.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

import sepal
from sepal.measures import expected_accuracy_curve
from sepal.plots import draw_points

IMAGES = Path(__file__).parent / "images"


def overview(path: Path) -> None:
    """Ripley's points with the rows that look mislabelled, beside the exact accuracy for every training size."""
    table = sepal.datasets.load("ripley-train")
    facts = sepal.separability(table)
    low, high = facts.thornton.interval
    with mpl.rc_context({"font.size": 10, "axes.titlesize": 11, "axes.titlelocation": "left"}):
        figure = Figure(figsize=(10.0, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2)
        draw_points(
            table.values,
            table.y,
            ringed=[suspect.row for suspect in facts.suspects.rows[:10]],
            xlabel=table.names[0],
            ylabel=table.names[1],
            ring_label="the ten most suspect rows",
            ax=left,
        )
        left.legend(loc="upper left", frameon=False, ncols=3, columnspacing=1.0, handletextpad=0.3)
        left.set_ylim(top=table.values[:, 1].max() + 0.22)
        left.set_title(f"Thornton's index {facts.thornton.score:.3f} ({low:.3f} to {high:.3f})")
        expected_accuracy_curve(table).plot(right)
        right.legend(loc="lower right", frameon=False)
        right.set_title("The exact accuracy, and the noise of one split")
        figure.savefig(path, dpi=130)


if __name__ == "__main__":
    overview(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES / "overview.png")
