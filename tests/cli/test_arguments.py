"""The words of a command line, and what a command gets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest

from assembly_solver.cli.arguments import Program, UsageError, argument, option

GIVEN: list[tuple[object, ...]] = []


def measure_command(
    file: Annotated[str, argument("FILE", "What is measured.")],
    again: Annotated[str | None, argument("AGAIN", "The same.")] = None,
    out: Annotated[list[Path] | None, option("-o", "--out", metavar="OUT", help="Repeat.")] = None,
    span: Annotated[tuple[float, float] | None, option("--span", help="Both ends.")] = None,
    count: Annotated[int, option("--count", help="How often.", within=(1, 9))] = 3,
    whole: Annotated[bool, option("--whole", help="All of it.")] = False,
) -> int:
    """Measure a file.

    As often as it is asked for.
    """
    GIVEN.append((file, again, out, span, count, whole))
    return 0


PROGRAM = Program("ruler", "1.0", "It measures.", "0 always.", {"measure": measure_command})


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("a", ("a", None, None, None, 3, False)),
        ("a b --whole", ("a", "b", None, None, 3, True)),
        ("-o x a -oy --out=z", ("a", None, [Path("x"), Path("y"), Path("z")], None, 3, False)),
        ("a --span -1e-3 2 --count=4", ("a", None, None, (-1e-3, 2.0), 4, False)),
        ("- -- -o", ("-", "-o", None, None, 3, False)),
        ("a --count 4 --count 5", ("a", None, None, None, 5, False)),
    ],
)
def test_words_become_arguments(words: str, given: tuple[object, ...]) -> None:
    GIVEN.clear()
    text, call = PROGRAM.call(["measure", *words.split()])
    assert text == "" and call is not None and call() == 0
    assert [given] == GIVEN


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "Missing command."),
        ("--whole", "No such option: --whole; before a command --version"),
        ("mesure", "No such command 'mesure'; did you mean 'measure'?"),
        ("measure", "Missing argument 'FILE'."),
        ("measure a b c", "Got unexpected extra argument (c)"),
        ("measure a --cont 3", "No such option: --cont; did you mean '--count' or '--out'?"),
        ("measure a --count x", "'--count' must be an integer, not 'x'."),
        ("measure a --count 10", "'--count' must be 1 to 9."),
        ("measure a --span 1", "Option '--span' requires 2 arguments."),
        ("measure a --span 1 x", "'--span' must be a number, not 'x'."),
        ("measure a --whole=yes", "Option '--whole' does not take a value."),
        ("measure a -o", "Option '-o' requires an argument."),
    ],
)
def test_a_call_that_is_none_says_why(words: str, problem: str) -> None:
    with pytest.raises(UsageError) as error:
        PROGRAM.call(words.split())
    assert str(error.value) == f"{problem} (see ruler --help)"


HELP = """Usage: ruler measure [OPTIONS] FILE [AGAIN]

  Measure a file.

  As often as it is asked for.

Arguments:
  FILE   What is measured.
  AGAIN  The same.

Options:
  -o, --out OUT         Repeat.
  --span NUMBER NUMBER  Both ends.
  --count INTEGER       How often. [default: 3]
  --whole               All of it.
  --help                Show this message and exit."""


def test_the_help_of_a_command_is_its_text_and_its_parameters() -> None:
    assert PROGRAM.call(["measure", "a", "--help"]) == (HELP, None)
