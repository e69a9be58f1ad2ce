"""A plate with two holes on two pins: it binds where distances differ by more than the plays."""

from __future__ import annotations

from math import ceil, cos, radians, sin, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from studied import SAMPLES
from test_many_samples import sampler

import assembly_solver as asm
from assembly_solver.errors import BadValue
from assembly_solver.studies.binding import Binding, FreeingPlay
from assembly_solver.studies.deviations import drawn, spreads_of
from assembly_solver.studies.variables import displaced, of_tolerance
from benchmarks.figures import RIGHT
from benchmarks.tolerance import by_solves, excavator as leaning_excavator

pytestmark = pytest.mark.quick

PLAY = 0.011


def plate(played: bool = True) -> asm.Assembly:
    a = asm.read(SAMPLES / "plate_on_two_pins.assembly.json")
    if not played:
        a.remove_tolerance("play 1")
        a.remove_tolerance("play 2")
    return a


def difference(a: asm.Assembly, samples: int, seed: int) -> NDArray[np.float64]:
    """What the pins are nearer to each other or farther than the holes, mm, in the samples."""
    grouped = [(t, of_tolerance(a, t)) for t in a.tolerances.values()]
    spreads = spreads_of([(t, len(own)) for t, own in grouped])
    count = sum(len(own) for _, own in grouped)
    drawn = np.random.default_rng(seed).random((samples, count))
    one, two, hole1, hole2 = (s.draw(drawn[:, s.own]) for s in spreads[:4])
    far = np.array([100.0, 0.0])
    apart = (np.linalg.norm(far + k - m, axis=1) for k, m in ((two, one), (hole2, hole1)))
    out: NDArray[np.float64] = np.abs(next(apart) - next(apart))
    return out


def test_it_binds_where_the_distances_differ_by_more_than_the_plays() -> None:
    found = asm.tolerance(plate(), samples=3000, seed=2)
    off = difference(plate(), 3000, 2)
    most = 2 * PLAY + 2 * 1e-4  # each mate may be off by the tolerance
    assert found.binding is not None
    sure = int(np.sum(off > most + 1e-6)), int(np.sum(off > most - 1e-6))
    assert sure[0] <= found.binding.samples == found.not_solved <= sure[1]
    many = float(np.mean(difference(plate(), 400000, 77) > most))
    assert abs(found.binding.share - many) < 4 * found.binding.error
    assert found.binding.error == pytest.approx(sqrt(many * (1 - many) / 3000), rel=0.05)
    assert found.binding.mates == dict.fromkeys(("pin 1", "pin 2"), found.binding.samples)
    assert sum(found.binding.tolerances.values()) == found.binding.samples
    assert set(found.binding.tolerances) == {"one", "two", "hole 1", "hole 2"}


@pytest.mark.parametrize("played", [True, False])
def test_the_play_that_frees_a_share_is_the_quantile_of_what_is_needed(played: bool) -> None:
    """Beside a hole with play, one needs as much less; without any it takes up all."""
    found = asm.tolerance(plate(played), samples=1500, seed=5, frees=0.95).binding
    off = difference(plate(played), 1500, 5)
    other = PLAY if played else 0.0
    needed = np.sort(off)[ceil(0.95 * 1500) - 1] - other
    assert found is not None and list(found.plays) == ["pin 1", "pin 2"]
    for play in found.plays.values():
        assert play.play == pytest.approx(needed, rel=1e-5)
        reached = float(np.mean(off <= needed + other + 2e-4))
        assert play.frees == pytest.approx(reached, abs=1.5 / 1500) and play.frees >= 0.95


def test_what_binds_does_not_depend_on_the_order_of_mates() -> None:
    a, b = plate(False), asm.Assembly("plate_on_two_pins")
    for part in reversed(a.parts.values()):
        features = {n: f for n, f in part.features.items()}
        b.add(part.name, grounded=part.grounded, features=features)
    for k in (2, 1):
        one = f"table.{'one' if k == 1 else 'two'}"
        b.mate("revolute", one, f"plate.hole {k}", name=f"pin {k}", sense="aligned")
    for t in a.tolerances.values():
        b.tolerate(t.name, **t.parameters())
    b.measure("rise", point="plate.corner", along="y")
    one, two = (asm.tolerance(x, samples=300, seed=3).binding for x in (a, b))
    assert one is not None and two is not None
    assert (one.samples, one.tolerances, one.mates) == (two.samples, two.tolerances, two.mates)
    for joint, play in one.plays.items():
        assert two.plays[joint].play == pytest.approx(play.play, rel=1e-9)


def test_play_that_cannot_free_a_tilted_pin_is_not_told() -> None:
    """A pin that leans binds whatever the radial play is: no play of either hole frees it."""
    a = plate(False)
    for name in list(a.tolerances):
        a.remove_tolerance(name)
    a.tolerate("lean", feature="table.two", angle=0.1)
    found = asm.tolerance(a, samples=100).binding
    assert found is not None and found.tolerances == {"lean": found.samples}
    assert [p.play for p in found.plays.values()] == [None] * len(found.plays)
    assert "play" not in found.words


def excavator_with_leaning_pins(play: bool) -> asm.Assembly:
    """Twelve of its pins off their places by 0.2 mm and in a cone of 0.02 degrees; in each bore of
    40 mm, where it has play, a pin may stand anywhere within 0.05 mm."""
    a = asm.read(SAMPLES / "excavator.assembly.json")
    a.measure("tooth", point="bucket.tooth", along="y")
    pins = [(p.name, f) for p in a.parts.values() if not p.grounded for f in p.features]
    axes = [(p, f) for p, f in pins if isinstance(a.parts[p].feature(f), asm.Axis)]
    for n, (part, feature) in enumerate(axes[:12]):
        a.tolerate(f"t{n}", feature=f"{part}.{feature}", position=0.4, angle=0.02)
    bores = [m.name for m in a.mates.values() if m.kind == "coaxial"]
    for name in bores if play else ():
        a.tolerate(f"play of {name}", joint=name, radial=0.05, length=40.0)
    return a


def test_pins_that_lean_bind_a_machine_in_space_without_play_and_not_with_it() -> None:
    """The loops have 29 redundant equations: exact pins that lean cannot all be put in."""
    for play, closed in ((False, 0), (True, 30)):
        a = excavator_with_leaning_pins(play)
        spreads = spreads_of([(t, len(of_tolerance(a, t))) for t in a.tolerances.values()])
        of = sampler(a)
        uniform = np.random.default_rng(1).random((30, len(of.model.variables)))
        found = of.run(drawn(spreads, uniform))
        assert of.model.response.dependent == 29
        assert len(found.solved) == closed and sum(found.failed.values()) == 30 - closed


def test_samples_with_leaning_pins_close_as_solve_says_of_each() -> None:
    """One of its pins is along the x of its part; others reach six characteristic lengths."""
    assert by_solves(leaning_excavator(lean=True), 3) == RIGHT


def test_an_axis_that_leans_off_the_x_of_its_part_keeps_the_zero_of_its_angles() -> None:
    along_x = displaced(asm.Axis((0, 0, 0), "x"), {"about_y": 0.1})
    c, s = cos(radians(0.1)), sin(radians(0.1))
    assert along_x.frame[3:6] == pytest.approx((-s, c, 0), abs=1e-9)
    assert along_x.frame[9:] == pytest.approx((c, s, 0), abs=1e-9)


def test_binding_is_told_in_a_sentence() -> None:
    plays = {"pin 1": FreeingPlay(0.0712, 0.998), "pin 2": FreeingPlay(0.05912, 0.997)}
    found = Binding(27, 0.27, 0.01, {"pin 1": 3, "pin 2": 24}, {"hole 2": 27}, plays, 0.997)
    assert found.words == (
        "27 % of the assemblies bind: pin 2; a play of 0.06 mm in pin 2 frees 99.7 %"
    )
    with pytest.raises(BadValue, match="frees"):
        asm.tolerance(plate(), frees=0.0)
