"""The versions of ONNX's operators: each has a text, or a row that says which text applies, and agrees with ONNX."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec
import onnx
import pytest

from sonnx_verify.errors import UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.in_force import Row, Versions
from sonnx_verify.language.named import find_operator
from sonnx_verify.language.project import Project
from sonnx_verify.language.signatures import Table
from sonnx_verify.obligations.transcription import differences

ROOT = Path(__file__).parents[2]
ONNX = ROOT / "spec" / "onnx"
TABLES = sorted(ONNX.glob("*/versions.toml"))
TABLE = {name: rows for path in TABLES for name, rows in msgspec.toml.decode(path.read_bytes()).items()}
ROWS = Versions(TABLES).rows
HEAD = re.compile(r"^(?:operator (\w+) )?version (\d+)", re.MULTILINE)
KNOWN = Table((ONNX / "signatures.json").read_text("utf-8")).operators()


@cache
def project() -> Project:
    return Project.open(ROOT)


def texts() -> dict[str, set[int]]:
    """The versions with a text of their own."""
    made: dict[str, set[int]] = {}
    for unit in project().units:
        if unit.namespace == "onnx" and unit.file is not None and unit.file.version is not None:
            made.setdefault(unit.file.name, set()).add(unit.file.version)
    return made


def headed() -> dict[str, set[int]]:
    """The same by the first lines of texts: every process of a run collects all cases, and would parse the library."""
    made: dict[str, set[int]] = {}
    for path in sorted(ONNX.glob("*/*.sonnx")):
        found = HEAD.findall(path.read_text("utf-8"))
        made[found[0][0]] = {int(version) for _, version in found}
    return made


TEXTS = headed()
VERSIONS = [(name, version) for name in TEXTS for version in KNOWN[name]]
DESCRIBED = [key for key in ROWS if key[0] in TEXTS]


def named(name: str, version: int) -> str:
    return f"{name}-{version}"


def found(name: str, version: int) -> Unit:
    return find_operator(project(), f"onnx.{name}-{version}")


def test_all_versions_are_there() -> None:
    """The library speaks of every version of its operators, and each text has a case."""
    assert texts() == TEXTS
    assert len(TEXTS) >= 46
    assert len(VERSIONS) >= 202


@pytest.mark.parametrize(("name", "version"), VERSIONS, ids=[named(*key) for key in VERSIONS])
def test_every_version_resolves(name: str, version: int) -> None:
    """Each version of an operator is found by its name and by its opset, up to the next one."""
    unit = found(name, version)
    later = min((v for v in KNOWN[name] if v > version), default=29)

    assert unit.operator == f"onnx.{name}-{version}"
    assert (unit.note == "") == (version in TEXTS[name])
    for opset in {version, later - 1}:
        assert find_operator(project(), f"onnx.{name}", opset) is unit


@pytest.mark.parametrize("operator", TABLE)
def test_every_version_has_a_text_or_a_row(operator: str) -> None:
    """A version has one of the two; the version in force has a text, and a row names a text."""
    planned = set(TABLE[operator].get("planned", ()))
    own = TEXTS.get(operator, set())
    described = {version for name, version in ROWS if name == operator}

    assert bool(own) != bool(planned)
    assert own | planned | described == set(KNOWN[operator])
    assert not (own | planned) & described
    assert max(KNOWN[operator]) in own | planned
    assert {ROWS[operator, version].same_as for version in described} <= own | planned


@pytest.mark.parametrize(("name", "version"), DESCRIBED, ids=[named(*key) for key in DESCRIBED])
def test_a_row_agrees_with_onnx(name: str, version: int) -> None:
    """Types, inputs, outputs and attributes are those of ONNX: of the table here, and of the installed package."""
    unit = found(name, version)
    assert unit.file is not None
    schema = onnx.defs.get_schema(name, version, "")
    inputs = [i.name for i in schema.inputs]
    assert schema.since_version == version
    if (name, version) in UNDESCRIBED:
        assert differences(project(), unit.file) == UNDESCRIBED[name, version]
        return
    assert differences(project(), unit.file) == []
    assert [d.name for d in unit.file.inputs] == inputs
    assert [d.name for d in unit.file.outputs] == [o.name for o in schema.outputs]
    assert {d.name for d in unit.file.attributes} | {"sparse_value"} == set(schema.attributes) | {"sparse_value"}


UNDESCRIBED = {
    ("Split", 1): [
        "inputs: here input, in ONNX input, optional split",
        "outputs: here outputs (any number), in ONNX outputs... (any number)",
    ]
}
"""Declarations that no text can have: an input of the name of an attribute, and a name of points. With that input
nothing is answered."""


@pytest.mark.parametrize(("name", "version"), DESCRIBED, ids=[named(*key) for key in DESCRIBED])
def test_a_row_says_no_more_than_it_has_to(name: str, version: int) -> None:
    """Each type that a row names is one of the text, or of those that its restriction names, and none is named that
    changes nothing."""
    row = ROWS[name, version]
    for variable, types in (*row.without.items(), *row.types.items()):
        assert variable not in row.without or variable not in row.types
        assert list(types) == sorted(set(types))
        lesser = msgspec.structs.replace(row, without={}, types={})
        assert lesser != row


@pytest.mark.parametrize(
    "row",
    ["", 'same_as = "13"', 'same_as = 13\ntypes.T = "float"', 'same_as = 13\nwihtout.T = ["float"]', "same_as = "],
)
def test_a_table_is_held_to_its_form(tmp_path: Path, row: str) -> None:
    """A field that is missing, unknown or of another kind is an error, not a row that says something else."""
    path = tmp_path / "abs" / "versions.toml"
    path.parent.mkdir()
    path.write_text(f"[Abs.6]\n{row}\n", "utf-8")
    with pytest.raises(UsageError, match="cannot be read"):
        Versions([path])


def test_a_row_stands_in_the_folder_of_its_operator(tmp_path: Path) -> None:
    """Nobody looks for it elsewhere, and two folders could say two things."""
    path = tmp_path / "abs" / "versions.toml"
    path.parent.mkdir()
    path.write_text("[Neg.6]\nsame_as = 13\n", "utf-8")
    with pytest.raises(UsageError, match="rows of Neg, which belong into the folder neg"):
        Versions([path])


def test_a_row_is_plain_data() -> None:
    """Rows are equal where they say the same: they can be taken apart and put together by operator."""
    row = Row(13, without={"T": ("bfloat16",)})
    assert msgspec.convert(msgspec.to_builtins(row), Row) == row
