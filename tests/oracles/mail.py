"""The mail learner as plain loops over all messages so far."""

from __future__ import annotations

import math


def cases_log_odds(words, past, k=5):
    """log(S / H) of the k most similar past messages of each kind; ``past`` holds (words, spam)."""
    if not past:
        return 0.0
    n = len(past)
    found = {True: [], False: []}
    for other, spam in past:
        both = sorted(set(words) & set(other))
        total = sum(math.log((n + 1) / (sum(w in o for o, _ in past) + 0.5)) ** 2 for w in both)
        found[spam].append(total / math.sqrt(len(words) * len(other)))
    spam, ham = (sum(sorted(found[kind], reverse=True)[:k]) for kind in (True, False))
    return math.log((spam + 1e-6) / (ham + 1e-6))


def linear_log_odds(messages, step=16.0):
    """What the linear model says of each message before it learns it."""
    weight, counts, said = {}, {}, []
    for n, (words, spam) in enumerate(messages):
        value = {w: 1 + math.log((n + 1) / (counts.get(w, 0) + 1)) for w in words}
        norm = math.sqrt(sum(v * v for v in value.values()))
        z = sum(weight.get(w, 0.0) * value[w] / norm for w in words)
        said.append(z)
        wrong = 1 / (1 + math.exp(-z)) - spam
        for w in words:
            weight[w] = weight.get(w, 0.0) - step * wrong * value[w] / norm
            counts[w] = counts.get(w, 0) + 1
    return said


def joined(linear, cases, labels, step=0.01):
    """The shares of both parts, learned on the way."""
    a, b, c = 1.0, 3.0, 0.0
    said = []
    for z, near, spam in zip(linear, cases, labels, strict=True):
        said.append(a * z + b * near + c)
        wrong = 1 / (1 + math.exp(-max(-30, min(30, said[-1])))) - spam
        a, b, c = max(0.0, a - step * wrong * z), max(0.0, b - step * wrong * near), c - step * wrong
    return said
