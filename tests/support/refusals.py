"""Tables of what is refused, as text: what is wrong, and indented below it what is said of it."""

import re

ROW = re.compile(r"^(\S.*(?:\n\S.*)*)((?:\n .*)+)", re.M)


def refusals(table: str) -> list[tuple[str, str]]:
    """What is wrong and what is said of it, the lines of each joined."""
    return [(" ".join(a.split("\n")), " ".join(b.split())) for a, b in ROW.findall(table)]
