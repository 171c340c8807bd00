"""Sepal without its extras: everything numeric works, and what needs more says which line installs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

OPTIONAL = ("pandas", "polars", "pyarrow", "matplotlib", "rich", "typer", "jinja2")

# Run in a process where some packages cannot be found.
START = """
import sys, warnings
warnings.simplefilter("error")
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
import numpy as np, tempfile, pathlib
import sepal
from sepal import auto, evaluation, learners, machines, measures, prototypes, selection
from sepal.exceptions import MissingDependencyError
table = sepal.datasets.load("sonar")
mixed = sepal.datasets.load("hepatitis")
X, y = np.asarray(table.values), table.y
results = {{
    "thornton": measures.thornton_test(table),
    "curve": measures.expected_accuracy_curve(table),
    "suspects": measures.suspects(mixed),
    "overlap": measures.overlap_regions(table),
    "angle": measures.angle_of_separability(table.select([0, 1, 2])),
    "alignment": measures.alignment_curve(table),
    "complexity": measures.complexity(table.select([0, 1, 2])),
    "projections": measures.informative_projections(table.select([0, 1, 2])),
    "ranking": sepal.neighbors.neighbor_ranking(table, 3),
    "prototypes": prototypes.hart(table),
    "condense": prototypes.condense_curve(table, methods=["hart"], cv=3),
    "sweep": selection.subset_sweep(table.select([0, 1, 2, 3])),
    "search": selection.search_subsets(table.select([0, 1, 2, 3]), strategy="forward"),
    "features": selection.rank_features(table.select([0, 1, 2, 3])),
    "loo": evaluation.leave_one_out_curve(table, k_max=5),
    "evaluation": sepal.evaluate(learners.KNNClassifier(3), table, cv=3),
    "report": sepal.separability(table.select([0, 1, 2])),
}}
results["report"].to_json()
few = table.select([0, 1, 2, 3])
models = [learners.KNNClassifier(3), machines.SVMClassifier(), machines.FisherDiscriminant(), auto.SepalClassifier()]
for model in models:
    assert len(model.fit(few).predict(few)) == table.n_rows
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "model.sepal"
    sepal.save_model(learners.KNNClassifier(3).fit(mixed), file)
    assert len(sepal.load_model(file).predict(mixed)) == mixed.n_rows
window = learners.WindowKNNClassifier(window=50).fit(table.select([0, 1]))
assert len(window.predict(table.select([0, 1]))) == table.n_rows
"""
NO_FRAMES = """
for name, result in results.items():
    try:
        result.frame()
    except MissingDependencyError as error:
        assert "pip install pandas" in str(error), (name, error)
    else:
        raise AssertionError(name)
    if hasattr(result, "_repr_html_"):
        assert result._repr_html_(), name
    if hasattr(result, "plot"):
        try:
            result.plot()
        except MissingDependencyError as error:
            assert "pip install" in str(error), (name, error)
        else:
            raise AssertionError(name)
try:
    results["report"].to_text(80)
except MissingDependencyError as error:
    assert "pip install" in str(error)
else:
    raise AssertionError("text")
try:
    table.frame()
except MissingDependencyError as error:
    assert "pip install pandas" in str(error)
else:
    raise AssertionError("table")
"""
POLARS_FRAMES = """
import polars
for name, result in results.items():
    assert isinstance(result.frame(), polars.DataFrame), name
    if hasattr(result, "_repr_html_"):
        assert "<" in result._repr_html_(), name
assert isinstance(table.frame(), polars.DataFrame)
"""


@pytest.mark.parametrize(
    ("hidden", "rest"),
    [(OPTIONAL, NO_FRAMES), (("pandas", "pyarrow"), POLARS_FRAMES)],
    ids=["core only", "without pandas"],
)
def test_without_extras(hidden: tuple[str, ...], rest: str) -> None:
    code = START.format(hidden=hidden) + rest
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
