"""The process that reads shapes for `shape_reader`; it imports nothing of the package.

Each line of standard input is a JSON list: "STEP" with a path or "BREP" with a text, and seconds of
processor time.  The answer is the number of bytes (8 bytes, little-endian) and the shape in the
modeller's binary format, in mm, no bytes where there is none.  The process ends when its standard
input does.
"""

import json
import os
import signal
import struct
import sys
from io import BytesIO
from typing import Any


def answer_all() -> None:
    """Answer every request; die where the modeller crashes, or when the time is over."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # the modeller prints to standard output
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash leaves no file
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for line in sys.stdin.buffer:
        kind, given, seconds = json.loads(line)
        _allow(seconds)
        try:
            found = _packed(_step(given) if kind == "STEP" else _brep(given))
        except Exception:  # the modeller's own errors have no base in Python but this
            found = b""
        _allow(0.0)
        answers.write(struct.pack("<q", len(found)) + found)
        answers.flush()


def _allow(seconds: float) -> None:
    """End by a signal after so much processor time: Python cannot interrupt the modeller."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _step(file: str) -> Any:
    """The shape in a STEP file; several roots become one compound."""
    from OCP.BRep import BRep_Builder
    from OCP.IFSelect import IFSelect_ReturnStatus
    from OCP.Interface import Interface_Static
    from OCP.STEPControl import STEPControl_Reader
    from OCP.TopoDS import TopoDS_Compound

    Interface_Static.SetCVal_s("xstep.cascade.unit", "MM")
    reader = STEPControl_Reader()
    if reader.ReadFile(file) != IFSelect_ReturnStatus.IFSelect_RetDone:
        return None
    for number in range(reader.NbRootsForTransfer()):
        reader.TransferRoot(number + 1)
    shapes = [reader.Shape(number + 1) for number in range(reader.NbShapes())]
    shapes = [shape for shape in shapes if not shape.IsNull()]
    if len(shapes) < 2:
        return shapes[0] if shapes else None
    builder, whole = BRep_Builder(), TopoDS_Compound()
    builder.MakeCompound(whole)
    for shape in shapes:
        builder.Add(whole, shape)
    return whole


def _brep(text: str) -> Any:
    """The shape in a text of OpenCASCADE's own format."""
    from OCP.BRep import BRep_Builder
    from OCP.BRepTools import BRepTools
    from OCP.TopoDS import TopoDS_Shape

    shape = TopoDS_Shape()
    BRepTools.Read_s(shape, BytesIO(text.encode("utf-8", "replace")), BRep_Builder())
    return shape


def _packed(shape: Any) -> bytes:
    from OCP.BinTools import BinTools

    out = BytesIO()
    if shape is not None and not shape.IsNull():
        BinTools.Write_s(shape, out)
    return out.getvalue()


if __name__ == "__main__":
    import OCP.STEPControl  # noqa: F401  # loads while the program that asks does

    answer_all()
