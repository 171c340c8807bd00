"""B3: a singular covariance worked through, with kappa from far below 1 to infinity."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.plots import draw_lines, new_panels
from sepal.reproduce._facts import Fact, FactTable, Result

FULL: dict[str, Any] = {"n_rows": 60, "kappas": (1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 1e6), "seed": 1}
QUICK = FULL


def _fit(rows: Any, labels: Any, kappa: float) -> Any:
    import warnings

    from sepal.exceptions import SepalWarning
    from sepal.machines import FisherDiscriminant

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SepalWarning)  # that the classes are separated perfectly is what is shown
        return FisherDiscriminant(kappa=kappa).fit(rows, labels)


def run(n_rows: int, kappas: tuple[float, ...], seed: int) -> Result:
    """The third column has no spread inside the classes, and differs between them by 0.1."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(["a", "b"], n_rows)
    rows = np.column_stack([rng.normal(size=(2 * n_rows, 2)), np.where(labels == "a", 0.0, 0.1)])
    rows[labels == "b", 0] += 1.0
    d = rows[labels == "b"].mean(axis=0) - rows[labels == "a"].mean(axis=0)
    inside = rows - np.where(labels[:, None] == "a", rows[labels == "a"].mean(axis=0), rows[labels == "b"].mean(axis=0))
    S = inside.T @ inside / (2 * n_rows - 2)
    inside_only = np.linalg.pinv(S, rcond=1e-9) @ d  # S⁺d, where kappa is infinite
    A = float(d @ inside_only)
    B = float(d[2] ** 2)
    middle = (rows[labels == "a"].mean(axis=0) + rows[labels == "b"].mean(axis=0)) / 2
    limit = float(np.mean(((rows - middle) @ inside_only > 0) == (labels == "b")))
    share, right, value = [], [], []
    for kappa in kappas:
        machine = _fit(rows, labels, kappa)
        normal = machine.coef_[0] / np.linalg.norm(machine.coef_[0])
        share.append(float(abs(normal[2])))
        right.append(float(machine.score(rows, labels)))
        value.append(
            float(
                (d @ machine.coef_[0]) ** 2 / (machine.coef_[0] @ (S + kappa * np.diag([0, 0, 1.0])) @ machine.coef_[0])
            )
        )
    expected = np.array([A + B / kappa for kappa in kappas])
    facts = (
        Fact(
            "largest relative difference of the optimum from A + B/kappa",
            float(np.abs(np.array(value) / expected - 1).max()),
            None,
            "The paper's (20), simplified: A = d'S⁺d, B = |Qd|².",
            "",
            12,
        ),
        Fact(f"right with kappa = {kappas[0]:g}", right[0], None, "The direction without spread decides.", "", 3),
        Fact(f"right with kappa = {kappas[-1]:g}", right[-1], None, "That direction is all but ignored.", "", 3),
        Fact(
            "right with infinite kappa",
            limit,
            None,
            "The paper's limit, the normal S⁺d: it loses what separates perfectly.",
            "",
            3,
        ),
    )
    steps = FactTable(
        f"Worked through: A = {A:.4f}, B = {B:.4f}",
        ("kappa", "optimum", "A + B/kappa", "part of the normal without spread", "right"),
        (
            *(
                (f"{kappa:g}", f"{v:.4f}", f"{e:.4f}", f"{part:.4f}", f"{r:.3f}")
                for kappa, v, e, part, r in zip(kappas, value, expected, share, right, strict=True)
            ),
            ("∞", f"{A:.4f}", f"{A:.4f}", f"{0.0:.4f}", f"{limit:.3f}"),
        ),
    )
    data = {"kappas": np.array(kappas), "share": share, "right": right, "limit": limit}
    return Result(
        "Small kappa uses the direction in which the classes have no spread, and separates them perfectly; the limit "
        "of large kappa, which the paper calls the solution, discards it.",
        facts,
        data,
        (steps,),
    )


def draw(result: Result) -> Any:
    """How much of the normal lies in the direction without spread, how many rows are right, and what the limit has."""
    data = result.data
    figure, axes = new_panels(size=(6.6, 4.0))
    lines = {"rows classified rightly": data["right"], "part of the normal without spread": data["share"]}
    levels = {"right with κ = ∞": data["limit"]}
    draw_lines(data["kappas"], lines, xlabel="κ", ylabel="share", levels=levels, log=True, ax=axes[0, 0])
    axes[0, 0].set_ylim(-0.02, 1.05)
    return figure
