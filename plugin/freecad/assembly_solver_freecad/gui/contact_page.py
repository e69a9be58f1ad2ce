"""The page of contact: which parts touch while a drive is led through its range, and how near."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PySide import QtGui

import assembly_solver as asm
import assembly_solver_freecad as asf

from ..shapes import with_shapes
from .cards import Card, Cards
from .desk import Desk
from .dragging import stop_at_contact, stops_at_contact
from .drives import Drive, driven
from .fields import RangeFields
from .reach import swept

STEPS = 60
"""Steps of the range between which contact is looked for."""

HOW = {"tell every contact": "tell", "stop at the first contact": "stop"}

HINT = "Parts are led from one value to the other; mated ones are left out. Press Find contact."


class ContactPage(QtGui.QWidget):
    """The drive, what is to be done at a contact, and the pairs that touch or come near."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.motion: asm.Motion | None = None
        self._frames: Any = None
        self._of: Any = None
        self._live: asf.Live | None = None
        column = QtGui.QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        self.choice, self.how = QtGui.QComboBox(), QtGui.QComboBox()
        for box, name in ((self.choice, "contact drive"), (self.how, "contact how")):
            box.setObjectName(name)
            box.setSizeAdjustPolicy(QtGui.QComboBox.AdjustToMinimumContentsLengthWithIcon)
        self.ends = RangeFields("contact")
        self.choice.currentIndexChanged.connect(self._chosen)
        for widget in (self.choice, self.ends, self.how):
            column.addWidget(widget)
        self.how.addItems([*HOW])
        self.near = QtGui.QCheckBox("how near the other parts come")
        self.near.setObjectName("contact near")
        self.go = QtGui.QPushButton("Find contact")
        self.go.setObjectName("find contact")
        self.go.clicked.connect(self.look)
        self.cards = Cards("contacts")
        self.drag = QtGui.QCheckBox("dragged parts stop before contact")
        self.drag.setToolTip("Parts that are dragged in the 3D view, while this is ticked")
        self.drag.setObjectName("contact drag")
        self.drag.setChecked(stops_at_contact())
        self.drag.toggled.connect(stop_at_contact)
        for widget in (self.near, self.go, self.drag, self.cards):
            column.addWidget(widget)
        desk.changed.connect(self.fill)
        desk.aged.connect(self._forget)
        desk.closed.connect(self._forget)
        self.fill()

    def fill(self) -> None:
        """Show the drives of a new result."""
        drives, kept = self._desk.drives, self.choice.currentText()
        self.choice.blockSignals(True)
        self.choice.clear()
        self.choice.addItems([drive.name for drive in drives])
        self.choice.setCurrentIndex(max(self.choice.findText(kept), 0) if drives else -1)
        self.choice.blockSignals(False)
        if self.choice.currentText() != kept or self._desk.target is not self._of:
            self._chosen()
        self._of = self._desk.target if drives else self._of
        for widget in (self.choice, self.ends, self.go):
            widget.setEnabled(bool(drives))
        self._forget()
        self.cards.say(HINT if drives else "Nothing can be driven: press Diagnose.")

    def _chosen(self) -> None:
        """Show the range of the chosen drive."""
        k = self.choice.currentIndex()
        if 0 <= k < len(self._desk.drives):
            self.ends.fit(self._desk.drives[k])

    def _forget(self) -> None:
        self.motion = self._live = None
        self.cards.clear()

    def look(self) -> None:
        """Lead the drive through its range, and tell which parts touch."""
        desk, k = self._desk, self.choice.currentIndex()
        live = desk.read()
        if live is None or not 0 <= k < len(desk.drives):
            return
        drive, ends = desk.drives[k], self.ends.entered()
        folder = tempfile.TemporaryDirectory(prefix="assembly-solver-")
        given = with_shapes(live, Path(folder.name))
        asked = {"contact": HOW[self.how.currentText()]}
        asked |= {"clearance": "all"} if self.near.isChecked() else {}

        def work(**watch: Any) -> tuple[asm.Motion, str, Any]:
            with folder:
                motion, words = swept(given, drive, ends, STEPS, **asked, **watch)
            return motion, words, _frames_at_contacts(given, drive, motion)

        def done(answer: tuple[asm.Motion, str, Any]) -> None:
            motion, words, self._frames = answer
            self._live, self.motion = live, motion
            self._show(motion)
            touches = motion.contacts is None or motion.contacts.found
            desk.said.emit(words, "note" if touches else "good")

        desk.work(f"Looking for contact over {drive.name}", work, done)

    def _show(self, motion: asm.Motion) -> None:
        """A card for each contact, and for each pair how near it comes; what was left out."""
        self.cards.clear()
        for k, event in enumerate(_contacts(motion)):
            card = self._card(event.words, "note", event.parts)
            button = card.add_button("Show it in the view", f"contact {k}")
            button.clicked.connect(lambda _=False, k=k, who=event.parts: self._show_at(k, who))
        for near in sorted(motion.clearances, key=lambda c: c.least_mm):
            if near.points is not None:
                self._card(near.words, "plain", near.parts)
        if motion.contacts is not None and motion.contacts.left_out:
            self.cards.head("not looked at")
            for pair, why in motion.contacts.left_out.items():
                self._card(f"{pair[0]} and {pair[1]}: {why}", "plain", pair)

    def _card(self, words: str, meaning: str, about: tuple[str, ...]) -> Card:
        desk = self._desk
        card = Card(words, meaning, names=desk.names, about=about, pick=desk.pick)
        self.cards.add(card)
        return card

    def _show_at(self, number: int, parts: tuple[str, str]) -> None:
        """Draw the parts where two of them touch, and light these up; the document stays."""
        player, motion = self._desk.player, self.motion
        if motion is None or self._live is None:
            return
        if not player.plays(self._frames):
            player.load(self._live, motion.parts, self._frames)
        player.pause()
        player.show(number)
        self._desk.pick(parts)


def _contacts(motion: asm.Motion) -> list[asm.ContactEvent]:
    return [e for e in motion.events if isinstance(e, asm.ContactEvent)]


def _frames_at_contacts(given: asm.Assembly, drive: Drive, motion: asm.Motion) -> Any:
    """Frames of the parts at each contact of a motion, (contacts, parts, 12), mm."""
    met = _contacts(motion)
    if not met:
        return motion.frames[:0]
    assembly = given.copy()
    name = driven(assembly, drive, None)
    begin = next(iter(motion.prescribed.values()))[:1]  # on the same branch from there
    way = np.concatenate([begin, [event.value for event in met]])
    steps = 1 if len(way) == 2 else None  # two values are ends
    return asm.sweep(assembly, {name: way}, steps=steps).frames[1:]
