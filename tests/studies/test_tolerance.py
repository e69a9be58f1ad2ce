"""Tolerance analysis against closed forms, which are derived in the tests."""

from __future__ import annotations

import json
from itertools import product
from math import acos, cos, degrees, erf, radians, sin, sqrt
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from test_sensitivities import slider

import assembly_solver as asm
from assembly_solver.cli.program import main
from assembly_solver.errors import BadValue, MissingKey
from assembly_solver.formats.native import assembly_json
from assembly_solver.report.page.tolerance_page import tolerance_page
from assembly_solver.studies.spread_statistics import repeated

pytestmark = pytest.mark.quick

CLUTCH = Path(__file__).parents[2] / "samples" / "one_way_clutch.assembly.json"


def pressure_angle(hub: float, roller: float, cage: float) -> float:
    """Degrees: the roller's centre is `hub + roller` above the middle, `cage - roller` from it."""
    return degrees(acos((hub + roller) / (cage - roller)))


def test_the_clutch_has_its_pressure_angle_and_sensitivities() -> None:
    """cos phi = (hub + roller) / (cage - roller), differentiated."""
    s = asm.sensitivities(asm.read(CLUTCH))
    assert s.nominal[0] == pytest.approx(pressure_angle(27.645, 11.43, 50.8), abs=1e-10)
    assert s.nominal[0] == pytest.approx(7.0183898, abs=5e-8)
    high, far = 27.645 + 11.43, 50.8 - 11.43
    scale = degrees(1.0) / sqrt(1.0 - (high / far) ** 2)
    exact = (-scale / far, -scale * (1 / far + high / far**2), scale * high / far**2)
    for name, value, shown in zip(s.columns, exact, (-11.9105, -23.7317, 11.8212), strict=True):
        assert s["phi", name] == pytest.approx(value, abs=1e-10)
        assert value == pytest.approx(shown, abs=5e-5)
    assert s.unit("phi", "hub") == "deg/mm"


def test_the_spread_of_the_clutch_is_that_of_its_closed_form() -> None:
    found = asm.tolerance(asm.read(CLUTCH), samples=4000, seed=3)
    phi = found.measures["phi"]
    ends = [
        pressure_angle(27.645 + 0.0125 * h, 11.43 + 0.01 * r, 50.8 + 0.0125 * c)
        for h, r, c in product((-1, 1), repeat=3)
    ]
    assert phi.worst_case == pytest.approx((min(ends), max(ends)), abs=1e-9)
    assert (found.solved, found.not_solved, found.modes) == (4000, 0, {"+": 4000})
    rng = np.random.default_rng(5)
    hub, roller, cage = rng.normal(size=(3, 400000)) * np.array([[0.0125], [0.01], [0.0125]]) / 3
    exact = np.degrees(np.arccos((27.645 + hub + 11.43 + roller) / (50.8 + cage - 11.43 - roller)))
    error = phi.sampled["std_error"]
    assert error == pytest.approx(exact.std() / sqrt(4000), rel=0.05)
    assert abs(phi.sampled["mean"] - exact.mean()) < 4 * error
    assert abs(phi.quasi["mean"] - exact.mean()) < 4 * exact.std() / sqrt(400000)
    assert phi.quasi["std_error"] < error / 4
    assert phi.sampled["std"] == pytest.approx(exact.std(), rel=0.05)
    assert sum(phi.contributions.values()) == pytest.approx(1.0, abs=1e-12)
    assert not phi.shapley
    assert phi.contributions["roller"] == pytest.approx(0.5614, abs=1e-4)
    assert phi.worst_case_at[0] == pytest.approx({"hub": 0.0125, "roller": 0.01, "cage": -0.0125})
    for order in (phi.first_order, phi.total_order):  # nearly linear: those of the variance
        assert order == pytest.approx(phi.contributions, abs=0.02)
    assert 0 < phi.order_error < 0.1
    counts, edges = (phi.sampled["histogram"][key] for key in ("counts", "edges"))
    assert sum(counts) == 4000 and len(edges) == len(counts) + 1
    assert edges[0] <= found.values.min() < found.values.max() <= edges[-1]


def stack() -> asm.Assembly:
    """Three blocks on a table; their heights add up, and so do their tolerances."""
    tree = {"format": "assembly-solver/1", "parameters": {"h0": 10.0, "h1": 20.0, "h2": 30.0}}
    up = {"normal": [0, 0, 1]}
    down = {"normal": [0, 0, -1]}
    parts: dict[str, object] = {
        "table": {"grounded": True, "features": {"top": {"plane": {"point": [0, 0, 0]} | up}}}
    }
    mates = []
    for k in range(3):
        features = {
            "foot": {"plane": {"point": [0, 0, 0]} | down},
            "top": {"plane": {"point": [0, 0, f"=h{k}"]} | up},
        }
        parts[f"b{k}"] = {"features": features}
        below = "table.top" if k == 0 else f"b{k - 1}.top"
        mates.append({"kind": "coplanar", "a": below, "b": f"b{k}.foot", "sense": "opposed"})
    tolerances = {f"h{k}": {"parameter": f"h{k}", "plus": 0.1 * (k + 1)} for k in range(3)}
    tolerances["h1"] |= {"minus": 0.2, "distribution": "uniform"}
    tolerances["h2"] |= {"minus": 0.3, "distribution": "triangular"}
    height = {"distance": ["table.top", "b2.top"], "min": 59.75, "max": 60.25}
    tree |= {"parts": parts, "mates": mates, "tolerances": tolerances}
    return assembly_json.read_text(json.dumps(tree | {"measures": {"height": height}}))


def test_a_stack_of_blocks_adds_up() -> None:
    """height = h0 + h1 + h2: variances 0.05^2/9 (normal), 0.2^2/3 (uniform), 0.3^2/6."""
    found = asm.tolerance(stack(), samples=20000, seed=1)
    height = found.measures["height"]
    assert height.nominal == pytest.approx(60.0, abs=1e-10)
    assert height.worst_case == pytest.approx((59.5, 60.6), abs=1e-9)
    assert height.linear_worst_case == pytest.approx((59.5, 60.6), abs=1e-9)
    variances = np.array([0.05**2 / 9, 0.2**2 / 3, 0.3**2 / 6])
    assert height.rss["mean"] == pytest.approx(60.05, abs=1e-10)
    assert height.rss["std"] == pytest.approx(sqrt(variances.sum()), abs=1e-12)
    assert list(height.contributions.values()) == pytest.approx(variances / variances.sum())
    assert height.sampled["std"] == pytest.approx(sqrt(variances.sum()), rel=0.02)
    assert height.sampled["cp"] == pytest.approx(0.5 / (6 * sqrt(variances.sum())), rel=0.02)
    rng = np.random.default_rng(9)
    top = 60.05 + rng.normal(size=400000) * 0.05 / 3 + rng.uniform(-0.2, 0.2, 400000)
    top += rng.triangular(-0.3, 0, 0.3, 400000)
    share = float(np.mean((top > 59.75) & (top < 60.25)))
    assert abs(height.sampled["meets"] - share) < 5 * height.sampled["meets_error"]


def test_few_samples_do_not_make_a_linear_measure_a_matter_of_shapley() -> None:
    """The variance of 32 samples of a sum is often 20 % too large by chance."""
    for seed in range(8):
        height = asm.tolerance(stack(), samples=32, seed=seed).measures["height"]
        assert not height.shapley
        assert sum(height.contributions.values()) == pytest.approx(1.0, abs=1e-12)


def test_bounds_of_a_normal_tolerance_are_met_as_often_as_the_error_function_says() -> None:
    a = stack()
    for name in ("h1", "h2"):
        a.remove_tolerance(name)
    a.remove_measure("height")
    a.measure("height", distance=("table.top", "b2.top"), max=60.1)
    found = asm.tolerance(a, samples=20000, seed=2).measures["height"].sampled
    share = 0.5 * (1 + erf(3 / sqrt(2)))  # the bound is three deviations above the middle
    assert abs(found["meets"] - share) < 4 * sqrt(share * (1 - share) / 20000)
    assert found["cpk"] == pytest.approx(1.0, rel=0.03) and "cp" not in found


def plate(far: float = 100.0, out: float = 150.0) -> asm.Assembly:
    """A plate with a hole on one pin and a slot, along x, on another; its corner at `out`."""
    a = asm.Assembly("plate on pins")
    z = (0.0, 0.0, 1.0)
    pins = {"one": asm.Axis((0, 0, 0), z), "two": asm.Axis((far, 0, 0), z)}
    a.add("table", grounded=True, features=pins | {"top": asm.Plane((0, 0, 0), z)})
    holes = {"hole": asm.Axis((0, 0, 0), z), "slot": asm.Frame((far, 0, 0), z, (1, 0, 0))}
    corner = {"corner": asm.Point((out, 0, 0)), "foot": asm.Plane((0, 0, 0), z)}
    a.add("plate", features=holes | corner)
    a.mate("revolute", "table.one", "plate.hole", name="pin 1", sense="aligned")
    a.mate("slot", "plate.slot", "table.two", name="pin 2", sense="aligned")
    a.measure("rise", point="plate.corner", along="y")
    a.tolerate("one", feature="table.one", position=0.1, distribution="uniform")
    a.tolerate("two", feature="table.two", position=0.2, distribution="uniform")
    return a


def test_a_plate_on_two_pins_leans_by_the_line_through_them() -> None:
    """rise = y1 + out (y2 - y1) / |p2 - p1|: by y1 1 - out/far, by y2 out/far, by x nothing."""
    found = asm.tolerance(plate(), samples=20000, seed=4)
    rise = found.measures["rise"]
    slopes = found.sensitivities.values[0]
    assert found.sensitivities.columns == ("one.x", "one.y", "two.x", "two.y")
    assert np.abs(slopes[[0, 2]]) == pytest.approx([0, 0], abs=1e-11)
    assert np.abs(slopes[[1, 3]]) == pytest.approx([0.5, 1.5], abs=1e-11)
    assert rise.linear_worst_case == pytest.approx((-0.175, 0.175), abs=1e-10)
    top = max(
        y1 + 150.0 * (y2 - y1) / np.hypot(100.0 + x2 - x1, y2 - y1)
        for x1, y1 in 0.05 * circle()
        for x2, y2 in 0.1 * circle()
    )
    assert rise.worst_case[1] == pytest.approx(top, abs=3e-6)
    assert rise.rss["std"] == pytest.approx(sqrt((0.5 * 0.025) ** 2 + (1.5 * 0.05) ** 2), rel=1e-9)
    assert rise.sampled["std"] == pytest.approx(rise.rss["std"], rel=0.02)


def circle() -> NDArray[np.float64]:
    turn = np.arange(1440) * 2 * np.pi / 1440
    near = np.abs(np.abs(np.sin(turn)) - 1.0) < 0.002  # the tops and bottoms alone matter
    return np.stack([np.cos(turn), np.sin(turn)], axis=1)[near]


def stroke(crank: float, rod: float, turn: float) -> float:
    up = crank * sin(radians(turn))
    return crank * cos(radians(turn)) + sqrt(rod * rod - up * up)


def test_a_sliders_stroke_has_the_spread_of_its_closed_form() -> None:
    a = slider(30.0, 80.0, 50.0)
    a.tolerate("crank", parameter="crank", plus=0.1, minus=0.1, distribution="uniform")
    a.tolerate("rod", parameter="rod", plus=0.2, minus=0.1, distribution="uniform")
    a.tolerate("turn", driver="turn", plus=1, minus=1, distribution="uniform")
    a.remove_measure("turned")
    found = asm.tolerance(a, samples=2000).measures["stroke"]
    ends = [
        stroke(30.0 + c, 80.0 + r, 50.0 + t)
        for c, r, t in product((-0.1, 0.1), (-0.1, 0.2), (-1, 1))
    ]
    assert found.worst_case == pytest.approx((min(ends), max(ends)), abs=1e-9)


def test_an_extreme_between_the_bounds_is_found_and_shares_are_shapleys() -> None:
    """At the dead point the stroke falls either way: linearly nothing, in truth by the square."""
    a = slider(30.0, 80.0, 0.0)
    a.tolerate("crank", parameter="crank", plus=0.001, minus=0.001)
    a.tolerate("turn", driver="turn", plus=10, minus=10, distribution="uniform")
    a.remove_measure("turned")
    found = asm.tolerance(a, samples=2000).measures["stroke"]
    assert found.worst_case[1] == pytest.approx(stroke(30.001, 80.0, 0.0), abs=1e-9)
    assert found.worst_case[0] == pytest.approx(stroke(29.999, 80.0, 10.0), abs=1e-9)
    assert found.linear_worst_case == pytest.approx((109.999, 110.001), abs=1e-9)
    first, whole = found.first_order["turn"], found.total_order["turn"]
    assert (first, whole) == pytest.approx((1, 1), abs=0.02)
    assert found.shapley and found.contributions["turn"] > 0.999
    assert sum(found.contributions.values()) == pytest.approx(1.0, abs=1e-12)


def test_samples_that_do_not_close_are_counted_with_the_mate_that_is_off() -> None:
    """Pushed to within 0.1 mm of its reach, 110 mm, by 0.2 mm more or less: a quarter is beyond."""
    a = slider(30.0, 80.0, 109.9, "push")
    a.tolerate("push", driver="push", plus=0.2, minus=0.2, distribution="uniform")
    a.remove_measure("stroke")
    found = asm.tolerance(a, samples=200, seed=1)
    assert found.solved + found.not_solved == 200 == found.samples
    assert 30 < found.not_solved < 70
    assert sum(found.failed.values()) == found.not_solved
    assert sum(found.modes.values()) == found.solved


def test_samples_that_close_beyond_a_limit_are_counted_with_it() -> None:
    """The slider has a stop, which few of its turns push it beyond: nothing else is free there."""
    a = slider(30.0, 80.0, 50.0)
    most = stroke(30.0, 80.0, 49.02)
    a.limit("way", "length", max=most, name="stop")
    a.tolerate("turn", driver="turn", plus=1, minus=1, distribution="uniform")
    a.remove_measure("turned")
    found = asm.tolerance(a, samples=100, seed=1)
    assert (found.modes, found.failed) == ({"+": 98}, {"stop": 2})
    assert found.not_solved == 2 and found.binding is None and len(found.values) == 98
    assert found.values.max() <= most + 1e-4


def test_where_nothing_closes_nothing_is_told_and_the_page_has_dashes() -> None:
    values = np.full((8, 16), np.nan)
    assert np.isnan([*repeated(values).values()]).all()
    values[2:5] = [[60.0], [61.0], [62.0]]
    told = repeated(values)
    assert told == pytest.approx({"mean": 61, "std": sqrt(2 / 3), "std_error": 1 / sqrt(3)})
    result = asm.tolerance(stack(), samples=20).to_dict()
    height = result["measures"]["height"]
    height |= {"worst_case": [None, None], "sampled": {"meets": None, "quantiles": {}}}
    height |= {"quasi": dict.fromkeys(("mean", "std", "std_error")), "order_error": None}
    height |= {key: dict.fromkeys(height[key]) for key in ("first_order", "total_order")}
    page = tolerance_page("stack", result)
    assert "standard error of the orders -<" in page and "Samples of height" not in page
    assert 'data-name="Total order">-</td>' in page and 'data-name="Most">-</td>' in page


def test_progress_is_told_in_samples_and_may_end_the_analysis() -> None:
    told = list[tuple[int, int, str]]()
    asm.tolerance(asm.read(CLUTCH), samples=5000, progress=lambda *news: told.append(news))
    assert told[:2] == [(0, 5000, "samples"), (4096, 5000, "samples")]

    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asm.tolerance(asm.read(CLUTCH), samples=5000, progress=ended)


def test_an_assembly_without_mates_has_tolerances_as_well() -> None:
    a = asm.Assembly("rod")
    a.add("rod", grounded=True, features={"end": asm.Point((30, 4, 0))})
    a.measure("height", point="rod.end", along="y", max=4.0)
    a.tolerate("end", feature="rod.end", position=0.2)
    found = asm.tolerance(a, samples=2000)
    height = found.measures["height"]
    assert (found.solved, height.worst_case) == (2000, pytest.approx((3.9, 4.1), abs=1e-12))
    assert height.sampled["meets"] == pytest.approx(0.5, abs=5 * sqrt(0.25 / 2000))


def test_the_same_seed_gives_the_same_samples() -> None:
    one, two = (asm.tolerance(stack(), samples=100, seed=7).values for _ in range(2))
    assert one.tolist() == two.tolist()
    assert asm.tolerance(stack(), samples=100, seed=8).values.tolist() != one.tolist()


def test_what_cannot_be_analysed_is_refused() -> None:
    a = slider(30.0, 80.0, 50.0)
    with pytest.raises(MissingKey, match="tolerances"):
        asm.tolerance(a)
    with pytest.raises(BadValue, match="at least 2"):
        asm.tolerance(stack(), samples=1)
    dead = slider(30.0, 80.0, 110.0, "push")
    dead.tolerate("rod", parameter="rod", plus=0.1)
    with pytest.raises(BadValue, match="dead point"):
        asm.tolerance(dead)


def test_the_command_writes_a_table_a_page_and_the_object(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "clutch.html"
    assert main(["tolerance", str(CLUTCH), "--samples", "200", "--report", str(page)]) == 0
    told = capsys.readouterr().out
    assert "-11.9105" in told and "root sum of squares" in told
    assert max(map(len, told.splitlines())) <= 80
    written = page.read_text()
    assert "-23.7317" in written
    assert "<strong>Samples of phi</strong>" in written and "<strong>Contributions" in written
    assert 'class="curve c0 filled"' in written and "56.1 %</text>" in written
    for words in ("nominal 7.0184", "worst 6.4622", "worst 7.5333", "min 6.5", "max 7.5"):
        assert f"{words}</text>" in written
    assert 'data-name="Off at most value">0.0125</td>' in written
    assert main(["tolerance", str(CLUTCH), "--samples", "200", "--seed", "3", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    phi = result["measures"]["phi"]
    assert (result["samples"], result["seed"], result["modes"]) == (200, 3, {"+": 200})
    assert phi["sensitivities"]["cage"] == {
        "value": pytest.approx(11.8212, abs=5e-5),
        "unit": "deg/mm",
    }
    assert sum(phi["contributions"].values()) == pytest.approx(1.0)
