"""CadQuery's own `Assembly.solve()` on the engine: its rules, its tests, its tutorial's door."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from math import cos, degrees, radians
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assembly_solver as asm

cq = pytest.importorskip("cadquery")

from assembly_solver_cadquery import diagnose, mate, solve, to_assembly, use  # noqa: E402
from assembly_solver_cadquery.places import pose_of  # noqa: E402
from assembly_solver_cadquery.taken import ConstraintShape  # noqa: E402
from cadquery.occ_impl.solver import ConstraintSpec  # noqa: E402
from tutorial_door import CONSTRAINTS, door  # noqa: E402

ROOT = Path(__file__).parents[2]
THROWN = cq.Location((3, -8, 6), (1, 2, 3), 50)


def boxes(where: Any = THROWN) -> Any:
    """Two boxes, the second thrown somewhere."""
    assy = cq.Assembly(name="two").add(cq.Workplane().box(2, 2, 2), name="a")
    return assy.add(cq.Workplane().box(1, 2, 4), name="b", loc=where)


def location(assy: Any, name: str) -> asm.Pose:
    return pose_of(assy.objects[name].loc)


# ------------------------------------------------------------------------------ coming and going
def test_cadquery_gets_its_own_solver_back_on_leaving() -> None:
    own = cq.Assembly.solve
    with use():
        assert cq.Assembly.solve is not own
        with use(tolerance=1e-3):
            pass
        assert cq.Assembly.solve is not own
    assert cq.Assembly.solve is own
    used = use()
    assert cq.Assembly.solve is not own
    used.leave()
    used.leave()
    assert cq.Assembly.solve is own
    with pytest.raises(RuntimeError, match="lost"), use():
        raise RuntimeError("lost")
    assert cq.Assembly.solve is own


def test_a_solve_returns_the_assembly_and_keeps_the_result_by_cadquerys_names() -> None:
    assy = boxes().constrain("a@faces@>Z", "b@faces@<Z", "Plane")
    with use():
        assert assy.solve() is assy
    kept = assy._solve_result
    assert kept["success"] is True and kept["return_status"] == "Solve_Succeeded"
    assert kept["iterations"]["inf_pr"][-1] < 1e-9
    assert kept["solution"].dof == 1


# ------------------------------------------------------------------------------------ F3 and F4
def test_a_contradiction_is_an_error_with_its_reason_and_nothing_has_moved() -> None:
    """CadQuery calls it a success and leaves the part half-way."""
    assy = boxes().constrain("a", "b", "Point").constrain("a@faces@>Z", "b@faces@<Z", "Point")
    assy.constrain("a@faces@>X", "b@faces@>X", "Point")
    before = assy.objects["b"].loc
    with use(), pytest.raises(asm.Unsolved, match="cannot hold together") as caught:
        assy.solve()
    assert assy.objects["b"].loc is before
    assert assy._solve_result["success"] is False
    assert assy._solve_result["return_status"] == "Infeasible_Problem_Detected"
    assert re.search(r"Point a@faces@>[XZ] - b@faces@.* mm", str(caught.value))


def test_a_plane_that_holds_is_not_spun_about_its_free_axis() -> None:
    """CadQuery turns it by 6 to 141 degrees, and again by every further solve."""
    start = cq.Location((0, 0, 3), (0, 0, 1), 25)
    assy = boxes(start).constrain("a@faces@>Z", "b@faces@<Z", "Plane")
    with use():
        for _ in range(3):
            assy.solve()
    assert assy.objects["b"].loc is not None
    assert location(assy, "b") == pose_of(start)


def test_a_plane_is_reached_without_spin() -> None:
    """From 5 mm beside and 1 mm above: straight there."""
    assy = boxes(cq.Location((5, 0, 4), (0, 0, 1), 25))
    assy.constrain("a@faces@>Z", "b@faces@<Z", "Plane")
    with use():
        assy.solve()
    assert location(assy, "b").position == pytest.approx((0, 0, 3), abs=1e-9)
    assert location(assy, "b").rotation[0, 0] == pytest.approx(cos(radians(25)), abs=1e-9)


# ------------------------------------------------------------------------------------- the rules
def test_the_first_part_is_held_where_nothing_is_fixed_and_else_what_is_fixed() -> None:
    for fixed, held in ((None, "a"), ("b", "b")):
        assy = boxes().constrain("a@faces@>Z", "b@faces@<Z", "Plane")
        if fixed:
            assy.constrain(fixed, "Fixed")
        before = location(assy, held)
        with use():
            assy.solve()
        assert location(assy, held) == before
        assert assy._solve_result["solution"].grounded == [held]


def test_a_part_placed_in_space_is_not_held_in_the_place_of_its_constraint() -> None:
    """CadQuery holds it, so that its FixedPoint has no effect."""
    assy = boxes().constrain("b", "FixedPoint", (1, 2, 3)).constrain("b", "a", "Point", 5)
    with use():
        assy.solve()
    assert location(assy, "b").position == pytest.approx((1, 2, 3), abs=1e-9)
    gap = np.subtract(location(assy, "a").position, (1, 2, 3))
    assert np.linalg.norm(gap) == pytest.approx(5, abs=1e-9)


def test_a_root_with_a_shape_is_held_and_its_children_are_told_in_its_frame() -> None:
    place = cq.Location((10, 20, 30), (0, 1, 1), 70)
    assy = cq.Assembly(cq.Workplane().box(2, 2, 2), name="root", loc=place)
    assy.add(cq.Workplane().box(1, 2, 4), name="b", loc=THROWN)
    assy.constrain("root@faces@>Z", "b@faces@<Z", "Plane").constrain(
        "root@faces@>X", "b@faces@>X", "Axis", 0
    )
    with use():
        assy.solve()
    found = location(assy, "b")
    assert found.position == pytest.approx((0, 0, 3), abs=1e-9)
    assert found.rotation == pytest.approx(np.eye(3), abs=1e-9)
    kept = assy.objects["b"].loc
    with use():
        assy.solve()
    assert assy.objects["b"].loc is kept and assy.loc is place
    assy.constrain("b", "FixedPoint", tuple((place * kept).toTuple()[0]))
    with use():
        assy.solve()  # told in the frame that the root stands in: it holds already
    assert assy.objects["b"].loc is kept


@pytest.mark.parametrize("angle", [0, 30, 90, 180, 210, -30, 390])
def test_angles_are_degrees_of_any_size_and_sign(angle: float) -> None:
    assy = boxes().constrain("a@faces@>Z", "b@faces@>Z", "Axis", angle)
    with use():
        assy.solve()
    found = location(assy, "b").rotation[:, 2] @ location(assy, "a").rotation[:, 2]
    assert found == pytest.approx(cos(radians(angle)), abs=1e-9)


def test_offsets_and_distances_are_millimetres() -> None:
    assy = boxes().constrain("a", "Fixed")
    assy.constrain("b@vertices@>X and >Y and >Z", "a@faces@>X", "PointInPlane", -0.25)
    corner = "b@vertices@<X and <Y and <Z"
    assy.constrain(corner, "a@edges@|Z and >X and >Y", "PointOnLine", 2.5)
    with use():
        assy.solve()
    found = location(assy, "b").apply([[0.5, 1, 2], [-0.5, -1, -2]])
    assert found[0, 0] == pytest.approx(1 - 0.25, abs=1e-9)
    assert np.hypot(*(found[1, :2] - 1)) == pytest.approx(2.5, abs=1e-9)


def test_fixed_axis_and_rotation_turn_a_part_in_space() -> None:
    assy = boxes().constrain("a", "Fixed").constrain("b", "FixedRotation", (20, 30, 40))
    with use():
        assy.solve()
    turn = assy.objects["b"].loc.toTuple()[1]
    assert turn == pytest.approx((20, 30, 40), abs=1e-9)
    assy = boxes().constrain("a", "Fixed").constrain("b@faces@>X", "FixedAxis", (0, 3, 4))
    with use():
        assy.solve()
    assert location(assy, "b").rotation[:, 0] == pytest.approx((0, 0.6, 0.8), abs=1e-9)


@pytest.mark.parametrize("assy", [boxes(), boxes().constrain("b", "FixedRotation", (9, 0, 0))])
def test_an_assembly_with_nothing_to_solve_is_refused(assy: Any) -> None:
    with use(), pytest.raises(ValueError, match="constraint"):
        assy.solve()


def test_mates_of_the_plugin_hold_beside_constraints() -> None:
    assy = boxes().constrain("a@faces@>Z", "b@faces@<Z", "Plane")
    mate(assy, "a@faces@>X", "b@faces@>X", "parallel", sense="aligned")
    with use():
        assy.solve()
    assert location(assy, "b").rotation == pytest.approx(np.eye(3), abs=1e-9)
    assert [m.name for m in diagnose(assy).mates][1] == "Plane a@faces@>Z - b@faces@<Z"
    again = boxes()
    again.constraints = assy.constraints
    assert solve(again).require().dof == 1
    assert len(to_assembly(again).mates) == 1


# --------------------------------------------------------------- shapes as CadQuery takes them
def test_constraints_take_shapes_for_what_cadquery_takes_them_for() -> None:
    """Centres, normals, tangents, to 1e-9, of plain, turned, mirrored and cut solids."""
    cut = cq.Workplane().cylinder(4, 2).cut(cq.Workplane().box(1, 1, 9)).translate((3, 2, 1))
    solids = (
        cq.Workplane().box(3, 4, 5).edges().fillet(0.3),
        cq.Workplane("YZ").box(3, 4, 5).mirror("XY"),
        cq.Workplane().sphere(2),
        cut.rotate((0, 0, 0), (1, 1, 0), 33),
    )
    kinds = ("faces", "edges", "vertices", "wires")
    shapes = [s for solid in solids for kind in kinds for s in getattr(solid, kind)().vals()]
    theirs = object.__new__(ConstraintSpec)
    for shape in shapes:
        taken = ConstraintShape(shape)
        assert taken.point().frame[:3] == _near(theirs._getPnt(shape))
        if isinstance(shape, (cq.Face, cq.Edge)):
            own = getattr(taken, taken.directed)().frame[9:]
            assert own == _near(theirs._getAxis(shape))
        if isinstance(shape, cq.Edge):
            assert taken.edge().frame[9:] == _near(theirs._getLin(shape).Direction())
        if isinstance(shape, cq.Face):
            plane, flat = taken.plane().frame, theirs._getPln(shape)
            assert plane[9:] == _near(flat.Axis().Direction())
            gap = np.subtract(plane[:3], taken.point().frame[:3])
            assert gap @ np.array(plane[9:]) == pytest.approx(0, abs=1e-9)
    assert len(shapes) > 100


def _near(of: Any) -> Any:
    return pytest.approx((of.X(), of.Y(), of.Z()), abs=1e-9)


# ------------------------------------------------------------------- the door of the tutorial
def test_the_door_of_the_tutorial_is_solved_and_every_constraint_holds() -> None:
    """Judged by the shapes where they came to stand, as CadQuery places them."""
    made = door(cq)
    with use():
        made.solve()
    found = made._solve_result["solution"]
    assert (found.dof, len(found.mates)) == (0, len(CONSTRAINTS))
    worst_gap = worst_turn = 0.0
    for c in made.constraints:
        one, two = (
            ConstraintShape(shape.moved(made.objects[name].loc))
            for name, shape in zip(c.objects, c.args, strict=True)
        )
        if c.kind in ("Plane", "Point"):
            gap = np.subtract(one.point().frame[:3], two.point().frame[:3])
            worst_gap = max(worst_gap, float(np.linalg.norm(gap)))
        if c.kind in ("Plane", "Axis"):
            z = [getattr(t, t.directed)().frame[9:] for t in (one, two)]
            turn = degrees(float(np.linalg.norm(np.add(*z))))  # face to face: opposed
            worst_turn = max(worst_turn, turn)
    assert worst_gap < 1e-9 and worst_turn < 1e-9
    with use():
        places = [child.loc for child in made.children]
        made.solve()
    assert all(child.loc is loc for child, loc in zip(made.children, places, strict=True))


# ------------------------------------------------------------------------- CadQuery's own tests
@pytest.fixture(scope="module")
def their_tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`test_assembly.py` of the installed CadQuery, from its source distribution."""
    folder = tmp_path_factory.mktemp("cadquery")
    fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
    fetch += ["--no-binary", "cadquery", "-d", str(folder), f"cadquery=={cq.__version__}"]
    got = subprocess.run(fetch, capture_output=True, text=True, timeout=300)
    found = sorted(folder.glob("cadquery-*.tar.gz"))
    if not found:
        words = (got.stderr.strip().splitlines() or ["no words"])[-1]
        pytest.skip(f"no source distribution of cadquery {cq.__version__} by pip: {words}")
    with tarfile.open(found[0]) as archive:
        names = [n for n in archive.getnames() if n.endswith("/tests/test_assembly.py")]
        if not names:
            pytest.skip(f"{found[0].name} carries no tests/test_assembly.py")
        content = archive.extractfile(names[0])
        assert content is not None
        own = folder / Path(names[0]).name
        own.write_bytes(content.read())
    return own


def test_cadquerys_own_tests_of_assemblies_pass_on_the_engine(their_tests: Path) -> None:
    """All of them, and every call of `solve` in them came to the engine."""
    folder = their_tests.parent
    (folder / "on_the_engine.py").write_text(
        "from assembly_solver_cadquery import use, using\n"
        "calls = []\n"
        "whole = using._solve\n"
        "using._solve = lambda *a: (calls.append(a), whole(*a))[1]\n"
        "used = use()\n"
        "def pytest_sessionfinish(): print(f'\\nsolved on the engine: {len(calls)} times')\n"
    )
    paths = [str(ROOT), str(ROOT / "plugin" / "cadquery"), str(folder)]
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "on_the_engine"]
    got = subprocess.run(
        [*call, "-W", "ignore", "-s", str(their_tests)],
        cwd=folder,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        text=True,
    )
    assert got.returncode == 0, got.stdout[-3000:] + got.stderr[-1000:]
    solved = re.search(r"solved on the engine: (\d+) times", got.stdout)
    assert solved and int(solved[1]) >= 29  # as many as there are in those of 2.8
