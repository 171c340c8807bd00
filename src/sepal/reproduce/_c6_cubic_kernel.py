"""C6: the error over C for the cubic kernel on Ripley's data, and its decision surface."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.learners import KNNClassifier
from sepal.machines import SVMClassifier
from sepal.plots import draw_lines, legend_below, new_panels, plot_regions
from sepal.reproduce._facts import Fact, Result
from sepal.reproduce._ripley import mcnemar, train_and_test

FULL: dict[str, Any] = {"C": tuple(range(1, 21)), "k": 33}
QUICK = FULL


def _machine(C: float) -> SVMClassifier:
    return SVMClassifier(C=C, kernel="polynomial", degree=3, gamma=1.0, coef0=1.0, scale=None, tol=1e-5)


def run(C: tuple[float, ...], k: int) -> Result:
    """Test errors, the best C, and a test against the notes' k-NN."""
    train, test = train_and_test()
    machines = [_machine(each).fit(train.values, train.y) for each in C]
    wrong = np.array([machine.predict(test.values) != test.y for machine in machines])
    errors = 100 * wrong.mean(axis=1)
    best = int(np.argmin(np.round(errors, 6)))
    mean, sd = train.values.mean(axis=0), train.values.std(axis=0, ddof=1)
    own = (test.values - test.values.mean(axis=0)) / test.values.std(axis=0, ddof=1)
    neighbors = KNNClassifier(k, scale=None).fit((train.values - mean) / sd, train.y).predict(own) != test.y
    only_knn, only_svm, p = mcnemar(neighbors, wrong[best])
    facts = (
        Fact("least test error", float(errors[best]), 9.4, unit="per cent", digits=1),
        Fact("C with it", int(C[best]), 2),
        Fact("support vectors there", len(machines[best].support_)),
        Fact(
            "p-value, k-NN of the notes against this machine",
            p,
            why=f"{only_svm} rows only the machine has wrong, {only_knn} only k-NN: within chance. That k-NN "
            "outperforms the machine is not supported.",
        ),
    )
    data = {"C": np.array(C), "errors": errors, "best": int(C[best]), "knn": 100 * float(neighbors.mean())}
    return Result("9.4 per cent at C = 2, exactly as published, on columns as they are.", facts, data)


def draw(result: Result) -> Any:
    """Error over C, and regions with the support vectors ringed."""
    data = result.data
    figure, axes = new_panels(1, 2, (5.2, 4.0))
    draw_lines(
        data["C"],
        {"cubic kernel": data["errors"]},
        xlabel="C",
        ylabel="test error, per cent",
        levels={"k-NN of the notes": data["knn"]},
        marked={"published: 9.4 at C = 2": (2, 9.4)},
        ax=axes[0, 0],
    )
    axes[0, 0].set_xticks([1, 5, 10, 15, 20])
    legend_below(axes[0, 0])
    train, _ = train_and_test()
    plot_regions(_machine(data["best"]).fit(train.values, train.y), train.values, train.y, ax=axes[0, 1])
    return figure
