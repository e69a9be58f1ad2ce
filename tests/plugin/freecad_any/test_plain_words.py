"""What a diagnosis says in plain words, with the theory behind it."""

from __future__ import annotations

from assembly_solver_freecad import plain_words

import assembly_solver as asm


def folded() -> asm.Assembly:
    """A parallelogram of 50 and 100 mm, all in one line."""
    a = asm.Assembly("folded")
    ends = {"a": asm.Axis((0, 0, 0), "z"), "b": asm.Axis((100, 0, 0), "z")}
    a.add("frame", grounded=True, features=ends)
    for name, length, x in (("left", 50, 0), ("bar", 100, 50), ("right", 50, 100)):
        ends = {"a": asm.Axis((0, 0, 0), "z"), "b": asm.Axis((length, 0, 0), "z")}
        a.add(name, features=ends, pose=asm.Pose((x, 0, 0)))
    for name, one, two in (
        ("A", "frame.a", "left.a"),
        ("B", "left.b", "bar.a"),
        ("C", "frame.b", "right.a"),
        ("D", "bar.b", "right.b"),
    ):
        a.mate("revolute", one, two, name=name)
    return a


def test_a_change_point_is_told_plainly_and_its_ranks_on_request() -> None:
    told = asm.solve(folded()).to_dict()
    (entry,) = told["singular"]
    found = plain_words.singular(entry)
    assert found.words == "Dead point or change point: ways to move here 2, close by 1."
    assert found.why.startswith("2 degrees of freedom here, 1 nearby: this pose is singular")
    assert found.meaning == "note"
    said = plain_words.sentence(told["sentence"], told)
    assert said.endswith("; 4 harmless duplicates; at a dead point or change point")


def test_duplicates_are_harmless_where_they_agree_and_notes_where_they_do_not() -> None:
    (entry,) = asm.solve(folded()).to_dict()["redundant"]
    found = plain_words.duplicate(entry)
    loop = "A, B, C and D close a loop and hold something in it more than once"
    assert (found.words, found.meaning) == (f"Harmless duplicate: {loop}.", "plain")
    assert "4 equations repeat around their loop" in found.why
    off = plain_words.duplicate({**entry, "disagreement_mm": 2e-5})
    assert off.words == f"Duplicate that is a little off, within the tolerance: {loop}."
    assert off.meaning == "note"


def test_a_contradiction_says_whether_it_is_proved() -> None:
    a = folded()
    for name, value in (("near", 10.0), ("far", 12.0)):
        a.mate("distance", "frame.a", "left.a", value=value, name=name)
    (entry, *_) = asm.solve(a).to_dict()["conflicts"]
    open_ = plain_words.contradiction({**entry, "because": None, "irreducible": False})
    assert plain_words.contradiction(entry).words == entry["fact"] == open_.words
    assert plain_words.contradiction(entry).why.startswith("That is proved: ")
    assert open_.why.startswith("No solution was found; that there is none is not proved.")
    assert open_.why.endswith("Fewer of them may contradict each other already.")


def test_what_is_locked_has_its_ways_to_move_counted() -> None:
    told = {"redundant_equations": 3}
    assert "2 parts are not grounded: they have 6 ways each, 12 in all, to move" in (
        plain_words.locked(told, 2).why
    )
    assert plain_words.locked(told, 0).why == "Every part is grounded."
