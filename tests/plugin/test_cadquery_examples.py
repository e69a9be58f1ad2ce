"""The examples of the CadQuery plugin, run as they stand and judged by their shapes."""

from __future__ import annotations

import re
import runpy
from math import acos, atan2, cos, degrees, hypot, pi, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest

cq = pytest.importorskip("cadquery")

EXAMPLES = Path(__file__).parents[2] / "plugin" / "cadquery" / "examples"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[Any, str]]:
    """What examples show, with the name of the picture; nothing is drawn."""
    import cadquery.vis

    seen: list[tuple[Any, str]] = []
    monkeypatch.setattr(
        cadquery.vis, "show", lambda assy, screenshot, **view: seen.append((assy, screenshot))
    )
    monkeypatch.chdir(tmp_path)
    return seen


def run(name: str, shown: list[tuple[Any, str]]) -> Any:
    """The assembly that an example shows; its picture stands beside it."""
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    ((assy, picture),) = shown
    assert picture == f"{name}.png" and (EXAMPLES / picture).stat().st_size > 3_000
    return assy


def placed(assy: Any, name: str) -> Any:
    """The shape of a part where it is, as a workplane."""
    return cq.Workplane(obj=assy.objects[name].toCompound())


def axes(assy: Any, name: str, radius: float) -> list[tuple[Any, Any]]:
    """Points on the axes of a part's cylinders of this radius, by x, and their directions."""
    from OCP.BRepAdaptor import BRepAdaptor_Surface

    out = []
    for face in placed(assy, name).faces("%CYLINDER").vals():
        found = BRepAdaptor_Surface(face.wrapped).Cylinder()
        at, way = found.Axis().Location(), found.Axis().Direction()
        if abs(found.Radius() - radius) < 1e-9:
            lines = ((p.X(), p.Y(), p.Z()) for p in (at, way))
            out.append(tuple(map(np.array, lines)))
    return sorted(out, key=lambda line: line[0][0])


def off(one: tuple[Any, Any], two: tuple[Any, Any]) -> float:
    """How far two lines are from being one, mm and rad."""
    aside = np.cross(two[0] - one[0], one[1])
    return float(max(np.linalg.norm(aside), np.linalg.norm(np.cross(one[1], two[1]))))


def test_the_hinge_folds_and_says_where_it_stops(shown: Any, capsys: Any) -> None:
    assy = run("hinge", shown)
    bores = [axes(assy, name, 2.5)[0] for name in ("left", "right", "pin")]
    assert off(bores[0], bores[1]) < 1e-9 and off(bores[0], bores[2]) < 1e-9
    normals = [placed(assy, name).faces("%PLANE").vals() for name in ("left", "right")]
    large = [max(faces, key=lambda f: f.Area()).normalAt().toTuple() for faces in normals]
    assert degrees(acos(abs(np.dot(*large)))) == pytest.approx(70, abs=1e-6)
    assert assy.toCompound().BoundingBox().ymax == pytest.approx(32, abs=1e-6)  # the head
    assert "limit joint angle allows 0 deg at most" in capsys.readouterr().out
    assert Path("hinge.step").stat().st_size > 10_000


def test_the_slider_crank_has_its_stroke_and_stands_where_it_is_shown(
    shown: Any, capsys: Any
) -> None:
    assy = run("slider_crank", shown)
    assert "stroke 120.000 mm, fastest 1.988 m/s" in capsys.readouterr().out
    pins = {name: axes(assy, name, 4.0) for name in ("bed", "crank", "rod", "piston")}
    crank, rod = pins["crank"], pins["rod"]
    x, y, _ = crank[-1][0] - crank[0][0]
    assert degrees(atan2(y, x)) == pytest.approx(60, abs=1e-6)
    for one, two in ((crank[-1], rod[0]), (rod[-1], pins["piston"][0]), (pins["bed"][0], crank[0])):
        assert off(one, two) < 1e-6


def test_the_flange_tells_which_hole_is_off_and_all_bolts_are_in_theirs(
    shown: Any, capsys: Any
) -> None:
    assy = run("flange", shown)
    good, bad, loose = capsys.readouterr().out.splitlines()
    assert "8 degrees of freedom; 45 redundant equations, consistent" in good
    # of the equal sets, those with the next bolt; the chord of its hole and of hole 0, 0.2 mm off
    chord = hypot(80.2 - 80 * cos(pi / 4), 80 * sin(pi / 4)) - 160 * sin(pi / 8)
    set_of = r"lower 0, upper 0, lower 1 and upper 1 cannot hold together: .* ([\d.]+) mm at best"
    said = re.search(set_of, bad)
    assert said is not None, bad
    assert float(said[1]) == pytest.approx(chord, abs=1e-5)
    assert "25 mates hold (0.08" in loose
    lowers, uppers = axes(assy, "lower", 6.5), axes(assy, "upper", 6.5)
    assert len(uppers) == 8
    assert all(min(off(lower, upper) for lower in lowers) < 1e-6 for upper in uppers)
    plates = placed(assy, "lower").union(placed(assy, "upper"))
    for k in range(8):
        bolt = placed(assy, f"bolt {k}")
        assert bolt.val().BoundingBox().zmin == pytest.approx(-8, abs=1e-6)
        common = bolt.intersect(plates).vals()
        assert sum(s.Volume() for s in common if isinstance(s, cq.Shape)) < 1e-6


def test_the_boom_turns_as_the_triangle_of_its_pins_tells(shown: Any, capsys: Any) -> None:
    """Foot (0, 0), barrel pin (500, -500), rod pin at (1300, -250) of the boom; law of cosines."""
    assy = run("boom", shown)
    table = re.findall(r"([\d.]+) mm +([\d.]+) deg", capsys.readouterr().out)
    reach, arm = hypot(500, 500), hypot(1300, 250)
    at_rest = atan2(-250, 1300) - atan2(-500, 500)
    lengths, angles = np.array(table[-8:], float).T
    assert list(lengths) == [950, 1000, 1050, 1100, 1150, 1200, 1250, 1300]
    opened = np.arccos((reach**2 + arm**2 - lengths**2) / (2 * reach * arm))
    assert angles == pytest.approx(np.degrees(opened - at_rest), abs=6e-4)
    assert off(axes(assy, "rod", 35.5)[0], axes(assy, "boom", 78.0)[0]) < 1e-6
