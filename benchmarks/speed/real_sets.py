"""Neighbours in real sets: the planner's choice, tree and tiles forced, and the best of the peers.

The folder holds banana, phoneme, shuttle, magic, letter, satellite and spambase as CSV files.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.speed.neighbors import real_sets


def run(data_folder: Path | None) -> None:
    """Nothing is made up here: without a folder there is nothing to time."""
    if data_folder is None:
        print("\nreal sets: give their folder by --data")
    else:
        real_sets(data_folder)
