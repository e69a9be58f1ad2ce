"""The joints that lead from placed bodies to open ones, kept up while bodies are placed."""

from __future__ import annotations

from .joints import JointTable, Pin, Slide


class OpenJoints:
    """The joints of one table between placed bodies and members that are not placed yet."""

    def __init__(self, joints: JointTable) -> None:
        self._every = joints.every
        self._of: dict[int, list[int]] = {}
        for k, joint in enumerate(self._every):
            for member in joint.members:
                self._of.setdefault(member, []).append(k)
        self._done: set[int] = set()
        self._based: set[int] = set()
        self._outer: dict[int, list[int]] = {}
        self._inner: dict[int, int] = {}

    @property
    def members(self) -> list[int]:
        """The bodies and bare links of the table."""
        return list(self._of)

    def place(self, member: int) -> None:
        """A body or a bare link is placed."""
        self._change_ends(member, -1)
        self._done.add(member)
        self._outer.pop(member, None)
        for k in self._of.get(member, ()):
            joint = self._every[k]
            if k not in self._based and member in joint.at:
                self._based.add(k)
                for other in joint.members - self._done:
                    self._change_ends(other, -1)
                    self._outer.setdefault(other, []).append(k)
                    self._change_ends(other, 1)

    def _change_ends(self, member: int, by: int) -> None:
        """Count a member with a single joint to placed bodies at its joints."""
        if len(self._outer.get(member, ())) == 1:
            for k in self._of[member]:
                self._inner[k] = self._inner.get(k, 0) + by

    def several(self, also: set[int]) -> list[tuple[int, list[Pin | Slide]]]:
        """Open bodies with several joints to placed ones, or in `also` with one, and these."""
        found = [
            (b, sorted(own))
            for b, own in self._outer.items()
            if b >= 0 and (len(own) > 1 or b in also)
        ]
        found.sort(key=lambda entry: (entry[1][0], entry[0]))
        return [(b, [self._every[k] for k in own]) for b, own in found]

    def inner(self) -> list[tuple[Pin | Slide, dict[int, Pin | Slide]]]:
        """Joints between open members, two of which have one joint to placed bodies: these."""
        out = []
        for k in sorted(k for k, ends in self._inner.items() if ends > 1 and k not in self._based):
            joint = self._every[k]
            own = {m: self._outer.get(m, []) for m in sorted(joint.members)}
            out.append((joint, {m: self._every[o[0]] for m, o in own.items() if len(o) == 1}))
        return out
