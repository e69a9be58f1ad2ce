"""The command line interface, as in `assembly-solver solve FILE`."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for small matrices threads wait for each other

from .common import HOLDS, HOLDS_NOT, INTERRUPTED, WRONG
from .program import main
from .samples import WARM_UP, sample_names

__all__ = ["HOLDS", "HOLDS_NOT", "INTERRUPTED", "WARM_UP", "WRONG", "main", "sample_names"]
