"""Constraint engine for 3D assemblies."""
