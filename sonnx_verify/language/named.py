"""The project of the current folder, and operators by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from sonnx_verify.errors import UsageError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.language.places import root_here
from sonnx_verify.language.project import OF_ONNX, Project
from sonnx_verify.language.reach import Reach

_FEW = 12
"""The most operators that a message lists."""
_LONGEST = 60
"""The most characters of a name that a message repeats."""


def here() -> Project:
    """The project of the current folder, or the installed one when the folder has no specification."""
    return Project.open(root_here())


def here_at_once() -> Project:
    """The same, of texts that are all read now, so that other projects made of it say the same."""
    # A long run makes projects in other processes too, and somebody may save a file meanwhile: all are made of one
    # reading.
    root = root_here()
    texts, closed = read_at_once(root, ())
    return Project.open(root, texts, closed=closed)


def read_at_once(root: Path, further: Iterable[Path]) -> tuple[dict[Path, str], bool]:
    """All texts that can play a part, and whether there are no others."""
    reach = Reach.of(root, further)
    return reach.texts, reach.whole


_NAME = re.compile(r"(?:(\w+(?:\.\w+)*)\.)?(\w+)(?:-(-?\d{1,600}))?(?:@([\w.-]+))?")
# Nobody writes a version of more digits, and Python refuses to read one of thousands.


@dataclass(frozen=True, slots=True)
class _Name:
    """The parts of a name; each but the operator may be missing."""

    namespace: str
    operator: str
    version: int | None
    text: str


def find_operator(project: Project, name: str, opset: int | None = None) -> Unit:
    """The specification `namespace.Op-version`, or a text `...@text` of it; of `namespace.Op` the version in force in
    an operator set of ONNX, by default in the newest. UsageError if none."""
    asked = _parts(name)
    if asked is not None and asked.namespace:
        if "." in asked.namespace:
            raise UsageError(f"unknown domain {asked.namespace[:_LONGEST]}", cure=_own_domain(project, asked))
        version = asked.version
        if opset is not None:
            version = _at(project, asked, opset)
        unit = project.find(asked.namespace, asked.operator, version, asked.text)
        if unit is not None:
            return unit
        if version is not None and (cure := _other_version(project, asked, version)):
            raise _unknown(name, cure)
    if asked is not None:
        _refuse_unread(project, asked)
        if cure := _unspecified(project, asked):
            raise _unknown(name, cure)
    raise _unknown(name, _meant(project, name, asked))


def _refuse_unread(project: Project, asked: _Name) -> None:
    """Raise the error of a text that cannot be read, if it is one of the operator."""
    declared = re.compile(rf"^operator\s+{re.escape(asked.operator)}\b", re.MULTILINE)
    for unit in project.units:
        error = unit.error
        if error is None or error.span is None or asked.namespace not in ("", unit.namespace):
            continue
        if declared.search(error.span.source.text):
            raise error


def in_force(project: Project, namespace: str, operator: str, opset: int) -> Unit:
    """The specification of the version of an operator that is in force in an operator set. UsageError if none."""
    asked = _Name(namespace, operator, None, "")
    version = _at(project, asked, opset)
    unit = project.find(namespace, operator, version)
    if unit is None:
        numbered = operator if version is None else f"{operator}-{version}"
        raise UsageError(f"there is no specification {namespace}.{numbered}", cure=_meant(project, numbered, asked))
    return unit


def at_opset(project: Project, identity: str, opset: int | None) -> str:
    """The identity, or name of an operator, of the version in force in an operator set. UsageError as above."""
    if opset is None:
        return identity
    name, slash, rest = identity.partition("/")
    return find_operator(project, name, opset).operator + slash + rest


def without_text(project: Project, patterns: Iterable[str]) -> list[Unit]:
    """The versions without a text of their own that patterns of identities name."""
    names = (re.match(r"(\w+)\.(\w+)-(\d{1,9})(?![\w@])", pattern) for pattern in patterns)
    found = (project.find(name[1], name[2], int(name[3])) for name in names if name is not None)
    return [unit for unit in found if unit is not None and unit.note]


def _parts(name: str) -> _Name | None:
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    version = None if found[3] is None else int(found[3])
    return _Name(found[1] or "", found[2], version, found[4] or "")


def _unspecified(project: Project, asked: _Name) -> str:
    """The cure for an operator that ONNX has, and no text specifies; empty for any other name."""
    if asked.namespace not in OF_ONNX or asked.operator not in project.table().operators():
        return ""
    if any(u.file is not None and u.file.name == asked.operator for u in project.operators()):
        return ""
    return (
        f"ONNX has {asked.operator}, and no specification of it is here: `sonnx-verify new {asked.operator}` begins one"
    )


def _unknown(name: str, cure: str) -> UsageError:
    if len(name) > _LONGEST:
        name = f"{name[:_LONGEST]}..."
    return UsageError(f"unknown operator {name}", cure=cure)


def _own_domain(project: Project, asked: _Name) -> str:
    """The cure for a domain: all texts are of ONNX's own."""
    named = asked.operator if asked.version is None else f"{asked.operator}-{asked.version}"
    return f"ONNX's own operators are here, of opsets 1 to {_newest_opset(project)}: write onnx.{named}"


def _newest_opset(project: Project) -> int:
    return max((max(versions) for versions in project.table().operators().values()), default=1)


def _at(project: Project, asked: _Name, opset: int) -> int | None:
    """The version in force in an operator set; None for an operator that has none. UsageError where it has none there,
    or another one than is asked for."""
    known = _versions(project, asked)
    name, newest = f"{asked.namespace}.{asked.operator}", _newest_opset(project)
    if asked.namespace in OF_ONNX and not 1 <= opset <= newest:
        raise UsageError(f"unknown opset {opset}", cure=f"ONNX's opsets are 1 to {newest}")
    if not known:
        return None
    version = max((v for v in known if v <= opset), default=None)
    if version is None:
        raise UsageError(f"{name} is not in opset {opset}", cure=f"give one from {min(known)} to {newest}")
    if asked.version not in (None, version):
        raise UsageError(
            f"opset {opset} uses version {version} of {name}, not {asked.version}", cure="leave out one of them"
        )
    return version


def _versions(project: Project, asked: _Name) -> Sequence[int]:
    """The versions that an operator has: in ONNX, or for one of a namespace of its own in its texts."""
    if asked.namespace in OF_ONNX:
        known = project.table().operators().get(asked.operator, ())
        if known:
            return known
    own = (u for u in project.operators() if u.namespace == asked.namespace)
    return [_version(u) for u in own if u.file is not None and u.file.name == asked.operator]


def _other_version(project: Project, asked: _Name, version: int) -> str:
    """The cure for a version that ONNX does not have, or that has no text; empty for any other name."""
    known = _versions(project, asked)
    if asked.namespace not in OF_ONNX or asked.operator not in project.table().operators():
        return ""
    name, newest = f"{asked.namespace}.{asked.operator}", _newest_opset(project)
    if not known[0] <= version <= newest:
        return f"{asked.operator} is in opsets {known[0]} to {newest}"
    in_force = max(v for v in known if v <= version)
    if in_force != version and project.find(asked.namespace, asked.operator, in_force) is not None:
        return f"{asked.operator} has no version {version}; opset {version} uses version {in_force}: {name}-{in_force}"
    return ""


def _meant(project: Project, name: str, asked: _Name | None) -> str:
    """The cure for a name that nothing has: those that may be meant."""
    # Without a namespace, or of another case or version: there is nothing of that name, but the ones that were meant
    # are shown, of the installed ones too.
    alike: list[Unit] = []
    if asked is not None:
        wanted = asked.operator.lower()
        alike = [u for u in project.operators() if u.file is not None and u.file.name.lower() == wanted]
    same = [u for u in alike if asked is not None and u.namespace == asked.namespace]
    names = dict.fromkeys(u.operator for u in same or alike)
    # Whoever leaves out the namespace means that version of one, or the newest.
    if asked is not None and not asked.namespace:
        known = dict.fromkeys(u.namespace for u in alike)
        found = (project.find(namespace, asked.operator, asked.version, asked.text) for namespace in known)
        if meant := [unit for unit in found if unit is not None]:
            return f"did you mean {' or '.join(u.operator for u in meant)}?"
    if not names:
        return _like(project, name[:_LONGEST])
    return "there are: " + ", ".join(names)


def _like(project: Project, name: str) -> str:
    """The cure for a name that is that of no operator: those that are written alike, or all of a few."""
    known = {
        u.operator.partition("-")[0]: u for u in project.units if u.file is not None and u.file.version is not None
    }
    near = get_close_matches(name.partition("-")[0], known, 3, 0.7)
    if near:
        return f"did you mean {', '.join(near)}?"
    if len(known) <= _FEW:
        return f"there are: {', '.join(u.operator for u in known.values()) or 'none'}"
    example = min(known, key=lambda one: (not one.startswith("sonnx."), one))
    return f"write a namespace and a name that is there, such as {example}"


def _version(unit: Unit) -> int:
    return (unit.file and unit.file.version) or 0


def unit_of_text(project: Project, file: s.File) -> Unit:
    """A unit for a text that is no file, in the project's root."""
    path = project.root / f"{file.name} (text)"
    return Unit(path, file.path, "prove", file)
