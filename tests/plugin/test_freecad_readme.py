"""The add-on as its README installs it, in FreeCAD 1.0's own program: scripts and their output."""

from __future__ import annotations

import re
import shutil
import sys

import limited_processes
from freecad_roots import HOME, PROJECT, example, in_root
from pages import blocks

PAGES = ("plugin/freecad/README.md", "docs/tutorials/freecad.md")


def without_residuals(text: str) -> list[str]:
    return re.sub(r"\(\d\S*e-\d+ mm\)", "(...)", text).splitlines()


def test_the_scripts_of_the_pages_print_what_the_pages_say() -> None:
    home = HOME / "readme"
    shutil.rmtree(home, ignore_errors=True)
    addon = home / ".local" / "share" / "FreeCAD" / "Mod" / "AssemblySolver"
    maker = PROJECT / "plugin" / "freecad" / "make_addon.py"
    addon.parent.mkdir(parents=True)
    limited_processes.run([sys.executable, str(maker), str(addon)]).check_returncode()
    shutil.copy(example("1.0"), home)
    run = "cd /project/.fchome/readme && unset PYTHONPATH && HOME=$PWD exec freecadcmd script.py"
    for page in PAGES:
        text = (PROJECT / page).read_text(encoding="utf-8")
        (home / "script.py").write_text(blocks(text, "python")[0].body)
        done = in_root("1.0", "sh", "-c", run)
        told = without_residuals(blocks(text, "text")[0].body)
        said = without_residuals(done.stdout)
        assert [line for line in said if line in told] == told, done.stdout + done.stderr


def test_the_addon_is_the_plugin_and_the_engine_and_nothing_that_is_only_for_us() -> None:
    listed = [
        line.split()[-1]
        for line in limited_processes.run(
            [sys.executable, "-c", _LIST], cwd=PROJECT
        ).stdout.splitlines()
    ]
    assert {"Init.py", "package.xml", "LICENSE", "assembly_solver/errors.py"} <= set(listed)
    assert [name for name in listed if "make_addon" in name or "__pycache__" in name] == []


_LIST = """
import sys, tempfile
from pathlib import Path
sys.path.append("plugin/freecad")
from make_addon import make
with tempfile.TemporaryDirectory() as scratch:
    made = make(Path(scratch, "addon"))
    print(*(p.relative_to(made).as_posix() for p in made.rglob("*") if p.is_file()), sep="\\n")
"""
