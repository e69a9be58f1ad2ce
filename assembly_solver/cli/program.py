"""The commands, and the program from its arguments to its exit status.

Results go to standard output (with `--json` one object only), everything else to standard error.
The exit statuses are in `STATUSES`.  Commands import their modules when they run, to start quickly.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from errno import EPIPE

import click

from ..errors import AssemblySolverError, Unsolved, nearest_names, shown
from ..version import VERSION
from . import (
    checking,
    enveloping,
    linkage,
    motion,
    optimising,
    picking,
    samples,
    solving,
    studying,
    tolerancing,
    viewing,
)
from .arguments import command
from .common import HOLDS, HOLDS_NOT, INTERRUPTED, OUTPUT, PROGRAM, WRONG, log, say, tell

STATUSES = (
    "Exit status: 0 what was asked holds, 1 it does not, 2 the input or the call is wrong, "
    "130 interrupted."
)

COMMANDS: dict[str, Callable[..., int]] = {
    "solve": solving.solve_command,
    "diagnose": solving.diagnose_command,
    "analyse": solving.analyse_command,
    "mobility": solving.mobility_command,
    "locking": solving.locking_command,
    "sweep": motion.sweep_command,
    "envelope": enveloping.envelope_command,
    "check": checking.check_command,
    "study": studying.study_command,
    "optimise": optimising.optimise_command,
    "tolerance": tolerancing.tolerance_command,
    "linkage": linkage.linkage_command,
    "view": viewing.view_command,
    "convert": solving.convert_command,
    "features": picking.features_command,
    "schema": solving.schema_command,
    "sample": samples.sample_command,
    "warm-up": samples.warm_up_command,
}
"""In the order of `--help`."""

ABOUT = "Constraint engine for 3D assemblies: mates in, poses, freedoms and reasons out."


class _Commands(click.Group):
    """The commands, each made when it is asked for: to read all annotations takes a while."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        function = COMMANDS.get(cmd_name)
        return None if function is None else command(cmd_name, function)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS:
            ctx.fail(f"No such command {shown(args[0])!r}; {nearest_names(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)


app = _Commands(
    PROGRAM,
    help=ABOUT,
    epilog=STATUSES,
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=lambda context, _, asked: _print_version(context) if asked else None,
            help="Show it and exit.",
        )
    ],
    no_args_is_help=False,
)


def _print_version(context: click.Context) -> None:
    tell(f"{PROGRAM} {VERSION}")
    context.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _fill_closed_streams()
    if sys.stdout is None:
        return _refused(words, "ClosedStream", f"{OUTPUT} is closed")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # characters that the terminal cannot encode
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _run(words)
        _flush()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except (SystemExit, BrokenPipeError):  # so click ends where the reader of output has gone
        return _refused(words, "BrokenPipeError", f"{OUTPUT}: {os.strerror(EPIPE)}")
    except click.UsageError as error:
        called = " ".join([PROGRAM, *(word for word in words[:1] if word in COMMANDS)])
        problem = f"{error.format_message()} (see {called} --help)"
        return _refused(words, "UsageError", problem)
    except AssemblySolverError as error:
        return _refused(words, type(error).__name__, str(error))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _refused(words, type(error).__name__, f"{where}{error.strerror or error}")
    except Exception as error:
        traceback.print_exc()
        return _refused(words, type(error).__name__, f"this is a fault of {PROGRAM}: {error}")
    if status == INTERRUPTED:
        return _refused(words, "Interrupted", "interrupted", INTERRUPTED)
    return status


def _run(words: list[str]) -> int:
    """The status of a command; click's own `main` would print and end as it likes."""
    if not words:
        raise click.UsageError(f"Missing command, one of {', '.join(COMMANDS)}")
    try:
        with app.make_context(PROGRAM, [*words]) as context:  # click takes words out of its list
            status: int = app.invoke(context)
            return status
    except click.exceptions.Exit:  # of --help and --version
        return HOLDS
    except Unsolved as error:
        told = {"outcome": error.outcome, "sentence": str(error)}
        say(told, "--json" in words, str(error))
        return HOLDS_NOT


def _refused(words: list[str], kind: str, message: str, status: int = WRONG) -> int:
    """Print an error to standard error, with `--json` also to standard output."""
    line = " ".join(message.split())
    log(f"error: {line}" if status == WRONG else line)
    if "--json" in words:
        with suppress(OSError):
            print(json.dumps({"error": {"type": kind, "message": line}}))
            _flush()
    return status


def _fill_closed_streams() -> None:
    """Let no file that is opened get the number of a closed stream: the modeller prints to it.

    Where standard error is closed, what goes there goes nowhere: `print` would take the output.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115  (until the end)


def _flush() -> None:
    """Write what is buffered now, not when the exit status is given.

    Where that fails, as on a full disk, it is given up: Python would fail with it again at the end.
    """
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        with suppress(OSError), open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise OSError(error.errno, error.strerror, OUTPUT) from None
