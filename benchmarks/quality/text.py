"""python -m benchmarks.quality.text --data FOLDER [--out NAME]: texts, ours and the peers on the same ten folds.

The folder (or one inside it) holds sms_spam.csv, ReutersCorn-train.arff and ReutersGrain-train.arff, or other tables
that are given by ``--sets``. Peers get texts as scikit-learn's own tf-idf. Vocabulary, rareness and every choice come
from the training part of a fold.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import roc_auc_score  # noqa: E402
from sklearn.model_selection import GridSearchCV, StratifiedKFold  # noqa: E402
from sklearn.naive_bayes import MultinomialNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

from benchmarks._machine import made_on  # noqa: E402
from sepal import KNNClassifier, SepalClassifier, Table, read_table  # noqa: E402
from sepal.data import text_cells, text_columns  # noqa: E402

CAUTION = (
    "How SepalClassifier reads words, the squared hinge and the grid of its penalties were picked on the folds of seed "
    "0, and that a linear rule alone answers for texts alone on five folds of the two Reuters sets, seed 101. No test "
    "of the differences was made."
)
SETS = ("sms_spam.csv", "ReutersCorn-train.arff", "ReutersGrain-train.arff")
Answer = Callable[[Table, Table], tuple[np.ndarray, np.ndarray]]


def _ours(make: Callable[[], Any]) -> Answer:
    def answer(training: Table, test: Table) -> tuple[np.ndarray, np.ndarray]:
        model = make().fit(training)
        shares = model.predict_proba(test)
        return np.asarray(model.classes_[shares.argmax(axis=1)]), shares

    return answer


def _peer(make: Callable[[], Any]) -> Answer:
    def answer(training: Table, test: Table) -> tuple[np.ndarray, np.ndarray]:
        model = make().fit(_texts(training), training.y)
        return np.asarray(model.predict(_texts(test))), np.asarray(model.predict_proba(_texts(test)))

    return answer


def _texts(table: Table) -> list[str]:
    parts = [text_cells(table, j) for j in text_columns(table)]
    return [" ".join(each) for each in zip(*parts, strict=True)]


def _logistic() -> Any:
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    grid = {"C": [1.0, 10.0, 100.0, 1000.0]}
    return make_pipeline(TfidfVectorizer(), GridSearchCV(LogisticRegression(solver="liblinear"), grid, cv=folds))


METHODS: dict[str, Answer] = {
    "SepalClassifier": _ours(lambda: SepalClassifier(n_jobs=1)),
    "KNNClassifier, k by leave-one-out": _ours(lambda: KNNClassifier("auto", n_jobs=1)),
    "KNNClassifier, class_similarity, k = 5": _ours(lambda: KNNClassifier(5, weights="class_similarity", n_jobs=1)),
    "logistic regression, tf-idf, C by 5 folds": _peer(_logistic),
    "multinomial naive Bayes": _peer(lambda: make_pipeline(CountVectorizer(), MultinomialNB())),
}


def run(table: Table, name: str, seed: int = 0) -> dict[str, Any]:
    """Error and area of one method on one table, ten folds."""
    y = np.asarray(table.y)
    wrong, seconds = 0, 0.0
    scores = np.empty(len(y))
    classes = np.unique(y)
    for training, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(y, y):
        begin = time.process_time()
        answers, shares = METHODS[name](table.take(training), table.take(test))
        seconds += time.process_time() - begin
        wrong += int((answers != y[test]).sum())
        scores[test] = shares[:, 1]
    area = roc_auc_score(y == classes[1], scores) if len(classes) == 2 else float("nan")
    return {"errors": wrong, "error": 100.0 * wrong / len(y), "one_less_area": 100.0 * (1.0 - area), "seconds": seconds}


def main() -> None:
    """Run all methods on all sets, and print or write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.text", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with the tables, at any depth")
    parser.add_argument("--sets", nargs="+", default=list(SETS), metavar="FILE")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), metavar="NAME")
    parser.add_argument("--seed", type=int, default=0, help="of the folds; rules were chosen on those of 0")
    parser.add_argument("--out", type=Path, default=None, help="write the table here, as Markdown")
    asked = parser.parse_args()
    lines = [
        "| set | rows | method | errors | error % | 1 - area % | CPU seconds, 10 folds |",
        "|---|---|---|---|---|---|---|",
    ]
    for file in asked.sets:
        table = read_table(next(asked.data.rglob(file)))
        for name in asked.methods:
            found = run(table, name, asked.seed)
            lines.append(
                f"| {table.name} | {table.n_rows:,} | {name} | {found['errors']} | {found['error']:.2f} | "
                f"{found['one_less_area']:.3f} | {found['seconds']:.0f} |"
            )
            print(lines[-1], flush=True)
    if asked.out is not None:
        told = f"`python -m benchmarks.quality.text --data FOLDER --seed {asked.seed}`"
        head = f"# Texts, ten folds (seed {asked.seed}), the same for all; regenerate with {told}"
        asked.out.write_text("\n".join([head, "", *lines, "", CAUTION, "", made_on(), ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
