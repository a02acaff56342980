"""Each profile page against its formal text: sections, tags, origins, names, links; and that it is well made."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import families
from sonnx_verify.language.project import Project
from sonnx_verify.language.sections import belongs

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "spec" / "sonnx").glob("*/*.md"))
HEADINGS = {"restriction": ["Restrictions"], "error": ["Error conditions"], "constraint": ["Attributes", "Inputs"]}
PARTS = {
    "Signature": "signature",
    "Restrictions": "restrictions",
    "Function": "function",
    "Examples": "examples",
    "Error conditions": "errors",
    "Attributes": "attributes",
    "Inputs": "inputs",
    "Outputs": "outputs",
}
SECTION = re.compile(r'<a id="(\w+)"></a>\n# \*\*(\w+)\*\* \((\w+), (\w+)\)\n')
STATED = re.compile(r'`\[(\w+)\]` <a id="(\w+)-(\w+)"></a>')
EVERY_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)


def formal(project: Project, page: Path) -> s.File:
    """The formal text beside a page, which names it."""
    unit = next(u for u in project.units if u.path == page.with_suffix(".sonnx"))
    assert unit.file is not None
    assert unit.file.page is not None
    assert unit.file.page.name == page.name
    return unit.file


def sections(page: Path) -> dict[str, str]:
    """The text of each family's section, by the name of its anchor."""
    text = page.read_text("utf-8").partition('<a id="decisions"></a>')[0]
    parts = SECTION.split(text)
    return dict(zip(parts[1::5], parts[5::5], strict=True))


def section_of(page: Path, name: str) -> tuple[str, str]:
    """The section of a line of types, and the name of its anchor; a page may have one section for any type."""
    found = sections(page)
    return (found[name], name) if name in found else (found["any"], "any")


def headed(section: str) -> dict[str, str]:
    """What stands under each second heading of a section."""
    parts = re.split(r"^## (.*)$", section, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def plain(text: str) -> str:
    """A title without mathematics around names."""
    return re.sub(r"\$\\text\{(\w+)\}\$", r"\1", text)


def test_each_operator_has_a_page(project: Project) -> None:
    """Of its own name, and no page is without a formal text."""
    beside = [u.path.with_suffix(".md") for u in project.units if u.namespace == "sonnx"]
    assert sorted(beside) == PAGES
    assert len(PAGES) >= 5


@EVERY_PAGE
def test_families_and_types(page: Path, project: Project) -> None:
    """The sections, their headings, and the types in the contents and below the headings are those of `types`."""
    file, text = formal(project, page), page.read_text("utf-8")
    headings = [(anchor, *rest) for anchor, *rest in SECTION.findall(text)]
    listed = re.findall(r"^- \*\*(\w+)\*\* for the types? \[(.*)\]\(#(\w+)\)$", text, re.MULTILINE)

    lines = {name: types for name, _, types in families(file)}
    if list(sections(page)) == ["any"]:
        lines = {"any": [t for types in lines.values() for t in types]}
    assert [(anchor, name, of) for anchor, name, of, _ in headings] == [(name, file.name, name) for name in lines]
    assert listed == [(file.name, ", ".join(types), name) for name, types in lines.items()]
    for name, types in lines.items():
        said = sections(page)[name].partition("<a id=")[0]
        assert len(types) == 1 or f"is one of {', '.join(types)}." in said
        assert "Here " in said


@EVERY_PAGE
def test_version(page: Path, project: Project) -> None:
    """The page is based on the version of the formal text."""
    file = formal(project, page)
    assert f"[{file.name}, opset {file.version}](https://onnx.ai/onnx/operators/onnx__{file.name}.html" in (
        page.read_text("utf-8")
    )


@EVERY_PAGE
def test_parts(page: Path) -> None:
    """Every section has every part, in one order, each with its anchor."""
    for family, section in sections(page).items():
        found = re.findall(r'<a id="([\w-]+)"></a>\n## (.*)\n', section)
        assert [title for _, title in found] == list(PARTS)
        assert [anchor for anchor, _ in found] == [f"{family}-{anchor}" for anchor in PARTS.values()]


@EVERY_PAGE
def test_tags(page: Path, project: Project) -> None:
    """In each family's section the page states exactly the tags of the formal text, each once, where its kind belongs,
    with an anchor of that family and tag."""
    file = formal(project, page)
    for name, _, _ in families(file):
        section, anchored = section_of(page, name)
        own = file.clauses if anchored == "any" else [c for c in file.clauses if belongs(file, c, name)]
        stated = [
            (tag, heading)
            for heading, text in headed(section).items()
            for tag, anchor_family, anchor_tag in STATED.findall(text)
            if (anchor_family, anchor_tag) == (anchored, tag)
        ]

        assert sorted(tag for tag, _ in stated) == sorted(c.tag for c in own)
        assert len(STATED.findall(section)) == len(stated) == section.count("`[")
        for clause in own:
            assert dict(stated)[clause.tag] in HEADINGS[clause.kind], clause.tag


@EVERY_PAGE
def test_origins_and_titles(page: Path, project: Project) -> None:
    """A restriction has the origin of the formal text, an error its constraint, a constraint its title."""
    file = formal(project, page)
    for name, _, _ in families(file):
        section, _ = section_of(page, name)
        lines = {STATED.findall(line)[0][0]: line for line in section.splitlines() if STATED.search(line)}
        for clause in [c for c in file.clauses if belongs(file, c, name)]:
            line = lines[clause.tag]
            if clause.kind == "restriction":
                origin = clause.origin or "-"
                assert line.endswith((f"| {origin} |", f"| [{origin}](../../common/general_restrictions.sonnx) |"))
            elif clause.kind == "error":
                assert isinstance(clause.body, s.Fails)
                assert re.findall(r"\[\[(\w+)\]\]\(#\w+-\w+\)", line) == [clause.body.tag]
            else:
                title = plain(line.rpartition("</a> ")[2])
                assert title.lower().startswith(clause.title.lower())


@EVERY_PAGE
def test_names(page: Path, project: Project) -> None:
    """Under Attributes, Inputs and Outputs are the names of the formal text, in its order."""
    file = formal(project, page)
    for section in sections(page).values():
        parts = headed(section)
        for heading, declared in (
            ("Attributes", file.attributes),
            ("Inputs", file.inputs),
            ("Outputs", file.outputs),
        ):
            # A heading for each, or, as a text renders, an item of a list.
            names = parts[heading].partition("### Constraints")[0].replace("\\_", "_").replace("_{0}", "")
            names = re.sub(r"\\text\{(\w+)\}", r"\1", names)
            found = re.findall(r"^(?:###|-) (\$?\w.*?): .*$", names, re.MULTILINE)
            assert [re.findall(r"[A-Za-z]\w*", f)[0].removesuffix("_0") for f in found] == [d.name for d in declared]
            assert declared or "no attribute" in parts[heading] or "None." in parts[heading]


@EVERY_PAGE
def test_what_the_standard_leaves_open_is_decided(page: Path, project: Project) -> None:
    """The decisions name each tag under which the newest text of the standard leaves something open, and none that no
    version has."""
    file = formal(project, page)
    standards = [u.file for u in project.units if u.namespace == "onnx" and u.file is not None]
    # A section of reals is about no tensor of ONNX: the profile's constraints decide it, and `refines` shows that.
    texts = [
        [r.tag for r in x.rules if r.what.leaves_open and r.family != "real"] for x in standards if x.name == file.name
    ]
    decisions = page.read_text("utf-8").partition('<a id="decisions"></a>')[2]
    named = set(re.findall(r"`(U_\w+)`", decisions))

    # What an older version leaves open may be said too.
    assert set(texts[-1]) <= named <= {tag for tags in texts for tag in tags}
    # What decides: a tag of the page, or one of its anchors.
    tags = {c.tag for c in file.clauses}
    for row in re.findall(r"^\|.*`U_.*\| ([^|]*) \|$", decisions, re.MULTILINE):
        assert row
        assert set(re.findall(r"\b[RCE]\d+\b", row)) <= tags


@EVERY_PAGE
def test_links(page: Path) -> None:
    """Every anchor occurs once, every link leads somewhere, and one that shows a tag leads to that tag."""
    text = page.read_text("utf-8")
    anchors = re.findall(r'<a id="([\w-]+)"></a>', text)

    assert len(anchors) == len(set(anchors))
    for shown, target in re.findall(r"\[((?:\[\w+\]|[^][])+)\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if target.startswith("https://"):
            continue
        assert (page.parent / path).exists(), target
        assert path or anchor in anchors, target
        if shown.startswith("["):
            assert target.endswith(f"-{shown[1:-1]}"), target
    for name, section in sections(page).items():
        # Examples, errors and the statements of errors stay within their family.
        for part in ("Examples", "Error conditions"):
            assert set(re.findall(r"\]\]\(#(\w+)-", headed(section)[part])) <= {name}


@EVERY_PAGE
def test_tables_and_mathematics_are_closed(page: Path) -> None:
    """Each row of a table has the cells of its header; dollars and braces come in pairs."""
    text = page.read_text("utf-8")
    for table in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        assert len({row.count("|") for row in table.splitlines()}) == 1, table
    fences = re.findall(r"^```(?:math|text)?$|^\$\$$", text, re.MULTILINE)
    assert [{"```text": "```math"}.get(f, f) for f in fences[::2]] == [
        {"```": "```math"}.get(f, f) for f in fences[1::2]
    ]
    for line in text.splitlines():
        assert line.replace("$$", "").count("$") % 2 == 0, line
    # A formula may go on in the next line.
    for part in re.split(r"^```.*$", text, flags=re.MULTILINE):
        assert part.replace("\\{", "").count("{") == part.replace("\\}", "").count("}"), part
