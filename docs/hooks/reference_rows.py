"""The reference has a row for each argument and attribute, where a docstring has many in one, too.

`low, high: bounds, mm; name: of the driver` are three rows on the site.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import griffe

SECTION = re.compile(r"(?<=^Args:\n)(?: {4}.*\n?)+|(?<=^Attributes:\n)(?: {4}.*\n?)+", re.M)
NEXT = re.compile(r";\s+(\w+(?:,\s+\w+)*):\s+")
SHARED = re.compile(r"^ {4}(\w+(?:, \w+)+): (.*(?:\n {5,}.*)*)", re.M)


class RowsOfReference(griffe.Extension):
    """Each object of a package gets its docstring with a row for each name."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        rewrite(pkg)


def rewrite(thing: griffe.Object) -> None:
    """Rewrite the docstrings of a thing and of all that it has."""
    if isinstance(thing, griffe.Function):
        names = {parameter.name for parameter in thing.parameters}
    else:
        names = set(thing.members)
    if thing.docstring is not None:
        thing.docstring.value = each_in_a_row(thing.docstring.value, names)
    for member in thing.members.values():
        if isinstance(member, griffe.Object):  # no alias: what it leads to is met by itself
            rewrite(member)


def each_in_a_row(docstring: str, names: Collection[str]) -> str:
    """A docstring in whose sections of arguments and attributes each name has a row of its own."""

    def known(words: str) -> list[str]:
        found = re.split(r",\s+", words)
        return found if set(found) <= set(names) else []

    def begun(found: re.Match[str]) -> str:
        return f"\n    {', '.join(known(found[1]))}: " if known(found[1]) else found[0]

    def repeated(found: re.Match[str]) -> str:
        rows = [f"    {name}: {found[2]}" for name in known(found[1])]
        return "\n".join(rows) or found[0]

    return SECTION.sub(lambda s: SHARED.sub(repeated, NEXT.sub(begun, s[0])), docstring)
