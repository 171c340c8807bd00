"""Run the speed benchmarks: python -m benchmarks.speed [--data FOLDER] [NAME ...]."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules


def main() -> None:
    available = sorted(m.name for m in iter_modules([str(Path(__file__).parent)]) if not m.name.startswith("_"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description="Ours and the peers, side by side.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run (default all): {', '.join(available)}")
    parser.add_argument("--data", type=Path, default=None, help="a folder with real data sets, for those that use them")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(available))
    if unknown:
        parser.error(f"no benchmark called {unknown[0]!r}; there are: {', '.join(available)}")
    for name in arguments.names or available:
        import_module(f"benchmarks.speed.{name}").run(arguments.data)


if __name__ == "__main__":
    main()
