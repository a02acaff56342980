"""What an evidence package claims, and what it does not, in plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sonnx_verify import __version__
from sonnx_verify.report.told import Told


def claim(told: Sequence[Told], solvers: Mapping[str, str | None], digest: str) -> str:
    """The text."""
    return "\n".join(_lines(told, solvers, digest)) + "\n"


def _lines(told: Sequence[Told], solvers: Mapping[str, str | None], digest: str) -> Iterator[str]:
    verdicts = Counter(one.verdict for one in told)
    counted = ", ".join(f"{number} {name}" for name, number in sorted(verdicts.items()))
    found = [one for one in told if one.surprising]
    named = ", ".join(f"{name} {version or '(absent)'}" for name, version in solvers.items())
    yield from ("# What this package claims", "")
    yield f"sonnx-verify {__version__}, whose code has the digest {digest}, with {named}"
    yield f"decided {len(told)} obligations of the texts in `texts/`: {counted}."
    yield f"{len(found)} of them came out otherwise than the texts expect." if found else "All came out as expected."
    yield from ("", *_WORDS, "", "## How far it reaches", "")
    for scope, number in sorted(Counter(one.scope for one in told if one.scope).items()):
        yield f"- {number} for {scope}"
    yield from ("", *_TRUST)
    yield from (f"- {text}" for text in sorted({text for one in told for text in one.assumptions}))
    yield from ("", *_NOT)
    if expected := [one for one in told if one.expected and not one.surprising]:
        yield f"- {len(expected)} findings that drafts among the texts expect, and that are kept for what they show."
    yield from (f"- {one.id}: {one.verdict}" for one in found)
    yield from ("", "`sonnx-verify verify-evidence FILE` checks every hash and decides all of it again.")


_WORDS = """## What each word means

- **proved**: both solvers, of independent origin, answered that no input breaks the statement, within the
  scope that stands with it. The queries are in `smt/`, with what each solver answered.
- **holds**: a witness was found and run, or the text is as it has to be: no proof was needed.
- **refuted**, **violated**: an input breaks it; the reference evaluator replayed it before it was told.
- **unknown**, **unsupported**: not decided. Nothing is claimed.""".splitlines()
_TRUST = """## What is taken on trust

- The texts: that they say what their authors mean. A proof is about a text, not about what was intended.
- The parser, the elaborator, the rules of the logic and the reference evaluator of the tool, as docs/trust.md
  of its sources lists them; the two solvers; Python, the operating system and the machine.""".splitlines()
_NOT = """## What is not claimed

- That any implementation is right: `sonnx-verify conform` holds implementations against the texts, by proof
  up to a stated bound or by tests, and is not part of this package.
- Anything about performance, memory, or operators that are not among the texts.""".splitlines()
