"""`new`: a page and a specification, from ONNX's signature of an operator."""

from __future__ import annotations

from pathlib import Path

import click

from sonnx_verify.cli.options import exclusive, guarded
from sonnx_verify.errors import UsageError
from sonnx_verify.language.places import VERSIONS, namespace_of
from sonnx_verify.pages.reading.schemas import operators
from sonnx_verify.pages.render.opened import formal_of_file
from sonnx_verify.pages.render.quotes import quotes_of, renewed
from sonnx_verify.pages.skeleton.files import folder_of, general_from, schema_of, standard_text_of, write_new
from sonnx_verify.pages.skeleton.formal import formal_text, standard_text, why_no_standard, why_no_text
from sonnx_verify.pages.skeleton.page import page_text, quoting_page_text
from sonnx_verify.pages.skeleton.signature import signature_of
from sonnx_verify.pages.skeleton.versions import earlier_versions
from sonnx_verify.paths import USER
from sonnx_verify.results.text import counted_text
from sonnx_verify.sources import Source
from sonnx_verify.stores.folder import replace_file


@click.command()
@click.argument("operator", metavar="OP")
@click.option("--since", type=click.IntRange(1), metavar="N", help="The version (default: the newest).")
@click.option(
    "--out",
    metavar="DIR",
    help="The folder (default: in a project spec/sonnx/op, or spec/onnx/op; else the current one).",
)
@click.option("--standard", is_flag=True, help="Begin the formal text of the ONNX operator, without a page.")
@click.option(
    "--profile",
    is_flag=True,
    help="Begin spec/sonnx/op here, and spec/onnx/op where no standard of the operator is known.",
)
@guarded
def new(operator: str, since: int | None, out: str | None, *, standard: bool, profile: bool) -> int:
    """Create a page and a specification for an ONNX operator.

    Takes names, types and defaults from ONNX's signature; the page lists the questions that every page has to decide.
    Overwrites nothing.

    \b
    Examples:
      sonnx-verify new Relu --since 14 --out relu
      sonnx-verify new Identity --standard --out texts
    """
    if profile and standard:
        raise exclusive("--profile", "--standard")
    if profile and out is not None:
        raise exclusive("--profile", "--out")
    if standard:
        return _standard(operator, since, out)
    if profile:
        return _profile(operator, since)
    _pair(operator, since, folder_of(operator, out))
    return 0


def _pair(operator: str, since: int | None, folder: Path, *, quotes: bool = False) -> None:
    """Write a page and a text. With `quotes` the page quotes the text, where there is one, and repeats nothing."""
    # ONNX says names, types and defaults; what the outputs are it says in prose, which somebody has to read.
    signature = signature_of(schema_of(operator, since))
    refined = standard_text_of(operator, signature.version)
    if refined is not None:
        signature.take_lines(refined)
    file = operator.lower()
    # A sequence or a map is outside of the language: then there is a page alone.
    missing = why_no_text(signature)
    quotes = quotes and not missing
    page = quoting_page_text(signature) if quotes else page_text(signature, general_from(folder))
    files = {f"{file}.md": page}
    if not missing:
        files[f"{file}.sonnx"] = formal_text(signature, refines=refined is not None)
    write_new(folder, files)
    at = folder / file
    if quotes:
        source = Source(at.with_suffix(".md").as_posix(), page)
        replace_file(at.with_suffix(".md"), renewed(source, quotes_of(source, folder, formal_of_file)).encode())
    questions = counted_text(page.count("**Open question**"), "question")
    click.echo(f"wrote {at.as_posix()}.md: {operator}, version {signature.version}, {questions} to decide")
    if missing:
        click.echo(f"wrote no formal text: {missing}")
    else:
        click.echo(f"wrote {at.as_posix()}.sonnx: write its shape and value")
    # Whoever begins learns the two commands that the texts are made for.
    click.echo("next:")
    click.echo(f"  sonnx-verify page lint {at.as_posix()}.md")
    if not missing:
        click.echo(f"  sonnx-verify check {at.as_posix()}.sonnx")


def _profile(operator: str, since: int | None) -> int:
    """Begin the folders of an operator of the profile, whose records will lie there too."""
    found = schema_of(operator, since)
    folder, of_standard = (Path("spec") / namespace / operator.lower() for namespace in ("sonnx", "onnx"))
    if standard_text_of(operator, found.version) is None:
        _standard(operator, since, of_standard.as_posix())
        rows = earlier_versions(found, [schema_of(operator, v) for v in operators()[operator] if v < found.version])
        # A table that is there may plan which versions get a text: it stays for the author to go on with.
        if rows and not (of_standard / VERSIONS).exists():
            write_new(of_standard, {VERSIONS: rows})
            at = (of_standard / VERSIONS).as_posix()
            click.echo(f"wrote {at}: a row for each earlier version, to be decided")
    _pair(operator, since, folder, quotes=True)
    click.echo(f"  sonnx-verify record {operator}")
    return 0


def _standard(operator: str, since: int | None, out: str | None) -> int:
    # All types of ONNX, however many sections they make: `transcription` compares them.
    signature = signature_of(schema_of(operator, since), most_sections=None)
    why = why_no_standard(signature)
    if why:
        name = f"{operator} version {signature.version}"
        raise UsageError(
            f"{name} can have no formal text of the standard: {why}", cure="`new` without --standard writes a page"
        )
    folder = folder_of(operator, out, standard=True)
    file = f"{operator.lower()}.sonnx"
    write_new(folder, {file: standard_text(signature)})
    at = (folder / file).as_posix()
    click.echo(f"wrote {at}: {operator}, version {signature.version} of the standard: write its shape and value")
    name = f"{operator}-{signature.version}"
    # Commands take names, and in a folder of one's own it is not called as ONNX's texts are.
    if namespace_of(folder / file) == USER:
        click.echo(f"its name is user.{name} there; in a folder spec/onnx it would be onnx.{name}")
    click.echo("next:")
    click.echo(f"  sonnx-verify check {at}")
    return 0
