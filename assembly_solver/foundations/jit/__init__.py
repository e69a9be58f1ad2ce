"""Compilation with numba; without it the same code runs interpreted."""
