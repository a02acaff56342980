"""All obligations of a project, in the order of the text, with what its drafts expect of them."""

from __future__ import annotations

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.language.versions import told_of
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.logic.verdict import NAMES
from sonnx_verify.obligations import gaps, operator, orders, refinement, theorem
from sonnx_verify.obligations import static as texts
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.section import Section, sorts
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.examples import examples_of


def collect(project: Project, units: list[Unit] | None = None) -> list[Obligation]:
    """The obligations of the units. A unit that cannot be read or elaborated raises UserError."""
    found: list[Obligation] = []
    if units is None:
        units = project.units
    for unit in units:
        if unit.error is not None:
            raise unit.error
        found.extend(of_unit(project, unit))
    return found


def of_unit(project: Project, unit: Unit) -> list[Obligation]:
    """The obligations of one file, or of one version of it. A unit that cannot be elaborated raises UserError."""
    assert unit.file is not None
    with told_of(unit.file):
        try:
            return _of_unit(project, unit, unit.file)
        except RecursionError:  # Definitions of definitions are elaborated by calls of calls.
            raise SpecificationError(
                "the statements of this text are nested too deeply",
                unit.file.span,
                "use fewer levels of definitions",
            ) from None


def _of_unit(project: Project, unit: Unit, file: s.File) -> list[Obligation]:
    library = project.library(unit)
    found: list[Obligation] = []
    lines = instances(file)
    sections = [Section(project, unit, x.name, x.family, sorts(x.types), x.variables) for x in lines]
    found.extend(texts.obligations_of(project, unit, library, sections))
    for section in sections:
        context = section.context(ELEMENT)
        if file.version is not None:
            meaning = project.meaning(unit, context)
            section.fits(context)
            found.extend(operator.obligations_of(section, meaning))
            refinement.standard_of(section, meaning, context)
            found.extend(refinement.obligations_of(section, meaning))
            found.extend(gaps.obligations_of(section, meaning, first=section is sections[0]))
        found.extend(theorem.obligations_of(section))
    # Proofs on abstract elements rest on orders: that they are total is an obligation of its own, for all to see.
    for order in file.orders:
        section = orders.section_for(project, unit, order)
        build = orders.order_statement(library, order)
        title = f"total: {order.title}"
        found.append(section.obligation(order.name, Kind.THEOREM, order.span, build, title, own_names=True))
    shown, tried = examples_of(sections, lines)
    for obligation in found:
        obligation.tried = tried
    found.extend(shown)
    for obligation in found:
        obligation.library = library
        if obligation.kind is Kind.WELL_FORMED and obligation.tag == "spec":
            obligation.stated = tuple(o for o in found if o.kind in (Kind.THEOREM, Kind.AXIOM))
    _distinct(found)
    _expect(file, found)
    return found


def _distinct(found: list[Obligation]) -> None:
    """Raise SpecificationError where an obligation would hide another one of its name: its verdict would be taken for
    that of both."""
    seen: dict[str, Obligation] = {}
    for obligation in found:
        if obligation.id in seen:
            first = seen[obligation.id].span
            raise SpecificationError(
                f"{obligation.id} names two obligations; the first is on line {first.line}",
                obligation.span,
                "give each its own name",
            )
        seen[obligation.id] = obligation


def _expect(file: s.File, found: list[Obligation]) -> None:
    """Attach what the text expects. An expectation that meets no obligation is an error."""
    for expectation in file.expectations:
        tag, _, kind = expectation.path.rpartition("/")
        if expectation.verdict not in NAMES:
            raise SpecificationError(
                f"unknown verdict `{expectation.verdict}`", expectation.span, "one of " + ", ".join(NAMES)
            )
        # A clause of an output may be called by its name alone: `C1` for `Y.C1`. A family is a section, or all sections
        # of it: `float` is `float-1` too.
        tags = (tag, *(f"{output.name}.{tag}" for output in file.outputs))
        named = [o for o in found if o.kind == kind and o.tag in tags]
        met = [o for o in named if expectation.family in ("", o.section, o.section.split("-")[0])]
        if not met:
            known = sorted({f"{o.tag}/{o.kind}" for o in found if o.tag == tag or o.kind == kind})
            cure = "see `sonnx-verify explain --list`"
            if known:
                cure = "there are: " + ", ".join(known[:12])
            raise SpecificationError(f"unknown obligation {expectation.path}", expectation.span, cure)
        if file.kind is not s.FileKind.DRAFT:
            raise SpecificationError("only a draft may expect findings", expectation.span, "correct the text instead")
        for obligation in met:
            obligation.expected, obligation.expected_reason = expectation.verdict, expectation.reason
