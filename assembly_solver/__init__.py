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
    from .checking.check import check as check
    from .checking.findings import Finding as Finding
    from .checking.findings import Report as Report
    from .diagnosis.freedoms import Diagnosis as Diagnosis
    from .errors import AssemblySolverError as AssemblySolverError
    from .errors import Unsolved as Unsolved
    from .formats.shapes.picks import Pick as Pick
    from .formats.shapes.picks import fitting as fitting
    from .formats.shapes.selecting import pick as pick
    from .foundations.geometry.pose import Pose as Pose
    from .model.assembly import MATES as MATES
    from .model.assembly import Assembly as Assembly
    from .model.building.drawing import Drawing as Drawing
    from .model.building.drawing import PinDriver as PinDriver
    from .model.check import Check as Check
    from .model.curve import Curve as Curve
    from .model.drivers.cylinder import Cylinder as Cylinder
    from .model.drivers.driver import Driver as Driver
    from .model.drivers.guide import Guide as Guide
    from .model.drivers.limit import Limit as Limit
    from .model.feature import Axis as Axis
    from .model.feature import Cone as Cone
    from .model.feature import Feature as Feature
    from .model.feature import Frame as Frame
    from .model.feature import Plane as Plane
    from .model.feature import Point as Point
    from .model.feature import Sphere as Sphere
    from .model.feature import Torus as Torus
    from .model.laws.law import Law as Law
    from .model.load import Load as Load
    from .model.load import Spring as Spring
    from .model.mass import Mass as Mass
    from .model.mate import Mate as Mate
    from .model.mates.basic import Angle as Angle
    from .model.mates.basic import Coaxial as Coaxial
    from .model.mates.basic import Coincident as Coincident
    from .model.mates.basic import Coplanar as Coplanar
    from .model.mates.basic import Distance as Distance
    from .model.mates.basic import Fixed as Fixed
    from .model.mates.basic import LineInPlane as LineInPlane
    from .model.mates.basic import Parallel as Parallel
    from .model.mates.basic import Perpendicular as Perpendicular
    from .model.mates.basic import PointInPlane as PointInPlane
    from .model.mates.basic import PointOnLine as PointOnLine
    from .model.mates.contacts import Path as Path
    from .model.mates.contacts import PinSlot as PinSlot
    from .model.mates.contacts import Slot as Slot
    from .model.mates.contacts import Tangent as Tangent
    from .model.mates.contacts import Width as Width
    from .model.mates.couplings import Belt as Belt
    from .model.mates.couplings import Gear as Gear
    from .model.mates.couplings import LinearCoupling as LinearCoupling
    from .model.mates.couplings import RackAndPinion as RackAndPinion
    from .model.mates.joints import ConstantVelocity as ConstantVelocity
    from .model.mates.joints import Cylindrical as Cylindrical
    from .model.mates.joints import Joint as Joint
    from .model.mates.joints import Planar as Planar
    from .model.mates.joints import Prismatic as Prismatic
    from .model.mates.joints import Revolute as Revolute
    from .model.mates.joints import Screw as Screw
    from .model.mates.joints import Spherical as Spherical
    from .model.mates.joints import Universal as Universal
    from .model.mates.relations import EqualDistance as EqualDistance
    from .model.mates.relations import Symmetric as Symmetric
    from .model.measures.measure import Measure as Measure
    from .model.part import Part as Part
    from .report.motion_csv import csv_table as csv_table
    from .report.page.check_page import report_page as report_page
    from .report.viewer.runs import free_run as free_run
    from .results.analysis import Analysis as Analysis
    from .results.forces import Forces as Forces
    from .results.linkage_states import States as States
    from .results.motion import Event as Event
    from .results.motion import Motion as Motion
    from .results.readings import reading as reading
    from .results.solution import Solution as Solution
    from .solver.modes.enumeration import Mode as Mode
    from .solver.outcome import Outcome as Outcome
    from .structure.plan import Plan as Plan
    from .verbs.files import read as read
    from .verbs.files import write as write
    from .verbs.linkage import Linkage as Linkage
    from .verbs.linkage import linkage as linkage
    from .verbs.mobility import Mobility as Mobility
    from .verbs.mobility import mobility as mobility
    from .verbs.session import DragStep as DragStep
    from .verbs.session import Session as Session
    from .verbs.solving import analyse as analyse
    from .verbs.solving import diagnose as diagnose
    from .verbs.solving import forces as forces
    from .verbs.solving import modes as modes
    from .verbs.solving import solve as solve
    from .verbs.sweeping import sweep as sweep

_HOME = {
    "results.analysis": ("Analysis",),
    "solver.modes.enumeration": ("Mode",),
    "errors": ("AssemblySolverError", "Unsolved"),
    "diagnosis.freedoms": ("Diagnosis",),
    "foundations.geometry.pose": ("Pose",),
    "formats.shapes.picks": ("Pick", "fitting"),
    "formats.shapes.selecting": ("pick",),
    "model.assembly": ("MATES", "Assembly"),
    "model.mates.contacts": ("Path", "PinSlot", "Slot", "Tangent", "Width"),
    "model.mates.couplings": ("Belt", "Gear", "LinearCoupling", "RackAndPinion"),
    "model.curve": ("Curve",),
    "model.drivers.cylinder": ("Cylinder",),
    "model.building.drawing": ("Drawing", "PinDriver"),
    "model.drivers.driver": ("Driver",),
    "model.feature": ("Axis", "Cone", "Feature", "Frame", "Plane", "Point", "Sphere", "Torus"),
    "model.drivers.guide": ("Guide",),
    "model.mates.joints": (
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
    "model.laws.law": ("Law",),
    "model.drivers.limit": ("Limit",),
    "model.load": ("Load", "Spring"),
    "model.mass": ("Mass",),
    "model.mate": ("Mate",),
    "model.mates.basic": (
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
    "model.measures.measure": ("Measure",),
    "model.part": ("Part",),
    "model.mates.relations": ("EqualDistance", "Symmetric"),
    "results.motion": ("Event", "Motion"),
    "solver.outcome": ("Outcome",),
    "results.forces": ("Forces",),
    "results.readings": ("reading",),
    "report.page.check_page": ("report_page",),
    "report.viewer.runs": ("free_run",),
    "report.motion_csv": ("csv_table",),
    "verbs.session": ("DragStep", "Session"),
    "results.solution": ("Solution",),
    "structure.plan": ("Plan",),
    "verbs.sweeping": ("sweep",),
    "verbs.mobility": ("Mobility", "mobility"),
    "checking.check": ("check",),
    "checking.findings": ("Finding", "Report"),
    "model.check": ("Check",),
    "verbs.linkage": ("Linkage", "linkage"),
    "results.linkage_states": ("States",),
    "verbs.files": ("read", "write"),
    "verbs.solving": ("analyse", "diagnose", "forces", "modes", "solve"),
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
