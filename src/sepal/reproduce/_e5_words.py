"""E5: bags of words, bigrams and the cosine, worked through."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sepal.neighbors import neighbor_ranking
from sepal.plots import new_panels
from sepal.reproduce._facts import Fact, FactTable, Result

FULL: dict[str, Any] = {
    "texts": (
        "the school board meeting starts today",
        "the school board meeting is today",
        "win a free prize today",
        "claim the free prize",
        "school board meeting",
    ),
    "stopwords": ("the", "a", "is"),
}
QUICK = FULL
# The two vectors of the slide: ones at places 2 and 9, and at places 5 and 9, of ten.
_SLIDE = ((0, 1, 0, 0, 0, 0, 0, 0, 1, 0), (0, 0, 0, 0, 1, 0, 0, 0, 1, 0))


def _counts(bags: list[list[Any]]) -> tuple[Any, list[Any]]:
    terms = sorted({term for bag in bags for term in bag})
    return np.array([[Counter(bag)[term] for term in terms] for bag in bags], dtype=np.float64), terms


def _cosine(counts: Any) -> Any:
    """All cosines, from the sparse search: 1 less the distance."""
    rows = csr_array(counts)
    found = neighbor_ranking(rows, len(counts), queries=rows, distance="cosine", ties="index")
    table = np.empty((len(counts), len(counts)))
    np.put_along_axis(table, np.asarray(found.rows), 1.0 - np.asarray(found.distances), axis=1)
    return table


def run(texts: tuple[str, ...], stopwords: tuple[str, ...]) -> Result:
    """Counts of words and of pairs of words, and the cosines of each pair of texts."""
    words = [text.split() for text in texts]
    bare = [[word for word in text if word not in stopwords] for text in words]
    bag, terms = _counts(bare)
    pairs, bigrams = _counts([[" ".join(two) for two in pairwise(text)] for text in words])
    by_words, by_pairs = _cosine(bag), _cosine(pairs)
    slide = float(_cosine(np.array(_SLIDE, dtype=np.float64))[0, 1])
    facts = (
        Fact("bigrams of a sentence of six words", len(set(pairwise(words[0]))), 5),
        Fact("cosine of the slide's two vectors", slide, why="One word in common, two in each: 1 / (√2 · √2)."),
        Fact("cosine of the first two texts, words", float(by_words[0, 1]), digits=3),
        Fact(
            "cosine of the first two texts, bigrams",
            float(by_pairs[0, 1]),
            why="Order counts now: pairs are rarer than words, and texts are less alike.",
            digits=3,
        ),
        Fact(
            "cosine of the first and the last text, words",
            float(by_words[0, -1]),
            why="Three words in common, five and three: 3 / √15.",
            digits=3,
        ),
        Fact("columns for words", len(terms)),
        Fact("columns for bigrams", len(bigrams), why="Still more columns, still emptier: the slide's warning."),
    )
    table = FactTable(
        "Words without stopwords",
        ("text", *terms),
        tuple((text, *(str(int(n)) for n in row)) for text, row in zip(texts, bag, strict=True)),
    )
    data = {"texts": texts, "words": by_words, "bigrams": by_pairs}
    return Result(
        "Words, then pairs of words: the more order a representation keeps, the less alike texts are. "
        "(In our copy of the slides the sentences are pictures; of them 'School Board meeting.' can be read, here the "
        "last text. The other four are ours.)",
        facts,
        data,
        (table,),
    )


def draw(result: Result) -> Any:
    """The cosines of all pairs of texts, by words and by bigrams."""
    figure, axes = new_panels(1, 2, (4.8, 3.6))
    for ax, name in zip(axes[0], ("words", "bigrams"), strict=True):
        table = np.asarray(result.data[name])
        ax.imshow(table, cmap="Blues", vmin=0.0, vmax=1.0)
        for (i, j), value in np.ndenumerate(table):
            ax.text(j, i, f"{value:.2f}", ha="center", va="center", color="white" if value > 0.55 else "#22272e")
        at = np.arange(len(table))
        ax.set_xticks(at, [f"text {i + 1}" for i in at])
        ax.set_yticks(at, [f"text {i + 1}" for i in at])
        ax.set_title(f"cosine, {name}")
    return figure
