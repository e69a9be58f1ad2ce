"""Constraint engine for 3D assemblies: rigid parts with features, held by mates.

Names are resolved when they are first used, so that importing the package is cheap.

Examples:
    >>> import assembly_solver as asm
    >>> a = asm.Assembly("hinge")
    >>> _ = a.add("frame", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    >>> _ = a.add("door", features={"pin": asm.Axis((0, 0, 5), "z")})
    >>> hinge = a.mate("revolute", "frame.pin", "door.pin")
    >>> asm.solve(a).require().apply()
"""

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .version import VERSION

if TYPE_CHECKING:
    from .checking.check import check as check
    from .checking.findings import Finding as Finding, Report as Report
    from .diagnosis.freedoms import Diagnosis as Diagnosis
    from .errors import (
        AssemblySolverError as AssemblySolverError,
        Unsolved as Unsolved,
        kind_words as kind_words,
    )
    from .formats.shapes.picks import Pick as Pick, fitting as fitting
    from .formats.shapes.selecting import pick as pick, picks as picks
    from .foundations.arguments import refusing_others as refusing_others
    from .foundations.geometry.pose import Pose as Pose
    from .model.assembly import (
        MATES as MATES,
        Assembly as Assembly,
        NamedKind as NamedKind,
        kind_named as kind_named,
    )
    from .model.building.drawing import Drawing as Drawing, PinDriver as PinDriver
    from .model.building.positions import Position as Position
    from .model.check import Check as Check
    from .model.contact import ContactPairs as ContactPairs
    from .model.curve import Curve as Curve
    from .model.drivers.cylinder import Cylinder as Cylinder
    from .model.drivers.driver import Driver as Driver
    from .model.drivers.guide import Guide as Guide
    from .model.drivers.limit import Limit as Limit
    from .model.feature import (
        Axis as Axis,
        Cone as Cone,
        Feature as Feature,
        Frame as Frame,
        Plane as Plane,
        Point as Point,
        Sphere as Sphere,
        Torus as Torus,
    )
    from .model.laws.law import Law as Law
    from .model.load import Load as Load, Spring as Spring
    from .model.mass import Mass as Mass
    from .model.mate import Mate as Mate
    from .model.mates.basic import (
        Angle as Angle,
        Coaxial as Coaxial,
        Coincident as Coincident,
        Coplanar as Coplanar,
        Distance as Distance,
        Fixed as Fixed,
        LineInPlane as LineInPlane,
        Parallel as Parallel,
        Perpendicular as Perpendicular,
        PointInPlane as PointInPlane,
        PointOnLine as PointOnLine,
    )
    from .model.mates.contacts import (
        Path as Path,
        PinSlot as PinSlot,
        Slot as Slot,
        Tangent as Tangent,
        Width as Width,
    )
    from .model.mates.couplings import (
        Belt as Belt,
        Gear as Gear,
        LinearCoupling as LinearCoupling,
        RackAndPinion as RackAndPinion,
    )
    from .model.mates.joints import (
        ConstantVelocity as ConstantVelocity,
        Cylindrical as Cylindrical,
        Joint as Joint,
        Planar as Planar,
        Prismatic as Prismatic,
        Revolute as Revolute,
        Screw as Screw,
        Spherical as Spherical,
        Universal as Universal,
    )
    from .model.mates.relations import EqualDistance as EqualDistance, Symmetric as Symmetric
    from .model.measures.measure import Measure as Measure
    from .model.part import Part as Part
    from .report.motion_csv import csv_table as csv_table
    from .report.motion_glb import glb_animation as glb_animation
    from .report.page.check_page import report_page as report_page
    from .report.page.tolerance_page import tolerance_page as tolerance_page
    from .report.viewer.runs import free_run as free_run
    from .report.viewer.scene import view as view
    from .results.analysis import Analysis as Analysis
    from .results.contacts import ClearanceCurve as ClearanceCurve
    from .results.dragging import DragStep as DragStep
    from .results.forces import Forces as Forces
    from .results.joined_modes import JoinedModes as JoinedModes, JoiningPath as JoiningPath
    from .results.linkage_states import States as States
    from .results.motion import ContactEvent as ContactEvent, Event as Event, Motion as Motion
    from .results.readings import reading as reading
    from .results.solution import Solution as Solution
    from .solver.modes.enumeration import Mode as Mode
    from .solver.outcome import Outcome as Outcome
    from .structure.plan import Plan as Plan
    from .studies.along import MotionSensitivities as MotionSensitivities
    from .studies.linear_model import Sensitivities as Sensitivities
    from .studies.optimise import Optimum as Optimum, optimise as optimise
    from .studies.sensitivities import sensitivities as sensitivities
    from .studies.study import StudyRows as StudyRows, study as study
    from .studies.tolerance import ToleranceAnalysis as ToleranceAnalysis, tolerance as tolerance
    from .studies.tolerance_band import ToleranceBand as ToleranceBand
    from .verbs.clearance import clearance as clearance
    from .verbs.envelope import Envelope as Envelope, envelope as envelope
    from .verbs.files import read as read, write as write
    from .verbs.forces import forces as forces
    from .verbs.joined_modes import joined_modes as joined_modes
    from .verbs.linkage import Linkage as Linkage, linkage as linkage
    from .verbs.locking import Locking as Locking, locking as locking
    from .verbs.mobility import Mobility as Mobility, mobility as mobility
    from .verbs.positions import standing as standing
    from .verbs.session import Session as Session
    from .verbs.solving import (
        analyse as analyse,
        diagnose as diagnose,
        modes as modes,
        solve as solve,
    )
    from .verbs.sweeping import sweep as sweep

_HOME = {
    "results.dragging": ("DragStep",),
    "results.analysis": ("Analysis",),
    "results.contacts": ("ClearanceCurve",),
    "solver.modes.enumeration": ("Mode",),
    "errors": ("AssemblySolverError", "Unsolved", "kind_words"),
    "diagnosis.freedoms": ("Diagnosis",),
    "foundations.arguments": ("refusing_others",),
    "foundations.geometry.pose": ("Pose",),
    "formats.shapes.picks": ("Pick", "fitting"),
    "formats.shapes.selecting": ("pick", "picks"),
    "model.assembly": ("MATES", "Assembly", "NamedKind", "kind_named"),
    "model.mates.contacts": ("Path", "PinSlot", "Slot", "Tangent", "Width"),
    "model.mates.couplings": ("Belt", "Gear", "LinearCoupling", "RackAndPinion"),
    "model.contact": ("ContactPairs",),
    "model.curve": ("Curve",),
    "model.drivers.cylinder": ("Cylinder",),
    "model.building.drawing": ("Drawing", "PinDriver"),
    "model.building.positions": ("Position",),
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
    "results.motion": ("ContactEvent", "Event", "Motion"),
    "solver.outcome": ("Outcome",),
    "results.forces": ("Forces",),
    "results.readings": ("reading",),
    "report.page.check_page": ("report_page",),
    "report.page.tolerance_page": ("tolerance_page",),
    "report.viewer.runs": ("free_run",),
    "report.viewer.scene": ("view",),
    "report.motion_csv": ("csv_table",),
    "report.motion_glb": ("glb_animation",),
    "verbs.session": ("Session",),
    "results.solution": ("Solution",),
    "structure.plan": ("Plan",),
    "verbs.positions": ("standing",),
    "verbs.sweeping": ("sweep",),
    "verbs.clearance": ("clearance",),
    "verbs.envelope": ("Envelope", "envelope"),
    "verbs.locking": ("Locking", "locking"),
    "verbs.mobility": ("Mobility", "mobility"),
    "studies.along": ("MotionSensitivities",),
    "studies.linear_model": ("Sensitivities",),
    "studies.sensitivities": ("sensitivities",),
    "studies.tolerance": ("ToleranceAnalysis", "tolerance"),
    "studies.tolerance_band": ("ToleranceBand",),
    "checking.check": ("check",),
    "checking.findings": ("Finding", "Report"),
    "model.check": ("Check",),
    "verbs.joined_modes": ("joined_modes",),
    "verbs.linkage": ("Linkage", "linkage"),
    "results.joined_modes": ("JoinedModes", "JoiningPath"),
    "results.linkage_states": ("States",),
    "studies.optimise": ("Optimum", "optimise"),
    "studies.study": ("StudyRows", "study"),
    "verbs.files": ("read", "write"),
    "verbs.forces": ("forces",),
    "verbs.solving": ("analyse", "diagnose", "modes", "solve"),
}
_WHERE = {name: home for home, names in _HOME.items() for name in names}

__version__ = VERSION
__all__ = [*_WHERE, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'assembly_solver' has no attribute {name!r}")
    value = getattr(import_module(f".{_WHERE[name]}", __name__), name)
    if isinstance(value, FunctionType):
        from .foundations.arguments import checked  # with numpy, which importing does not load

        value = checked(value)
        value.__module__ = __name__  # where another process finds it by its name
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
