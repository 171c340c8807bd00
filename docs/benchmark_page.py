"""The page of benchmarks: every table that a script in ``benchmarks`` wrote, put together anew by each build."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
GROUPS = {  # a folder of benchmarks, its heading, and what it is about
    "quality": ("Accuracy beside the peers", "`make quality` measures it again."),
    "speed": ("Speed beside the peers", "`make bench` measures it on your machine; `--write` keeps the tables."),
    "statistics": (
        "Whether p-values and intervals keep their promises",
        "`python -m benchmarks.statistics` simulates them again; [how sure](guide/how-sure.md) explains them.",
    ),
}
TITLES = {  # tables whose first line is no heading
    "quality/development": "Fourteen sets that were looked at while the method was designed",
    "quality/fresh": "Thirty other sets",
    "quality/text": "Texts",
    "statistics/coverage": "How often 95 % intervals cover the truth",
    "statistics/groups": "Where rows come in groups",
    "statistics/no-choice": "What the models without choices claim of themselves",
    "statistics/null": "The p-value of Thornton's index under random labels",
    "statistics/power": "Its power",
}


def write_benchmarks(page: Path) -> None:
    """Write the page; a new table joins by being there."""
    lines = ["# Benchmarks", "", "Tables as the scripts in `benchmarks/` wrote them; none is written by hand."]
    for group, (heading, about) in _groups().items():
        tables = sorted((ROOT / "benchmarks" / group / "results").glob("*.md"))
        if tables:
            lines += ["", f"## {heading}", "", about]
            for table in tables:
                lines += ["", *_table(group, table)]
    page.write_text("\n".join([*lines, ""]), encoding="utf-8")


def _groups() -> dict[str, tuple[str, str]]:
    """Those that are named here, and any other folder with results."""
    found = sorted(folder.parent.name for folder in (ROOT / "benchmarks").glob("*/results"))
    others = {name: (name.capitalize(), "") for name in found if name not in GROUPS}
    return {name: told for name, told in {**GROUPS, **others}.items() if name in found}


def _table(group: str, table: Path) -> list[str]:
    """A heading, the table one level deeper, and when it was last changed."""
    text = table.read_text(encoding="utf-8").strip().splitlines()
    if text[0].startswith("# "):
        title, text = text[0].removeprefix("# "), text[1:]
    else:
        title = TITLES.get(f"{group}/{table.stem}", table.stem.replace("-", " ").capitalize())
    body = [f"##{line}" if line.startswith("#") else line for line in text]
    return [f"### {title}", "", *body, "", f"*`benchmarks/{group}/results/{table.name}`{_changed(table)}*"]


def _changed(table: Path) -> str:
    """When the table was last written, where the history is there to ask."""
    git = shutil.which("git")
    if git is None:
        return ""
    asked = subprocess.run(  # noqa: S603 - a fixed question about our own file
        [git, "log", "-1", "--format=%as", "--", table.name],
        cwd=table.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    when = asked.stdout.strip()
    return f", {when}" if asked.returncode == 0 and when else ""
