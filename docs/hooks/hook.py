"""What mkdocs asks of this project: pages that stand elsewhere or are made, links, formulas."""

from __future__ import annotations

import re
from contextlib import chdir
from functools import cache
from html import unescape
from pathlib import Path
from posixpath import dirname, normpath, relpath
from typing import Any

import checks
import commands
import glossary
import kinds
import messages
from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
ELSEWHERE = {
    "README.md": "index.md",
    "plugin/cadquery/README.md": "cadquery.md",
    "plugin/freecad/README.md": "freecad.md",
    "benchmarks/README.md": "benchmarks.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages that stand outside `docs/` in the repository, by their place there: where on the site."""
PLACES = ELSEWHERE | {"LICENSE": "LICENSE.txt", "examples": "examples.md"}
SOURCES = {uri: path for path, uri in ELSEWHERE.items()}
PICTURES = ("samples/*.png", "samples/gallery/**/*.*", "plugin/**/*.png")
LINK = re.compile(r"(?<=\]\()(?!https?:|#|mailto:)([^)#\s]+)(?=[)#])")
IMAGE = re.compile(r'<img [^>]*src="([^"]*samples/gallery/[^"]*)\.(svg|png)"[^>]*>')
MATHS = re.compile(r'<(span|div) class="arithmatex">(.*?)</\1>', re.DOTALL)


def on_config(config: Any) -> Any:
    """The configuration with the generated pages in the sections of the menu that ask for them."""
    for section in config["nav"]:
        for name, entries in section.items():
            found = [uri for uri in generated() if uri.startswith(f"{name.lower()}/")]
            if found:
                entries.extend(found)
    return config


def on_files(files: Files, config: Any) -> Files:
    """The pages of `docs/` with those that stand elsewhere and with the pictures."""
    for path, uri in ELSEWHERE.items():
        content = (ROOT / path).read_text(encoding="utf-8")
        files.append(File.generated(config, uri, content=content))
    for uri, content in generated().items():
        files.append(File.generated(config, uri, content=content))
    licence = str(ROOT / "LICENSE")
    files.append(File.generated(config, PLACES["LICENSE"], abs_src_path=licence))
    for pattern in PICTURES:
        for picture in sorted(ROOT.glob(pattern)):
            uri = picture.relative_to(ROOT).as_posix()
            files.append(File.generated(config, uri, abs_src_path=str(picture)))
    return files


@cache
def generated() -> dict[str, str]:
    """The pages that are made from code, by their place on the site."""
    with chdir(ROOT):  # where examples find the samples
        made = commands.pages() | kinds.pages() | checks.pages()
    made |= {"errors.md": messages.page(), "glossary.md": glossary.page()}
    return {"examples.md": examples()} | made


def examples() -> str:
    """The page with the scripts of the folder of examples."""
    told = ["# Scripts", "Each runs as it stands, from any folder."]
    for path in sorted((ROOT / "examples").glob("*.py")):
        script = path.read_text(encoding="utf-8").strip()
        told += [f"## {path.name}", f"```python\n{script}\n```"]
    return "\n\n".join(told) + "\n"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The text with links as they lead on the site, not in the repository."""
    uri = page.file.src_uri
    source = SOURCES.get(uri, f"docs/{uri}")

    def led(found: re.Match[str]) -> str:
        target = normpath(f"{dirname(source)}/{found[1]}").lstrip("/")
        target = re.sub(r"^examples/.*", "examples", target)
        place = PLACES.get(target, target.removeprefix("docs/"))
        return relpath(place, dirname(uri) or ".")

    return LINK.sub(led, markdown)


def on_page_content(html: str, **_: Any) -> str:
    """The page with formulas as MathML, and with pictures that move where there are such."""
    return IMAGE.sub(moving, maths(html))


def moving(found: re.Match[str]) -> str:
    """A picture, and one that moves for those who have not asked for less motion."""
    place = f"{found[1]}.moving.{'svg' if found[2] == 'svg' else 'webp'}"
    if not (ROOT / place[place.index("samples/") :]).is_file():
        return found[0]
    media = "(prefers-reduced-motion: no-preference)"
    return f'<picture><source media="{media}" srcset="{place}">{found[0]}</picture>'


def maths(html: str) -> str:
    """The page with its formulas as MathML, which browsers draw without a script."""

    def drawn(found: re.Match[str]) -> str:
        formula = unescape(found[2])[2:-2].strip()  # without \( and \), or \[ and \]
        return str(convert(formula, display="block" if found[1] == "div" else "inline"))

    return MATHS.sub(drawn, html)
