"""`python -m assembly_solver`: the same as the command `assembly-solver`."""

import atexit
import gc
import os
import sys
import warnings
from contextlib import suppress
from typing import NoReturn

from .cli import main

NEW_OBJECTS = 100_000
"""A setting: objects that are made between two passes of the garbage collector.  Imports make many
that stay, through which Python would go for every 700 new ones."""


def run() -> NoReturn:
    """Run the command line and end the process with its status.

    Python would first take apart all that was imported, which takes as long as a short sweep.
    """
    gc.set_threshold(NEW_OBJECTS)
    warnings.formatwarning = lambda message, *_: f"warning: {message}\n"
    status = main()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed, or none
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
