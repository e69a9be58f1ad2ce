"""Geometry in files: boundary representations, solids, meshes, features picked on them."""
