"""Words of other programs for kinds of mates, in Python, files and the schema."""

from __future__ import annotations

import json

import pytest

import assembly_solver as asm
from assembly_solver.errors import AmbiguousKind, Contradiction, UnknownName
from assembly_solver.formats.native import assembly_json
from assembly_solver.model.synonyms import AMBIGUOUS, SYNONYMS, folded

pytestmark = pytest.mark.quick

OF_OTHERS = {
    "solidworks": (
        "Concentric coaxial|Lock fixed|Tangent tangent|Width width|Path_Mate path|Slot slot|"
        "Hinge revolute|Gear gear|Rack_Pinion rack_and_pinion|Screw screw|Symmetric symmetric|"
        "Universal_Joint universal|Linear/Linear_Coupler linear|Belt/Chain belt|Cam_Follower path"
    ),
    "onshape": (
        "Fastened fixed|Revolute revolute|Slider prismatic|Planar planar|Ball spherical|"
        "Cylindrical cylindrical|Pin_slot pin_slot|Rack_and_pinion_relation rack_and_pinion"
    ),
    "inventor": (
        "Mate coplanar|Flush coplanar|Angle angle|Insert revolute|Symmetry symmetric|"
        "Rigid fixed|Rotational revolute|Slider prismatic|Ball spherical"
    ),
    "creo": "Pin revolute|Weld fixed|Cylinder cylindrical|Slider prismatic|Ball spherical",
    "freecad": (
        "Fixed fixed|Slider prismatic|Ball spherical|RackPinion rack_and_pinion|Gears gear|"
        "Belt belt|Distance distance|axisCoincident coaxial|planesParallel parallel|"
        "pointOnPlane point_in_plane|sphereCenterIdent coincident|circularEdge revolute"
    ),
    "cadquery": "PointInPlane point_in_plane|PointOnLine point_on_line|Point coincident",
    "ondsel": (
        "RevoluteJoint revolute|TranslationalJoint prismatic|SphericalJoint spherical|"
        "ConstantVelocityJoint constant_velocity|PointInLineJoint point_on_line|GearJoint gear|"
        "LineInPlaneJoint line_in_plane|ParallelAxesJoint parallel|AtPointJoint coincident"
    ),
}
WORDS = [
    tuple(pair.replace("_", " ", 0).split())
    for one in OF_OTHERS.values()
    for pair in one.split("|")
]


@pytest.mark.parametrize(("word", "kind"), [*WORDS, *((w, m[0]) for w, m in SYNONYMS.items())])
def test_a_word_of_another_program_names_our_kind(word: str, kind: str) -> None:
    assert asm.kind_named(word).cls is asm.MATES[kind]
    assert asm.kind_named(word.replace("_", " ")).cls.kind == kind


def test_no_two_words_differ_only_in_what_does_not_count() -> None:
    """A folded word has one meaning; it hides no kind of ours."""
    meanings: dict[str, set[str]] = {}
    for word, (kind, implied) in SYNONYMS.items():
        meanings.setdefault(folded(word), set()).add(f"{kind} {dict(implied)}")
    for kind in asm.MATES:
        meanings.setdefault(folded(kind), set()).add(f"{kind} {{}}")
    assert {word: found for word, found in meanings.items() if len(found) > 1} == {}
    assert not meanings.keys() & AMBIGUOUS.keys()


def door(kind: str, **more: str) -> str:
    pin = {"axis": {"point": [0, 0, 0], "direction": "z"}}
    face = {"plane": {"point": [0, 0, 0], "normal": "z"}}
    features = {"features": {"pin": pin, "face": face}}
    end = "pin" if kind != "flush" else "face"
    mate = {"name": "m", "kind": kind, "a": f"frame.{end}", "b": f"leaf.{end}"} | more
    parts = {"frame": {"grounded": True} | features, "leaf": features}
    return json.dumps({"format": "assembly-solver/1", "parts": parts, "mates": [mate]})


@pytest.mark.parametrize(
    ("word", "kind"), [("concentric", "coaxial"), ("Hinge", "revolute"), ("slider", "prismatic")]
)
def test_a_file_may_use_the_word_and_is_written_with_ours(word: str, kind: str) -> None:
    read = assembly_json.read_text(door(word))
    assert read.mates["m"].kind == kind
    assert f'"kind": "{kind}"' in assembly_json.dump(read)
    session = asm.Session(assembly_json.read_text(door("ball")))
    assert session.mate(word, "frame.pin", "leaf.pin", name="n").mates[1].kind == kind


def test_a_word_may_imply_a_sense_and_what_contradicts_it_is_refused() -> None:
    assert assembly_json.read_text(door("flush")).mates["m"].parameters() == {"sense": "aligned"}
    with pytest.raises(Contradiction, match="kind 'flush' and sense 'opposed' exclude each other"):
        assembly_json.read_text(door("flush", sense="opposed"))


def test_a_word_of_two_meanings_is_refused_with_both() -> None:
    told = "mate kind 'axis' may mean coaxial .on one line. or parallel .in one direction."
    with pytest.raises(AmbiguousKind, match=told):
        asm.Assembly().mate("axis", "a.x", "b.x")
    with pytest.raises(AmbiguousKind, match=f"^mates.m.kind: {told}; give one of them$"):
        assembly_json.read_text(door("axis"))


def test_an_unknown_word_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="no mate kind 'hinges'; did you mean 'hinge'"):
        asm.Assembly().mate("hinges", "a.x", "b.x")


@pytest.mark.parametrize(
    ("kind", "word", "said"),
    [
        ("coaxial", "flip", '"sense" is "aligned", "opposed" or "nearest"'),
        ("coplanar", "alignment", '"sense" is "aligned", "opposed" or "nearest"'),
        ("coaxial", "Lock Rotation", 'without turning it is "prismatic"'),
        ("distance", "minimum", "bounds are a limit of their own, with min and max"),
        ("coincident", "flip", "known: a, b, name"),
    ],
)
def test_a_parameter_of_another_program_is_told_with_ours(kind: str, word: str, said: str) -> None:
    with pytest.raises(UnknownName, match=f"no parameter '{word}' of {kind}; .*{said}"):
        asm.Assembly().mate(kind, "a.x", "b.x", **{word: True})
