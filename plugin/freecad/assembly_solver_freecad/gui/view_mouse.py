"""The mouse in the 3D view: what is pressed and moved there is offered to the drag of a part.

FreeCAD sees a click or a drag as a whole or not at all: a press on a part is held back until it is
known which of the two it becomes.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import FreeCAD
import FreeCADGui
from FreeCAD import Vector
from PySide import QtCore, QtGui

from assembly_solver.freecad import ASSEMBLY

from .dragging import Hit, PartDrag, Ray
from .jobs import in_words
from .timers import once

EVENT = QtCore.QEvent
LEFT = QtCore.Qt.LeftButton

COMMAND = "AssemblySolver_DragInView"
"""The command that switches it on and off."""

IDLE, PRESSED, DRAGGING, SPENT = range(4)
"""No button is down; a press is held back; a part is held; the rest of a drag is of no use."""


class FreeCADsDragging:
    """FreeCAD's own dragging of parts in its assemblies, which is off while ours is on."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, bool]] = []

    def hold(self) -> None:
        """Switch it off in all open documents."""
        for document in FreeCAD.listDocuments().values():
            for assembly in (o for o in document.Objects if o.TypeId == ASSEMBLY):
                view = assembly.ViewObject
                if getattr(view, "EnableMovement", False):
                    self._before.append((view, True))
                    view.EnableMovement = False

    def give_back(self) -> None:
        """Switch it on again where it was on."""
        before, self._before = self._before, []
        for view, moves in before:
            with suppress(ReferenceError, RuntimeError):  # of a document that is closed
                view.EnableMovement = moves


class ViewMouse(QtCore.QObject):
    """Follows the mouse in the 3D views while it is on."""

    def __init__(self, drag: PartDrag, parent: QtCore.QObject) -> None:
        super().__init__(parent)
        self._drag = drag
        self._escape = EscapeKey(self)
        self._freecads = FreeCADsDragging()
        self._views: list[tuple[Any, Any]] = []
        self._attending = once(self, 0, self._attend)
        self._state, self._passing = IDLE, False
        self._press: tuple[Any, Any] = (None, None)
        self._hit: Hit | None = None
        self.active = False
        drag.failed.connect(self._fail)
        drag.put_back.connect(self._spend)

    def on(self) -> None:
        """Take over from FreeCAD in the 3D views."""
        if not self.active:
            self.active = True
            _windows().subWindowActivated.connect(self._another)
            self._attend()

    def off(self) -> None:
        """Put a part that is held back, and give everything back to FreeCAD."""
        if not self.active:
            return
        self.active = False
        try:
            self._drag.drop()
            _windows().subWindowActivated.disconnect(self._another)
        finally:
            self._rest()
            for viewport, _ in self._views:
                with suppress(RuntimeError):  # of a view that is closed
                    viewport.removeEventFilter(self)
            self._views = []
            self._freecads.give_back()

    def _fail(self) -> None:
        """An unexpected error: FreeCAD has the mouse again, and the command shows that."""
        self.off()
        for action in FreeCADGui.getMainWindow().findChildren(QtGui.QAction, COMMAND):
            action.setChecked(False)

    # ------------------------------------------------------------------ which view
    def _another(self, _: Any) -> None:
        """Another window is in front; FreeCAD has not noticed yet."""
        self._attending.start()

    def _attend(self) -> None:
        """Follow the mouse in the view that is in front."""
        if not self.active:
            return
        self._freecads.hold()
        document = FreeCADGui.ActiveDocument
        view: Any = None if document is None else document.ActiveView
        if hasattr(view, "graphicsView"):
            viewport = view.graphicsView().viewport()
            if all(viewport is not known for known, _ in self._views):
                self._views.append((viewport, view))
                viewport.installEventFilter(self)

    # ------------------------------------------------------------------ events
    def eventFilter(self, watched: Any, event: Any) -> bool:  # noqa: N802
        """Whether an event of a 3D view is ours, so that FreeCAD does not see it."""
        if self._passing or event.type() not in _MOUSE:
            return False
        try:
            view = next((v for port, v in self._views if port is watched), None)
            return view is not None and bool(_MOUSE[event.type()](self, view, watched, event))
        except Exception as error:
            self._fail()
            FreeCAD.Console.PrintError(f"{in_words(error)}\n")
            return False

    def _pressed(self, view: Any, viewport: Any, event: Any) -> bool:
        """A button was pressed: on a part the press is held back."""
        if self._state != IDLE:
            if event.button() != LEFT:
                return True
            self._release()  # it was let go in a view that is closed
        plain = event.button() == LEFT and event.modifiers() == QtCore.Qt.NoModifier
        if not plain or not self._free:
            return False
        self._freecads.hold()
        self._hit = hit_at(view, viewport, event.pos())
        if self._hit is None:
            return False
        self._press = QtCore.QPointF(event.localPos()), QtCore.QPointF(event.screenPos())
        self._state = PRESSED
        return True

    @property
    def _free(self) -> bool:
        """Whether nothing but an assembly is being edited."""
        document = FreeCADGui.ActiveDocument
        edited = None if document is None else document.getInEdit()
        return edited is None or edited.Object.TypeId == ASSEMBLY

    def _moved(self, view: Any, viewport: Any, event: Any) -> bool:
        """The mouse was moved: beyond a few pixels a press becomes a drag."""
        if self._state == IDLE:
            return False
        if not event.buttons() & LEFT:  # let go where no one saw it
            self._release()
            return False
        if self._state == PRESSED:
            way = (event.localPos() - self._press[0]).manhattanLength()
            if way < QtGui.QApplication.startDragDistance():
                return True
            if not self._begin(viewport):
                return False
        if self._state == DRAGGING:
            self._drag.ask(ray_at(view, viewport, event.pos()))
        return True

    def _begin(self, viewport: Any) -> bool:
        """Grab the part; where there is none, FreeCAD gets the press that was held back."""
        assert self._hit is not None
        if self._drag.grab(self._hit):
            self._state = DRAGGING
            self._escape.watch()
            viewport.setCursor(QtCore.Qt.ClosedHandCursor)
            self._cursor = viewport
            return True
        self._rest()
        self._replay(viewport, EVENT.MouseButtonPress)
        return False

    def _released(self, view: Any, viewport: Any, event: Any) -> bool:
        """A button was released: a press that was held back was a click."""
        if self._state == IDLE:
            return False
        if event.button() != LEFT:
            return True
        clicked = self._state == PRESSED
        self._release()
        if clicked:
            self._replay(viewport, EVENT.MouseButtonPress, EVENT.MouseButtonRelease)
        return True

    def _release(self) -> None:
        if self._state == DRAGGING:
            self._drag.release()
        self._rest()

    def _rest(self) -> None:
        """No button is down any more."""
        if self._state in (DRAGGING, SPENT) and self._cursor is not None:
            with suppress(RuntimeError):
                self._cursor.unsetCursor()
        self._cursor = None
        self._escape.leave()
        self._state, self._hit = IDLE, None

    def _spend(self) -> None:
        """The part was put back while the button is down."""
        if self._state == DRAGGING:
            self._state = SPENT

    def put_back(self) -> None:
        """Escape was pressed."""
        self._drag.drop("Put back.")

    def _replay(self, viewport: Any, *kinds: Any) -> None:
        """Let FreeCAD have what was held back."""
        here, there = self._press
        none, plain = QtCore.Qt.NoButton, QtCore.Qt.NoModifier
        self._passing = True
        try:
            for kind in kinds:
                held = LEFT if kind == EVENT.MouseButtonPress else none
                event = QtGui.QMouseEvent(kind, here, here, there, LEFT, held, plain)
                QtGui.QApplication.sendEvent(viewport, event)
        finally:
            self._passing = False

    _cursor: Any = None


_MOUSE = {
    EVENT.MouseButtonPress: ViewMouse._pressed,
    EVENT.MouseMove: ViewMouse._moved,
    EVENT.MouseButtonRelease: ViewMouse._released,
}


class EscapeKey(QtCore.QObject):
    """Takes the Escape key from everything else while a part is held."""

    KINDS = (EVENT.ShortcutOverride, EVENT.KeyPress, EVENT.KeyRelease)

    def __init__(self, mouse: ViewMouse) -> None:
        super().__init__(mouse)
        self._mouse = mouse
        self._down = self._watching = False

    def watch(self) -> None:
        """Begin."""
        self._watching, self._down = True, False
        QtGui.QApplication.instance().installEventFilter(self)

    def leave(self) -> None:
        """End, but for the release of a key that is down, by which FreeCAD would leave editing."""
        self._watching = False
        if not self._down:
            QtGui.QApplication.instance().removeEventFilter(self)

    def eventFilter(self, watched: Any, event: Any) -> bool:  # noqa: N802
        """Whether an event is of the Escape key."""
        if event.type() not in self.KINDS or event.key() != QtCore.Qt.Key_Escape:
            return False
        event.accept()
        if event.type() == EVENT.KeyPress and self._watching:
            self._down = True
            self._mouse.put_back()
        elif event.type() == EVENT.KeyRelease and not event.isAutoRepeat():
            self._down = False
            if not self._watching:
                self.leave()
        return True


def hit_at(view: Any, viewport: Any, at: Any) -> Hit | None:
    """What is under the mouse in a view; None where there is nothing of the document.

    Args:
        at: position in the viewport, as Qt counts it.
    """
    found = view.getObjectInfo(_pixel(viewport, at))
    if not found or found["Document"] != FreeCAD.ActiveDocument.Name:
        return None
    point = Vector(found["x"], found["y"], found["z"])
    if "ParentObject" in found:
        return Hit(found["ParentObject"], str(found["SubName"]), point)
    root = FreeCAD.ActiveDocument.getObject(str(found["Object"]))
    return Hit(root, str(found["Component"]), point)


def ray_at(view: Any, viewport: Any, at: Any) -> Ray:
    """What the mouse points to in a view."""
    near, far = view.projectPointToLine(*_pixel(viewport, at))
    return Ray(near, far - near, view.getViewDirection())


def _pixel(viewport: Any, at: Any) -> tuple[int, int]:
    """A position in a viewport as FreeCAD counts it: in pixels of the screen, from below."""
    ratio = viewport.devicePixelRatioF()
    return round(at.x() * ratio), round((viewport.height() - 1 - at.y()) * ratio)


def _windows() -> Any:
    """The area that has the windows of the documents."""
    return FreeCADGui.getMainWindow().findChild(QtGui.QMdiArea)
