"""The mail learner as plain loops over all messages so far."""

from __future__ import annotations

import math


def cases_log_odds(words, past, counted, trust, k=5):
    """log(S / H) of the k most similar cases of each kind.

    ``past`` holds (words, spam) of the cases, ``counted`` the words of all messages, ``trust`` a number for each case:
    one whose label nobody believes counts half.
    """
    n = len(counted)
    found = {True: [], False: []}
    for (other, spam), believed in zip(past, trust, strict=True):
        both = sorted(set(words) & set(other))
        total = sum(math.log((n + 1) / (sum(w in o for o in counted) + 0.5)) ** 2 for w in both)
        found[spam].append((total / math.sqrt(len(words) * len(other)), believed))
    spam, ham = (
        sum(s * (1 + t) / 2 for s, t in sorted(found[kind], key=lambda each: -each[0])[:k]) for kind in (True, False)
    )
    return math.log((spam + 1e-6) / (ham + 1e-6)) if n else 0.0


def nearest_labels(words, past, counted, k=5):
    """The labels of the k most similar cases, nearest first; the earlier one where two are equal."""
    n = len(counted)
    found = []
    for place, (other, spam) in enumerate(past):
        both = sorted(set(words) & set(other))
        total = sum(math.log((n + 1) / (sum(w in o for o in counted) + 0.5)) ** 2 for w in both)
        found.append((-total / math.sqrt(len(words) * len(other)), place, spam))
    return [spam for _, _, spam in sorted(found)[:k]]


def _sigmoid(z):
    return 1 / (1 + math.exp(-max(-30, min(30, z))))


def judged(messages, *, linear_part=True, cases_part=True, stays=lambda place, now: True):
    """What is said of each message before it is learned, the trust in each label, and the share of wrong ones.

    A label is the true one with probability 1 - wrong: given what was said, its trust is (1 - wrong) p / ((1 - wrong) p
    + wrong (1 - p)), and wrong follows 1 - trust in steps of a hundredth, once ten messages of each kind are known.
    """
    weight, counts = {}, {}
    a, b, c, wrong = 1.0, 3.0, 0.0, 0.001
    said, trusts, counted = [], [], []
    for n, (words, spam) in enumerate(messages):
        value = {w: 1 + math.log((n + 1) / (counts.get(w, 0) + 1)) for w in words}
        norm = math.sqrt(sum(v * v for v in value.values()))
        z = sum(weight.get(w, 0.0) * value[w] / norm for w in words) if linear_part else 0.0
        kept = [i for i in range(n) if stays(i, n)]
        near = 0.0
        if cases_part and n:
            believed = [round(1023 * trusts[i]) / 1023 for i in kept]
            near = cases_log_odds(words, [messages[i] for i in kept], counted, believed)
        both = max(-30.0, min(30.0, a * z + b * near + c))
        said.append(both)
        p = _sigmoid(both) if spam else 1 - _sigmoid(both)
        trust = 1.0
        if min(sum(s for _, s in messages[:n]), sum(not s for _, s in messages[:n])) >= 10:
            e = max(wrong, 1e-5)
            trust = (1 - e) * p / ((1 - e) * p + e * (1 - p))
            wrong += 0.01 * (1 - trust - wrong)
        off = trust * (_sigmoid(both) - spam)
        a, b, c = max(0.0, a - 0.01 * off * z), max(0.0, b - 0.01 * off * near), c - 0.01 * off
        for w in words:
            weight[w] = weight.get(w, 0.0) - 16.0 * trust * (1 / (1 + math.exp(-z)) - spam) * value[w] / norm
            counts[w] = counts.get(w, 0) + 1
        trusts.append(trust)
        counted.append(words)
    return said, trusts, wrong
