"""Implementations held against specifications: proved where they can be, tested where not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from sonnx_verify.api.asking import asking, ignore
from sonnx_verify.conformance.inputs.contexts import every_context, name_of, unknown_type
from sonnx_verify.conformance.inputs.examples import Example
from sonnx_verify.conformance.judgement.conformance import Conformance
from sonnx_verify.conformance.pipeline import tested
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.targets.models import domain_of
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.errors import UsageError
from sonnx_verify.language.families import types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.pages.lint.replays import Replays
from sonnx_verify.pages.reading.examples import examples_of
from sonnx_verify.pages.render.opened import page_of


def answered(
    project: Project,
    unit: Unit,
    target: Target,
    settings: Settings,
    bound: str,
    problem: Callable[[str], None] = ignore,
) -> Conformance:
    """Hold the target against the specification: code of Python is proved up to the bound, or refuted. Everything else
    is tested, and so is code whose accuracy is asked for, or that is to be tried on given vectors. `problem` is called
    with what went wrong with the cache.

    Raises UsageError for a type that the operator does not have, for a bound of what is tested, and for an operator
    that a runtime of ONNX models cannot know.
    """
    _check_types(unit, settings)
    if domain_of(unit) and target.is_runtime:
        assert unit.file is not None
        cure = "name `python:MODULE:FUNCTION` or `exec:COMMAND`; if it is ONNX's, write `standard` in place of `user`"
        raise UsageError(f"{target.text} runs ONNX's operators, and {unit.operator} is your own", unit.file.span, cure)
    on_page = list(_examples_of_page(project, unit))
    # Only code of Python can be run on symbols; of a runtime there is nothing but its answers.
    if settings.test_only or settings.accuracy or settings.vectors or not target.is_python:
        for option, given in {"--bound": bound, "--deepen": settings.deepen}.items():
            if given:
                raise UsageError(f"{target.text} is tested, not proved", cure=f"drop {option}")
        return tested(project, unit, target, settings, on_page)
    from sonnx_verify.conformance.proofs.by_type import proved
    from sonnx_verify.conformance.proofs.instances import bound_of

    return proved(project, unit, target, settings, bound_of(bound), partial(asking, problem), on_page)


def _examples_of_page(project: Project, unit: Unit) -> Iterator[Example]:
    """The examples of the page of a specification that can be read, in each of their types."""
    assert unit.file is not None
    page = page_of(unit)
    if page is None:
        return
    replays = Replays(project, unit, unit.file)
    for shown in examples_of(page):
        name = shown.title or f"line {shown.span.line} of {shown.span.source.name}"
        for context, assignment in replays.inputs(page, shown):
            yield Example(name, name_of(unit, context), assignment)


def _check_types(unit: Unit, settings: Settings) -> None:
    assert unit.file is not None
    # No implementation computes with real numbers.
    known = [t for t in types_of(unit.file, "T") if t != "real"]
    for name in settings.types:
        if name not in known:
            raise unknown_type(unit, name, known)
    chosen = [name_of(unit, context) for context in every_context(unit)]
    for name in settings.without:
        if name not in chosen:
            raise unknown_type(unit, name, chosen)
