"""D4: weighted Euclidean distance on elliptical classes, the weights learned in five ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.learners import KNNClassifier, learn_feature_weights
from sepal.measures import align_feature_weights
from sepal.plots import draw_points, new_panels, quiet_frame
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"n_per_class": 100, "n_test": 4000, "stretch": 8.0, "seed": 0}
QUICK = {**FULL, "n_per_class": 50, "n_test": 1000}


def _rows(n: int, stretch: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Two classes side by side, stretched along the axis that does not separate them."""
    labels = np.arange(n) % 2
    rows = rng.normal(size=(n, 2)) * (1.0, stretch)
    rows[:, 0] += 2.5 * labels
    return rows, np.where(labels == 1, "b", "a")


def run(n_per_class: int, n_test: int, stretch: float, seed: int) -> Result:
    """Test errors of 5-NN with equal weights, and with weights that were learned."""
    rng = np.random.default_rng(seed)
    rows, labels = _rows(2 * n_per_class, stretch, rng)
    test, truth = _rows(n_test, stretch, rng)
    weights: dict[str, Any] = {"none": np.ones(2), "one over the variance": _mean_one(1.0 / rows.var(axis=0))}
    unit = rows.std(axis=0)
    for method in ("nca", "relieff", "mutual_information"):
        learned = learn_feature_weights(rows / unit, labels, method=method)
        weights[method.replace("_", " ")] = _mean_one(np.asarray(learned.weights) / unit**2)
    aligned = align_feature_weights(rows / unit, labels)
    weights["alignment"] = _mean_one(np.asarray(aligned.weights) / unit**2)
    errors = {}
    for name, each in weights.items():
        scaled = np.sqrt(each)
        model = KNNClassifier(5, scale=None).fit(rows * scaled, labels)
        errors[name] = float(np.mean(model.predict(test * scaled) != truth))
    ratio = {name: float(each[0] / max(each[1], 1e-12)) for name, each in weights.items()}
    facts = tuple(
        Fact(
            f"error of 5-NN, weights: {name}",
            error,
            why="" if name == "none" else f"The separating column weighs {min(ratio[name], 1e6):,.0f} times the other.",
            digits=3,
        )
        for name, error in errors.items()
    )
    return Result(
        "The lecture asks where weights come from and does not answer. Five answers: all of them find the column that "
        "separates, and bring the error down.",
        facts,
        {"rows": rows, "labels": labels, "errors": errors},
    )


def _mean_one(weights: Any) -> Any:
    return np.asarray(weights) / np.mean(weights)


def draw(result: Result) -> Any:
    """The classes, and the error with each kind of weights."""
    data = result.data
    figure, axes = new_panels(1, 2, (5.0, 3.9))
    draw_points(data["rows"], data["labels"], xlabel="x1", ylabel="x2", ax=axes[0, 0])
    ax, names = axes[0, 1], list(data["errors"])
    at = np.arange(len(names))[::-1]
    ax.barh(at, list(data["errors"].values()), color=["#6b7480"] + ["#0072b2"] * (len(names) - 1), height=0.7)
    ax.set(yticks=at, yticklabels=names, ylabel="weights from", xlabel="test error of 5-NN")
    quiet_frame(ax)
    return figure
