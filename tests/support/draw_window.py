"""Draws the picture of the README of the add-on: `python tests/support/draw_window.py`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from freecad_roots import PROJECT
from freecad_windows import native, played

TARGET = PROJECT / "plugin" / "freecad" / "window.png"


def draw() -> None:
    """Write the picture; the dark one is left beside it for a look, in a folder that is told."""
    out = Path(tempfile.mkdtemp(prefix="window-"))
    native("1.0", out, "portrait")
    print(played(out)["portrait"], out)
    shutil.copy(out / "window.png", TARGET)


if __name__ == "__main__":
    draw()
