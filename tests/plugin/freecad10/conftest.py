"""Tests in the Python of FreeCAD 1.0; elsewhere none is collected (see ../test_freecad10.py)."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[3] / "plugin" / "freecad")]

if find_spec("FreeCAD") is None or find_spec("JointObject") is None:
    collect_ignore_glob = ["test_*.py"]
