"""Text of a file as it can be shown: what would steer a terminal or break a page is spelt out."""

from __future__ import annotations

import re

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Control characters but tab and line feed, those that turn the direction of writing, and what
XML 1.0 does not allow (https://www.w3.org/TR/xml, 2.2)."""


def visible(text: str) -> str:
    r"""The text with such characters as a Python string has them: `\x1b`, `\u202e`."""
    return HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def escape(text: str) -> str:
    """The same as text or as an attribute of HTML and SVG."""
    import html  # for pages: its names of characters take longer than a command's texts

    return html.escape(visible(text))
