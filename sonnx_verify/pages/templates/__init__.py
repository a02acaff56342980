"""Templates of pages and formal texts, in Jinja.

A macro that writes lines ends each of them; where it is called in an expression, the end of that line is the blank line
behind it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def rendered(template: str, **values: object) -> str:
    """The text of a template with some values; a name that is none of them raises."""
    return _environment().get_template(template).render(**values)


def macro(template: str, called: str, /, **values: object) -> str:
    """The text that a macro of a template gives, which sees the values."""
    module = _environment().get_template(template).make_module(values)
    made: str = getattr(module, called)()
    return made


@cache
def _environment() -> Environment:
    # Only `new` and `render` need it, and it takes a while to import.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("sonnx_verify.pages"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
