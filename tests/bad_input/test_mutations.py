"""A shipped text with tokens deleted, doubled or exchanged is read or refused, never answered with a traceback."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sonnx_verify.errors import UserError, quoted
from sonnx_verify.language.files import Unit
from sonnx_verify.language.parser import parse
from sonnx_verify.language.project import Project
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.sources import Source

ROOT = Path(__file__).parents[2]
PATHS = sorted([*ROOT.glob("spec/**/*.sonnx"), *ROOT.glob("proofs/*.sonnx")])
TOKENS = re.compile(r'--[^\n]*|"[^"\n]*"|\w+|\s+|.')
TEXTS = [TOKENS.findall(path.read_text("utf-8")) for path in PATHS]


@st.composite
def mutants(draw: st.DrawFn) -> tuple[Path, str]:
    """A text of the library with up to three changes."""
    which = draw(st.integers(0, len(PATHS) - 1))
    # Tokens, not characters: most changes of characters end in the lexer, and nothing behind it would be tried.
    tokens = list(TEXTS[which])
    for _ in range(draw(st.integers(1, 3))):
        places = [n for n, t in enumerate(tokens) if not t.isspace() and not t.startswith("--")]
        a, b = (places[draw(st.integers(0, len(places) - 1))] for _ in range(2))
        match draw(st.sampled_from(["delete", "double", "swap", "copy"])):
            case "delete":
                del tokens[a]
            case "double":
                tokens[a:a] = [tokens[a], " "]
            case "swap":
                tokens[a], tokens[b] = tokens[b], tokens[a]
            case "copy":
                tokens[a] = tokens[b]
    return PATHS[which], "".join(tokens)


@given(mutants())
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
def test_mutants(mutant: tuple[Path, str]) -> None:
    """Reading it and elaborating every obligation's text ends with obligations or with errors of the user."""
    path, text = mutant
    project = Project(ROOT)
    try:
        # In the place of the text that it was made of, so that what uses that one meets the mutant.
        file = parse(Source("mutant.sonnx", text))
        unit = Unit(path, "mutant.sonnx", "user", file)
        project.units.append(unit)
        project.files.parsed[path.resolve()] = file
        of_unit(project, unit)
    except UserError as raised:
        error = raised
    else:
        return
    assert error.message
    assert error.span is None or quoted(error.span)
