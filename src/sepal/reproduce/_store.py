"""What a folder holds of an experiment: its facts as JSON, its picture as PNG and SVG, and how they were made."""

from __future__ import annotations

import hashlib
import io
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sepal.data import write_whole
from sepal.report import plain
from sepal.reproduce._facts import Experiment, Fact, FactTable, Result

SVG_SEED = "sepal"  # the names inside an SVG file are the same in every run
DPI = 144


@dataclass(frozen=True)
class Stored:
    """An experiment as the folder has it."""

    id: str
    made_by: str
    quick: bool
    seconds: float
    result: Result


def fingerprint(experiment: Experiment, quick: bool) -> str:
    """Changes with the experiment's module and those of this room that it imports, its parameters and the version."""
    from sepal import __version__

    source = Path(experiment.code.__file__).read_text(encoding="utf-8")
    beside = [
        Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
        for name in sorted(set(re.findall(r"^from sepal\.reproduce\.(_\w+) import", source, re.MULTILINE)))
    ]
    made_of = json.dumps([experiment.id, __version__, source, beside, plain(dict(experiment.parameters(quick)))])
    return hashlib.sha256(made_of.encode()).hexdigest()


def paths(folder: Path, key: str) -> dict[str, Path]:
    """The three files of an experiment."""
    return {kind: folder / f"{key}.{kind}" for kind in ("json", "png", "svg")}


def stored(folder: Path, experiment: Experiment) -> Stored | None:
    """What the folder has, of whatever version; None if a file is missing or is none of ours."""
    files = paths(folder, experiment.id)
    if not all(path.is_file() for path in files.values()):
        return None
    try:
        found = json.loads(files["json"].read_text(encoding="utf-8"))
        result = Result(
            found["sentence"],
            tuple(Fact(**{name: fact[name] for name in Fact.__dataclass_fields__}) for fact in found["facts"]),
            found["data"],
            tuple(
                FactTable(table["title"], tuple(table["header"]), tuple(tuple(row) for row in table["rows"]))
                for table in found["tables"]
            ),
        )
        return Stored(found["id"], found["made_by"], found["quick"], float(found["seconds"]), result)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_fresh(kept: Stored | None, experiment: Experiment, quick: bool) -> bool:
    """Whether it need not be made again; what was made in full will do for a quick run."""
    if kept is None:
        return False
    return kept.made_by in {fingerprint(experiment, False), fingerprint(experiment, quick)}


def keep(folder: Path, experiment: Experiment, quick: bool, seconds: float, result: Result) -> None:
    """Write the picture first, then the facts: where the facts are, the picture is."""
    files = paths(folder, experiment.id)
    figure = experiment.draw(result)
    for kind in ("png", "svg"):
        write_whole(files[kind], picture(figure, kind))
    from sepal import __version__

    told = {
        "sepal": __version__,
        "kind": "experiment",
        "id": experiment.id,
        "title": experiment.title,
        "made_by": fingerprint(experiment, quick),
        "quick": quick and experiment.parameters(True) != experiment.parameters(False),
        "parameters": dict(experiment.parameters(quick)),
        "seconds": round(seconds, 3),
        "sentence": result.sentence,
        "facts": [{**asdict(fact), "difference": fact.difference} for fact in result.facts],
        "tables": [asdict(table) for table in result.tables],
        "data": dict(result.data),
    }
    write_whole(files["json"], json.dumps(plain(told), indent=1, allow_nan=False) + "\n")


def picture(figure: Any, kind: str) -> bytes:
    """A figure as the bytes of a file, the same in every run."""
    from matplotlib import rc_context

    drawn = io.BytesIO()
    with rc_context({"svg.hashsalt": SVG_SEED}):
        figure.savefig(drawn, format=kind, dpi=DPI, metadata={"Date": None} if kind == "svg" else None)
    return drawn.getvalue()
