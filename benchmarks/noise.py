"""Assemblies whose features are a little off: `python -m benchmarks.noise`.

Every direction of a feature is turned and every point moved by random amounts of at most a share of
the tolerance (an angle by what it moves at the reach of the largest part).  Such a model has to be
solved, with the freedoms, redundant equations, planar components and joints of the exact one, from
a disturbed start and from one that holds within the tolerance, which has to stay.  The verbs have
to say the same.  Where a model is refused, the tolerance named has to be the smallest one.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import assembly_solver as asm

from .families import assembly, bennett, named, sarrus, supported_chain
from .figures import RIGHT, Figure, count, report
from .noise_verbs import VERBS, other_verdicts

Array = np.ndarray[Any, np.dtype[np.float64]]

MORE = 1.02
"""Movement relative to that of the exact model, which is least to a per cent."""

ORIGINALS = Path(os.environ.get("ASSEMBLY_SOLVER_ORIGINALS", "originals"))

EXAMPLE = ORIGINALS / "cases" / "fcstd" / "AssemblyExample.FCStd"
EXAMPLE_TOLERANCE = 0.5
"""FreeCAD's example assembly where the folder of originals is there; its tolerance, mm."""

SAMPLES = Path(__file__).resolve().parent.parent / "samples"


def sample(name: str) -> Callable[[], asm.Assembly]:
    """A model of the folder samples."""
    return lambda: asm.read(SAMPLES / f"{name}.assembly.json")


def family(name: str) -> Callable[[], asm.Assembly]:
    """A model of `families`."""
    return lambda: assembly(named(name))


def started_off(make: Callable[[], asm.Assembly]) -> Callable[[], asm.Assembly]:
    """The same with parts off by up to 5 mm and 3 degrees at the start."""

    def made() -> asm.Assembly:
        model, draw = make(), np.random.default_rng(1)
        off = {
            name: asm.Pose.from_axis((5 * in_ball(draw)).tolist(), in_ball(draw).tolist(), 3.0)
            for name, part in model.parts.items()
            if not part.grounded
        }
        model.move({name: model.parts[name].pose @ pose for name, pose in off.items()})
        return model

    return made


MODELS: dict[str, Callable[[], asm.Assembly]] = {
    "excavator": sample("excavator"),
    "four_bar": sample("four_bar"),
    "slider_crank": sample("slider_crank"),
    "scissor(3)": family("scissor(3)"),
    "stack(10)": family("stack(10)"),
    "stewart": family("stewart_free"),
    "chain(10), two supports": started_off(lambda: supported_chain(10)),
    "sarrus": started_off(sarrus),
    "bennett": started_off(bennett),
}


class Structure(NamedTuple):
    """What must not depend on noise."""

    dof: int | None
    redundant: int | None
    planar: tuple[int, ...]
    joints: tuple[str, ...]
    modes: str | None


class NoiseRow(NamedTuple):
    """One noisy model: what went wrong, if anything; its time and that of the exact one, s."""

    wrong: tuple[str, ...]
    seconds: float
    exact: float


def timed(model: asm.Assembly) -> tuple[asm.Solution, float]:
    """The solution of a model that was just read, and its processor time, s."""
    begin = time.process_time()
    solution = asm.solve(model)
    return solution, time.process_time() - begin


def structure(solution: asm.Solution) -> Structure:
    """Freedoms, redundancy, planarity, joints and mode of a solution."""
    found = asm.Analysis(solution).to_dict()
    planar = tuple(sorted(len(c["parts"]) for c in found["components"] if c["planar"]))
    joints = tuple(sorted(p["kind"] for p in found["pairs"]))
    return Structure(solution.dof, solution.redundant_equations, planar, joints, solution.mode)


def document_of(model: asm.Assembly) -> dict[str, Any]:
    """The file of a model as it would be written."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.assembly.json"
        asm.write(model, path)
        return dict(json.loads(path.read_text()))


def model_of(document: dict[str, Any]) -> asm.Assembly:
    """The model of such a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.assembly.json"
        path.write_text(json.dumps(document))
        return asm.read(path)


def disturbed(model: asm.Assembly, seed: int, share: float) -> asm.Assembly:
    """The model with features off by at most a share of its tolerance."""
    draw = np.random.default_rng(seed)
    document = document_of(model)
    parts = [part["features"] for part in document["parts"].values() if part.get("features")]
    grounded = {
        f"{name} {key}": {"point": part.pose.apply(point_of(feature)).tolist()}
        for name, part in model.parts.items()
        for key, feature in document["parts"].get(name, {}).get("features", {}).items()
        if part.grounded
    }
    reach = max(map(extent, [*parts, grounded]))
    for features in parts:
        for key, feature in features.items():
            features[key] = moved(feature, draw, share * model.tolerance, reach)
    return model_of(document)


def extent(features: dict[str, Any]) -> float:
    """The largest distance of two features of a part of a file, mm."""
    points = [np.array(point_of(f), float) for f in features.values()]
    return max(float(np.linalg.norm(p - q)) for p in points for q in points)


def point_of(feature: dict[str, Any]) -> Any:
    """The point or origin of a feature of a file."""
    ((_, value),) = ((k, v) for k, v in feature.items() if k in ("point", "axis", "plane", "frame"))
    return value if not isinstance(value, dict) else value.get("point", value.get("origin"))


def moved(feature: dict[str, Any], draw: np.random.Generator, off: float, reach: float) -> Any:
    """A feature of a file moved by up to `off`, half of it by turning at `reach`."""
    out = json.loads(json.dumps(feature))
    shift = in_ball(draw) * off / 2
    turn = in_ball(draw) * off / 2 / reach
    for kind, value in out.items():
        if isinstance(value, dict):
            for key, v in value.items():
                if key in ("point", "origin"):
                    value[key] = (np.array(v, float) + shift).tolist()
                elif key in ("direction", "normal", "z", "x"):
                    u = asm_unit(v)
                    value[key] = (u + np.cross(turn, u)).tolist()
        elif kind == "point":
            out[kind] = (np.array(value, float) + shift).tolist()
    return out


def asm_unit(v: Any) -> Array:
    """A direction of a file as three numbers."""
    if isinstance(v, str):
        sign = -1.0 if v.startswith("-") else 1.0
        return sign * np.eye(3)["xyz".index(v[-1])]
    u = np.array(v, float)
    return u / np.linalg.norm(u)


def in_ball(draw: np.random.Generator) -> Array:
    """A random vector of length at most 1."""
    v = draw.normal(size=3)
    out: Array = v / np.linalg.norm(v) * draw.uniform() ** (1 / 3)
    return out


def closed(model: asm.Assembly) -> asm.Assembly:
    """The model at its solution."""
    solution = asm.solve(model).require()
    solution.apply()
    return model


def movement(solution: asm.Solution, model: asm.Assembly) -> float:
    """Root of the sum of the squared displacements of all features from the start, mm."""
    steps = [
        solution.poses[name].apply(f.frame[:3]) - part.pose.apply(f.frame[:3])
        for name, part in model.parts.items()
        for f in part.features.values()
    ]
    return float(np.linalg.norm(steps))


def judged(name: str, share: float, seed: int, wanted: Structure, tolerance: float) -> NoiseRow:
    """One noisy model, solved from its disturbed start and from the exact solution."""
    model = MODELS[name]()
    model.tolerance = tolerance
    noisy = disturbed(model, seed, share)
    plain, exact = timed(disturbed(model, seed, 0.0))
    solution, seconds = timed(noisy)
    if not solution:
        named = refused(noisy, solution)
        return NoiseRow((solution.outcome.name, *filter(None, [named])), seconds, exact)
    wrong = []
    if (found := structure(solution)) != wanted:
        wrong += [k for k, a, b in zip(Structure._fields, found, wanted, strict=True) if a != b]
    if movement(solution, noisy) > MORE * movement(plain.require(), model) + tolerance:
        wrong.append("farther")
    held = disturbed(closed(model), seed, share)
    begun = {k: p.pose for k, p in held.parts.items()}
    again = asm.solve(held)
    if not again:
        wrong.append("start contradicted")
    else:
        step = max(
            float(np.abs(np.subtract(again.poses[k].position, p.position)).max())
            for k, p in begun.items()
        )
        if step > tolerance * 10:
            wrong.append("start moved")
        if structure(again)[:4] != wanted[:4]:
            wrong.append("start's structure")
    return NoiseRow(tuple(wrong), seconds, exact)


def refused(noisy: asm.Assembly, solution: asm.Solution) -> str:
    """What is wrong with the tolerance that a refusal names: empty where it is the smallest one.

    The model has to be solved with it, and not with nine tenths of it.
    """
    named = [float(t) for t in re.findall(r"a tolerance of (\S+) mm", solution.explanation)]
    if not named:
        return "no tolerance named"
    for share, wanted in ((1.0, True), (0.9, False)):
        again = noisy.copy()
        again.tolerance = share * max(named)
        if bool(asm.solve(again)) is not wanted:
            return "another tolerance needed" if wanted else "a smaller tolerance does"
    return ""


def rounded(model: asm.Assembly, digits: int) -> asm.Assembly:
    """The model with the numbers of its poses and features rounded to so many decimals."""

    def short(tree: Any) -> Any:
        if isinstance(tree, dict):
            return {k: short(v) for k, v in tree.items()}
        if isinstance(tree, list):
            return [short(v) for v in tree]
        return round(tree, digits) if isinstance(tree, float) else tree

    document = document_of(model)
    return model_of(document | {"parts": short(document["parts"])})


def noise_rows(name: str, options: argparse.Namespace) -> Iterator[Figure]:
    """One model with noise: all are right with little of it, 95 % with more, and the time."""
    for tolerance in options.tolerance:
        model = MODELS[name]()
        model.tolerance = tolerance
        wanted = structure(asm.solve(model))
        for share in options.share:
            rows = [judged(name, share, s, wanted, tolerance) for s in range(options.seeds)]
            slower = statistics.median(r.seconds for r in rows)
            slower /= statistics.median(r.exact for r in rows)
            case, noise = f"{name}, {tolerance:g}", f"noise {share:g}"
            good, least = sum(not r.wrong for r in rows), (1.0 if share <= 0.1 else 0.95)
            words = Counter(w for r in rows for w in r.wrong)
            named = ", ".join(w for w in words if "tolerance" in w) or RIGHT
            limit = f">= {least * len(rows):g}"
            yield Figure(
                "noise", case, f"{noise}: right", good, f"of {len(rows)}", limit, "", named
            )
            yield Figure("noise", case, f"{noise}: time / exact", slower, "x")
            for word, times in words.items():
                yield Figure("noise", case, f"{noise}: {word}", times)


def verb_rows(name: str, options: argparse.Namespace) -> Iterator[Figure]:
    """The verbs of one model: none says something else than without noise."""
    for tolerance in options.tolerance:
        model = MODELS[name]()
        model.tolerance = tolerance
        wanted = {verb: VERBS[verb](model) for verb in options.verbs}
        for share in options.share:
            wrong: dict[int, Any] = {}
            for seed in range(options.verb_seeds):
                told = other_verdicts(disturbed(model, seed, share), wanted)
                wrong |= {seed: ", ".join(told)} if told else {}
            words = f"noise {share:g}: verbs differ"
            yield count("noise", f"{name}, {tolerance:g}", words, wrong, options.verb_seeds)


def refusal_rows(name: str, options: argparse.Namespace) -> Iterator[Figure]:
    """One model with twice as much noise as the tolerance: solved or rightly refused."""
    wrong: dict[int, str] = {}
    for seed in range(options.refusals):
        model = MODELS[name]()
        model.tolerance = options.tolerance[0]
        noisy = disturbed(model, seed, 2.0)
        solution = asm.solve(noisy)
        told = "" if solution else refused(noisy, solution)
        wrong |= {seed: told} if told else {}
    case = f"{name}, {options.tolerance[0]:g}"
    yield count("noise", case, "noise 2: wrongly refused", wrong, options.refusals)


def rounded_rows() -> Iterator[Figure]:
    """`EXAMPLE` with its numbers rounded: its structure does not change."""
    model = asm.read(EXAMPLE)
    model.tolerance = EXAMPLE_TOLERANCE
    wanted = structure(asm.solve(model))
    verdicts = {verb: VERBS[verb](model) for verb in VERBS}
    for digits in (6, 5, 4):
        short = rounded(model, digits)
        found = structure(asm.solve(short))
        pairs = zip(Structure._fields, found, wanted, strict=True)
        told = [k for k, a, b in pairs if a != b] + other_verdicts(short, verdicts)
        wrong = {f"{digits} digits": ", ".join(told)} if told else {}
        yield count("noise", "AssemblyExample", f"{digits} digits: differs", wrong, 1)


def figures(quick: bool = False, options: argparse.Namespace | None = None) -> Iterator[Figure]:
    """All models with noise; quick: the first one, two draws."""
    options = options or asked([])
    if quick:
        options.seeds, options.refusals, options.models = 2, 1, list(MODELS)[:1]
    for name in options.models or MODELS:
        yield from noise_rows(name, options) if options.seeds else ()
        yield from verb_rows(name, options) if options.verb_seeds else ()
        yield from refusal_rows(name, options) if options.refusals else ()
    if EXAMPLE.exists() and not options.models:
        yield from rounded_rows()


def asked(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--tolerance", type=float, nargs="*", default=[1e-4, 1e-2])
    parser.add_argument("--share", type=float, nargs="*", default=[0.1, 0.5])
    parser.add_argument("--verbs", nargs="*", default=list(VERBS), choices=list(VERBS))
    parser.add_argument("--verb-seeds", type=int, default=1)
    parser.add_argument("--refusals", type=int, default=3)
    parser.add_argument("models", nargs="*")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(report(figures(False, asked(None))))
