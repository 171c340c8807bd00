"""The contestants: what a user would pick, each with one thread, and ours.

Peers get arrays: medians for missing numbers, standard scaling, nominal columns as indicators with a missing cell as
a level of its own; all of it learnt from the training rows. Ours get the table as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from sepal.data import Table

SEED = 0


@dataclass(frozen=True)
class Method:
    """How to make an estimator. Ours take tables; a peer is put behind the preparation of arrays."""

    make: Callable[[], Any]
    package: str = "sklearn"
    ours: bool = False

    @property
    def version(self) -> str:
        return f"{self.package} {import_module(self.package).__version__}"


def preparation(table: Table) -> ColumnTransformer:
    nominal = [j for j, kind in enumerate(table.kinds) if kind == "nominal"]
    numbers = [j for j in range(table.n_columns) if j not in nominal]
    scaled = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    indicators = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer([("numbers", scaled, numbers), ("levels", indicators, nominal)])


def with_probabilities(fitted: Any, X: Any, y: Any) -> Any:
    """A support vector machine has no probabilities: Platt's sigmoid on five inner folds, at the chosen parameters."""
    chosen = getattr(fitted, "best_estimator_", fitted)
    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    return CalibratedClassifierCV(chosen, cv=folds, ensemble=False).fit(X, y)


def _grid(estimator: Any, grid: dict[str, Any]) -> GridSearchCV:
    return GridSearchCV(estimator, grid, cv=StratifiedKFold(5, shuffle=True, random_state=SEED), n_jobs=1)


def _lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbose=-1, random_state=SEED)


def _catboost() -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        iterations=300, thread_count=1, verbose=False, allow_writing_files=False, random_seed=SEED
    )


def _xgboost() -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=SEED, verbosity=0)


def _sepal() -> Any:
    from sepal.auto import SepalClassifier

    return SepalClassifier(n_jobs=1)


def _chain(**parameters: Any) -> Callable[[], Any]:
    def make() -> Any:
        from sepal.auto import PaperChainClassifier

        return PaperChainClassifier(n_jobs=1, **parameters)

    return make


PEERS: dict[str, Method] = {
    "1-NN": Method(lambda: KNeighborsClassifier(1)),
    "k-NN grid": Method(
        lambda: _grid(
            KNeighborsClassifier(),
            {"n_neighbors": [1, 3, 5, 7, 9, 11, 15, 21, 31, 51], "weights": ["uniform", "distance"]},
        )
    ),
    "logistic": Method(lambda: LogisticRegression(max_iter=5000)),
    "LDA": Method(lambda: LinearDiscriminantAnalysis()),
    "SVC": Method(lambda: SVC()),
    "SVC grid": Method(
        lambda: _grid(SVC(), {"C": 10.0 ** np.arange(-1, 4), "gamma": 10.0 ** np.arange(-3, 2)}),
    ),
    "RandomForest": Method(lambda: RandomForestClassifier(300, n_jobs=1, random_state=SEED)),
    "HistGradientBoosting": Method(lambda: HistGradientBoostingClassifier(random_state=SEED)),
    "LightGBM": Method(_lightgbm, "lightgbm"),
    "CatBoost": Method(_catboost, "catboost"),
    "XGBoost": Method(_xgboost, "xgboost"),
}
OURS: dict[str, Method] = {
    "sepal": Method(_sepal, "sepal", ours=True),
    "paper chain": Method(_chain(), "sepal", ours=True),
    "paper chain, all features": Method(_chain(subset=None), "sepal", ours=True),
    "paper chain, tree": Method(_chain(multiclass="tree"), "sepal", ours=True),
}
METHODS = {**OURS, **PEERS}
