"""What the columns of the tables mean: the plain sentence first, the term of the field in brackets."""

from __future__ import annotations

PAIR_WORDS = (
    "Mixing: how many of the {k} nearest rows of one class are of the other. Distance: how far the class means are "
    "apart, in units of the spread inside the classes, so that the units of the columns do not matter (Mahalanobis "
    "distance). Angle: how steep Fisher's plane is if one class lies above the other (angle of separability); it "
    "changes with the units of the columns, and a small one proves nothing. p: how often chance alone would separate "
    "the means so far (Hotelling's test), made stricter for the number of pairs (Holm's correction)."
)
COMPLEXITY_WORDS = (
    "Twenty-two ways in which classes can be hard to tell apart, each from 0 (easy) to 1 (hard): columns that overlap, "
    "neighbours that disagree, curved boundaries, too few rows for the columns. These are the complexity measures "
    "of the survey by Lorena and others (2019); rows are compared by {distance}."
)
_DISTANCES = {
    "euclidean": "the straight line through all columns (euclidean)",
    "heom": "the difference of numbers, and equal or not for names (heom)",
    "cosine": "the angle between rows (cosine)",
    "gower": "the mean difference over the columns (gower)",
}


def distance_words(name: str) -> str:
    """A distance in plain words, with its name in brackets."""
    return _DISTANCES.get(name, name)
