"""Pages of text with their blocks of code: what is run, and what it has to print.

Blocks of a page run one after the other in one namespace and one folder, in which `samples` is the
folder of samples.  A `text` block right after a `python` block is what that prints; in `console`
blocks the lines after a command are; there a line of `...` stands for what the page leaves out.  A
`json` block with a title is a file of that name; a `python` block with one is a script for another
program, which the test of that program runs.
"""

from __future__ import annotations

import io
import json
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from assembly_solver import cli

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<body>.*?)^```$', re.M | re.S
)
ROUNDING = re.compile(r"(?<![\w.,-])(?:0|0\.0e\+00|\d\.\de-(?:0[6-9]|[1-9]\d))(?![\w.])")
"""Residuals that say no more than that a mate holds: another processor rounds otherwise."""
TOOK = re.compile(r"^ *(?:\d+ \w+, )*[\d.e+]+ m?s$", re.M)
"""The last line of a solve: its work and its time, which pages leave out."""


class Block(NamedTuple):
    """A block of code with its language, title (or None), text and place in the page."""

    language: str
    title: str | None
    body: str
    start: int
    end: int


class Printed(NamedTuple):
    """What a block printed, and what the page says that it prints; `block` has the words."""

    block: Block
    got: str
    told: str


def blocks(text: str, language: str | None = None) -> list[Block]:
    """The fenced blocks of a page in order, all or those of one language."""
    found = [Block(m["language"], m["title"], m["body"], *m.span()) for m in FENCE.finditer(text)]
    return [b for b in found if language in (None, b.language)]


def rounded(text: str) -> str:
    """Text with rounding as one word, and without what the widths of columns come from."""
    text = ROUNDING.sub("tiny", TOOK.sub("", text))
    lines = (re.sub(r" +|─+", lambda run: run[0][0], line).rstrip() for line in text.splitlines())
    return "\n".join(lines).strip()


def agree(got: str, told: str) -> bool:
    """Whether a block prints what the page says; a line of `...` stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.$", rounded(told), flags=re.M)]
    return re.fullmatch(".*".join(parts), rounded(got), re.DOTALL) is not None


def run_page(text: str, folder: Path) -> tuple[dict[str, Any], list[Printed]]:
    """Run a page in a folder, which is the current one; its namespace and what it printed.

    Shell commands are run by whoever calls: see `blocks(text, "sh")`.
    """
    names: dict[str, Any] = {"__name__": "page"}
    printed = []
    found = blocks(text)
    for block, after in zip(found, [*found[1:], None], strict=False):
        if block.language == "json" and block.title:
            json.loads(block.body)
            (folder / block.title).write_text(block.body, encoding="utf-8")
        elif block.language == "python" and not block.title:
            told = ""
            if after is not None and after.language == "text":
                between = text[block.end : after.start]
                told = after.body if "\n#" not in between else ""
            printed.append(Printed(block, _python(block.body, names), told))
        elif block.language == "console":
            printed.append(Printed(block, _console(block.body), block.body))
    return names, printed


def _python(script: str, names: dict[str, Any]) -> str:
    with redirect_stdout(io.StringIO()) as out:
        exec(compile(script, "page", "exec", dont_inherit=True), names)
    return out.getvalue()


def _console(transcript: str) -> str:
    """The transcript as the commands in it print it; `echo $?` is the status of the last one."""
    out, status = [], 0
    for line in re.findall(r"^\$ .*$", transcript, re.M):
        words = shlex.split(line[2:])
        out.append(line)
        if words == ["echo", "$?"]:
            out.append(str(status))
            continue
        assert words[0] == "assembly-solver", line
        with redirect_stdout(io.StringIO()) as said, redirect_stderr(said):
            status = cli.main(words[1:])
        out.append(said.getvalue().rstrip("\n"))
    return "\n".join(line for line in out if line) + "\n"
