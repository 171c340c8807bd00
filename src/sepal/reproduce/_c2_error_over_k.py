"""C2: the error of k-NN for K = 1 to 100 on Ripley's data, standardized in three ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.evaluation import leave_one_out_curve
from sepal.plots import draw_lines, new_panels
from sepal.reproduce._facts import Fact, Result
from sepal.reproduce._ripley import bayes_answers, train_and_test

FULL: dict[str, Any] = {"k_max": 100}
QUICK = FULL
_OWN = "test rows by their own mean and sd"
_TRAIN = "test rows by the training mean and sd"
_RAW = "as they are"


def run(k_max: int) -> Result:
    """Test errors of all k, and the k that leave-one-out on the training rows chooses."""
    train, test = train_and_test()
    mean, sd = train.values.mean(axis=0), train.values.std(axis=0, ddof=1)
    own = (test.values - test.values.mean(axis=0)) / test.values.std(axis=0, ddof=1)
    ways = {
        _OWN: ((train.values - mean) / sd, own),
        _TRAIN: ((train.values - mean) / sd, (test.values - mean) / sd),
        _RAW: (train.values, test.values),
    }
    errors, chosen = {}, {}
    for name, (rows, asked) in ways.items():
        curve = leave_one_out_curve(rows, train.y, k_max=k_max, test=(asked, test.y), scale=None, vote_ties="smallest")
        errors[name], chosen[name] = 1.0 - np.asarray(curve.test), curve.best_k
    best = {name: int(np.argmin(np.round(e, 6))) + 1 for name, e in errors.items()}
    bayes = float((bayes_answers(test.values) != np.asarray(test.y, dtype=np.int64)).mean())
    low = {name: 100 * float(e.min()) for name, e in errors.items()}
    facts = (
        Fact(
            "least test error, test rows standardized by themselves",
            low[_OWN],
            8.8,
            "The notes' figure, and only so: the test rows were standardized by their own mean and sd.",
            "per cent",
            1,
        ),
        Fact("first K with it", best[_OWN], 33, "Even k can tie: then label 0, as the notes' code has it."),
        Fact(
            "least test error, standardized by the training rows",
            low[_TRAIN],
            8.8,
            f"As one must do it: at K = {best[_TRAIN]}; K = 33 has {100 * errors[_TRAIN][32]:.1f} per cent.",
            "per cent",
            1,
        ),
        Fact("least test error, columns as they are", low[_RAW], None, f"First at K = {best[_RAW]}.", "per cent", 1),
        Fact(
            "test error of the K that leave-one-out chooses, standardized",
            100 * float(errors[_TRAIN][chosen[_TRAIN] - 1]),
            None,
            f"K = {chosen[_TRAIN]}, without a look at the test rows: the honest figure.",
            "per cent",
            1,
        ),
        Fact(
            "the same, columns as they are",
            100 * float(errors[_RAW][chosen[_RAW] - 1]),
            None,
            f"K = {chosen[_RAW]}.",
            "per cent",
            1,
        ),
        Fact("error of Bayes' rule on these test rows", 100 * bayes, 8.0, "", "per cent", 1),
    )
    data = {"k": np.arange(1, k_max + 1), "errors": errors, "best": best, "chosen": chosen, "bayes": bayes}
    return Result(
        "The published 8.8 per cent at K = 33 come out if the test rows are standardized by themselves and K is chosen "
        "on them; chosen honestly, k-NN has about 9.",
        facts,
        data,
    )


def draw(result: Result) -> Any:
    """The three curves, the published point and the Bayes line."""
    data = result.data
    figure, axes = new_panels(size=(7.4, 4.2))
    draw_lines(
        data["k"],
        {name: 100 * np.asarray(e) for name, e in data["errors"].items()},
        xlabel="K",
        ylabel="test error, per cent",
        levels={"Bayes' rule": 100 * data["bayes"]},
        marked={"published: 8.8 at K = 33": (33, 8.8)},
        ax=axes[0, 0],
    )
    return figure
