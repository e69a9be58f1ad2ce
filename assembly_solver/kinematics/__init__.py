"""Kinematics: positions, velocities and accelerations over driven motion."""
