"""The notebook form of the records of the package."""

from __future__ import annotations

from html import escape


class Shown:
    """A record that a notebook shows as text."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """The record in lines for a reader."""
        return repr(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"
