"""Constraint engine for 3D assemblies: rigid parts with features, held by mates.

Names are resolved when they are first used, so that importing the package is cheap.

Example:
    >>> import assembly_solver as asm
    >>> a = asm.Assembly("hinge")
    >>> _ = a.add("frame", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    >>> _ = a.add("door", features={"pin": asm.Axis((0, 0, 5), "z")})
    >>> hinge = a.mate("revolute", "frame.pin", "door.pin")
    >>> asm.solve(a).require().apply()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import VERSION

if TYPE_CHECKING:
    from .analysis import Analysis as Analysis
    from .assembly_modes import Mode as Mode
    from .certificate import Mobility as Mobility
    from .certificate import mobility as mobility
    from .checking.verb import check as check
    from .diagnosis.freedoms import Diagnosis as Diagnosis
    from .errors import AssemblySolverError as AssemblySolverError
    from .errors import Unsolved as Unsolved
    from .findings import Finding as Finding
    from .findings import Report as Report
    from .formats.picks import Pick as Pick
    from .formats.picks import fitting as fitting
    from .formats.selecting import pick as pick
    from .geometry.pose import Pose as Pose
    from .linkages import Linkage as Linkage
    from .linkages import linkage as linkage
    from .model.assembly import MATES as MATES
    from .model.assembly import Assembly as Assembly
    from .model.check import Check as Check
    from .model.contacts import Path as Path
    from .model.contacts import PinSlot as PinSlot
    from .model.contacts import Slot as Slot
    from .model.contacts import Tangent as Tangent
    from .model.contacts import Width as Width
    from .model.couplings import Belt as Belt
    from .model.couplings import Gear as Gear
    from .model.couplings import LinearCoupling as LinearCoupling
    from .model.couplings import RackAndPinion as RackAndPinion
    from .model.curve import Curve as Curve
    from .model.cylinder import Cylinder as Cylinder
    from .model.drawing import Drawing as Drawing
    from .model.drawing import PinDriver as PinDriver
    from .model.driver import Driver as Driver
    from .model.feature import Axis as Axis
    from .model.feature import Cone as Cone
    from .model.feature import Feature as Feature
    from .model.feature import Frame as Frame
    from .model.feature import Plane as Plane
    from .model.feature import Point as Point
    from .model.feature import Sphere as Sphere
    from .model.feature import Torus as Torus
    from .model.guide import Guide as Guide
    from .model.joints import ConstantVelocity as ConstantVelocity
    from .model.joints import Cylindrical as Cylindrical
    from .model.joints import Joint as Joint
    from .model.joints import Planar as Planar
    from .model.joints import Prismatic as Prismatic
    from .model.joints import Revolute as Revolute
    from .model.joints import Screw as Screw
    from .model.joints import Spherical as Spherical
    from .model.joints import Universal as Universal
    from .model.law import Law as Law
    from .model.limit import Limit as Limit
    from .model.load import Load as Load
    from .model.load import Spring as Spring
    from .model.mass import Mass as Mass
    from .model.mate import Mate as Mate
    from .model.mates import Angle as Angle
    from .model.mates import Coaxial as Coaxial
    from .model.mates import Coincident as Coincident
    from .model.mates import Coplanar as Coplanar
    from .model.mates import Distance as Distance
    from .model.mates import Fixed as Fixed
    from .model.mates import LineInPlane as LineInPlane
    from .model.mates import Parallel as Parallel
    from .model.mates import Perpendicular as Perpendicular
    from .model.mates import PointInPlane as PointInPlane
    from .model.mates import PointOnLine as PointOnLine
    from .model.measure import Measure as Measure
    from .model.part import Part as Part
    from .model.relations import EqualDistance as EqualDistance
    from .model.relations import Symmetric as Symmetric
    from .motion import Event as Event
    from .motion import Motion as Motion
    from .outcome import Outcome as Outcome
    from .reactions import Forces as Forces
    from .readings import reading as reading
    from .report.html import report_page as report_page
    from .report.playing import free_run as free_run
    from .report.series import csv_table as csv_table
    from .session import DragStep as DragStep
    from .session import Session as Session
    from .solution import Solution as Solution
    from .states import States as States
    from .structure.plan import Plan as Plan
    from .sweeping import sweep as sweep
    from .verbs import analyse as analyse
    from .verbs import diagnose as diagnose
    from .verbs import forces as forces
    from .verbs import modes as modes
    from .verbs import read as read
    from .verbs import solve as solve
    from .verbs import write as write

_HOME = {
    "analysis": ("Analysis",),
    "assembly_modes": ("Mode",),
    "errors": ("AssemblySolverError", "Unsolved"),
    "diagnosis.freedoms": ("Diagnosis",),
    "geometry.pose": ("Pose",),
    "formats.picks": ("Pick", "fitting"),
    "formats.selecting": ("pick",),
    "model.assembly": ("MATES", "Assembly"),
    "model.contacts": ("Path", "PinSlot", "Slot", "Tangent", "Width"),
    "model.couplings": ("Belt", "Gear", "LinearCoupling", "RackAndPinion"),
    "model.curve": ("Curve",),
    "model.cylinder": ("Cylinder",),
    "model.drawing": ("Drawing", "PinDriver"),
    "model.driver": ("Driver",),
    "model.feature": ("Axis", "Cone", "Feature", "Frame", "Plane", "Point", "Sphere", "Torus"),
    "model.guide": ("Guide",),
    "model.joints": (
        "ConstantVelocity",
        "Cylindrical",
        "Joint",
        "Planar",
        "Prismatic",
        "Revolute",
        "Screw",
        "Spherical",
        "Universal",
    ),
    "model.law": ("Law",),
    "model.limit": ("Limit",),
    "model.load": ("Load", "Spring"),
    "model.mass": ("Mass",),
    "model.mate": ("Mate",),
    "model.mates": (
        "Angle",
        "Coaxial",
        "Coincident",
        "Coplanar",
        "Distance",
        "Fixed",
        "LineInPlane",
        "Parallel",
        "Perpendicular",
        "PointInPlane",
        "PointOnLine",
    ),
    "model.measure": ("Measure",),
    "model.part": ("Part",),
    "model.relations": ("EqualDistance", "Symmetric"),
    "motion": ("Event", "Motion"),
    "outcome": ("Outcome",),
    "reactions": ("Forces",),
    "readings": ("reading",),
    "report.html": ("report_page",),
    "report.playing": ("free_run",),
    "report.series": ("csv_table",),
    "session": ("DragStep", "Session"),
    "solution": ("Solution",),
    "structure.plan": ("Plan",),
    "sweeping": ("sweep",),
    "certificate": ("Mobility", "mobility"),
    "checking.verb": ("check",),
    "findings": ("Finding", "Report"),
    "model.check": ("Check",),
    "linkages": ("Linkage", "linkage"),
    "states": ("States",),
    "verbs": ("analyse", "diagnose", "forces", "modes", "read", "solve", "write"),
}
_WHERE = {name: home for home, names in _HOME.items() for name in names}

__version__ = VERSION
__all__ = [*_WHERE, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'assembly_solver' has no attribute {name!r}")
    value = getattr(import_module(f".{_WHERE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
