"""The structure of an assembly for a person: which mates place which part, in how many unknowns."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..diagnosis.freedoms import Diagnosis
from ..foundations.graphs.dulmage_mendelsohn import Decomposition
from ..solver.modes.enumeration import Modes
from ..structure.pairs import KIND_NAMES
from ..structure.plan import Plan
from ..structure.steps import ALIGN, DENSE, PLACE, PLACE_FLAT, SETTLE, SETTLE_FLAT, SPARSE, Step
from .solution import Solution
from .wording.plain import count

_VERBS = {
    PLACE: ("place", "in closed form by its {kind} joint with {parent}"),
    SETTLE: ("place", "by projection onto its mates with {parent}"),
    ALIGN: ("align", "upright in parallel planes and brought to their heights"),
    PLACE_FLAT: ("place", "held by its {kind} joint with {parent} alone, nearest to its start"),
    SETTLE_FLAT: ("place", "held by projection onto its mates with {parent}, nearest to its start"),
    DENSE: ("solve", "{equations}, Newton with updated inverse"),
    SPARSE: ("solve", "{equations}, sparse damped Gauss-Newton"),
}

MODES = 40
"""Assembly modes that are followed."""

_KUTZBACH_FREEDOMS = {
    "fixed": 0,
    "revolute": 1,
    "prismatic": 1,
    "cylindrical": 2,
    "spherical": 3,
    "planar": 3,
    "free": 6,
}


class Analysis:
    """Pairs, clusters, components, blocks in order, and the mobility with its reasons.

    Args:
        solution: where the plan led, which is the one that the solve followed, drivers included.
    """

    def __init__(self, solution: Solution) -> None:
        self.solution, self.plan = solution, solution.plan

    def __bool__(self) -> bool:
        return bool(self.solution)

    @property
    def diagnosis(self) -> Diagnosis:
        """Rank and freedoms at the solved pose, drivers left out."""
        return self.solution.diagnosis

    @staticmethod
    def _parts(plan: Plan, bodies: Any) -> list[str]:
        of_part = plan.bodies.of_part
        return [plan.system.parts[k] for b in bodies for k in np.flatnonzero(of_part == b)]

    def _body(self, plan: Plan, body: int) -> str:
        """A body by the parts that it is made of."""
        if body == 0:
            held = [*self.solution.grounded]
            return held[0] if len(held) == 1 else "the held parts"
        return " + ".join(self._parts(plan, [body]))

    @staticmethod
    def _mates(plan: Plan, rows: Any) -> list[str]:
        s = plan.system
        of = s.promise_of_equation
        return [s.promises[k] for k in dict.fromkeys(of[list(rows)].tolist())]

    @cached_property
    def pairs(self) -> list[dict[str, Any]]:
        """Each two parts that share mates, with the joint that the mates amount to."""
        s, plan = self.plan.system, self.plan
        of_part = plan.bodies.of_part
        kinds = {}
        for p, (a, b) in enumerate(plan.bodies.pairs.bodies.tolist()):
            broken = plan.bodies.pairs.gap[p] > s.tolerance
            kind = "contradictory" if broken else KIND_NAMES[int(plan.bodies.pairs.kind[p])]
            kinds[a, b] = kinds[b, a] = kind
        groups: dict[tuple[int, int], list[int]] = {}
        for k in range(s.mates):
            if k in s.wide:
                continue
            a, b = (int(v) for v in s.ends[k])
            key = (a, b) if (b, a) not in groups else (b, a)
            groups.setdefault(key, []).append(k)
        out = []
        for n, ((a, b), mates) in enumerate(groups.items()):
            same = of_part[a] == of_part[b]
            alone = len(s.rows(mates)) >= 6
            kind = kinds.get((int(of_part[a]), int(of_part[b])), "fixed")
            if same and not alone:
                kind = "fixed with others"
            out.append(
                {
                    "label": f"J{n + 1}",
                    "kind": kind,
                    "parts": [s.parts[a], s.parts[b]],
                    "mates": [s.promises[k] for k in mates],
                    "freedoms": _KUTZBACH_FREEDOMS.get(kind, 0 if same else None),
                }
            )
        out += [
            {
                "label": f"J{len(out) + n}",
                "kind": s.kinds[k],
                "parts": [s.parts[p] for p in s.wide[k]],
                "mates": [s.promises[k]],
                "freedoms": 6 - len(s.rows([k])),
            }
            for n, k in enumerate(sorted(set(s.wide) & set(range(s.mates))), 1)
        ]
        return out

    @cached_property
    def clusters(self) -> list[list[str]]:
        """Parts that cannot move against each other, where there are several."""
        held = {*self.solution.grounded}
        found = [self._parts(self.plan, [b]) for b in range(self.plan.bodies.count)]
        return [c for c in found if len(c) > 1 and not set(c) <= held]

    def _component(self, k: int, plan: Plan) -> dict[str, Any]:
        c = plan.components[k]
        flat = c.projection is not None
        solved = bool(self)
        moves = self.diagnosis.common_normal(k) if solved and c.loop else None
        matching = c.decomposition
        return {
            "kind": "loop" if c.loop else "branch",
            "planar": flat,
            "normal": self.diagnosis.axes(c)[2].tolist() if flat and solved else None,
            "moves_in_plane_of": moves.tolist() if moves is not None else None,
            "root": self._body(plan, c.root),
            "parts": self._parts(plan, c.bodies),
            "mates": self._mates(plan, c.rows),
            "unknowns": len(c.unknowns) * len(c.bodies),
            "equations": len(self.diagnosis.rows(c)),
            "rank": self.diagnosis.ranks[k].rank if solved else None,
            "in_space": {"unknowns": 6 * len(c.bodies), "equations": len(c.rows)},
            "dulmage_mendelsohn": _sizes(matching) if matching is not None else None,
        }

    @cached_property
    def components(self) -> list[dict[str, Any]]:
        """Branches and loops by the mates alone, from the held parts outward."""
        plan = self.diagnosis.plan if self else self.plan
        return [self._component(k, plan) for k in range(len(plan.components))]

    @cached_property
    def _shown_steps(self) -> list[Step]:
        return [s for s in self.plan.steps if s.action in _VERBS]

    @cached_property
    def steps(self) -> list[dict[str, Any]]:
        """The plan of the solve in order."""
        return [self._step(n + 1, s) for n, s in enumerate(self._shown_steps)]

    def _step(self, number: int, s: Step) -> dict[str, Any]:
        action, words = _VERBS[s.action]
        unknowns = 0 if s.action == ALIGN else s.unknowns
        return {
            "number": number,
            "action": action,
            "parts": self._parts(self.plan, s.bodies),
            "mates": self._mates(self.plan, s.rows),
            "unknowns": unknowns,
            "equations": len(s.rows),
            "words": words.format(
                kind=KIND_NAMES[s.kind],
                parent=self._body(self.plan, s.parent),
                equations=count(len(s.rows), "equation"),
                unknowns=unknowns,
            ),
        }

    @cached_property
    def mobility(self) -> list[str]:
        """Kutzbach's count, the rank at the solved pose, and why they differ."""
        if not self:
            return ["unsolved: rank and freedoms are told at a solved pose only"]
        d = self.diagnosis
        lines = [
            f"{d.unknowns} unknowns (6 for each of {d.unknowns // 6} moving parts), "
            f"{d.equations} equations, rank {d.rank}"
        ]
        if all(p["freedoms"] is not None for p in self.pairs):
            removed = sum(6 - p["freedoms"] for p in self.pairs if p["kind"] != "fixed with others")
            lines.append(
                f"Kutzbach, joint by joint: {d.unknowns} - {removed} = {d.unknowns - removed}"
            )
        lines.append(f"true at this pose: {d.dof}; {d.redundant_equations} equations are redundant")
        flat = [c for c in self.plan.components if c.projection is not None]
        if flat:
            n = sum(len(c.bodies) for c in flat)
            lines.append(
                f"{n} bodies in {len(flat)} planar "
                f"{'loop' if len(flat) == 1 else 'loops'} move in parallel planes: "
                "their tilts and heights are settled first, three unknowns a body are left"
            )
        lines += [entry["words"] for entry in (*self.solution.singular, *self.solution.special)]
        idle = sum(m["idle"] for m in self.solution.free_motions)
        if idle:
            rest = d.dof - idle
            lines.append(f"{idle} of the freedoms are idle spins, {rest} move the mechanism")
        return lines

    @cached_property
    def _modes(self) -> Modes:
        return Modes(self.plan, self.solution.modes.base, MODES)

    @cached_property
    def modes(self) -> list[dict[str, Any]]:
        """The assembly modes, the nearest to the start first, and which one is the solution's."""
        if not self:
            return []
        base, near = self._modes.base, self.plan.system.tolerance
        return [
            {
                "name": m.name,
                "distance_mm": m.distance,
                "here": bool(np.abs(m.bodies - base).max() <= near),
            }
            for m in self._modes.all
        ]

    def to_dict(self) -> dict[str, Any]:
        """The object that the command line prints."""
        d, s = self.diagnosis, self.plan.system
        solved = bool(self)
        return {
            "name": self.solution.assembly.name,
            "sentence": self.solution.sentence,
            "left_out": self.solution.left_out_rows,
            "suppressed": self.solution.suppressed,
            "outcome": self.solution.outcome.name.lower(),
            "parts": len(s.parts),
            "mates": s.mates,
            "unknowns": d.unknowns,
            "equations": d.equations,
            "rank": d.rank if solved else None,
            "rank_gap": d.gap if solved else None,
            "dof": self.solution.dof,
            "driven": self.solution.driven,
            "redundant_equations": self.solution.redundant_equations,
            "pairs": self.pairs,
            "clusters": self.clusters,
            "components": self.components,
            "steps": self.steps,
            "mobility": self.mobility,
            "modes": self.modes,
            "modes_complete": bool(self) and self._modes.complete,
            "conflicts": self.solution.conflicts,
        }

    def __str__(self) -> str:
        lines = [self.solution.sentence, *self.mobility]
        lines += [f"{p['label']}: {p['kind']}, {' - '.join(p['parts'])}" for p in self.pairs]
        lines += [
            f"step {s['number']}: {s['action']} {', '.join(s['parts'])}: {s['words']}"
            for s in self.steps
        ]
        return "\n".join(lines)


def _sizes(d: Decomposition) -> dict[str, Any]:
    """Rows by columns of the coarse parts, and the sizes of the fine blocks."""
    return {
        "over": [len(d.over_rows), len(d.over_cols)],
        "well": [len(d.well_rows), len(d.well_cols)],
        "under": [len(d.under_rows), len(d.under_cols)],
        "blocks": [len(rows) for rows, _ in d.blocks],
        "matched": d.structural_rank,
    }
