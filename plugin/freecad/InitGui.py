"""FreeCAD reads this when its window starts; the rest is imported when the workbench is entered."""

# ruff: noqa: N802 (FreeCAD calls these methods by these names)

import FreeCAD
import FreeCADGui


class AssemblySolverWorkbench(FreeCADGui.Workbench):
    """The workbench *Assembly Solver*."""

    MenuText = "Assembly Solver"
    ToolTip = "Solve, diagnose, drive and check assemblies"

    def __init__(self):
        from pathlib import Path

        import assembly_solver_freecad

        home = Path(assembly_solver_freecad.__file__).parents[1]
        self.__class__.Icon = str(home / "resources" / "icons" / "assembly_solver.svg")

    def Initialize(self):
        """Commands, a toolbar and a menu."""
        from assembly_solver_freecad.gui import commands

        toolbar, menu = commands.register()
        self.appendToolbar("Assembly Solver", toolbar)
        self.appendMenu("&Assembly Solver", menu)

    def Activated(self):
        """Show the panel, and follow the mouse in the 3D view."""
        from assembly_solver_freecad.gui.switch import drag_in_view

        drag_in_view()

    def Deactivated(self):
        """Stop playing, and give the mouse back; the panel stays."""
        from assembly_solver_freecad.gui.panel import panel

        panel().desk.player.stop()
        panel().mouse.off()

    def GetClassName(self):
        """The class of workbenches in Python, for FreeCAD."""
        return "Gui::PythonWorkbench"


FreeCADGui.addWorkbench(AssemblySolverWorkbench())

if FreeCAD.ParamGet("User parameter:BaseApp/Preferences/Mod/AssemblySolver").GetBool(
    "SolveJoints", False
):
    from assembly_solver_freecad.gui.switch import solve_as_wanted

    solve_as_wanted()  # also where joints are made without entering this workbench
