"""Texts by cosine: our inverted index against sparse_dot_topn and scikit-learn's brute force, answers compared.

Documents are bags of about 70 words drawn from Zipf's law, weighted by tf-idf; with ``--data`` also the SMS and
SpamAssassin texts of that folder (``sms_spam.csv``, ``spamassassin_mail.csv.gz``, there or in ``bench/``).

What is measured, and the goals on two cores at 30,000 documents, k = 10:

- one query at a time, from a scipy row to lists of neighbours: 3,000 a second;
- 2,000 queries at once: twice sparse_dot_topn, ten times scikit-learn;
- every document among the others: under 8 s (with the grouping of equal documents and the building of the index);
- 100,000 messages in the index: less than 1 GB.

What holds the rest back. The words of a query stand in 220,000 places of the index; all but 6,000 of these belong to
the 23 words that a 32nd of the documents or more hold. Their weights are columns of bytes, 16 of which are summed at an
instruction, and that is a third of a batch's time. None can be left out by a bound: together they may add up to
0.145 to a similarity (Cauchy-Schwarz), and the tenth neighbour is at 0.119. The lists of the other words, which jump
about in memory, take another third, and the exact values of the candidates a fifth. A single query that comes as a
scipy row pays about as much again for being copied, checked and brought to unit length in twenty calls of numpy.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.neighbors import NearestNeighbors

from benchmarks.speed._timing import race, show
from sepal.data import as_rows
from sepal.neighbors import SparseIndex, prepare_search

K, CORES = 10, 2


def documents(n: int, words: int = 70, vocabulary: int = 50_000) -> csr_array:
    """Counts of words; lengths vary as those of messages do."""
    rng = np.random.default_rng(0)
    share = 1.0 / np.arange(1, vocabulary + 1)
    lengths = np.maximum(3, rng.poisson(rng.gamma(4.0, words / 4.0, size=n)))
    terms = rng.choice(vocabulary, size=int(lengths.sum()), p=share / share.sum())
    found = csr_array((np.ones(len(terms)), (np.repeat(np.arange(n), lengths), terms)), shape=(n, vocabulary))
    found.sum_duplicates()
    return found


def weighted(counts: csr_array) -> csr_array:
    found = csr_array(TfidfTransformer().fit_transform(counts))
    found.sort_indices()
    return found


def as_distances(similar: csr_matrix) -> NDArray[np.float64]:
    """What sparse_dot_topn found: fewer where fewer documents share a word."""
    found = np.ones((similar.shape[0], K))
    for i in range(similar.shape[0]):
        row = similar.data[similar.indptr[i] : similar.indptr[i + 1]]
        found[i, : len(row)] -= row
    return found


def ours(index: SparseIndex, Q: csr_array) -> NDArray[np.float64]:
    start, _, distances = index.nearest(Q, K, n_jobs=CORES)
    return distances[start[:-1, None] + np.arange(K)]


def batches(index: SparseIndex, X: csr_array, Q: csr_array) -> None:
    from sparse_dot_topn import sp_matmul_topn

    sklearn = NearestNeighbors(n_neighbors=K, metric="cosine", algorithm="brute", n_jobs=CORES).fit(X)
    asked, columns = csr_matrix(Q), csr_matrix(X.T)  # what it wants, made beforehand as our index is
    contestants: dict[str, Callable[[], Any]] = {
        "sepal": lambda: ours(index, Q),
        "sparse_dot_topn": lambda: sp_matmul_topn(asked, columns, top_n=K, sort=True, n_threads=CORES),
        "scikit-learn brute cosine": lambda: sklearn.kneighbors(Q),
    }
    found = ours(index, Q)
    np.testing.assert_allclose(found, as_distances(contestants["sparse_dot_topn"]()), atol=1e-9)
    np.testing.assert_allclose(found, sklearn.kneighbors(Q)[0], atol=1e-9)
    timing = race(contestants, rounds=7, budget=90.0)
    show(f"{Q.shape[0]:,} queries at once; goals: 2 x and 10 x; the same distances", timing, "sepal")
    print(f"  that is {Q.shape[0] / timing.median('sepal'):,.0f} queries a second")


def one_by_one(index: SparseIndex, Q: csr_array) -> None:
    rows = [Q[[i]] for i in range(min(500, Q.shape[0]))]
    points = [index.fitted.embed(as_rows(row)) for row in rows]  # type: ignore[arg-type]
    rates: dict[str, list[float]] = {"from a scipy row": [], "in the index alone": []}
    for _ in range(7):
        for name, ask in (
            ("from a scipy row", lambda: [index.nearest(row, K, n_jobs=1) for row in rows]),
            ("in the index alone", lambda: [index.nearest_points(point, K) for point in points]),
        ):
            start = time.perf_counter()
            ask()
            rates[name].append(len(rows) / (time.perf_counter() - start))
    print("\nOne query at a time, one thread; goal: 3,000 a second")
    for name, values in rates.items():
        print(f"  {name:<28}{np.median(values):10,.0f} a second (best {max(values):,.0f})")


def leave_one_out(X: csr_array) -> None:
    def whole() -> Any:
        return prepare_search(as_rows(X), distance="cosine", n_jobs=CORES).distinct_ranking(K)

    some = np.arange(0, X.shape[0], max(1, X.shape[0] // 200))
    found = whole().per_row(K, "index", np.arange(X.shape[0]))
    np.testing.assert_allclose(found["flat_distances"].reshape(-1, K)[some], of_the_others(X, some), atol=1e-12)
    timing = race({"sepal": whole}, budget=1.0)
    show(f"Each of {X.shape[0]:,} documents among the others; goal: 8 s", timing, "sepal")


def of_the_others(X: csr_array, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """The distances of the K nearest others of some documents, by scipy."""
    similar = (X[rows] @ X.T).toarray()
    similar[np.arange(len(rows)), rows] = -1.0
    return np.sort(1.0 - similar, axis=1)[:, :K].clip(0.0)


def memory(n: int) -> None:
    """In a process of its own, so that nothing else is counted."""
    code = f"from benchmarks.speed import text; text.hold({n})"
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    print(said.stdout, end="")


def held() -> float:
    """Megabytes that this process holds now."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1e3


def hold(n: int) -> None:
    X = weighted(documents(n))
    before = held()
    index = SparseIndex("cosine")
    start = time.perf_counter()
    for begin in range(0, n, 5_000):
        index.add(X[begin : begin + 5_000])
    seconds = time.perf_counter() - start
    print(f"\n{n:,} messages of {X.nnz / n:.0f} distinct words; goal: 1 GB")
    print(f"  index                        {index.nbytes / 1e6:10.0f} MB, made in {seconds:.1f} s")
    print(f"  the process                  {held() - before:10.0f} MB more than before the index")
    index.nearest(X[:1], K)


def compare(name: str, X: csr_array, Q: csr_array) -> None:
    print(f"\n== {name}: {X.shape[0]:,} documents of {X.nnz / X.shape[0]:.0f} distinct words, k = {K}")
    index = SparseIndex("cosine")
    index.add(X)
    one_by_one(index, Q)
    batches(index, X, Q)
    leave_one_out(X)


def real_texts(folder: Path) -> dict[str, list[str]]:
    import pandas as pd

    found = {}
    for name, columns in (("sms_spam.csv", ["text"]), ("spamassassin_mail.csv.gz", ["subject", "text"])):
        for path in (folder / name, folder / "bench" / name):
            if path.exists():
                table = pd.read_csv(path, usecols=columns, dtype=str).fillna("")
                found[name] = table[columns].agg(" ".join, axis=1).tolist()
    return found


def run(data_folder: Path | None) -> None:
    X = weighted(documents(32_000))
    compare("Zipf's law", X[:30_000], X[30_000:])
    for name, texts in (real_texts(data_folder) if data_folder else {}).items():
        order = np.random.default_rng(0).permutation(len(texts))
        matrix = csr_array(TfidfVectorizer(binary=True).fit_transform([texts[i] for i in order]))
        matrix.sort_indices()
        n = len(texts) * 3 // 4
        compare(name, matrix[:n], matrix[n:])
    memory(100_000)
