"""`python -m assembly_solver.cli`: the same as the command `assembly-solver`."""

import sys

from .program import main

sys.exit(main())
