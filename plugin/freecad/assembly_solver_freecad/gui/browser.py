"""Reports, opened in the browser."""

from __future__ import annotations

import tempfile
from pathlib import Path

from PySide import QtCore, QtGui

from assembly_solver.freecad import write_file


def open_page(name: str, kind: str, page: str) -> None:
    """Write a page to a folder of its own and hand it to the browser.

    Args:
        name: what it is about; kind: of report, for the name of the file.
    """
    known = "".join(c if c.isalnum() or c in "-_" else "-" for c in name) or "assembly"
    file = Path(tempfile.mkdtemp(prefix="assembly-solver-")) / f"{known}-{kind}.html"
    write_file(file, page.encode("utf-8"))
    QtGui.QDesktopServices.openUrl(QtCore.QUrl.fromLocalFile(str(file)))
