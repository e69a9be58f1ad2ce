"""OndselSolver's files, NAME.asmt: assemblies with joints, motions, limits, masses and gravity.

Lengths are in metres or in mm: see `unit_of_length`.  The assembly's markers become features of a
grounded part with the assembly's name.  Unsupported entries are named, with the reason, in the note
`LEFT_OUT`; what had to be decided is told in the note `READ_AS`.  Ignored are entries for display
(`FeatureOrder`, `AnimationParameters`), initial velocities, and stored results.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import hypot
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import AssemblySolverError, BadValue, FormatError, NotUnderstood
from ...foundations.geometry.pose import triple
from ...model.assembly import Assembly
from ...model.feature import Frame
from ...model.mass import Mass
from ...model.references import free_name
from .. import LEFT_OUT, READ_AS, simulated
from .joints import COUPLINGS, AsmtMarker, JointReader
from .motions import MotionReader
from .syntax import Entry, read_tree

UNITS = {"m": 1000.0, "mm": 1.0}
"""Units of length by their symbol, mm."""

GRAVITY = (1.0, 30.0)
"""Gravity that is meant as one, m/s2: on the Moon, and three times that of the Earth."""

FREECAD = "OndselAssembly"
"""Name of every assembly that FreeCAD's Assembly workbench writes."""

BANNERS = {"freeCAD: 3D CAD with Motion Simulation": "m", "OndselSolver": "mm"}
"""The first line of a file, and the unit of most files that begin with it."""

SMALL, LARGE = 0.5, 50.0
"""Largest coordinate below which an assembly in mm, above which one in metres, is not believed."""


class LengthUnit(NamedTuple):
    """A unit of length: its symbol, and the evidence for it."""

    symbol: str
    because: str

    @property
    def mm(self) -> float:
        return UNITS[self.symbol]

    def words(self, file: str) -> str:
        """The unit of a file in words, and how to say another."""
        other = next(symbol for symbol in UNITS if symbol != self.symbol)
        hint = "" if self.because == STATED else f"; --unit {other} takes them in {other}"
        return f"lengths of {file} are taken in {self.symbol}: {self.because}{hint}"


STATED = "as was asked"


def unit_of_length(root: Entry, banner: str, stated: str | None) -> LengthUnit:
    """The unit of length of a file, which does not state it: as asked, else by the best evidence.

    FreeCAD's Assembly workbench writes mm and OndselSolver's examples are in metres, but the banner
    tells only which program wrote the text last: OndselSolver writes assemblies in metres under the
    banner that FreeCAD's have.  So the name that FreeCAD gives, gravity, and sizes come first.

    Raises BadValue: the stated one is not known.
    """
    if stated is not None:
        if stated not in UNITS:
            raise BadValue("unit", stated, " or ".join(UNITS))
        return LengthUnit(stated, STATED)
    if root.name == FREECAD:
        return LengthUnit("mm", f"FreeCAD names an assembly {FREECAD}")
    gravity = hypot(*root.numbers("ConstantGravity"))
    for symbol, mm in UNITS.items():
        if GRAVITY[0] <= mm / 1000.0 * gravity <= GRAVITY[1]:
            return LengthUnit(symbol, f"gravity is {gravity:g}")
    largest = max(_coordinates(root), default=0.0)
    size = f"its largest coordinate is {largest:.3g}"
    if 0.0 < largest < SMALL or largest > LARGE:
        return LengthUnit("m" if largest < SMALL else "mm", size)
    for start, symbol in BANNERS.items():
        if banner.startswith(start):
            return LengthUnit(symbol, f"its first line begins with {start!r}")
    symbol = "m" if largest < (SMALL * LARGE) ** 0.5 else "mm"
    return LengthUnit(symbol, f"{size}, and its first line tells nothing")


def _coordinates(entry: Entry) -> Iterator[float]:
    """Sizes of all coordinates of positions in an entry and below it."""
    for inner in entry.inner:
        if inner.text == "Position3D":
            yield from map(abs, entry.numbers("Position3D"))
        else:
            yield from _coordinates(inner)


SOURCE = "x-asmt"
"""Note of an assembly: its file."""

TIMES = ("tstart", "tend", "hout")
MASS = "PrincipalMassMarker"

UNREAD = {
    "KinematicIJs": "measurements of OndselSolver are not read",
    "RefCurves": "curves are not read",
    "RefSurfaces": "surfaces are not read",
}
"""Lists whose entries are unsupported; they are empty in most files."""

PLACED = ("Name", "Position3D", "RotationMatrix")
MOVING = (*PLACED, "Velocity3D", "Omega3D", MASS, "RefPoints", "RefCurves", "RefSurfaces")
KNOWN = {
    "Assembly": (
        *("Notes", *MOVING, "Parts", "KinematicIJs", "ConstraintSets", "ForceTorques"),
        *("ConstantGravity", "SimulationParameters", "AnimationParameters"),
    ),
    "Parts": ("Part",),
    "Part": (*MOVING, "FeatureOrder"),
    "RefPoints": ("RefPoint",),
    "RefPoint": (*PLACED, "Markers"),
    "Markers": ("Marker",),
    "Marker": PLACED,
    MASS: (*PLACED, "Mass", "MomentOfInertias", "Density"),
    "ConstraintSets": ("Joints", "Motions", "Limits", "GeneralConstraintSets"),
}
"""Keys by entry; others are reported.  Joints, motions and limits check their keys when read."""


def read(path: str | Path, unit: str | None = None) -> Assembly:
    """The assembly in an .asmt file.

    Args:
        unit: of lengths, "m" or "mm"; by default the likelier one, as of `unit_of_length`.

    Raises:
        FormatError: the file is not valid, with the line; BadValue: no such unit.
    """
    path = Path(path)
    root, banner = read_tree(path)
    root.one("AnimationParameters")  # the last entry of a whole file
    return _AssemblyReader(path, root, unit_of_length(root, banner, unit)).assembly


class _AssemblyReader:
    """Builds the assembly of a tree."""

    def __init__(self, path: Path, root: Entry, unit: LengthUnit) -> None:
        self.scale = scale = unit.mm
        self.told = {"unit of length": unit.words(path.name)}
        self.name = root.value("Name")
        self.assembly = Assembly(self.name, folder=path.parent)
        self.assembly.floating = True  # what no joint holds is free there
        self.left_out: dict[str, str] = {}
        self.markers: dict[str, AsmtMarker] = {}
        self._parts(root)
        sets = root.one("ConstraintSets")
        self.joints = JointReader(self.assembly, self.markers, scale)
        entries = sets.each("Joints")
        for entry in (e for e in entries if e.text not in COUPLINGS):
            with self._reporting(entry):
                self.joints.enter(entry)
        for entry in (e for e in entries if e.text in COUPLINGS):
            with self._reporting(entry):
                self.joints.couple(entry)
        motions = MotionReader(self.assembly, self.name, self.joints)
        for entry in sets.each("Motions"):
            with self._reporting(entry):
                motions.drive(entry)
        limits = sets.find("Limits")
        self._limits(motions, limits.inner if limits is not None else [])
        self._unknown(sets.each("GeneralConstraintSets"), "constraints of this kind are not known")
        self._unknown(root.each("ForceTorques"), "forces between markers are not read")
        self._unread(root, root.words)
        self._settings(path, root)

    # ------------------------------------------------------------------ unsupported entries
    @contextmanager
    def _reporting(self, entry: Entry, name: str = "") -> Iterator[None]:
        """Report an entry that is unsupported, with the reason."""
        try:
            yield
        except FormatError:
            raise
        except AssemblySolverError as error:
            self._report(entry, str(error), name)

    def _report(self, entry: Entry, why: str, name: str = "") -> None:
        self.left_out[free_name(name or entry.label, self.left_out)] = why

    def _unknown(self, entries: list[Entry], why: str) -> None:
        for entry in entries:
            self._report(entry, f"{entry.text}: {why}")

    def _unread(self, owner: Entry, words: str) -> None:
        """Report unsupported keys of an entry and of the entries below it."""
        for entry in owner.inner:
            if entry.text in UNREAD:
                if entry.inner:
                    self._report(entry, UNREAD[entry.text], f"{entry.text} of {words}")
            elif entry.text not in KNOWN[owner.text]:
                why = f"no {entry.text!r} in {owner.text}; known: {', '.join(KNOWN[owner.text])}"
                self._report(entry, why, f"{entry.text} of {words}")
            elif entry.text in KNOWN:
                self._unread(entry, entry.words if entry.text == "Part" else words)

    def _settings(self, path: Path, root: Entry) -> None:
        """Gravity, the times of the simulation, and the notes."""
        gravity = root.numbers("ConstantGravity")
        self.assembly.gravity = [self.scale / 1000.0 * g for g in gravity]
        simulation = root.one("SimulationParameters")
        self.assembly.notes[SOURCE] = {"file": path.name}
        simulated.note_span(self.assembly, *(simulation.number(key) for key in TIMES))
        self.assembly.notes[READ_AS] = self.told | self.joints.told
        if self.left_out:
            self.assembly.notes[LEFT_OUT] = self.left_out

    # ------------------------------------------------------------------ parts
    def _parts(self, root: Entry) -> None:
        entries = root.each("Parts")
        names = [entry.value("Name") for entry in entries]
        features = self._features(root, free_name(self.name, names), f"/{self.name}")
        if features:
            ground = free_name(self.name, names)
            pose = root.pose(self.scale)
            self.assembly.add(ground, features=features, pose=pose, grounded=True)
        for name, entry in zip(names, entries, strict=True):
            if entry.text != "Part":
                raise FormatError(entry.place, f"{entry.words} stands where a Part must")
            features = self._features(entry, name, f"/{self.name}/{name}")
            made = self.assembly.add(name, features=features, pose=entry.pose(self.scale))
            mass = entry.find(MASS)
            if mass is not None:
                with self._reporting(mass, f"mass of {name}"):
                    self._set_mass(made.name, mass)

    def _features(self, owner: Entry, part: str, path: str) -> dict[str, Frame]:
        """The markers of a part, or of the assembly, as features; also stored by their paths."""
        out: dict[str, Frame] = {}
        for point in owner.each("RefPoints"):
            at = point.pose(self.scale)
            for entry in point.each("Markers"):
                self._marker(
                    out, AsmtMarker(part, entry.value("Name"), at @ entry.pose(self.scale)), path
                )
        mass = owner.find(MASS)
        if mass is not None:
            self._marker(out, AsmtMarker(part, mass.value("Name"), mass.pose(self.scale)), path)
        return out

    def _marker(self, features: dict[str, Frame], marker: AsmtMarker, path: str) -> None:
        origin, x, _, z = (triple(row) for row in marker.pose.frame.reshape(4, 3))
        name = free_name(marker.feature, features)
        features[name] = Frame(origin, z, x)
        self.markers.setdefault(f"{path}/{marker.feature}", marker._replace(feature=name))

    def _set_mass(self, part: str, entry: Entry) -> None:
        """Set the mass of a part; principal moments about the centre are rotated to its axes."""
        kg = entry.number("Mass")
        if kg == 0.0:
            return
        pose = entry.pose(self.scale)
        moments = [self.scale**2 * v for v in entry.numbers("MomentOfInertias")]
        tensor = pose.rotation * moments @ pose.rotation.T
        rows = 0.5 * (tensor + tensor.T)
        x, y, z = (triple(row) for row in rows)
        diagonal = not (rows - np.diag(rows.diagonal())).any()
        inertia = triple(rows.diagonal()) if diagonal else (x, y, z)
        self.assembly.set_mass(part, Mass(kg, pose.position, inertia))

    # ------------------------------------------------------------------ limits
    def _limits(self, motions: MotionReader, entries: list[Entry]) -> None:
        """Add the limits; a lower and an upper one of the same quantity become one."""
        found: dict[str, tuple[Entry, dict[str, Any]]] = {}
        for entry in entries:
            with self._reporting(entry):
                about, bound, value = motions.limit(entry)
                _, own = found.setdefault(repr(about), (entry, about))
                if bound in own:
                    raise NotUnderstood(f"{own['name']} is already a {bound} of the same")
                names = [own["name"]] if "name" in own else []
                own |= {bound: value, "name": ", ".join([*names, entry.label])}
        for entry, own in found.values():
            with self._reporting(entry, own["name"]):
                self.assembly.limit(**own)
