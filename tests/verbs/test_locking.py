"""Which mates lock a part: doors, plates, loops, and random assemblies against the null space."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assembly_solver as asm
from assembly_solver.cli.program import main
from assembly_solver.errors import UnknownName
from assembly_solver.foundations.geometry.pose import Pose

pytestmark = pytest.mark.quick

SAMPLES = Path(__file__).parents[2] / "samples"


def door(hinges: int = 2, bolt: bool = True) -> asm.Assembly:
    """A door on some hinges of one line, and a bolt."""
    lines = {f"hinge {k}": asm.Axis((0, 0, 500.0 * k), "z") for k in range(hinges)}
    a = asm.Assembly("door")
    a.add("frame", grounded=True, features=lines | {"strike": asm.Plane((0, 20, 0), "y")})
    a.add("leaf", features=lines | {"latch": asm.Plane((0, 20, 0), "y")})
    a.add("handle", features={"spindle": asm.Axis((700, 0, 900), "y")})
    a.add_features("leaf", {"spindle": asm.Axis((700, 0, 900), "y")})
    for name in lines:
        a.mate("revolute", f"frame.{name}", f"leaf.{name}", name=name)
    a.mate("revolute", "leaf.spindle", "handle.spindle", name="spindle")
    if bolt:
        a.mate("coplanar", "frame.strike", "leaf.latch", name="bolt")
    return a


def needed(a: asm.Assembly, part: str, names: tuple[str, ...]) -> bool:
    """Whether a part is locked by some mates, and by no fewer of them: by their counts alone."""

    def free(kept: set[str]) -> bool:
        trial = a.copy()
        for name in set(a.mates) - kept:
            trial.remove(name, alone=True)
        return any(part in motion["parts"] for motion in asm.solve(trial).free_motions)

    whole = set(names)
    return not free(whole) and all(free(whole - {name}) for name in names)


def test_two_hinges_and_a_bolt() -> None:
    found = asm.locking(door(), "leaf")
    assert found.locked_by == ("hinge 0", "bolt")
    assert found.without == {"hinge 0": (), "bolt": ("leaf turns about hinge 0",)}
    assert str(found).splitlines() == [
        "hinge 0 and bolt lock leaf",
        "  without hinge 0: the others lock leaf",
        "  without bolt: leaf turns about hinge 0",
    ]
    assert not found.reducible and found.motions == ()


def test_where_every_mate_is_repeated_none_alone_frees_the_part() -> None:
    a = door()
    a.mate("parallel", "frame.strike", "leaf.latch", name="wedge")
    found = asm.locking(a, "leaf")
    assert found.sentence == (
        "hinge 0 and bolt lock leaf; "
        "leaving out one of them does not free it, other mates do the same"
    )


def test_a_part_on_a_locked_one_moves_and_its_own_mate_is_no_reason() -> None:
    assert asm.locking(door(), "handle").sentence == (
        "handle is not locked: handle turns about spindle"
    )
    a = door()
    a.mate("parallel", "leaf.latch", "handle.spindle", name="glue")
    a.add_features("handle", {"grip": asm.Plane((700, 0, 900), "x")})
    a.add_features("leaf", {"edge": asm.Plane((700, 0, 900), "x")})
    a.mate("parallel", "leaf.edge", "handle.grip", name="screw")
    found = asm.locking(a, "handle")
    assert found.locked_by == ("spindle", "screw", "hinge 0", "bolt")
    assert needed(a, "handle", found.locked_by)
    assert found.without["bolt"] == ("it moves when leaf turns about hinge 0",)


def test_grounded_driven_and_contradictory() -> None:
    assert asm.locking(door(), "frame").sentence == "frame is grounded"
    a = door(1, bolt=False)
    a.drive("motor", "hinge 0", value=20)
    found = asm.locking(a, "leaf")
    assert found.drivers == ("motor",) and found.locked_by == ()
    assert found.sentence == "no mate locks leaf, motor holds it: leaf turns about hinge 0"
    lid = asm.locking(asm.read(SAMPLES / "bad_lid.assembly.json"), "lid")
    assert lid.sentence.endswith("; what locks lid is told of a solved assembly only")
    assert lid.to_dict()["outcome"] == "conflicting" and lid.motions == lid.locked_by == ()
    with pytest.raises(UnknownName, match="no part 'leav'; did you mean 'leaf'"):
        asm.locking(a, "leav")


@pytest.mark.parametrize(
    ("sample", "part"),
    [("plate_stack", "plate 3"), ("one_way_clutch", "roller"), ("plate_on_two_pins", "plate")],
)
def test_of_the_samples_each_named_mate_is_needed(sample: str, part: str) -> None:
    a = asm.read(SAMPLES / f"{sample}.assembly.json")
    found = asm.locking(a, part)
    assert found.locked_by and needed(a, part, found.locked_by)


def test_the_same_for_any_order_of_mates_and_any_motion_of_the_whole(tmp_path: Path) -> None:
    file = SAMPLES / "plate_stack.assembly.json"
    wanted = asm.locking(asm.read(file), "plate 3").locked_by
    tree = json.loads(file.read_text())
    tree["mates"].reverse()
    (tmp_path / "turned.assembly.json").write_text(json.dumps(tree))
    other = asm.read(tmp_path / "turned.assembly.json")
    moved = Pose.from_axis((300, -40, 7), (0.6, 0, 0.8), 40.0)
    other.move({name: moved @ part.pose for name, part in other.parts.items()})
    assert set(asm.locking(other, "plate 3").locked_by) == set(wanted)


@pytest.mark.parametrize("calls", [40, 80, 160])
def test_a_search_that_is_cancelled_claims_no_more_than_it_computed(calls: int) -> None:
    asked = [0]

    def cancelled() -> bool:
        asked[0] += 1
        return asked[0] > calls

    a = asm.read(SAMPLES / "plate_stack.assembly.json")
    found = asm.locking(a, "plate 3", cancel=cancelled)
    assert asked[0] > calls and found.solution
    assert found.reducible and found.without == {}
    assert set(found.locked_by) >= set(asm.locking(a, "plate 3").locked_by)


def test_the_command_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(SAMPLES / "plate_on_pins.assembly.json")
    assert main(["locking", file, "plate", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == asm.locking(asm.read(file), "plate").to_dict()
    assert main(["locking", str(SAMPLES / "bad_lid.assembly.json"), "lid"]) == 1
    assert "what locks lid is told of a solved assembly only" in " ".join(
        capsys.readouterr().out.split()
    )
    assert main(["locking", file, "plat"]) == 2
    assert capsys.readouterr().err == "error: no part 'plat'; did you mean 'plate'?\n"
