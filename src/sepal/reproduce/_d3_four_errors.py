"""D3: training, ten-fold, test and Bayes error against k."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from sepal.evaluation import leave_one_out_curve
from sepal.plots import draw_lines, new_panels
from sepal.reproduce._facts import Fact, Result
from sepal.reproduce._ripley import bayes_answers, train_and_test

FULL: dict[str, Any] = {"k_max": 60, "folds": 10}
QUICK = FULL


def run(k_max: int, folds: int) -> Result:
    """All k at once: one ranking gives every one of them."""
    train, test = train_and_test()
    whole = leave_one_out_curve(
        train.values, train.y, k_max=k_max, test=(test.values, test.y), training=True, scale=None
    )
    right = np.zeros(k_max)
    for inside, out in StratifiedKFold(folds, shuffle=True, random_state=0).split(train.values, train.y):
        part = leave_one_out_curve(
            train.values[inside], train.y[inside], k_max=k_max, test=(train.values[out], train.y[out]), scale=None
        )
        right += np.asarray(part.test) * len(out)
    errors = {
        "training": 1.0 - np.asarray(whole.training),
        f"{folds}-fold": 1.0 - right / train.n_rows,
        "test": 1.0 - np.asarray(whole.test),
    }
    bayes = float((bayes_answers(test.values) != np.asarray(test.y, dtype=np.int64)).mean())
    held = errors[f"{folds}-fold"]
    best = int(np.argmin(np.round(held, 6))) + 1
    facts = (
        Fact("training error of 1-NN", float(errors["training"][0]), 0.0, "Every row is its own neighbour.", digits=3),
        Fact("test error of 1-NN", float(errors["test"][0]), digits=3),
        Fact("k that the folds choose", best, why="The lecture's curve has its least error at 5 or 7, on other data."),
        Fact("test error there", float(errors["test"][best - 1]), digits=3),
        Fact("Bayes error on the test rows", bayes, digits=3),
    )
    return Result(
        "The shape of the lecture's figure: training error starts at 0 and says nothing; held-out and test errors "
        "fall, then stay flat above the Bayes line.",
        facts,
        {"k": np.arange(1, k_max + 1), "errors": errors, "bayes": bayes},
    )


def draw(result: Result) -> Any:
    """Four errors over k."""
    data = result.data
    figure, axes = new_panels(size=(7.0, 4.2))
    levels = {"Bayes": data["bayes"]}
    draw_lines(data["k"], data["errors"], xlabel="k", ylabel="error", levels=levels, ax=axes[0, 0])
    return figure
