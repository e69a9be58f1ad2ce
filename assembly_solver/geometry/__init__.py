"""Shapes of motion: rotations, poses, screws.  No mates, no parts."""
