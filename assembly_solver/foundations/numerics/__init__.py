"""Linear algebra, nonlinear equations and root finding on arrays."""
