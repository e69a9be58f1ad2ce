"""The process that reads STEP files for `step_reader`; it imports nothing of the package.

Each line of standard input is a JSON list, a path and seconds of processor time; the answer is the
number of bytes (8 bytes, little-endian) and the shape in the modeller's binary format, in mm, no
bytes where it cannot be read.  The process ends when its standard input does.
"""

import json
import os
import signal
import struct
import sys
from io import BytesIO


def answer_all() -> None:
    """Answer every request; die where the modeller crashes, or when the time is over."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # the modeller prints to standard output
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash leaves no file
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for line in sys.stdin.buffer:
        file, seconds = json.loads(line)
        _allow(seconds)
        try:
            found = _shape(file)
        except Exception:  # the modeller's own errors have no base in Python but this
            found = b""
        _allow(0.0)
        answers.write(struct.pack("<q", len(found)) + found)
        answers.flush()


def _allow(seconds: float) -> None:
    """End by a signal after so much processor time: Python cannot interrupt the modeller."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _shape(file: str) -> bytes:
    """The shape in a STEP file; several roots become one compound."""
    from OCP.BinTools import BinTools
    from OCP.BRep import BRep_Builder
    from OCP.IFSelect import IFSelect_ReturnStatus
    from OCP.Interface import Interface_Static
    from OCP.STEPControl import STEPControl_Reader
    from OCP.TopoDS import TopoDS_Compound

    Interface_Static.SetCVal_s("xstep.cascade.unit", "MM")
    reader, out = STEPControl_Reader(), BytesIO()
    if reader.ReadFile(file) != IFSelect_ReturnStatus.IFSelect_RetDone:
        return b""
    for number in range(reader.NbRootsForTransfer()):
        reader.TransferRoot(number + 1)
    shapes = [reader.Shape(number + 1) for number in range(reader.NbShapes())]
    shapes = [shape for shape in shapes if not shape.IsNull()]
    if not shapes:
        return b""
    whole = shapes[0]
    if len(shapes) > 1:
        builder, whole = BRep_Builder(), TopoDS_Compound()
        builder.MakeCompound(whole)
        for shape in shapes:
            builder.Add(whole, shape)
    BinTools.Write_s(whole, out)
    return out.getvalue()


if __name__ == "__main__":
    import OCP.STEPControl  # noqa: F401  # loads while the program that asks does

    answer_all()
