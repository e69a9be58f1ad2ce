"""The linkage check of an excavator: reach, dead points, transmission angles, forces; a report."""

import sys
import tempfile
from pathlib import Path

import assembly_solver as asm

SAMPLES = Path(__file__).parents[1] / "samples"

passed = asm.check(asm.read(SAMPLES / "excavator.assembly.json"))
print(passed.sentence)
assert passed

failed = asm.check(asm.read(SAMPLES / "excavator_long_stroke.assembly.json"))
print(failed.sentence)
for finding in failed.failed:
    print("-", finding.words)
assert not failed

out = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()) / "excavator-check.html"
out.write_text(asm.report_page(passed), encoding="utf-8")
print("wrote", out.name)
