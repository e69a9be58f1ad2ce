"""A wrong argument of any public call ends in one line that names it, and changes nothing."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from mechanisms import hinge

import assembly_solver as asm
from assembly_solver import errors
from assembly_solver.errors import AssemblySolverError, BadValue
from assembly_solver.formats.native import assembly_json
from assembly_solver.foundations.arguments import rules_of

pytestmark = pytest.mark.quick

VERBS = {n: v for n in asm.__all__ if isinstance(v := getattr(asm, n), FunctionType)}
NOT_OURS: list[Any] = [None, 3, "door", (), ("a", "b"), {}, np.zeros(3), object(), int, 10**5000]


@pytest.mark.parametrize("name", sorted(VERBS))
def test_the_first_argument_of_each_verb_is_refused_where_it_is_nothing_of_ours(name: str) -> None:
    first, rule = next(iter(rules_of(VERBS[name].__wrapped__).items()))  # type: ignore[attr-defined]
    refused = [value for value in NOT_OURS if rule.fault(value) is not None]
    for value in refused:
        with pytest.raises(BadValue) as caught:
            VERBS[name](**{first: value})
        assert str(caught.value).startswith(f"{name}({first}): ")
        assert "it must be a" in str(caught.value) and "\n" not in str(caught.value)
    assert len(refused) >= 6 or name in ("pick", "picks")  # these take shapes of any program


OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "budget as text": ({"budget": "9"}, "solve(budget): '9' is not possible here, it must be a n"),
    "budget as an array": ({"budget": np.ones(2)}, "solve(budget): array([1., 1.]) is not poss"),
    "mode": ({"mode": ["a"]}, "solve(mode): ['a'] is not possible here, it must be a text"),
    "certify": ({"certify": "no"}, "solve(certify): 'no' is not possible here, it must be True or"),
    "cancel": ({"cancel": 3}, "solve(cancel): 3 is not possible here, it must be a function"),
    "eta": ({"eta": {}}, "solve(eta): {} is not possible here, it must be a number"),
    "tolerance": ({"tolerance": True}, "solve(tolerance): True is not possible here, it must be"),
}


@pytest.mark.parametrize("case", sorted(OPTIONS))
def test_an_option_of_a_solve_is_refused_by_its_name(case: str) -> None:
    options, message = OPTIONS[case]
    with pytest.raises(BadValue) as caught:
        asm.solve(hinge(), **options)
    assert str(caught.value).startswith(message)


def test_a_sweep_names_the_driver_that_is_a_list() -> None:
    with pytest.raises(BadValue, match=r"^sweep\(driver\): \['hinge'\] is not possible here, it "):
        asm.sweep(hinge(), ["hinge"], angle=(0, 9))  # type: ignore[arg-type]
    with pytest.raises(BadValue, match=r"^study\(vary\): 3 is not possible here"):
        asm.study(hinge(), 3)  # type: ignore[arg-type]


EDITS: dict[str, tuple[Callable[[Any], object], str]] = {
    "a list as name": (lambda a: a.remove(["hinge"]), "remove(name): ['hinge'] is not possible"),
    "a text for what is true or false": (
        lambda a: a.ground("door", "no"),
        "ground(grounded): 'no' is not possible here, it must be True or False",
    ),
    "an array for what is true or false": (
        lambda a: a.remove("hinge", alone=np.zeros(3)),
        "remove(alone): array([0., 0., 0.]) is not possible here",
    ),
    "no pose": (
        lambda a: a.move({"frame": asm.Pose(), "door": (1, 2, 3)}),
        "move(poses['door']): (1, 2, 3) is not possible here, it must be a Pose",
    ),
    "no features": (
        lambda a: a.set_features(asm.Point((0, 0, 0))),
        "set_features(features): Point(point=(0.0, 0.0, 0.0)) is not possible here",
    ),
    "features in a list": (
        lambda a: a.add("lid", features=[1]),
        "add(features): [1] is not possible here, it must be a dictionary",
    ),
    "itself as a file": (lambda a: a.set_geometry("door", a), "set_geometry(geometry): Assembly("),
    "a solution": (lambda a: a.add_assembly("sub", asm.solve(a)), "add_assembly(other): Solution("),
    "poses that are none": (
        lambda a: a.add_pattern("row", "door", [asm.Pose(), None]),
        "add_pattern(poses[1]): None is not possible here, it must be a Pose",
    ),
    "a number as its name": (lambda a: setattr(a, "name", 5), "name: 5 is not possible here"),
    "a huge number": (
        lambda a: a.limit("axis", "angle", max=10**5000),
        "limits.max: a very large int is not possible here",
    ),
}


@pytest.mark.parametrize("case", sorted(EDITS))
def test_an_edit_with_a_wrong_argument_changes_nothing(case: str) -> None:
    edit, message = EDITS[case]
    a = hinge()
    before, revision = assembly_json.dump(a), a.revision
    with pytest.raises(BadValue) as caught:
        edit(a)
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)
    assert assembly_json.dump(a) == before and a.revision == revision
    assert asm.solve(a)


def lifted() -> asm.Assembly:
    """A rod of which the height of the end is measured."""
    a = asm.Assembly("rod")
    a.add("rod", grounded=True, features={"end": asm.Point((30, 4, 0))})
    a.measure("height", point="rod.end", along="y")
    return a


LATE: dict[str, tuple[Callable[[], object], str]] = {
    "a seed below 0": (
        lambda: asm.tolerance(hinge(), seed=-1),
        "seed: -1 is not possible here, it must be a whole number of at least 0",
    ),
    "no columns": (
        lambda: asm.sensitivities(hinge(), [], []),
        "to: [] is not possible here, it must be one name or more",
    ),
    "rows in lists": (
        lambda: asm.sensitivities(hinge(), [["axis", "angle"]]),  # type: ignore[list-item]
        "of: ['axis', 'angle'] is not possible here, it must be a name, or the names of a j",
    ),
    "a share below 0": (
        lambda: asm.solve(hinge(), eta=-1.0),
        "eta: -1.0 is not possible here, it must be a number of at least 0",
    ),
    "a share that is none": (lambda: asm.solve(hinge(), eta=float("nan")), "eta: nan is not poss"),
    "an error below 0": (
        lambda: asm.linkage(hinge(), error=-1.0),
        "error: -1.0 is not possible here, it must be a length above 0",
    ),
    "the motion of another solution": (
        lambda: asm.free_run(asm.solve(hinge()), {"kind": "x"}),
        "free_run(motion): {'kind': 'x'} is not possible here, it must be one of the free motions",
    ),
    "the dictionary of a solution": (
        lambda: asm.tolerance_page("hinge", asm.solve(hinge()).to_dict()),
        "tolerance_page(result): {",
    ),
    "a huge radius": (lambda: asm.Sphere((0, 0, 0), radius=10**400), "radius: 1000"),
    "a huge mass": (lambda: asm.Mass(10**400, (0, 0, 0)), "kg: 1000"),
    "a huge angle": (
        lambda: asm.sweep(hinge(), "axis", angle=[0, 10**400]),
        "sweep(angle[1]): 1000",
    ),
    "a text for what is true or false": (
        lambda: asm.analyse(hinge()).equation_graph("no"),  # type: ignore[arg-type]
        "equation_graph(drivers): 'no' is not possible here, it must be True or False",
    ),
    "a number as a measure": (
        lambda: asm.sensitivities(lifted(), to=["rod.end.y"]).unit(0, "rod.end.y"),  # type: ignore[arg-type]
        "unit(row): 0 is not possible here, it must be a text",
    ),
    "a huge budget": (lambda: asm.solve(hinge(), budget=10**400), "solve(budget): 1000"),
}


@pytest.mark.parametrize("case", sorted(LATE))
def test_a_value_that_its_type_allows_is_refused_in_one_line(case: str) -> None:
    call, message = LATE[case]
    with pytest.raises(BadValue) as caught:
        call()
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


def test_a_derivative_is_asked_for_by_its_names_or_those_that_there_are_are_told() -> None:
    found = asm.sensitivities(lifted(), to=["rod.end.y"])
    assert (found["height", "rod.end.y"], found.unit("height", "rod.end.y")) == (1.0, "mm/mm")
    with pytest.raises(errors.UnknownName, match=r"^no measure 'heigt'; did you mean 'height'"):
        found["heigt", "rod.end.y"]
    with pytest.raises(errors.UnknownName, match=r"^no variable 'rod\.end\.x'; did you mean 'rod"):
        found.unit("height", "rod.end.x")


def called_wrongly(a: Any) -> dict[str, tuple[Callable[[], object], str]]:
    return {
        "a far word": (
            lambda: a.ground("door", still=1),
            "ground: no argument 'still'; it takes name, grounded",
        ),
        "a near word": (
            lambda: a.limit("axis", "angle", minimum=3),
            "limit: no argument 'minimum', did you mean 'min'; it takes joint, coordinate, sep",
        ),
        "too few": (lambda: a.move(), "move: missing a required argument: 'poses'; it takes poses"),
        "too few, with more by name": (
            lambda: a.mate(offset=3),
            "mate: missing a required argument: 'kind', given offset; it takes kind, a, b, name, ",
        ),
        "too many": (
            lambda: a.set("x", 1, 2),
            "set: too many positional arguments; it takes name, value",
        ),
        "a verb": (lambda: asm.solve(a, tol=1), "solve: no argument 'tol'; it takes assembly, tol"),  # type: ignore[call-arg]
        "a class": (lambda: asm.Session(a, cancl=1), "Session: no argument 'cancl', did you mea"),  # type: ignore[call-arg]
        "a solution": (
            lambda: asm.solve(hinge()).to_dict(part=False),  # type: ignore[call-arg]
            "to_dict: no argument 'part', did you mean 'parts'; it takes parts",
        ),
        "an analysis": (
            lambda: asm.analyse(hinge()).systems(driver=False),  # type: ignore[call-arg]
            "systems: no argument 'driver', did you mean 'drivers'; it takes drivers",
        ),
        "a feature": (
            lambda: asm.Axis((0, 0, 0), "z", radus=1),  # type: ignore[call-arg]
            "Axis: no argument 'radus', did you mean 'radius'; it takes point, direction, x",
        ),
        "a pose by its axis": (
            lambda: asm.Pose.from_axis((0, 0, 0), "z", angel=1),  # type: ignore[call-arg]
            "from_axis: no argument 'angel', did you mean 'angle'; it takes position, axis, angle",
        ),
        "a pose": (lambda: asm.Pose(at=(0, 0, 0)), "Pose: no argument 'at'; it takes position, q"),  # type: ignore[call-arg]
    }


@pytest.mark.parametrize("case", sorted(called_wrongly(None)))
def test_an_argument_that_a_call_does_not_take_is_told_with_those_it_takes(case: str) -> None:
    a = hinge()
    revision = a.revision
    call, message = called_wrongly(a)[case]
    with pytest.raises(errors.BadCall) as caught:
        call()
    assert str(caught.value).startswith(message) and a.revision == revision


def test_an_error_of_python_inside_a_call_stays_what_it_is() -> None:
    with pytest.raises(TypeError, match="unsupported operand") as caught:
        asm.solve(hinge(), cancel=lambda: 1 + "a")  # type: ignore[operator]
    assert type(caught.value) is TypeError


def test_an_error_inside_a_call_is_one_line_further_down_for_the_check_of_its_arguments() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        asm.solve(hinge(), cancel=lambda: 1 / 0 > 0)
    assert [entry.path.name for entry in caught.traceback].count("arguments.py") == 1


def test_the_speed_of_an_input_that_a_linkage_has_not_is_refused_at_once() -> None:
    a = asm.Assembly()
    a.pins(A=(0, 0), B=(0, 30))
    a.link("ground", "A", grounded=True)
    a.link("crank", "A B")
    a.drive("turn", at="A", value=90)
    with pytest.raises(errors.UnknownName, match="'tum'"):
        asm.linkage(a).run({"turn": [90, 100]}, speed={"tum": 1.0})


def test_numbers_of_numpy_and_columns_of_tables_are_taken() -> None:
    a = hinge()
    a.ground("frame", np.True_)
    assert asm.solve(a, budget=np.float32(9), tolerance=np.float64(1e-3))
    swept = asm.sweep(a, "axis", angle=np.linspace(0, 30, 4), steps=None)
    assert len(swept.t) == 4 and swept.valid.all()
    assert asm.sweep(a, "axis", angle=range(0, 31, 10)).valid.all()


@pytest.mark.parametrize("values", [[30.0], (0, 10, 30)])
def test_steps_are_refused_where_each_state_has_its_value(values: object) -> None:
    with pytest.raises(BadValue, match=r"^sweep\.steps: 9 .* left out where each state has"):
        asm.sweep(hinge(), "axis", angle=values, steps=9)


@pytest.mark.parametrize("value", [3, "wide", np.zeros(3), lambda: 1], ids=type)
def test_an_error_comes_whole_from_another_process(value: object) -> None:
    error = BadValue("turn", value, "a number")
    error.add_note("of row 3")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is BadValue and str(again) == str(error)
    assert isinstance(again.value, str) and again.__notes__ == ["of row 3"]


def test_every_error_is_read_again() -> None:
    """As it was raised, with what it holds."""
    found = [
        errors.UnknownName("mate", "x", ["y"], "mates[1]"),
        errors.MissingFile("a.json", ["b.json"]),
        errors.Unsolved("no solution", "conflicting"),
        errors.FreeInNoJoint(["b", "a"]),
        errors.NothingToUndo(),
        errors.MissingExtra("proof", "a proof"),
    ]
    for error in found:
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error)
        assert vars(again) == vars(error)


def test_a_verb_is_found_by_another_process() -> None:
    assert pickle.loads(pickle.dumps(asm.solve)) is asm.solve


def test_an_error_of_a_worker_process_is_the_house_s_own() -> None:
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(AssemblySolverError, match=r"^solve\(assembly\): 'door' is not"),
    ):
        pool.submit(asm.solve, "door").result()
