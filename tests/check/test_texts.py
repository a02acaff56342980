"""The texts of a project that were sent elsewhere make the same obligations there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import pickle, sys
from pathlib import Path
from sonnx_verify.solving.check.texts import Reread, texts_of
from sonnx_verify.api.select import select
from sonnx_verify.language.places import installed_library

selection = select(sys.argv[2:])
here = selection.obligations
sent = pickle.loads(pickle.dumps(texts_of(selection.project, here)))
there = Reread(sent, Path(sys.argv[1]))

def said(o):
    # A link is shown by its whole path: the records that come back have it as it is here.
    place = o.span.source.name.replace(sys.argv[1], ""), o.span.source.text, o.span.line, o.span.column
    return o.id, o.title, place, o.types, o.uses, o.presumes, o.answer, o.expected, o.expected_reason

assert here and str(installed_library()).startswith(sys.argv[1])
for number, obligation in enumerate(here):
    assert said(there[number]) == said(obligation), obligation.id
    assert there[number] is not obligation and there[number] is there[number]
print(len(here))
"""


@pytest.mark.parametrize(
    ("texts", "link"), [(["spec/sonnx/max", "spec/onnx/max/max.sonnx"], False), (["laws.sonnx", "link.sonnx"], True)]
)
def test_the_same_obligations(tmp_path: Path, texts: list[str], link: bool) -> None:
    """Of operators with pages, versions and signatures; and of a folder with a link, whose text uses the library."""
    place, copy = ROOT, tmp_path / "copy"
    copy.mkdir()
    if link:
        place = tmp_path / "here"
        place.mkdir()
        law = 'theory laws "laws"\nuse broadcast\n\ntheorem a "a" for A : shape : common_shape([A]) = A\n'
        (place / "laws.sonnx").write_text(law, "utf-8")
        (tmp_path / "other.sonnx").write_text(law.replace("theory laws", "theory other"), "utf-8")
        (place / "link.sonnx").symlink_to("../other.sonnx")
    run = [sys.executable, "-c", PROGRAM, str(copy), *texts]
    done = subprocess.run(run, cwd=place, capture_output=True, text=True, timeout=300, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > (3 if link else 50)
