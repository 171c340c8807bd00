"""Feature vectors: selection and classifier by number of rows, with peak memory; scikit-learn's Nystroem beside it."""

from __future__ import annotations

import resource
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

from sepal.machines import FeatureVectorClassifier

SIZES, N_VECTORS, WIDTH, REPEATS = (20_000, 200_000), 200, 0.5, 1


def _rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.random((n, 10))
    return X, (np.sin(5 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.normal(size=n) > 0.8).astype(int)


def _peak_gigabytes() -> float:
    per_unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * per_unit / 1e9


def run(data_folder: Path | None) -> None:
    print(f"feature vectors, L = {N_VECTORS}, 10 columns; Nystroem takes random rows, ours selects them")
    for n in SIZES:
        X, y = _rows(n)
        test_X, test_y = _rows(n + 5000)
        test_X, test_y = test_X[-5000:], test_y[-5000:]
        ours, theirs = [], []
        for _ in range(REPEATS):
            start = time.perf_counter()
            machine = FeatureVectorClassifier(N_VECTORS, width=WIDTH, scale=None).fit(X, y)
            ours.append(time.perf_counter() - start)
            start = time.perf_counter()
            nystroem = Nystroem(gamma=1 / (2 * WIDTH**2), n_components=N_VECTORS, random_state=0)
            peer = make_pipeline(nystroem, RidgeClassifier(alpha=1e-3)).fit(X, y)
            theirs.append(time.perf_counter() - start)
        accuracy, peer_accuracy = machine.score(test_X, test_y), peer.score(test_X, test_y)
        assert accuracy > peer_accuracy - 0.02
        a, b = statistics.median(ours), statistics.median(theirs)
        print(f"{n:>9} rows: sepal {a:7.2f} s, accuracy {accuracy:.4f}, fitness {machine.fitness_:.4f}; "
              f"Nystroem + ridge {b:7.2f} s, {peer_accuracy:.4f}; peak memory {_peak_gigabytes():.2f} GB")  # fmt: skip
