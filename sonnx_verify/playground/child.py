"""The process that works on a request of the page, seen from inside, held to a limit of memory.

It sees the text, the files of this package and the installed library, and no other file.
"""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.asking import asking
from sonnx_verify.api.evaluated import evaluated
from sonnx_verify.api.shapes import answered, asked_of
from sonnx_verify.background.child import Say, decide, served
from sonnx_verify.background.messages import Done, Row
from sonnx_verify.errors import SpecificationError, UsageError, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.language.layout import layout
from sonnx_verify.language.places import installed_library
from sonnx_verify.language.project import Project
from sonnx_verify.language.trees import tree_of
from sonnx_verify.outputs.console import reason_lines
from sonnx_verify.outputs.shapes import answer_lines
from sonnx_verify.paths import resolved
from sonnx_verify.playground.replies import Answer, Laid
from sonnx_verify.playground.requests import Question, Request
from sonnx_verify.playground.values import values_of
from sonnx_verify.processes.channel import Channel
from sonnx_verify.processes.limits import lower
from sonnx_verify.results.result import Result
from sonnx_verify.solving.inputs.arguments import tensor_argument
from sonnx_verify.solving.inputs.outcome_lines import outcome_lines
from sonnx_verify.source_files import source_of
from sonnx_verify.sources import Source

ROOT = Path(__file__).parent / "static"
"""The folder in which the text is said to stand: one of this package without texts, so that none stands beside it."""
PLACE = ROOT / "playground.sonnx"
"""The path that the text is said to have. No such file is read."""


def serve(channel: Channel, root: str, memory: int) -> None:
    """Get ready with the installed library, wait, and do what is asked, with at most that many bytes of memory in each
    process."""
    # Those that this one starts have the same limit.
    lower(resource.RLIMIT_DATA, memory)
    # Messages name the text as seen from here.
    os.chdir(ROOT)
    served(channel, installed_library().as_posix(), work)


def work(request: Request, say: Say) -> None:
    """Say what comes of a request. Raises UserError for a mistake in what it holds."""
    source = source_of(PLACE.name, request.text.encode("utf-8", "replace"))
    _refuse_other_files(tree_of(source, PLACE))
    match request.question:
        case Question.CHECK:
            _check(source, request.jobs, say)
        case Question.EVALUATE:
            say(_evaluated(source, request.values))
            say(Done())
        case Question.SHAPE:
            say(_shaped(source, request.values))
            say(Done())


def _refuse_other_files(file: s.File) -> None:
    """Raise SpecificationError where the text names a file that is not of the installed library."""
    folders = [installed_library() / "spec/common", installed_library() / "proofs"]
    known = {path.stem for folder in folders for path in folder.glob("*.sonnx")}
    for use in file.uses:
        if use.name not in known:
            shared = ", ".join(sorted(path.stem for path in folders[0].glob("*.sonnx")))
            cure = f"the playground reads the shipped texts alone, such as {shared}"
            raise SpecificationError(f"unknown library `{use.name}`", use.span, cure)
    if file.page is not None:
        raise SpecificationError("the playground reads no pages", file.page.span, "leave out the line")


def _check(source: Source, jobs: int, say: Say) -> None:
    # A text that the layout cannot take is checked all the same.
    with suppress(UserError):
        say(Laid(layout(source)))
    asked = Asked(ROOT, further=[PLACE], whole=[PLACE], files=[PLACE])
    decide(asked, {resolved(PLACE): source.text}, jobs, _row_of, say)


def _row_of(result: Result) -> Row:
    """The row of a result, with its clause and its counterexample where something was found."""
    lines: list[str] = []
    if result.surprising or result.counterexample is not None or result.status:
        if result.title:
            lines.append(f"  clause: {result.title}")
        lines += reason_lines(result)
    return Row.of(result, lines)


# ----------------------------------------------------------------------------------------------- questions to operators


def _operator(source: Source) -> tuple[Project, Unit]:
    """The newest version of the operator of the text, with the project that it is of. UserError where it has none."""
    project = Project.of_files(ROOT, [PLACE], {resolved(PLACE): source.text})
    for unit in project.units:
        if unit.error is not None:
            raise unit.error
    operators = [unit for unit in project.units if unit.file is not None and unit.file.version is not None]
    if not operators:
        raise UsageError("the text has no operator", cure="choose an example with an operator, or write one")
    return project, max(operators, key=_version)


def _version(unit: Unit) -> int:
    assert unit.file is not None
    return unit.file.version or 0


def _evaluated(source: Source, text: str) -> Answer:
    project, unit = _operator(source)
    assert unit.file is not None
    values = values_of(unit.file, text, sizes=False)
    inputs = {name: tensor_argument(name, value) for name, value in values.inputs.items()}
    made = evaluated(project, unit, inputs, values.attributes)
    return Answer(tuple(outcome_lines(made.outcome, made.reached, why=False)), made.status != 0)


def _shaped(source: Source, text: str) -> Answer:
    project, unit = _operator(source)
    assert unit.file is not None
    values = values_of(unit.file, text, sizes=True)
    inputs = [f"{name}={value}" for name, value in values.inputs.items()]
    asked = asked_of(project, unit, values.shapes, inputs, values.attributes)
    with asking() as solvers:
        answer = answered(asked, solvers)
    lines = answer_lines(asked.meaning, asked.known, list(asked.bounds), answer)
    return Answer(tuple(lines), answer.fails is not None or not answer.confirmed)
