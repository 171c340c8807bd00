"""Costs of answers, as plain loops."""

from __future__ import annotations

import math
from itertools import pairwise


def cheapest(share, costs):
    """The answers of least expected cost, as a set, for the probabilities of one row."""
    n = len(share)
    wanted = [sum(share[c] * costs[c][a] for c in range(n)) for a in range(n)]
    return {a for a in range(n) if wanted[a] <= min(wanted) + 1e-12 * max(map(max, costs))}


def errors_above(scores, positive, threshold):
    """False alarms and misses where "yes" is answered above the threshold."""
    alarms = sum(1 for s, yes in zip(scores, positive, strict=True) if s > threshold and not yes)
    misses = sum(1 for s, yes in zip(scores, positive, strict=True) if s <= threshold and yes)
    return alarms, misses


def every_threshold(scores):
    """Half-way between all different scores, and beyond them."""
    values = sorted(set(scores))
    return [-math.inf, *((a + b) / 2 for a, b in pairwise(values)), math.inf]


def best_threshold(scores, positive, false_alarm, miss):
    """The highest of the cheapest thresholds, and its total cost."""
    found = []
    for threshold in every_threshold(scores):
        alarms, misses = errors_above(scores, positive, threshold)
        found.append((false_alarm * alarms + miss * misses, -threshold))
    cost, minus = min(found)
    return -minus, cost


def least_cost_at(scores, positive, weight):
    """The least of weight * rate of misses + (1 - weight) * rate of false alarms."""
    n_yes = sum(positive)
    n_no = len(positive) - n_yes
    least = math.inf
    for threshold in every_threshold(scores):
        alarms, misses = errors_above(scores, positive, threshold)
        least = min(least, weight * misses / n_yes + (1 - weight) * alarms / n_no)
    return least
