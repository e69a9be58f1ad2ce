"""What the public calls compose: solve, diagnose, sweep, forces, linkage, mobility, sessions."""
