"""Graph algorithms on numbered nodes."""
