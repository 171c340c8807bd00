"""From the lines of the results to the tables that are shown and checked in."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import rankdata, wilcoxon

from benchmarks.quality._methods import OURS, PEERS, SEED
from benchmarks.quality._run import REPEATS, Result
from benchmarks.quality._suites import FOLDS, SUBSAMPLE_SEED

GOODNESS = ("accuracy", "balanced_accuracy", "log_loss", "ece", "overconfidence")
MEASURES = (*GOODNESS, "cpu_seconds", "wall_seconds")
YARDSTICK = "SVC grid"


def means(results: Sequence[Result]) -> pd.DataFrame:
    """One line per set and method that is complete: the mean over its folds, the total for seconds."""
    lines = pd.DataFrame([result.__dict__ for result in results]).drop_duplicates(["set", "method", "repeat", "fold"])
    lines[list(MEASURES)] = lines[list(MEASURES)].apply(pd.to_numeric)  # older lines have no calibration: NaN
    grouped = lines.groupby(["set", "method"], sort=False)
    table = grouped[list(MEASURES)].agg(lambda values: values.mean(skipna=False))
    table["claimed"] = grouped["claimed"].apply(lambda claims: pd.to_numeric(claims).mean())
    table["accuracy_sd"] = grouped["accuracy"].std()
    table["rows"] = grouped["rows"].first()
    table["version"] = grouped["version"].last()
    table["errors"] = grouped["error"].apply(lambda errors: int((errors != "").sum()))
    table[["cpu_seconds", "wall_seconds"]] *= REPEATS * FOLDS
    table.loc[table["errors"] > 0, list(MEASURES)] = np.nan
    return table[grouped.size() == REPEATS * FOLDS].reset_index()


@dataclass(frozen=True)
class Versus:
    """One method against another over sets, by mean accuracy; p is Wilcoxon's, two-sided."""

    wins: int
    ties: int
    losses: int
    p: float


def versus(ours: np.ndarray, theirs: np.ndarray) -> Versus:
    difference = np.round(ours - theirs, 10)
    p = float(wilcoxon(difference).pvalue) if np.any(difference != 0) else 1.0
    return Versus(int((difference > 0).sum()), int((difference == 0).sum()), int((difference < 0).sum()), p)


def ranks(accuracy: pd.DataFrame) -> pd.DataFrame:
    """Rank 1 is the most accurate on a set; ties share the mean of their ranks; a failure is last."""
    # Means over folds that agree on paper may differ in the last bit.
    values = np.round(accuracy.fillna(-1.0).to_numpy(), 10)
    return pd.DataFrame(rankdata(-values, axis=1), index=accuracy.index, columns=accuracy.columns)


def summary(table: pd.DataFrame, reference: str) -> pd.DataFrame:
    """One line per method that has every set. Each of ours is ranked among itself and the peers, and no other of ours;
    the peers are ranked with the reference."""
    by = {name: table.pivot(index="set", columns="method", values=name) for name in MEASURES}
    accuracy = by["accuracy"]
    present = table.groupby("method")["set"].nunique()
    known = [name for name in (*OURS, *PEERS) if present.get(name, 0) == accuracy.shape[0]]
    known += [name for name in present.index if name not in known and present[name] == accuracy.shape[0]]
    peers = [name for name in known if name in PEERS]
    lines = {}
    for name in known:
        one_of_ours = reference if name in peers else name
        field = [*peers, *([one_of_ours] if one_of_ours in known and one_of_ours not in peers else [])]
        line = {
            measure: by[measure][name].mean(skipna=measure not in ("ece", "overconfidence")) for measure in GOODNESS
        }
        line["rank"] = ranks(accuracy[field])[name].mean()
        for kind in ("cpu", "wall"):
            if YARDSTICK in known:
                ratio = by[f"{kind}_seconds"][name] / by[f"{kind}_seconds"][YARDSTICK]
                line[f"{kind}_ratio"] = float(np.exp(np.log(ratio).mean()))
                line[f"worst_{kind}_ratio"] = float(ratio.max())
        if reference in known and name != reference:
            found = versus(accuracy[reference].fillna(0).to_numpy(), accuracy[name].fillna(0).to_numpy())
            line |= {"won": found.wins, "tied": found.ties, "lost": found.losses, "p": found.p}
        lines[name] = line
    return pd.DataFrame(lines).T.sort_values("accuracy", ascending=False)


def markdown(table: pd.DataFrame, reference: str) -> str:
    """The summary as a table for reading."""
    found = summary(table, reference)
    sets = table["set"].nunique()
    head = [
        "method",
        "accuracy",
        "balanced",
        "log-loss",
        "ECE",
        "too sure",
        "rank",
        "time",
        "worst time",
        "won/tied/lost",
        "p",
    ]
    lines = [head, ["---"] * len(head)]
    for name, line in found.iterrows():
        has = "won" in line and not np.isnan(line["won"])
        lines.append(
            [
                f"**{name}**" if name in OURS else str(name),
                f"{100 * line['accuracy']:.2f}",
                f"{100 * line['balanced_accuracy']:.2f}",
                f"{line['log_loss']:.3f}",
                "" if np.isnan(line["ece"]) else f"{100 * line['ece']:.2f}",
                "" if np.isnan(line["overconfidence"]) else f"{100 * line['overconfidence']:+.2f}",
                f"{line['rank']:.2f}",
                f"{line['cpu_ratio']:.3f}" if "cpu_ratio" in line else "",
                f"{line['worst_cpu_ratio']:.2f}" if "worst_cpu_ratio" in line else "",
                f"{line['won']:.0f}/{line['tied']:.0f}/{line['lost']:.0f}" if has else "",
                f"{line['p']:.3f}" if has else "",
            ]
        )
    text = "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
    return (
        f"{sets} sets, {REPEATS} x {FOLDS} folds. Rank among the peers and one of ours. Time: processor seconds of fit "
        f"and predict over those of {YARDSTICK}, the geometric mean over sets, and on the worst set. "
        "ECE: expected calibration error in points, ten bins of equally many rows of a test fold, never 0 on so few; "
        "too sure: mean confidence less the share right. "
        f"Won, tied, lost: sets of {reference} against the method, with Wilcoxon's p.\n\n{text}\n"
    )


def honesty(table: pd.DataFrame) -> str:
    """The leave-one-out accuracy that a model claims against its accuracy on fresh rows, set by set."""
    lines = [["method", "sets", "claimed", "on fresh rows", "claimed too much", "mean size of the difference"]]
    lines.append(["---"] * len(lines[0]))
    for name, part in table.dropna(subset=["claimed"]).groupby("method", sort=False):
        off = 100 * (part["claimed"] - part["accuracy"])
        shown = [100 * part["claimed"].mean(), 100 * part["accuracy"].mean(), off.mean(), off.abs().mean()]
        lines.append([str(name), str(len(part)), *(f"{value:.2f}" for value in shown)])
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n" if len(lines) > 2 else ""


def provenance(table: pd.DataFrame) -> str:
    """Versions and seeds, without which the figures cannot be had again."""
    versions = [*sorted(table["version"].unique()), f"numpy {np.__version__}", f"Python {platform.python_version()}"]
    return (
        f"Versions: {', '.join(versions)}. Seeds: {', '.join(str(r) for r in range(REPEATS))} for the folds, "
        f"{SUBSAMPLE_SEED} for samples of larger sets, {SEED} inside the methods. One thread each.\n"
    )


def by_set(table: pd.DataFrame) -> str:
    """Accuracy in percent, sets down and methods across."""
    wide = (100 * table.pivot(index="set", columns="method", values="accuracy")).round(2)
    order = [name for name in (*OURS, *PEERS) if name in wide.columns]
    order += [name for name in wide.columns if name not in order]
    lines = [["set", *order], ["---"] * (len(order) + 1)]
    lines += [[str(name), *(f"{line[method]:.2f}" for method in order)] for name, line in wide.iterrows()]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"
