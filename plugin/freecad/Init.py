"""FreeCAD runs this when it starts, with a window or without one.

Documents name the modules of their objects' proxies, which FreeCAD accepts only if they are
imported already; the engine itself is loaded when it is first used.
"""

import assembly_solver_freecad.proxies  # noqa: F401
