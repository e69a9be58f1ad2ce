"""The public calls: solve, diagnose, sweep, forces, linkage, mobility, sessions, files."""
