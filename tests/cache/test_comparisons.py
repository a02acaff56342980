"""What a report decides beside the obligations of files: recalled where nothing changed, and believed no more than
verdicts are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from sonnx_verify.stores.store import Store

Run = Callable[..., Result]


def told(run: Run, *options: str) -> str:
    """All that a report says."""
    done = run("report", "--out", "r", *options)
    assert done.exit_code == 0, done.output
    return "".join(path.read_text("utf-8") for path in sorted(Path("r").rglob("*.html")))


def forge_gaps(cache: Path, old: bytes, new: bytes) -> int:
    """Write another thing into what is left open; into how many entries."""
    store = Store(cache)
    made = 0
    for key in store.keys("comparisons"):
        body = store.read("comparisons", key)
        if body is not None and b'"shown":' in body and old in body:
            store.write("comparisons", key, body.replace(old, new))
            made += 1
    return made


OPEN = '[U_A] unspecified value Y[i] "zero may be anything" when X[i] = T(0)\n'


def test_gaps_are_recalled(versions: Path, cache: Path, run: Run) -> None:
    """What is left open is told as it was kept, if it is shown on the input that its obligation was shown on."""
    path = versions / "spec" / "onnx" / "foo_2.sonnx"
    path.write_text(path.read_text("utf-8") + OPEN, "utf-8")
    first = told(run)
    assert "zero may be anything" in first
    assert told(run) == first
    assert forge_gaps(cache, b"may be anything", b"may be nothing") == 1
    assert "zero may be nothing" in told(run)

    assert forge_gaps(cache, b'"dtype":"int8"', b'"dtype":"int9"') == 1
    assert told(run) == first


def test_formulas_of_pages_are_recalled(versions: Path, cache: Path, run: Run) -> None:
    """As long as the page says the same: its text is a part of the key."""
    head = 'operator Bar version 1 user\n  page "bar.md"\n\ntypes int = int8\n\ninput  X : tensor of T\n'
    body = 'output Y : tensor of T\n\n[C1] constraint "axes" : rank(X) > 0\n[E1] error "none" : when C1 fails\n'
    (versions / "bar.sonnx").write_text(f"{head}{body}\nshape Y = X.shape\nvalue Y[i] = X[i]\n", "utf-8")
    table = '| Constraint | Statement |\n|---|---|\n| `[C1]` <a id="int-C1"></a> | $rank(X) > {}$ |\n'
    page = f"# **Bar** (int)\n\n## Inputs\n\n{table}"
    (versions / "bar.md").write_text(page.format(0), "utf-8")

    def agreement() -> str:
        done = run("report", "--out", "r", "bar.sonnx")
        assert done.exit_code == 0, done.output
        return (versions / "r" / "texts" / "user.Bar-1" / "clauses-int.html").read_text("utf-8")

    assert "as it is read, proved equivalent" in agreement()
    store = Store(cache)
    for key in store.keys("comparisons"):
        kept = store.read("comparisons", key)
        if kept is not None and b"bar.md" in kept and kept.startswith(b"["):
            store.write("comparisons", key, kept.replace(b'"proved"', b'"refuted"'))
    assert "refuted: see below" in agreement()
    (versions / "bar.md").write_text(page.format("0 "), "utf-8")
    assert "as it is read, proved equivalent" in agreement()
