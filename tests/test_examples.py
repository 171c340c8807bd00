"""The gallery's examples run, in well under the seconds a reader waits, and each draws one picture with words on it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from sepal.reproduce import EXPERIMENTS

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"
FILES = sorted(EXAMPLES.glob("*/plot_*.py"))
SLOW = {"plot_learners_beside.py"}  # trains four learners; `make docs` runs it
FOUNDING = sorted((EXAMPLES / "founding").glob("plot_*.py"))  # tests/reproduce runs what they show


def test_there_are_enough_and_every_folder_has_a_heading():
    assert len(FILES) >= 25
    for folder in {file.parent for file in FILES}:
        assert (folder / "GALLERY_HEADER.rst").is_file()


def test_the_figures_of_the_founding_documents_are_among_them():
    shown = re.findall(
        r'^figure = EXPERIMENTS\["(\w+)"\]', "".join(file.read_text() for file in FOUNDING), re.MULTILINE
    )
    assert sorted(shown) == list(EXPERIMENTS)


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.name not in SLOW and file not in FOUNDING], ids=lambda file: file.stem
)
def test_an_example_draws_a_picture(file):
    plt.close("all")  # another test of the same process may have left one open
    runpy.run_path(str(file))
    try:
        assert len(plt.get_fignums()) == 1
        assert any(re.search(r"\w", ax.get_xlabel() + ax.get_title()) or ax.name == "polar" for ax in plt.gcf().axes)
    finally:
        plt.close("all")
