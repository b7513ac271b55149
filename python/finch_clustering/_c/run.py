"""Runs: calls of the library that take long, report their progress and can be stopped."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from .errors import check
from .header import Options, ProgressFn
from .names import STAGES, name_of


class Progress(NamedTuple):
    """The progress of a run."""

    stage: str
    """"neighbors": searching neighbours; "link": merging clusters by the neighbours that their
    samples share; "merge": merging clusters by their means; "describe": comparing samples with
    others of their cluster, and with means; "predict": searching what is nearest to new samples;
    "bound": measuring the longest pair of samples for link_bound="joined-pair"; "batch": clustering
    many matrices side by side."""
    level: int
    """Level 0 searches neighbours of samples, level i of the means of partition i - 1."""
    fraction: float
    """The part of the stage that is done, from 0 to 1."""


ProgressCallback = Callable[[Progress], Any]


def run(
    options: Options,
    progress: ProgressCallback | None,
    function: Any,
    *arguments: Any,
    is_quick: bool = False,
) -> None:
    """Calls a function of the library that takes these options and may run for long. A quick call is not watched
    where the caller gave no callback: to watch it takes longer than two samples do."""
    if is_quick and progress is None:
        check(function(*arguments))
        return
    check_progress(progress)
    caught: list[BaseException] = []
    watcher = _watch(progress, caught)
    next(watcher)
    options.progress = ProgressFn(watcher.send)
    status = function(*arguments)
    if caught:
        # Popped, so that the exception's traceback does not lead back to the exception.
        raise caught.pop()
    check(status)


def check_progress(progress: Any) -> None:
    """Refuses what is no callback, and a class, whose objects would stop the run."""
    if isinstance(progress, type):
        name = progress.__name__
        raise TypeError(f"progress is the class {name}: give an object of it, such as {name}()")
    if progress is not None and not callable(progress):
        raise TypeError(
            f"progress is {progress!r}: give a function of a Progress, or ProgressBar() of finch_clustering for a bar"
        )


def _watch(
    progress: ProgressCallback | None, caught: list[BaseException]
) -> Generator[int, Any, None]:
    """Is sent the progress of a run, and yields whether to stop the run.

    A run is watched also where the caller gave no callback: Python runs signal handlers, such as
    the one of Ctrl-C, only when Python code runs at all.

    ctypes drops exceptions that leave a callback. A function could not catch every exception:
    Python runs signal handlers as a function is entered, before its `try`. A generator is entered
    inside of its `try`.
    """
    stop = 0
    while True:
        try:
            try:
                now = (yield stop).contents
            except GeneratorExit:  # the run is over
                return
            if progress is not None and not stop:
                stage = name_of(STAGES, now.stage)
                stop = int(bool(progress(Progress(stage, now.level, now.fraction))))
        except BaseException as error:
            caught.append(error)
            stop = 1
