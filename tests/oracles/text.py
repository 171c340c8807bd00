"""Texts as rows of words, their cosine, and the distance of texts beside other columns; plain loops."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence


def words(text: str, shortest: int = 1, longest: int = 1, stop: Sequence[str] = ()) -> list[str]:
    """Groups of adjacent words in small letters; stop words are taken out first."""
    found = [word for word in re.findall(r"\w+", text.lower()) if word not in stop]
    return [" ".join(found[i : i + n]) for n in range(shortest, longest + 1) for i in range(len(found) - n + 1)]


def letters(text: str, shortest: int, longest: int) -> list[str]:
    """Groups of adjacent characters inside words, a blank at both ends; a shorter word is one group."""
    found = []
    for word in text.lower().split():
        padded = f" {word} "
        for n in range(shortest, longest + 1):
            found += [padded[i : i + n] for i in range(max(len(padded) - n, 0) + 1)]
            if n >= len(padded):
                break
    return found


def weighed(units: Sequence[str], training: Sequence[Sequence[str]], count: str, idf: bool) -> dict[str, float]:
    """What each unit of a text counts; units that no training text has are left out."""
    known = {unit for text in training for unit in text}
    row = {}
    for unit in set(units) & known:
        n = list(units).count(unit)
        tf = {"log": 1.0 + math.log(n), "count": float(n), "binary": 1.0}[count]
        having = sum(unit in text for text in training)
        row[unit] = tf * (math.log((1 + len(training)) / (1 + having)) + 1.0 if idf else 1.0)
    return row


def cosine(x: dict[str, float], z: dict[str, float]) -> float:
    """1 - cosine; a text without a known word is at 1 from every other."""
    lengths = [math.sqrt(sum(value * value for value in row.values())) for row in (x, z)]
    if 0.0 in lengths:
        return 1.0
    apart = 1.0 - sum(value * z.get(unit, 0.0) for unit, value in x.items()) / (lengths[0] * lengths[1])
    return apart if apart > 1e-14 else 0.0  # rounding is no distance


def mixed(
    texts: Sequence[tuple[dict[str, float], dict[str, float]]],
    cells: Sequence[tuple[float, float]],
    ranges: Sequence[float | None],
    weights: Sequence[float],
) -> float:
    """HEOM with texts: root of the weighted sum of 1 - cosine, squared differences of ranges, and mismatches.

    ``weights`` are those of the texts, then of the cells; a range is None for a nominal cell.
    """
    total = sum(w * cosine(x, z) for (x, z), w in zip(texts, weights, strict=False))
    for (a, b), reach, w in zip(cells, ranges, weights[len(texts) :], strict=True):
        if math.isnan(a) or math.isnan(b):
            total += w
        elif reach is None:
            total += w * (a != b)
        else:
            total += w * ((a - b) / reach) ** 2
    return math.sqrt(total)


def word_information(texts: Sequence[Sequence[str]], labels: Sequence[str], word: str) -> float:
    """Mutual information of the class and of whether the word is in the text, in bits."""
    n, total = len(texts), 0.0
    for there in (True, False):
        for label in set(labels):
            both = sum((word in text) == there and own == label for text, own in zip(texts, labels, strict=True)) / n
            one = sum((word in text) == there for text in texts) / n
            other = sum(own == label for own in labels) / n
            total += both * math.log2(both / (one * other)) if both else 0.0
    return total
