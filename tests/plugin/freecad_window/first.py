"""What a user waits for in a session that is the first ever, for `benchmarks.freecad_cold`.

FreeCAD's own example is diagnosed and swept, with nothing of the add-on in any cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import FreeCAD
from hand import BOX, OUT, Hand, close_all, console, until


def waited(hand: Hand, act: Callable[[], Any]) -> dict[str, Any]:
    """Wall and processor time of something pressed until its answer stands in the panel, s."""
    wall, cpu = time.monotonic(), time.process_time()
    act()
    until(lambda: not hand.desk.jobs.running)
    return {"wall": time.monotonic() - wall, "cpu": time.process_time() - cpu, "said": hand.said}


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    FreeCAD.openDocument(str(OUT / "AssemblyExample.FCStd"))
    until(lambda: hand.desk.target is not None)
    seen = {"first diagnosis": waited(hand, lambda: hand.press("diagnose"))}
    hand.page("Sweep")
    hand.choose("sweep drive", "Slider")
    for name, value in (("low", 70.0), ("high", 40.0)):
        hand.find(BOX, f"sweep {name}").setValue(value)
    seen["first sweep"] = waited(hand, lambda: hand.press("sweep"))
    close_all()
    return {**seen, "console": console()}
