"""Environments that hold only what an install line asks for: everything numeric works, and what needs more says so."""

from __future__ import annotations

import subprocess
import sysconfig
import venv
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ABSENT = ("pandas", "pyarrow", "starlette", "pytest", "pip")  # from both; the first also lacks what [app] brings
APP = ("polars", "matplotlib", "rich", "typer", "jinja2", "openpyxl")

START = """
import importlib.util, sys, warnings
warnings.simplefilter("error")
for name in {absent!r}:
    assert importlib.util.find_spec(name) is None, name
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
for page in (results["report"].to_text, results["report"].to_html):
    try:
        page()
    except MissingDependencyError as error:
        assert "pip install 'sepal-learn[app]'" in str(error)
    else:
        raise AssertionError(page)
try:
    table.frame()
except MissingDependencyError as error:
    assert "pip install pandas" in str(error)
else:
    raise AssertionError("table")
"""
# Every module of the rooms that promise to need nothing more can be loaded.
EVERY_ROOM = """
import pkgutil
rooms = [importlib.import_module(module.name) for module in pkgutil.walk_packages(sepal.__path__, "sepal.")
         if module.name.split(".")[1] not in {"cli", "explore"}]
"""
# Whatever their docstrings show works, too; what shows pictures, frames or pages says what is missing.
EVERY_EXAMPLE = """
import doctest
failed = {}
class Examples(doctest.DocTestRunner):
    def report_unexpected_exception(self, out, test, example, error):
        failed.setdefault(test.name.split(".", 2)[1] + "." + test.name.rsplit(".", 1)[1], error[0].__name__)
    def report_failure(self, out, test, example, got):
        failed.setdefault(test.name, got)
for room in rooms:
    for test in doctest.DocTestFinder().find(room, room.__name__):
        Examples(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test)
failed = {name: told for name, told in failed.items() if not name.startswith("plots.")}
assert failed == {"data.read_partition": "ModuleNotFoundError",  # the example makes a data frame of pandas
                  "reproduce.Reproduction": "MissingDependencyError",
                  "reproduce.reproduce": "MissingDependencyError",
                  "selection.rank_features": "MissingDependencyError"}, failed
"""
COMMAND_WANTS_MORE = """
import subprocess
for words, line in ((["report", "athletes"], "[app]"), (["mail", "--help"], "")):
    done = subprocess.run([sys.executable, "-c", "from sepal.cli import main; main()", *words],
                          capture_output=True, text=True)
    assert "Traceback" not in done.stderr, done.stderr
    assert (done.returncode, done.stdout) == (2, "") if line else done.returncode == 0, done
    assert line in done.stderr
"""
POLARS_FRAMES = """
import polars
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
for model in (learners.KNNClassifier(3), LogisticRegression()):
    shown = table.select([0, 1])
    model = model.fit(shown if model.__module__.startswith("sepal.") else shown.frame(), table.y)
    assert machines.plot_regions(model, shown, n_grid=5, ax=Figure().subplots()).get_xlabel() == table.names[0]
for name, result in results.items():
    assert isinstance(result.frame(), polars.DataFrame), name
    if hasattr(result, "_repr_html_"):
        assert "<" in result._repr_html_(), name
assert isinstance(table.frame(), polars.DataFrame)
"""
COMMAND = """
import contextlib, io, os
from sepal.cli import main
with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
    def run(*words):
        sys.argv, told = ["sepal", *words], io.StringIO()
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.StringIO()):
            try:
                main()
            except SystemExit as leaving:
                return leaving.code or 0, told.getvalue()
        return 0, told.getvalue()
    for words in (["report", "athletes", "-o", "r.html"], ["measure", "athletes"], ["select", "athletes"],
                  ["evaluate", "athletes", "-l", "knn", "--cv", "2"],
                  ["train", "athletes", "-l", "knn", "-o", "m.sepal"],
                  ["predict", "m.sepal", "athletes", "-o", "p.csv"], ["do", "neighbors.curve", "athletes"],
                  ["reproduce", "--list"], ["datasets"], ["mail", "--help"]):
        code, told = run(*words)
        assert code == 0, (words, told)
    code, told = run("explore", "--no-browser")
    assert code == 2 and "pip install 'sepal-learn[app,explore]'" in told, told
"""


def wanted(line: str, found: dict[str, set[str]]) -> dict[str, set[str]]:
    """What an install line brings, with all that each of them needs, by what the packages here declare."""
    asked = Requirement(line)
    found.setdefault(asked.name, set()).update(asked.extras)
    for text in distribution(asked.name).requires or []:
        need = Requirement(text)
        extras = [{"extra": extra} for extra in ("", *asked.extras)]
        if need.marker is not None and not any(map(need.marker.evaluate, extras)):
            continue
        if need.name not in found or not need.extras <= found[need.name]:
            wanted(f"{need.name}[{','.join(need.extras)}]", found)
    return found


def environment(line: str, folder: Path) -> Path:
    """The Python of an environment with links to these packages, and to nothing else."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    for name in wanted(line, {}):
        files = distribution(name).files or []
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            target = site / top
            if not target.exists():
                target.symlink_to(Path(str(distribution(name).locate_file(top))))
    return python


@pytest.mark.parametrize(
    ("line", "absent", "rest"),
    [
        ("sepal-learn", (*ABSENT, *APP), NO_FRAMES + EVERY_ROOM + EVERY_EXAMPLE + COMMAND_WANTS_MORE),
        ("sepal-learn[app]", ABSENT, POLARS_FRAMES + EVERY_ROOM + COMMAND),
    ],
    ids=["core only", "app only"],
)
def test_a_clean_environment(line: str, absent: tuple[str, ...], rest: str, tmp_path: Path) -> None:
    """pandas was used undeclared, and without it there was a bare ModuleNotFoundError."""
    python = environment(line, tmp_path)
    code = START.format(absent=absent) + rest
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
