"""The workbench *Assembly Solver*: commands, and a panel that stays beside the 3D view."""
