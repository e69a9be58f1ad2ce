"""The source of all compiled functions, and what tells one state of it from another."""

from __future__ import annotations

from functools import cache
from pathlib import Path

COMPILED_MODULES = (
    "foundations/jit/columns.py",
    "foundations/graphs/matching.py",
    "foundations/graphs/strong_components.py",
    "foundations/graphs/dulmage_mendelsohn.py",
    "foundations/geometry/nearest_motion.py",
    "foundations/geometry/placing.py",
    "foundations/numerics/cholesky.py",
    "foundations/numerics/anderson.py",
    "foundations/numerics/linear.py",
    "foundations/numerics/inverse.py",
    "foundations/numerics/broyden.py",
    "foundations/numerics/vector_trigonometry.py",
    "foundations/numerics/lu.py",
    "model/measures/measure.py",
    "model/measures/shapes.py",
    "model/measures/curve_rates.py",
    "model/measures/rates.py",
    "equations/table.py",
    "equations/constraint_residuals.py",
    "equations/mate_features.py",
    "equations/dense_block.py",
    "equations/elimination.py",
    "equations/sparse_block.py",
    "equations/damped_steps.py",
    "equations/closed_form.py",
    "equations/projection.py",
    "equations/shared_iteration.py",
    "equations/followed_copies.py",
    "equations/movement.py",
    "equations/movement_model.py",
    "equations/movement_descent.py",
    "equations/tree_model.py",
    "equations/tree_movement.py",
    "structure/inexact.py",
    "structure/known_pairs.py",
    "structure/planar_rows.py",
    "structure/pair_ranks.py",
    "structure/same_places.py",
    "structure/moved_numbers.py",
    "structure/poses.py",
    "solver/plan_runner.py",
    "solver/repeated_loop.py",
    "solver/modes/sines.py",
    "kinematics/drag/beyond_reach.py",
    "kinematics/drag/compliance.py",
    "kinematics/drag/load_stiffness.py",
    "kinematics/drag/trial_step.py",
    "kinematics/drag/drag_step.py",
    "kinematics/prescribed_motion.py",
    "kinematics/equation_rates.py",
    "kinematics/block_closure.py",
    "kinematics/continuation.py",
    "kinematics/leaps.py",
    "kinematics/world_motion.py",
    "kinematics/measure_rates.py",
    "linkages/run/branches.py",
    "linkages/plan/placement_program.py",
    "linkages/plan/closed_forms.py",
    "linkages/run/gradients.py",
    "linkages/run/group_memory.py",
    "linkages/run/group_descent.py",
    "linkages/run/group_newton.py",
    "linkages/run/group_states.py",
    "linkages/run/batches.py",
    "linkages/run/group_continuation.py",
    "linkages/run/execution.py",
    "linkages/run/variants.py",
    "linkages/run/group_rates.py",
    "linkages/run/linkage_rates.py",
    "linkages/circuits/group_solutions.py",
)
"""Every module that holds compiled functions, relative to the package."""

READ_MODULES = ("foundations/numerics/rounding.py", "kinematics/chain_arrays.py")
"""Modules whose constants compiled code reads."""


@cache
def stamp() -> bytes:
    """Hash of the source of all compiled modules, of their constants and of this package."""
    import hashlib  # loads a library: only for what is compiled

    digest = hashlib.sha256()
    here = Path(__file__).parent
    compilers = [here / name for name in ("decorators.py", "linking.py", "plain.py", "spread.py")]
    read = (*READ_MODULES, *COMPILED_MODULES)
    for file in (*compilers, *(here.parents[1] / name for name in read)):
        digest.update(file.read_bytes())
    return digest.digest()
