"""Examples of arguments: numba compiles the same for them as for what they are examples of."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.foundations.jit.tiers import example


@pytest.mark.quick
def test_an_example_has_the_type_of_its_array() -> None:
    table = np.ones((5, 6))
    frozen = table.copy()
    frozen.flags.writeable = False
    for given in (table, table.T, table[:, 1], table[::2, ::2], frozen, table.astype(np.int64)):
        found = example((given,))[0]
        for flag in ("c_contiguous", "f_contiguous", "writeable"):
            assert getattr(found.flags, flag) == getattr(given.flags, flag)
        assert (found.dtype, found.ndim) == (given.dtype, given.ndim)
