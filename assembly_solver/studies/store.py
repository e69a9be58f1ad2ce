"""The file of a study while it is computed: finished groups are parts beside it, in OUT.parts/.

Each part is written beside and renamed, so that it is whole or not there; a study that was killed
goes on with the groups that have none.  `OUT.parts/study.json` says of what study the parts are,
and stays when OUT is complete: then nothing is run again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import AssemblySolverError
from ..formats.replacing import put_in_place
from .columns import PART, write_joined

MANIFEST = "study.json"
FINISHED = "finished"


class OtherStudy(AssemblySolverError):
    """Rows of another study, in its parts or in its whole file, which would be lost."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path}: these are finished rows of another study (other assembly, values, "
            "measures or version); remove them, or write to another file"
        )


class Store:
    """The parts of a file.

    Args:
        out: the file; told: what the study is, in plain data, its fingerprint among it.

    Raises:
        OtherStudy: there are rows of another one, complete or not.
    """

    def __init__(self, out: Path, told: Mapping[str, Any]) -> None:
        self.out = Path(os.path.realpath(out))
        self.folder = self.out.with_name(self.out.name + ".parts")
        self.told = dict(told)
        before = self._manifest()
        parts = any(self.folder.glob("[0-9]*"))
        same = {k: before.get(k) for k in self.told} == self.told
        whole = bool(before.get(FINISHED))
        if not same and (self.out.exists() if whole else parts):
            raise OtherStudy(self.out if whole else self.folder)
        self.finished = same and whole and self.out.exists()
        if whole or not same:
            self._remove_parts()
        if not self.finished:
            self.folder.mkdir(exist_ok=True)
            self._tell(False)

    def _manifest(self) -> dict[str, Any]:
        try:
            found = json.loads((self.folder / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _tell(self, finished: bool) -> None:
        text = json.dumps({**self.told, FINISHED: finished}, indent=2) + "\n"
        self._put(self.folder / MANIFEST, text.encode())

    def _put(self, path: Path, content: bytes) -> None:
        beside = path.with_name(f".{path.name}-{os.getpid()}")
        beside.write_bytes(content)
        put_in_place(beside, path)

    def part(self, group: int) -> Path:
        """The file of a group."""
        return self.folder / f"{group:09d}{PART[self.out.suffix]}"

    def known(self) -> set[int]:
        """The groups that are finished."""
        suffix = PART[self.out.suffix]
        found = (path.name.removesuffix(suffix) for path in self.folder.glob("[0-9]*"))
        return {int(name) for name in found if name.isdecimal()}

    def keep(self, group: int, content: bytes) -> None:
        """Write a finished group."""
        self._put(self.part(group), content)

    def finish(self, groups: int, names: Sequence[str]) -> None:
        """Write the file from its parts, which are removed then."""
        parts = [self.part(group) for group in range(groups)]
        beside = self.folder / f"whole{self.out.suffix}"
        write_joined(parts, names, beside)
        put_in_place(beside, self.out)
        self._tell(True)
        self._remove_parts()

    def _remove_parts(self) -> None:
        """Remove what studies leave in the folder, and nothing else; not what it was."""
        whole = f"whole{self.out.suffix}"
        # the others are what was being written when a study was killed
        for pattern in ("[0-9]*", ".[0-9]*-[0-9]*", f".{MANIFEST}-[0-9]*", whole):
            for path in self.folder.glob(pattern):
                path.unlink()
