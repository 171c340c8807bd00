"""Neighbours in real sets: the planner's choice, tree and tiles forced, and the best of the peers.

The folder holds the sets that ``PARTS`` names as CSV files.
"""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.speed.neighbors import real_sets

PARTS = {
    "small": ("satellite", "banana", "phoneme", "spambase"),
    "large": ("letter", "magic", "shuttle"),
    "further": ("twonorm", "ring", "ionosphere", "pima_532_ripley", "cleveland_heart_num", "esl_mixture"),
}


def _wanted() -> list[str]:
    return os.environ.get("SEPAL_REAL_SETS_PARTS", " ".join(PARTS)).split()


def page_name() -> str:
    """Of the page: the part, if it is one."""
    return f"real_sets-{_wanted()[0]}" if len(_wanted()) == 1 else "real_sets"


def run(data_folder: Path | None) -> None:
    """The sets of all parts, or of those that ``SEPAL_REAL_SETS_PARTS`` names.

    Nothing is made up here: without a folder there is nothing to time.
    """
    if data_folder is None:
        print("\nreal sets: give their folder by --data")
    else:
        real_sets(data_folder, [name for part in _wanted() for name in PARTS[part]])
