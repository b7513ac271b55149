"""What the tests share: the package with the library that FINCH_LIBRARY names, the small data of the
repository, and the large data where the folder FINCH_DATA has them."""

import faulthandler
import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ROOT / "python"
DATA = ROOT / "examples/data"
LARGE_DATA = Path(os.environ.get("FINCH_DATA", ROOT / "../shared/data"))
sys.path.insert(0, str(PACKAGES))

import finch_clustering as finch  # noqa: E402

# A hang is a failure, too.
faulthandler.dump_traceback_later(540, exit=True)

# Where the tests run in the background of a shell, Ctrl-C is ignored, and Python keeps it so.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Sets of the golden files that are arrays; the others are archives.
FOLDERS = {
    "mice_protein": "mice_protein/{}.npy",
    "gestalt_compound": "gestalt/gestalt_{}.npy",
    "aggregation_rounded_finchrepo": "aggregation/aggregation_rounded_{}.npy",
}


def large(name):
    """A file of the large data, or None. Where everything has to be tested, the file must be there."""
    path = LARGE_DATA / name
    if path.is_file():
        return path
    assert os.environ.get("CI") != "true", f"there is no {path}"
    print(f"left out, for want of {name} in the folder FINCH_DATA", file=sys.stderr)
    return None


def golden(name):
    """The golden numbers of the repository, and of the large data where they are at hand."""
    path = large(f"golden/{name}") or DATA / "golden" / name
    return json.loads(path.read_text())


def load(name):
    """Samples and classes of a data set by its name in the golden files, if the set is at hand."""
    if name in FOLDERS:
        return tuple(np.load(DATA / FOLDERS[name].format(part)) for part in "Xy")
    if name == "aggregation":
        paths = [large(f"aggregation/aggregation_{part}.npy") for part in "Xy"]
        return None if None in paths else tuple(np.load(path) for path in paths)
    path = large(f"{name}.npz")
    if path is None:
        return None
    with np.load(path) as archive:
        return archive["X"], archive["y"]


def mnist_10k():
    """10,000 x 784 pixels, or None where MNIST is not at hand."""
    path = large("mnist/t10k-images-idx3-ubyte.gz")
    if path is None:
        return None
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), np.uint8, offset=16).reshape(10_000, 784)


def noise():
    """Samples that take a good part of a second."""
    return np.random.default_rng(2).integers(0, 255, (10_000, 784), np.uint8)


def whole_numbers(rows=300, columns=12):
    """Samples that every element type holds, with ties."""
    return np.random.default_rng(7).integers(0, 6, (rows, columns)).astype(np.uint8)


def long_run(**options):
    """A run of minutes."""
    X = np.random.default_rng(1).integers(0, 255, (40_000, 500), np.uint8)
    return finch.cluster(X, search="brute", **options)


def interrupt_soon(number=signal.SIGINT, after=0.5):
    """Sends a signal to this process, and returns a list that will hold the time of sending."""
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), number)

    threading.Timer(after, send).start()
    return sent


def python(script, **environment):
    """Runs a script in another Python that finds the package."""
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(PACKAGES), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
