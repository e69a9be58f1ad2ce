"""Shapes of motion: rotations, poses, screws."""
