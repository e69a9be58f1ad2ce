"""What an index of packages and FreeCAD's Addon Manager are told: stated once, and complete."""

from __future__ import annotations

import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from assembly_solver.version import VERSION

ROOT = Path(__file__).parents[2]
ADDON = ROOT / "plugin" / "freecad"
SPACE = "{https://wiki.freecad.org/Package_Metadata}"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture
def maker(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ADDON))
    import make_addon

    yield make_addon
    sys.modules.pop("make_addon")


def manifest(maker: Any, project: dict[str, Any]) -> ET.Element:
    text = (ADDON / "package.xml").read_text(encoding="utf-8")
    return ET.fromstring(maker.completed(text, project, maker.version(), "2026-01-02"))


def test_the_version_stands_in_one_place(maker: Any) -> None:
    assert "version" not in PROJECT["project"] and PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "assembly_solver/version.py"
    assert "<version>" not in (ADDON / "package.xml").read_text(encoding="utf-8")
    assert manifest(maker, PROJECT["project"]).findtext(f"{SPACE}version") == VERSION


def test_the_addon_has_all_that_its_manager_requires(maker: Any) -> None:
    """As FreeCAD's wiki lists it on the page Package Metadata; an icon is at most 10 kB there."""
    found = manifest(maker, PROJECT["project"])
    required = {"name", "version", "date", "description", "maintainer", "license", "icon"}
    assert {name for name in required if not found.findtext(SPACE + name)} == set()
    assert found.find(f"{SPACE}content/{SPACE}workbench") is not None
    icon = ADDON / str(found.findtext(f"{SPACE}icon"))
    assert icon.suffix == ".svg" and icon.stat().st_size <= 10_000
    licence = found.findtext(f"{SPACE}license")
    assert licence == PROJECT["project"]["license"] == "Apache-2.0 AND MIT"  # three.js


def test_the_addon_is_told_the_links_and_people_of_the_project(maker: Any) -> None:
    project = {
        "authors": [{"name": "Ann & Co", "email": "ann@example.org"}],
        "urls": {"Repository": "https://example.org/a", "Issues": "https://example.org/a?b&c"},
    }
    found = manifest(maker, project)
    person = found.find(f"{SPACE}maintainer")
    assert person is not None and (person.text, person.attrib) == (
        "Ann & Co",
        {"email": "ann@example.org"},
    )
    assert [(u.text, u.attrib) for u in found.iter(f"{SPACE}url")] == [
        ("https://example.org/a", {"type": "repository", "branch": "main"}),
        ("https://example.org/a?b&c", {"type": "bugtracker"}),
    ]
    assert set(PROJECT["project"]["urls"]) <= set(maker.URLS)


MACHINES = {
    ("linux", "x86_64", "3.11", "CPython"): True,
    ("linux", "aarch64", "3.14", "CPython"): True,
    ("win32", "AMD64", "3.15", "CPython"): True,
    ("win32", "ARM64", "3.14", "CPython"): True,
    ("win32", "ARM64", "3.11", "CPython"): False,
    ("darwin", "arm64", "3.12", "CPython"): True,
    ("darwin", "x86_64", "3.13", "CPython"): True,
    ("darwin", "x86_64", "3.14", "CPython"): False,
    ("linux", "x86_64", "3.16", "CPython"): False,
    ("linux", "x86_64", "3.11", "PyPy"): False,
    ("linux", "ppc64le", "3.12", "CPython"): False,
    ("linux", "riscv64", "3.12", "CPython"): False,
    ("emscripten", "wasm32", "3.12", "CPython"): False,
}
"""System, machine, Python: whether there is a wheel of numba for it."""


@pytest.mark.parametrize("machine", MACHINES, ids="-".join)
def test_numba_is_asked_for_where_it_exists(machine: tuple[str, str, str, str]) -> None:
    names = "sys_platform", "platform_machine", "python_version", "platform_python_implementation"
    asked = [
        wanted
        for wanted in map(Requirement, PROJECT["project"]["dependencies"])
        if wanted.name == "numba"
        and wanted.marker is not None
        and wanted.marker.evaluate(dict(zip(names, machine, strict=True)))
    ]
    assert len(asked) == MACHINES[machine]
    old = machine[:2] == ("darwin", "x86_64")
    assert [wanted.specifier.contains("0.68.1") for wanted in asked] == [not old] * len(asked)
