"""OndselSolver's files, NAME.asmt: assemblies with joints, motions, limits, masses and gravity.

Read in both dialects: in SI units (banner "freeCAD: 3D CAD with Motion Simulation ...") and in mm,
as FreeCAD's Assembly workbench writes them ("OndselSolver").  The assembly's own markers become
features of a grounded part with the assembly's name.  What cannot be taken is named, with the
reason, in the note `LEFT_OUT`.  Not read at all: what only draws (`FeatureOrder`,
`AnimationParameters`), velocities at the start, and stored results.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import AssemblySolverError, FormatError, NotUnderstood
from ...foundations.geometry.pose import triple
from ...model.assembly import Assembly
from ...model.feature import Frame
from ...model.mass import Mass
from ...model.references import fresh
from .. import LEFT_OUT, simulated
from .joints import COUPLINGS, Joints, Marker
from .motions import Motions
from .syntax import Entry, read_tree

SOURCE = "x-asmt"
"""Note of an assembly: its file."""

TIMES = ("tstart", "tend", "hout")
MASS = "PrincipalMassMarker"

UNREAD = {
    "KinematicIJs": "measurements of OndselSolver are not read",
    "RefCurves": "curves are not read",
    "RefSurfaces": "surfaces are not read",
}
"""Lists that are empty in most files; what they hold is named."""

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
"""What may stand below an entry; anything else is named.  Joints and the like check their own."""


def read(path: str | Path) -> Assembly:
    """The assembly in an .asmt file."""
    path = Path(path)
    root, scale = read_tree(path)
    root.one("AnimationParameters")  # the last entry of a whole file
    return _Reader(path, root, scale).assembly


class _Reader:
    """Builds the assembly of a tree; `scale` is the file's unit of length in mm."""

    def __init__(self, path: Path, root: Entry, scale: float) -> None:
        self.scale = scale
        self.name = root.value("Name")
        self.assembly = Assembly(self.name, folder=path.parent)
        self.left_out: dict[str, str] = {}
        self.markers: dict[str, Marker] = {}
        self._parts(root)
        sets = root.one("ConstraintSets")
        self.joints = Joints(self.assembly, self.markers, scale)
        entries = sets.each("Joints")
        for entry in (e for e in entries if e.text not in COUPLINGS):
            with self._told(entry):
                self.joints.enter(entry)
        for entry in (e for e in entries if e.text in COUPLINGS):
            with self._told(entry):
                self.joints.couple(entry)
        motions = Motions(self.assembly, self.name, self.joints)
        for entry in sets.each("Motions"):
            with self._told(entry):
                motions.drive(entry)
        limits = sets.find("Limits")
        self._limits(motions, limits.inner if limits is not None else [])
        self._unknown(sets.each("GeneralConstraintSets"), "constraints of this kind are not known")
        self._unknown(root.each("ForceTorques"), "forces between markers are not read")
        self._unread(root, root.words)
        self._around(path, root)

    # ------------------------------------------------------------------ what is not taken
    @contextmanager
    def _told(self, entry: Entry, name: str = "") -> Iterator[None]:
        """Keep the reason where an entry cannot be taken."""
        try:
            yield
        except FormatError:
            raise
        except AssemblySolverError as error:
            self._leave_out(entry, str(error), name)

    def _leave_out(self, entry: Entry, why: str, name: str = "") -> None:
        names = [e.inner[0].text for e in entry.inner if e.text == "Name" and e.inner]
        told = name or (names[0] if names else entry.text)
        self.left_out[fresh(told, self.left_out)] = why

    def _unknown(self, entries: list[Entry], why: str) -> None:
        for entry in entries:
            self._leave_out(entry, f"{entry.text}: {why}")

    def _unread(self, owner: Entry, words: str) -> None:
        """Name what is not read in an entry and in what stands below it."""
        for entry in owner.inner:
            if entry.text in UNREAD:
                if entry.inner:
                    self._leave_out(entry, UNREAD[entry.text], f"{entry.text} of {words}")
            elif entry.text not in KNOWN[owner.text]:
                why = f"no {entry.text!r} in {owner.text}; known: {', '.join(KNOWN[owner.text])}"
                self._leave_out(entry, why, f"{entry.text} of {words}")
            elif entry.text in KNOWN:
                self._unread(entry, entry.words if entry.text == "Part" else words)

    def _around(self, path: Path, root: Entry) -> None:
        """Gravity, the times of the simulation, and the notes."""
        gravity = root.numbers("ConstantGravity")
        self.assembly.gravity = [self.scale / 1000.0 * g for g in gravity]
        asked = root.one("SimulationParameters")
        self.assembly.notes[SOURCE] = {"file": path.name}
        simulated.keep(self.assembly, *(asked.number(key) for key in TIMES))
        if self.left_out:
            self.assembly.notes[LEFT_OUT] = self.left_out

    # ------------------------------------------------------------------ parts
    def _parts(self, root: Entry) -> None:
        entries = root.each("Parts")
        names = [entry.value("Name") for entry in entries]
        features = self._features(root, fresh(self.name, names), f"/{self.name}")
        if features:
            ground = fresh(self.name, names)
            pose = root.pose(self.scale)
            self.assembly.add(ground, features=features, pose=pose, grounded=True)
        for name, entry in zip(names, entries, strict=True):
            if entry.text != "Part":
                raise FormatError(entry.place, f"{entry.words} stands where a Part must")
            features = self._features(entry, name, f"/{self.name}/{name}")
            made = self.assembly.add(name, features=features, pose=entry.pose(self.scale))
            heavy = entry.find(MASS)
            if heavy is not None:
                with self._told(heavy, f"mass of {name}"):
                    self._weigh(made.name, heavy)

    def _features(self, owner: Entry, part: str, path: str) -> dict[str, Frame]:
        """The markers of a part, or of the assembly, as features; they are kept by their paths."""
        out: dict[str, Frame] = {}
        for point in owner.each("RefPoints"):
            at = point.pose(self.scale)
            for entry in point.each("Markers"):
                self._marker(
                    out, Marker(part, entry.value("Name"), at @ entry.pose(self.scale)), path
                )
        mass = owner.find(MASS)
        if mass is not None:
            self._marker(out, Marker(part, mass.value("Name"), mass.pose(self.scale)), path)
        return out

    def _marker(self, features: dict[str, Frame], marker: Marker, path: str) -> None:
        origin, x, _, z = (triple(row) for row in marker.pose.frame.reshape(4, 3))
        name = fresh(marker.feature, features)
        features[name] = Frame(origin, z, x)
        self.markers.setdefault(f"{path}/{marker.feature}", marker._replace(feature=name))

    def _weigh(self, part: str, entry: Entry) -> None:
        """Give a part its mass; principal moments about its centre are turned to its axes."""
        kg = entry.number("Mass")
        if kg == 0.0:
            return
        pose = entry.pose(self.scale)
        moments = [self.scale**2 * v for v in entry.numbers("MomentOfInertias")]
        tensor = pose.rotation * moments @ pose.rotation.T
        rows = 0.5 * (tensor + tensor.T)
        x, y, z = (triple(row) for row in rows)
        along = not (rows - np.diag(rows.diagonal())).any()
        inertia = triple(rows.diagonal()) if along else (x, y, z)
        self.assembly.set_mass(part, Mass(kg, pose.position, inertia))

    # ------------------------------------------------------------------ limits
    def _limits(self, motions: Motions, entries: list[Entry]) -> None:
        """A lower and an upper limit of the same quantity become one."""
        found: dict[str, tuple[Entry, dict[str, Any]]] = {}
        for entry in entries:
            with self._told(entry):
                about, bound, value = motions.limit(entry)
                _, own = found.setdefault(repr(about), (entry, about))
                if bound in own:
                    raise NotUnderstood(f"{own['name']} is already a {bound} of the same")
                names = [own["name"]] if "name" in own else []
                own |= {bound: value, "name": ", ".join([*names, entry.value("Name")])}
        for entry, own in found.values():
            with self._told(entry, own["name"]):
                self.assembly.limit(**own)
