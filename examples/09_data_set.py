"""A data set of random four-, six- and eight-bars: curves, modes, and why the others do not turn.

`python 09_data_set.py FOLDER COUNT` writes COUNT valid linkages of each kind, as arrays of numpy;
without arguments a small set into a temporary folder.  In the end it is read again.
"""

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

import assembly_solver as asm

FOUR = {"frame": "A D", "crank": "A B", "coupler": "B C P", "rocker": "C D"}
SIX = FOUR | {"frame": "A D F", "link": "P E", "last": "E F"}
EIGHT = SIX | {"frame": "A D F H", "link": "P E Q", "next": "Q G", "end": "G H"}
KINDS = {"four-bar": (FOUR, "P"), "six-bar": (SIX, "E"), "eight-bar": (EIGHT, "G")}
PLACES = dict(A=(0, 0), B=(0, 30), C=(90, 80), D=(100, 0), P=(40, 90), E=(150, 120))
PLACES |= dict(F=(200, 0), Q=(120, 160), G=(220, 190), H=(300, 60))
TURN = np.arange(0, 360, 5)
AT_ONCE = 20_000
SPREAD = 40.0  # mm, by which points are off their places


def linkage(links: dict[str, str]):
    """The plan that all linkages of a kind have."""
    m = asm.Assembly("drawn")
    used = {pin for pins in links.values() for pin in pins.split()}
    m.pins(**{name: at for name, at in PLACES.items() if name in used})
    for name, pins in links.items():
        m.link(name, pins, grounded=name == "frame")
    m.drive("crank", at="A", angle=(0, 360), rays=("D", "B"))
    return asm.linkage(m)


def make(folder: Path, kind: str, wanted: int) -> None:
    """Write a file for each batch: places and curves of valid ones; all are counted by reason."""
    links, point = KINDS[kind]
    of, begun = linkage(links), time.process_time()
    base, tried, valid, size = of.scheme.at, 0, 0, 0
    reasons: Counter[str] = Counter()
    while valid < wanted:
        rng = np.random.default_rng([len(links), tried])
        at = base + rng.uniform(-SPREAD, SPREAD, (AT_ONCE, *base.shape))
        found = of.variants(at, crank=TURN, trace=[point])
        good = np.flatnonzero(found.valid)[: wanted - valid]
        path = folder / f"{kind} {tried:012d}.npz"
        curves = found.path()[good].astype(np.float32)
        np.savez(path, at=at[good], signs=found.signs[good].astype(np.int8), curves=curves)
        reasons.update(found.reasons)
        tried, valid, size = tried + AT_ONCE, valid + len(good), size + path.stat().st_size
    spent = time.process_time() - begun
    print(f"{kind}: {valid} valid of {tried} tried, {spent:.2f} s, {size} bytes, {dict(reasons)}")


def read(folder: Path, kind: str) -> np.ndarray:
    """The curves of all linkages of a kind, (linkages, 2, states), mm."""
    return np.concatenate([np.load(p)["curves"] for p in sorted(folder.glob(f"{kind} *.npz"))])


def main(folder: Path, wanted: int) -> None:
    for kind in KINDS:
        make(folder, kind, wanted)
        curves = read(folder, kind)
        assert curves.shape == (wanted, 2, len(TURN)) and np.isfinite(curves).all()
        print(f"{kind}: read {len(curves)} curves of {len(TURN)} points")


if len(sys.argv) > 2:
    main(Path(sys.argv[1]), int(sys.argv[2]))
else:
    with tempfile.TemporaryDirectory() as small:
        main(Path(small), 100)
