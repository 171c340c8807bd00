"""Progress for scikit-learn's callbacks, which it has from 1.9 on: ``model.set_callbacks(ProgressBar())``."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from sepal.progress import Progress

SUBTASKS = 100  # a fit that tells shares of its work has hundredths of it as subtasks

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin
    from sklearn.callback import with_callbacks
except ImportError:  # scikit-learn below 1.9 has no callbacks: nothing to set, nothing to tell

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Without callbacks."""

    def with_callbacks(method: Any) -> Any:
        """The method itself."""
        return method


def tells_callbacks(fit: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of a ``fit`` that takes ``progress``: callbacks that were set hear of it, too.

    Each hundredth of the work is a subtask of the fit. That a callback asks to stop is not heeded: there is no model to
    hand out before the end; what it raises ends the fit.
    """

    @wraps(fit)
    def run(self: Any, *given: Any, progress: Progress | None = None, **more: Any) -> Any:
        if not getattr(self, "_skl_callbacks", None):
            return fit(self, *given, progress=progress, **more)
        context = self._init_callback_context(max_subtasks=SUBTASKS)
        context.call_on_fit_task_begin(estimator=self)
        done = [0]

        def tell(text: str, share: float) -> None:
            for _ in range(done[0], min(int(share * SUBTASKS + 1e-9), SUBTASKS)):
                done[0] += 1
                part = context.subcontext(task_name=text).call_on_fit_task_begin(estimator=self)
                part.call_on_fit_task_end(estimator=self)
            if progress is not None:
                progress(text, share)

        fitted = fit(self, *given, progress=tell, **more)
        context.call_on_fit_task_end(estimator=self)
        return fitted

    return with_callbacks(run)  # type: ignore[no-any-return]
