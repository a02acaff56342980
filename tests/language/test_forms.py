"""The elaborator calls forms, and can do nothing else: it builds no term or value, and asks no condition."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from sonnx_verify.logic import terms

PACKAGE = Path(__file__).resolve().parents[2] / "sonnx_verify"
READ = {"Term", "is_literal", "subterms", "conjuncts", "numbered", "run_of_numbers", "Role", "FoldKind", "Fold"}
"""The names of `logic.terms` that read terms, or number what others build."""
COMPARED = {"TRUE", "FALSE"}
"""Terms that are compared with, to see what is decided by what a type is, or that a number of inputs is wrong."""
BUILDERS = {name for name in vars(terms) if not name.startswith("_")} - READ - COMPARED
VALUES = {
    "Abstraction", "Declared", "Domain", "Entries", "Items", "Members", "Outcome", "Position", "Reach", "Results",
    "SetOf", "Shape", "Tensor", "abstraction", "choose", "instantiate", "of_axes", "of_indices", "put_in_shape",
    "replace_value", "results", "same_shape", "same_tensor",
}  # fmt: skip  # a table
"""The makers of values."""
NOTED = {"Assuming", "Ranging", "Indexing", "Place", "Side", "Branch"}
"""The makers of frames and notes."""
PARTS = {"read", "dim", "item", "contains", "conforms"}
"""The functions in values: a call of one is a read that nobody asked for."""
READERS = {"reads", "self._access", "self", "self.files", "files", "store"}
"""Forms, and other things that have a `read`."""
FIELDS = {
    "needs", "given", "value", "count", "item", "shape", "read", "sort", "conforms", "representative", "reach", "body",
    "condition", "domain", "rank", "dim", "defined", "result", "contains", "facts", "base",
}  # fmt: skip  # a table
"""The fields of values: a copy with another one is another value."""
STATE = {
    "enclosing", "binders", "muted", "sides", "branches", "restrictions", "supposed", "supposing", "fold_orders",
    "place", "order",
}  # fmt: skip  # a table
"""The state of the kernel that says what is asked, and where."""
ALLOWED = {
    # In a theorem that is used nothing is asked; what another elaboration asked is taken over.
    "context.py": {
        *(f"{name} =" for name in STATE - {"fold_orders", "place", "order"}),
        ".order =",
        ".fold_orders",
        ".sides",
        ".branches",
    },
    "binding.py": {".item()"},  # for a message
    "clauses.py": {".item()"},  # a member of the outputs of which nothing is known
}
"""What a file does by itself, each with the reason."""
OF_KERNEL = {
    "assuming", "ranging", "indexing", "silent", "require", "suppose", "branch", "closed", "bound", "operation",
    "free_operation",
}  # fmt: skip  # a table
"""The methods of the kernel that forms alone call."""
BESIDE = {"explain.py"}
"""It evaluates a replayed counterexample once more, for its words, and is not trusted."""


def elaborator() -> list[Path]:
    return sorted(path for path in (PACKAGE / "language").glob("*.py") if path.name not in BESIDE)


def of_kernel(tree: ast.AST) -> set[str]:
    """The names that a file has from where terms and values are made."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in (
            "sonnx_verify.kernel.frames",
            "sonnx_verify.kernel.notes",
            "sonnx_verify.kernel.values",
            "sonnx_verify.logic.terms",
        ):
            found.update(alias.asname or alias.name for alias in node.names)
    return found


def slips(text: str) -> Iterator[str]:
    """The names by which a file builds something itself."""
    tree = ast.parse(text)
    known = of_kernel(tree)
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="sonnx_verify.logic.terms"):
                yield from (alias.name for alias in node.names if alias.name in BUILDERS)
            case ast.ImportFrom(module=str(module)) if module.startswith("sonnx_verify.logic."):
                known_as_terms = (
                    "sonnx_verify.logic.nodes",
                    "sonnx_verify.logic.builders",
                    "sonnx_verify.logic.binders",
                )
                if module in known_as_terms:
                    yield module
            case ast.Call(func=ast.Name(id=name)) if name in (VALUES | NOTED) & known:
                yield name
            case ast.Call(func=ast.Name(id="replace"), keywords=words):
                yield from (f"{word.arg} =" for word in words if word.arg in FIELDS)
            case ast.Call(func=ast.Attribute(attr="_having"), keywords=words):
                yield from (f"{word.arg} =" for word in words if word.arg in STATE)
            case ast.Call(func=ast.Attribute(attr=name)) if name in OF_KERNEL:
                yield f".{name}"
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in PARTS:
                if ast.unparse(owner) not in READERS:
                    yield f".{name}()"
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name))) if name in STATE:
                yield f".{name}"
            case ast.Attribute(attr=name, ctx=ast.Store()) if name in STATE:
                yield f".{name} ="


@pytest.mark.parametrize("path", elaborator(), ids=lambda path: path.name)
def test_the_elaborator_builds_nothing_itself(path: Path) -> None:
    assert {*slips(path.read_text("utf-8"))} == ALLOWED.get(path.name, set())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from sonnx_verify.logic.terms import Term, and_", ["and_"]),
        ("from sonnx_verify.logic.builders import eq", ["sonnx_verify.logic.builders"]),
        ("from sonnx_verify.kernel.values import Tensor\nx = Tensor(shape, read, sort)", ["Tensor"]),
        ("from sonnx_verify.kernel.values import Tensor\nmatch x:\n    case Tensor():\n        pass", []),
        ("with context.assuming(condition):\n    pass", [".assuming"]),
        ("context.require(kind, condition, why)", [".require"]),
        ("with context.silent():\n    pass", [".silent"]),
        ("context.muted += 1", [".muted ="]),
        ("context.supposing = True", [".supposing ="]),
        ("context.sides.clear()", [".sides"]),
        ("with self._having(muted=1, exact=True):\n    pass", ["muted ="]),
        ("from sonnx_verify.kernel.frames import Assuming\nframe = Assuming(condition)", ["Assuming"]),
        ("x = owner.item(number)", [".item()"]),
        ("x = self._access.read(node, owner, argument)", []),
        ("x = replace(name, needs=False)", ["needs ="]),
        ("x = replace(name, by_type=True)", []),
    ],
)
def test_what_is_seen(text: str, found: list[str]) -> None:
    """A file that goes around a form is noticed, and one that looks at values is not."""
    assert [*slips(text)] == found
