"""Puts the mechanisms with closed forms beside these tests on the import path."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "kinematics"))
