"""A page for each command, from what `assembly-solver COMMAND --help` is made of."""

from __future__ import annotations

import click

from assembly_solver.cli.arguments import command
from assembly_solver.cli.program import COMMANDS, STATUSES

EXAMPLES = {
    "solve": (
        'samples/excavator.assembly.json --set "boom cylinder=1200" -o raised.assembly.json',
        "[solve an assembly](../solving.md)",
    ),
    "diagnose": (
        "samples/bad_lid.assembly.json",
        "[when mates contradict each other](../contradictions.md)",
    ),
    "analyse": (
        "samples/excavator.assembly.json --report excavator.html",
        "[see the structure](../mobility.md#see-the-structure)",
    ),
    "mobility": ("samples/four_bar.assembly.json", "[count the freedoms](../mobility.md)"),
    "locking": ("samples/plate_on_pins.assembly.json plate", "[why is it locked](../locked.md)"),
    "sweep": (
        "samples/four_bar.assembly.json --driver crank --steps 360 -o four_bar.csv",
        "[move a mechanism](../motion.md)",
    ),
    "envelope": (
        "samples/four_bar.assembly.json crank --driver crank --steps 24 -o envelope.stl",
        "[what a part sweeps over](../contact.md#what-a-part-sweeps-over)",
    ),
    "check": (
        "samples/excavator_long_stroke.assembly.json --report report.html",
        "[check a linkage](../checks.md)",
    ),
    "tolerance": (
        "samples/one_way_clutch.assembly.json --report clutch.html",
        "[sensitivities and tolerances](../tolerances.md)",
    ),
    "study": (
        "samples/one_way_clutch.assembly.json --vary hub=27.6:27.7 --samples 500 -o clutch.csv",
        "[many variants of one assembly](../study.md)",
    ),
    "optimise": (
        "samples/one_way_clutch.assembly.json --vary hub=27:28 --fit phi=7 -o seven.assembly.json",
        "[dimensions for targets](../study.md#dimensions-for-targets)",
    ),
    "linkage": (
        "samples/theo_jansen.assembly.json -o leg.svg",
        "[all states at once](../states.md)",
    ),
    "view": (
        "samples/four_bar.assembly.json -o four_bar.html",
        "[a page that moves](../motion.md#a-page-that-moves)",
    ),
    "convert": (
        "samples/four_bar.assembly.json turned.assembly.json --set crank=90",
        "[files of other programs](../other_formats.md)",
    ),
    "features": (
        "samples/four_bar/crank.step --edges",
        "[features of the file](../file.md#features)",
    ),
    "schema": ("", "[the file](../file.md)"),
    "sample": ("excavator", "[gallery](../gallery.md)"),
    "warm-up": ("", "[measured](../measured.md)"),
}
"""By command: words that follow it, and the page where it is used."""


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
    words, more = EXAMPLES[name]
    line = f"assembly-solver {name} {words}".strip()
    told += ["## Example", f"```sh\n{line}\n```", f"More on {more}."]
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
