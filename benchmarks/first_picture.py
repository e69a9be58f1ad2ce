"""How long Chromium takes from the address of a page to its first picture, for the samples.

    python -m benchmarks.first_picture [SAMPLE ...]

The picture is drawn without a graphics card.  Processor time is that of all processes of the
browser, the smallest of five; waiting depends on what else the machine does.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import assembly_solver as asm
from assembly_solver.report.viewer.scene import scene_of

from .chromium import CHROMIUM, Browser, Tab
from .figures import Figure, report

SAMPLES = Path(__file__).parents[1] / "samples"
QUICK = ("four_bar",)
TIMES = 5
LIMIT = "<= 2"
PICTURE = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def names() -> list[str]:
    """The samples, by their places in the folder."""
    found = (path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.assembly.json"))
    return sorted(place.removesuffix(".assembly.json") for place in found)


def figures(quick: bool = False, samples: Sequence[str] = ()) -> Iterator[Figure]:
    """Seconds for each sample; quick: of one, once."""
    chosen = samples or (QUICK if quick else names())
    if CHROMIUM is None:
        yield Figure("first picture", "all", "processor", None, "s", LIMIT, "", "no chromium")
        return
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(Path(folder) / "profile")
        for name in chosen:
            file = Path(folder) / f"{Path(name).name}.html"
            page = scene_of(asm.read(SAMPLES / f"{name}.assembly.json")).page(True)
            file.write_text(page, encoding="utf-8")
            taken = [_opened(browser, file) for _ in range(1 if quick else TIMES)]
            processor, waiting = (min(of) for of in zip(*taken, strict=True))
            yield Figure("first picture", name, "processor", processor, "s", LIMIT)
            yield Figure("first picture", name, "waiting", waiting, "s")
        browser.close()


def _opened(browser: Browser, file: Path) -> tuple[float, float]:
    """Processor time and time until the first picture of a page, s."""
    before = browser.processor_time()
    tab = Tab(browser, file, 1400, 900)
    waiting = tab.until(PICTURE)
    processor = browser.processor_time() - before
    assert tab.trouble == [], tab.trouble
    tab.close()
    return processor, waiting / 1000.0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_picture")
    parser.add_argument("samples", nargs="*", metavar="SAMPLE", help=", ".join(names()))
    raise SystemExit(report(figures(samples=parser.parse_args().samples)))
