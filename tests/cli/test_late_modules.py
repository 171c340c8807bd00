"""The command begins to work soon: what a report does not use is not loaded."""

from __future__ import annotations

import json
import subprocess
import sys

PROBE = """
import contextlib, json, sys
from sepal.cli import main

sys.argv = ["sepal", *sys.argv[1:]]
with contextlib.suppress(SystemExit):
    main()
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def ran(*words):
    return subprocess.run([sys.executable, "-c", *words], capture_output=True, text=True, check=True)


def test_a_report_loads_no_slow_module_that_it_does_not_use(tmp_path):
    file = tmp_path / "small.csv"
    file.write_text("x,y,class\n" + "".join(f"{i % 7},{i % 5},{'ab'[i % 2]}\n" for i in range(40)))
    done = ran(PROBE, "report", str(file), "--json")
    facts, loaded = json.loads(done.stdout), set(json.loads(done.stderr.splitlines()[-1]))
    assert facts["model"] is not None
    late = {"sklearn.model_selection", "sklearn.linear_model", "matplotlib"}
    assert not late & loaded


def test_measures_need_no_learner(tmp_path):
    """scikit-learn and what it imports took a second of every start."""
    file = tmp_path / "small.csv"
    file.write_text("x,y,class\n" + "".join(f"{i % 7},{i % 5},{'ab'[i % 2]}\n" for i in range(40)))
    for words in (["measure"], ["select", "--cv", "2"]):
        loaded = set(json.loads(ran(PROBE, words[0], str(file), *words[1:], "--json").stderr.splitlines()[-1]))
        assert not {"sklearn", "pandas", "scipy.stats"} & loaded, words
