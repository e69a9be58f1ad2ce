"""FreeCAD runs this when it starts, with a window or without one.

Documents bring the proxies of their objects by the names of modules, which FreeCAD only takes where
they are imported already; the engine itself is loaded when it is first used.
"""

import assembly_solver_freecad.proxies  # noqa: F401
