"""Motions and limits of .asmt files as drivers with laws and as limits.

Both refer to a joint, or to two markers.  Where the mate has no such coordinate, as a spherical
joint has no angle, the same measure between the markers is used.
"""

from __future__ import annotations

from math import degrees
from typing import Any

from ...errors import NotUnderstood, nearest_names
from ...model.assembly import Assembly
from ...model.references import free_name
from .functions import constant, law
from .joints import OWN, AsmtMarker, JointReader, check_keys
from .syntax import Entry

MOTIONS = {
    "RotationalMotion": ("RotationZ", "angle"),
    "TranslationalMotion": ("TranslationZ", "length"),
}
"""Motions of a joint: the key of the function, and the coordinate that it prescribes."""

GENERAL = "GeneralMotion"
PLACE, TURNS = ("rIJI1", "rIJI2", "rIJI3"), ("angIJJ1", "angIJJ2", "angIJJ3")
ORDER = "RotationOrder"

ALLOWED = (
    "OndselSolver lets the joint turn while it assembles and holds it after that; "
    "give a driver of its angle a value instead"
)

LIMITS = {"RotationLimit": "angle", "TranslationLimit": "length", "DistanceLimit": "separation"}
BOUNDS = {"=>": "min", "=<": "max"}


class MotionReader:
    """Adds drivers to an assembly that has its joints, and reads limits; `name`: of the file."""

    def __init__(self, assembly: Assembly, name: str, joints: JointReader) -> None:
        self.assembly, self.name, self.joints = assembly, name, joints

    def drive(self, entry: Entry) -> None:
        """Add the driver of a motion; NotUnderstood where it is unsupported."""
        if entry.text == "AllowRotation":
            raise NotUnderstood(ALLOWED)
        if entry.text == GENERAL:
            self._guide(entry)
            return
        if entry.text not in MOTIONS:
            near = nearest_names(entry.text, (*MOTIONS, GENERAL))
            raise NotUnderstood(f"no motion {entry.text!r}; {near}")
        key, coordinate = MOTIONS[entry.text]
        check_keys(entry, (*OWN, "MotionJoint", key))
        driven = law(entry.value(key), "degrees({})" if coordinate == "angle" else self._mm)
        name = self._named(entry)
        self.assembly.drive(name, **self._quantity(entry, coordinate), law=driven)

    def _guide(self, entry: Entry) -> None:
        """Add a motion of J in the frame I: its position, and three consecutive rotations."""
        check_keys(entry, (*OWN, *PLACE, *TURNS, ORDER))
        i, j = (self.joints.marker(entry.value(f"Marker{side}")) for side in "IJ")
        if entry.find(ORDER) is None:
            raise NotUnderstood(f"it has no {ORDER}: its angles could mean twelve poses")
        numbers = entry.value(ORDER).split()
        if len(numbers) != 3 or not set(numbers) <= set("123"):
            raise NotUnderstood(f"its order is {entry.value(ORDER)!r}, it must be as '1 2 3'")
        self.assembly.guide(
            self._named(entry),
            j.part,
            feature=j.feature,
            relative_to=(i.part, i.feature),
            position=[law(entry.value(key), self._mm) for key in PLACE],
            angles=[law(entry.value(key), "degrees({})") for key in TURNS],
            order="".join("xyz"[int(number) - 1] for number in numbers),
        )

    def _named(self, entry: Entry) -> str:
        """The name of a motion; one without a name is named after its kind."""
        return entry.text_of("Name") or free_name(entry.text, self.assembly.drivers)

    @property
    def _mm(self) -> str:
        """The conversion of a length of the file to mm."""
        scale = self.joints.scale
        return "{}" if scale == 1.0 else f"{scale:g}*({{}})"

    def limit(self, entry: Entry) -> tuple[dict[str, Any], str, float]:
        """Quantity of a limit, "min" or "max", value (mm, degrees); NotUnderstood: unsupported."""
        if entry.text not in LIMITS:
            raise NotUnderstood(f"no limit {entry.text!r}; {nearest_names(entry.text, LIMITS)}")
        check_keys(entry, (*OWN, "MotionJoint", "Limit", "Type", "Tol"))
        sign, coordinate = entry.value("Type"), LIMITS[entry.text]
        if sign not in BOUNDS:
            raise NotUnderstood(f"its type is {sign!r}, it must be {' or '.join(BOUNDS)}")
        value = constant(entry.value("Limit"))
        value = degrees(value) if coordinate == "angle" else self.joints.scale * value
        return self._quantity(entry, coordinate), BOUNDS[sign], value

    def _quantity(self, entry: Entry, coordinate: str) -> dict[str, Any]:
        """A coordinate of the joint of an entry, or the measure between its two markers."""
        known = {f"/{self.name}/{name}": name for name in self.joints.named}
        path = entry.text_of("MotionJoint")
        if path:
            if path not in known:
                near = nearest_names(path, known)
                raise NotUnderstood(f"no joint {path!r} that was taken; {near}")
            joint: str | None = known[path]
            sides = self.joints.named[known[path]]
        else:
            sides = entry.value("MarkerI"), entry.value("MarkerJ")
            joint = next((n for n, both in self.joints.named.items() if both == sides), None)
        if joint is not None and coordinate in self.assembly.mates[joint].coordinates:
            return {"joint": joint, "coordinate": coordinate}
        i, j = map(self.joints.marker, sides)
        return self._measure(i, j, coordinate)

    def _measure(self, i: AsmtMarker, j: AsmtMarker, coordinate: str) -> dict[str, Any]:
        """The angle of J about z of I, its position along z, or the separation from I."""
        frames = i[:2], j[:2]
        if coordinate == "angle":
            about = {"about": frames[0]}
            return {"angle": (self.joints.as_axis(i, "x"), self.joints.as_axis(j, "x")), **about}
        if coordinate == "length":
            return {"distance": (self.joints.as_plane(i), frames[1])}
        return {coordinate: frames}
