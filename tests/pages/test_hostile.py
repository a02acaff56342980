"""Files that nobody would call a page: each gives findings with places, and nothing fails."""

from __future__ import annotations

import pytest

from sonnx_verify.errors import quoted
from sonnx_verify.pages.lint.mend import mended
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.read import MOST_BYTES, MOST_LINES, page_from

HEAD = "# **Clamp** (int)\n\n## Restrictions\n\n"
HOSTILE = {
    "one line": "word " * 20_000,
    "quotes": ">" * 20_000,
    "quotes in quotes": "\n".join(">" * n for n in range(200)),
    "lists in lists": "\n".join("  " * n + "- a" for n in range(200)),
    "brackets": "[" * 5_000,
    "links in links": "[" * 500 + "a" + "](b)" * 500,
    "stars": "*a " * 3_000,
    "back-ticks": "".join("`" * n + " " for n in range(1, 200)),
    "dollars": "$ a " * 3_000 + "\n\n$$" * 500,
    "escapes": "\\" * 20_000,
    "open tags": '<a id="' * 3_000 + "<a " * 3_000,
    "open comments": "<!--" * 5_000,
    "open fence": "```\n" + "x\n" * 5_000,
    "open table": "| a\n|-\n" + "| R1\n" * 1_000,
    "wide table": "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n|" + "a|" * 500 + "\n",
    "headings": "# a\n" * 2_000,
    "families": "# **Clamp** (int)\n" * 500,
    "titles": "# " + "(" * 5_000 + "operator " * 500 + "\\text{" * 500,
    "findings": HEAD + "".join(f"- [C1] TODO lenght [x](#no{n})\n" for n in range(500)),
    "errors and constraints": HEAD
    + "| Error | b |\n|---|---|\n"
    + "".join(f"| {kind}{n} | bounds of shapes |\n" for kind in "EC" for n in range(400)),
    "open marks": "".join(f"<b>[E_CLAMP_INT_FUNC_{n:04}]</b>\n\n- a\n\n" for n in range(200)),
    "long tags": "- [E_" + "FUNC_" * 2_000 + "0]\n- [E_A" + "_A" * 2_000 + "]\n",
    "long families": "# **Clamp** (int)\n\n## Signature\n\n$X_0" + ", X_1" * 2_000 + ", \\ldots, Y$",
    "a long formula": HEAD + "$" + "x_{1} + " * 100_000 + "$\n",
    "many quantifiers": HEAD + "$" + "\\forall x " * 1_500 + "$ and $" + "\\sum_{x \\in A} " * 1_000 + "$\n",
    "deep braces": HEAD + "$" + "{" * 9_000 + "}" * 9_000 + "$\n",
    "many symbols": HEAD + ", ".join(f"$x_{{{n}}}$" for n in range(3_000)) + "\n",
    "many examples": HEAD + "## Examples\n\n" + "If $X = [1]$ then $Y = [1]$.\n\n" * 500,
    "direction": "\u202e\u200f" * 500 + HEAD,
    "beyond the plane": "\U0001f600" * 5_000 + " lenght",
    "marks of byte order": "\ufeff" * 100 + HEAD,
    "other line ends": "a\u2028\x0b\x0c\x85lenght\n" * 100 + "b\rlenght\r\n",
    "a long path": f"[a]({'b' * 5_000}) [a](%00) [a](http://[)",
}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", HOSTILE)
def test_it_gives_findings(name: str) -> None:
    data = HOSTILE[name].encode()
    page = page_from("page.md", data)
    found = findings_of(page)

    assert found
    for finding in found[:50]:
        assert 1 <= finding.span.column <= len(page.source.line(finding.span.line)) + 1
        assert quoted(finding.span)
    changed, done, _ = mended("page.md", data)
    assert (changed == data) == (not done)


@pytest.mark.parametrize(
    "data", [b"a" * (MOST_BYTES + 1), b"# a\n" * MOST_LINES, b"\xef\xbb\xbf \r\n", b"\0", b"\xff\xfe"]
)
def test_what_is_no_page(data: bytes) -> None:
    """Too long, of too many lines, nothing but a mark of the byte order, no text: one finding says so."""
    assert [f.rule for f in findings_of(page_from("page.md", data))][-1] == "unreadable"
    assert mended("page.md", data)[0] == data


def test_the_place_of_a_byte_that_is_none() -> None:
    for ends in (b"\n", b"\r\n", b"\r"):
        (found,) = [f for f in findings_of(page_from("a", b"# a" + ends * 3 + b"caf\xe9")) if f.rule == "unreadable"]
        assert found.span.line == 4


def test_columns_count_characters() -> None:
    """Characters beyond the first plane and tabs are one each, and so on a page with other line ends."""
    for ends in ("\n", "\r\n"):
        page = page_from("a", f"# a{ends}{ends}\U0001f600\tThe lenght{ends}".encode())
        assert [(f.span.line, f.span.column) for f in findings_of(page) if f.rule == "spelling"] == [(3, 7)]
