"""An assembly as a table of equations, and the solution of a block of them."""
