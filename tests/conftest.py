"""Puts this folder on the import path, so that all tests can use `mechanisms`."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("here", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("here")
