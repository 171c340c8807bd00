"""k-NN: choosing k, mixed tables, prediction; ours against scikit-learn, gower and FAISS, on the same data in one run.

Answers are compared before anything is timed.
"""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from benchmarks.speed._timing import race, show
from sepal.evaluation import leave_one_out_curve
from sepal.learners import KNNClassifier
from sepal.neighbors import neighbor_ranking


def numeric(n: int, p: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.standard_normal(n) > 0).astype(np.int64)


def choose_k(n: int = 10_000, p: int = 20, k_max: int = 100, *, grid: bool = True) -> None:
    """k by leave-one-out from one ranking against one k_max-NN query, and against a grid search over the same k."""
    from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier

    X, y = numeric(n, p)
    small = X[:300], y[:300]
    curve = leave_one_out_curve(*small, k_max=7, scale=None)
    for k in (1, 7):
        expected = np.mean(cross_val_predict(KNeighborsClassifier(k), *small, cv=LeaveOneOut()) == small[1])
        assert abs(curve.score[k - 1] - expected) < 1e-12, (k, curve.score[k - 1], expected)
    contestants = {
        "sepal, k = 1..100 by LOO": lambda: leave_one_out_curve(X, y, k_max=k_max),
        "sepal, one 100-NN query": lambda: neighbor_ranking(X, k_max, scale="minmax"),
    }
    show(f"choose k, {n:,} x {p} (goal: at least 0.67 x)", race(contestants), "sepal, k = 1..100 by LOO")
    if not grid:
        return
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": list(range(1, k_max + 1))}, cv=10)
    both = {
        "sepal, k = 1..100 by LOO": lambda: leave_one_out_curve(X, y, k_max=k_max),
        "scikit-learn GridSearchCV": lambda: search.fit(X, y),
    }
    show(f"choose k, {n:,} x {p} (goal: at least 50 x)", race(both, budget=1.0), "sepal, k = 1..100 by LOO")


def mixed_frame(n: int, p: int, seed: int = 0) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Half of the columns nominal."""
    rng = np.random.default_rng(seed)
    columns = {f"x{j}": rng.standard_normal(n) for j in range(p // 2)}
    for j in range(p - p // 2):
        columns[f"c{j}"] = pd.Categorical.from_codes(rng.integers(0, 5, size=n), list("abcde"))
    frame = pd.DataFrame(columns)
    return frame, (frame["x0"] + (frame["c0"] == "a") > 0.2).to_numpy().astype(np.int64)


def mixed(n: int = 5_000, p: int = 20, k: int = 5) -> None:
    """Gower on a mixed table: ours against the gower package with precomputed distances (n x n in memory)."""
    import gower
    from sklearn.neighbors import NearestNeighbors

    frame, _ = mixed_frame(n, p)
    plain = frame.astype({name: object for name in frame.columns if name.startswith("c")})

    def theirs(rows: pd.DataFrame) -> NDArray[np.float64]:
        D = gower.gower_matrix(rows)
        return NearestNeighbors(n_neighbors=k, metric="precomputed").fit(D).kneighbors()[0]  # leaves the row itself out

    ours = neighbor_ranking(frame[:500], k, distance="gower").distances
    np.testing.assert_allclose(ours, theirs(plain[:500]), atol=1e-5)
    contestants = {
        "sepal gower": lambda: neighbor_ranking(frame, k, distance="gower"),
        "gower + precomputed": lambda: theirs(plain),
    }
    show(f"mixed {n:,} x {p}, {k}-NN of all rows (goal: at least 20 x)", race(contestants, budget=1.0), "sepal gower")


def mixed_large(n: int = 100_000, p: int = 20, k: int = 5) -> None:
    """Where n x n no longer fits (80 GB): ours alone, fitting included; a sample of rows is asked by plain numpy."""
    frame, y = mixed_frame(n, p)
    found = neighbor_ranking(frame, k, queries=frame[:20], distance="heom", scale="minmax")
    np.testing.assert_allclose(found.distances, _heom_by_numpy(frame, 20, k), atol=1e-12)
    before = peak_megabytes()
    timing = race({"sepal heom, LOO k = 1..5": lambda: leave_one_out_curve(frame, y, k_max=k)}, budget=1.0)
    show(f"mixed {n:,} x {p}", timing, "sepal heom, LOO k = 1..5")
    rate = n / timing.median("sepal heom, LOO k = 1..5")
    print(f"  {rate:,.0f} rows per second; {peak_megabytes():.0f} MB at the peak, {before:.0f} MB of them before")


def _heom_by_numpy(frame: pd.DataFrame, n_asking: int, k: int) -> NDArray[np.float64]:
    square = np.zeros((n_asking, len(frame)))
    for name in frame.columns:
        if name.startswith("x"):
            column = frame[name].to_numpy()
            square += ((column[:n_asking, None] - column) / np.ptp(column)) ** 2
        else:
            codes = frame[name].cat.codes.to_numpy()
            square += codes[:n_asking, None] != codes
    return np.sort(np.sqrt(square), axis=1)[:, :k]


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def predict(n: int = 100_000, queries: int = 10_000, p: int = 10, k: int = 10) -> None:
    """Predicting: ours against scikit-learn and FAISS flat (float32, votes counted in numpy)."""
    import faiss
    from sklearn.neighbors import KNeighborsClassifier

    X, y = numeric(n, p)
    asked, _ = numeric(queries, p, seed=1)
    ours = KNNClassifier(k, scale=None).fit(X, y)
    theirs = KNeighborsClassifier(k, n_jobs=-1).fit(X, y)
    index = faiss.IndexFlatL2(p)
    index.add(X.astype(np.float32))

    def faiss_votes() -> NDArray[np.bool_]:
        rows = index.search(asked.astype(np.float32), k)[1]
        return y[rows].mean(axis=1) > 0.5

    share = ours.predict_proba(asked)
    np.testing.assert_allclose(share, theirs.predict_proba(asked), atol=1e-9)
    agreed = np.mean(faiss_votes() == (share[:, 1] > 0.5 + 1e-9))
    assert agreed > 0.999, agreed
    contestants = {
        "sepal": lambda: ours.predict(asked),
        "scikit-learn": lambda: theirs.predict(asked),
        "FAISS flat + votes": faiss_votes,
    }
    show(f"predict {queries:,} of {n:,} x {p}, k = {k} (goal: above 1 x)", race(contestants, budget=30.0), "sepal")


def texts(n: int, n_words: int, length: int, seed: int = 0) -> csr_array:
    """Rows of word counts; words are as frequent as in speech (Zipf)."""
    rng = np.random.default_rng(seed)
    chance = 1.0 / np.arange(1, n_words + 1)
    words = rng.choice(n_words, size=n * length, p=chance / chance.sum())
    found = csr_array((np.ones(n * length), (np.repeat(np.arange(n), length), words)), shape=(n, n_words))
    found.sum_duplicates()
    return found


def sparse(n: int = 5_000, n_words: int = 50_000, length: int = 80, k: int = 10) -> None:
    """Texts under the cosine: ours against scikit-learn's brute force, both on the sparse matrix."""
    from sklearn.neighbors import KNeighborsClassifier

    X, asked = texts(n, n_words, length), texts(n // 5, n_words, length, seed=1)
    y = np.random.default_rng(2).integers(0, 2, size=n)
    ours = KNNClassifier(k).fit(X, y)
    theirs = KNeighborsClassifier(k, metric="cosine", algorithm="brute", n_jobs=-1).fit(X, y)
    np.testing.assert_allclose(ours.kneighbors(asked)[0], theirs.kneighbors(asked)[0], atol=1e-9)
    contestants = {"sepal": lambda: ours.predict(asked), "scikit-learn": lambda: theirs.predict(asked)}
    show(f"texts, {n // 5:,} of {n:,} x {n_words:,}, k = {k}", race(contestants, budget=10.0), "sepal")


def run(data_folder: Path | None) -> None:
    choose_k()
    mixed()
    mixed_large()
    predict()
    predict(p=30)
    sparse()
