"""Array types by element; each function states shapes, units and frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Complexes = NDArray[np.complex128]
Numbers = Sequence[float] | Array
"""What is taken for a few numbers, as three coordinates."""
