"""Tests in the Python of any FreeCAD; elsewhere none is collected (see ../test_freecad020.py)."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[3] / "plugin" / "freecad")]

if find_spec("FreeCAD") is None:
    collect_ignore_glob = ["test_*.py"]
else:
    import_module("FreeCAD")  # its modules, as Part, crash where they are imported before it
