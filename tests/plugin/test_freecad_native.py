"""The add-on in FreeCAD 1.0 and 1.1: tests of freecad_native/ and freecad_any/ in its Python."""

from __future__ import annotations

import shutil

import pytest
from freecad_roots import HOME, example, in_root

MODULES = ("Mod/Assembly", "Ext", "Mod")


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_the_tests_in_freecads_python_pass(version: str) -> None:
    home = HOME / f"native{version}"
    home.mkdir(parents=True, exist_ok=True)
    shutil.copy(example(version), home)
    modules = [f"/usr/share/freecad/{m}" for m in MODULES]
    path = ":".join(["/project", "/usr/lib/freecad-python3/lib", *modules])
    tests = "/project/tests/plugin"
    folders = [f"{tests}/freecad_native", f"{tests}/freecad_any"]
    quiet = ["-p", "no:cacheprovider", "-W", "ignore", "-rs", "--tb=short", "-o", "addopts="]
    run = ["python3", "-m", "pytest", f"--confcutdir={tests}", *quiet, *folders]
    done = in_root(version, "env", f"HOME=/project/.fchome/{home.name}", f"PYTHONPATH={path}", *run)
    print(done.stdout[-20_000:], done.stderr[-2_000:])
    assert (done.returncode, "passed" in done.stdout) == (0, True)
