"""Geometry files: boundary representations, solids and meshes, and features picked on them."""
