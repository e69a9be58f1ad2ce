"""Make the add-on that FreeCAD installs: this folder with a copy of the engine in it.

Usage: python make_addon.py TARGET      TARGET.zip makes a zip, anything else a folder
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import tomllib
from datetime import date
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
NAME = "AssemblySolver"
"""Name of the folder of the add-on."""

URLS = {
    "Homepage": "website",
    "Repository": "repository",
    "Issues": "bugtracker",
    "Documentation": "documentation",
}
"""What a link of `[project.urls]` is for FreeCAD's Addon Manager."""

_NOT = shutil.ignore_patterns("__pycache__", "*.pyc", Path(__file__).name)


def make(target: Path) -> Path:
    """Write the add-on; an existing folder is replaced only if it is an add-on of ours."""
    if target.suffix == ".zip":
        with tempfile.TemporaryDirectory() as scratch:
            _fill(Path(scratch) / NAME)
            made = shutil.make_archive(str(target.with_suffix("")), "zip", scratch, NAME)
        return Path(made)
    if target.exists():
        if not (target / "package.xml").is_file():
            raise SystemExit(f"{target} is there and is no add-on; name a new folder")
        shutil.rmtree(target)
    _fill(target)
    return target


def _fill(folder: Path) -> None:
    shutil.copytree(HERE, folder, ignore=_NOT)
    shutil.copytree(PROJECT / "assembly_solver", folder / "assembly_solver", ignore=_NOT)
    shutil.copy(PROJECT / "LICENSE", folder)
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    manifest = folder / "package.xml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(completed(text, project, version(), released()), encoding="utf-8")


def completed(manifest: str, project: dict[str, Any], number: str, day: str) -> str:
    """The manifest with the version, its date, and the people and links of pyproject.toml."""
    told = [f"<version>{number}</version>", f"<date>{day}</date>"]
    for person in project["authors"]:
        email = f" email={quoteattr(person['email'])}" if "email" in person else ""
        told.append(f"<maintainer{email}>{escape(person['name'])}</maintainer>")
    for name, link in project.get("urls", {}).items():
        branch = ' branch="main"' if URLS[name] == "repository" else ""
        told.append(f'<url type="{URLS[name]}"{branch}>{escape(link)}</url>')
    lines = "".join(f"  {line}\n" for line in told)
    return re.sub(r"<!--.*?-->\n", "", manifest).replace("  <license", f"{lines}  <license", 1)


def version() -> str:
    """The version of the engine, which is that of the add-on."""
    text = (PROJECT / "assembly_solver" / "version.py").read_text(encoding="utf-8")
    found: list[str] = re.findall(r'^VERSION = "(.+)"$', text, re.MULTILINE)
    return found[0]


def released() -> str:
    """The date in the changelog's heading of the version; today where it is not released."""
    text = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.findall(rf"^## {re.escape(version())} \((\d{{4}}-\d\d-\d\d)\)$", text, re.MULTILINE)
    return found[0] if found else date.today().isoformat()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(make(Path(sys.argv[1])))
