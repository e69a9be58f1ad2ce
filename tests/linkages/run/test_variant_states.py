"""Linkages of one plan whose points start elsewhere: each as the linkage that it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError
from assembly_solver.linkages.run import many_variants

SAMPLES = Path(__file__).parents[3] / "samples"
Points = NDArray[np.float64]

FOUR_BAR = {"frame": "A D", "crank": "A B", "coupler": "B C P", "rocker": "C D"}
SIX_BAR = FOUR_BAR | {"frame": "A D F", "link": "P E", "last": "E F"}
PLACES = {"A": (0, 0), "B": (0, 30), "C": (90, 80), "D": (100, 0), "P": (40, 90)}
SIX_PLACES = PLACES | {"E": (150, 120), "F": (200, 0)}
TURN = np.arange(0.0, 360.0, 5.0)


def drawn(links: dict[str, str], places: dict[str, tuple[float, float]]) -> asm.Assembly:
    """A linkage by its pins, driven by the angle from the ray A - D to the ray A - B."""
    a = asm.Assembly("drawn")
    a.pins(**places)
    for name, pins in links.items():
        a.link(name, pins, grounded=name == "frame")
    a.drive("crank", at="A", angle=(0, 360), rays=("D", "B"))
    return a


def moved(names: tuple[str, ...], places: dict[str, tuple[float, float]], count: int) -> Points:
    """Random places of the points, in the order of a linkage."""
    base = np.array([places[name] for name in names], float)
    return base + np.random.default_rng(3).uniform(-15.0, 15.0, (count, *base.shape))


@pytest.mark.parametrize(
    ("links", "places", "point"), [(FOUR_BAR, PLACES, "P"), (SIX_BAR, SIX_PLACES, "E")]
)
def test_each_is_the_linkage_that_is_drawn_there(
    links: dict[str, str], places: dict[str, tuple[float, float]], point: str
) -> None:
    linkage = asm.linkage(drawn(links, places))
    names = linkage.scheme.points
    at = moved(names, places, 12)
    found = linkage.variants(at, crank=TURN, trace=[point, "C"])
    for k in range(len(at)):
        own = dict(zip(names, map(tuple, at[k].tolist()), strict=True))
        alone = asm.linkage(drawn(links, own)).run(crank=TURN)
        built = alone.valid
        assert found.kept.built[k] == built.sum()
        expected = alone.point(point)[built].T
        assert found.path(point)[k][:, built] == pytest.approx(expected, abs=1e-9)
        assert found.valid[k] == built.all() and bool(found.reason(k)) != built.all()


def test_paths_of_a_four_bar_are_those_of_the_closed_form() -> None:
    linkage = asm.linkage(drawn(FOUR_BAR, PLACES))
    names = linkage.scheme.points
    at = moved(names, PLACES, 500)
    found = linkage.variants(at, crank=TURN, trace=["C"])
    a, b, c, d = ((at[:, names.index(n)] @ [1, 1j])[:, None] for n in "ABCD")
    crank = a + abs(b - a) * (d - a) / abs(d - a) * np.exp(1j * np.radians(TURN))
    away = d - crank
    along = 0.5 * (1 + (abs(c - b) ** 2 - abs(d - c) ** 2) / abs(away) ** 2)
    left = np.sign(((d - b).conj() * (c - b)).imag)
    with np.errstate(invalid="ignore"):
        half = left * np.sqrt(abs(c - b) ** 2 / abs(away) ** 2 - along**2)
    path = found.path("C")
    expected = crank + away * (along + 1j * half)
    assert path[:, 0] == pytest.approx(expected.real, abs=1e-9, nan_ok=True)
    assert path[:, 1] == pytest.approx(expected.imag, abs=1e-9, nan_ok=True)
    assert 0 < found.valid.sum() < 500
    assert list(found.reasons) == ["RRR dyad at C does not close"]
    assert {found.mode(k) for k in range(500)} == {"+"}


def test_threads_and_states_in_chunks_change_no_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    linkage = asm.linkage(drawn(FOUR_BAR, PLACES))
    at = moved(linkage.scheme.points, PLACES, 40)
    long = np.linspace(0.0, 360.0, 600)  # more than a chunk
    whole = linkage.variants(at, crank=long, trace=["P"])
    monkeypatch.setattr(many_variants, "IN_A_CALL", 7)
    monkeypatch.setattr(many_variants, "AT_ONCE", 21)
    parts = linkage.variants(at, crank=long, trace=["P"])
    assert whole.path().tobytes() == parts.path().tobytes()
    assert whole.kept.least.tobytes() == parts.kept.least.tobytes()


def test_a_parallelogram_is_at_a_dead_point() -> None:
    linkage = asm.linkage(drawn(FOUR_BAR, PLACES))
    names = linkage.scheme.points
    one = {"A": (0, 0), "B": (0, 30), "C": (100, 30), "D": (100, 0), "P": (40, 90)}
    at = np.array([[one[n] for n in names]], float)
    found = linkage.variants(at, crank=[0.0, 90.0], trace=["P"])
    assert not found.valid[0] and found.reason(0).startswith("dead point")


def test_what_it_cannot_do_is_refused() -> None:
    linkage = asm.linkage(drawn(FOUR_BAR, PLACES))
    at = moved(linkage.scheme.points, PLACES, 2)
    with pytest.raises(AssemblySolverError, match="no point 'Q'"):
        linkage.variants(at, crank=TURN, trace=["Q"])
    with pytest.raises(AssemblySolverError, match="5 points, 2"):
        linkage.variants(at[:, :3], crank=TURN, trace=["P"])
    slider = asm.linkage(asm.read(SAMPLES / "slider_crank.assembly.json"))
    with pytest.raises(AssemblySolverError, match="of pins and dyads"):
        slider.variants(at, crank=TURN, trace=["P"])
