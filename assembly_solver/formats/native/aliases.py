"""Names of mates in other programs."""

from __future__ import annotations

from collections.abc import Mapping

ALIASES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    **dict.fromkeys(("point", "point_on_point", "points_coincident"), ("coincident", {})),
    **dict.fromkeys(("concentric", "collinear", "axis_coincident"), ("coaxial", {})),
    **dict.fromkeys(("plane", "plane_coincident", "planes_coincident"), ("coplanar", {})),
    "flush": ("coplanar", {"sense": "aligned"}),
    "mate": ("coplanar", {"sense": "opposed"}),
    **dict.fromkeys(("plane_parallel", "planes_parallel", "parallel_planes"), ("parallel", {})),
    **dict.fromkeys(("axis_parallel", "axes_parallel", "parallel_axes"), ("parallel", {})),
    "orthogonal": ("perpendicular", {}),
    **dict.fromkeys(("angular", "angle_between_planes", "plane_angle"), ("angle", {})),
    "point_distance": ("distance", {}),
    "point_on_axis": ("point_on_line", {}),
    "point_on_plane": ("point_in_plane", {}),
    **dict.fromkeys(("line_on_plane", "axis_in_plane", "axis_on_plane"), ("line_in_plane", {})),
    **dict.fromkeys(("fastened", "rigid", "lock", "locked", "weld"), ("fixed", {})),
    **dict.fromkeys(("hinge", "pivot", "pin", "insert", "rotational"), ("revolute", {})),
    **dict.fromkeys(("slider", "slide", "translational"), ("prismatic", {})),
    **dict.fromkeys(("ball", "ball_joint", "ball_and_socket"), ("spherical", {})),
    **dict.fromkeys(("cardan", "hooke", "u_joint", "universal_joint"), ("universal", {})),
    **dict.fromkeys(("cv", "cv_joint", "homokinetic"), ("constant_velocity", {})),
    **dict.fromkeys(("helical", "thread", "lead_screw"), ("screw", {})),
    **dict.fromkeys(("tangential", "touch"), ("tangent", {})),
    **dict.fromkeys(("centered", "centred", "mid_plane"), ("width", {})),
    "pin_in_slot": ("slot", {}),
    **dict.fromkeys(("point_on_curve", "point_on_path", "path_mate"), ("path", {})),
}
"""By name: the kind of mate, and the parameters that the name implies."""
