"""The pages about operators: one for each, and a table of all, from the texts, the pages, the ledger of verdicts and
the ledgers of divergences. The same files give the same pages."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.arrays.pinned import pinned_by  # noqa: E402  # runs without an installation
from sonnx_verify.conformance.records.ledger import LEDGERS  # noqa: E402  # as above
from sonnx_verify.language.files import Unit  # noqa: E402  # as above
from sonnx_verify.language.project import Project  # noqa: E402  # as above
from sonnx_verify.outputs.overview import Overview, overviews  # noqa: E402  # as above
from sonnx_verify.pages.render.markdown import sentence  # noqa: E402  # as above
from sonnx_verify.pages.render.opened import page_of  # noqa: E402  # as above
from sonnx_verify.stores.ledger import joined, read_ledgers  # noqa: E402  # as above

HEAD = """\
# Operators

What is known of each operator: what ONNX leaves open, what the profile decides, what runtimes do, what is proved.
These pages are [made](../records.md#operators) from the texts in `spec/`, the theorems in `proofs/`, and the ledgers.

The opset is that of the text of the profile, the version in force at opset 28. *Left open* counts the kinds of cases
that the standard says nothing about; the profile decides each. Obligations are *shown* where they are proved, or hold;
the others are about types outside of the model. A standard *pins* an argument if it leaves nothing open there.

| operator | opset | for | texts of the standard | left open | runtimes | theorems | obligations |
|---|---|---|---|---|---|---|---|
"""
TAIL = """
```{toctree}
:hidden:

"""


def verdicts() -> dict[str, Counter[str]]:
    """The verdicts of the ledger, counted for each text."""
    known = texts()
    made: dict[str, Counter[str]] = {}
    for identity, row in joined(read_ledgers(ROOT).values()).items():
        subject = identity.partition("/")[0]
        # The section stands behind a point: `sonnx.Max-13.int`. A further text, `onnx.Max-13@onnx-1.23`, may have one.
        text = next((name for name in _heads(subject) if name in known), subject)
        made.setdefault(text, Counter())[str(row["verdict"])] += 1
    return made


def _heads(subject: str) -> Iterator[str]:
    while subject:
        yield subject
        subject = subject.rpartition(".")[0]


@cache
def project() -> Project:
    """The project's specifications."""
    return Project.open(ROOT)


@cache
def texts() -> Mapping[str, Unit]:
    """The texts of operators, by name."""
    units = project().units
    return {unit.operator: unit for unit in units if unit.file is not None and unit.file.version is not None}


def known() -> list[Overview]:
    """The overviews of all operators."""
    written = {name: page for name, unit in texts().items() if (page := page_of(unit)) is not None}
    return overviews(project().units, written, LEDGERS.all([ROOT]), verdicts())


def pages() -> dict[str, str]:
    """The text of each file."""
    every = known()
    made = {f"{one.name.lower()}.md": "\n".join(_page(one)).rstrip("\n") + "\n" for one in every}
    rows = "".join(f"{_row(one)}\n" for one in every)
    names = "".join(f"{one.name.lower()}\n" for one in every)
    made["index.md"] = f"{HEAD}{rows}{TAIL}{names}```\n"
    return {f"operators/{name}": text for name, text in made.items()}


def _row(one: Overview) -> str:
    types: Mapping[str, list[str]] = {}
    version = "-"
    if one.profile is not None and one.profile.file is not None:
        types, version = one.profile.file.types, str(one.profile.file.version)
    standards = ", ".join(_version(unit) for unit in one.standards)
    cells = [
        f"[{one.name}]({one.name.lower()}.md)", version, ", ".join(types), standards, str(one.open or ""),
        "; ".join(one.runtimes), str(len(one.theorems) or ""), one.state,
    ]  # fmt: skip  # a row
    return f"| {' | '.join(cells)} |"


def _version(unit: Unit) -> str:
    assert unit.file is not None
    return f"{unit.file.version}{'@' + unit.file.text if unit.file.text else ''}"


def _page(one: Overview) -> Iterator[str]:
    yield f"# {one.name}"
    yield ""
    if one.intent:
        yield one.intent
        yield ""
    yield from _sources(one)
    if one.cases:
        yield from _table(
            "Cases that users stumble over",
            ("case, with its tag where ONNX leaves it open", "the profile decides", "because"),
            [[_named(one, case.case, case.tag), case.here or "nothing yet", case.why] for case in one.cases],
        )
    if one.behaviours:
        yield from _table(
            "Runtimes",
            ("runtime", "specification", "what it does"),
            [[f"{b.target} {b.version}", f"`{b.operator}`", b.words] for b in one.behaviours],
        )
    yield from _table(
        "Obligations",
        ("text", "by verdict"),
        [[f"`{name}`", ", ".join(f"{n} {v}" for v, n in sorted(counts.items())) or "not checked"]
         for name, counts in one.verdicts.items()],
    )  # fmt: skip  # rows
    pins = [(unit.operator, pinned_by(project(), unit)) for unit in one.standards]
    if counted := [f"`{name}` {pinned}." for name, pinned in pins if pinned is not None]:
        yield " ".join(counted)
        yield ""
    if one.theorems:
        yield from _table("Theorems", ("theorem", "says"), [[f"`{t.name}`", t.title] for t in one.theorems])


def _named(one: Overview, case: str, tag: str) -> str:
    names: set[str] = set()
    for unit in (one.profile, *one.standards):
        if unit is not None and unit.file is not None:
            file = unit.file
            names |= {d.name for d in (*file.inputs, *file.attributes, *file.outputs)} | {x.name for x in file.lets}
    said = sentence(case, names)
    return f"{said} (`{tag}`)" if tag else said


def _sources(one: Overview) -> Iterator[str]:
    # The site has no page for what stands outside of its folder: these are names of files, and no links.
    files = []
    if one.profile is not None and one.profile.file is not None:
        formal = Path(one.profile.shown)
        if one.profile.file.page is not None:
            files.append(f"page `{(formal.parent / one.profile.file.page.name).as_posix()}`")
        files.append(f"text of the profile `{formal.as_posix()}`")
    if one.standards:
        files.append(f"text of the standard `{Path(one.standards[-1].shown).as_posix()}`")
    said = ", ".join(files)
    yield f"{said[:1].upper()}{said[1:]}."
    yield ""


def _table(title: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    heads = list(heads)
    yield f"## {title}"
    yield ""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
    yield ""
