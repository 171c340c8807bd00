"""How rows in partitions were asked, in the words that stand at the top: exact or of a sample, and the plan."""

from __future__ import annotations

from collections.abc import Sequence

from sepal.neighbors import recall_among
from sepal.report._facts import PartitionsFacts


def asked_lines(found: PartitionsFacts | None, confidence: float, notes: Sequence[str]) -> list[tuple[str, str]]:
    """Names and what they are: who asked, the interval, the plan line by line, and what was done.

    Of one table the recall among the notes, where neighbours are approximate; of partitions that is said already.
    """
    if found is None:
        return [("neighbours", note) for note in recall_among(notes)]
    low, high = found.interval
    whose = "further rows" if found.exact else "the index of all rows"
    first, *others = found.said
    plan = [("plan" if at == 0 else "", " ".join(line.split())) for at, line in enumerate(found.plan.splitlines())]
    return [
        ("asked", f"{first}; {confidence:.0%} interval for {whose} {low:.4f} to {high:.4f}"),
        *(("sample", other) for other in others),
        *plan,
        ("done", f"{found.rows_seen:,} of {found.n_rows:,} rows asked in {found.seconds:.1f} s"),
    ]
