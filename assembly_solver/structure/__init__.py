"""What to solve, in which unknowns, in what order."""
