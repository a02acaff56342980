"""Lines `using ...` for an operator: theorems of what its text calls, on the arguments of these calls.

A theorem is worth a line if it bounds something: it says that a call is above, below or other than a number.
`windows_fit` bounds `window_place(i, k, stride, dilation, 0)`, and assumes something of `windows_along(length, ...)`:
where both are called on arguments that fit, its variables are known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

from sonnx_verify.authoring.lemmas.calls import Called, Variable, calls_in
from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Library
from sonnx_verify.language.files import Unit
from sonnx_verify.language.functions import REAL_FUNCTIONS
from sonnx_verify.language.places import installed_library, use_folders
from sonnx_verify.language.project import Project
from sonnx_verify.language.text_names import names_in

MOST = 12
"""The number of lines that are tried for one text."""
_BOUNDS = frozenset(s.Comparison) - {s.Comparison.EQUAL}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text that names a theorem, and the file that it has to use for that; none where it does already."""

    use: str
    text: str
    otherwise: str = ""
    """The line where that one does not fit: in a section of reals an element has to be made a real."""


@dataclass(frozen=True, slots=True)
class _Known:
    """A theorem, the file to use for it, the call that it bounds, and the calls in what it assumes."""

    theorem: s.Theorem
    use: str
    said: s.Call
    assumed: tuple[s.Call, ...]

    @property
    def parameters(self) -> list[tuple[str, bool]]:
        """The names that stand for arguments, in their order, each with whether it is a real; that of an induction is
        the last."""
        listed = [(d.name, d.type.name == "real") for d in self.theorem.declarations]
        by = self.theorem.induction
        return listed if by is None else [*listed, (by.on, False)]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.parameters)


@dataclass(slots=True)
class Theorems:
    """The theorems of a project that bound something, found once for all its texts."""

    project: Project
    _words: dict[Path, Set[str]] = field(default_factory=dict)
    _bounds: dict[Path, list[_Bound]] = field(default_factory=dict)

    def lines_for(self, unit: Unit) -> list[Line]:
        """The lines that may help the proofs of an operator, at most `MOST`, in a fixed order of files and theorems."""
        file = unit.file
        if file is None or file.version is None:
            return []
        try:
            library = self.project.library(unit)
        except UserError:
            return []  # `check` says what is wrong with it.
        definitions = library.definitions
        calls = calls_in(file, definitions)
        # Nothing is known of what the text itself defines.
        own = {definition.name for definition in file.definitions}
        named = {call.name for call in calls} & (definitions.keys() | REAL_FUNCTIONS) - own
        written = [(used.name, tuple(map(s.text_of, used.arguments or ()))) for used in file.using]
        found: dict[Line, None] = {}
        for known in self._of(unit, library, named) if named else ():
            for line in _instances(known, calls, [given for name, given in written if name == known.theorem.name]):
                found[line] = None
                if len(found) == MOST:
                    return list(found)
        return list(found)

    def _of(self, unit: Unit, library: Library, names: Set[str]) -> Iterator[_Known]:
        """The theorems of files that the text may use, that bound a call of one of these names."""
        seen = {unit.path.name}
        for folder in use_folders(unit.path, self.project.root):
            for path in sorted(folder.glob("*.sonnx")):
                if path.name in seen:
                    continue
                seen.add(path.name)
                try:
                    bounds = self._bounds_in(path, names)
                except UserError:
                    continue  # `check` says what is wrong with it.
                for bound in bounds:
                    said = [call for call in bound.said if call.name in names]
                    if len(said) == 1:
                        assumed = tuple(call for call in bound.assumed if call.name in names)
                        lemma = library.lemmas.get(bound.theorem.name)
                        use = "" if lemma is not None and lemma.theorem is bound.theorem else path.stem
                        yield _Known(bound.theorem, use, said[0], assumed)

    def _bounds_in(self, path: Path, names: Set[str]) -> list[_Bound]:
        if path not in self._words:
            self._words[path] = names_in(self.project.files.text(path)).words
        # Not all is read: a text that speaks of no such name is no help.
        if names.isdisjoint(self._words[path]):
            return []
        if path not in self._bounds:
            file = self.project.files.read(path)
            listed = file.theorems if file.kind in (s.FileKind.LIBRARY, s.FileKind.THEORY) else ()
            # Nobody reviewed the axioms of a project: whoever rests a proof on one says so in the text.
            known = [one for one in listed if one.cited is None or _is_reviewed(path, self.project.files.text(path))]
            self._bounds[path] = [_Bound.of(one) for one in known if _bounds_something(one.body)]
        return self._bounds[path]


def _is_reviewed(path: Path, text: str) -> bool:
    """Return whether a text is one that this tool came with, wherever it stands."""
    shared = (installed_library() / part / path.name for part in ("spec/common", "proofs"))
    return any(one.is_file() and one.read_text("utf-8") == text for one in shared)


@dataclass(frozen=True, slots=True)
class _Bound:
    """A theorem that bounds something, with the calls in what it says and assumes."""

    theorem: s.Theorem
    said: tuple[s.Call, ...]
    assumed: tuple[s.Call, ...]

    @classmethod
    def of(cls, theorem: s.Theorem) -> _Bound:
        return cls(theorem, tuple(_calls(theorem.body)), tuple(_calls(theorem.assuming)))


def added(lines: Sequence[Line]) -> tuple[str, ...]:
    """The lines of a text that lines need: first the files that they use."""
    return (*dict.fromkeys(f"use {line.use}" for line in lines if line.use), *(line.text for line in lines))


def _calls(node: s.Expression | None) -> Iterator[s.Call]:
    for part in s.every(node) if node is not None else ():
        if isinstance(part, s.Call) and part.name:
            yield part


def _bounds_something(node: s.Expression) -> bool:
    """Return whether a statement is a bound of a call, or several of them."""
    match s.bare(node):
        case s.Relation(operands=operands, signs=signs):
            return not _BOUNDS.isdisjoint(signs) and any(isinstance(s.bare(one), s.Call) for one in operands)
        case s.Conjunction(parts=parts):
            return all(map(_bounds_something, parts))
        case _:
            return False


def _instances(known: _Known, calls: Sequence[Called], written: Collection[tuple[str, ...]]) -> Iterator[Line]:
    """The theorem on arguments that name all its variables, found in calls of what it speaks of; not on those on which
    it is `written` already."""
    for given, variables in _match(known.said, known, calls, {}, ()):
        for all_given, all_variables in _completed(known, calls, given, variables):
            arguments = [all_given[name] for name, _ in known.parameters]
            if tuple(arguments) in written:
                continue
            reals = [
                f"real({text})" if is_real and not text.startswith("real(") else text
                for (_, is_real), text in zip(known.parameters, arguments, strict=True)
            ]
            texts = [_using(known.theorem.name, given, all_variables) for given in (arguments, reals)]
            yield Line(known.use, *dict.fromkeys(texts))


_Given = Mapping[str, str]
_Matched = tuple[_Given, tuple[Variable, ...]]


def _using(name: str, arguments: Sequence[str], variables: Sequence[Variable]) -> str:
    text = ", ".join(arguments)
    binders = ", ".join(f"{variable.name} in {variable.domain}" for variable in _named_in(text, variables))
    return f"using {f'for all {binders} : ' if binders else ''}{name}({text})"


def _completed(
    known: _Known, calls: Sequence[Called], given: _Given, variables: tuple[Variable, ...]
) -> Iterator[_Matched]:
    """The arguments that are given, with those that calls in the assumptions give where that is not all.

    An induction up to a number that nothing else gives goes as far as it is asked of.
    """
    by = known.theorem.induction
    if by is not None and by.on in given and isinstance(last := s.bare(by.high), s.Name) and last.name in known.names:
        given = {last.name: given[by.on], **given}
    if known.names <= given.keys():
        yield given, variables
        return
    for n, call in enumerate(known.assumed):
        if any(name not in given for name in _names_in(call, known.names)):
            for more, around in _match(call, known, calls, given, variables):
                yield from _completed(
                    _Known(known.theorem, known.use, known.said, known.assumed[n + 1 :]), calls, more, around
                )
            return


def _match(
    pattern: s.Call, known: _Known, calls: Sequence[Called], given: _Given, variables: tuple[Variable, ...]
) -> Iterator[_Matched]:
    """The arguments of the calls that a pattern fits, beside those that are given."""
    for call in calls:
        if call.name != pattern.name or len(call.arguments) != len(pattern.arguments):
            continue
        around = _joined(variables, call.variables)
        more = dict(given)
        if around is not None and all(
            _fits(one, text, known.names, more) for one, text in zip(pattern.arguments, call.arguments, strict=True)
        ):
            yield more, around


def _fits(pattern: s.Expression, text: str, names: frozenset[str], given: dict[str, str]) -> bool:
    """Return whether an argument is what a pattern says; a variable of the theorem is given it."""
    pattern = s.bare(pattern)
    if isinstance(pattern, s.Name) and pattern.name in names:
        return given.setdefault(pattern.name, text) == text
    return s.text_of(pattern) == text


def _joined(one: tuple[Variable, ...], other: tuple[Variable, ...]) -> tuple[Variable, ...] | None:
    """The variables of both; None where they range differently under one name."""
    made = {variable.name: variable for variable in one}
    for variable in other:
        if made.setdefault(variable.name, variable) != variable:
            return None
    return tuple(made.values())


def _named_in(text: str, variables: Sequence[Variable]) -> list[Variable]:
    """The variables that a text names, with those that their domains name, in their order."""
    kept: list[Variable] = []
    for variable in reversed(variables):
        words = set(re.findall(r"\w+", " ".join([text, *(one.domain for one in kept)])))
        if variable.name in words:
            kept.insert(0, variable)
    return kept


def _names_in(call: s.Call, names: frozenset[str]) -> Iterator[str]:
    for argument in call.arguments:
        one = s.bare(argument)
        if isinstance(one, s.Name) and one.name in names:
            yield one.name
