"""The claims of an evidence archive or a report, and their limits, in plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from sonnx_verify.logic.verdict import FINDINGS, GOOD, NAMES
from sonnx_verify.results.result import Result
from sonnx_verify.results.text import counted_text, framed
from sonnx_verify.version import __version__

_MEANINGS = {
    "proved": "two voices that are independent of each other say that no input within the stated scope violates the\n"
    "  statement: two solvers, on one text or on two readings of floats, or a solver and the evaluator on all values.",
    "holds": "an input was found and evaluated that shows what is claimed to exist, or a check of the text itself\n"
    "  succeeded; for an axiom, no tried value breaks it.",
    "refuted": "an input violates the statement; the reference evaluator replayed it before it was reported.",
    "violated": "two such voices say that no input has the claimed property, or a check of the text itself failed.",
    "vacuous": "no input satisfies the assumptions of the statement: it is vacuous.",
    "inconsistent": "the solvers contradict each other, or an input contradicts them: nothing is claimed, and what\n"
    "  they say of other statements is in doubt.",
    "candidate": "a solver has a model, and no input was found that shows it when run. Nothing is claimed.",
    "unknown": "not decided. Nothing is claimed.",
    "unsupported": "not decided: the tool has no way to. Nothing is claimed.",
}
# A verdict without a meaning would be claimed without saying what.
assert tuple(_MEANINGS) == NAMES


def claim_of_archive(results: Sequence[Result], solvers: Mapping[str, str | None], digest: str) -> str:
    """The claim of an archive, beside the texts and the queries."""
    lines = [
        "# What this archive claims",
        "",
        *_head(results, solvers, digest),
        "The texts are in `texts/`, the queries in `smt/`, with what each solver answered.",
        *_body(results),
        "",
        "`sonnx-verify evidence --verify FILE` checks every hash, rebuilds the archive from its texts, and compares.",
    ]
    return "\n".join(lines) + "\n"


def claim_of_report(results: Sequence[Result], solvers: Mapping[str, str | None], digest: str) -> str:
    """The claim of a report."""
    return "\n".join(["# What this report claims", "", *_head(results, solvers, digest), *_body(results)]) + "\n"


def _head(results: Sequence[Result], solvers: Mapping[str, str | None], digest: str) -> Iterator[str]:
    verdicts = Counter(one.verdict for one in results)
    counted = ", ".join(f"{number} {name}" for name, number in sorted(verdicts.items()))
    surprises = sum(one.surprising for one in results)
    texts = counted_text(len({one.place.file for one in results}), "text")
    named = ", ".join(f"{name} {version or '(absent)'}" for name, version in solvers.items())
    yield f"sonnx-verify {__version__}, whose code has the digest {digest}, with {named}"
    yield f"decided {len(results)} obligations of {texts}: {counted}."
    if surprises:
        differ = "differs" if surprises == 1 else "differ"
        yield f"{surprises} of them {differ} from what the texts expect."
    else:
        yield "All are as expected."


def _body(results: Sequence[Result]) -> Iterator[str]:
    yield from ("", "## What each word means", "")
    yield from (f"- **{name}**: {meaning}" for name, meaning in _MEANINGS.items())
    yield from ("", "## How far it reaches", "")
    for scope, number in sorted(Counter(one.scope for one in results if one.scope).items()):
        yield f"- {number} for {scope}"
    yield from ("", *_TRUST)
    assumptions = set(chain.from_iterable(one.assumed for one in results))
    yield from (f"- {text}" for text in sorted(assumptions))
    yield from ("", *_NOT)
    # An expected finding is no failure, but whoever reads the claim has to see it.
    expected = [one for one in results if one.expected and not one.surprising]
    if found := sum(one.verdict in FINDINGS for one in expected):
        yield f"- {found} findings that drafts among the texts expect, and that are kept for what they show."
    if left := sum(one.verdict not in FINDINGS | GOOD for one in expected):
        yield f"- {left} statements that are not decided, as the texts expect."
    if surprises := [one for one in results if one.surprising]:
        yield from ("", "## Surprises", "")
        for one in surprises:
            yield f"- {one.id}: {one.verdict}{framed(', where the text expects ', one.expected)}"


_TRUST = """## What is taken on trust

- The texts: that they say what their authors mean. A proof is about a text, not about what was intended.
- The parser, the elaborator, the rules of the logic and the reference evaluator of the tool, as docs/trust.md
  of its sources lists them; the solvers; FLINT, for the values of real functions; Python, the operating system and the
  machine.
- Axioms, where one is named below: each is cited, and was tried on values, not proved.""".splitlines()
_NOT = """## What is not claimed

- That any implementation is right: `sonnx-verify conform` holds implementations against the texts, by proof
  up to a stated bound or by tests.
- Anything about performance, memory, or operators that are not among the texts.""".splitlines()
