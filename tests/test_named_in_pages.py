"""What pages and comments name is there: files, functions, benchmarks, sections of pages."""

from __future__ import annotations

import re
from pathlib import Path

import kinds
import pytest
from pages import ROOT
from test_layers import ORDER

import assembly_solver as asm
from assembly_solver.cli.program import COMMANDS
from assembly_solver.model.checks import CHECKS

pytestmark = pytest.mark.quick

TOPS = "assembly_solver plugin benchmarks samples examples docs tests web/src .ci"
FILES = {
    path.relative_to(ROOT).as_posix(): path
    for top in TOPS.split()
    for path in sorted((ROOT / top).rglob("*"))
    if "__pycache__" not in path.parts
}
CODE = [path for name, path in FILES.items() if name.endswith(".py")]
PAGES = [  # but for the changelog, which may name what is gone
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "web/README.md")),
    *(p for name, p in FILES.items() if name.endswith(".md")),
]
WORDS = set(
    re.findall(r"\w+", "\n".join(p.read_text("utf-8") for p in CODE if "tests" not in p.parts))
)
WORDS |= set(re.findall(r"[^\W\d]\w*", "\n".join(FILES)))
ELSEWHERE = {"gate.py", "getUserAppDataDir", "observe", "RigidSnapshot"}
"""A reader's own file; of FreeCAD, and of the notebook's widgets."""
PUT_TOGETHER = {"angle_acc", "angle_rate", "transmission_largest"}
"""Columns whose names the code makes of two pieces."""
PLACE = re.compile(rf"[\w./-]+\.py|(?:assembly_solver|tests|{'|'.join(ORDER)})/[\w/]+")
"""A module, or a file or folder by its place in the tree or in the package."""
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
COMMIT = re.compile(r"(?<![\w.])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7}\b")
SECTION = re.compile(r"([\w/]+\.md)\]?(?:\([\w/.#-]+\))?, (\d+(?:(?:,| and| to) \d+)*)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
MADE = {
    *("errors.md", "glossary.md", "kinds.md"),
    *(kinds.place(kind) for kind in asm.MATES),
    *(f"checks/{kind}.md" for kind in CHECKS),
    *(f"commands/{name}.md" for name in COMMANDS),
}
"""Pages that the site makes, by their place beside those of `docs`."""


def code(path: Path) -> list[str]:
    """What a page has between single backquotes, outside of its blocks."""
    return re.findall(r"`([^`]+)`", FENCE.sub("", path.read_text("utf-8")))


def sections(path: Path) -> set[str]:
    """The numbers of the sections of a page."""
    return set(re.findall(r"^## (\d+)\.", path.read_text("utf-8"), re.M))


def cited(path: Path) -> list[tuple[Path, str]]:
    """The pages that a page or a comment cites by the number of a section, with the number."""
    text = re.sub(r"\s*\n[\s#]*", " ", path.read_text("utf-8"))
    found = [(page, numbers) for page, numbers in SECTION.findall(text)]
    places = {page: [ROOT / page, path.parent / page] for page, _ in found}
    there = {page: next((p for p in at if p.exists()), at[0]) for page, at in places.items()}
    return [(there[page], n) for page, numbers in found for n in re.findall(r"\d+", numbers)]


def anchors(page: Path) -> set[str]:
    """What links to headings of a page end with: their words in small letters, with hyphens."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text("utf-8")), re.M)
    return {re.sub(r"[^\w -]", "", words).lower().replace(" ", "-") for words in headings}


def leads(page: Path, link: str) -> bool:
    """Whether a link within the repository or the site leads to a file, and to a heading there."""
    place, _, heading = link.partition("#")
    if (page.parent / place).resolve() in {ROOT / "docs" / made for made in MADE}:
        return not heading
    target = page.parent / place if place else page
    return target.exists() and (not heading or heading in anchors(target))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_the_links_of_a_page_lead_to_files_and_headings(page: Path) -> None:
    links = LINK.findall(re.sub(r"`[^`]*`", "", FENCE.sub("", page.read_text("utf-8"))))
    within = [link for link in links if not re.match(r"https?:", link)]
    assert [link for link in within if not leads(page, link)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_the_files_and_functions_that_a_page_names_are_there(page: Path) -> None:
    named = [words for words in code(page) if words not in ELSEWHERE]
    files = [words for words in named if PLACE.fullmatch(words)]
    modules = [w.replace(".", "/") for w in re.findall(r"-m (benchmarks[\w.]*)", " ".join(named))]
    ends = "\n".join(f"/{file}\n" for file in FILES)
    assert [w for w in files if not re.search(rf"/{w.rstrip('/')}(?:\.py)?\n", ends)] == []
    assert [w for w in modules if not {f"{w}.py", f"{w}/__main__.py"} & set(FILES)] == []
    names = re.findall(r"\b(?:[A-Za-z]\w*(?=\()|[a-z]\w*_\w+|[A-Z][a-z]+[A-Z]\w*)", " ".join(named))
    assert sorted(set(names) - WORDS - ELSEWHERE - PUT_TOGETHER) == []


def test_the_sections_that_pages_and_comments_cite_are_there() -> None:
    found = {(path, page, n) for path in [*PAGES, *CODE] for page, n in cited(path)}
    assert len(found) > 150
    assert [x for x in sorted(found) if not x[1].exists() or x[2] not in sections(x[1])] == []


def test_what_is_measured_at_a_commit_is_in_the_list_of_what_is_measured_again() -> None:
    """And the list names no commit that its page has no figure of any more."""
    measured = ROOT / "docs" / "measured.md"
    pages = {page: page.read_text("utf-8") for page in PAGES}
    pages[measured], table = pages[measured].split("## Measured again")
    told = {(page, commit) for page, text in pages.items() for commit in COMMIT.findall(text)}
    listed = set()
    for line in table.splitlines():
        if commits := COMMIT.findall(line):
            link = re.search(r"\]\(([^)#]+)", line)
            page = (measured.parent / link[1]).resolve() if link else measured
            listed |= {(page, commit) for commit in commits}
    assert len(listed) > 20 and told == listed
