"""Labels of two sources that mean the same: True and "True", 1 and "1", 10 and "10 %"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

_TRUTH = {"false": False, "true": True}
_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(?:\.[0-9]{1,300})?")


def same_labels(new: Iterable[Any], known: Iterable[Any], *, target: bool = False) -> dict[Any, Any]:
    """For each of the ``new`` labels the ``known`` one that means the same; a label without any is left out.

    Equal labels do. So do a text and a number or a boolean that the text spells, where no other known label could be
    meant. Of a ``target``, which formats write in more ways, two texts do as well that spell one number, and a share
    may be written as 10 %. Each label is looked at alone: what it means does not hang on the others that are new.

    Examples
    --------
    >>> same_labels([True, False], ["FALSE", "TRUE"]), same_labels([1, 2], ["1", "2", "3+"])
    ({True: 'TRUE', False: 'FALSE'}, {1: '1', 2: '2'})
    >>> same_labels(["007", "042"], [7, 42]), same_labels(["10 %", "v7"], [10, 7]), same_labels(["a"], ["A"])
    ({'007': 7, '042': 42}, {}, {})
    >>> same_labels(["007", "10 %"], ["7", 10]), same_labels(["007", "10 %"], ["7", 10], target=True)
    ({}, {'007': '7', '10 %': 10})
    """
    held = list(known)
    by_label, by_text = {label: label for label in held}, {str(label): label for label in held}
    meanings = {label: _meaning(label, target) for label in held}
    times = Counter(meanings.values())
    by_meaning = {meant: label for label, meant in meanings.items() if times[meant] == 1}
    found = {}
    for label in dict.fromkeys(new):
        if label in by_label:
            found[label] = by_label[label]
            continue
        meant = _meaning(label, target)
        exact = None if isinstance(label, bool) else by_text.get(str(label))
        for same in (exact, None if meant is None else by_meaning.get(meant)):
            if same is not None and (target or isinstance(label, str) != isinstance(same, str)):
                found[label] = same
                break
    return found


def _meaning(label: Any, share: bool) -> Hashable:
    """The truth value or the number of a label; None where it has neither, or is no plain one."""
    if isinstance(label, bool):
        return "truth", label
    if isinstance(label, str):
        text = label.strip()
        if text.lower() in _TRUTH:
            return "truth", _TRUTH[text.lower()]
        text = text.removesuffix("%").rstrip() if share else text
        if not _NUMBER.fullmatch(text):
            return None
        return float(text) if text.partition(".")[2].strip("0") else int(text.partition(".")[0])
    return label if type(label) in (int, float) else None
