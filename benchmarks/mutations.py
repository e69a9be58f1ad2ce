"""Files made wrong: bytes, JSON structure, numbers and names of a text changed at random.

    python -m benchmarks.mutations 10000

runs as many mutations of the samples as it is told, and prints those that end badly, how many
contradictions are proved, and the longest processor time of a file.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import assembly_solver as asm
from assembly_solver.formats.native import assembly_json

from .figures import Figure, count, report

SAMPLES = sorted((Path(__file__).parents[1] / "samples").rglob("*.assembly.json"))
LONGEST = 5.0
"""Processor time, s, after which a file counts as hanging."""

NUMBERS = (0, -0.0, 1, -1, 1e-300, 1e-12, 1e12, 1e160, 1e300, -1e308, 10**400, True, None, "1")
OTHERS: tuple[Any, ...] = ("", "z", "frame.pin", [], {}, [0, 0, 0], [[1]], {"a": 1}, "\ud800")
VALUES: tuple[Any, ...] = (*NUMBERS, *OTHERS)
NAMES = ("", ".", "a.b", "ü", "x-y", "kind", "name", "parts", "\x00", "z" * 5000, "__proto__")
Tree = Any


def places(tree: Tree) -> Iterator[tuple[Tree, Any]]:
    """Every container of a tree with each of its keys."""
    keys: Any = tree if isinstance(tree, dict) else range(len(tree))
    for key in list(keys):
        yield tree, key
        if isinstance(tree[key], (dict, list)):
            yield from places(tree[key])


def in_bytes(text: str, rng: random.Random) -> str:
    """Some characters changed, taken out, put in, repeated or cut off."""
    data = list(text)
    for _ in range(rng.choice((1, 1, 2, 8))):
        k = rng.randrange(len(data))
        what = rng.randrange(5)
        if what == 0:
            data[k] = chr(rng.choice((0, 10, 34, 44, 58, 91, 93, 123, 125, 48, 45, 101, 960)))
        elif what == 1:
            del data[k]
        elif what == 2:
            data.insert(k, rng.choice('{}[],:"0-e.'))
        elif what == 3:
            data[k:k] = data[k : k + rng.randrange(60)]
        else:
            del data[k : k + rng.randrange(200)]
        data = data or ["{"]
    return "".join(data)


def in_structure(text: str, rng: random.Random) -> str:
    """An entry taken out, doubled, wrapped, exchanged or replaced by something else."""
    tree = json.loads(text)
    for _ in range(rng.choice((1, 1, 3))):
        where, key = rng.choice(list(places(tree)) or [(tree, None)])
        if key is None:
            break
        what = rng.randrange(5)
        if what == 0:
            del where[key]
        elif what == 1:
            where[key] = [where[key]]
        elif what == 2:
            where[key] = rng.choice(VALUES)
        elif what == 3 and isinstance(where, list):
            where.append(where[key])
        else:
            other, far = rng.choice(list(places(tree)))
            where[key] = json.loads(json.dumps(other[far]))
    return json.dumps(tree)


def in_numbers(text: str, rng: random.Random) -> str:
    """Some numbers replaced by ones that are very large, very small, or none."""
    tree = json.loads(text)
    found = [(w, k) for w, k in places(tree) if isinstance(w[k], (int, float))]
    for _ in range(rng.choice((1, 1, 4))):
        where, key = rng.choice(found)
        what = rng.randrange(3)
        if what == 0:
            where[key] = rng.choice(NUMBERS)
        elif what == 1:
            value = where[key]  # a text, or beyond a float, where it was changed before
            usual = isinstance(value, (int, float)) and 0 < abs(value) < 1e300
            where[key] = (value if usual else 1) * 10.0 ** rng.randint(-20, 20)
        else:
            where[key] = float(rng.choice(("nan", "inf", "-inf")))
    return json.dumps(tree)


def in_names(text: str, rng: random.Random) -> str:
    """A key or a text replaced by another name, or exchanged with one."""
    tree = json.loads(text)
    for _ in range(rng.choice((1, 1, 3))):
        found = [(w, k) for w, k in places(tree) if isinstance(k, str) or isinstance(w[k], str)]
        where, key = rng.choice(found)
        names = [k for w, k in found if isinstance(k, str)]
        names += [w[k] for w, k in found if isinstance(w[k], str)]
        new = rng.choice((*NAMES, rng.choice(names), rng.choice(names)))
        if isinstance(where, dict) and rng.random() < 0.5:
            where[new] = where.pop(key)
        elif isinstance(where[key], str):
            where[key] = new
    return json.dumps(tree)


MUTATORS: tuple[Callable[[str, random.Random], str], ...] = (
    in_bytes,
    in_structure,
    in_numbers,
    in_names,
)


def mutation(seed: int) -> tuple[Path, str]:
    """A sample and the text of a mutated copy of it."""
    rng = random.Random(seed)
    sample = SAMPLES[seed % len(SAMPLES)]
    return sample, MUTATORS[seed // len(SAMPLES) % len(MUTATORS)](sample.read_text(), rng)


def warm_up() -> None:
    """Compile before time is taken: what is solved, and what is explained."""
    for sample in SAMPLES:
        asm.solve(assembly_json.read(sample))


def result(seed: int) -> dict[str, Any]:
    """The result object of a mutated file; of one that is refused, the message as its outcome."""
    sample, text = mutation(seed)
    try:
        assembly = assembly_json.read_text(text, sample.name, sample.parent)
        return asm.solve(assembly).to_dict()
    except asm.AssemblySolverError as error:
        return {"outcome": str(error), "conflicts": []}


def outcome(seed: int) -> str:
    """What came of a mutated file: an outcome, or the message of the error, which is one line."""
    return str(result(seed)["outcome"])


def ended(seed: int) -> tuple[str, list[bool]]:
    """What is wrong with how a mutated file ended, empty where nothing is; which of its
    contradictions are proved."""
    began = process_time()
    try:
        found = result(seed)
    except BaseException as error:
        return f"({mutation(seed)[0].name}) {type(error).__name__}: {error}"[:300], []
    words, taken = str(found["outcome"]), process_time() - began
    proved = [conflict["proved"] for conflict in found["conflicts"]]
    if taken > LONGEST:
        return f"({mutation(seed)[0].name}) takes {taken:.1f} s", proved
    return (f"{words[:300]!r}" if "\n" in words or len(words) > 400 else ""), proved


def figures(quick: bool = False, cases: int = 2000) -> Iterator[Figure]:
    """How many end badly, each of which is printed; contradictions, and the slowest file."""
    warm_up()
    cases, bad, slowest = 100 if quick else cases, {}, 0.0
    conflicts: list[bool] = []
    for seed in range(cases):
        began = process_time()
        found, proved = ended(seed)
        slowest = max(slowest, process_time() - began)
        conflicts += proved
        if found:
            bad[seed] = found
            print(f"seed {seed}: {found}", flush=True)
    yield count("mutations", "samples", "ended badly", bad, cases)
    yield Figure("mutations", "samples", "contradictions", float(len(conflicts)))
    yield Figure("mutations", "samples", "contradictions, proved", float(sum(conflicts)))
    yield Figure("mutations", "samples", "slowest, processor time", slowest, "s")


if __name__ == "__main__":
    sys.exit(report(figures(cases=int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)))
