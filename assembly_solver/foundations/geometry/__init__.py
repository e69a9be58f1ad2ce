"""Geometry of rigid motion: rotations, poses, screws."""
