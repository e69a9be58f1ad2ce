"""A page for each command, from what `assembly-solver COMMAND --help` is made of."""

from __future__ import annotations

import click

from assembly_solver.cli.arguments import command
from assembly_solver.cli.program import COMMANDS, STATUSES


def pages() -> dict[str, str]:
    """The pages of the commands by their place on the site."""
    return {f"commands/{n}.md": page(n, command(n, of)) for n, of in COMMANDS.items()}


def page(name: str, of: click.Command) -> str:
    """What a command does, how it is called, what it takes."""
    context = click.Context(of, info_name=f"assembly-solver {name}")
    usage = of.get_usage(context).removeprefix("Usage: ")
    told = [f"# {name}", of.help or "", f"```text\n{' '.join(usage.split())}\n```"]
    told += _table("argument", context, click.Argument)
    told += _table("option", context, click.Option)
    return "\n\n".join([*told, STATUSES, "[All commands](../commands.md)"]) + "\n"


def _table(head: str, context: click.Context, kind: type[click.Parameter]) -> list[str]:
    """The arguments or options of a command, each with its help; nothing where there is none."""
    rows = []
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context)
        if isinstance(parameter, kind) and record is not None:
            word, words = record
            rows.append(f"| `{word}` | {words} |")  # a bar within ` does not part cells
    return ["\n".join([f"| {head} | is |", "|---|---|", *rows])] if rows else []
