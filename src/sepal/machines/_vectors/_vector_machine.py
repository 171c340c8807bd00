"""What machines on feature vectors share: the vectors, the path of models, the choice of width."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sepal.data import Table, data_frame
from sepal.kernels import find_kernel
from sepal.machines._equal_rows import order_keys
from sepal.machines._kernel_rows import (
    Array,
    KernelChoice,
    RowKernel,
    TrainingTable,
    class_sample,
    is_precomputed,
)
from sepal.machines._vectors._map import VectorModel, model_solve
from sepal.machines._vectors._selector import VectorParameters

_WIDTH_ROWS = 2000  # widths are compared on at most this many rows
_WIDTH_FACTORS = 2.0 ** np.arange(-3, 3)  # times the "scale" width


class VectorMachine(VectorParameters):
    """What classifier and regressor share: the vectors, the path of models, the choice of width."""

    def _solve(
        self, training: TrainingTable, targets: Array, factors: Array, codes: NDArray[np.int32] | None
    ) -> VectorModel:
        table, copies = training.table, training.copies
        alpha = float(self.alpha)
        choice = self._choice(int(self.max_vectors if isinstance(self.n_vectors, str) else self.n_vectors))
        kernels = KernelChoice.of(self)

        def solve(kernel: RowKernel, rows: NDArray[np.intp] | None = None) -> VectorModel:
            part = slice(None) if rows is None else rows
            return model_solve(
                table if rows is None else table.take(rows),
                kernel,
                choice,
                training.places[part],
                targets[part],
                n_vectors=self.n_vectors,
                alpha=alpha,
                copies=copies[part],
                taken=training.taken[part],
                factors=factors[part],
                codes=None if codes is None else codes[part],
                groups=None if training.groups is None else training.groups[part],
            )

        if not self._seeks_width:
            return solve(kernels.fit(table, codes, copies))
        self.width_path_ = self._width_errors(kernels, table, codes, copies, solve)
        best = min(self.width_path_, key=lambda pair: pair[1])[0]
        return solve(kernels.fit(table, codes, copies, width=best))

    @property
    def _seeks_width(self) -> bool:
        """Whether widths are to be compared by their errors: where there is one, and no gamma replaces it."""
        asked = isinstance(self.width, str) and self.width == "loo" and self.gamma is None
        return asked and not is_precomputed(self.kernel) and "width" in find_kernel(self.kernel).params

    def _width_errors(
        self,
        kernels: KernelChoice,
        table: Table,
        codes: NDArray[np.int32] | None,
        copies: Array,
        solve: Callable[[RowKernel, NDArray[np.intp]], VectorModel],
    ) -> tuple[tuple[float, float], ...]:
        """The least squared leave-one-out error for each width, on a sample of the rows if they are many."""
        classes = np.zeros(table.n_rows) if codes is None else codes
        rows = class_sample(classes, order_keys(table.values, codes), _WIDTH_ROWS, self.random_state)
        start = kernels.fit(table, codes, copies, width="scale").width
        assert start is not None  # noqa: S101 - the kernel has a width
        errors = []
        for width in _WIDTH_FACTORS * start:
            model = solve(kernels.fit(table, codes, copies, width=float(width)), rows)
            errors.append((float(width), float(model.path.squared[model.n_vectors])))
        return tuple(errors)

    def _keep_model(self, model: VectorModel, keep: NDArray[np.intp]) -> None:
        self._keep(model.mapping, model.selection, keep, model.n_vectors)
        self.loo_squared_path_ = model.path.squared
        self.loo_squared_ = float(model.path.squared[model.n_vectors])

    def _coordinates(self, X: Any) -> Array:
        check_is_fitted(self)
        return self._map.transform(self._new_numbers(X))

    def frame(self) -> Any:
        """One line per number of vectors: fitness and exact leave-one-out error."""
        check_is_fitted(self)
        columns = {
            "n_vectors": np.arange(1, len(self.loo_squared_path_)),
            "fitness": self.fitness_path_,
            "loo_squared_error": self.loo_squared_path_[1:],
        }
        if hasattr(self, "loo_error_path_"):
            columns["loo_error"] = self.loo_error_path_[1:]
        return data_frame(columns)
