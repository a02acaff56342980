"""A page and a formal text for every operator of ONNX, from its signature alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from sonnx_verify.language.layout import layout
from sonnx_verify.language.parser import parse
from sonnx_verify.language.project import Project
from sonnx_verify.language.signatures import Schema
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.read import page_from
from sonnx_verify.pages.reading.schemas import operators, schema
from sonnx_verify.pages.skeleton.formal import formal_text, restrictions_of, why_no_text
from sonnx_verify.pages.skeleton.page import page_text
from sonnx_verify.pages.skeleton.signature import signature_of
from sonnx_verify.paths import resolved
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.source_files import read_source
from sonnx_verify.sources import Source

SOAK = os.environ.get("SONNX_SOAK") == "1"
"""Every page is linted: a job has time for some."""


def schemas(newest: bool) -> Iterator[Schema]:
    for operator, versions in operators().items():
        for version in versions[-1:] if newest else versions[:-1]:
            found = schema(operator, version)
            if found is not None and not found.deprecated:
                yield found


def names_of(one: Schema) -> list[str]:
    """The names of the inputs, outputs and attributes."""
    return [p.name for p in (*one.inputs, *one.outputs)] + [a.name for a in one.attributes]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pair of the newest version of each operator."""
    folder = tmp_path_factory.mktemp("pairs")
    for one in schemas(newest=True):
        signature = signature_of(one)
        name = one.operator.lower()
        (folder / f"{name}.md").write_text(page_text(signature, ""), "utf-8")
        if not why_no_text(signature):
            (folder / f"{name}.sonnx").write_text(formal_text(signature, refines=False), "utf-8")
    return folder


def test_pages_have_open_questions_and_nothing_else_is_wrong(pairs: Path) -> None:
    """Beside its formal text too: every tag has its clause, every clause its tag."""
    pages = sorted(pairs.glob("*.md"))
    assert len(pages) > 180
    for path in pages if SOAK else pages[::12]:
        found = findings_of(page_from(path.name, path.read_bytes(), path))
        assert {f.rule for f in found} == {"question-open"}, [f for f in found if f.rule != "question-open"]


def test_formal_texts_have_the_one_layout_and_elaborate(pairs: Path) -> None:
    """Names, types and arities fit for every type of every section, and each output is owed a shape and a value."""
    texts = sorted(pairs.glob("*.sonnx"))
    assert len(texts) > 160
    project = Project.of_files(pairs, texts)
    for unit in project.units:
        assert unit.error is None, unit.error
        assert unit.file is not None, unit.error
    for unit in project.units[::6]:
        obligations = {o.id for o in of_unit(project, unit)}
        assert any(o.endswith("/total") for o in obligations), unit.operator
    for path in texts[::10]:
        text = read_source(path)
        assert layout(text) == text.text


def test_names_of_onnx_are_names_as_they_are() -> None:
    """But where ONNX calls an input and an output alike, as in BatchNormalization-9. Each name that a text declares is
    that which it uses, also where it is a word of the language."""
    for one in chain(schemas(newest=True), schemas(newest=False)):
        signature = signature_of(one)
        names = names_of(one)
        twice = {name for name in names if names.count(name) > 1}
        tensors = (*signature.inputs, *signature.outputs)
        made = [(t.onnx, t.name) for t in tensors] + [(s.onnx, s.name) for s in signature.settings]
        for onnx, mine in made:
            # Split 1 has an output called `outputs...`.
            assert mine == onnx.rstrip(".") or onnx in twice, (one.operator, one.version, onnx)


@pytest.mark.parametrize("operator", ["Gather", "Cast", "Expand", "ConstantOfShape", "Shrink", "Reshape"])
def test_a_text_can_speak_of_each_name(operator: str) -> None:
    """Of an input `indices` and an attribute `to` as of any other: in clauses, with its own shape and elements."""
    one = schema(operator, None)
    assert one is not None
    signature = signature_of(one)
    text = formal_text(signature, refines=False).replace(f'page "{operator.lower()}.md"', "")
    for number, tensor in enumerate(signature.inputs):
        if not tensor.last:
            text += f'[C{number}] constraint "so" : for all i in indices({tensor.name}) : rank({tensor.name}) >= 0\n'
            text += f"let n{number} = {tensor.name}.shape\n"
    for number, setting in enumerate(signature.settings):
        text += f"let s{number} = {setting.name}\n"
    source = Source("op.sonnx", text)
    path = Path("op.sonnx")
    project = Project.of_files(Path(), [path], {resolved(path): text})
    (unit,) = project.units

    assert unit.error is None, unit.error
    assert layout(Source("op.sonnx", layout(source))) == layout(source)
    assert [o for o in of_unit(project, unit) if o.id.endswith("/total")]


def test_older_versions() -> None:
    for one in list(schemas(newest=False))[::8]:
        signature = signature_of(one)
        assert page_text(signature, "").startswith("# Contents")
        if not why_no_text(signature):
            file = parse(Source(one.operator, formal_text(signature, refines=True)))
            assert (file.name, file.version, file.kind) == (one.operator, one.version, "profile")
            assert file.refines is not None
            mine = (*file.inputs, *file.attributes, *file.outputs)
            theirs = set(names_of(one))
            assert file.refines.renaming.keys() == {d.name for d in mine}
            assert set(file.refines.renaming.values()) <= theirs


def test_nothing_of_a_signature_is_lost() -> None:
    """Each input, output and attribute is declared, or is a gap with a restriction that says so."""
    for one in schemas(newest=True):
        signature = signature_of(one)
        tensors = (*signature.inputs, *signature.outputs)
        declared = [t.onnx for t in tensors] + [t.onnx for t in signature.settings]
        gaps = [r.gap.onnx for r in restrictions_of(signature) if r.gap is not None]
        assert sorted([*declared, *gaps]) == sorted(names_of(one))
        names = [t.name for t in tensors] + [t.name for t in signature.settings]
        assert len(set(names)) == len(names)
