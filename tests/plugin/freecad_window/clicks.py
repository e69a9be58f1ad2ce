"""Plays scenes in a real window of FreeCAD and writes down what is to be seen.

FreeCAD runs this file as a script.  `CLICKS` in the environment is the folder for `clicks.json` and
pictures, `CLICKS_PATH` what is put before the path of modules, as FreeCAD's window takes no
PYTHONPATH, and `CLICKS_SCENES` the modules of the scenes.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from importlib import import_module
from typing import Any

import FreeCAD
import FreeCADGui
from PySide import QtCore

sys.path[:0] = filter(None, os.environ["CLICKS_PATH"].split(os.pathsep))


def main() -> None:
    from hand import OUT, Hand, picture, rest

    seen: dict[str, Any] = {"seconds": {}}
    try:
        FreeCADGui.getMainWindow().resize(1400, 850)
        FreeCAD.ParamGet("User parameter:BaseApp/Preferences/Units").SetInt("Decimals", 4)
        begin = time.monotonic()
        FreeCADGui.activateWorkbench("AssemblySolverWorkbench")
        from assembly_solver_freecad.gui.panel import panel

        hand = Hand(panel())
        seen["seconds"]["workbench"] = time.monotonic() - begin
        rest()
        for scene in os.environ["CLICKS_SCENES"].split():
            begin = time.monotonic()
            seen[scene] = import_module(scene).play(hand)
            seen["seconds"][scene] = time.monotonic() - begin
    except BaseException:
        seen["error"] = traceback.format_exc()
        picture("error")
    (OUT / "clicks.json").write_text(json.dumps(seen, indent=1), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # a window with changed documents asks before it closes


QtCore.QTimer.singleShot(1500, main)
