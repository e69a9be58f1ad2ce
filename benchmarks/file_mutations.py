"""Files of every format made wrong, each read and solved in a process of its own.

    python -m benchmarks.file_mutations 20000 FOLDER_OR_FILE ...

takes the samples and the files that are named (.assembly.json, .FCStd, .asmt, .brp, .brep, .step)
and prints those that end badly: with anything but an answer or one line, with a crash, after more
than five seconds of processor time, or with a file written.  The process that reads STEP files has
a limit of its own.  5000:20000 instead of 20000 runs a part.
"""

from __future__ import annotations

import multiprocessing
import random
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from multiprocessing.connection import Connection
from pathlib import Path
from time import process_time
from zipfile import ZIP_DEFLATED, ZipFile

import assembly_solver as asm
from assembly_solver.formats.shapes import brep

from . import mutations
from .figures import Figure, report

SUFFIXES = (".assembly.json", ".fcstd", ".asmt", ".brp", ".brep", ".step")
SAMPLES = sorted((Path(__file__).parents[1] / "samples").rglob("*.step"))[::8]
PATIENCE = 300.0
"""Seconds after which a process is given up, however loaded the machine is."""

PROGRESS = 500
"""Mutations after which it is said how far it came."""

NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
NUMBERS = ("0", "-1", "1e300", "-1e-300", "nan", "inf", "999999999999", "1" * 400, "", "x", "2")
ELEMENTS = ("Face1", "Edge1", "Vertex1", "Face2", "Edge99")


def in_numbers(text: str, rng: random.Random) -> str:
    """Some numbers replaced."""
    for _ in range(rng.choice((1, 1, 4))):
        found = list(NUMBER.finditer(text))
        if found:
            one = rng.choice(found)
            text = text[: one.start()] + rng.choice(NUMBERS) + text[one.end() :]
    return text


def in_words(text: str, rng: random.Random) -> str:
    """A word replaced by another of the text, or by none."""
    for _ in range(rng.choice((1, 1, 3))):
        found = list(WORD.finditer(text))
        if found:
            one, other = rng.choice(found), rng.choice(found)
            new = rng.choice((other[0], other[0], "", "\x1b[2J", "z" * 3000))
            text = text[: one.start()] + new + text[one.end() :]
    return text


def in_lines(text: str, rng: random.Random) -> str:
    """A line taken out, doubled or exchanged, or the rest cut off."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 3))):
        k, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        what = rng.randrange(4)
        if what == 0:
            lines.insert(k, lines[other])
        elif what == 1:
            lines[k], lines[other] = lines[other], lines[k]
        elif what == 2 and rng.random() < 0.2:
            del lines[k:]
        else:
            del lines[k]
        lines = lines or [""]
    return "\n".join(lines)


MUTATORS: tuple[Callable[[str, random.Random], str], ...] = (
    mutations.in_bytes,
    in_numbers,
    in_words,
    in_lines,
)


def mutated(file: Path, seed: int) -> bytes:
    """The bytes of a mutated copy of a file."""
    rng, data = random.Random(seed), file.read_bytes()
    if file.suffix.lower() != ".fcstd":
        return _mutated_text(data, rng)
    if rng.random() < 0.15:  # the zip itself
        k = rng.randrange(len(data))
        return data[:k] + (
            b"" if rng.random() < 0.5 else bytes([rng.randrange(256)]) + data[k + 1 :]
        )
    with ZipFile(BytesIO(data)) as given:
        members = {name: given.read(name) for name in given.namelist()}
    shapes = [name for name in members if name.endswith((".brp", ".bin"))]
    name = rng.choice(shapes) if shapes and rng.random() < 0.2 else "Document.xml"
    members[name] = _mutated_text(members[name], rng)
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as made:
        for member, content in members.items():
            made.writestr(member, content)
    return out.getvalue()


def _mutated_text(data: bytes, rng: random.Random) -> bytes:
    text = data.decode("utf-8", "surrogateescape") or " "
    return rng.choice(MUTATORS)(text, rng).encode("utf-8", "surrogatepass")


def answered(file: Path) -> str:
    """What comes of a file: an outcome, or the message of the error."""
    suffix = file.suffix.lower()
    try:
        if suffix in (".brp", ".brep"):
            return _elements(file)
        if suffix == ".step":
            from assembly_solver.formats.shapes.offers import inventory
            from assembly_solver.formats.shapes.selecting import shape_in

            return f"{len(list(inventory(shape_in(file, file.stem), 'faces')))} faces"
        return str(asm.solve(asm.read(file)).to_dict()["outcome"])
    except (asm.AssemblySolverError, OSError) as error:
        return str(error)


def _elements(file: Path) -> str:
    """The elements of a text of a shape, each read or refused."""
    solid, told = brep.Solid(file.read_bytes().decode("utf-8", "replace"), file.name), []
    for name in ELEMENTS:
        try:
            told.append(str(solid.element(name).kind))
        except asm.AssemblySolverError as error:
            told.append(str(error).split(":")[0])
    return ", ".join(told)


def outcome(file: Path, seed: int, longest: float = mutations.LONGEST) -> str:
    """What comes of a mutated copy, alone in a folder; "BAD: ..." where that is not allowed."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / file.name
        content = mutated(file, seed)
        copy.write_bytes(content)
        begin = process_time()
        try:
            told = answered(copy)
        except BaseException as error:
            return f"BAD: {type(error).__name__}: {error}"[:300]
        if process_time() - begin > longest:
            return f"BAD: {process_time() - begin:.1f} s"
        if [p.name for p in Path(folder).iterdir()] != [copy.name] or copy.read_bytes() != content:
            return "BAD: something was written"
        if "\n" in told or len(told) > 600:
            return f"BAD: {told[:300]!r}"
        return told


def _work(files: Sequence[Path], first: int, count: int, pipe: Connection) -> None:
    for seed in range(first, count):
        pipe.send((seed, outcome(files[seed % len(files)], seed)))


def run(files: Sequence[Path], first: int, count: int) -> Counter[str]:
    """Run the mutations from one seed to another; a process that crashes or hangs is given up."""
    seed, found = first, Counter[str]()
    context = multiprocessing.get_context("fork")
    while seed < count:
        mine, its = context.Pipe(duplex=False)
        worker = context.Process(target=_work, args=(files, seed, count, its))
        worker.start()
        its.close()
        while seed < count:
            told = "BAD: no answer"
            try:
                if mine.poll(PATIENCE):
                    told = mine.recv()[1]
            except EOFError:
                told = "BAD: the process crashed"
            name = files[seed % len(files)].name
            if told.startswith("BAD"):
                print(f"seed {seed} ({name}): {told}", flush=True)
            found[f"{Path(name).suffix.lower()} {'bad' if told.startswith('BAD') else 'good'}"] += 1
            seed += 1
            if seed % PROGRESS == 0:
                print(f"{seed}: {dict(sorted(found.items()))}", file=sys.stderr, flush=True)
            if told in ("BAD: no answer", "BAD: the process crashed"):
                break
        worker.kill()
        worker.join()
    return found


def chosen(names: Sequence[str]) -> list[Path]:
    """The samples, and the files that are named or in folders that are."""
    files = [*mutations.SAMPLES, *SAMPLES]
    for path in map(Path, names):
        inner = sorted(path.rglob("*")) if path.is_dir() else [path]
        files += [p for p in inner if p.name.lower().endswith(SUFFIXES)]
    return files


def figures(
    quick: bool = False, first: int = 0, last: int = 2000, names: Sequence[str] = ()
) -> Iterator[Figure]:
    """How many files of each suffix end badly; each of them is printed."""
    warnings.simplefilter("error", RuntimeWarning)
    files = chosen(names)
    mutations.warm_up()
    for file in files:  # what is compiled and imported is so before time is taken
        answered(file)
    found = run(files, first, first + 100 if quick else last)
    for suffix in sorted({key.split()[0] for key in found}):
        bad, good = found[f"{suffix} bad"], found[f"{suffix} good"]
        yield Figure("file_mutations", suffix, "ended badly", bad, f"of {bad + good}", "<= 0")


if __name__ == "__main__":
    begin, _, end = (sys.argv[1] if len(sys.argv) > 1 else "20000").rpartition(":")
    sys.exit(report(figures(False, int(begin or 0), int(end), sys.argv[2:])))
