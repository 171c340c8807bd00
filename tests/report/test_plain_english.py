"""Sentences that readers stumbled over do not come back, in any text, page or help."""

from __future__ import annotations

from pathlib import Path

import pytest

import sepal

SOURCES = [
    file
    for pattern in ("*.py", "*.j2", "*.js", "*.html")
    for file in sorted(Path(sepal.__file__).parent.rglob(pattern))
]
ODD = (
    "are sure to a few percent",
    "already tells something",
    "Answer new rows with a model",
    "To be asked about",
    "give its kind to use it",
    "give its encoding if",
    "AnyTable(machine",
)


@pytest.mark.parametrize("words", ODD)
def test_odd_sentences_do_not_come_back(words):
    assert len(SOURCES) > 300
    assert [file.name for file in SOURCES if words in " ".join(file.read_text(encoding="utf-8").split())] == []
