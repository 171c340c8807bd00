"""Small tables with texts, drawn: nothing of them was written by anybody."""

from __future__ import annotations

import numpy as np

from sepal.data import Table, as_table

SHARED = [
    "the",
    "a",
    "of",
    "to",
    "and",
    "in",
    "is",
    "it",
    "you",
    "that",
    "was",
    "for",
    "on",
    "are",
    "with",
    "as",
    "his",
    "they",
    "at",
    "be",
    "this",
    "have",
    "from",
    "or",
    "one",
    "had",
    "by",
]
OWN = {
    "spam": ["win", "free", "prize", "call", "now", "cash", "urgent", "claim"],
    "ham": ["home", "soon", "river", "day", "quiet", "bread", "rain"],
}


def drawn_texts(n: int = 120, seed: int = 0, told: float = 0.25, *, mixed: bool = False) -> Table:
    """Texts of two classes; a share of the words (``told``) is of the class. With a number and a name if ``mixed``."""
    random = np.random.default_rng(seed)
    labels = np.where(np.arange(n) % 3 == 0, "spam", "ham")
    texts = []
    for label in labels:
        words = random.choice(SHARED, 12)
        own = random.random(12) < told
        texts.append(" ".join(np.where(own, random.choice(OWN[str(label)], 12), words)))
    if not mixed:
        return as_table([[text] for text in texts], labels, kinds=["text"], names=["body"])
    cells = [
        [text, float(random.normal() + (label == "spam")), str(random.choice(["red", "blue"]))]
        for text, label in zip(texts, labels, strict=True)
    ]
    return as_table(cells, labels, kinds=["text", "numeric", "nominal"], names=["body", "length", "colour"])
