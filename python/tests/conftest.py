"""The package as it is installed, or in the clone with PYTHONPATH=python."""

import faulthandler
import os
from pathlib import Path

import numpy as np
import pytest

os.environ.setdefault("MPLBACKEND", "agg")
# scikit-learn checks how estimators take arrays of other libraries only where SciPy takes them.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# A hang is a failure, too.
faulthandler.dump_traceback_later(900, exit=True)

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def aggregation():
    """788 points in the plane, and their seven classes."""
    folder = ROOT / "examples/data/aggregation"
    return [np.load(folder / f"aggregation_rounded_{part}.npy") for part in "Xy"]


@pytest.fixture
def mice():
    """1077 samples of 77 proteins."""
    return np.load(ROOT / "examples/data/mice_protein/X.npy")
