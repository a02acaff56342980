"""The text of what is claimed, as HTML."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markupsafe import Markup


def of_markdown(text: str) -> Markup:
    """Markdown of our own as HTML; what looks like HTML in it stays text. Headings are one level lower."""
    parser = MarkdownIt("commonmark", {"html": False})
    tokens = parser.parse(text)
    for token in tokens:
        if token.type.startswith("heading_"):
            # `#` is the title of the text, which stands in a page that has one of its own.
            token.tag = f"h{int(token.tag[1]) + 1}"
    return Markup(parser.renderer.render(tokens, parser.options, {}))
