"""The structure of an assembly: joints, components, the steps of the solve, mobility."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..diagnosis.freedoms import Diagnosis
from ..foundations.arguments import with_checked_calls
from ..foundations.graphs.dulmage_mendelsohn import Decomposition
from ..foundations.markup.snippet import rows_table, snippet
from ..solver.modes.enumeration import Modes
from ..structure.component_equations import component_equations
from ..structure.pairs import KIND_NAMES
from ..structure.plan import Plan
from ..structure.reduced_loops import ReducedLoop, ReplacedBodies, reduced_loops
from ..structure.steps import (
    ALIGN,
    DENSE,
    PLACE,
    PLACE_PLANAR,
    SETTLE,
    SETTLE_PLANAR,
    SPARSE,
    Component,
    Step,
)
from .graphs import NamedEquations, body_graph, equation_graph, named_equations
from .solution import Solution
from .wording.assembly_modes import modes_entry
from .wording.motion_modes import singular_lines
from .wording.phrases import count, parts_of

if TYPE_CHECKING:
    from networkx import Graph

_VERBS = {
    PLACE: ("place", "in closed form by its {kind} joint with {parent}"),
    SETTLE: ("place", "by projection onto its mates with {parent}"),
    ALIGN: ("align", "upright in parallel planes and brought to their heights"),
    PLACE_PLANAR: ("place", "held by its {kind} joint with {parent} alone, nearest to its start"),
    SETTLE_PLANAR: (
        "place",
        "held by projection onto its mates with {parent}, nearest to its start",
    ),
    DENSE: ("solve", "{equations}, Newton with updated inverse"),
    SPARSE: ("solve", "{equations}, sparse damped Gauss-Newton"),
}

MODES = 40
"""Most assembly modes that are enumerated."""

_KUTZBACH_FREEDOMS = {"fixed": 0, "revolute": 1, "prismatic": 1, "cylindrical": 2, "spherical": 3}
_KUTZBACH_FREEDOMS |= {"planar": 3, "free": 6}


@with_checked_calls
class Analysis:
    """Pairs, clusters, components, the steps of the plan in order, and the mobility.

    Args:
        solution: with the plan of the solve, which includes the drivers.
    """

    def __init__(self, solution: Solution) -> None:
        self.solution, self.plan = solution, solution.plan

    def __bool__(self) -> bool:
        return bool(self.solution)

    @property
    def diagnosis(self) -> Diagnosis:
        """Rank and freedoms at the solved pose, without drivers."""
        return self.solution.diagnosis

    def _body(self, plan: Plan, body: int) -> str:
        """A body by the names of its parts."""
        if body == 0:
            held = self.solution.grounded
            return held[0] if len(held) == 1 else "the held parts"
        return " + ".join(parts_of(plan, [body]))

    @staticmethod
    def _mates(plan: Plan, rows: Any) -> list[str]:
        s = plan.system
        of = s.constraint_of_equation
        return [s.constraints[k] for k in dict.fromkeys(of[list(rows)].tolist())]

    @cached_property
    def pairs(self) -> list[dict[str, Any]]:
        """Each two parts that share mates, with the joint that the mates form together."""
        s, of_part = self.plan.system, self.plan.bodies.of_part
        kinds = self._pair_kinds
        out: list[dict[str, Any]] = []
        for (a, b), mates in self._mates_of_parts.items():
            same = of_part[a] == of_part[b]
            kind = kinds.get((int(of_part[a]), int(of_part[b])), "fixed")
            if same and len(s.rows(mates)) < 6:
                kind = "fixed with others"
            freedoms = _KUTZBACH_FREEDOMS.get(kind, 0 if same else None)
            out.append(self._pair(len(out) + 1, kind, [a, b], mates, freedoms))
        for k in sorted(set(s.wide) & set(range(s.mates))):
            freedoms = 6 - len(s.rows([k]))
            out.append(self._pair(len(out) + 1, s.kinds[k], s.wide[k], [k], freedoms))
        return out

    @cached_property
    def _pair_kinds(self) -> dict[tuple[int, int], str]:
        """The kind of joint between each two bodies, in both orders."""
        pairs = self.plan.bodies.pairs
        out: dict[tuple[int, int], str] = {}
        for p, (a, b) in enumerate(pairs.bodies.tolist()):
            broken = pairs.gap[p] > self.plan.system.tolerance
            kind = "contradictory" if broken else KIND_NAMES[int(pairs.kind[p])]
            out[a, b] = out[b, a] = kind
        return out

    @cached_property
    def _mates_of_parts(self) -> dict[tuple[int, int], list[int]]:
        """The mates between each two parts."""
        s = self.plan.system
        out: dict[tuple[int, int], list[int]] = {}
        for k in range(s.mates):
            if k not in s.wide:
                a, b = (int(v) for v in s.ends[k])
                out.setdefault((a, b) if (b, a) not in out else (b, a), []).append(k)
        return out

    def _pair(
        self, number: int, kind: str, parts: Sequence[int], mates: list[int], freedoms: int | None
    ) -> dict[str, Any]:
        s = self.plan.system
        return {
            "label": f"J{number}",
            "kind": kind,
            "parts": [s.parts[p] for p in parts],
            "mates": [s.constraints[k] for k in mates],
            "freedoms": freedoms,
        }

    def graph(self) -> Graph:
        """Parts and joints as a `networkx.Graph`.

        Nodes are the parts by name, with `grounded` and `body` (the parts that are rigid with it).
        Edges are the joints, with `label`, `kind`, `mates` and `freedoms` (None where no kind of
        joint tells them).  Mates of more than two parts are in the list `graph["couplings"]`.
        """
        held = {*self.solution.grounded}
        bodies = [parts_of(self.plan, [b]) for b in range(self.plan.bodies.count)]
        known = {p: {"grounded": p in held, "body": body} for body in bodies for p in body}
        return body_graph({p: known[p] for p in self.plan.system.parts}, self.pairs)

    def equation_graph(self, drivers: bool = True) -> Graph:
        """Equations and unknowns as a bipartite `networkx.Graph`.

        Equations are nodes ("mate" or "driver", its name, number in it), unknowns are nodes (first
        part of the body, name): x, y, z, turn x, ... in space, u, v, turn in a forced plane.
        Both have `bipartite` (0, 1), `component`, `set` (over-, well- or under-determined),
        `block` in solving order, and `match`, the node matched to it or None; edges have `matched`.

        Args:
            drivers: whether those with a value are equations.

        Raises:
            Unsolved: without drivers, where the assembly is not solved.
        """
        return equation_graph(self.systems(drivers))

    def systems(self, drivers: bool = True) -> list[NamedEquations]:
        """The equations of each component by the unknowns that they read; as `equation_graph`."""
        plan = self.plan if drivers else self.solution.require().diagnosis.plan
        return [named_equations(plan, k, c) for k, c in enumerate(plan.components)]

    @cached_property
    def clusters(self) -> list[list[str]]:
        """Sets of several parts that cannot move relative to each other."""
        held = {*self.solution.grounded}
        found = [parts_of(self.plan, [b]) for b in range(self.plan.bodies.count)]
        return [c for c in found if len(c) > 1 and not set(c) <= held]

    def _component(self, k: int, plan: Plan) -> dict[str, Any]:
        c = plan.components[k]
        flat = c.projection is not None
        solved = bool(self)
        moves = self.diagnosis.common_normal(k) if solved and c.loop else None
        return {
            "kind": "loop" if c.loop else "branch",
            "planar": flat,
            "normal": self.diagnosis.axes(c)[2].tolist() if flat and solved else None,
            "moves_in_plane_of": moves.tolist() if moves is not None else None,
            "root": self._body(plan, c.root),
            "parts": parts_of(plan, c.bodies),
            "mates": self._mates(plan, c.rows),
            "unknowns": len(c.unknowns) * len(c.bodies),
            "equations": len(self.diagnosis.rows(c)),
            "rank": self.diagnosis.ranks[k].rank if solved else None,
            "in_space": {"unknowns": 6 * len(c.bodies), "equations": len(c.rows)},
            "dulmage_mendelsohn": _decomposed(plan, c) if c.loop else None,
        }

    @cached_property
    def components(self) -> list[dict[str, Any]]:
        """Branches and loops of the mates without drivers, from the fixed parts outward."""
        plan = self.diagnosis.plan if self else self.plan
        reduced = reduced_loops(plan)
        return [
            self._component(k, plan) | {"reduced": self._reduced(plan, reduced.get(k))}
            for k in range(len(plan.components))
        ]

    def _reduced(self, plan: Plan, found: ReducedLoop | None) -> dict[str, Any] | None:
        """A loop with its links as distances and its slides as lines, None without any."""
        if found is None:
            return None

        def told(replaced: Sequence[ReplacedBodies]) -> list[dict[str, Any]]:
            return [
                {
                    "parts": parts_of(plan, r.bodies),
                    "between": [self._body(plan, body) for body in r.between],
                }
                for r in replaced
            ]

        return {
            "parts": parts_of(plan, found.bodies),
            "unknowns": found.columns,
            "equations": found.rows,
            "distances": told(found.links),
            "lines": told(found.slides),
            "repeated": told(found.repeated),
            "dulmage_mendelsohn": _sizes(found.decomposition),
        }

    @cached_property
    def driven_components(self) -> list[dict[str, Any]]:
        """Components with drivers that have a value, which are equations of them."""
        s, plan = self.plan.system, self.plan
        out, reduced = [], reduced_loops(plan)
        for k, c in enumerate(plan.components):
            held = [s.constraints[n] for n in c.constraints if s.mates <= n < s.mates + s.drivers]
            if held:
                rows = c.rows if c.projection is None else c.projection.plane
                out.append(
                    {
                        "parts": parts_of(plan, c.bodies),
                        "drivers": held,
                        "unknowns": len(c.unknowns) * len(c.bodies),
                        "equations": len(rows),
                        "dulmage_mendelsohn": _decomposed(plan, c),
                        "reduced": self._reduced(plan, reduced.get(k)),
                    }
                )
        return out

    @cached_property
    def steps(self) -> list[dict[str, Any]]:
        """The steps of the solve in order."""
        shown = (s for s in self.plan.steps if s.action in _VERBS)
        return [self._step(number, s) for number, s in enumerate(shown, 1)]

    def _step(self, number: int, s: Step) -> dict[str, Any]:
        action, words = _VERBS[s.action]
        return {
            "number": number,
            "action": action,
            "parts": parts_of(self.plan, s.bodies),
            "mates": self._mates(self.plan, s.rows),
            "unknowns": 0 if s.action == ALIGN else s.unknowns,
            "equations": len(s.rows),
            "words": words.format(
                kind=KIND_NAMES[s.kind],
                parent=self._body(self.plan, s.parent),
                equations=count(len(s.rows), "equation"),
            ),
        }

    @cached_property
    def mobility(self) -> list[str]:
        """Kutzbach's count, the rank at the solved pose, and why they differ, in words."""
        if not self:
            return ["unsolved: rank and freedoms are told at a solved pose only"]
        d = self.diagnosis
        lines = [
            f"{d.unknowns} unknowns (6 for each of {d.unknowns // 6} moving parts), "
            f"{d.equations} equations, rank {d.rank}"
        ]
        if all(p["freedoms"] is not None for p in self.pairs):
            removed = sum(6 - p["freedoms"] for p in self.pairs if p["kind"] != "fixed with others")
            left = d.unknowns - removed
            lines.append(f"Kutzbach, joint by joint: {d.unknowns} - {removed} = {left}")
        lines.append(f"true at this pose: {d.dof}; {d.redundant_equations} equations are redundant")
        flat = [c for c in self.plan.components if c.projection is not None]
        if flat:
            n = sum(len(c.bodies) for c in flat)
            lines.append(
                f"{n} bodies in {len(flat)} planar "
                f"{'loop' if len(flat) == 1 else 'loops'} move in parallel planes: "
                "their tilts and heights are settled first, three unknowns a body are left"
            )
        lines += singular_lines(self.solution.singular)
        lines += [entry["words"] for entry in self.solution.special]
        if idle := sum(told.motion.idle for told in self.solution.told_motions):
            rest = d.dof - idle
            lines.append(f"{idle} of the freedoms are idle spins, {rest} move the mechanism")
        return lines

    @cached_property
    def _modes(self) -> Modes | None:
        """The assembly modes, all searched; None unless solved, and where the budget ended."""
        every = lambda: self.solution.modes.searched(MODES)  # noqa: E731
        return self.solution.late.get("assembly modes", every, None) if self else None

    @cached_property
    def modes(self) -> list[dict[str, Any]]:
        """The assembly modes, the nearest to the start first; `here` marks that of the solution."""
        if self._modes is None:
            return []
        base, near = self._modes.base, self.plan.system.tolerance
        return [
            {
                "name": m.name,
                "distance_mm": m.distance,
                "closures": m.closures,
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
            "read_as": self.solution.read_as_rows,
            "suppressed": self.solution.suppressed,
            "outcome": self.solution.outcome.name.lower(),
            "parts": len(s.parts),
            "mates": s.mates,
            "unknowns": d.unknowns,
            "equations": d.equations,
            "rank": d.rank if solved else None,
            "rank_gap": d.gap if solved else None,
            "dof": d.dof if solved else None,
            "driven": self.solution.driven,
            "redundant_equations": d.redundant_equations if solved else None,
            "pairs": self.pairs,
            "clusters": self.clusters,
            "components": self.components,
            "driven_components": self.driven_components,
            "steps": self.steps,
            "mobility": self.mobility,
            "modes": modes_entry(self._modes, self.modes, self.solution.late.notes),
            "conflicts": self.solution.conflicts,
        }

    def _repr_html_(self) -> str:
        rows = [
            (p["label"], p["kind"], *map(", ".join, (p["parts"], p["mates"]))) for p in self.pairs
        ]
        tables = [
            rows_table("Mobility", ("",), [(line,) for line in self.mobility]),
            rows_table("Joints", ("", "kind", "parts", "mates"), rows),
        ]
        return snippet(self.solution.sentence, bool(self), tables)

    def __str__(self) -> str:
        lines = [self.solution.sentence, *self.mobility]
        lines += [f"{p['label']}: {p['kind']}, {' - '.join(p['parts'])}" for p in self.pairs]
        lines += [
            f"step {s['number']}: {s['action']} {', '.join(s['parts'])}: {s['words']}"
            for s in self.steps
        ]
        return "\n".join(lines)


def _decomposed(plan: Plan, c: Component) -> dict[str, Any]:
    return _sizes(c.decomposition or component_equations(plan, c).decomposition)


def _sizes(d: Decomposition) -> dict[str, Any]:
    """Rows by columns of the coarse parts, and the sizes of the fine blocks."""
    return {
        "over": [len(d.over_rows), len(d.over_cols)],
        "well": [len(d.well_rows), len(d.well_cols)],
        "under": [len(d.under_rows), len(d.under_cols)],
        "blocks": [len(rows) for rows, _ in d.blocks],
        "matched": d.structural_rank,
    }
