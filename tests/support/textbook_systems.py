"""Small systems of equations with published or independently checked numbers."""

import numpy as np
from numpy import cos, sin


class Recorder:
    """A residual function that remembers where it was evaluated."""

    def __init__(self, residual):
        self.residual, self.visited = residual, []

    def __call__(self, x):
        self.visited.append(np.array(x))
        return self.residual(x)


def slider_crank(t):
    """Haug, example 4.3.1: crank 1, coupler sqrt(1/2), one unknown q."""
    return (
        lambda q: np.array([(q[0] - cos(t)) ** 2 + sin(t) ** 2 - 0.5]),
        lambda q: np.array([[2.0 * (q[0] - cos(t))]]),
    )


def four_bar(crank_angle=None):
    """Haug, problem 4.5.3: crank 4, coupler 6, rocker 6, pivots (0, 0) and (4, 0).

    q = (phi1, x2, y2, phi2, phi3); the last equation drives phi1 where an angle is given.
    """

    def residual(q):
        p1, x, y, p2, p3 = q
        closed = [
            x - 4 * cos(p1) - 3 * cos(p2),
            y - 4 * sin(p1) - 3 * sin(p2),
            x + 3 * cos(p2) - 6 * cos(p3) - 4,
            y + 3 * sin(p2) - 6 * sin(p3),
        ]
        return np.array(closed if crank_angle is None else [*closed, p1 - crank_angle])

    def jacobian(q):
        p1, _, _, p2, p3 = q
        rows = [
            [4 * sin(p1), 1, 0, 3 * sin(p2), 0],
            [-4 * cos(p1), 0, 1, -3 * cos(p2), 0],
            [0, 1, 0, -3 * sin(p2), 6 * sin(p3)],
            [0, 0, 1, 3 * cos(p2), -6 * cos(p3)],
        ]
        return np.array(rows if crank_angle is None else [*rows, [1, 0, 0, 0, 0]], dtype=float)

    return residual, jacobian


def braced_parallelogram():
    """Haug, example 4.6.1: q = (phi1, x2, y2, phi2, phi3), the fifth equation is redundant."""

    def residual(q):
        p1, x, y, p2, p3 = q
        return np.array(
            [
                x - cos(p1) - cos(p2),
                y - sin(p1) - sin(p2),
                x - cos(p3) - 1,
                y - sin(p3),
                (x + cos(p2) - 2) ** 2 + (y + sin(p2)) ** 2 - 1,
            ]
        )

    def jacobian(q):
        p1, x, y, p2, p3 = q
        u, v = x + cos(p2) - 2, y + sin(p2)
        return np.array(
            [
                [sin(p1), 1, 0, sin(p2), 0],
                [-cos(p1), 0, 1, -cos(p2), 0],
                [0, 1, 0, 0, sin(p3)],
                [0, 0, 1, 0, -cos(p3)],
                [0, 2 * u, 2 * v, -2 * sin(p2) * u + 2 * cos(p2) * v, 0],
            ]
        )

    return residual, jacobian


def rocker_driven(psi):
    """Ground 4, crank 1, coupler 3, rocker 3 driven to the angle psi; x = (B, C)."""

    def residual(x):
        b, c = x[:2], x[2:]
        d = c - [4, 0]
        return np.array(
            [b @ b - 1, (c - b) @ (c - b) - 9, d @ d - 9, d[0] * sin(psi) - d[1] * cos(psi)]
        )

    def jacobian(x):
        b, c = x[:2], x[2:]
        zero = np.zeros(2)
        return np.array(
            [
                [*2 * b, *zero],
                [*2 * (b - c), *2 * (c - b)],
                [*zero, *2 * (c - [4, 0])],
                [*zero, sin(psi), -cos(psi)],
            ]
        )

    return residual, jacobian


DEAD_POINT = np.array([0.71875, 0.695268608165, 2.875, 2.781074432661])
DEAD_ANGLE = 1.955193101291


def five_bar():
    """Bars 2, 3, 3, 2 on pivots (0, 0) and (5, 0), C on y = 3: five equations, x = (B, C, D)."""
    pivot = np.array([5.0, 0.0])

    def residual(x):
        b, c, d = x.reshape(3, 2)
        return np.array(
            [
                b @ b - 4,
                (c - b) @ (c - b) - 9,
                (d - c) @ (d - c) - 9,
                (d - pivot) @ (d - pivot) - 4,
                c[1] - 3,
            ]
        )

    def jacobian(x):
        b, c, d = x.reshape(3, 2)
        zero = np.zeros(2)
        return np.array(
            [
                [*2 * b, *zero, *zero],
                [*2 * (b - c), *2 * (c - b), *zero],
                [*zero, *2 * (c - d), *2 * (d - c)],
                [*zero, *zero, *2 * (d - pivot)],
                [0, 0, 0, 1, 0, 0],
            ]
        )

    return residual, jacobian


FIVE_BAR_START = np.array([0.5, 1.8, 2.6, 3.4, 4.8, 1.7])


def squared_distances(pairs, length, dimension):
    """`pairs` pairs of points, the two of each `length` apart; squared form."""
    size = 2 * dimension

    def gaps(x):
        p = x.reshape(pairs, 2, dimension)
        return p[:, 0] - p[:, 1]

    def jacobian(x):
        rows = np.zeros((pairs, pairs * size))
        for k, gap in enumerate(gaps(x)):
            rows[k, k * size : (k + 1) * size] = [*2 * gap, *-2 * gap]
        return rows

    return lambda x: (gaps(x) ** 2).sum(axis=1) - length**2, jacobian
