"""The page Diagnosis: plain words first, the theory behind "why?", a sign for each meaning."""

from __future__ import annotations

from typing import Any

import assembly_solver_freecad as asf
from documents import hinge
from hand import BUTTON, LABEL, Hand, click, close_all, console, picture, rest


def _plain(text: str) -> str:
    """A text without its style and its links."""
    from html import unescape
    from re import sub

    return unescape(sub("<[^>]*>", "", text.split("</style>")[-1]))


def _told(hand: Hand) -> dict[str, list[Any]]:
    """The findings: for each its meaning, whether its theory shows before and after, and that."""
    found = {}
    for card in hand.cards("Diagnosis"):
        button, theory = card.findChild(BUTTON, "why"), card.findChild(LABEL, "theory")
        (mark,) = [m for m in card.children() if m.objectName() == "mark"]
        seen = [mark.meaning]
        if button is not None:
            hand.panel.pages["Diagnosis"].cards.ensureWidgetVisible(button)
            seen.append(theory.isVisible())
            click(button)
            seen += [theory.isVisible(), _plain(theory.text())]
        found[_plain(card.label.text())] = seen
    return found


def play(hand: Hand) -> dict[str, Any]:
    """A locked ring, then one that two distances contradict."""
    seen: dict[str, Any] = {}
    document = hinge(hand, "Reasons")
    faces = [(document.Post, "Face3"), (document.Ring, "Face3")]
    glue = asf.mate(faces, "fixed", "Glue")
    rest()
    seen["sentence"] = hand.click("diagnose")
    hand.page("Diagnosis")
    seen["locked"] = _told(hand)
    picture("reasons")
    asf.suppress(glue)
    asf.mate(faces, "distance", "Gap", value=3.0, sense="opposed")
    rest()
    hand.click("diagnose")
    seen["contradictory"] = _told(hand)
    picture("reasons contradictory")
    top = hand.panel.sentence.mark
    seen["sign"] = [top.meaning, top.accessibleName()]
    close_all()
    seen["console"] = console()
    return seen
