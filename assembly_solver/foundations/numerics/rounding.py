"""The few thresholds below which a number counts as zero: what rounding leaves of it.

Features are compared within the tolerance (`System.same_place`, `System.same_direction`); those of
one body that agree are equal in the nominal assembly.  What is left to compare is arithmetic, and
that follows from the machine epsilon.  All are relative to the size of what is compared; lengths in
mm and angles in degrees are compared with 1.

Source: G. H. Golub and C. F. Van Loan, Matrix Computations, sections 2.7 (rounding) and 5.5 (rank);
W. H. Press and others, Numerical Recipes, section 5.7 (difference quotients).
"""

from __future__ import annotations

EPSILON = 2.0**-52
"""Distance of 1 from the next larger number."""

ROUNDING = 2.0**12 * EPSILON
"""A value after some thousand operations: 9e-13."""

AGREEMENT = 2.0**22 * EPSILON
"""Two values that were calculated in different ways, from poses that an iteration left within 1e-10
mm of a solution: 9e-10."""

RANK = AGREEMENT
"""A pivot or a singular value, relative to the largest: rows are functions of such poses."""

ROOT = 2.0**-26
"""What is known by its square only: the angle of a cosine, a double root: 1.5e-8."""

FOURTH = 2.0**-13
"""What is known by its fourth power only: 1.2e-4.

A position near a dead point, which is itself known to `ROOT`; a variable below which a term of
fourth order in a series is rounding.
"""

FAINT = 2.0 ** (-52 / 3)
"""A component of a null vector, or a quotient of differences, that is not there: 6e-6.

The best step of a quotient is the cube root of the epsilon, and its error is no larger.
"""

UNIT = 4.5 * EPSILON
"""The square of the length of a unit vector, less 1: what its components' rounding leaves."""

TINY = 2.0**-996
"""A divisor in place of 0: less than any size, and no quotient overflows: 1.5e-300."""

CONFUSION = 1e-7
"""Points nearer than this, mm, are one point of a modeller's shape: OpenCASCADE's value."""

DIGITS = 1e-6
"""What six digits leave of a number or of a direction in a file."""
