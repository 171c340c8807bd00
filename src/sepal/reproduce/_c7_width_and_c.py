"""C7: the error over width and C for the radial kernel on Ripley's data."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.learners import KNNClassifier
from sepal.machines import SVMClassifier, hyperparameter_surface
from sepal.plots import draw_surface, new_panels
from sepal.reproduce._facts import Fact, Result
from sepal.reproduce._ripley import mcnemar, train_and_test

FULL: dict[str, Any] = {"beta": (0.01, 4.0, 0.05), "C": (1.0, 2.0, 3.0, 4.0)}
QUICK = {**FULL, "beta": (0.01, 4.0, 0.5), "C": (1.0, 2.0)}


def run(beta: tuple[float, float, float], C: tuple[float, ...]) -> Result:
    """Test errors over the grid, and the honest choice by leave-one-out."""
    train, test = train_and_test()
    betas = np.arange(beta[0], beta[1], beta[2])
    machine = SVMClassifier(scale=None, tol=1e-5)
    width = 1.0 / np.sqrt(2.0 * betas)
    given = (train.values, train.y)
    surface = hyperparameter_surface(machine, *given, C=list(C), width=width, test=(test.values, test.y))
    errors = 100 * surface.error[::-1]  # by rising beta
    i, j = np.unravel_index(int(np.argmin(np.round(errors.T, 6).ravel())), errors.T.shape)[::-1]
    near = int(np.argmin(np.abs(betas - 1.4)))
    left_out = hyperparameter_surface(machine, *given, C=list(C), width=width)
    chosen = np.unravel_index(int(np.argmin(left_out.error)), left_out.error.shape)
    honest = 100 * float(surface.error[chosen])
    mean, sd = train.values.mean(axis=0), train.values.std(axis=0, ddof=1)
    own = (test.values - test.values.mean(axis=0)) / test.values.std(axis=0, ddof=1)
    knn = KNNClassifier(33, scale=None).fit((train.values - mean) / sd, train.y).predict(own) != test.y
    svm = (
        SVMClassifier(gamma=float(betas[near]), C=1.0, scale=None, tol=1e-5).fit(*given).predict(test.values) != test.y
    )
    only_knn, only_svm, p = mcnemar(knn, svm)
    facts = (
        Fact("least test error", float(errors[i, j]), 9.0, unit="per cent", digits=1),
        Fact("C with it", int(C[j]), 1),
        Fact("beta with it", float(betas[i]), 1.4, "The valley is flat: neighbours on the grid differ by a row."),
        Fact(
            f"test error at beta = {betas[near]:.2f}, C = 1",
            float(errors[near, 0]),
            9.0,
            "A difference of 0.1 is one row of a thousand; the tolerance of the notes' program is not known.",
            "per cent",
            1,
        ),
        Fact("test error of what leave-one-out chooses", honest, None, "Chosen on training rows only.", "per cent", 1),
        Fact(
            "p-value, k-NN of the notes against this machine",
            p,
            why=f"{only_svm} rows only the machine has wrong, {only_knn} only k-NN: within chance.",
        ),
    )
    return Result(
        "The published minimum of 9.0 per cent at C = 1 comes out within two steps of the grid.",
        facts,
        {"beta": betas, "C": np.array(C), "errors": errors},
    )


def draw(result: Result) -> Any:
    """The surface."""
    data = result.data
    figure, axes = new_panels(size=(6.8, 4.0))
    draw_surface(
        data["beta"], data["C"], data["errors"], xlabel="beta", ylabel="C", label="test error, per cent", ax=axes[0, 0]
    )
    axes[0, 0].plot(1.4, 1, marker="s", mfc="none", mec="#e69f00", mew=2.0, ms=10, ls="none", label="published: 9.0")
    axes[0, 0].lines[0].set_label("ours, the least")
    axes[0, 0].set_xscale("linear")
    axes[0, 0].legend(loc="upper right", facecolor="#555555", labelcolor="white")
    axes[0, 0].set_yticks(data["C"])
    return figure
