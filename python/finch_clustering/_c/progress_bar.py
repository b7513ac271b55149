"""The progress of a run, for people: a bar of tqdm if that is installed."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from .run import Progress, ProgressCallback, check_progress

DOING = {
    "neighbors": "searching neighbours",
    "link": "merging by shared neighbours",
    "merge": "merging by means",
    "describe": "comparing samples within clusters",
    "bound": "measuring the longest pair that links join",
    "predict": "searching what is nearest to new samples",
    "batch": "clustering matrices side by side",
}


class ProgressBar:
    """A progress callback that draws a bar for each stage of a run, by tqdm.

        with ProgressBar() as bar:
            hierarchy = cluster(X, progress=bar)

    Without tqdm nothing is drawn. `also` is a callback that is called, too, and whose true value
    stops the run.
    """

    def __init__(self, also: ProgressCallback | None = None, *, disable: bool = False) -> None:
        check_progress(also)
        self._also = also
        self._stage: tuple[str, int] | None = None
        self._bar: Any = None
        self._tqdm: Any = None
        if not disable:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._tqdm = tqdm

    def __call__(self, now: Progress) -> Any:
        if self._tqdm is not None:
            self._draw(now)
        return None if self._also is None else self._also(now)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the bar that is being drawn."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _draw(self, now: Progress) -> None:
        if self._stage != (now.stage, now.level) or self._bar is None:
            self.close()
            self._stage = now.stage, now.level
            told = f"{DOING.get(now.stage, now.stage)}, level {now.level}"
            form = "{desc}: {percentage:3.0f}% |{bar}| {elapsed}"
            # Stages that end within half a second are not worth a line.
            self._bar = self._tqdm(total=1.0, desc=told, bar_format=form, delay=0.5)
        self._bar.update(now.fraction - self._bar.n)
