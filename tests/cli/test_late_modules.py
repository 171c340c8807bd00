"""The command begins to work soon: what it does not use is not loaded, and what is asked for late is the real thing."""

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

LATER = """
from sepal.cli._late_modules import load_late
load_late()
import sys
import scipy, scipy.stats
from scipy.stats import rankdata, t
import sklearn.metrics, sklearn.linear_model

assert "scipy.stats._stats_py" not in sys.modules
assert "pandas" not in sys.modules
assert rankdata([30, 10, 20]).tolist() == [3, 1, 2]
assert abs(t.ppf(0.975, 10) - 2.228138852) < 1e-9
assert scipy.stats.norm.cdf(0.0) == 0.5
import scipy.stats.qmc
from scipy.stats import norm
assert norm is sys.modules["scipy.stats"].norm
import pandas
assert pandas.DataFrame({"x": [1]}).shape == (1, 1)
assert sklearn.metrics.roc_auc_score([0, 1], [0.1, 0.9]) == 1.0
"""


def ran(*words):
    return subprocess.run([sys.executable, "-c", *words], capture_output=True, text=True, check=True)


def test_a_report_loads_neither_scipy_stats_nor_pandas(tmp_path):
    """They took more than half of the seconds of a report on a small file."""
    file = tmp_path / "small.csv"
    file.write_text("x,y,class\n" + "".join(f"{i % 7},{i % 5},{'ab'[i % 2]}\n" for i in range(40)))
    done = ran(PROBE, "report", str(file), "--json")
    facts, loaded = json.loads(done.stdout), set(json.loads(done.stderr.splitlines()[-1]))
    assert facts["model"] is not None
    late = {"scipy.stats._stats_py", "pandas", "numpy.f2py.crackfortran", "sklearn.model_selection", "scipy.optimize"}
    assert not late & loaded


def test_what_is_used_late_is_the_module_itself():
    ran(LATER)
