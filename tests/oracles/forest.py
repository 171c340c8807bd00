"""Trees as recursive loops: the best cut by Gini impurity or variance, and a forest's walk."""

from __future__ import annotations


def gini_gain(left, right):
    """Sum over both sides of (sum of squared class counts) / size: larger is purer."""
    total = 0.0
    for side in (left, right):
        counts = {}
        for label in side:
            counts[label] = counts.get(label, 0) + 1
        total += sum(count**2 for count in counts.values()) / len(side)
    return total


def variance_gain(left, right):
    """Sum over both sides of (sum)^2 / size."""
    return sum(sum(side) ** 2 / len(side) for side in (left, right))


def best_gain(rows, answers, least, gain):
    """The largest gain of any cut of any column, over rows of bins; None if no cut leaves enough on both sides."""
    best = None
    for column in range(len(rows[0])):
        for cut in sorted({row[column] for row in rows})[:-1]:
            left = [answer for row, answer in zip(rows, answers, strict=True) if row[column] <= cut]
            right = [answer for row, answer in zip(rows, answers, strict=True) if row[column] > cut]
            if len(left) >= least and len(right) >= least:
                value = gain(left, right)
                best = value if best is None else max(best, value)
    return best


def walk(tree, row):
    """The node a row of bins ends in; a tree is lists (column, cut, child), children numbered within it."""
    column, cut, child = tree
    node = 0
    while column[node] >= 0:
        node = child[node] + (1 if row[column[node]] > cut[node] else 0)
    return node
