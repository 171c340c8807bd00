"""Prototype selection as an estimator."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from sklearn.utils import _safe_indexing

from sepal.data import Missing, ScaleName, SparseRows, Table, as_rows, rows_inside
from sepal.distances import DISTANCES
from sepal.estimators import Diet, TableEstimator
from sepal.exceptions import DataError, ParameterError
from sepal.measures import shared_parameters as shared
from sepal.parameters import Parameter
from sepal.prototypes._methods import METHODS, method_named, takes_groups
from sepal.prototypes._prototype_set import PrototypeSet


class PrototypeSelector(TableEstimator):
    """Keep the rows that matter: any method of this room behind imbalanced-learn's ``fit_resample``.

    Pipelines of imbalanced-learn take it as a step. Those of scikit-learn pass rows on and drop none, so that no step
    of theirs can keep some only: give the method to the learner there, ``KNNClassifier(prototypes="fcnn")``.

    Parameters
    ----------
    method : str
        A name in ``sepal.prototypes.METHODS``: ``"fcnn"``, ``"hart"``, ``"drop3"``, ...
    method_params : mapping, optional
        What the method takes beyond the parameters below, ``{"n_neighbors": 5}`` for instance.
    distance, distance_params, scale, missing, n_jobs
        As in :func:`sepal.prototypes.hart`.

    Attributes
    ----------
    sample_indices_ : array
        The kept rows, ascending.
    prototypes_ : PrototypeSet
        All there is to know about them.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> selector = PrototypeSelector("hart")
    >>> X, y = selector.fit_resample(np.array([[0.0], [1.0], [2.0], [5.0], [6.0]]), np.array(list("aaabb")))
    >>> X.ravel().tolist(), y.tolist(), selector.sample_indices_.tolist()
    ([2.0, 5.0], ['a', 'b'], [2, 3])

    In a pipeline of scikit-learn the learner keeps the prototypes:

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sepal.learners import KNNClassifier
    >>> model = make_pipeline(StandardScaler(), KNNClassifier(1, prototypes="hart"))
    >>> model.fit(np.array([[0.0], [1.0], [2.0], [5.0], [6.0]]), np.array(list("aaabb")))[-1].rows_.tolist()
    [2, 3]
    """

    parameter_table = (
        Parameter("method", "word", "how rows are chosen", words=tuple(METHODS), looked_up=True),
        Parameter("method_params", "other", "what the method takes beyond these", optional=True, also=("mapping",)),
        shared.DISTANCE,
        shared.DISTANCE_PARAMS,
        shared.SCALE,
        Parameter(
            "missing", "word", "leave missing cells to the distance, or drop such rows", words=("distance", "drop")
        ),
        shared.N_JOBS,
    )
    sample_indices_: Any
    prototypes_: PrototypeSet

    def __init__(
        self,
        method: str = "fcnn",
        *,
        method_params: Mapping[str, Any] | None = None,
        distance: str = "auto",
        distance_params: Mapping[str, Any] | None = None,
        scale: ScaleName | None = "minmax",
        missing: Missing = "distance",
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.method_params = method_params
        self.distance = distance
        self.distance_params = distance_params
        self.scale = scale
        self.missing = missing
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> PrototypeSelector:
        """Choose the rows.

        Parameters
        ----------
        X : Table, ndarray, data frame, scipy sparse matrix or list of sets
            The rows. Sparse rows are written out in full, up to 50 million cells.
        y : array-like
            The class of each row; not needed for a Table with a target.
        groups : array-like, "copies" or None
            Rows that do not judge each other, for the methods that judge a row by others (``"enn"``, ``"renn"``,
            ``"all_knn"``, ``"tomek_links"``, ``"drop3"``, ``"icf"``, ``"ib3"``).

        Returns
        -------
        PrototypeSelector
            Itself.
        """
        X = rows_inside(X)
        if y is None and not isinstance(X, (Table, SparseRows)):
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        select = method_named(self.method)
        if groups is not None and not takes_groups(select):
            raise ParameterError(
                f"groups: the method {self.method!r} leaves no rows out, so that groups have no meaning for it",
                hint=f"methods that take them: {', '.join(name for name in METHODS if takes_groups(METHODS[name]))}",
            )
        table, more = self._training_rows(X, y, sparse=True), dict(self.method_params or {})
        own = {"X", "y", "groups", *self.get_params(deep=False)}
        unknown = next((name for name in more if name in own or name not in signature(select).parameters), None)
        if unknown in own:
            raise ParameterError(f"method_params: {unknown!r} is asked for outside of it")
        if unknown is not None:
            raise ParameterError(f"method_params: {unknown!r} is no parameter of the method {self.method!r}")
        self.prototypes_ = select(
            table,
            distance=self.distance,
            distance_params=self.distance_params,
            scale=self.scale,
            missing=self.missing,
            n_jobs=self.n_jobs,
            **({} if groups is None else {"groups": groups}),
            **more,
        )
        self.sample_indices_ = self.prototypes_.rows
        return self

    def fit_resample(self, X: Any, y: Any = None, *, groups: Any = None) -> tuple[Any, Any]:
        """Choose the rows and return them, in the containers they came in.

        Parameters
        ----------
        X : Table, ndarray or data frame
            The rows.
        y : array-like
            The class of each row; not needed for a Table with a target.
        groups : array-like, "copies" or None
            As in :meth:`fit`.

        Returns
        -------
        X_kept, y_kept
            For a Table with a target ``y_kept`` is the target of the kept rows.
        """
        X = rows_inside(X)
        self.fit(X, y, groups=groups)
        if isinstance(X, (Table, SparseRows)):
            kept = as_rows(X, y).take(self.sample_indices_)
            return kept, kept.y
        return _safe_indexing(X, self.sample_indices_), _safe_indexing(y, self.sample_indices_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _diet(self) -> Diet:
        entry, auto = DISTANCES.get(self.distance), self.distance == "auto"
        return Diet(
            levels=auto or (entry is not None and "nominal" in entry.kinds),
            missing=auto or self.missing == "drop" or (entry is not None and entry.allows_missing),
            sparse=self.scale != "standard" and (auto or (entry is not None and entry.sparse)),
        )
