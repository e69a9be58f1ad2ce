"""An assembly as one table of equations, and what solves one block of them."""
