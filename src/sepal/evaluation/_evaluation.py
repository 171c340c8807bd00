"""What came out of a cross-validation: answers to rows that were held out, and the scores that follow from them."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.data import data_frame, far_unit
from sepal.evaluation._class_scores import CLASS_COLUMNS, confusion, kappa, per_class
from sepal.evaluation._costs import cost_matrix, least_cost
from sepal.exceptions import DataError, ParameterError
from sepal.measures import independent_trials, wilson_interval
from sepal.parameters import checked

_MORE_VARIANCE = 1.4  # than independent trials have: rows of different folds answer each other
_LEAST_SHARE = 1e-6  # a class that was called impossible costs this much


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Cross-validated predictions: what an estimator answered for rows it had not seen.

    Attributes
    ----------
    scheme : str
        The estimator, as it would be written.
    data : str
        The name of the table.
    columns : tuple of str
    task : {"classification", "regression"}
    test_mode : str
        How rows were held out.
    rows : (n,) array
        Positions of the answered rows in the table; they stay what they are, whatever the folds.
    fold : (n,) array
        In which fold each was answered.
    actual, predicted : (n,) arrays
        Class codes (positions in ``classes``), or numbers.
    share : (n, n_classes) array or None
        Probabilities.
    prior : (n, n_classes) or (n,) array
        What the training rows of the fold alone would say: class shares, or the mean.
    classes : array or None
    fold_sizes : (n_folds, 2) array
        Training and test rows of each fold.
    groups : (n,) array or None
        Numbers of the groups that were held out together; None where each row was alone.
    scores : dict of str to (n_folds,) array
        What ``scoring`` asked for, one number per fold.
    random_state : int or None
        The seed of the folds; None where no chance had a part in them.
    parameters : dict of str to str
        All parameters of the estimator, as they would be written.
    costs : (n_classes, n_classes) array or None
        What each answer (across) costs for rows of each class (down), where :meth:`with_costs` has decided by these.
    n_given : int or None
        Rows in all partitions, where these are a sample of them.
    plan : object or None
        What was to be done, where the rows are in partitions.
    exact : bool
        Whether the rows are all there are, and all neighbours were found; ``rows_seen`` is how many they are.
    recall : float or None
        Share of the neighbours that an approximate search finds, the least of all folds; None where none was asked.

    Examples
    --------
    >>> import sepal
    >>> found = sepal.evaluate(sepal.KNNClassifier(1), sepal.datasets.load("athletes"), cv="loo")
    >>> found.accuracy, found.confusion.tolist()
    (1.0, [[12, 0], [0, 8]])
    """

    scheme: str
    data: str
    columns: tuple[str, ...]
    task: Literal["classification", "regression"]
    test_mode: str
    rows: NDArray[np.intp]
    fold: NDArray[np.intp]
    actual: NDArray[Any]
    predicted: NDArray[Any]
    share: NDArray[np.float64] | None
    prior: NDArray[np.float64]
    classes: NDArray[Any] | None
    fold_sizes: NDArray[np.intp]
    groups: NDArray[np.intp] | None = None
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    random_state: int | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    costs: NDArray[np.float64] | None = None
    n_given: int | None = None
    plan: Any = None
    recall: float | None = None

    @property
    def rows_seen(self) -> int:
        """Rows that were answered."""
        return self.n_rows

    @property
    def exact(self) -> bool:
        """Whether the rows are all there are, and no sample of rows in partitions."""
        return (self.n_given is None or self.n_given == self.n_rows) and self.recall is None

    @property
    def n_rows(self) -> int:
        """How many rows were answered."""
        return len(self.rows)

    @cached_property
    def confusion(self) -> NDArray[np.int64]:
        """Rows of each class (down) by what they were taken for (across)."""
        return confusion(self.actual, self.predicted, len(self._classes))

    @property
    def _classes(self) -> NDArray[Any]:
        if self.classes is None:
            raise DataError("a regression has no classes")
        return self.classes

    @property
    def n_right(self) -> int:
        """Rows answered rightly."""
        return int(np.sum(self.actual == self.predicted))

    @property
    def accuracy(self) -> float:
        """Share of rows answered rightly."""
        return self.n_right / self.n_rows

    @checked()
    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Wilson's interval for the accuracy of the estimator, fitted to all rows, on further rows.

        One test set is as many independent trials as it has rows, or groups of rows that stand or fall together. Where
        there are several folds the rows of one answer those of the others, and the accuracy varies more: by 1.4 in its
        variance, which is near the mean of what was measured (``docs/guide/how-sure.md``).
        """
        right = (self.actual == self.predicted).astype(np.float64)
        trials = independent_trials(right, np.full(self.n_rows, 1.0 / self.n_rows), self.groups)
        more = _MORE_VARIANCE if len(self.fold_sizes) > 1 else 1.0
        return wilson_interval(self.accuracy, trials / more, confidence)

    @property
    def balanced_accuracy(self) -> float:
        """Mean of the class recalls."""
        sizes = self.confusion.sum(axis=1)
        return float(np.mean(np.diag(self.confusion)[sizes > 0] / sizes[sizes > 0]))

    @property
    def majority_rate(self) -> float:
        """Accuracy of always answering the largest class."""
        return float(self.confusion.sum(axis=1).max() / self.n_rows)

    @property
    def kappa(self) -> float:
        """Cohen's kappa."""
        return kappa(self.confusion)

    @property
    def log_loss(self) -> float:
        """Minus the mean logarithm of the probability of the true class, none below a millionth; NaN without any."""
        if self.share is None:
            return float("nan")
        return float(-np.log(np.maximum(self.share[np.arange(self.n_rows), self.actual], _LEAST_SHARE)).mean())

    def with_costs(self, costs: Any) -> Evaluation:
        """The same probabilities, answered so that each row's expected cost is least.

        Parameters
        ----------
        costs : mapping or square array
            As in :func:`sepal.evaluation.cost_matrix`: ``{"ham": 9}``, ``{("ham", "spam"): 9}`` or the whole matrix.

        Examples
        --------
        >>> import sepal
        >>> found = sepal.evaluate(sepal.KNNClassifier(9), sepal.datasets.load("athletes"), cv="loo")
        >>> found.mean_cost({"yes": 20}), found.with_costs({"yes": 20}).mean_cost()
        (3.0, 0.55)
        """
        matrix = cost_matrix(costs, self._classes)
        if self.share is None:
            raise DataError(
                f"{self.scheme} gives no probabilities, which costs are weighed with",
                hint="SVMClassifier(probability=True) gives them; for scores there is sepal.evaluation.best_threshold",
            )
        return replace(self, predicted=least_cost(self.share, matrix), costs=matrix)

    def mean_cost(self, costs: Any = None) -> float:
        """What the answers cost per row; by default by the costs that decided them."""
        matrix = self.costs if costs is None else cost_matrix(costs, self._classes)
        if matrix is None:
            raise ParameterError("costs: there are none; give them, or ask with_costs(costs)")
        return float(np.sum(self.confusion * matrix) / self.n_rows)

    @property
    def majority(self) -> Evaluation:
        """What the training rows of each fold alone would have answered: the largest class, or the mean."""
        if self.classes is None:
            return replace(self, scheme="mean", predicted=self.prior, parameters={}, recall=None)
        answer = self.prior.argmax(axis=1)
        if self.costs is not None:
            answer = least_cost(self.prior, self.costs)
        return replace(self, scheme="majority", predicted=answer, share=self.prior, parameters={}, recall=None)

    @cached_property
    def errors(self) -> dict[str, float]:
        """Mean absolute, root mean squared and both relative to the prior; of probabilities for classes."""
        if self.task == "classification":
            truth = np.eye(len(self._classes))[self.actual]
            share = np.eye(len(self._classes))[self.predicted] if self.share is None else self.share
            unit, off, prior = 1.0, share - truth, self.prior - truth
        else:
            # Very large and very small numbers in a unit in which their squares are numbers too.
            unit = far_unit(np.concatenate([self.actual, self.predicted, self.prior]))
            actual = self.actual * unit
            off, prior = self.predicted * unit - actual, self.prior * unit - actual
        mean, root = float(np.mean(np.abs(off))), float(np.sqrt(np.mean(off**2)))
        mean_prior, root_prior = float(np.mean(np.abs(prior))), float(np.sqrt(np.mean(prior**2)))
        return {
            "mae": mean / unit,
            "rmse": root / unit,
            "rae": mean / mean_prior if mean_prior else float("nan"),
            "rrse": root / root_prior if root_prior else float("nan"),
        }

    @property
    def correlation(self) -> float:
        """Between actual and predicted numbers; 0 where one of them is constant."""
        actual, predicted = (each * far_unit(each) for each in (self.actual, self.predicted))
        if np.ptp(actual) == 0 or np.ptp(predicted) == 0:
            return 0.0
        return float(np.corrcoef(actual, predicted)[0, 1])

    @cached_property
    def by_class(self) -> dict[str, list[float]]:
        """The columns of the table by class, one number per class."""
        share = np.eye(len(self._classes))[self.predicted] if self.share is None else self.share
        return per_class(self.confusion, share, self.actual)

    def fold_scores(self) -> NDArray[np.float64]:
        """Of each fold the accuracy, or for numbers minus the mean squared error."""
        if self.task == "classification":
            good, unit = (self.actual == self.predicted).astype(np.float64), 1.0
        else:
            unit = far_unit(np.concatenate([self.actual, self.predicted]))
            good = -((self.actual * unit - self.predicted * unit) ** 2)
        with np.errstate(over="ignore", under="ignore"):  # a square may be no number where an error is one
            return np.bincount(self.fold, weights=good) / np.bincount(self.fold) / unit / unit

    def frame(self) -> Any:
        """One line per row: its position, fold, the truth, the answer and the probabilities."""
        actual, predicted = self.actual, self.predicted
        if self.classes is not None:
            actual, predicted = self.classes[actual], self.classes[predicted]
        columns: dict[str, Any] = {"row": self.rows, "fold": self.fold, "actual": actual, "predicted": predicted}
        if self.classes is not None:
            columns["right"] = self.actual == self.predicted
            for c, label in enumerate(self.classes.tolist()):
                if self.share is not None:
                    columns[f"p({label})"] = self.share[:, c]
        return data_frame(columns)

    def class_frame(self) -> Any:
        """One line per class."""
        return data_frame({"class": self._classes, **self.by_class})

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values, for JSON."""
        facts: dict[str, Any] = {
            "scheme": self.scheme,
            "data": self.data,
            "task": self.task,
            "test_mode": self.test_mode,
            "seed": self.random_state,
            "parameters": dict(self.parameters),
            "columns": list(self.columns),
            "n_rows": self.n_rows,
            "errors": self.errors,
        }
        if self.recall is not None:
            facts["recall"] = self.recall
        if self.scores:
            numbers = {name: each.tolist() for name, each in self.scores.items()}
            facts["scores"] = {name: [None if np.isnan(v) else v for v in each] for name, each in numbers.items()}
        if self.classes is None:
            return {**facts, "correlation": self.correlation}
        return {
            **facts,
            "classes": self.classes.tolist(),
            "right": self.n_right,
            "accuracy": self.accuracy,
            "interval": list(self.interval()),
            "balanced_accuracy": self.balanced_accuracy,
            "majority_rate": self.majority_rate,
            "kappa": self.kappa,
            "log_loss": None if self.share is None else self.log_loss,
            "by_class": {name: [None if np.isnan(v) else v for v in self.by_class[name]] for name in CLASS_COLUMNS},
            "confusion": self.confusion.tolist(),
            **({} if self.costs is None else {"costs": self.costs.tolist(), "mean_cost": self.mean_cost()}),
        }

    def summary(self, width: int | None = None) -> str:
        """The text a Weka user knows, then what it leaves out; running text in lines of this width, 100 at most."""
        from sepal.evaluation._summary import summary_text

        return summary_text(self, width)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"

    def plot(self, ax: Any = None) -> Any:
        """The confusion matrix as a map; for numbers, predicted against actual."""
        from sepal.plots import draw_actual_predicted, draw_confusion

        if self.classes is None:
            return draw_actual_predicted(self.actual, self.predicted, ax)
        return draw_confusion(self.confusion, [str(label) for label in self.classes], ax)
