"""Benchmarks: families of assemblies with known solutions, the judge, the peers, and the tables.

They time machine code, unless the environment asks for another: `ASSEMBLY_SOLVER_JIT`.
"""

import os

os.environ.setdefault("ASSEMBLY_SOLVER_JIT", "1")
