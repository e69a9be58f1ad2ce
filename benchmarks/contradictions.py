"""Contradictions, and whether what is said of them is true: `python -m benchmarks.contradictions`.

Random assemblies of blocks, plates, hinges and loops, and tangles of many kinds of mates, that can
be solved: none may be called contradictory.  And the same with one value, feature, driver, sense or
limit off, where every sentence is tried: the tolerance that is said to accept it, the value, the
feature, the sense, the members to remove, and the value "at best", which has to hold within all
limits of the joints that are named, and a tenth nearer to the required one must not.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import assembly_solver as asm

from .tangles import leave_senses_open, tangle

Rng = np.random.Generator

NEARER = 0.1
"""Share of the way from the value at best to the required one that must not be reached."""


PROGRESS = 500
"""Cases after which progress is printed."""


def turn(draw: Rng, degrees: float, far: float) -> asm.Pose:
    """A displacement by up to so many degrees and mm along each axis."""
    axis = draw.normal(size=3)
    at = draw.uniform(-far, far, 3)
    return asm.Pose.from_axis(at.tolist(), axis.tolist(), float(draw.uniform(-degrees, degrees)))


def started_off(a: asm.Assembly, draw: Rng, degrees: float, far: float) -> None:
    """Displace the movable parts of an assembly at its start."""
    loose = [name for name, part in a.parts.items() if not part.grounded]
    a.move({name: a.parts[name].pose @ turn(draw, degrees, far) for name in loose})


# ---------------------------------------------------------------- assemblies that can be solved
def blocks(draw: Rng) -> asm.Assembly:
    """Two to four parts and two to four mates of each with earlier ones, measured at a solution."""
    a = asm.Assembly("blocks")
    count = int(draw.integers(2, 5))
    names = [f"part {k}" for k in range(count)]
    poses = {n: turn(draw, 180, 100) if k else asm.Pose() for k, n in enumerate(names)}
    features: dict[str, dict[str, Any]] = {n: {} for n in names}
    mates: list[tuple[str, str, str, dict[str, Any]]] = []
    for k, b in enumerate(names[1:], 1):
        for m in range(int(draw.integers(2, 5))):
            one = names[int(draw.integers(0, k))]
            mates.append(_measured(draw, features, poses, (one, b), f"{b[5:]}.{m}"))
    for k, n in enumerate(names):
        a.add(n, features=features[n], pose=poses[n], grounded=k == 0)
    for kind, p, q, more in mates:
        a.mate(kind, p, q, **more)
    return a


def _measured(
    draw: Rng, features: Any, poses: Any, pair: tuple[str, str], name: str
) -> tuple[str, str, str, dict[str, Any]]:
    """A random mate of two parts that holds at their poses, with its two features."""
    kind = str(draw.choice(["coincident", "coaxial", "coplanar", "parallel", "distance", "angle"]))
    at, to = draw.uniform(-80, 80, 3), draw.uniform(-80, 80, 3)
    z, other = (v / np.linalg.norm(v) for v in draw.normal(size=(2, 3)))
    more: dict[str, Any] = {"name": f"{kind} {name}"}
    if kind in ("coincident", "distance"):
        to = to if kind == "distance" else at
        ends = [("point", at, None), ("point", to, None)]
        if kind == "distance":
            more["value"] = float(np.linalg.norm(to - at))
    elif kind == "angle":
        ends = [("axis", at, z), ("axis", to, other)]
        more["value"] = float(np.degrees(np.arccos(np.clip(z @ other, -1, 1))))
    else:
        slid = {"coaxial": at + 30 * draw.normal() * z, "parallel": to}
        aside = np.cross(z, other)
        slid["coplanar"] = at + 30 * draw.normal() * aside
        ends = [("axis", at, z), ("axis", slid[kind], z)]
        if kind == "coplanar":
            ends = [("plane", p, v) for _, p, v in ends]
        more["sense"] = "aligned"
    made = {"point": asm.Point, "axis": asm.Axis, "plane": asm.Plane}
    refs = []
    for part, (shape, p, v) in zip(pair, ends, strict=True):
        pose = poses[part].inverse()
        own = [tuple(pose.apply(p).tolist())]
        if v is not None:
            own.append(tuple((pose.apply(p + v) - pose.apply(p)).tolist()))
        feature = made[shape](*own)
        key = f"f{len(features[part])}"
        features[part][key] = feature
        refs.append(f"{part}.{key}")
    return kind, refs[0], refs[1], more


def plates(draw: Rng) -> asm.Assembly:
    """A plate on another by its face and two to four pins."""
    a = asm.Assembly("plates")
    holes = {f"hole {k}": draw.uniform(-60, 60, 2) for k in range(int(draw.integers(2, 5)))}
    axes = {k: asm.Axis((*p.tolist(), 0), "z") for k, p in holes.items()}
    a.add("base", grounded=True, features={"face": asm.Plane((0, 0, 0), "z"), **axes})
    a.add("plate", features={"face": asm.Plane((0, 0, 0), "-z"), **axes})
    a.mate("coplanar", "base.face", "plate.face", name="faces", sense="opposed")
    for k in holes:
        a.mate("coaxial", f"base.{k}", f"plate.{k}", name=f"pin {k[5:]}", sense="aligned")
    return a


def lid(draw: Rng) -> asm.Assembly:
    """A hinged lid with two or three props at one angle, by angles or by distances."""
    a, at = asm.Assembly("lid"), float(draw.uniform(15, 120))
    spot = asm.Point((50.0, 0, 0))
    a.add("box", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z"), "p": spot})
    pose = asm.Pose.from_axis((0, 0, 0), (0, 0, 1), at)
    a.add("lid", pose=pose, features={"pin": asm.Axis((0, 0, 0), "z"), "p": asm.Point((80, 0, 0))})
    a.mate("revolute", "box.pin", "lid.pin", name="hinge", sense="aligned")
    far = float(
        np.linalg.norm(80 * np.array([np.cos(np.radians(at)), np.sin(np.radians(at))]) - [50, 0])
    )
    a.mate("distance", "box.p", "lid.p", name="rod", value=far)
    a.mate("angle", "box.x", "lid.x", name="prop", value=at, about="box.pin")
    if draw.random() < 0.5:
        a.drive("motor", "hinge", "angle", value=at)
    return a


def loop(draw: Rng) -> asm.Assembly:
    """A four-bar loop, driven at its crank, with a limit at its rocker that it keeps."""
    a = asm.Assembly("loop")
    crank, coupler, rocker = draw.uniform([30, 90, 70], [50, 130, 110])
    base, phi = 120.0, np.radians(draw.uniform(20, 160))
    b = crank * np.array([np.cos(phi), np.sin(phi)])
    d = np.array([base, 0]) - b
    r = float(np.linalg.norm(d))
    along = (r * r + coupler**2 - rocker**2) / (2 * r)
    if coupler**2 <= along**2:
        return loop(draw)
    c = b + along * d / r + np.sqrt(coupler**2 - along**2) * np.array([-d[1], d[0]]) / r

    def bar(name: str, length: float, p: Any, q: Any, grounded: bool = False) -> None:
        ends = {"p": asm.Axis((0, 0, 0), "z"), "q": asm.Axis((length, 0, 0), "z")}
        degrees = float(np.degrees(np.arctan2(q[1] - p[1], q[0] - p[0])))
        pose = asm.Pose.from_axis((float(p[0]), float(p[1]), 0), (0, 0, 1), degrees)
        a.add(name, features=ends, pose=pose, grounded=grounded)

    bar("frame", base, (0, 0), (base, 0), True)
    bar("crank", float(crank), (0, 0), b)
    bar("coupler", float(coupler), b, c)
    bar("rocker", float(rocker), (base, 0), c)
    for k, ends in enumerate(
        [
            ("frame.p", "crank.p"),
            ("crank.q", "coupler.p"),
            ("coupler.q", "rocker.q"),
            ("frame.q", "rocker.p"),
        ]
    ):
        a.mate("revolute", *ends, name=f"pin {k}", sense="aligned")
    a.drive("motor", "pin 0", "angle", value=float(np.degrees(phi)))
    at = float(np.degrees(np.arctan2(c[1], c[0] - base)))
    a.limit("pin 3", "angle", name="stop", min=max(at - 20, -179.0), max=min(at + 20, 179.0))
    return a


def walls(draw: Rng) -> asm.Assembly:
    """A block between two walls by a face and distances."""
    a, wide = asm.Assembly("walls"), float(draw.uniform(20, 80))
    gap = float(draw.uniform(1, 10))
    planes = {"left": asm.Plane((0, 0, 0), "x"), "right": asm.Plane((wide + gap, 0, 0), "-x")}
    a.add("walls", grounded=True, features=planes)
    faces = {"left": asm.Plane((0, 0, 0), "-x"), "right": asm.Plane((wide, 0, 0), "x")}
    a.add("block", features=faces)
    a.mate("coplanar", "walls.left", "block.left", name="contact", sense="opposed")
    a.mate("distance", "walls.right", "block.right", name="gap", value=gap, sense="opposed")
    a.mate(
        "distance", "walls.origin", "block.origin", name="corner", value=float(draw.uniform(0, 9))
    )
    return a


def arm(draw: Rng) -> asm.Assembly:
    """Two links on a frame, their tip at a distance from the foot, a limit at the elbow."""
    a, (upper, fore) = asm.Assembly("arm"), draw.uniform(30, 60, 2)
    bend = float(draw.uniform(40, 140))
    far = float(np.sqrt(upper**2 + fore**2 + 2 * upper * fore * np.cos(np.radians(bend))))
    foot, elbow = asm.Axis((0, 0, 0), "z"), asm.Axis((float(upper), 0, 0), "z")
    tip = asm.Point((float(fore), 0, 0))
    a.add("frame", grounded=True, features={"foot": foot})
    a.add("upper", features={"foot": foot, "elbow": elbow})
    pose = asm.Pose.from_axis((float(upper), 0, 0), (0, 0, 1), bend)
    a.add("fore", pose=pose, features={"elbow": foot, "tip": tip})
    a.mate("revolute", "frame.foot", "upper.foot", name="shoulder", sense="aligned")
    a.mate("revolute", "upper.elbow", "fore.elbow", name="elbow", sense="aligned")
    a.mate("distance", "frame.origin", "fore.tip", name="reach", value=far)
    a.limit("elbow", "angle", name="stop", min=bend - 30, max=bend + 30)
    return a


FAMILIES: tuple[Callable[[Rng], asm.Assembly], ...] = (blocks, plates, lid, loop, walls)

MORE: tuple[Callable[[Rng], asm.Assembly], ...] = (arm, plates, loop, lid)
"""Families of further contradictions: values off by ten times as much, and senses."""


# ---------------------------------------------------------------- something off
def with_error(a: asm.Assembly, draw: Rng) -> asm.Assembly:
    """The same with one value, driver, limit or feature off by 1e-5 to 30 mm or degrees."""
    off = float(10 ** draw.uniform(-5, 1.5) * draw.choice([-1.0, 1.0]))
    drivers = [d for d in a.drivers.values() if d.value is not None]
    values: list[Any] = [m for m in a.mates.values() if m.kind in ("distance", "angle")]
    choice = draw.random()
    if drivers and choice < 0.4:
        out, driver = a.copy(), drivers[0]
        out.set_driver(driver.name, (driver.value or 0.0) + (off if abs(off) > 1 else 40 * off))
        return out
    if values and choice < 0.7:
        mate = values[int(draw.integers(len(values)))]
        value = abs(mate.value + off) if mate.kind == "angle" else mate.value + off
        return changed(a, {"mate": mate.name, "parameter": "value", "to": value})
    mate = list(a.mates.values())[int(draw.integers(len(a.mates)))]
    part, key = mate.b.part, mate.b.feature
    along = draw.normal(size=3)
    along[2] = 0 if a.name in ("plates", "loop") else along[2]
    move = {"feature": f"{part}.{key}", "by_mm": off, "along": along / np.linalg.norm(along)}
    return moved_feature(a, move) if key in a.parts[part].features else a


def far_off(a: asm.Assembly, draw: Rng) -> asm.Assembly:
    """The same with a stated sense turned over, or a value or driver off by 5 to 60."""
    off = float(draw.uniform(5, 60) * draw.choice([-1.0, 1.0]))
    sensed = [m for m in a.mates.values() if getattr(m, "sense", "nearest") != "nearest"]
    if a.name == "plates":
        mate = sensed[int(draw.integers(len(sensed)))]
        other = {"aligned": "opposed", "opposed": "aligned"}[mate.parameters()["sense"]]
        return changed(a, {"mate": mate.name, "parameter": "sense", "to": other})
    driver = next((d for d in a.drivers.values() if d.value is not None), None)
    if driver is not None:
        a.set_driver(driver.name, (driver.value or 0.0) + off)
        return a
    mate = next(m for m in a.mates.values() if m.kind in ("distance", "angle"))
    value = abs(mate.parameters()["value"] + off)
    return changed(a, {"mate": mate.name, "parameter": "value", "to": value})


def changed(a: asm.Assembly, change: dict[str, Any]) -> asm.Assembly:
    """The assembly with one value changed, entered anew."""
    out, name = a.copy(), change["mate"].removeprefix("driver ")
    if name in out.drivers and (name not in out.mates or change["mate"] != name):
        out.set_driver(name, change["to"])
        return out
    if change["mate"].startswith("limit "):
        limit = out.limits[change["mate"].removeprefix("limit ")]
        return with_limit(out, limit, change["parameter"], change["to"])
    mates = list(out.mates.values())
    return rebuilt(
        out,
        [replace(m, **{change["parameter"]: change["to"]}) if m.name == name else m for m in mates],
    )


def with_limit(a: asm.Assembly, limit: Any, parameter: str, value: float) -> asm.Assembly:
    """The assembly with another bound of a limit."""
    bounds = {"min": limit.min, "max": limit.max} | {parameter: value}
    a.remove_limit(limit.name)
    a.limit(**limit.named(), **bounds, name=limit.name)
    return a


def rebuilt(a: asm.Assembly, mates: list[asm.Mate], parts: Any = None) -> asm.Assembly:
    """The assembly built anew with these mates, and these features of its parts."""
    out = asm.Assembly(a.name, tolerance=a.tolerance)
    for name, part in a.parts.items():
        features = (parts or {}).get(name, part.features)
        out.add(name, features=features, pose=part.pose, grounded=part.grounded)
    for m in mates:
        out.mate(m.kind, m.a, m.b, name=m.name, **m.parameters())
    for d in a.drivers.values():
        out.drive(d.name, **d.named(), value=d.value)
    for x in a.limits.values():
        out.limit(**x.named(), min=x.min, max=x.max, name=x.name)
    return out


def moved_feature(a: asm.Assembly, move: dict[str, Any]) -> asm.Assembly:
    """The assembly with one feature moved in its part."""
    part, key = move["feature"].split(".")
    features: dict[str, Any] = dict(a.parts[part].features)
    f = features[key]
    p = np.array(f.point) + move["by_mm"] * np.array(move["along"])
    features[key] = replace(f, point=tuple(p.tolist()))
    return rebuilt(a, list(a.mates.values()), {part: features})


def without(a: asm.Assembly, names: set[str]) -> asm.Assembly:
    """The assembly without some mates, drivers and limits."""
    out = a.copy()
    for n in names:
        if n.startswith("limit "):
            out.remove_limit(n.removeprefix("limit "))
        elif n in out.mates:
            out.remove(n, alone=True)
        else:
            out.set_driver(n.removeprefix("driver "), None)
    return out


# ---------------------------------------------------------------- every sentence tried
def wrong_claims(a: asm.Assembly, solution: asm.Solution) -> list[str]:
    """What is said of an assembly's contradictions and does not hold when done."""
    wrong = []
    conflicts = solution.conflicts
    for c in conflicts:
        others = {n for x in conflicts if x is not c for n in x["mates"]}
        alone = without(a, others)
        for member in c["mates"]:
            if bool(asm.solve(without(alone, {member}))) != (member in c["drop"]):
                wrong.append(f"drop {member}")
        if c["change"] and not asm.solve(changed(alone, c["change"])):
            wrong.append("change")
        change = c["change"] or {"unit": "", "to": 0.0, "from": 0.0}
        if change["unit"] == "mm" and abs(change["to"] - change["from"]) <= a.tolerance:
            wrong.append("change below the tolerance")
        if c["move"] and not asm.solve(moved_feature(alone, c["move"])):
            wrong.append("move")
        if c["turn"] and not asm.solve(changed(alone, {**c["turn"], "parameter": "sense"})):
            wrong.append("turn")
        for said in re.findall(r"tolerance of ([\d.e-]+) mm", c["words"]):
            if not asm.solve(alone, tolerance=float(said)):
                wrong.append("tolerance")
        wrong += wrong_numbers(c)
        if " at best" in c["words"]:
            wrong += wrong_best(alone, c)
        if c["gap_mm"] <= a.tolerance:
            wrong.append("gap below the tolerance")
    return wrong


def wrong_numbers(c: dict[str, Any]) -> list[str]:
    """A value to change to that is not the one that was solved with, and digits nobody reads."""
    out = []
    said = re.search(r"changing .* from [-\d.e]+ to ([-\d.e]+) (?:mm|deg) solves", c["words"])
    if c["change"] and said is not None and float(said[1]) != c["change"]["to"]:
        out.append("change is told otherwise")
    if re.search(r"\de-1\d\b", c["words"]):
        out.append("rounding is told")
    changes = re.findall(r"changing .*? (?:to|to about) ([-\d.e]+) (?:mm|deg)", c["words"])
    change = c["change"] or {"from": 1.0, "to": 0.0}
    clear = abs(change["to"] - change["from"]) > 1e-4 * abs(
        change["to"]
    )  # else they are told apart
    if clear and any(len(re.sub(r"[-.]|e.*", "", n).strip("0")) > 9 for n in changes):
        out.append("too many digits")
    return out


def wrong_best(alone: asm.Assembly, c: dict[str, Any]) -> list[str]:
    """Whether the value at best is not reached, or a nearer one is."""
    said = re.search(
        r"(?:: |; )([^:;,]*) asks ([-\d.e]+) (?:mm|deg), the others leave ([-\d.e]+)", c["words"]
    )
    if said is None:
        return []
    name = said[1]
    has_value = name.removeprefix("driver ") in alone.drivers or (
        name in alone.mates and alone.mates[name].kind in ("distance", "angle")
    )
    if not has_value:
        return []
    asked, found = c["asked"], c["found"]
    mate: Any = alone.mates.get(name)
    if mate is not None and mate.kind == "angle":
        found = min(abs(found), 180.0) if mate.about is None else found
    own = {n.removeprefix("driver ") for n in c["mates"]}
    loose = {
        f"driver {n}" for n, d in alone.drivers.items() if n not in own and d.value is not None
    }
    limits = {f"limit {n}" for n, x in alone.limits.items() if x.joint and x.joint not in own}
    left_out = (set(alone.mates) - set(c["mates"])) | loose | limits
    out = []

    # A tolerance of the others is amplified at this mate by up to gap / accepting.
    fine = min(1e-4, 1e-2 * c["gap_mm"], 1e-2 * (c["accepting_mm"] or np.inf))

    def holds(value: float) -> bool:
        change = {"mate": name, "parameter": "value", "to": value}
        inner = without(changed(alone, change), left_out)
        poses = [inner, *(_elsewhere(inner, k) for k in range(3))]
        return any(asm.solve(p, tolerance=fine) for p in poses)

    try:
        if not holds(found) and not holds(found + 1e-3 * (found - asked)):
            out.append("at best is not reached")
        if holds(found + NEARER * (asked - found)):
            out.append("at best is not the best")
    except asm.AssemblySolverError:
        out.append("at best is no value")
    return out


def _elsewhere(a: asm.Assembly, k: int) -> asm.Assembly:
    out = a.copy()
    started_off(out, np.random.default_rng(k), 40, 20)
    return out


def run_case(seed: int, conflicting: bool) -> tuple[str, asm.Assembly, asm.Solution, list[str]]:
    """One random assembly: its family, it, its solution, and what is wrong."""
    draw = np.random.default_rng([seed, int(conflicting)])
    family = (
        FAMILIES[seed % len(FAMILIES)]
        if conflicting
        else FAMILIES[0 if seed % 4 else seed // 4 % 5]
    )
    a = family(draw)
    a.tolerance = 1e-6
    if conflicting:
        a = with_error(a, draw)
    started_off(a, draw, float(draw.choice([3, 25])), float(draw.choice([2, 20])))
    solution = asm.solve(a)
    name = solution.outcome.name.lower()
    if not conflicting:
        return family.__name__, a, solution, ["contradictory"] if name == "conflicting" else []
    return family.__name__, a, solution, wrong_claims(a, solution) if name == "conflicting" else []


def further_case(seed: int) -> tuple[str, asm.Assembly, asm.Solution, list[str]]:
    """One of the further contradictions."""
    draw = np.random.default_rng([seed, 2])
    family = MORE[seed % len(MORE)]
    a = far_off(family(draw), draw)
    started_off(a, draw, float(draw.choice([3, 15])), float(draw.choice([2, 20])))
    solution = asm.solve(a)
    return family.__name__, a, solution, wrong_claims(a, solution)


def tangled_case(
    seed: int, unstated: bool = False
) -> tuple[str, asm.Assembly, asm.Solution, list[str]]:
    """One random tangle, from a start anywhere near: it can be solved.

    Unstated: the same with some of its senses left to the start.
    """
    draw = np.random.default_rng([seed, 7])
    a = tangle(draw)
    a.tolerance = float(draw.choice([1e-6, 1e-4]))
    if unstated:
        leave_senses_open(a, np.random.default_rng([seed, 8]))
    started_off(a, draw, float(draw.choice([3, 25, 60])), float(draw.choice([2, 20, 60])))
    solution = asm.solve(a)
    wrong = ["contradictory"] if solution.outcome is asm.Outcome.CONFLICTING else []
    return "tangle", a, solution, wrong


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, count in {"conflicts": 324, "further": 0, "solvable": 0, "tangles": 0}.items():
        parser.add_argument(f"--{name}", type=int, default=count)
    parser.add_argument("--unstated", action="store_true", help="leave some senses of tangles open")
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args(arguments)
    cases: dict[str, Callable[[int], tuple[str, asm.Assembly, asm.Solution, list[str]]]] = {
        "conflicts": lambda seed: run_case(seed, True),
        "further": further_case,
        "solvable": lambda seed: run_case(seed, False),
        "tangles": lambda seed: tangled_case(seed, given.unstated),
    }
    failed = False
    for name, case in cases.items():
        if getattr(given, name):
            seeds = range(given.first, given.first + getattr(given, name))
            failed |= _run(name, case, seeds)
    return int(failed)


def _run(name: str, case: Any, seeds: range) -> bool:
    """Whether any case of one kind is wrong; prints what is, and how often what was said."""
    outcomes: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for n, seed in enumerate(seeds, 1):
        if n % PROGRESS == 0:
            print(f"{name}: {n} of {len(seeds)}, {dict(outcomes)}", file=sys.stderr, flush=True)
        family, _, solution, wrong = case(seed)
        outcomes[f"{solution.outcome.name.lower()}"] += 1
        for c in solution.conflicts if name in ("conflicts", "further") else ():
            said["sets"] += 1
            said["proved"] += bool(c["proved"])
            said["with a remedy"] += bool(c["change"] or c["move"])
            for key in ("change", "move", "turn"):
                said[key] += bool(c[key])
            said["tolerance"] += "a tolerance of" in c["words"]
            said["at best"] += " at best" in c["words"]
            said["at a limit"] += bool(re.search("at best with.* limit ", c["words"]))
        for w in wrong:
            said["WRONG " + ("drop" if w.startswith("drop") else w)] += 1
        if wrong:
            print(seed, family, wrong, solution.sentence, flush=True)
    print(name, dict(outcomes), dict(said), flush=True)
    return any(key.startswith("WRONG") for key in said)


if __name__ == "__main__":
    sys.exit(main())
