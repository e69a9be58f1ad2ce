"""Complex numbers to some 45 digits behind the point with a bound of their error, in integers.

For what double precision cannot decide: the sign of a number near 0.  The arithmetic is that of
`taylor_models`, at one point: code that is written for those runs with these.

Source: midpoint-radius arithmetic, as in F. Johansson, Arb: efficient arbitrary-precision
midpoint-radius interval arithmetic, IEEE Transactions on Computers 66 (2017) 1281.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

from ..types import Array, Bools

BITS = 160
"""Binary digits behind the point."""

ONE = 1 << BITS

HALVINGS = 20
"""Of an angle before it is put into a series."""

TERMS = 9
"""Of that series: of angles up to 16 rad the rest is below 2^-160."""


class Undecided(ArithmeticError):
    """A root of what may be negative, or a reciprocal of what may be 0."""


@dataclass(frozen=True, slots=True)
class FixedBall:
    """A number re + i im, all three in units of 2^-BITS: it is not further off than `error`."""

    re: int
    im: int = 0
    error: int = 0

    @classmethod
    def of(cls, z: complex | float) -> FixedBall:
        """A number as it is."""
        (re, more), (im, rest) = _in_units(z.real), _in_units(z.imag)
        return cls(re, im, 2 if more or rest else 0)

    @property
    def size(self) -> int:
        """Bound of the size, with the error."""
        return abs(self.re) + abs(self.im) + self.error

    @property
    def sign(self) -> int:
        """Of re: 1 or -1; 0 where it is not decided."""
        return (self.re > self.error) - (self.re < -self.error)

    def __float__(self) -> float:
        return self.re / ONE

    def __complex__(self) -> complex:
        return complex(self.re / ONE, self.im / ONE)

    def __add__(self, other: FixedBall | complex) -> FixedBall:
        other = _ball(other)
        return FixedBall(self.re + other.re, self.im + other.im, self.error + other.error)

    def __neg__(self) -> FixedBall:
        return FixedBall(-self.re, -self.im, self.error)

    def __sub__(self, other: FixedBall) -> FixedBall:
        return self + -other

    def __truediv__(self, other: FixedBall) -> FixedBall:
        return self * other.reciprocal()

    def __mul__(self, other: FixedBall | complex) -> FixedBall:
        other = _ball(other)
        re = self.re * other.re - self.im * other.im >> BITS
        im = self.re * other.im + self.im * other.re >> BITS
        error = self.error * other.size + self.size * other.error >> BITS
        return FixedBall(re, im, error + 3)

    __radd__, __rmul__ = __add__, __mul__

    def times(self, factor: complex | float) -> FixedBall:
        """The product with a number."""
        return self * factor

    def plus(self, number: complex | float) -> FixedBall:
        """The sum with a number."""
        return self + number

    def signed(self, sign: Array) -> FixedBall:
        """The product with +1 or -1, an array of one."""
        return self if float(sign.item()) > 0.0 else -self

    def conjugate(self) -> FixedBall:
        return FixedBall(self.re, -self.im, self.error)

    @property
    def real(self) -> FixedBall:
        return FixedBall(self.re, 0, self.error)

    @property
    def imag(self) -> FixedBall:
        return FixedBall(self.im, 0, self.error)

    def square_size(self) -> FixedBall:
        """|f|^2, real."""
        return (self * self.conjugate()).real

    def reciprocal(self) -> FixedBall:
        """1 / f.

        Raises:
            Undecided: it may be 0.
        """
        square = self.re * self.re + self.im * self.im
        size = isqrt(square)
        if size <= self.error:
            raise Undecided
        error = (self.error << 2 * BITS) // (size * (size - self.error))
        re, im = (self.re << 2 * BITS) // square, (-self.im << 2 * BITS) // square
        return FixedBall(re, im, error + 3)

    def root(self, touching: Bools) -> FixedBall:
        """The square root of a real number; what `touching` allows is of cells, not of points.

        Raises:
            Undecided: it may not be above 0.
        """
        if self.re <= self.error:
            raise Undecided
        root = isqrt(self.re << BITS)
        return FixedBall(root, 0, (self.error << BITS) // root + 2)


def _in_units(x: float) -> tuple[int, int]:
    """A number in units of 2^-BITS, and whether anything is left below that."""
    above, below = float(x).as_integer_ratio()
    return divmod(above << BITS, below)


def _ball(number: FixedBall | complex) -> FixedBall:
    return number if isinstance(number, FixedBall) else FixedBall.of(number)


def fixed_turn(angle: FixedBall) -> FixedBall:
    """e^{i angle} of a real angle, rad, of some turns."""
    small = FixedBall(0, angle.re >> HALVINGS, (angle.error >> HALVINGS) + 2)
    out = term = FixedBall(ONE)
    for k in range(1, TERMS):
        term = term * small
        term = FixedBall(term.re // k, term.im // k, term.error // k + 3)
        out = out + term
    rest = term * small
    out = FixedBall(out.re, out.im, out.error + 2 * rest.size + 1)
    for _ in range(HALVINGS):
        out = out * out
    return out
