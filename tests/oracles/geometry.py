"""Angle, Mahalanobis distance, Hotelling and the Fisher rule, as plain formulas. Never imports sepal."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats


def pooled(X, labels, classes):
    """The pooled covariance of all given classes, by loops."""
    p = len(X[0])
    scatter, dof = np.zeros((p, p)), 0
    for c in classes:
        rows = [np.asarray(x, dtype=float) for x, label in zip(X, labels, strict=True) if label == c]
        mean = sum(rows) / len(rows)
        for row in rows:
            scatter += np.outer(row - mean, row - mean)
        dof += len(rows) - 1
    return scatter / dof


def mean_of(X, labels, c):
    rows = [np.asarray(x, dtype=float) for x, label in zip(X, labels, strict=True) if label == c]
    return sum(rows) / len(rows)


def angle(X, labels, first, second, kappa=1.0, covariance=None):
    """tan theta = sqrt(kappa^2 |S^+ d|^2 + |Qd|^2) / 2; returns theta in radians and D."""
    S = pooled(X, labels, [first, second]) if covariance is None else covariance
    d = mean_of(X, labels, first) - mean_of(X, labels, second)
    inverse = np.linalg.pinv(S, rcond=1e-10, hermitian=True)
    solution = inverse @ d
    rest = d - inverse @ S @ d
    theta = math.atan(0.5 * math.sqrt(kappa**2 * float(solution @ solution) + float(rest @ rest)))
    return theta, math.sqrt(float(d @ inverse @ d))


def lifted_angle(X, labels, first, second, kappa=1.0):
    """The paper's own construction: classes at heights -1 and 1, S + kappa Q, angle of the normal to the vertical."""
    lifted = [[*x, -1.0 if label == first else 1.0] for x, label in zip(X, labels, strict=True)]
    S = pooled(lifted, labels, [first, second])
    Q = np.eye(len(S)) - np.linalg.pinv(S, rcond=1e-10, hermitian=True) @ S
    normal = np.linalg.solve(S + kappa * Q, mean_of(lifted, labels, second) - mean_of(lifted, labels, first))
    return math.acos(abs(normal[-1]) / float(np.linalg.norm(normal)))


def hotelling(d2, n1, n2, p):
    """T^2, F and p-value of two classes with their own pooled covariance."""
    t2 = n1 * n2 / (n1 + n2) * d2
    f = (n1 + n2 - p - 1) / (p * (n1 + n2 - 2)) * t2
    return t2, f, float(stats.f.sf(f, p, n1 + n2 - p - 1))


def corrected_d(d2, n1, n2, p):
    n = n1 + n2
    return math.sqrt(max(0.0, d2 * (n - p - 3) / (n - 2) - p * n / (n1 * n2)))


def wilks(X, labels, classes):
    """det W / det T."""
    X = np.asarray(X, dtype=float)
    W = pooled(X, labels, classes) * (len(X) - len(classes))
    T = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    return float(np.linalg.det(W) / np.linalg.det(T))


def pillai(X, labels, classes):
    """trace of (T - W) T^-1."""
    X = np.asarray(X, dtype=float)
    W = pooled(X, labels, classes) * (len(X) - len(classes))
    T = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    return float(np.trace((T - W) @ np.linalg.inv(T)))


def fisher_predict(X, labels, queries, kappa, priors=None):
    """Class of the largest x'S(k)^-1 m - m'S(k)^-1 m / 2 + log prior, S(k) = S + kQ formed and inverted."""
    classes = sorted(set(labels))
    S = pooled(X, labels, classes)
    Q = np.eye(len(S)) - np.linalg.pinv(S, rcond=1e-10, hermitian=True) @ S
    inverse = np.linalg.inv(S + kappa * Q)
    answers = []
    for x in queries:
        scores = []
        for i, c in enumerate(classes):
            m = mean_of(X, labels, c)
            prior = 1.0 / len(classes) if priors is None else priors[i]
            scores.append(float(x @ inverse @ m - 0.5 * m @ inverse @ m) + math.log(prior))
        answers.append(classes[int(np.argmax(scores))])
    return answers


def permuted_angles(X, labels, first, second, orders, kappa=1.0):
    """The angle for each reordering of the labels."""
    return [angle(X, [labels[i] for i in order], first, second, kappa)[0] for order in orders]


def gaussian_posteriors(X, codes, queries, ridge):
    """P(class | query) for normal classes with one covariance: the pooled one, with a ridge on its scatter.

    The ridge is a share of the mean diagonal entry of the scatter within classes; priors are the shares of the classes.
    """
    n, p = len(X), len(X[0])
    classes = sorted(set(codes))
    means = {c: np.mean([x for x, code in zip(X, codes, strict=True) if code == c], axis=0) for c in classes}
    scatter = np.zeros((p, p))
    for x, code in zip(X, codes, strict=True):
        scatter += np.outer(x - means[code], x - means[code])
    scatter += (ridge * np.trace(scatter) / p + 1e-12 * n) * np.eye(p)
    precision = np.linalg.inv(scatter / (n - len(classes)))
    out = []
    for query in queries:
        densities = [
            np.sum(codes == c) * np.exp(-0.5 * (query - means[c]) @ precision @ (query - means[c])) for c in classes
        ]
        out.append(np.array(densities) / np.sum(densities))
    return np.array(out)
