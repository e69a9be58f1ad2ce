"""The gallery: one run of this script draws every linkage of the samples with its paths.

    python samples/draw_gallery.py [NAME ...]

NAME is a sample's name; the pictures are samples/gallery/NAME.svg, and NAME.moving.svg.  The same
sample gives the same bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import assembly_solver as asm
from assembly_solver.report.page import linkage_drawing
from assembly_solver.report.terminal.linkage import FAINT, picture

HERE = Path(__file__).parent

Range = tuple[float, float]


@dataclass(frozen=True)
class Plate:
    """How a sample is drawn.

    Attributes:
        title, words: its head; traced: points whose paths are drawn.
        inputs: from where to where they go; the range of the only driver unless given.
        steps: through it; faint: states behind it; shown: number of the state in front.
        frames, seconds: of a round of the picture that moves.
    """

    title: str
    words: str
    traced: str
    inputs: Mapping[str, Range] = field(default_factory=dict)
    steps: int = 360
    faint: int = FAINT
    shown: int | None = None
    frames: int = 72
    seconds: float = 8


PLATES: dict[str, Plate] = {
    "excavator": Plate(
        "Excavator",
        "The cylinders of boom and bucket go out.",
        "",
        {"boom cylinder": (960, 1290), "bucket cylinder": (1260, 1590)},
    ),
    "four_bar": Plate("Crank-rocker", "The crank turns, the rocker swings.", ""),
    "slider_crank": Plate("Slider-crank", "Crankshaft, connecting rod and piston in line.", ""),
    "hinge": Plate("Door on its hinge", "From shut to 90 degrees.", ""),
    "scissor_lift": Plate("Scissor lift", "The cylinder lifts the platform.", ""),
    "toggle_clamp": Plate("Toggle clamp", "Handle, link and arm.", ""),
    "sliders_stroke": Plate("Slider with its stroke", "The stroke is a measure.", ""),
    "watt": Plate("Watt six-bar", "Two ternary links; T is traced on the floating one.", "T"),
    "stephenson_iii": Plate(
        "Stephenson III six-bar",
        "E runs round F on an arc for a third of the turn: the output F G rests.",
        "E F",
    ),
    "double_butterfly": Plate(
        "Double butterfly",
        "Eight links without a loop of four: seven of them close as one group.",
        "M",
        steps=1440,
        faint=3,
    ),
    "theo_jansen": Plate(
        "Theo Jansen's leg", "The foot is on the floor for half of the turn.", "G", faint=4
    ),
    "peaucellier": Plate(
        "Peaucellier's inversor", "X goes along an exactly straight line.", "X P", shown=264
    ),
    "motiongen/rrrr": Plate("RRRR", "The crank turns, the output rocks.", "j1 j2"),
    "motiongen/rrrp": Plate("RRRP", "A slider beside its slot.", "j1 j2"),
    "motiongen/rrpr": Plate("RRPR", "The coupler slides through a block.", "j2"),
    "motiongen/rrpp": Plate("RRPP", "A block in two slots.", "j2 j4"),
    "motiongen/rppr": Plate("RPPR", "One block in two turning slots.", "j1 j7"),
    "motiongen/rprp": Plate("RPRP", "A turning slot drives a slider.", "j1 j4"),
    "motiongen/prrp": Plate("PRRP", "Two sliders and a point of the coupler.", "j6"),
    "motiongen/rppp": Plate("RPPP", "The driven block has a slot of its own.", "j4"),
    "motiongen/prpp": Plate("PRPP", "A turning slot on a driven slider.", "j5"),
    "motiongen/multi_slot": Plate(
        "Multi-slot", "A trammel, driven in its own slot; j8 goes straight.", "j7 j8"
    ),
    "motiongen/millipede": Plate(
        "Millipede",
        "Twelve legs and a ring: thirteen points close at once.",
        "k0 k3 k6 k9",
        faint=3,
    ),
    "motiongen/pantograph": Plate(
        "Five-bar on a turntable",
        "Its cranks turn 40 and 37 times while the table turns once.",
        "j5",
        {"turntable": (0, 360), "left crank": (120, 14520), "right crank": (-120, 13200)},
        steps=3600,
        faint=0,
        frames=480,
        seconds=80,
    ),
    "motiongen/seven_bar": Plate(
        "Seven-bar of example 1", "A crank pin in the slot of the bar.", "j1 j3 j6 j8"
    ),
}


def drawn(name: str, moving: bool = False) -> str:
    """The picture of a sample, at rest or moving."""
    plate = PLATES[name]
    linkage = asm.linkage(asm.read(HERE / f"{name}.assembly.json"))
    (only, *_), ranges = linkage.inputs, dict(plate.inputs)
    if not ranges:
        ranges[only] = linkage.assembly.drivers[only].range or (0.0, 360.0)
    states = linkage.run({n: np.linspace(*ends, plate.steps + 1) for n, ends in ranges.items()})
    front = picture(
        linkage, states, plate.traced.split(), plate.title, plate.words, plate.faint, plate.shown
    )
    seconds = plate.seconds if moving else None
    return linkage_drawing.svg(front, seconds=seconds, frames=plate.frames)


def main(names: list[str]) -> None:
    """Draw the pictures that are named, or all of them."""
    for name in names or PLATES:
        file = HERE / "gallery" / f"{name}.svg"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(drawn(name), encoding="utf-8")
        file.with_suffix(".moving.svg").write_text(drawn(name, moving=True), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
