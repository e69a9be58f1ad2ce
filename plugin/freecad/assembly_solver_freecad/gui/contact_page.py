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
from .reach import swept

STEPS = 60
"""Steps of the range between which contact is looked for."""

HOW = {"tell every contact": "tell", "stop at the first contact": "stop"}

HINT = "Parts are led through the range of the drive; mated ones are left out. Press Find contact."


class ContactPage(QtGui.QWidget):
    """The drive, what is to be done at a contact, and the pairs that touch or come near."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.motion: asm.Motion | None = None
        self._live: asf.Live | None = None
        column = QtGui.QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        self.choice, self.how = QtGui.QComboBox(), QtGui.QComboBox()
        for box, name in ((self.choice, "contact drive"), (self.how, "contact how")):
            box.setObjectName(name)
            box.setSizeAdjustPolicy(QtGui.QComboBox.AdjustToMinimumContentsLengthWithIcon)
            column.addWidget(box)
        self.how.addItems([*HOW])
        self.near = QtGui.QCheckBox("how near the other parts come")
        self.near.setObjectName("contact near")
        self.go = QtGui.QPushButton("Find contact")
        self.go.setObjectName("find contact")
        self.go.clicked.connect(self.look)
        self.cards = Cards("contacts")
        for widget in (self.near, self.go, self.cards):
            column.addWidget(widget)
        desk.changed.connect(self.fill)
        desk.aged.connect(self._forget)
        desk.closed.connect(self._forget)
        self.fill()

    def fill(self) -> None:
        """Show the drives of a new result."""
        kept = self.choice.currentText()
        self.choice.clear()
        self.choice.addItems([drive.name for drive in self._desk.drives])
        self.choice.setCurrentIndex(max(self.choice.findText(kept), 0) if self._desk.drives else -1)
        self.go.setEnabled(bool(self._desk.drives))
        self._forget()
        self.cards.say(HINT if self._desk.drives else "Nothing can be driven: press Diagnose.")

    def _forget(self) -> None:
        self.motion = self._live = None
        self.cards.clear()

    def look(self) -> None:
        """Lead the drive through its range, and tell which parts touch."""
        desk, k = self._desk, self.choice.currentIndex()
        live = desk.read()
        if live is None or not 0 <= k < len(desk.drives):
            return
        drive = desk.drives[k]
        folder = tempfile.TemporaryDirectory(prefix="assembly-solver-")
        given = with_shapes(live, Path(folder.name))
        asked = {"contact": HOW[self.how.currentText()]}
        asked |= {"clearance": "all"} if self.near.isChecked() else {}

        def work(**watch: Any) -> tuple[asm.Motion, str]:
            with folder:
                return swept(given, drive, (drive.low, drive.high), STEPS, **asked, **watch)

        def done(answer: tuple[asm.Motion, str]) -> None:
            self._live, self.motion = live, answer[0]
            self._show(answer[0])
            touches = answer[0].contacts is None or answer[0].contacts.found
            desk.said.emit(answer[1], "note" if touches else "good")

        desk.work(f"Looking for contact over {drive.name}", work, done)

    def _show(self, motion: asm.Motion) -> None:
        """A card for each contact, and for each pair how near it comes; what was left out."""
        self.cards.clear()
        met = [e for e in motion.events if isinstance(e, asm.ContactEvent)]
        for k, event in enumerate(met):
            card = self._card(event.words, "note", event.parts)
            button = card.add_button("Play", "Show it in the view", f"contact {k}")
            button.clicked.connect(lambda _=False, event=event: self._show_at(event))
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

    def _show_at(self, event: asm.ContactEvent) -> None:
        """Draw the parts where two of them touch, and light these up; the document stays."""
        player, motion = self._desk.player, self.motion
        if motion is None or self._live is None:
            return
        if not player.plays(motion.frames):
            player.load(self._live, motion.parts, motion.frames)
        player.pause()
        player.show(int(np.argmin(np.abs(motion.t - event.t))))
        self._desk.pick(event.parts)
