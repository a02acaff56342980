"""A text with a mistake gets an error at its place, with the line, a caret and a cure: exit status 2, no traceback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.errors import UserError
from sonnx_verify.language.parser import parse
from sonnx_verify.sources import Source

ROOT = Path(__file__).parents[2]
SOAK = os.environ.get("SONNX_SOAK") == "1"
Ask = Callable[[str | bytes], Any]
PLACE = re.compile(r"bad\.sonnx:(\d+):(\d+): error: (.*)\n *\d+ \| (.*)\n( *)(\^+)(?:\n  to fix: (.+))?")
MARGIN = len("    1 | ")


def pointed(said: Any) -> tuple[str, str, str]:
    """The words under the caret, the message and the cure of the first error."""
    assert said.status == 2, said.text
    found = PLACE.search(said.errors)
    assert found, said.errors
    assert said.errors.count(found[0].partition("\n")[0]) == 1, "the error is printed more than once"
    _, column, message, line, indent, carets, cure = found.groups()
    start = len(indent) - MARGIN
    assert start == int(column) - 1 or len(line) >= 100
    assert cure, "there is no cure"
    return line[start : start + len(carets)], message, cure


def test_plain_text_is_fine(listed: Ask, plain: str) -> None:
    """The text that the others here break is itself without a mistake."""
    assert listed(plain).status == 0


@pytest.mark.parametrize(
    "text",
    ["", "\n\n \t\n", "-- only a comment\n", "-- one\n-- two", "\ufeff"],
    ids=["empty", "blank", "comment", "two", "BOM"],  # each is what an editor may save before a word is written
)
def test_nothing_in_it(listed: Ask, text: str) -> None:
    """A file without a word in it is refused with what to begin with."""
    said = listed(text)

    assert said.status == 2
    assert "bad.sonnx" in said.errors
    assert "to fix: begin with" in said.errors


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x7fELF\x02\x01\x01\x00\x00\xff\xfe", "UTF-8"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "UTF-8"),
        (b"operator A\0 version 1 user", "NUL"),
        # Editors of another age save in Latin-1: the line tells where its first such character is.
        ("-- Größe\n".encode("latin-1"), "line 1"),
        ("-- ok\n\n-- na\xefve\n".encode("latin-1"), "line 3"),
        ("operator A version 1 user".encode("utf-16"), "UTF-8"),
    ],
    ids=["binary", "image", "NUL", "Latin-1", "Latin-1 below", "UTF-16"],
)
def test_no_text(listed: Ask, data: bytes, words: str) -> None:
    """A file that is no UTF-8 text is refused by name, with the place and the reason."""
    said = listed(data)

    assert said.status == 2
    assert re.search(rf"bad\.sonnx .*{words}.*\n  to fix: ", said.errors)


@pytest.mark.parametrize("written", ["\x1b[2K", "\x07", "\u202e"], ids=["erase", "bell", "right to left"])
def test_a_title_writes_over_nothing(listed: Ask, plain: str, written: str) -> None:
    """What a terminal would act on is no part of a title."""
    said = listed(re.sub(r'(error\s+")', rf"\1{written}", plain, count=1))

    assert said.status == 2
    assert written not in said.errors
    assert f"error: control character {written[0]!a} in a string\n" in said.errors


@pytest.mark.parametrize("digit", ["\uff11", "\u0661"], ids=["full width", "Arabic"])
def test_digits_are_those_of_ascii(listed: Ask, plain: str, digit: str) -> None:
    """Another digit would be read as a number that a reader may take for something else."""
    said = listed(re.sub(r"version 1\b", f"version {digit}", plain, count=1))

    assert said.status == 2
    assert "error: unexpected character" in said.errors


LONG = "1" + "0" * 390


@pytest.mark.parametrize(
    "number",
    [f"{LONG}^1000", " * ".join([LONG] * 12), " * ".join([f"real({LONG})"] * 12)],
    ids=["power", "product", "reals"],
)
def test_numbers_of_thousands_of_digits(listed: Ask, plain: str, number: str) -> None:
    """Short numbers can make one that Python does not write out."""
    said = listed(plain.replace("shape Y", f'[C2] constraint "large" : {number} = {number}\n\nshape Y', 1))

    where, message, cure = pointed(said)
    assert message == "the number is too large"
    assert number.startswith(where)
    assert cure.startswith("write a shorter one")


@pytest.mark.parametrize(
    "text",
    [
        "operator Plain version {} user\n",
        "operator Plain version 1 user\nrefines onnx Plain version {} with X = X\n",
        "operator Plain version 1 user\nversion {}\n",
        'library bad "Bad"\ndefine f(n : int) : int by recursion on n from {} "f" = n\n',
        'operator Plain version 1 draft\nindices from {} "from there"\n',
        'library bad "Bad"\ndefine f(n : int) : int "f" = n^{}\n',
        'library bad "Bad"\ndefine f(n : int) : int "f" = {}\n',
    ],
)
def test_integers_of_thousands_of_digits(listed: Ask, text: str) -> None:
    """Python reads none of more than 4,300."""
    said = listed(text.format("7" * 5000))

    assert said.status == 2
    assert re.search(r"bad\.sonnx:\d+:\d+: error: ", said.errors)


@pytest.mark.parametrize("change", ["BOM", "CRLF", "CR", "tabs", "no end", "separator"])
def test_other_line_ends(listed: Ask, plain: str, change: str) -> None:
    """A byte order mark, other line ends and tabs change neither what is read nor the places of mistakes."""
    changes: dict[str, Callable[[str], str]] = {
        "BOM": lambda t: "\ufeff" + t,
        "CRLF": lambda t: t.replace("\n", "\r\n"),
        "CR": lambda t: t.replace("\n", "\r"),
        "tabs": lambda t: t.replace(" : ", "\t:\t"),
        # `str.splitlines` would end a line at these two; editors and the tool do not.
        "separator": lambda t: t.replace('"they do not"', '"they\u2028do\x0cnot"'),
        "no end": lambda t: t.rstrip("\n"),
    }
    good = listed(plain).text
    assert listed(changes[change](plain)).text == good
    wrong = plain.replace("broadcast(X)", "brodcast(X)")
    assert PLACE.findall(listed(changes[change](wrong)).errors)[:1] == PLACE.findall(listed(wrong).errors)[:1] != []


def test_too_large(listed: Ask, plain: str) -> None:
    """More than 1 MiB is refused by name and size before anything is parsed; 1 MiB is read."""
    # One comment, which costs the parser nothing: what is tried is the limit, not the parser.
    filler = plain + "-" * ((1 << 20) - len(plain))
    assert listed(filler).status == 0
    said = listed("(" + filler)

    assert said.status == 2
    assert "bad.sonnx has 1048577 bytes" in said.errors
    assert "to fix: split it" in said.errors


@pytest.mark.parametrize("name", ["spec/sonnx/max/max.sonnx", "spec/common/broadcast.sonnx"])
def test_truncated(name: str) -> None:
    """Cut after any character, a text still parses or has an error at a place inside it, with a cure."""
    text = (ROOT / name).read_text("utf-8")
    # All places would take minutes; one in forty meets every kind of them.
    for end in range(0, len(text), 40):
        source = Source("bad.sonnx", text[:end])
        error = None
        try:
            parse(source)
        except UserError as raised:
            error = raised
        if error is None:
            continue
        assert error.span is not None, (end, str(error))
        assert error.cure, (end, str(error))
        assert 1 <= error.span.line <= max(1, len(source.text.splitlines())), (end, str(error))
        assert 1 <= error.span.column <= len(source.line(error.span.line)) + 1, (end, str(error))


def test_truncated_through_the_door(listed: Ask, plain: str) -> None:
    """Cut in its middle, a text is refused with exit status 2 or has fewer obligations, none of them invented."""
    whole = set(listed(plain).text.split())
    for end in range(0, len(plain), 90):
        said = listed(plain[:end])
        assert said.status in (0, 2)
        if said.status == 2:
            assert "to fix: " in said.errors, plain[:end]
        else:
            # A text that lost its end may owe a proof that the whole text did not.
            assert {w for w in said.text.split() if "/" in w} <= whole | {"user.Plain-1.int/Y/total"}, plain[:end]


DEEP = {
    "parentheses": "(" * 5000 + "true" + ")" * 5000,
    "not": "not " * 5000 + "L = 0",
    "if": "if L = 0 then " * 5000 + "0" + " else 1" * 5000 + " = 0",
    "minus": "-" + "- " * 5000 + "1 = 0",
    "reads": "X" + "[0]" * 5000 + " = 0",
    "calls": "rank(" * 5000 + "X" + ")" * 5000,
    "implications": "L = 0 => " * 5000 + "L = 0",
    "for all": "for all k in 0 .. 1 : " * 5000 + "L = 0",
    "lists": "[" * 5000 + "]" * 5000,
    "open": "(" * 5000,
    "closed": ")" * 5000,
}


@pytest.mark.parametrize("shape", DEEP)
def test_deep(listed: Ask, plain: str, shape: str) -> None:
    """Nested 5,000 deep is refused with exit status 2, not with an overflow of the stack."""
    said = listed(plain + f'\n[C2] constraint "deep" : {DEEP[shape]}\n')

    assert said.status == 2
    assert "to fix: " in said.errors


# Deep enough to end the process by its stack, if anything calls itself once for each level.
DEEPER = {
    "parentheses": "(" * 20000 + "true" + ")" * 20000,
    "lists": "[" * 20000 + "1" + "]" * 20000,
    "minus": "- " * 20000 + "1 = 0",
    "implications": "1 = 1" + " => 1 = 1" * 20000,
    "and": "1 = 1" + " and 1 = 1" * 20000,
    "or": "L = 1" + " or L = 1" * 20000,
    "sum": "L" + " + L" * 20000 + " = 0",
    "product": "L" + " * L" * 20000 + " = 0",
    "relations": "L" + " = L" * 20000,
}


# In the soak alone. Each of them is like one that is left: `and`, parentheses, the sign.
LONGEST = ("or", "sum", "product", "relations", "lists", "implications")


@pytest.mark.parametrize("shape", [pytest.param(s, marks=pytest.mark.soak) if s in LONGEST else s for s in DEEPER])
def test_deeper_than_the_stack(plain: str, tmp_path: Path, shape: str) -> None:
    """A text that would overflow the stack of the process is refused at its place, and the file beside it is listed."""
    (tmp_path / "bad.sonnx").write_text(f'{plain}\n[C2] constraint "deep" : {DEEPER[shape]}\n', "utf-8")
    (tmp_path / "good.sonnx").write_text('theory good "g"\n\ntheorem t "t" for k : int : k = k\n', "utf-8")
    done = listed_apart(tmp_path)

    assert done.returncode == 2, done.stderr[-300:]
    assert re.search(r"bad\.sonnx:\d+:\d+: error: .*\n.*\n.*\n  to fix: ", done.stderr), done.stderr[-300:]
    assert "user.good/t/theorem" in done.stdout
    assert "user.Plain-1" not in done.stdout


def listed_apart(folder: Path) -> subprocess.CompletedProcess[str]:
    """`list` in a process of its own, which may end in any way, also by a signal."""
    return subprocess.run(
        [sys.executable, "-m", "sonnx_verify", "explain", "--list"],
        cwd=folder,
        env=dict(os.environ),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "text",
    [
        "define f(x : " + "list of " * 20000 + "int) : int = 1",
        "version 2\n" + "add " * 20000 + "let W = 1",
    ],
    ids=["types", "changes"],
)
def test_deep_items(plain: str, tmp_path: Path, text: str) -> None:
    """Not only expressions are nested."""
    (tmp_path / "bad.sonnx").write_text(f"{plain}\n{text}\n", "utf-8")
    done = listed_apart(tmp_path)

    assert done.returncode == 2, done.stderr[-300:]
    assert "deep" in done.stderr, done.stderr[-300:]
    assert "to fix: " in done.stderr, done.stderr[-300:]


def test_deep_lets(plain: str, tmp_path: Path) -> None:
    """Terms that are made deep step by step end neither the process nor its other obligations."""
    steps = 400 if SOAK else 100
    lets = "\n".join(f"let a{n + 1} = {'div(' * 50}a{n}{', 2)' * 50}" for n in range(steps))
    text = f'{plain}\nlet a0 = L\n{lets}\n[C2] constraint "deep" : a{steps} < 5\n'
    (tmp_path / "bad.sonnx").write_text(text, "utf-8")
    done = listed_apart(tmp_path)

    assert done.returncode in (0, 2), done.stderr[-300:]


@pytest.mark.parametrize(
    "text", [" + ".join(["L"] * 3000) + " = 0", " and ".join(["L = 0"] * 3000)], ids=["sum", "and"]
)
def test_wide(listed: Ask, plain: str, text: str) -> None:
    """Wide is not deep: a sum of 3,000 terms, and as many conditions, are read, or refused with a reason."""
    said = listed(plain + f'\n[C2] constraint "wide" : {text}\n')

    assert said.status == 0 or "to fix: " in said.errors


@pytest.mark.parametrize(("before", "behind"), [(60, 60), (0, 60), (60, 0), (0, 0)])
def test_long_lines(listed: Ask, plain: str, before: int, behind: int) -> None:
    """They are shown around the mistake, with dots where more of them stands, and the caret is below it."""
    said = listed(f"{plain}\nlet a = {'1 + ' * before}lost{' + 1' * behind}\n")
    _, quoted, carets, _ = said.errors.splitlines()[:4]
    shown = quoted.partition(" | ")[2]

    assert quoted[carets.index("^") : carets.rindex("^") + 1] == "lost"
    assert (shown.startswith("..."), shown.endswith("...")) == (before > 0, behind > 0)
    assert len(shown) == (110 + 3 * ((before > 0) + (behind > 0)) if before or behind else len("let a = lost"))


def test_long_names_and_numbers(listed: Ask, plain: str) -> None:
    """A name of 10,000 characters is a name, and in an error it is not shown in full; so are long numbers."""
    name = "n" * 10000
    assert listed(plain + f"\nlet {name} = 1\n").status == 0
    for text in (
        f"let a = {name}",
        f"let a = {'9' * 10000}",
        "let a = 2^99999999",
        f"let a = 2^{'9' * 5000}",
        f"attribute k : int default (2^{'9' * 5000})",
        f"let {name} {name}",
        "let a = 2^1024^2",
    ):
        said = listed(plain + f"\n{text}\n")
        assert said.status == 2, text[:40]
        assert "to fix: " in said.errors, text[:40]
        assert len(said.errors) < 1500, text[:40]


@pytest.mark.parametrize(
    ("body", "words"),
    [("f{below}(k) + f{below}(k)", "leads to more than 2,000 others"), ("f{below}(k)", "nests more than 100")],
    ids=["twice each", "one by one"],
)
def test_many_calls(listed: Ask, plain: str, body: str, words: str) -> None:
    """Definitions that call each other are worked out within bounds, or refused at once."""
    # Twice each: nine make 2 ** 9 calls, within the bound of 2,000, and 120 would never end.
    for count, fine in ((9, True), (120, False)):
        chain = [f"define f{n}(k : int) : int = {body.format(below=n - 1)}" for n in range(1, count + 1)]
        said = listed("\n".join([plain, "define f0(k : int) : int = k", *chain, f"let W = f{count}(1)"]))
        if fine:
            assert said.status == 0
        else:
            _, message, cure = pointed(said)
            assert words in message
            assert "definition" in cure


# Each: what is replaced, by what, the words under the caret, a part of the message, a part of the cure.
MISTAKES: dict[str, tuple[str, str, str, str, str]] = {
    "unknown library": ("use orders", "use odrers", "use odrers", "unknown library `odrers`", ""),
    "unknown type": ("int8 int16", "int8 int17", "", "int17", ""),
    "clause of an unknown family": ('together" :', 'together" for flaot :', "[C1]", "unknown family `flaot`", "float"),
    "value of an unknown family": (
        "value Y[i] =",
        "value Y[i] for flaot =",
        "",
        "unknown family `flaot`",
        "int, float",
    ),
    "definition of an unknown family": (
        "let Z",
        "define f(k : int) : int for flaot = k\nlet Z",
        "",
        "unknown family `flaot`",
        "int, float",
    ),
    "order on an unknown family": (
        "let Z",
        'order o on flaot "o" : x before y = x <= y\nlet Z',
        'order o on flaot "o" : x before y = x <= y',
        "unknown family `flaot`",
        "int, float",
    ),
    "types of two families": ("int8 int16", "int8 float", "", "", ""),
    "types twice": ("input  X", "types int = int32\ninput  X", "types int = int32", "twice", ""),
    "unknown element type": ("output Y : tensor of T", "output Y : tensor of Q", "tensor of Q", "Q", "T"),
    "near miss of a definition": (
        "broadcastable(",
        "brodcastable(",
        "brodcastable(shapes(X))",
        "`brodcastable`",
        "broadcastable",
    ),
    "near miss of a name": ("[i] = maximum { Z", "[i] = maximum { Zz", "Zz", "`Zz`", ""),
    "near miss of a constraint": ("C1 fails", "C11 fails", "C11 fails", "`C11`", "C1"),
    "near miss of a function": ("let Z = ", "let R = rnk(X[0])\nlet Z = ", "rnk(X[0])", "`rnk`", "rank"),
    "too few arguments": ("broadcast(X)", "expanded(X[0])", "expanded(X[0])", "takes 2 arguments, not 1", "2"),
    "too many arguments": ("broadcast(X)", "broadcast(X, X)", "broadcast(X, X)", "takes 1 argument, not 2", "1"),
    "shape at an index": (
        "Z[m][i]",
        "common_shape(shapes(X))[i]",
        "common_shape(shapes(X))[i]",
        "cannot be indexed by an index",
        "",
    ),
    "tensor at an integer": ("Z[m][i]", "Z[m][0]", "Z[m][0]", "cannot be indexed by an int", ""),
    "condition for a shape": (
        "= common_shape(shapes(X))",
        "= broadcastable(shapes(X))",
        "broadcastable(shapes(X))",
        "",
        "",
    ),
    "shape for a condition": (
        ": broadcastable(shapes(X))",
        ": common_shape(shapes(X))",
        "common_shape(shapes(X))",
        "expected a condition",
        "",
    ),
    "integer for a condition": (": broadcastable(shapes(X))", ": L + 1", "L + 1", "expected a condition", ""),
    "sum of shapes": ("0 <= L", "0 <= L + X[0].shape", "X[0].shape", "arithmetic", ""),
    "things of two types": (": broadcastable(shapes(X))", ": L = X[0]", "L = X[0]", "never", ""),
    "unknown member": (": broadcastable(shapes(X))", ": X[0].size = 1", "X[0].size", "`size`", ".shape"),
    "unknown fact": (": broadcastable(shapes(X))", ": X[0] is dens", "X[0] is dens", "fact", ""),
    "one tag for two constraints": ("let Z", '[C1] constraint "again" : L = 0\nlet Z', "[C1]", "C1", ""),
    "two inputs of one name": ("output Y", "input X : tensor of T\noutput Y", "X : tensor of T", "`X`", ""),
    "an output called like an input": ("output Y", "output X : tensor of T\noutput Y", "X : tensor of T", "`X`", ""),
    "one name for two lets": ("let Z", "let Z = X\nlet Z", "let Z = broadcast(X)", "`Z`", ""),
    "a let called like an input": ("let Z", "let X = 1\nlet Z", "let X = 1", "`X`", ""),
    "two shapes of one output": ("value Y", "shape Y = X[0].shape\nvalue Y", "shape Y = X[0].shape", "", ""),
    "two values of one output": ("value Y[i] =", "value Y[i] = X[0][i]\nvalue Y[i] =", "", "", ""),
    "shape of no output": ("shape Y ", "shape W ", "", "W", ""),
    "value of no output": ("value Y[i]", "value W[i]", "", "W", ""),
    "a definition twice": (
        "let Z",
        "define f(k : int) : int = k\ndefine f(k : int) : int = k\nlet Z",
        "define f(k : int) : int = k",
        "`f` is defined twice",
        "",
    ),
    "a definition of a library again": (
        "let Z",
        "define aligned(S : shape, k : int) : int = k\nlet Z",
        "define aligned(S : shape, k : int) : int = k",
        "`aligned`",
        "",
    ),
    "parameters of one name": ("let Z", "define f(k : int, k : int) : int = k\nlet Z", "k : int", "`k`", ""),
    "a circle of one": ("let Z", "define f(k : int) : int = f(k)\nlet W = f(1)\nlet Z", "f(k)", "f -> f", ""),
    "a circle of one, not used": ("let Z", "define f(k : int) : int = f(k)\nlet Z", "f(k)", "f -> f", ""),
    "a circle of two": (
        "let Z",
        "define f(k : int) : int = g(k)\ndefine g(k : int) : int = f(k)\nlet W = f(1)\nlet Z",
        "f(k)",
        "f -> g -> f",
        "",
    ),
    "unknown name in a definition that nothing uses": (
        "let Z",
        "define f(k : int) : int = kk\nlet Z",
        "kk",
        "`kk`",
        "k",
    ),
    "a let in a circle": ("let Z", "let V = W\nlet W = V\nlet Z", "W", "`W`", ""),
    "refines an unknown operator": (
        "types",
        "refines onnx Mux version 13 with X = data_0, Y = max\ntypes",
        "refines onnx Mux version 13 with X = data_0, Y = max",
        "Mux",
        "",
    ),
    "refines an unknown version": (
        "types",
        "refines onnx Max version 11 with X = data_0, Y = max\ntypes",
        "refines onnx Max version 11 with X = data_0, Y = max",
        "11",
        "",
    ),
    "refines an unknown namespace": (
        "types",
        "refines onxx Max version 13 with X = data_0, Y = max\ntypes",
        "refines onxx Max version 13 with X = data_0, Y = max",
        "onxx",
        "",
    ),
    "refines with an unknown name": (
        "types",
        "refines onnx Max version 13 with X = data_1, Y = max\ntypes",
        "",
        "data_1",
        "",
    ),
    "expectation that meets nothing": (
        "types",
        'expect refuted C9/exclusive "no"\ntypes',
        'expect refuted C9/exclusive "no"',
        "C9/exclusive",
        "",
    ),
    "expectation of no verdict": ("types", 'expect refutd C1/exclusive "no"\ntypes', "", "refutd", "refuted"),
    "a recursion over elements of another type": (
        "let Z",
        "define f(x : T, y : T, n : int) : T by recursion on n from 0 = x\nlet W = f(double(L), float(L), 3)\nlet Z",
        "f(double(L), float(L), 3)",
        "gives T, and of these arguments a double",
        "a result of double",
    ),
    "an attribute that is a list of tensors": (
        "output Y",
        "attribute k : list of tensor of T\noutput Y",
        "list of tensor of T",
        "an attribute cannot be a list of tensor of T",
        "ints",
    ),
    "an attribute of an element type": (
        "output Y",
        "attribute k : double\noutput Y",
        "double",
        "an attribute cannot be a double",
        "float",
    ),
    "an input that is no tensor": ("output Y", "input k : int\noutput Y", "int", "an input is a tensor", "tensor of T"),
    "an optional family": (
        "output Y",
        "optional input B[0 .. 3] : tensor of T\noutput Y",
        "",
        "cannot be optional",
        "",
    ),
    "optional with a default": (
        "output Y",
        "optional attribute k : int default 1\noutput Y",
        "",
        "has a default",
        "remove",
    ),
    "a default of another kind": (
        "output Y",
        'attribute k : int default "one"\noutput Y',
        '"one"',
        "not a literal of type int",
        "an integer",
    ),
    "a decimal for an integer": (
        "output Y",
        "attribute k : int default 1.0\noutput Y",
        "1.0",
        "not a literal of type int",
        "an integer",
    ),
    "a default that is computed": (
        "output Y",
        "attribute k : int default (1 + 1)\noutput Y",
        "1 + 1",
        "not a literal of type int",
        "write an integer",
    ),
    "a default of 65 bits": ("output Y", "attribute k : int default (2^63)\noutput Y", "2^63", "64 bits", ""),
    "a list for a number": ("output Y", "attribute k : int default [1]\noutput Y", "[1]", "one value", ""),
    "a number for a list": ("output Y", "attribute k : ints default 1\noutput Y", "1", "a list", ""),
    "a text in a list of numbers": (
        "output Y",
        'attribute k : floats default [1, "b"]\noutput Y',
        '"b"',
        "not a literal of type float",
        "a number",
    ),
    "a default against its where": (
        "output Y",
        "attribute k : int default 2 where k = 0\noutput Y",
        "2",
        "violates its `where` condition",
        "",
    ),
    "given of a let": ("output Y", "let g = 1\nlet h = given(g)\noutput Y", "g", "`given` takes", "declared"),
    "given of an expression": ("output Y", "let h = given(X[0])\noutput Y", "X[0]", "`given` takes", "declared"),
    "given of two": ("output Y", "let h = given(X, X)\noutput Y", "given(X, X)", "takes 1 argument", "1"),
    "a definition called given": (
        "output Y",
        "define given(k : int) : int = k\noutput Y",
        "define given(k : int) : int = k",
        "function of the language",
        "another name",
    ),
    "text plus text": (
        "output Y",
        'let h = "a" + "b"\noutput Y',
        '"a"',
        "arithmetic takes numbers",
        "",
    ),
    "text below text": (
        "output Y",
        'let h = "a" < "b"\noutput Y',
        '"a" < "b"',
        "cannot compare a string",
        "compare",
    ),
    "a set of texts": (
        "output Y",
        'let h = { "a" | k in 0 .. 1 }\noutput Y',
        '"a"',
        "a set holds numbers",
        "",
    ),
    "a tensor of texts": (
        "output Y",
        'let h = tensor (i in X[0] -> "a")\noutput Y',
        '"a"',
        "a tensor holds elements",
        "",
    ),
    "text against integer": (
        "output Y",
        'let h = "a" = 1\noutput Y',
        '"a" = 1',
        "never",
        "",
    ),
    "settings of a definition": (
        "output Y",
        "let h = broadcast(X with k = 1)\noutput Y",
        "broadcast(X with k = 1)",
        "is not an operator",
        "with",
    ),
    "settings of nothing": (
        "output Y",
        "let h = Nothing(X with k = 1)\noutput Y",
        "Nothing(X with k = 1)",
        "`Nothing`",
        "",
    ),
    "a setting twice": ("output Y", "let h = Mox(X with k = 1, k = 2)\noutput Y", "k = 2", "set twice", "once"),
    "an unknown attribute": ("output Y", "let h = Max(X with k = 1)\noutput Y", "k = 1", "no attribute `k`", "none"),
    "a type variable without types": (
        "output Y",
        "output W : tensor of I\noutput Y",
        "tensor of I",
        "unknown element type `I`",
        "T",
    ),
    "a type variable called like a type": (
        "output Y",
        "types int of float = int32\noutput Y",
        "types int of float = int32",
        "is a type",
        "another name",
    ),
    "a type twice for a variable": ("output Y", "types int of I = int32 int32\noutput Y", "", "listed twice", "once"),
    "unknown types of a variable": ("output Y", "types int of I = int33\noutput Y", "", "int33", ""),
    "keyword as a name": (
        "output Y",
        "input where : tensor of T\noutput Y",
        "where",
        "`where`",
        "keyword",
    ),
    "keyword as a let": ("let Z", "let if = 1\nlet Z", "if", "`if`", "keyword"),
    "two files in one": (
        "types",
        "operator Other version 1 user\ntypes",
        "operator Other version 1 user",
        "already",
        "",
    ),
    "quote without end": ('"they do not"', '"they do not', '"', "unterminated", ""),
    "stray character": ("let Z", "let W = 1 ; 2\nlet Z", ";", ";", ""),
    "stray bracket": ("broadcast(X)", "broadcast(X))", ")", "`)`", ""),
    "an element against a number": (
        "maximum { Z[m][i] | m in 0 .. L }",
        "if Z[0][i] < L then Z[0][i] else X[0][i]",
        "Z[0][i] < L",
        "cannot compare an int8 with an int",
        "`T(0)`, or the element as an integer, `int(x)`",
    ),
    "a float against a number": (
        "let Z",
        "define f(x : float, n : int) : bool = x < n\nlet Z",
        "x < n",
        "cannot compare a float with an int",
        "`float(0)`, or both as reals, `real(x)`",
    ),
    "the other way round": (
        "let Z",
        "define f(x : float, n : int) : bool = n >= x\nlet Z",
        "n >= x",
        "`>=` cannot compare an int with a float",
        "`float(0)`, or both as reals, `real(x)`",
    ),
    "a float against a decimal": (
        "let Z",
        "define f(x : float, y : real) : bool = x = y\nlet Z",
        "x = y",
        "a float never equals a real",
        "`real(x)`, or the number as an element, `float(0.5)`",
    ),
    "a number that no element is": (
        "maximum { Z[m][i] | m in 0 .. L }",
        "if Z[0][i] < 300 then Z[0][i] else X[0][i]",
        "300",
        "no int8 is exactly 300",
        "`T(300)`, which wraps, or the element as an integer, `int(x)`",
    ),
    "a decimal that is rounded": (
        "let Z",
        "define f(x : float) : float = x + 0.1\nlet Z",
        "0.1",
        "no float is exactly 0.1",
        "`float(0.1)`, which is rounded, or the element as a real, `real(x)`",
    ),
    "a zero with a sign": (
        "let Z",
        "define f(x : float) : bool = x = -0.0\nlet Z",
        "-0.0",
        "`-0.0` is the number 0, and a float has two zeros",
        "`-float(0)` for the zero with a sign",
    ),
    "a decimal beside an integer": (
        "maximum { Z[m][i] | m in 0 .. L }",
        "if Z[0][i] < 1.0 then Z[0][i] else X[0][i]",
        "Z[0][i] < 1.0",
        "cannot compare an int8 with a real",
        "or an integer, such as `1`",
    ),
    "a quotient of integers": (
        "let Z",
        "let W = div(L, 1) / 2\nlet Z",
        "div(L, 1) / 2",
        "these are integers",
        "`div(a, b)`",
    ),
    "an integer and a real": ("let Z", "let W = 0.5 * L\nlet Z", "0.5 * L", "a real and an int", "`real(n)`"),
    "elements of two types": (
        "let Z",
        "define f(x : float16, y : double) : bool = x = y\nlet Z",
        "x = y",
        "a float16 never equals a double",
        "`float16(real(x))`",
    ),
    "a number for an element": (
        "maximum { Z[m][i] | m in 0 .. L }",
        "0",
        "0",
        "expected an element of `Y` (int8), found int",
        "`T(0)`",
    ),
    "a tensor for an element": (
        "maximum { Z[m][i] | m in 0 .. L }",
        "X[0]",
        "X[0]",
        "expected an element of `Y` (int8)",
        "read an element of it, as in `X[i]`",
    ),
    "a list for a shape": (
        "= common_shape(shapes(X))",
        "= [1, 2]",
        "[1, 2]",
        "a list of int",
        "`shape (k in L -> L[k])`",
    ),
    "a tensor plus one": ("let Z", "let W = X[0] + 1\nlet Z", "X[0]", "arithmetic takes numbers", "as in `X[i]`"),
    "value without an index": ("value Y[i]", "value Y", "=", "`=`", "`value Y[i] = ...`"),
    "an index with two names": ("value Y[i]", "value Y[i, j]", ",", "`,`", "one name stands for the whole index"),
    "a scalar read at no coordinates": ("Z[m][i]", "Z[0][[]]", "", "`]`", "the element of a scalar A is"),
    "a let further down": (
        "let Z = broadcast(X)",
        'define first(i : index) : T "one" = Z[0][i]\nlet Z = broadcast(X)',
        "Z",
        "undefined symbol `Z`",
        "`let Z` stands in line 15: move it above what uses it",
    ),
    "an undeclared index": ("Z[m][i]", "Z[m][j]", "j", "undefined symbol `j`", "the index is called `i` here"),
    "an index where there is none": (
        "= common_shape(shapes(X))",
        "= X[0][i]",
        "i",
        "undefined symbol `i`",
        "`for all i in ... :`",
    ),
    "a definition of a library that is not used": (
        "use broadcast\n",
        "",
        "shapes(X)",
        "undefined function or operator `shapes`",
        "`use broadcast`",
    ),
    "a fold as a function": ("let Z", "let W = max(L, 3)\nlet Z", "max(L, 3)", "`max`", "`max { e | k in 0 .. n }`"),
    "greatest without an order": (
        "maximum { Z[m][i] | m in 0 .. L }",
        "greatest { Z[m][i] | m in 0 .. L }",
        "",
        "`greatest` needs an order",
        "`ascending`",
    ),
    "a definition that calls itself": (
        "let Z",
        "define f(k : int) : int = if k = 0 then 0 else f(k - 1)\nlet Z",
        "f(k - 1)",
        "f -> f",
        "`by recursion on k from 0`",
    ),
    "the rank as a member": ("let Z", "let W = X[0].rank\nlet Z", "X[0].rank", "unknown member `rank`", "`rank(X)`"),
    "an output that is no tensor": (
        "output Y : tensor of T",
        "output Y : T",
        "Y : T",
        "not T",
        "`output Y : tensor of T`",
    ),
    "a family of outputs": ("output Y :", "output Y[0 .. L] :", "L", "has a meaning already", "`count Y = ...`"),
    "a clause without a tag": ("[C1] constraint", "constraint", "constraint", "`constraint`", "`[C1] constraint`"),
    "a negative default": ("output Y", "attribute a : int default -1\noutput Y", "-", "`-`", "`default (-1)`"),
    "a definition without parameters": (
        "let Z = broadcast(X)",
        'define Z() : int "none" = 1',
        ")",
        "`)`",
        "a value without any is a `let`",
    ),
    "a definition of one value": (
        "let Z = broadcast(X)",
        'define Z : int "none" = 1',
        ":",
        "`:`",
        "a value without any is a `let`",
    ),
    "a number in front of no set": (
        "let Z = broadcast(X)",
        "let Z = least X[0]",
        "X",
        "`X`",
        "`least` stands before a set",
    ),
    "a sum as mathematics writes it": (
        "let Z = broadcast(X)",
        "let Z = sum (k in 0 .. 3) X[k]",
        "X",
        "`X`",
        "`sum { e | k in 0 .. n }`",
    ),
    "a family without types": (
        "types int = int8 int16",
        "types int",
        "input",
        "`input`",
        "list them, as in `types int =",
    ),
    "a type by its name elsewhere": ("int8 int16", "float64", "types int", "types: float64", "write `double`"),
    "a clause that is removed by its kind": (
        "output Y : tensor of T\n",
        "output Y : tensor of T\nversion 2\nremove constraint C1\n",
        "constraint",
        "`constraint`",
        "write `clause`",
    ),
    "a number with an exponent": (
        "output Y",
        "attribute a : float default 1.5e-3\noutput Y",
        "e-3",
        "`e-3`",
        "write `0.0015`",
    ),
    "an end with an exponent": (
        "let Z = broadcast(X)",
        "let Z = sum { k | k in 0..1e3 }",
        "e3",
        "`e3`",
        "write `1000`",
    ),
    "a number behind for all": ("let Z = broadcast(X)", "let Z = for all 5 in X : 1 = 1", "5", "`5`", "expected"),
    "types with commas": ("int8 int16", "int8, int16", ",", "`,`", "without commas"),
    "a status that there is not": ("1 user", "1 profil", "profil", "`profil`", "`profile`, `standard`"),
    "bounds with one end": ("X[0 .. L]", "X[L]", "]", "`]`", "`X[0 .. L]`"),
    "a colon for a sign of equality": ("shape Y    =", "shape Y    :", ":", "`:`", "write `=` instead of `:`"),
    "a sign of equality for a colon": ('together" :', 'together" =', "=", "`=`", "write `:` instead of `=`"),
    "the equality of C": ("shape Y    =", "shape Y    ==", "==", "unexpected `==`", "write `=`"),
    "the equality of C in a condition": ("L < 2^31", "L == 2^31", "==", "unexpected `==`", "write `=`"),
    "a call without a comma": ("broadcastable(", "broadcastable(X ", "shapes", "`shapes`", "put a comma before it"),
    "a comma missing between reads": (
        "= broadcast(X)",
        "= f(X[0] X[1])",
        "X",
        "unexpected `X`",
        "put a comma before it",
    ),
    "a list without a comma": ("= broadcast(X)", "= [1 2]", "2", "unexpected `2`", "put a comma before it"),
    "tensors": ("output Y : tensor of T", "output Y : tensors of T", "of", "`of`", "`tensor of T`"),
    "a set with for": ("| m in 0 .. L", "for m in 0 .. L", "for", "`for`", "`{ e | k in 0 .. n }`"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(listed: Ask, plain: str, name: str) -> None:
    """The caret stands under what is wrong; the message names it and the cure says what to write."""
    old, new, caret, message, cure = MISTAKES[name]
    assert old in plain
    answer = listed(plain.replace(old, new, 1))
    if name.startswith("refines"):  # what a `refines` line names is looked up by `check`
        answer = type(answer)("check", "bad.sonnx")
    words, said, told = pointed(answer)

    assert words == caret or not caret, (words, said, told)
    assert message in said, (words, said, told)
    assert cure in told, (words, said, told)


@pytest.mark.parametrize(
    ("written", "place", "cure"),
    [
        # Brackets in comments and sentences close nothing.
        ("let A = { k | k in 0 .. L\n-- a ) in a comment", (1, 9), "close it with `}`"),
        ('let A = f([1, (2 + "}")\n\n', (1, 11), "close it with `]`"),
        ("let A = 1 +", (1, 12), "complete the item"),
        ("let A = f(1}", None, "expected one of"),
    ],
)
def test_what_is_not_closed(listed: Ask, plain: str, written: str, place: tuple[int, int] | None, cure: str) -> None:
    """A text that ends inside brackets is refused at the innermost one that is open."""
    said = listed(f"{plain.rstrip()}\n{written}")
    found = PLACE.search(said.errors)
    first = plain.rstrip().count("\n") + 1

    assert said.status == 2, said.errors
    assert cure in said.errors, said.errors
    assert found, said.errors
    assert place is None or (int(found[1]) - first, int(found[2])) == place, said.errors


@pytest.mark.parametrize(
    ("sign", "cure"),
    [
        ("L == 0", "`=`"),
        ("L // 2 = 0", "`div(a, b)`"),
        ("L % 2 = 0", "`mod(a, b)`"),
        ("L mod 2 = 0", "`mod(a, b)`"),
        ("L div 2 = 0", "`div(a, b)`"),
        ("L <> 0", "`!=`"),
        ("L =< 0", "`<=`"),
        ("L ≤ 0", "`<=`"),
        ("2 ** L = 0", "`2^31`"),
        ("L = 0 && L = 1", "`and`"),
        ("L = 0 || L = 1", "`or`"),
        ("!(L = 0)", "`not`"),
        ("∀ k in 0 .. 1 : L = 0", "`for all k in 0 .. n : ...`"),
        ("forall k in 0 .. 1 : L = 0", "`for all`"),
        ("L = 0 implies L = 1", "`=>`"),
        ("L = 0 # why", "`--`"),
        ("L = 0;", "without a separator"),
        ("L = mod(L; 2)", "write `,`"),
        ("L \N{EN DASH} 1 = 0", "write `-`"),
        ("rank(X[0]) = rank(shape ())", "`shape (k in 1 .. 0 -> 0)`"),
        ("X[0][] = 1", "`A[index (k in 1 .. 0 -> 0)]`"),
        ("L = max {L, 2}", "a set has a range, `{ e | k in 0 .. n }`"),
        # Word processors write these, and so do pages that a text is copied from.
        ("\u201cL\u201d = 0", "double quotes"),
    ],
)
def test_other_notation(listed: Ask, plain: str, sign: str, cure: str) -> None:
    """A sign, or a word, of another notation is refused with the one of the language."""
    _, message, told = pointed(listed(plain.replace("broadcastable(shapes(X))", sign)))

    assert "unexpected" in message, (message, told)
    assert cure in told, (message, told)


SUMS = """operator Sums version 1 user
types float = float16 float
input     X     : tensor of T
attribute alpha : float
output    Y     : tensor of T
shape Y    = X.shape
value Y[i] = X[i]
"""


@pytest.mark.parametrize(
    ("value", "cure"),
    [
        ("X[[Y.shape[0]]]", "`Y` is an output: repeat what is said of it, or give that a name with `let`"),
        ("max(X[i], T(0))", "of two numbers, `if a > b then a else b`"),
        ("min(X[i], T(0))", "of two numbers, `if a < b then a else b`"),
        ("X[i] ^ 2", "multiply, as in `x * x`"),
        ("alpha * X[i]", "convert the other one, as in `T(x)`"),
    ],
)
def test_a_way_that_leads_on(listed: Ask, value: str, cure: str) -> None:
    """The cure of a common mistake is one that a reader can follow."""
    _, message, told = pointed(listed(SUMS.replace("= X[i]", f"= {value}")))

    assert cure in told, (message, told)


@pytest.mark.parametrize("value", ["if X[i] > T(0) then X[i] else T(0)", "X[i] * X[i]", "T(alpha) * X[i]"])
def test_that_way(listed: Ask, value: str) -> None:
    assert not listed(SUMS.replace("= X[i]", f"= {value}")).errors


def test_an_operator_without_its_namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest version of each that has the name is perhaps meant."""
    (tmp_path / "sums.sonnx").write_text(SUMS, "utf-8")
    (tmp_path / "sums7.sonnx").write_text(SUMS.replace("version 1", "version 7"), "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["eval", "Sums", "--input", "X=float:1"])

    assert done.exit_code == 2
    assert "unknown operator Sums\n  to fix: did you mean user.Sums-7?" in done.stderr


def test_an_operator_whose_text_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its mistake is the answer: it is there, and not unknown."""
    (tmp_path / "sums.sonnx").write_text(SUMS.replace("value", "valu"), "utf-8")
    (tmp_path / "other.sonnx").write_text(SUMS.replace("Sums", "Other"), "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["eval", "user.Sums", "--input", "X=float:1"])

    assert done.exit_code == 2
    assert done.stderr.startswith("sums.sonnx:")
    assert "unexpected `valu`" in done.stderr


def test_an_axiom_without_a_source(listed: Ask) -> None:
    """With an empty one it was a theorem."""
    _, message, cure = pointed(listed('library bad "Bad"\naxiom a "b" from ""\n  for x : real\n  : x = x\n'))

    assert message == "an axiom without a source"
    assert cure == 'cite one: `from "..."`'


def test_a_size_of_thousands_of_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(main, ["eval", "onnx.Abs-13", "--shape", f"X={'9' * 5000}"])

    assert done.exit_code == 2
    assert "is not a size" in done.stderr


def test_a_row_of_no_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spec" / "onnx").mkdir(parents=True)
    (tmp_path / "spec" / "onnx" / "versions.toml").write_text("[Relu.x]\nsame_as = 6\n", "utf-8")
    (tmp_path / "spec" / "onnx" / "sums.sonnx").write_text(SUMS.replace("user", "standard"), "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["eval", "onnx.Abs-1", "--input", "X=float:1"])

    assert done.exit_code == 2
    assert "versions.toml cannot be read" in done.stderr


def test_two_conditions_of_a_theorem(listed: Ask) -> None:
    _, message, cure = pointed(
        listed('theory bad "Bad"\ntheorem a "a"\n  for n : int\n  assuming n > 2\n  assuming n < 4\n  : n = 3\n')
    )
    assert message == "unexpected `assuming`"
    assert cure == "write one `assuming`, and join the conditions with `and`"


def test_a_constraint_as_a_condition(listed: Ask, plain: str) -> None:
    """It has no value: it fails, or does not."""
    _, message, told = pointed(listed(plain.replace("C1 fails", "not C1")))

    assert message == "undefined symbol `C1`"
    assert told == "`C1` is a constraint: write `C1 fails`"


@pytest.mark.parametrize(
    ("word", "cure"), [("constrain", "did you mean `constraint`?"), ("must", "after a tag, write one of restriction,")]
)
def test_a_word_behind_a_tag(listed: Ask, plain: str, word: str, cure: str) -> None:
    """It is the word that does not fit, not the tag."""
    assert "] constraint " in plain
    shown, message, told = pointed(listed(plain.replace("] constraint ", f"] {word} ", 1)))

    assert shown == word
    assert message == f"unexpected `{word}`"
    assert told.startswith(cure)


@pytest.mark.parametrize(
    ("written", "word"), [("operator Plain", "Operator"), ("output Y", "Output"), ("output Y", "ouptut")]
)
def test_a_word_that_is_nearly_one(listed: Ask, plain: str, written: str, word: str) -> None:
    """With a capital, or with two letters turned."""
    meant, _, rest = written.partition(" ")
    shown, message, told = pointed(listed(plain.replace(written, f"{word} {rest}", 1)))

    assert shown == word
    assert message == f"unexpected `{word}`"
    assert told == f"did you mean `{meant}`?"


@pytest.mark.parametrize(
    ("statement", "cure"),
    [
        ("Mxx(A, A) = A", "did you mean `Max`?"),
        ("max(A, A) = A", "the operator is called `Max`"),
        ("Maxx(A with a = 1) = A", "did you mean `Max`?"),
        ("common_shap([A.shape]) = A.shape", "did you mean `common_shape`?"),
        ("for all i in indices(A) : A[i] < rank(A)", "as in `T(0)`"),
    ],
)
def test_near_miss_in_a_statement(statement: str, cure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`prove` says what was perhaps meant: operators and definitions are known by their names."""
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(main, ["prove", statement])

    assert done.exit_code == 2, done.stderr
    assert cure in done.stderr, done.stderr


# Each: what is written at the end of the plain text, the words under the caret, a part of the message, of the cure.
DIFFERENCES: dict[str, tuple[str, str, str, str]] = {
    "plain item": ("version 2\nlet W = 1", "let W = 1", "does not say what it changes", "`add` or `replace`"),
    "plain clause": ('version 2\n[C1] constraint "c" : L = 0', "[C1]", "does not say", "`add` or `replace`"),
    "plain input": ("version 2\ninput W : tensor of T", "W : tensor of T", "does not say", "`add`"),
    "plain fact": ('version 2\nfact odd of tensor "odd"', 'fact odd of tensor "odd"', "does not say", "`add`"),
    "change without a version": ("add let W = 1", "add let W = 1", "outside of a version", "`version N`"),
    "removal without a version": ("remove let Z", "remove let Z", "outside of a version", "`version N`"),
    "an older version": ("version 3\nversion 2", "version 2", "2 follows version 3", "from oldest to newest"),
    "the same version": ("version 1", "version 1", "version 1 is defined twice", "`version 1 text NAME`"),
    "the same text": (
        "version 2 text a\nversion 2 text a",
        "version 2 text a",
        "version 2, text a is defined twice",
        "text NAME",
    ),
    "a text without a name": ("version 2 text a\nversion 2", "version 2", "version 2 is defined twice", "text NAME"),
    "texts of one beginning": (
        "version 1 text a\nversion 1 text a.int",
        "version 1 text a.int",
        "have the same identity",
        "does not begin with",
    ),
    "a change of a change": ("version 2\nadd remove let Z", "add remove let Z", "`add` takes an item", "add let"),
    "a version added": ("version 2\nadd version 3", "add version 3", "`add` takes an item", "add let"),
    "a header": (
        "version 2\noperator Q version 3 user",
        "operator Q version 3 user",
        "is already a user",
        "one operator",
    ),
    "a word added as a name": ("version 2\nadd let if = 1", "if", "`if`", "keyword"),
    "add: clause": (
        'version 2\nadd [C1] constraint "c" : L = 0',
        'add [C1] constraint "c" : L = 0',
        "in version 2: clause `C1` already exists",
        "`replace`",
    ),
    "add: let": ("version 2\nadd let Z = X", "add let Z = X", "let `Z` already", "`replace`"),
    "add: input": ("version 2\nadd input X : tensor of T", "", "input `X` already", "`replace`"),
    "add: shape": ("version 2\nadd shape Y = X[0].shape", "", "shape `Y` already", "`replace`"),
    "add: value": ("version 2\nadd value Y[i] = X[0][i]", "", "value `Y` already", "`replace`"),
    "add: type": ("version 2\nadd types int = int16", "add types int = int16", "already lists int16", "remove it"),
    "add: type twice": ("version 2\nadd types int = int32 int32", "", "already lists int32", "remove it"),
    "add: type of another variable": (
        "version 2\nadd types int of I = int32",
        "",
        "has the type variable `I`",
        "remove",
    ),
    "add: library": ("version 2\nadd use orders", "add use orders", "use `orders` already", "`replace`"),
    "add: name that is taken": ("version 2\nadd let X = 1", "let X = 1", "in version 2: the name `X` is taken", ""),
    "add: value beside that of all families": (
        "version 2\nadd value Y[i] for int = X[0][i]",
        "value Y[i] for int = X[0][i]",
        "in version 2: the value of `Y` is defined twice",
        "",
    ),
    "replace: clause": (
        'version 2\nreplace [C2] constraint "c" : L = 0',
        'replace [C2] constraint "c" : L = 0',
        "in version 2: there is no clause `C2` to replace",
        "clause `C1`",
    ),
    "replace: clause of a family": (
        'version 2\nreplace [C1] constraint "c" for int : L = 0',
        "",
        "no clause `C1` for int to replace",
        "there is clause `C1`",
    ),
    "replace: let": ("version 2\nreplace let ZZ = X", "replace let ZZ = X", "no let `ZZ`", "there is let `Z`"),
    "replace: types": ("version 2\nreplace types float = float", "", "no types `float`", "types `int`"),
    "replace: value of a family": ("version 2\nreplace value Y[i] for int = X[0][i]", "", "for int", "value `Y`"),
    "replace: definition of a library": (
        "version 2\nreplace define broadcastable(S : list of shape) : bool = true",
        "",
        "no define `broadcastable`",
        "`add` if it is new",
    ),
    "replace: one of several": (
        "version 2\nadd unspecified outcome when L = 1\nadd unspecified outcome when L = 2\n"
        "replace unspecified outcome when L = 3",
        "replace unspecified outcome when L = 3",
        "unspecified outcome is ambiguous: there are 2",
        "cannot be distinguished",
    ),
    "remove: clause": ("version 2\nremove clause C9", "remove clause C9", "no clause `C9` to remove", "clause `C1`"),
    "remove: let": ("version 2\nremove let z", "remove let z", "no let `z`", "let `Z`"),
    "remove: let of another kind": ("version 2\nremove let X", "remove let X", "no let `X`", "input `X`"),
    "remove: attribute": ("version 2\nremove attribute axes", "", "no attribute `axes`", ""),
    "remove: shape twice": ("version 2\nremove shape Y\nremove shape Y", "remove shape Y", "no shape `Y`", ""),
    "remove: define": ("version 2\nremove define broadcast", "", "no define `broadcast`", ""),
    "remove: type": ("version 2\nremove types int = int32", "", "does not list int32", "it has int8 int16"),
    "remove: type twice": ("version 2\nremove types int = int8 int8", "", "int8 is removed twice", "int8 int16"),
    "remove: family": ("version 2\nremove types float = float", "", "no types float", "types `int`"),
    "move: attribute": (
        "version 2\nmove attribute axes to optional input : tensor of int64",
        "move attribute axes to optional input : tensor of int64",
        "no attribute axes to move",
        "",
    ),
    "move: input": (
        "version 2\nadd attribute X : int\nmove attribute X to input : tensor of int64",
        "move attribute X to input : tensor of int64",
        "input X already exists",
        "remove the attribute",
    ),
    "what is left: let": ("version 2\nremove let Z", "Z", "in version 2: undefined symbol `Z`", ""),
    "what is left: constraint": ("version 2\nremove clause C1", "C1 fails", "in version 2: ", "state it"),
    "what is left: output": ("version 2\nremove output Y", "", "in version 2: the operator has no output", ""),
    "what is left: types": ("version 2\nremove types int = int8 int16", "", "in version 2: `T` has no types", ""),
    "what is left in a text": ("version 2\nversion 2 text b\nremove let Z", "Z", "in version 2, text b: ", ""),
    "what is added": ("version 2\nadd let W = Zz", "Zz", "in version 2: ", "Z"),
    "a let that replaces one above": (
        "version 2\nadd let W = 1\nreplace let Z = list (m in X -> X[W])",
        "W",
        "in version 2: ",
        "",
    ),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_difference(listed: Ask, plain: str, name: str) -> None:
    """A difference that does not fit, or leaves something that does not, is refused at its line, with its version."""
    text, caret, message, cure = DIFFERENCES[name]
    words, said, told = pointed(listed(f"{plain}{text}\n"))

    assert words == caret or not caret, (words, said, told)
    assert message in said, (words, said, told)
    assert cure in told, (words, said, told)


def test_mistake_of_all_versions_is_told_once(listed: Ask, plain: str) -> None:
    """A mistake in the text of all versions is one error; one that a later version corrects is one of the first."""
    wrong = plain.replace("broadcast(X)", "brodcast(X)")
    for text in (wrong + "version 2\nversion 3\n", wrong + "version 2\nreplace let Z = broadcast(X)\n"):
        said = listed(text)
        assert said.errors.count("error: ") == 1
        assert "error: in version 1: " in said.errors


def test_versions_of_what_is_no_operator(listed: Ask) -> None:
    """Only an operator has versions, and it says so first."""
    for text in ('library bad "l"\nversion 2\n', 'theory bad "t"\nversion 2\n', "version 2\noperator B version 1 user"):
        words, message, cure = pointed(listed(text))
        assert words == "version 2"
        assert "no operator before it" in message
        assert "only operators" in cure


def test_page_that_is_missing(listed: Ask, plain: str) -> None:
    """A page that does not exist is refused, or violates well-formed; nothing passes over it."""
    said = listed(plain.replace("types", 'page "none.md"\ntypes', 1))
    if said.status == 0:
        said = type(said)("check", "bad.sonnx")

    assert said.status in (1, 2)
    assert "none.md" in said.text


def test_libraries_in_a_circle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that use each other, or one that uses itself, are refused and the circle is shown."""
    monkeypatch.chdir(tmp_path)
    for names in (("one",), ("one", "two"), ("one", "two", "three")):
        for name, other in zip(names, [*names[1:], names[0]], strict=True):
            Path(f"{name}.sonnx").write_text(f'use {other}\nlibrary {name} "a library"\n', "utf-8")
        done = CliRunner().invoke(main, ["explain", "--list", "one.sonnx"])
        assert done.exit_code == 2
        assert "circular `use`: " in done.stderr
        assert "to fix: " in done.stderr
        assert " -> ".join(f"{n}.sonnx" for n in (*names, names[0])) in done.stderr


def test_operators_in_a_circle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: str) -> None:
    """Operators that apply each other, or one that applies itself, are refused with all places of the circle."""
    monkeypatch.chdir(tmp_path)
    for names in (("One",), ("One", "Two"), ("One", "Two", "Three")):
        for name, other in zip(names, [*names[1:], names[0]], strict=True):
            text = plain.replace("Plain", name).replace("maximum { Z[m][i] | m in 0 .. L }", f"{other}(X)[i]")
            Path(f"{name}.sonnx").write_text(text, "utf-8")
        done = CliRunner().invoke(main, ["explain", "--list"])
        assert isinstance(done.exception, SystemExit), done.exc_info
        assert done.exit_code == 2
        assert done.stderr.count("to fix: ") == len(names)
        for name in names:
            assert done.stderr.count(f"{name}.sonnx:17:14") >= len(names)
        assert ("in a cycle: " if len(names) > 1 else "`One` is applied in its own specification") in done.stderr


@pytest.mark.parametrize("statement", ["Mux(A, A) = A", "Max(A) = Nothing(A)"])
def test_theorem_about_nothing(listed: Ask, statement: str) -> None:
    """A theorem about an operator that does not exist is refused at its name, not proved."""
    said = listed(f'theory bad "laws"\ntypes int = int8\ntheorem t "one" for A : tensor of T : {statement}\n')
    if said.status == 0:
        said = type(said)("check", "bad.sonnx")
    words, message, _ = pointed(said)

    assert words in statement
    assert words.partition("(")[0] in message
    assert "proved" not in said.text


def test_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the name of a text, a missing file, and a circle of links are refused by name."""
    monkeypatch.chdir(tmp_path)
    Path("folder.sonnx").mkdir()
    Path("loop.sonnx").symlink_to("loop.sonnx")
    Path("gone.sonnx").symlink_to("nowhere.sonnx")
    # The last two fail in the system call itself: a name that is too long, and one with the end of a string in it.
    for name in ("folder.sonnx", "loop.sonnx", "gone.sonnx", "none.sonnx", "n" * 5000, "a\0b.sonnx"):
        done = CliRunner().invoke(main, ["explain", "--list", name])
        assert isinstance(done.exception, SystemExit), (name[:20], done.exc_info)
        shown = name[:20].replace("\0", "\\x00")
        assert done.exit_code == 2, name[:20]
        assert shown in done.stderr, name[:20]
        assert "to fix: " in done.stderr, name[:20]


def test_one_bad_file_among_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: str) -> None:
    """Beside a broken file, the others are listed; the status is 2 all the same."""
    monkeypatch.chdir(tmp_path)
    Path("good.sonnx").write_text(plain, "utf-8")
    Path("bad.sonnx").write_text("operator", "utf-8")
    Path("loop.sonnx").symlink_to("loop.sonnx")
    done = CliRunner().invoke(main, ["explain", "--list"])

    assert isinstance(done.exception, SystemExit), done.exc_info
    assert done.exit_code == 2
    assert "bad.sonnx:1:9: error" in done.stderr
    assert "loop.sonnx" in done.stderr
    assert "user.Plain-1.int/C1/exclusive" in done.stdout


COMMANDS = {
    "a family as a whole": (["eval", "sonnx.Max-13", "--input", "X=int8:1"], "X"),
    "a number for a tensor": (["eval", "sonnx.Max-13", "--input", "X0=int8:1", "--attr", "X1=5"], "X1"),
    "a gap in a family": (["eval", "sonnx.Max-13", "--input", "X0=int8:1", "--input", "X2=int8:1"], "X1"),
    "an undefined function": (["eval", "drafts.max-13", "--input", "X1=int8:[1, 2]"], "f"),
    "a version that is not there": (["eval", "sonnx.Max-99", "--input", "X0=int8:1"], "Max is in opsets 1 to 28"),
    "tensors added": (["prove", "Max(A + B, A) = A"], "not a tensor of T"),
    "an operator that ONNX has not": (["new", "Frobnicate"], "name one as ONNX writes it"),
    "nothing to mutate": (["mutate", "nosuch"], "there is no specification `nosuch`"),
    "an attribute beyond 64 bits": (
        ["eval", "onnx.ReduceMax-18", "--input", "data=int8:[1]", "--attr", "keepdims=9223372036854775808"],
        "keepdims: `9223372036854775808` is beyond 64 bits\n  to fix: write an integer from -9223372036854775808",
    ),
    "a file among elements": (["eval", "sonnx.Max-13", "--input", 'X0=int8:{"a": 1}'], "X0"),
    "more than a statement": (["prove", "Max(A, B) = Max(B, A) let z = 3"], "statement"),
    "a second use": (["prove", "Max(A, B) = Max(B, A) use broadcast"], "statement"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_command(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command line that means nothing is refused with what is wrong in it."""
    monkeypatch.chdir(ROOT)
    arguments, word = COMMANDS[name]
    done = CliRunner().invoke(main, arguments)

    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    assert done.exit_code in (1, 2, 3)
    assert word in done.output
    assert "proved" not in done.output


def test_a_version_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: str) -> None:
    """In a folder with other texts the versions of what is installed are named too."""
    monkeypatch.chdir(tmp_path)
    Path("plain.sonnx").write_text(plain, "utf-8")
    done = CliRunner().invoke(main, ["eval", "sonnx.Max-99", "--input", "X0=int8:1"])

    assert done.exit_code == 2
    assert "unknown operator sonnx.Max-99" in done.stderr
    assert "Max is in opsets 1 to 28" in done.stderr


def test_more_elements_than_are_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the limit that is told, and who has none: not that there is no result."""
    monkeypatch.chdir(tmp_path)
    np.save("many.npy", np.ones((300, 300), np.int8))
    done = CliRunner().invoke(main, ["eval", "sonnx.Max-13", "--input", "X0=many.npy"])

    assert done.exit_code == 3
    assert "`Y` is not computed here: it has more than 65536 elements" in done.output
    assert "sonnx_verify.load(NAME).evaluate(...)" in done.output


def test_two_files_of_one_operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: str) -> None:
    """Both places are named, where the operator is meant by its name."""
    monkeypatch.chdir(tmp_path)
    for name in ("one.sonnx", "two.sonnx"):
        Path(name).write_text(plain, "utf-8")
    for words in (["eval", "user.Plain-1", "--input", "X0=int8:1"], ["prove", "Plain(A, B) = Plain(B, A)"]):
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 2
        assert "operator user.Plain-1 is defined twice" in done.output, words
        assert "one.sonnx:4:1" in done.output
        assert "two.sonnx:4:1" in done.output
