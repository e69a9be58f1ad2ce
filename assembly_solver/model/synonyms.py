"""Words of other programs for kinds of mates: SolidWorks, Onshape, Inventor, Creo, FreeCAD with its
add-ons, CadQuery, Ondsel.

They are accepted wherever a kind is; case, blanks, hyphens and underscores do not count, nor a last
word such as "joint": "Ball Joint" is "ball".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

Meaning = tuple[str, Mapping[str, str]]
"""A kind of mate, and the parameters that a word implies."""


def _all(words: str, kind: str, **implied: str) -> dict[str, Meaning]:
    return dict.fromkeys(words.split(), (kind, implied))


SYNONYMS: Mapping[str, Meaning] = {
    **_all("point point_on_point point_to_point point_identity at_point", "coincident"),
    **_all("points_coincident sphere_center_ident", "coincident"),
    **_all("concentric collinear axis_coincident axes_coincident axial_alignment", "coaxial"),
    **_all("plane plane_coincident planes_coincident plane_alignment", "coplanar"),
    **_all("flush", "coplanar", sense="aligned"),
    **_all("mate", "coplanar", sense="opposed"),
    **_all("plane_parallel planes_parallel parallel_planes", "parallel"),
    **_all("axis_parallel axes_parallel parallel_axes axis_plane_normal", "parallel"),
    **_all("orthogonal axis_plane_parallel", "perpendicular"),
    **_all("angular angle_between_planes plane_angle planes_angle axis_plane_angle", "angle"),
    **_all("point_distance points_distance", "distance"),
    **_all("point_on_axis point_in_line", "point_on_line"),
    **_all("point_on_plane in_plane", "point_in_plane"),
    **_all("line_on_plane axis_in_plane axis_on_plane", "line_in_plane"),
    **_all("fastened fasten rigid lock locked weld welded glue", "fixed"),
    **_all("hinge pivot pin insert rotational circular_edge", "revolute"),
    **_all("slider slide sliding translational translation", "prismatic"),
    **_all("cylinder cylindric", "cylindrical"),
    **_all("ball ball_joint ball_and_socket ball_socket", "spherical"),
    **_all("cardan hooke u_joint universal_joint", "universal"),
    **_all("cv cv_joint homokinetic", "constant_velocity"),
    **_all("helical helix thread lead_screw", "screw"),
    **_all("tangential tangency touch", "tangent"),
    **_all("symmetry mirror", "symmetric"),
    **_all("centered centred mid_plane", "width"),
    **_all("pin_in_slot", "slot"),
    **_all("point_on_curve point_on_path path_mate cam cam_follower", "path"),
    **_all("gears", "gear"),
    **_all("rack rack_pinion", "rack_and_pinion"),
    **_all("belts belt_chain pulley pulleys chain", "belt"),
    **_all("linear_coupler linear_linear_coupler", "linear"),
}

AMBIGUOUS: Mapping[str, tuple[str, str]] = {
    "axis": ("coaxial (on one line)", "parallel (in one direction)"),
    "align": ("coplanar (in one plane)", "parallel (in one direction)"),
    "limitdistance": ("distance (of one value)", "a limit of a distance (min to max; no mate)"),
    "limitangle": ("angle (of one value)", "a limit of an angle (min to max; no mate)"),
    "rotation": ("revolute (a hinge)", "gear (two joints that turn together)"),
}
"""Words, folded, that mean different kinds in different programs or no mate, with both meanings."""


def _said(words: str, parameter: str, here: str) -> dict[str, tuple[str, str]]:
    return dict.fromkeys(words.split(), (parameter, here))


_SENSE = '"sense" is "aligned", "opposed" or "nearest"'
_LOCKED = 'without turning it is "prismatic", without sliding "revolute"'
_BOUNDS = "bounds are a limit of their own, with min and max"

PARAMETERS: Mapping[str, tuple[str, str]] = {
    **_said("flip flipped flipalignment alignment align aligned antialigned", "sense", _SENSE),
    **_said("opposed reverse reversed inverted invert direction orientation", "sense", _SENSE),
    **_said("lockrotation lockangle fixedrotation", "", _LOCKED),
    **_said("min max minimum maximum lower upper limits range", "", _BOUNDS),
}
"""Words of other programs for what is said otherwise here, folded: with the parameter that a kind
must have for that, "" for any kind."""

LAST = ("joint", "mate", "constraint", "relation")
"""Last words that do not count, unless they are all there is."""


def folded(word: str) -> str:
    """A word without what does not count: "Ball Joint", "BallJoint" and "ball_joint" are "ball"."""
    plain = re.sub(r"[\s_/-]+", "", word).lower()
    for last in LAST:
        if plain != last and plain.endswith(last):
            return plain.removesuffix(last)
    return plain


def spellings(words: Collection[str]) -> str:
    """A regular expression, as of JSON Schema, for every spelling of words that are `folded`."""
    gap = r"[\s_/-]*"
    free = {word: "".join(f"[{c}{c.upper()}]{gap}" for c in word) for word in (*words, *LAST)}
    last = "|".join(free[word] for word in LAST)
    return f"^{gap}(?:{'|'.join(free[word] for word in words)})(?:{last})?$"


def meaning(word: str, kinds: Iterable[str]) -> Meaning | None:
    """The kind that a word means, one of `kinds`, and the parameters it implies; None: none."""
    return ({folded(kind): (kind, NOTHING) for kind in kinds} | _FOLDED).get(folded(word))


def said_here(word: str, parameters: Collection[str]) -> str:
    """How a kind with these parameters says what a word means elsewhere; empty if it cannot."""
    needs, words = PARAMETERS.get(folded(word), ("", ""))
    return words if not needs or needs in parameters else ""


def meanings(word: str) -> tuple[str, ...]:
    """The meanings of a word that has several; empty for another word."""
    return AMBIGUOUS.get(folded(word), ())


NOTHING: Mapping[str, str] = {}
_FOLDED = {folded(word): found for word, found in SYNONYMS.items()}
