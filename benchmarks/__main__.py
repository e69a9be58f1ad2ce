"""All benchmarks in one run: every result judged, every limit held, one table and a history.

    python -m benchmarks [--quick] [--only PART ...] [--against COMMIT]

A part is a process of its own: a crash or an endless run of one is a row.  With `--against` the
benchmarks of this tree run on the package of this tree and on that of the commit, in turn.  The
exit status is 1 where a limit is missed or a result is wrong.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from . import suite
from .figures import Figure


def main(arguments: list[str] | None = None) -> int:
    """Run the parts, print the table, append to the history."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="PART", default=list(suite.PARTS))
    parser.add_argument("--quick", action="store_true", help="small cases and few rounds")
    parser.add_argument("--rounds", type=int, help="of each part: 1, with --against 3")
    parser.add_argument("--against", metavar="COMMIT", help="compare with the package of a commit")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write this run to a file")
    parser.add_argument("--history", type=Path, metavar="FILE", default=suite.HISTORY)
    parser.add_argument("--serve", metavar="PART", help=argparse.SUPPRESS)
    ask = parser.parse_args(arguments)
    if unknown := [p for p in [*ask.only, *filter(None, [ask.serve])] if p not in suite.PARTS]:
        parser.error(f"no part {unknown[0]!r}; there is {', '.join(suite.PARTS)}")
    if ask.serve:
        suite.serve(ask.serve, ask.quick)
        return 0
    run = suite.facts() | {"quick": ask.quick}
    if ask.against:
        commit = suite.git("rev-parse", "--verify", "--quiet", ask.against + "^{commit}")
        if not commit:
            parser.error(f"no commit {ask.against!r}")
        pairs = suite.compare(ask.only, commit, ask.quick, ask.rounds or 3)
        run |= {"against": commit, "figures": (rows := suite.tell_both(pairs, ask.against))}
        names = Figure._fields
        found = [Figure(*(row[name] for name in names)) for row in rows]
    else:
        found = suite.tell(suite.run(ask.only, ask.quick, ask.rounds or 1))
        run["figures"] = [figure._asdict() for figure in found]
    suite.record(run, ask.history)
    if ask.json:
        ask.json.write_text(json.dumps(run, indent=1) + "\n")
    return int(not all(figure.good for figure in found))


if __name__ == "__main__":
    raise SystemExit(main())
