"""The add-on in FreeCAD 1.0: the tests in freecad10/ and freecad_any/, in its own Python."""

from __future__ import annotations

import shutil

from freecad10 import HOME, example, in_root

MODULES = ("Mod/Assembly", "Ext", "Mod")


def test_the_tests_in_freecad_1_pass() -> None:
    HOME.mkdir(exist_ok=True)
    shutil.copy(example(), HOME)
    modules = [f"/usr/share/freecad/{m}" for m in MODULES]
    path = ":".join(["/project", "/usr/lib/freecad-python3/lib", *modules])
    tests = "/project/tests/plugin"
    folders = [f"{tests}/freecad10", f"{tests}/freecad_any"]
    quiet = ["-p", "no:cacheprovider", "-W", "ignore", "-rs", "--tb=short", "-o", "addopts="]
    run = ["python3", "-m", "pytest", f"--confcutdir={tests}", *quiet, *folders]
    done = in_root("env", f"PYTHONPATH={path}", *run)
    print(done.stdout[-20_000:], done.stderr[-2_000:])
    assert (done.returncode, "passed" in done.stdout) == (0, True)
