"""k-NN against rows in partitions: too many for one worker, each answers with those it holds, and lists are joined."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from sepal.exceptions import ParameterError
from sepal.learners import KNNClassifier, fit_elsewhere
from sepal.parameters import checked
from sepal.progress import Progress
from sepal.scale._leave_one_out import class_order
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._prepare import fit_parts, prepare_blocks
from sepal.scale._sources import partitioned
from sepal.scale._work import place_of_work


@checked(*PARTITION_PARAMETERS)
def knn_partitions(
    model: KNNClassifier,
    source: Any,
    y: Any = None,
    *,
    target: str | int | None = None,
    block_rows: int | None = None,
    client: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> KNNClassifier:
    """A k-NN classifier of all rows in partitions, whose rows stay where they are.

    Every question goes to all partitions: each gives the nearest of its rows, and these lists become one. Answers are
    those of the classifier fitted to one table, to the last bit; with ``method="approximate"`` every block is searched
    approximately by itself, and ``recall_`` says which share of the neighbours is found.

    Parameters
    ----------
    model : KNNClassifier
        It is cloned. Distances that learn more from rows than ranges, means and levels are refused, as are prototypes.
    source, y, target
        As in :func:`partitioned`.
    block_rows, client, n_jobs, progress
        As in :func:`prepare_partitions`. The client must stay as long as the model is asked.

    Returns
    -------
    KNNClassifier
        Fitted; it holds some 70 bytes for each row, and cannot be saved. :func:`predict_partitions` takes it for new
        rows in partitions.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import sepal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for i in range(2):
    ...         _ = Path(folder, f"{i}.csv").write_text("a,class\\n1,x\\n2,x\\n7,y\\n8,y\\n")
    ...     model = knn_partitions(sepal.KNNClassifier(3), folder)
    ...     model.predict(sepal.data.as_table([[3.0], [6.5]], names=["a"])).tolist()
    ['x', 'y']
    """
    if not isinstance(model, KNNClassifier):
        raise ParameterError(f"model must be a KNNClassifier; got {type(model).__name__}")
    if model.feature_weights is not None or callable(model.distance):
        raise ParameterError("feature_weights and distance functions are not there for rows in partitions")
    given = partitioned(source, y, target=target)
    with place_of_work(client=client, n_jobs=n_jobs) as work:
        names = ("distance", "distance_params", "scale", "method")
        how = {name: getattr(model, name) for name in names}
        fitted = fit_parts(given, work, **how, progress=progress)
        ready = prepare_blocks(fitted, rows_in_block=block_rows, progress=progress)
        search: Any = ready.search
        order = class_order(search, ready.classes)
        return fit_elsewhere(clone(model), fitted.schema.like, search, ready.codes, ready.classes, order)
