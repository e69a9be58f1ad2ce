"""A data set of random four-, six- and eight-bars: curves, modes, and why the others do not turn.

`python 09_data_set.py FOLDER COUNT` draws COUNT linkages of each kind by `study`, which goes on
where it was stopped; without arguments a small set into a temporary folder.  Then it is read again.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet

import assembly_solver as asm

FOUR = {"frame": "A D", "crank": "A B", "coupler": "B C P", "rocker": "C D"}
SIX = FOUR | {"frame": "A D F", "link": "P E", "last": "E F"}
EIGHT = SIX | {"frame": "A D F H", "link": "P E Q", "next": "Q G", "end": "G H"}
KINDS = {"four-bar": (FOUR, "coupler.P"), "six-bar": (SIX, "link.E"), "eight-bar": (EIGHT, "end.G")}
PLACES = dict(A=(0, 0), B=(0, 30), C=(90, 80), D=(100, 0), P=(40, 90), E=(150, 120))
PLACES |= dict(F=(200, 0), Q=(120, 160), G=(220, 190), H=(300, 60))
STATES = 72
SPREAD = 40.0  # mm, by which points are off their places


def drawn(links: dict[str, str], point: str):
    """A linkage of a kind, and the ranges of its pins."""
    m = asm.Assembly("drawn")
    used = {pin for pins in links.values() for pin in pins.split()}
    places = {name: at for name, at in PLACES.items() if name in used}
    m.pins(**places)
    for name, pins in links.items():
        m.link(name, pins, grounded=name == "frame")
    m.drive("crank", at="A", angle=(0, 360), rays=("D", "B"))
    for axis in "xy":
        m.measure(axis, point=point, along=axis)
    near = {}
    for name, (x, y) in places.items():
        near |= {f"{name}.x": (x - SPREAD, x + SPREAD), f"{name}.y": (y - SPREAD, y + SPREAD)}
    return m, near


def make(path: Path, kind: str, count: int) -> None:
    """Write the rows of a kind: places of the pins, curve, mode, and the reason of the others."""
    m, near = drawn(*KINDS[kind])
    turn = {"crank": np.arange(STATES) * 360.0 / STATES}
    begun = time.perf_counter()
    found = asm.study(m, near, ["x.curve", "y.curve"], over=turn, samples=count, design="random",
                      out=path, executor="here")  # fmt: skip
    spent, size = time.perf_counter() - begun, path.stat().st_size
    print(f"{kind}: {found.valid} valid of {count}, {spent:.1f} s, {size} bytes, {found.reasons}")


def read(path: Path):
    """The curves of the valid linkages, row group by row group, (linkages, 2, states), mm."""
    with parquet.ParquetFile(path) as file:
        names = [n for n in file.schema.names if n[1:2] == "@"]
        for k in range(file.num_row_groups):
            rows = file.read_row_group(k, columns=[*names, "valid"])
            good = rows["valid"].to_numpy()
            curves = np.stack([rows[n].to_numpy() for n in names], axis=1)[good]
            yield curves.reshape(len(curves), 2, STATES)


def main(folder: Path, count: int) -> None:
    for kind in KINDS:
        path = folder / f"{kind}.parquet"
        make(path, kind, count)
        curves = [part for part in read(path) if np.isfinite(part).all()]
        print(f"{kind}: read {sum(map(len, curves))} curves of {STATES} points")


if len(sys.argv) > 2:
    main(Path(sys.argv[1]), int(sys.argv[2]))
else:
    with tempfile.TemporaryDirectory() as small:
        main(Path(small), 300)
