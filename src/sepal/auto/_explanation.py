"""Why the classifier or regressor is what it is: its score beside simple rules, what was tried, what follows."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from textwrap import fill
from typing import Any

from sepal.auto._baselines import Baseline
from sepal.auto._findings import Finding, Task
from sepal.auto._trace import Trace
from sepal.data import data_frame
from sepal.evaluation import Reliability

_LINE, _NARROWEST = 100, 30  # characters, for reading


@dataclass(frozen=True, eq=False)
class Explanation:
    """What :meth:`SepalClassifier.explain` and :meth:`SepalRegressor.explain` return.

    Attributes
    ----------
    task : {"classes", "numbers"}
    score, standard_error : float
        Leave-one-out of the average: accuracy, or R squared.
    interval : tuple of float
        A 95 % interval for the score of further rows.
    baselines : tuple of Baseline
        Majority (or mean), 1-NN and a linear rule, by leave-one-out on the same rows (at most 4,000 of them); for
        classes the linear rule is the linear member, where there is one.
    trace : Trace
    reliability : Reliability or None
        Of the left-out probabilities; None for numbers.
    inclusion : dict
        For classes, per column the share of near-best subsets by separability that hold it. Advice only.
    subset : tuple of str or None
        The smallest near-best subset.
    findings : tuple of Finding
    """

    task: Task
    score: float
    standard_error: float
    interval: tuple[float, float]
    baselines: tuple[Baseline, ...]
    trace: Trace
    reliability: Reliability | None
    inclusion: dict[str, float]
    subset: tuple[str, ...] | None
    findings: tuple[Finding, ...]

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the findings."""
        return tuple(finding.code for finding in self.findings)

    def frame(self) -> Any:
        """One line per rule and member: score and standard error by leave-one-out, weight in the average."""
        lines: list[tuple[str, float, float, float]] = [("average", self.score, self.standard_error, 1.0)]
        lines += [(m.name, m.score, m.standard_error, m.weight) for m in self.trace.members]
        lines += [(b.name, b.score, b.standard_error, 0.0) for b in self._other_rules()]
        return data_frame(lines, columns=["rule", "score", "standard_error", "weight"])

    def _other_rules(self) -> list[Baseline]:
        """The simple rules that are no members: the linear rule is one for classes, and stands once.

        Where every class counts alike the rule decides as if they were of equal size, which the member does not.
        """
        members = {member.name: member.score for member in self.trace.members}
        return [
            replace(rule, name=f"{rule.name}, classes alike") if rule.name in members else rule
            for rule in self.baselines
            if members.get(rule.name) != rule.score
        ]

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, width: int | None = None) -> str:
        """What was found, in words; these in lines of this width, 100 at most."""
        wide = max(_NARROWEST, min(width or _LINE, _LINE))
        rows = self._rows()
        size = max(len(name) for name, *_ in rows)
        lines = [f"{name:<{size}}  {text}" for name, text in rows]
        said = (fill(f"- {finding.text}", wide, subsequent_indent="  ") for finding in self.findings)
        return "\n".join([*lines, "", *said])

    def _rows(self) -> list[tuple[str, str]]:
        title = "leave-one-out score" if self.task == "classes" else "leave-one-out R squared"
        low, high = self.interval
        lines = [(f"  {m.name} (weight {m.weight:.2f})", m.score, m.standard_error) for m in self.trace.members]
        lines += [(b.name, b.score, b.standard_error) for b in self._other_rules()]
        if self.task == "numbers":
            # Adding 0 takes the sign from a zero.
            first = f"{round(self.score, 4) + 0.0:7.4f} (95 % interval {low:.4f} to {high:.4f})"
            return [(title, first)] + [(name, f"{round(at, 4) + 0.0:7.4f} +- {error:.4f}") for name, at, error in lines]
        first = f"{100 * self.score:6.2f} % (95 % interval {100 * low:.2f} to {100 * high:.2f})"
        return [(title, first)] + [(name, f"{100 * at:6.2f} % +- {100 * error:.2f}") for name, at, error in lines]

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(a)}</td><td>{html.escape(b)}</td></tr>" for a, b in self._rows())
        items = "".join(f"<li>{html.escape(finding.text)}</li>" for finding in self.findings)
        return f"<div><table>{rows}</table><ul>{items}</ul></div>"
