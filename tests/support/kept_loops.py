"""Structures whose closures are kept, small ones, with the number of these in complex numbers."""

from __future__ import annotations

from assembly_solver.solver.modes.loop_structure import Structure

ROOTS: dict[tuple[str, Structure], int] = {
    ("space", ((0, 0, 6),)): 16,
    ("sphere", ((0, 0, 3),)): 2,
    ("sphere", ((0, 1, 2),) * 3): 8,
    ("plane", ((0, 1, 2),) * 3): 6,
    ("plane", ((0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 2, 2), (1, 3, 2), (2, 3, 2))): 14,
    ("plane", ((0, 1, 1), (0, 2, 1), (0, 3, 2), (1, 2, 2), (1, 3, 1), (2, 3, 2))): 16,
    ("plane", ((0, 1, 1), (0, 2, 2), (0, 2, 2), (1, 2, 2), (1, 2, 2))): 18,
}

ROOTS_ON_LEGS: dict[tuple[str, ...], int] = {
    ("RS", "RS", "RS"): 16,
    ("S", "D", "D", "D"): 8,
    ("U", "D", "D"): 8,
    ("C", "D", "D"): 4,
    ("RR", "D", "D"): 8,
    ("RS", "RS", "D", "D"): 32,
    ("RS", "D", "D", "D", "D"): 40,
    ("S", "RS", "D"): 4,
    ("E", "D", "D", "D"): 6,
    ("E", "RS", "D"): 4,
    ("UR", "D", "D", "D"): 40,
    ("UR", "RS", "D"): 24,
    ("RRR", "D", "D", "D"): 40,
    ("RRR", "RS", "D"): 24,
    ("RRS", "RS", "RS", "D"): 64,
}
"""The same of legs between two links, by the letters of their joints."""
