"""Compiling with numba, or running the same code interpreted."""
