"""python -m benchmarks.quality [--suite development] [--methods NAME ...] [--sets NAME ...] [--data FOLDER] ..."""

from __future__ import annotations

import os

# Before numpy is imported: threadpoolctl does not reach every library that starts threads.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse  # noqa: E402
from functools import partial  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402

from benchmarks._machine import made_on  # noqa: E402
from benchmarks.quality._methods import METHODS  # noqa: E402
from benchmarks.quality._run import read_results, run  # noqa: E402
from benchmarks.quality._suites import ABOUT, MOST_ROWS, SUITES, folder_sets, suite_set  # noqa: E402
from benchmarks.quality._summary import by_set, honesty, markdown, means, provenance  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quality",
        description="Ours and the peers on the same folds. What the results file holds already is not done again.",
    )
    parser.add_argument("--suite", choices=sorted(SUITES), default="development")
    parser.add_argument("--data", type=Path, default=None, help="a folder of tables, instead of the suite")
    parser.add_argument("--sets", nargs="+", default=[], metavar="NAME", help="only these sets")
    parser.add_argument("--methods", nargs="+", default=[], metavar="NAME", help=f"among: {', '.join(METHODS)}")
    parser.add_argument("--out", type=Path, default=None, help="the results file (JSON lines)")
    parser.add_argument("--also", type=Path, nargs="+", default=[], help="more results files for the summary")
    parser.add_argument("--rows", type=int, default=MOST_ROWS, help="larger sets are sampled (default %(default)s)")
    parser.add_argument("--minutes", type=float, default=np.inf, help="stop after this time; run again to go on")
    parser.add_argument("--only-summary", action="store_true", help="run nothing, show what there is")
    parser.add_argument("--reference", default="sepal", help="whose wins are counted (default %(default)s)")
    parser.add_argument(
        "--tables", type=Path, default=None, help="also write NAME.csv and NAME.md, the checked-in tables"
    )
    given = parser.parse_args()
    for name in given.methods:
        if name not in METHODS:
            parser.error(f"no method called {name!r}; there are: {', '.join(METHODS)}")
    out = given.out or Path(f"quality-{given.data.name if given.data else given.suite}.jsonl")
    if not given.only_summary:
        if given.data is not None:
            sets = {
                name: partial(lambda t: t, t) for name, t in folder_sets(given.data, given.sets, given.rows).items()
            }
        else:
            wanted = given.sets or list(SUITES[given.suite])
            unknown = sorted(set(wanted) - set(SUITES[given.suite]))
            if unknown:
                parser.error(f"no set called {unknown[0]!r}; there are: {', '.join(SUITES[given.suite])}")
            sets = {name: partial(suite_set, name, given.suite, given.rows) for name in wanted}
        if not run(sets, given.methods or list(METHODS), out, minutes=given.minutes):
            print(f"stopped after {given.minutes:g} minutes; run it again to go on")
    table = means(read_results(out, *given.also))
    about = f"Tables of {given.data.name}." if given.data else ABOUT[given.suite]
    head = f"{about} At most {given.rows:,} rows each.\n"
    text = "\n".join([head, markdown(table, given.reference), by_set(table), honesty(table), provenance(table)])
    print("\n" + text)
    if given.tables is not None:
        table.round(6).to_csv(given.tables.with_suffix(".csv"), index=False)
        made = "" if given.only_summary else f"\n{made_on()} Load at the end: {os.getloadavg()[0]:.1f}.\n"
        given.tables.with_suffix(".md").write_text(text + made)


if __name__ == "__main__":
    main()
