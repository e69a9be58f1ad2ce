"""Pages of HTML that need nothing beside them: the document, tables, lists of facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

HERE = Path(__file__).parents[1]


def document(title: str, body: str, style: str, script: str = "") -> str:
    """A whole page.  Style and script are files in the folder of reports."""
    css = "".join((HERE / name).read_text(encoding="utf-8") for name in style.split())
    code = f"<script>\n{(HERE / script).read_text(encoding='utf-8')}</script>\n" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{css}</style>\n</head>\n"
        f"<body>\n{body}\n{code}</body>\n</html>\n"
    )


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Names and what they are, below each other; the second is HTML.  Empty ones are left out."""
    told = "".join(f"<dt>{escape(name)}</dt><dd>{what}</dd>" for name, what in rows if what)
    return f'<dl class="facts">{told}</dl>\n' if told else ""


def table(
    caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]], kinds: Sequence[str] = ()
) -> str:
    """A table; cells are HTML.  Without rows: nothing.

    Args:
        columns: names; one that begins with ">" is set right, with "!" is a sentence.
        kinds: class of each row, such as "fail".
    """
    if not rows:
        return ""
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


def paragraphs(lines: Iterable[str]) -> str:
    """Sentences, each on its own."""
    return "".join(f"<p>{escape(line)}</p>\n" for line in lines)


def listed(lines: Sequence[str]) -> str:
    """Short lines below each other, as the content of a fact."""
    return "<br>".join(escape(line) for line in lines)
