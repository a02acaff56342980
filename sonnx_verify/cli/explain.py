"""`explain`: an operator, a clause, an obligation, or a list of them."""

from __future__ import annotations

from enum import Enum

import click

from sonnx_verify.cli.options import (
    FORMAT,
    OPSET,
    TIMEOUT,
    Export,
    complete_identity,
    exclusive,
    guarded,
    refuse_without,
    tell_note,
)
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import at_opset, here, without_text
from sonnx_verify.outputs.wanted import Form


class Answer(Enum):
    """The kinds of answers that can be asked for; the value is the option."""

    TERMS = "--terms"
    LIST = "--list"
    COUNTEREXAMPLE = "--counterexample"
    GAPS = "--gaps"
    PROOF = "--proof"


@click.command()
@click.argument("identities", nargs=-1, metavar="[ID]...", shell_complete=complete_identity)
@click.option("--terms", is_flag=True, help="Show the terms of clauses or claims.")
@click.option("--list", "listed", is_flag=True, help="List obligations; without ID, all of them.")
@click.option("--counterexample", "example", is_flag=True, help="Show the smallest counterexample, or witness.")
@click.option("--gaps", is_flag=True, help="Show what a standard operator leaves open, and how the profile decides.")
@click.option("--proof", is_flag=True, help="Show the facts that a proof needs, at their lines, with their instances.")
@click.option(
    "--export",
    type=click.Choice([form.value for form in Export]),
    help="With --counterexample: print it as a numpy program, or write it as an ONNX test.",
)
@click.option("--out", type=click.Path(), metavar="DIR", help="The folder for --export onnx.")
@OPSET
@FORMAT
@TIMEOUT
@guarded
def explain(
    identities: tuple[str, ...],
    *,
    terms: bool,
    listed: bool,
    example: bool,
    gaps: bool,
    proof: bool,
    export: str | None,
    out: str | None,
    opset: int | None,
    form: Form,
) -> int:
    """Explain an operator, clause, obligation or definition.

    An operator: its text, and what that uses. A definition of a library: its text, and what theorems say of it. A
    clause: what it excludes, what implies it, and which proofs need it. An obligation: its verdict and the clauses that
    its proof needs, or a clause that mends the text. A pattern: the obligations it matches.

    \b
    Examples:
      sonnx-verify explain sonnx.Max-13
      sonnx-verify explain sonnx.Max-13.int/spec/refines
      sonnx-verify explain --counterexample drafts.max-13.int/RI/narrowing
    """
    flags = {
        Answer.TERMS: terms,
        Answer.LIST: listed,
        Answer.COUNTEREXAMPLE: example,
        Answer.GAPS: gaps,
        Answer.PROOF: proof,
    }
    answer = _chosen(flags)
    if opset is not None or any("/" in identity for identity in identities):
        project = here()
        identities = tuple(at_opset(project, identity, opset) for identity in identities)
        for unit in without_text(project, identities):
            tell_note(unit.note)
    if answer is not Answer.COUNTEREXAMPLE:
        refuse_without("--counterexample", "export", "out")
    if answer is Answer.LIST:
        from sonnx_verify.cli.explaining.listing import listing

        return listing(identities, form)
    if not identities:
        raise UsageError("no operator, clause or obligation is named", cure="name one; --list prints all obligations")
    if answer is Answer.GAPS:
        from sonnx_verify.cli.explaining.gaps import gaps as gaps_of

        return gaps_of(identities, form)
    if answer is Answer.PROOF:
        from sonnx_verify.cli.explaining.proof import proof as proof_of

        return proof_of(identities, form)
    if answer is None:
        from sonnx_verify.cli.explaining.named import explain_named

        return explain_named(identities, form)
    if len(identities) > 1:
        raise UsageError(f"{answer.value} takes one identity, not {len(identities)}", cure="name one")
    if answer is Answer.TERMS:
        from sonnx_verify.cli.explaining.terms import terms as terms_of

        return terms_of(identities[0], form)
    from sonnx_verify.cli.explaining.example import counterexample

    return counterexample(identities[0], export, out, form)


def _chosen(flags: dict[Answer, bool]) -> Answer | None:
    """The answer that is asked for; None where the identity decides. Raises UsageError for two."""
    chosen = [answer for answer, is_wanted in flags.items() if is_wanted]
    if len(chosen) > 1:
        raise exclusive(chosen[0].value, chosen[1].value)
    if not chosen:
        return None
    return chosen[0]
