"""What the pages of the guide cost: python -m benchmarks.guide [PAGE ...] measures, and writes the line into each page.

Every page of ``docs/guide`` that answers a question ends in "What it costs": the order of growth, said by hand, and one
line that begins with ``*Measured*``, written here: the best of some runs. Nothing else should run meanwhile.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import sepal
from benchmarks._machine import machine

GUIDE = Path(__file__).parent.parent / "docs" / "guide"
MARK = "*Measured* "
Work = tuple[str, Callable[[], Any]]


@cache
def rows(n: int, p: int, classes: int = 2) -> tuple[Any, Any]:
    """Normal classes whose means lie 1 apart in the first two columns."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, n)
    X = rng.normal(size=(n, p))
    X[:, 0] += y
    X[:, 1] -= y
    return X, y


@cache
def mixed(n: int) -> Any:
    """Five numbers, five nominal columns of four levels, one cell in twenty missing."""
    rng = np.random.default_rng(0)
    X, y = rows(n, 5)
    X = np.where(rng.random(X.shape) < 0.05, np.nan, X)
    names = rng.integers(0, 4, (n, 5))
    cells = [[*row, *(f"level {level}" for level in levels)] for row, levels in zip(X.tolist(), names, strict=True)]
    return sepal.data.as_table(cells, y, kinds=["numeric"] * 5 + ["nominal"] * 5)


@cache
def texts(n: int) -> Any:
    """Made-up texts of thirty words out of two thousand."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    words = rng.zipf(1.3, (n, 30)) % 2000 + y[:, None] * 40 * (rng.random((n, 30)) < 0.1)
    cells = [[" ".join(f"word{w}" for w in row)] for row in words]
    return sepal.data.as_table(cells, y, kinds=["text"], names=["body"])


def _separability() -> Iterator[Work]:
    X, y = rows(20_000, 10)
    yield "Thornton's index with its test, 20,000 rows of 10 columns", lambda: sepal.thornton_test(X, y)
    yield "expected accuracy of half the rows", lambda: sepal.expected_accuracy(X, y, train_size=0.5)


def _features() -> Iterator[Work]:
    from sepal.selection import nested_score, search_subsets, subset_sweep

    cancer = sepal.datasets.load("breast-cancer").drop_missing()
    yield "all 511 subsets of 683 rows of 9 columns", lambda: subset_sweep(cancer)
    sonar = sepal.datasets.load("sonar")
    yield "a forward search among 60 columns, 208 rows", lambda: search_subsets(sonar, strategy="forward", n_features=8)
    yield "the sweep again inside ten folds", lambda: nested_score(cancer)


def _rows() -> Iterator[Work]:
    from sepal.measures import suspects
    from sepal.prototypes import drop3, fcnn

    X, y = rows(20_000, 10)
    yield "suspects of 20,000 rows of 10 columns", lambda: suspects(X, y)
    X2, y2 = rows(5_000, 10)
    yield "FCNN of 5,000", lambda: fcnn(X2, y2)
    yield "DROP3 of 5,000", lambda: drop3(X2, y2)


def _no_choice() -> Iterator[Work]:
    X, y = rows(1_000, 10)
    yield "a fit to 1,000 rows of 10 columns", lambda: sepal.SepalClassifier().fit(X, y)
    model = sepal.SepalClassifier().fit(X, y)
    yield "1,000 answers", lambda: model.predict(X)


def _how_sure() -> Iterator[Work]:
    X, y = rows(1_000, 10)
    yield "test and interval of 1,000 rows of 10 columns", lambda: sepal.thornton_test(X, y)
    rare = np.arange(1_000) < 15
    yield "those of a class of 15 among them, whose labels must be shuffled", lambda: sepal.thornton_test(X, rare)


def _report() -> Iterator[Work]:
    X, y = rows(1_000, 10)
    yield "a report on 1,000 rows of 10 columns", lambda: sepal.separability(X, y)
    X2, y2 = rows(20_000, 10)
    yield "one on 20,000", lambda: sepal.separability(X2, y2)


def _mixed_data() -> Iterator[Work]:
    table = mixed(5_000)
    X, y = rows(5_000, 10)
    yield "Thornton's index of 5,000 rows, 10 columns, all numbers", lambda: sepal.thornton_score(X, y)
    yield "the same with names in half of the columns and missing cells (HEOM)", lambda: sepal.thornton_score(table)
    yield "these by HVDM", lambda: sepal.thornton_score(table, distance="hvdm")


def _texts() -> Iterator[Work]:
    table = texts(5_000)
    yield "Thornton's index of 5,000 texts of 30 words", lambda: sepal.thornton_score(table)
    model = sepal.KNNClassifier(5).fit(table)
    one = table.take([0])
    yield "one answer of 5-NN among them", lambda: model.predict(one)


def _drift() -> Iterator[Work]:
    from sepal.learners import WindowKNNClassifier

    X, y = rows(20_000, 10)
    yield (
        "20,000 rows of 10 columns answered and learned, a window of 1,000",
        lambda: WindowKNNClassifier(window=1_000).prequential(X, y),
    )


def _kernels() -> Iterator[Work]:
    from sepal.measures import alignment_curve

    X, y = rows(5_000, 10)
    yield "alignment of 5,000 rows of 10 columns at 41 widths", lambda: alignment_curve(X, y)
    X2, y2 = rows(2_000, 10)
    yield "a support vector machine of 2,000, aligned width", lambda: sepal.SVMClassifier().fit(X2, y2)


def _costs() -> Iterator[Work]:
    from sepal.evaluation import cost_curve, cost_matrix, least_cost

    rng = np.random.default_rng(0)
    share = rng.dirichlet([1.0, 1.0], 100_000)
    costs = cost_matrix({"b": 5}, ["a", "b"])
    yield "least-cost answers to 100,000 rows", lambda: least_cost(share, costs)
    yield "the cost curve of these", lambda: cost_curve(share[:, 1], rng.random(100_000) < share[:, 1])


def _mail() -> Iterator[Work]:
    from sepal.mail import MailFilter

    rng = np.random.default_rng(0)
    letters = [
        f"Subject: {i}\n\n{' '.join(f'word{w}' for w in rng.integers(0, 3_000, 60))}\n".encode() for i in range(500)
    ]
    folder = tempfile.TemporaryDirectory()
    known = MailFilter(Path(folder.name) / "mail.db")
    for i, raw in enumerate(letters):
        known.learn(raw, spam=bool(i % 2))
    yield (
        "100 messages of 60 words classified by a filter that knows 500",
        lambda: [known.classify(r) for r in letters[:100]],
    )


def _pipelines() -> Iterator[Work]:
    X, y = rows(20_000, 10)
    model = sepal.KNNClassifier(5).fit(X, y)
    one = X[:1]
    yield "one row asked of 5-NN with 20,000 training rows of 10 columns", lambda: model.predict(one)
    folder = tempfile.TemporaryDirectory()
    file = Path(folder.name) / "model.sepal"
    yield "saving it", lambda: sepal.save_model(model, file)
    yield "loading it", lambda: sepal.load_model(file)


def _large_data() -> Iterator[Work]:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    from sepal.scale import angle_partitions, measure_partitions, prepare_partitions

    X, y = rows(200_000, 10)
    folder = tempfile.TemporaryDirectory()
    for i in range(20):
        part = slice(10_000 * i, 10_000 * (i + 1))
        columns = {f"x{j}": X[part, j] for j in range(10)} | {"class": y[part].astype(str)}
        parquet.write_table(pa.table(columns), Path(folder.name) / f"{i}.parquet")
    yield "columns, classes and ranges of 20 Parquet files, 200,000 rows of 10", lambda: prepare_partitions(folder.name)
    yield "the angle of these by sums", lambda: angle_partitions(folder.name)
    yield (
        "Thornton's index from a sample of 1,000 that asks all",
        lambda: measure_partitions(folder.name, n_queries=1_000),
    )


def _complexity() -> Iterator[Work]:
    from sepal.measures import complexity

    X, y = rows(1_000, 10)
    yield "all 22 measures of 1,000 rows of 10 columns", lambda: complexity(X, y)
    X2, y2 = rows(10_000, 10)
    yield "those of 10,000", lambda: complexity(X2, y2)


def _scikit_learn() -> Iterator[Work]:
    from sklearn.neighbors import KNeighborsClassifier

    X, y = rows(20_000, 10)
    ours, theirs = sepal.KNNClassifier(5).fit(X, y), KNeighborsClassifier(5).fit(X, y)
    yield "20,000 answers of 5-NN, 10 columns, ours", lambda: ours.predict(X)
    yield "those of scikit-learn", lambda: theirs.predict(X)


def _explorer() -> Iterator[Work]:
    from sepal.explore import Shelf, answer

    view = {"data": "breast-cancer"}
    yield "a decision map of breast-cancer, the table just opened", lambda: answer(Shelf(), "neighbors.map", view)
    shelf = Shelf()
    answer(shelf, "neighbors.map", view)
    ks = iter(range(11, 100))
    yield "the same for another k", lambda: answer(shelf, "neighbors.map", view, {"k": next(ks)})
    asked = iter(range(600))
    yield "the neighbours of a row", lambda: answer(shelf, "neighbors.of", view, {"row": next(asked)})


def _weka() -> Iterator[Work]:
    table = sepal.datasets.load("diabetes")
    yield "IBk -K 5 on diabetes in ten folds", lambda: sepal.evaluate(sepal.KNNClassifier(5), table)
    yield "SMO on it", lambda: sepal.evaluate(sepal.SVMClassifier(kernel="linear"), table)


PAGES: dict[str, Callable[[], Iterator[Work]]] = {
    "separability": _separability,
    "features": _features,
    "rows": _rows,
    "no-choice": _no_choice,
    "how-sure": _how_sure,
    "reading-a-report": _report,
    "mixed-data": _mixed_data,
    "texts": _texts,
    "drift": _drift,
    "kernels": _kernels,
    "costs": _costs,
    "mail": _mail,
    "pipelines": _pipelines,
    "complexity": _complexity,
    "large-data": _large_data,
    "from-scikit-learn": _scikit_learn,
    "explorer": _explorer,
    "from-weka": _weka,
}


def seconds(run: Callable[[], Any], enough: float = 2.0, most: int = 9) -> float:
    """The best of some runs: at least three, more of what is quick."""
    taken: list[float] = []
    while len(taken) < 3 or (sum(taken) < enough and len(taken) < most):
        begin = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begin)
    return min(taken)


def shown(taken: float) -> str:
    """Two digits, in the unit that people read."""
    value, unit = (taken, "s") if taken >= 1 else (1e3 * taken, "ms") if taken >= 1e-3 else (1e6 * taken, "µs")
    return f"{value:.2g} {unit}" if value < 10 else f"{value:.0f} {unit}"


def measured_line(page: str) -> str:
    """What is written into the page."""
    parts = [f"{shown(seconds(run))} for {name}" for name, run in PAGES[page]()]
    return f"{MARK}on {date.today().isoformat()} by `python -m benchmarks.guide`, {machine()}: {'; '.join(parts)}."


def write(page: str, line: str) -> None:
    """Replace the line of a page; the page must have one, if only the mark."""
    file = GUIDE / f"{page}.md"
    lines = file.read_text(encoding="utf-8").splitlines()
    (at,) = [i for i, each in enumerate(lines) if each.startswith(MARK.strip())]
    lines[at] = line
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guide", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=f"which (default all): {', '.join(PAGES)}")
    for page in parser.parse_args().pages or PAGES:
        line = measured_line(page)
        print(f"{page}: {line}", flush=True)
        write(page, line)


if __name__ == "__main__":
    main()
