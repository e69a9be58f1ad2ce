"""Why an installed numba compiles nothing, or what it compiles is not kept."""

from __future__ import annotations

import os
import sys
import warnings
from functools import cache
from pathlib import Path
from traceback import extract_tb

HIDEABLE = sorted(sys.stdlib_module_names)
"""Modules that a file of the same name in the working folder hides from numba."""


def fails_with(reason: Exception) -> str:
    """Why an installed numba compiles nothing, and the files that hide modules it needs."""
    standard = str(Path(os.__file__).parent)
    named = ((name, getattr(sys.modules.get(name), "__file__", None)) for name in HIDEABLE)
    hiding = [f"{file} hides the module {n}" for n, file in named if file and standard not in file]
    raised = extract_tb(reason.__traceback__)[-1].filename
    words = "nothing is compiled, all runs many times slower: numba is installed, but fails"
    return "; ".join([f"{words} with {reason!r} in {raised}", *hiding])


@cache
def warn_not_kept(reason: str) -> None:
    """Warn, once for each reason, that machine code cannot be written to the disk."""
    words = f"machine code cannot be kept: {reason}; this process runs by it, others compile again"
    warnings.warn(words, RuntimeWarning, stacklevel=2)
