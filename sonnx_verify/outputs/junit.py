"""JUnit XML, as CI servers read it: a suite for each text or page, a test for each case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as Xml

from sonnx_verify.outputs.record import BROKEN, FAILED, UNDECIDED, Case, Run

_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold."""
_ELEMENTS = {FAILED: "failure", BROKEN: "error", UNDECIDED: "failure"}


def junit(run: Run) -> str:
    """The document. What is undecided is a failure of its own type: a job must not pass on it."""
    root = Xml.Element("testsuites", {"name": f"sonnx-verify {run.command}", **_counted(run.cases)})
    suites: dict[str, list[Case]] = {}
    for case in run.cases:
        suites.setdefault(case.suite, []).append(case)
    for name, cases in suites.items():
        suite = Xml.SubElement(root, "testsuite", {"name": _text(name), **_counted(cases)})
        properties = Xml.SubElement(suite, "properties")
        for tool, version in run.tools.items():
            Xml.SubElement(properties, "property", name=_text(tool), value=_text(version))
        for case in cases:
            suite.append(_test(case))
    Xml.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _counted(cases: Sequence[Case]) -> dict[str, str]:
    failures = sum(c.outcome in (FAILED, UNDECIDED) for c in cases)
    return {
        "tests": str(len(cases)),
        "failures": str(failures),
        "errors": str(sum(c.outcome == BROKEN for c in cases)),
        "skipped": "0",
        "time": _seconds(cases),
    }


def _seconds(cases: Sequence[Case]) -> str:
    # Without a measurement 0: times would make two runs of the same texts differ.
    return f"{sum(case.seconds for case in cases):.3f}".removesuffix(".000")


def _test(case: Case) -> Xml.Element:
    made = Xml.Element("testcase", classname=_text(case.suite), name=_text(case.name), time=_seconds([case]))
    if case.place is not None:
        made.set("file", _text(case.place.file))
        made.set("line", str(case.place.line))
    if case.outcome in _ELEMENTS:
        kind = case.rule
        if case.outcome == UNDECIDED:
            kind = f"{kind}: undecided"
        problem = Xml.SubElement(made, _ELEMENTS[case.outcome], message=_text(case.title), type=_text(kind))
        problem.text = _text("\n".join(_lines(case)))
    elif case.title or case.facts:
        # A test that passed says on what it rests: servers show this on demand.
        said = [case.title, *(f"{name}: {value}" for name, value in case.facts.items())]
        Xml.SubElement(made, "system-out").text = _text("\n".join(said))
    return made


def _lines(case: Case) -> Iterator[str]:
    if case.place is not None:
        yield f"{case.place.file}:{case.place.line}:{case.place.column}"
    yield case.text


def _text(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
