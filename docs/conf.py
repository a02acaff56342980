"""Settings of the documentation site: `make docs`."""

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from sonnx_verify import __version__ as release
from sonnx_verify.outputs.html.lexer import SonnxLexer
from sonnx_verify.outputs.html.maths import formula

project = "sonnx-verify"
author = "the authors of sonnx-verify"
copyright = author
version = release
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"sonnx-verify {release}"
# Nothing is fetched: formulas are MathML, which browsers set without a script, and no source is copied.
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
exclude_patterns = ["_build"]
templates_path = ["_templates"]
# The reference of the Python functions: a name between back-ticks is code, as in the other documents.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88


def _formula(translator: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    translator.body.append(str(formula(node.astext())))
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Formulas as the reports have them, the colours of formal texts; the grammar and formulas that are shown as they
    are written are plain."""
    app.add_html_math_renderer("mathml", inline_renderers=(_formula, None), block_renderers=(_formula, None))
    app.add_lexer("sonnx", SonnxLexer)
    app.add_lexer("ebnf", TextLexer)
    app.add_lexer("math", TextLexer)
