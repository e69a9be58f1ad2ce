"""The widget of notebooks: its values from Python, and in a browser with a model like theirs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from browser import browser  # noqa: F401

import assembly_solver as asm
from assembly_solver.errors import BadValue, MissingExtra, UnknownName
from benchmarks.chromium import Browser, Tab


def arm() -> asm.Assembly:
    """An arm that a motor turns from 0 to 90 degrees, at 30."""
    a = asm.Assembly("arm")
    pin = asm.Axis((0, 0, 0), "z")
    a.add("frame", grounded=True, features={"pin": pin})
    a.add("arm", features={"pin": pin, "end": asm.Point((100, 0, 0))})
    a.mate("revolute", "frame.pin", "arm.pin", name="hinge")
    a.drive("motor", "hinge", range=(0, 90), value=30)
    return a


@pytest.fixture(scope="module")
def widget() -> Any:
    pytest.importorskip("anywidget")
    return asm.view(arm(), height=400)


def test_without_its_extra_the_widget_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "assembly_solver.report.viewer.notebook_widget", raising=False)
    with pytest.raises(MissingExtra, match=r"a widget needs .*'assembly-solver\[notebook\]'"):
        asm.view(arm())
    with pytest.raises(BadValue, match="height"):
        asm.view(arm(), height=20)


def test_sliders_are_moved_by_name_within_their_ranges(widget: Any) -> None:
    widget.move({"motor": 45})
    assert widget.values == {"motor": 45.0}
    with pytest.raises(UnknownName, match="no slider 'moter'; did you mean 'motor'"):
        widget.move({"moter": 1})
    for value in (91, float("nan"), "1"):
        with pytest.raises(BadValue, match="a number from 0 to 90"):
            widget.move({"motor": value})
    assert widget.values == {"motor": 45.0}


MODEL = """
const model = {
  traits: JSON.parse(document.getElementById("traits").textContent), told: {}, saved: 0,
  get(name) { return this.traits[name]; },
  set(name, value) { this.traits[name] = value; },
  save_changes() { this.saved++; },
  on(event, act) { this.told[event] = act; },
  off(event) { delete this.told[event]; },
};
window.model = model;
const text = JSON.parse(document.getElementById("esm").textContent);
const found = await import(URL.createObjectURL(new Blob([text], {type: "text/javascript"})));
window.end = found.default.render({model, el: document.getElementById("cell")});
window.ready = true;
"""


def test_in_a_notebook_the_values_follow_the_sliders_and_move_them(
    browser: Browser,  # noqa: F811
    widget: Any,
    tmp_path: Path,
) -> None:
    traits = {"data": widget.data, "height": widget.height, "values": {}}
    stored = {"traits": traits, "esm": widget._esm}
    texts = "".join(
        f'<script id="{name}" type="application/json">{json.dumps(what)}</script>'
        for name, what in stored.items()
    )
    file = tmp_path / "cell.html"
    file.write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><body data-jp-theme-light="false">'
        f'<div id="cell"></div>{texts}<script type="module">{MODEL}</script>',
        encoding="utf-8",
    )
    tab = Tab(browser, file)
    tab.until("window.ready")
    assert tab.box(".asm-viewer")[3] == 400
    assert tab.js("document.querySelector('[data-lm-suppress-shortcuts=true] canvas') !== null")
    assert tab.js("document.querySelector('.asm-viewer').classList.contains('dark')")
    assert tab.js("window.model.traits.values.motor") == pytest.approx(30.0)
    x, y, w, h = tab.box(".control input")
    tab.click_at(x + 0.5 * w, y + h / 2)
    assert tab.js("window.model.traits.values.motor") == pytest.approx(45.0, abs=1.0)
    tab.js("window.model.traits.values = {motor: 60}; window.model.told['change:values']()")
    assert tab.js("document.querySelector('.control output').textContent") == "60.00 deg"
    saved = tab.js("window.model.saved")
    tab.js("window.end()")
    assert tab.js("window.model.told['change:values']") is None
    assert saved == tab.js("window.model.saved") and tab.trouble == []
    tab.close()
