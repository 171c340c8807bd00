"""Labels of two sources that mean the same: True and "True", 1 and "1", 10 and "10 %"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from sepal.data._columns import level_numbers

_TRUTH = ("false", "true")


def same_labels(new: Iterable[Any], known: Iterable[Any], *, texts: bool = False) -> dict[Any, Any]:
    """For each of the ``new`` labels the ``known`` one that means the same; a label without any is left out.

    Equal labels do. So do a text and a number or a boolean, where the text spells it or is what files spell so, and no
    other label on either side could be meant. With ``texts`` two texts do as well that spell one number.

    Examples
    --------
    >>> same_labels([True, False], ["FALSE", "TRUE"]), same_labels([1, 2], ["1", "2", "3+"])
    ({True: 'TRUE', False: 'FALSE'}, {1: '1', 2: '2'})
    >>> same_labels(["007", "042"], [7, 42]), same_labels([10, 20], ["10 %", "5 %"]), same_labels(["a"], ["A"])
    ({'007': 7, '042': 42}, {10: '10 %'}, {})
    >>> same_labels(["007"], ["7"]), same_labels(["007"], ["7"], texts=True)
    ({}, {'007': '7'})
    """
    by_label = {label: label for label in known}
    left: list[Any] = []
    found: dict[Any, Any] = {}
    for label in dict.fromkeys(new):
        if label in by_label:
            found[label] = by_label.pop(label)
        else:
            left.append(label)
    for reading in (_spelled, _numbers):
        if not left or not by_label or not (texts or _is_text(left) != _is_text(by_label)):
            return found
        more = _matched(left, [*by_label], reading)
        found |= more
        left = [label for label in left if label not in more]
        for label in more.values():
            del by_label[label]
    return found


def _matched(new: list[Any], known: list[Any], reading: Callable[[list[Any]], dict[Any, Hashable]]) -> dict[Any, Any]:
    """Labels of both sides that a reading shows to be the same, where it takes no other for them."""
    of_new, of_known = reading(new), reading(known)
    times, known_times = Counter(of_new.values()), Counter(of_known.values())
    place = {meant: label for label, meant in of_known.items() if known_times[meant] == 1}
    return {label: place[meant] for label, meant in of_new.items() if times[meant] == 1 and meant in place}


def _spelled(labels: list[Any]) -> dict[Any, Hashable]:
    texts = {label: str(label).removesuffix(".0") for label in labels}
    return {label: text.lower() if text.lower() in _TRUTH else text for label, text in texts.items()}


def _numbers(labels: list[Any]) -> dict[Any, Hashable]:
    """The number of each, as readers of files understand texts; nothing where some text is none."""
    if all(isinstance(label, str) for label in labels):
        return dict(level_numbers(labels) or {})
    return {label: float(label) for label in labels if type(label) in (int, float)}


def _is_text(labels: Iterable[Any]) -> bool:
    """Whether labels, which are of one sort, are texts."""
    return isinstance(next(iter(labels)), str)
