"""Compilation, geometry, graph algorithms and numerical methods; no assemblies."""
