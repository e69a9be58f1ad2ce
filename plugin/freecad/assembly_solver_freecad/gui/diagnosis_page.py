"""The page of the diagnosis: free motions, redundant and contradictory joints."""

from __future__ import annotations

from typing import Any

from PySide import QtGui

import assembly_solver as asm

from ..plain_words import Plain, contradiction, duplicate, locked, singular, special
from .cards import Card, Cards
from .desk import Desk
from .shape_button import ShapeButton


class DiagnosisPage(QtGui.QWidget):
    """The diagnosis as cards."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._button: ShapeButton | None = None
        self._buttons: list[ShapeButton] = []
        column = QtGui.QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.cards = Cards("findings")
        column.addWidget(self.cards)
        desk.changed.connect(self.fill)
        desk.player.ended.connect(self._ended)
        desk.aged.connect(self._aged)
        self.fill()

    def fill(self) -> None:
        """Show the result."""
        self.cards.clear()
        self._button, self._buttons = None, []
        if not self._desk.told:
            self.cards.say("Press Diagnose: nothing in the document changes.")
            return
        self._contradictions()
        self._left_out()
        self._freedoms()
        self._redundant()
        self._limits()

    def _card(self, found: Plain, about: Any, ways: Any = ()) -> Card:
        names, pick, (words, why, meaning) = self._desk.names, self._desk.pick, found
        card = Card(words, meaning, names=names, about=about, pick=pick, ways=ways, why=why)
        self.cards.add(card)
        return card

    def _contradictions(self) -> None:
        found = self._desk.told["conflicts"]
        if found:
            self.cards.head("Contradictions")
        for conflict in found:
            self._card(contradiction(conflict), conflict["mates"], conflict["ways"])

    def _left_out(self) -> None:
        rows = self._desk.told["left_out"]
        if rows:
            self.cards.head("Not understood, so not held")
        for row in rows:
            self._card(Plain(row["words"], "", "note"), [row["name"]])
        for row in self._desk.told["read_as"]:
            self._card(Plain(row["words"], "", "plain"), [row["name"]])
        for name in self._desk.told["suppressed"]:
            self._card(Plain(f"{name} is switched off", "", "plain"), [name])

    def _freedoms(self) -> None:
        told = self._desk.told
        if told["dof"] is None:
            return
        moves = [m for m in told["free_motions"] if not m["idle"]]
        idle = [m for m in told["free_motions"] if m["idle"]]
        one = "degree" if told["dof"] == 1 else "degrees"
        self.cards.head(f"{told['dof']} {one} of freedom")
        if not told["dof"]:
            self._card(locked(told, self._movable()), ())
        for title, motions in (("", moves), ("Idle: no other part feels it", idle)):
            if title and motions:
                self.cards.head(title)
            for motion in motions:
                self._motion(motion, told["free_motions"].index(motion))
        for say, entries in ((singular, told["singular"]), (special, told["special"])):
            for entry in entries:
                self._card(say(entry), entry["mates"])

    def _movable(self) -> int:
        """The number of parts that joints have to hold."""
        live = self._desk.live
        fixed = {*self._desk.told["grounded"], *self._desk.told["held"]}
        return 0 if live is None else len([n for n in live.assembly.parts if n not in fixed])

    def _motion(self, motion: dict[str, Any], number: int) -> None:
        stop = motion["removed_by"]["words"]
        card = self._card(Plain(motion["words"], "", "moves"), motion["parts"], [stop])
        button = card.add_button("Play this motion to and fro", f"play {number}")
        button.clicked.connect(lambda: self._play(motion, button))
        self._buttons.append(button)

    def _redundant(self) -> None:
        groups = self._desk.told["redundant"]
        if groups:
            self.cards.head("Held more than once")
        for group in groups:
            self._card(duplicate(group), group["mates"])

    def _limits(self) -> None:
        reached = self._desk.told["limits_reached"]
        if reached:
            self.cards.head("Limits reached")
        for limit in reached:
            self._card(Plain(limit["words"], "", "note"), [limit.get("joint", "")])

    # ------------------------------------------------------------------ playing
    def _aged(self) -> None:
        """Disable playing: the motions start at outdated poses."""
        for button in self._buttons:
            button.setEnabled(False)
            button.setToolTip("The document has changed since; diagnose again")

    def _play(self, motion: dict[str, Any], button: ShapeButton) -> None:
        player, solution, live = self._desk.player, self._desk.solution, self._desk.live
        if self._button is button and player.active:
            player.stop()
            return
        player.stop()
        if solution is None or live is None:
            return

        def work(cancel: Any, **_: Any) -> Any:
            run = asm.free_run(solution, motion, cancel=cancel)
            return None if cancel() else run

        def done(run: Any) -> None:
            if run is None:
                self._desk.note(f"{motion['words']}: cancelled")
                return
            if len(run.frames) < 2:
                self._desk.note(f"{motion['words']}: it cannot be followed from here")
                return
            player.load(live, tuple(live.assembly.parts), run.frames)
            self._button = button
            button.take("Pause")
            player.run(round(run.sliders[0].start))

        self._desk.work("Following the motion", work, done)

    def _ended(self) -> None:
        if self._button is not None:
            self._button.take("Play")
            self._button = None
