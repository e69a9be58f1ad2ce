"""`python -m assembly_solver`: the same as the command `assembly-solver`."""

import sys

from .cli import main

sys.exit(main())
