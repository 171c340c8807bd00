"""The suspects as plain data; rows are counted from 0 in the data as given."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sepal.measures import SuspectRow, Suspects
from sepal.report._shown import plain

MOST_WRONG = 1 / 3  # share of the rows whose labels may well be wrong
MOST_SHOWN = 20


def suspects_dict(found: Suspects) -> dict[str, Any]:
    """The worst rows, how many there are, and copies."""
    facts = {
        "shown": [_shown(row) for row in found.rows[:MOST_SHOWN]],
        "n_contradicted": len(found.rows),
        "n_checked": found.n_checked,
        "n_conflict_groups": len(found.conflicts),
        "n_conflict_rows": sum(len(group.rows) for group in found.conflicts),
        "n_duplicate_groups": len(found.duplicates),
        "n_copies": n_copies(found),
        "n_near_duplicates": len(found.near_duplicates),
        "k": found.k,
        "conflicts": found.conflicts[:MOST_SHOWN],
        "near_duplicates": found.near_duplicates[:MOST_SHOWN],
    }
    return {name: plain(value) for name, value in facts.items()}


def n_copies(found: Suspects) -> int:
    """Rows that repeat an earlier one of their class."""
    return sum(len(group.rows) - 1 for group in found.duplicates)


def _shown(each: SuspectRow) -> dict[str, Any]:
    return {
        "row": each.row,
        "label": each.label,
        "voted": each.voted,
        "own_share": each.own_share,
        "margin": each.margin,
        "mutual": each.mutual,
        "nearest_row": each.neighbors[0],
        "nearest_label": each.neighbor_labels[0],
        "nearest_distance": each.neighbor_distances[0],
        "neighbors": each.neighbors,
        "neighborhood": [
            {"label": label, "n_rows": count} for label, count in Counter(each.neighbor_labels).most_common()
        ],
    }


def too_many(suspects: Suspects) -> bool:
    """Whether more rows are contradicted than labels are ever wrong: the columns leave the rest open."""
    return len(suspects.rows) > MOST_WRONG * suspects.n_checked
