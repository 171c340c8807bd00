"""Run the speed benchmarks: python -m benchmarks.speed [--data FOLDER] [--write] [NAME ...]."""

from __future__ import annotations

import argparse
import io
import os
import sys
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from benchmarks._machine import PACKAGES, made_on

RESULTS = Path(__file__).parent / "results"
PEERS = (*PACKAGES, "scikit-learn-intelex", "sparse-dot-topn", "faiss-cpu", "river", "imbalanced-learn", "problexity")


class _Both(io.StringIO):
    """What is printed goes to the screen, too."""

    def write(self, text: str) -> int:
        sys.__stdout__.write(text)
        sys.__stdout__.flush()
        return super().write(text)


def main() -> None:
    available = sorted(m.name for m in iter_modules([str(Path(__file__).parent)]) if not m.name.startswith("_"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description="Ours and the peers, side by side.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run (default all): {', '.join(available)}")
    parser.add_argument("--data", type=Path, default=None, help="a folder with real data sets, for those that use them")
    parser.add_argument("--write", action="store_true", help="keep what is printed in benchmarks/speed/results/NAME.md")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(available))
    if unknown:
        parser.error(f"no benchmark called {unknown[0]!r}; there are: {', '.join(available)}")
    for name in arguments.names or available:
        module = import_module(f"benchmarks.speed.{name}")
        if arguments.write:
            _write(name, module, arguments.data)
        else:
            module.run(arguments.data)


def _write(name: str, module: Any, data: Path | None) -> None:
    """The printed table as a page, with machine, versions, date and how busy the machine was."""
    busy = os.getloadavg()[0]
    with redirect_stdout(_Both()) as printed:
        module.run(data)
    page = getattr(module, "page_name", lambda: name)()  # of a benchmark whose parts are run one at a time
    title = str(module.__doc__).strip().splitlines()[0].rstrip(".")
    if page != name:
        title = f"{title.partition(':')[0]}: {page.removeprefix(name + '-').replace('-', ', ')}"
    body = printed.getvalue().strip("\n")
    lines = [f"# {title}", "", "```text", body, "```", "", f"{made_on(PEERS)} Load before: {busy:.1f}."]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{page}.md").write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
