"""The workbench *Assembly Solver*: commands, and a panel next to the 3D view."""
