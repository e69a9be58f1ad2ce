"""Building blocks of self-contained HTML pages: the document, tables, lists of facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ...foundations.markup.visible import escape

HERE = Path(__file__).parents[1]


def document(title: str, body: str, style: str, script: str = "") -> str:
    """A whole page; `style` (names, separated by spaces) and `script` are files of this package."""
    css = "".join((HERE / name).read_text(encoding="utf-8") for name in style.split())
    code = f"<script>\n{(HERE / script).read_text(encoding='utf-8')}</script>\n" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{css}</style>\n</head>\n"
        f"<body>\n{body}\n{code}</body>\n</html>\n"
    )


def header(kind: str, name: str, content: str) -> str:
    """The head of a page: what it is, of which assembly, and content, which is HTML."""
    over = f'<p class="over">{escape(kind)}</p>'
    return f"<header>\n{over}\n<h1>{escape(name)}</h1>\n{content}</header>\n"


def section(title: str, content: str) -> str:
    """A section with a title; empty without content, which is HTML."""
    return f"<section>\n<h2>{escape(title)}</h2>\n{content}</section>\n" if content else ""


def figure(title: str, drawing: str, legend: str = "") -> str:
    """A drawing with its title; drawing and legend are HTML."""
    caption = f"<figcaption><strong>{escape(title)}</strong>{legend}</figcaption>"
    return f"<figure>{caption}{drawing}</figure>\n"


def legend(samples: Iterable[tuple[str, str]]) -> str:
    """Samples, the SVG shapes of 26 x 8 px, each with its words."""
    shapes = "".join(
        f'<li><svg viewBox="0 0 26 8" aria-hidden="true">{shape}</svg>{escape(words)}</li>'
        for shape, words in samples
    )
    return f'<ul class="legend">{shapes}</ul>'


def line_sample(colour: int) -> str:
    """The line of a curve in a legend, by the number of its colour."""
    return f'<path class="curve c{colour}" d="M1 4H25"/>'


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """A list of names and values; values are HTML, rows with empty ones are skipped."""
    told = "".join(f"<dt>{escape(name)}</dt><dd>{what}</dd>" for name, what in rows if what)
    return f'<dl class="facts">{told}</dl>\n' if told else ""


def table(
    caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]], kinds: Sequence[str] = ()
) -> str:
    """A table; cells are HTML.  Empty without rows; columns without content are left out.

    Args:
        columns: names; ">" before a name aligns right, "!" marks a column of sentences.
        kinds: class of each row, such as "fail".
    """
    if not rows:
        return ""
    used = [k for k, column in enumerate(zip(*rows, strict=True)) if any(column)]
    columns, rows = [columns[k] for k in used], [[row[k] for k in used] for row in rows]
    classes = [{">": "right", "!": "words"}.get(c[:1], "") for c in columns]
    names = [c.lstrip(">!") for c in columns]
    head = "".join(
        f'<th scope="col" class="{kind}">{escape(name)}</th>'
        for kind, name in zip(classes, names, strict=True)
    )
    body = "".join(
        f'<tr class="{kinds[k] if kinds else ""}">'
        + "".join(
            f'<td class="{kind}" data-name="{escape(name)}">{cell}</td>'
            for kind, name, cell in zip(classes, names, row, strict=True)
        )
        + "</tr>\n"
        for k, row in enumerate(rows)
    )
    return (
        f'<div class="scroll"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
    )


def folded(title: str, content: str) -> str:
    """Content behind a fold, which is open on paper; empty without content, which is HTML."""
    if not content:
        return ""
    return f"<details><summary>{escape(title)}</summary>\n{content}</details>\n"


def paragraphs(lines: Iterable[str]) -> str:
    """Sentences, each as a paragraph."""
    return "".join(f"<p>{escape(line)}</p>\n" for line in lines)


def listed(lines: Sequence[str]) -> str:
    """Short lines, as the value of a fact."""
    return "<br>".join(escape(line) for line in lines)
