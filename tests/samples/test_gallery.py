"""The gallery: every drawn sample has its picture, as the code of today draws it."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import numpy as np
import pytest
from test_samples_files import DRAWN, ROOT, SAMPLES

hook = pytest.importorskip("hook")  # with the extra `docs`

pytestmark = pytest.mark.quick

GALLERY = SAMPLES / "gallery"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_gallery", SAMPLES / "draw_gallery.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def picture(name: str) -> Path:
    return GALLERY / f"{name}.svg"


def test_every_drawn_sample_has_a_picture_that_its_page_shows(script):
    assert set(DRAWN) <= set(script.PLATES)
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"\]\(\.\./samples/gallery/(\S+)\.svg\)", page)
    assert sorted(shown) == sorted(script.PLATES)
    files = {p.relative_to(GALLERY).as_posix() for p in GALLERY.rglob("*.svg")}
    assert files == {f"{name}{kind}.svg" for name in script.PLATES for kind in ("", ".moving")}
    assert sum(p.stat().st_size for p in GALLERY.rglob("*.svg")) < 1.4e6  # the site stays small


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_whole_and_has_its_paths(script, name):
    root = ElementTree.fromstring(picture(name).read_text(encoding="utf-8"))
    told = ["".join(e.itertext()) for e in root.iter() if e.get("class", "").startswith("path")]
    assert told == [f"path of {point}" for point in script.PLATES[name].traced.split()]
    assert picture(name).stat().st_size < 80e3


@pytest.mark.parametrize("name", DRAWN)
def test_no_name_of_a_picture_covers_the_head_of_an_arrow_or_another_name(name):
    root = ElementTree.fromstring(picture(name).read_text(encoding="utf-8"))
    names = [e for e in root.iter() if e.get("class") == "pin"]
    at = np.array([(float(e.get("x")), float(e.get("y")) - 4.5) for e in names]).reshape(-1, 2)
    half = np.array([(0.3 * 13.0 * len("".join(e.itertext())), 5.4) for e in names]).reshape(-1, 2)
    heads = [e.get("d") for e in root.iter() if e.get("class") == "head"]
    tips = np.array([float(v) for d in heads for v in NUMBER.findall(d)]).reshape(-1, 2)
    assert not (np.abs(tips[:, None] - at) < half).all(axis=-1).any()
    met = (np.abs(at[:, None] - at) < half[:, None] + half).all(axis=-1)
    assert met.sum() == len(names)  # each meets itself


@pytest.mark.parametrize("name", ["theo_jansen", "peaucellier", "motiongen/rrpp"])
def test_a_picture_is_what_the_script_draws(script, name):
    drawn, kept = script.drawn(name), picture(name).read_text(encoding="utf-8")
    assert NUMBER.sub("n", drawn) == NUMBER.sub("n", kept), "run samples/draw_gallery.py"
    values = [np.array([float(v) for v in NUMBER.findall(text)]) for text in (drawn, kept)]
    # a tenth of a pixel, which another processor may round the other way
    np.testing.assert_allclose(*values, atol=0.1001)


def test_a_picture_that_moves_is_what_the_script_draws(script):
    drawn, kept = script.drawn("watt", moving=True), picture("watt.moving").read_text("utf-8")
    assert NUMBER.sub("n", drawn) == NUMBER.sub("n", kept), "run samples/draw_gallery.py"


def test_on_the_site_a_picture_moves_for_those_who_have_not_asked_for_less_motion():
    still = '<img alt="Watt six-bar" src="samples/gallery/watt.svg" />'
    assert hook.on_page_content(f"<td>{still}</td>") == (
        '<td><picture><source media="(prefers-reduced-motion: no-preference)" '
        f'srcset="samples/gallery/watt.moving.svg">{still}</picture></td>'
    )
