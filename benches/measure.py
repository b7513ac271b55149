"""Measurement: the library, timing in turns, peak memory, processes of their own, kept results, tables."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

ROOT = Path(__file__).resolve().parents[1]
"""The repository."""
THREADS = os.cpu_count() or 1


def library() -> Any:
    """The package finch_clustering of this repository; FINCH_LIBRARY names the library that it opens."""
    if str(ROOT / "python") not in sys.path:
        sys.path.insert(0, str(ROOT / "python"))
    return importlib.import_module("finch_clustering")


def log(line: str) -> None:
    """Progress, which is no part of the result."""
    print(line, file=sys.stderr, flush=True)


# Names on the command line.

Named = TypeVar("Named")


def names(text: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def numbers(text: str) -> list[int]:
    """Numbers with commas between them."""
    return [int(name) for name in names(text)]


def chosen(wanted: Iterable[str], known: Iterable[str]) -> list[str]:
    """The names that are wanted, if all are known."""
    wanted, known = list(wanted), list(known)
    if unknown := [name for name in wanted if name not in known]:
        sys.exit(f"there is no {', no '.join(unknown)}: there are {', '.join(known)}")
    return wanted


def at_hand(programs: Mapping[str, Named], wanted: Iterable[str]) -> dict[str, Named]:
    """The programs that are wanted and whose packages are installed."""
    found = {}
    for name in chosen(wanted, programs):
        packages = getattr(programs[name], "packages", ())
        missing = [package for package in packages if importlib.util.find_spec(package) is None]
        if missing:
            log(f"left out, for want of the package {' and '.join(missing)}: {name}")
        else:
            found[name] = programs[name]
    return found


def present(wanted: Iterable[str], make: Callable[[str], Named]) -> Iterator[tuple[str, Named]]:
    """Names, and the data that is made of each, without data whose files are missing."""
    for name in wanted:
        try:
            made = make(name)
        except FileNotFoundError as error:
            log(f"left out, for want of {error.filename} (FINCH_DATA names the folder): {name}")
            continue
        yield name, made


# Time and memory.


class Seconds(NamedTuple):
    clock: float
    cores: float
    """Of all threads of this process."""


def seconds_of(call: Callable[[], Any]) -> Seconds:
    clock, cores = time.perf_counter(), time.process_time()
    call()
    return Seconds(time.perf_counter() - clock, time.process_time() - cores)


def in_turns(calls: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, list[Seconds]]:
    """The seconds of each call in each round, the calls taking turns."""
    taken: dict[str, list[Seconds]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            taken[name].append(seconds_of(call))
    return taken


def least(runs: Iterable[Seconds]) -> Seconds:
    """The least of the clock, and the least of all cores."""
    return Seconds(*map(min, zip(*runs, strict=True)))


def peak_memory() -> int:
    """The most bytes that this process has had in memory, since `forget_peak`.

    getrusage also counts the process that started this one.
    """
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) << 10


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


# Processes.

THREADS_OF_OTHERS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)
OUT_OF_MEMORY = ("memoryerror", "bad_alloc", "memory alloc", "allocate memory", "unable to allocate")
"""Signs in the last words of programs: libraries in C end the process where they get no memory."""


def apart(
    function: str,
    arguments: dict[str, Any],
    *,
    threads: int = THREADS,
    limit: float | None = None,
    memory: float = 0,
) -> Any:
    """The result of MODULE.FUNCTION in a process of its own.

    After `limit` seconds, loading included, or beyond `memory` GB (10⁹ bytes) of address space, the
    result is {"failure": "time" or "memory" or "error", "message": ...}.
    """
    job = [sys.executable, __file__, function, json.dumps(arguments), str(memory)]
    environment = os.environ | dict.fromkeys(THREADS_OF_OTHERS, str(threads))
    with subprocess.Popen(
        job,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return {"failure": "time", "message": f"more than {limit:g} s"}
        finally:
            if process.poll() is None:
                # With the processes that it may have started.
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode == 0:
        return json.loads(output.splitlines()[-1])
    last = errors.strip().splitlines()[-1:] or [f"exit status {process.returncode}"]
    out_of_memory = any(sign in errors.lower() for sign in OUT_OF_MEMORY)
    return {"failure": "memory" if out_of_memory else "error", "message": last[0]}


def done(result: Any) -> Any:
    """The result of `apart`, if the process did not fail."""
    if isinstance(result, dict) and "failure" in result:
        sys.exit(f"{result['failure']}: {result['message']}")
    return result


class Results:
    """Results by their keys; with a file, a line each, which a later run goes on with."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[tuple[Any, ...], Any] = {}
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                key, result = json.loads(line)
                self._known[tuple(key)] = result

    def __contains__(self, key: tuple[Any, ...]) -> bool:
        return key in self._known

    def of(self, key: tuple[Any, ...], make: Callable[[], Any], *, keep: bool = True) -> Any:
        """The result that is known, or a new one, which goes to the file if it is to be kept."""
        if key not in self._known:
            self._known[key] = make()
            if keep and self._path is not None:
                with self._path.open("a") as file:
                    file.write(json.dumps([key, self._known[key]]) + "\n")
        return self._known[key]


# Markdown.


def row(cells: Iterable[Any]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def head(columns: Iterable[str]) -> str:
    """The first two lines of a table, all columns but the first to the right."""
    columns = list(columns)
    return row(columns) + "\n" + row(["---"] + ["--:"] * (len(columns) - 1))


def table(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    return "\n".join([head(columns), *map(row, rows)])


def shown(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def main() -> None:
    """The process that `apart` starts."""
    place, arguments, memory = sys.argv[1:]
    if float(memory):
        resource.setrlimit(resource.RLIMIT_AS, (int(float(memory) * 1e9),) * 2)
    module, function = place.split(".")
    print(json.dumps(getattr(importlib.import_module(module), function)(**json.loads(arguments))))


if __name__ == "__main__":
    main()
