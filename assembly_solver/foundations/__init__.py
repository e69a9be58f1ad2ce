"""What the engine stands on: compiling, geometry, graphs and numerics."""
