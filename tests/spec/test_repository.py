"""What has to be true of the shipped texts and of the package as a whole."""

from __future__ import annotations

import re
from pathlib import Path

from sonnx_verify.language.project import Project

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "sonnx_verify"


def test_no_operator_is_named_in_the_package() -> None:
    """The language carries the operators: no ONNX operator's name is a word of the Python code or the grammar."""
    import onnx

    names = {s.name for s in onnx.defs.get_all_schemas_with_history()}
    # Names that are also words of the field or of Python.
    names -= {"Not", "And", "Or", "Where", "Shape", "Size", "Constant", "If", "Loop", "Scan", "Identity", "Range"}
    names -= {"Optional", "Unique", "Neg", "Add", "Sub", "Mul", "Div", "Mod", "Sum", "Equal", "Expand", "Compress"}
    quoted = re.compile(r"""["'](\w+)["']""")
    found = []
    for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.lark")]:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            found += [f"{path.name}:{number}: {word}" for word in quoted.findall(line) if word in names]

    assert found == []


def test_drafts_cite_lines_that_exist(shared: Path) -> None:
    """Each line number that a draft cites is a line of its seed that is not blank."""
    project = Project.open(ROOT)
    cited = 0
    for unit in project.units:
        if unit.namespace != "drafts" or unit.file is None:
            continue
        text = unit.path.read_text("utf-8")
        for seed, first, last in re.findall(r"seed (\d+) lines? (\d+)(?:-(\d+))?", text):
            lines = next((shared / "seeds").glob(f"{seed}_*")).read_text("utf-8").splitlines()
            for number in range(int(first), int(last or first) + 1):
                assert lines[number - 1].strip(), f"seed {seed} line {number}"
                cited += 1

    assert cited > 10


def test_drafts_do_not_copy_sentences(shared: Path) -> None:
    """Titles and pages are in our own words: no run of eight words of a seed stands in spec/."""
    words = re.compile(r"[A-Za-z]+")
    runs = set()
    for path in (shared / "seeds").iterdir():
        found = [w.lower() for w in words.findall(path.read_text("utf-8"))]
        runs |= {tuple(found[n : n + 8]) for n in range(len(found) - 7)}
    for path in [p for p in (ROOT / "spec").rglob("*") if p.suffix in (".sonnx", ".md")]:
        text = re.sub(r"https?://\S+", "", path.read_text("utf-8"))
        found = [w.lower() for w in words.findall(text)]
        # Lists of element types are facts, not sentences.
        windows = [tuple(found[n : n + 8]) for n in range(len(found) - 7)]
        copied = [" ".join(r) for r in windows if r in runs and len(set(r)) > 4]
        types = {"int", "uint", "float", "double", "bfloat", "tensor"}
        assert [c for c in copied if not set(c.split()) <= types | {"for", "types", "max"}] == [], path
