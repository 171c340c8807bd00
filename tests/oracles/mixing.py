"""Weights of a mixture by the likelihood of a grid, and the loss of a calibration, as plain loops."""

from __future__ import annotations

import itertools
import math


def mean_weights(own, parts, floor):
    """The mean of all weights k / parts that add up to 1, each counted by the product over rows of the mixture.

    ``own[m][i]`` is the probability that member m gives to the true class of row i.
    """
    total, sums = 0.0, [0.0] * len(own)
    for shares in itertools.product(range(parts + 1), repeat=len(own)):
        if sum(shares) != parts:
            continue
        likelihood = 1.0
        for i in range(len(own[0])):
            likelihood *= sum(share / parts * own[m][i] for m, share in enumerate(shares)) + floor
        total += likelihood
        sums = [value + likelihood * share / parts for value, share in zip(sums, shares, strict=True)]
    return [value / total for value in sums]


def calibration_loss(logarithms, codes, weights, factor, offsets, prior):
    """- sum w_i log softmax(factor s_i + offsets) at the true class, and the prior's share."""
    loss = 0.5 * prior * ((factor - 1.0) ** 2 + sum(offset**2 for offset in offsets))
    for row, code, weight in zip(logarithms, codes, weights, strict=True):
        scaled = [factor * value + offset for value, offset in zip(row, offsets, strict=True)]
        loss -= weight * (scaled[code] - math.log(sum(math.exp(value) for value in scaled)))
    return loss
