"""Circuits and branches of a linkage, and the input intervals on which each exists."""
