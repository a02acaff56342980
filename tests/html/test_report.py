"""The report as files: everything that is told is on its pages, every link leads somewhere, and nothing comes from
elsewhere. How browsers show it is in tests/integrations."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as Xml

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.cli import main

Git = Callable[..., None]
TEXT = """operator Foo version 1 user
  page "foo.md"

types int = int8
types float = float

input  X : tensor of T
output Y : tensor of T

[C1] constraint "X has <b>an</b> axis & more" : rank(X) > 0
[E1] error "<script>alert(1)</script>" : when rank(X) > 1 and C1 fails

shape Y = X.shape
value Y[i] = if X.shape[0] > 0 then X[i] else X[i]
"""
PAGE = """# **Foo** (int, int)

## Function

## Error conditions

| Error | Statement |
|---|---|
| `[E1]` <a id="int-E1"></a> | $rank(X) < 0$ and `<script>alert(2)</script>` |

## Inputs

| Constraint | Statement |
|---|---|
| `[C1]` <a id="int-C1"></a> | $X$ has rank $1$ or more. |
"""


def run(*args: str) -> Result:
    """What `sonnx-verify` prints and returns."""
    return CliRunner().invoke(main, list(args), catch_exceptions=False)


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a text, its page, and the report on it."""
    made = tmp_path_factory.mktemp("report")
    (made / "foo.sonnx").write_text(TEXT, "utf-8")
    (made / "foo.md").write_text(PAGE, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        done = run("report", "--out", "one", "foo.sonnx")
    assert done.exit_code == 0, done.output
    assert done.output == "17 obligations: open one/index.html in a browser\n"
    return made


@pytest.fixture(scope="module")
def pages(folder: Path) -> dict[str, Elements]:
    """The pages by their names."""
    place = folder / "one"
    found = sorted(place.rglob("*.html"))
    return {path.relative_to(place).as_posix(): Elements(path.read_text("utf-8")) for path in found}


def test_the_pages(pages: dict[str, Elements]) -> None:
    """Those that have something to show, and no other, on the disk and in the menu."""
    own = ["clauses-float", "clauses-int", "index", "obligations-float", "obligations-int", "obligations"]
    assert list(pages) == ["claim.html", "index.html", *(f"texts/user.Foo-1/{name}.html" for name in own)]
    leads = [attributes["href"] for _, attributes in pages["index.html"].elements if "href" in attributes]
    assert leads[leads.index("#main") + 1 :][:4] == ["index.html", "index.html", "claim.html", leads[6]]
    assert leads[6].startswith("texts/")


def test_every_link_leads_somewhere(pages: dict[str, Elements], folder: Path) -> None:
    """To a page that is there, and on it to what has that name; no address of another machine is anywhere."""
    seen = 0
    for name, page in pages.items():
        for _, attributes in page.elements:
            for address in (attributes[part] for part in ("href", "src") if part in attributes):
                if address == "data:,":
                    continue
                assert "//" not in address, address
                file, _, fragment = address.partition("#")
                target = (folder / "one" / name).parent / unquote(file) if file else folder / "one" / name
                assert target.is_file(), address
                if fragment:
                    ids = pages[target.resolve().relative_to((folder / "one").resolve()).as_posix()].ids
                    assert unquote(fragment) in ids, address
                    seen += 1
    assert seen > 60
    for path in filter(Path.is_file, (folder / "one").rglob("*")):
        other = re.sub(r"http://www.w3.org/1998/Math/MathML", "", path.read_text("utf-8"))
        assert "http" not in other, path


def test_no_name_is_there_twice(pages: dict[str, Elements]) -> None:
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), name


def test_every_obligation_is_told(folder: Path) -> None:
    """With verdict, scope, solvers and place, as `check` tells it, each in its own article."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        told = json.loads(run("check", "--format", "json", "foo.sonnx").output)["obligations"]
    found = dict(
        re.findall(r'<article class="obligation" id="([^"]*)">(.*?)</article>', text_of(folder / "one"), re.DOTALL)
    )
    assert sorted(found) == sorted(one["id"] for one in told)
    for one in told:
        article, words = found[one["id"]], " ".join("".join(Elements(found[one["id"]]).words).split())
        how = "good" if one["verdict"] in ("proved", "holds") else "finding"
        assert f'<span class="verdict {how}">{one["verdict"]}</span>' in article
        listed = re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", article)
        fields = {name: " ".join(Elements(said).words) for name, said in listed}
        assert fields.get("for", "") == (one["scope"] or "")
        assert fields.get("assuming", "") == "; ".join(one["assumptions"])
        answers = ", ".join(f"{name}: {answer}" for name, answer in one["answers"].items())
        assert fields.get("solvers", "").rpartition(", ")[0] == answers
        assert fields["text"] == f"foo.sonnx:{one['source']['line']}"
        assert ("Violated: " in words and "The smallest counterexample, replayed" in words) == bool(
            one["counterexample"]
        )
    assert "refuted" in {one["verdict"] for one in told}


def test_texts_stay_texts(pages: dict[str, Elements], folder: Path) -> None:
    """What a text or a page says is shown, and never becomes an element."""
    for name, page in pages.items():
        scripts = [attributes for tag, attributes in page.elements if tag == "script"]
        assert all(set(s) == {"src", "defer"} for s in scripts), name
        text = (folder / "one" / name).read_text("utf-8")
        assert "<b>an" not in text, name
        assert "<script>" not in text, name
    words = "".join("".join(page.words) for page in pages.values())
    assert all(f"<script>alert({number})</script>" in words for number in (1, 2))
    assert "X has <b>an</b> axis & more" in words


def test_formulas_are_mathematics(folder: Path) -> None:
    """Well-formed MathML, with the LaTeX beside it, nothing of which is left in the words."""
    found = re.findall(r"<math .*?</math>", text_of(folder / "one"), re.DOTALL)
    assert len(found) > 8
    for one in found:
        element = Xml.fromstring(one)
        assert element.get("alttext")
        assert "\\" not in "".join(element.itertext())


def test_page_and_clause_beside_each_other(pages: dict[str, Elements]) -> None:
    words = " ".join("".join(pages["texts/user.Foo-1/clauses-int.html"].words).split())
    assert "C1 constraint" in words
    assert "foo.md:15" in words
    assert "not on the page" in " ".join("".join(pages["texts/user.Foo-1/clauses-float.html"].words).split())


def test_formal_text_in_colours(folder: Path) -> None:
    """The clause as it is written stands beside its sentence; its words say what they are, and a read is no tag."""
    text = (folder / "one" / "texts" / "user.Foo-1" / "clauses-int.html").read_text("utf-8")
    assert '<span class="w-nl">[C1]</span> <span class="w-k">constraint</span>' in text
    assert '<span class="w-s">"X has &lt;b&gt;an&lt;/b&gt; axis &amp; more"</span>' in text
    assert text.count('class="w-nl"') == 2
    formal = re.findall(r'<pre class="formal" tabindex="0"><code>(.*?)</code></pre>', text, re.DOTALL)
    said = ["".join(Elements(one).words) for one in formal]
    assert said == [line for line in TEXT.splitlines() if line.startswith(("[", "shape", "value"))]


@pytest.mark.parametrize("page", [True, False])
def test_a_second_variable_of_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: bool) -> None:
    """Each clause has the verdicts of its own family, for all types of the other variable: the refuted one too."""
    monkeypatch.chdir(tmp_path)
    formal = TEXT.replace("types float = float", "types float = float\ntypes int of I = int32 int64")
    formal = formal.replace("input  X", "input  N : tensor of I\ninput  X")
    (tmp_path / "foo.sonnx").write_text(formal if page else formal.replace('  page "foo.md"\n', ""), "utf-8")
    (tmp_path / "foo.md").write_text(PAGE, "utf-8")
    assert run("report", "--out", "r").exit_code == 0
    text = text_of(tmp_path / "r")
    clauses = [part.partition("</article>")[0] for part in text.split('<article class="clause">')[1:]]
    signatures = [clause for clause in clauses if "signature</span>" in clause]
    clauses = [clause for clause in clauses if clause not in signatures]
    assert len(clauses) == 8
    assert "no proof" not in text
    # Without a page a reader has the signature and the title of each clause.
    assert len(signatures) == (0 if page else 2)
    assert page or all("X has &lt;b&gt;an&lt;/b&gt; axis" in clause for clause in clauses if "<h3>C1 " in clause)
    for number, clause in enumerate(clauses):
        family, other = ("float", "int") if number < 4 else ("int", "float")
        for second in ("int32", "int64"):
            assert f"#user.Foo-1.{family}-{second}/" in clause
        assert f"#user.Foo-1.{other}-" not in clause
        if "<h3>C1 " in clause:
            assert "covered: refuted" in clause


def test_a_report_on_a_pattern(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody asked for is no gap, and the overview says that there is more; what the page lacks is one still."""
    monkeypatch.chdir(folder)
    said = "This report covers only a part of the project"
    assert run("report", "--out", str(tmp_path / "r"), "user.Foo-1.int/C1/*").exit_code == 0
    text = text_of(tmp_path / "r")
    assert '<span class="verdict finding">no proof</span>' not in text
    assert text.count("no proof of it was asked for") == 5
    assert text.count('<span class="verdict finding">not on the page</span>') == 2
    assert said in words_of(tmp_path / "r" / "index.html")
    assert said not in words_of(folder / "one" / "index.html")


def test_same_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By any number of processes; a report is replaced by the next one, and nothing else is."""
    monkeypatch.chdir(folder)
    before = {path: path.read_bytes() for path in (folder / "one").rglob("*") if path.is_file()}
    assert run("report", "--out", "one", "--jobs", "2", "foo.sonnx").exit_code == 0
    assert {path: path.read_bytes() for path in (folder / "one").rglob("*") if path.is_file()} == before
    assert str(folder) not in "".join(data.decode() for data in before.values())


def test_an_unchanged_page_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second report into the same folder writes what changed: the other pages keep their times, and a page of a text
    that is gone goes too."""
    monkeypatch.chdir(tmp_path)
    plain = TEXT.replace('  page "foo.md"\n', "")
    for name in ("Foo", "Bar", "Baz"):
        (tmp_path / f"{name}.sonnx").write_text(plain.replace("operator Foo", f"operator {name}"), "utf-8")
    assert run("report", "--out", "r").exit_code == 0
    for path in (tmp_path / "r").rglob("*.*"):
        os.utime(path, (1, 1))
    edited = plain.replace("operator Foo", "operator Bar").replace("rank(X) > 0\n", "rank(X) > 2\n")
    (tmp_path / "Bar.sonnx").write_text(edited, "utf-8")
    (tmp_path / "Baz.sonnx").unlink()
    assert run("report", "--out", "r").exit_code == 0

    kept = {path.relative_to(tmp_path / "r").as_posix() for path in (tmp_path / "r").rglob("*.*") if is_old(path)}
    foo = {path.relative_to(tmp_path / "r").as_posix() for path in (tmp_path / "r" / "texts" / "user.Foo-1").iterdir()}
    assert foo <= kept
    assert "assets/report.css" in kept
    assert "texts/user.Bar-1/clauses-int.html" not in kept
    assert "index.html" not in kept
    assert not (tmp_path / "r" / "texts" / "user.Baz-1").exists()


def is_old(path: Path) -> bool:
    return path.is_file() and path.stat().st_mtime == 1


def stamp(report: Path) -> str:
    found = re.search(r'<p class="stamp">(.*?)</p>', (report / "index.html").read_text("utf-8"), re.DOTALL)
    return "" if found is None else " ".join("".join(Elements(found[1]).words).split())


def test_commit_and_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: Git) -> None:
    """The overview says of which commit it is, of which day, and whether the texts changed since; no clock is asked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "foo.sonnx").write_text(TEXT.replace('  page "foo.md"\n', ""), "utf-8")
    assert run("report", "--out", "r").exit_code == 0
    assert stamp(tmp_path / "r") == ""

    (tmp_path / "pyproject.toml").write_text('[project]\nname = "own-operators"\n', "utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "foo.sonnx", "pyproject.toml")
    git(tmp_path, "commit", "-q", "-m", "A text")
    assert run("report", "--out", "r").exit_code == 0
    assert re.fullmatch(r"own-operators commit [0-9a-f]{12} 2024-02-29", stamp(tmp_path / "r"))
    # The report itself lies in the project, and is no change of it.
    assert run("report", "--out", "r").exit_code == 0
    assert stamp(tmp_path / "r").endswith(" 2024-02-29")

    with (tmp_path / "foo.sonnx").open("a", encoding="utf-8") as file:
        file.write("\n-- a comment\n")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert run("report", "--out", "r").exit_code == 0
    assert re.fullmatch(r"own-operators commit [0-9a-f]{12} with changes 1970-01-02", stamp(tmp_path / "r"))

    monkeypatch.setenv("SOURCE_DATE_EPOCH", "now")
    done = run("report", "--out", "r")
    assert done.exit_code == 2
    assert "SOURCE_DATE_EPOCH is `now`" in done.output


@pytest.mark.parametrize("what", ["a file of another", "a changed page"])
def test_what_is_not_ours_stays(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.chdir(folder)
    place = tmp_path / "other"
    place.mkdir()
    if what == "a changed page":
        shutil.copytree(folder / "one", place, dirs_exist_ok=True)
    (place / "index.html").write_text("mine", "utf-8")
    done = run("report", "--out", str(place), "foo.sonnx")
    assert done.exit_code == 2
    assert "to fix:" in done.output
    assert (place / "index.html").read_text("utf-8") == "mine"


def test_timings(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each obligation is measured where that is asked for; all other pages are the same."""
    monkeypatch.chdir(folder)
    assert run("report", "--out", str(tmp_path / "t"), "--timings", "foo.sonnx").exit_code == 0
    for path in sorted((folder / "one").rglob("*.html")):
        other = (tmp_path / "t" / path.relative_to(folder / "one")).read_text("utf-8")
        # The menu has one entry more.
        entry = re.search(r'<li><a href="[./]*timings.html">Timings</a></li>\n', other)
        assert entry is not None
        assert other.replace(entry[0], "") == path.read_text("utf-8"), path
    page = Elements((tmp_path / "t" / "timings.html").read_text("utf-8"))
    assert [tag for tag, _ in page.elements].count("polyline") == 1
    assert [tag for tag, _ in page.elements].count("rect") == 1 + 17
    assert run("report", "--out", str(tmp_path / "t"), "--timings", "--jobs", "2").exit_code == 2


STANDARD = TEXT.replace('  page "foo.md"\n', "").replace("user", "standard").replace("types float = float\n", "")


def written(tmp_path: Path, *texts: str) -> list[Path]:
    """Texts of a standard, in the order of their files."""
    folder = tmp_path / "spec" / "onnx"
    folder.mkdir(parents=True)
    paths = [folder / f"foo_{number}.sonnx" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, "utf-8")
    return paths


def text_of(report: Path) -> str:
    """The pages about the texts of a report, one after the other."""
    return "".join(path.read_text("utf-8") for path in sorted((report / "texts").rglob("*.html")))


def hrefs(path: Path) -> list[str]:
    """Where a page leads."""
    return [attributes["href"] for _, attributes in Elements(path.read_text("utf-8")).elements if "href" in attributes]


def words_of(path: Path) -> str:
    return " ".join("".join(Elements(path.read_text("utf-8")).words).split())


@pytest.mark.parametrize("asked", [(), ("onnx.Foo-1.int/C1",)])
def test_a_gap_that_no_input_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...]) -> None:
    """It is named, with why; the others are shown, and nowhere stands that nothing is open."""
    monkeypatch.chdir(tmp_path)
    never = "[U_B] unspecified value Y[i] when X[i] = T(1) and X[i] = T(2)\n"
    written(tmp_path, f"{STANDARD}[U_A] unspecified value Y[i] when X[i] = T(0)\n{never}")
    assert run("report", "--out", "r", *asked).exit_code == 0
    own = words_of(tmp_path / "r" / "texts" / "onnx.Foo-1" / "open.html")
    assert "Two of the results that the text allows: int8 (1) [0]" in own
    unshown = "no input was found that shows it: onnx.Foo-1.int/U_B/gap, violated: U_B alone never leaves anything open"
    assert f"Declared unspecified, but {unshown}" in own
    assert f"declared unspecified, but {unshown}" in words_of(tmp_path / "r" / "open.html")
    for name in ("open", "texts/onnx.Foo-1/open"):
        links = hrefs(tmp_path / "r" / f"{name}.html")
        assert any(link.endswith("obligations-int.html#onnx.Foo-1.int/U_B/gap") for link in links) == (not asked)
    assert any(
        link.endswith("texts/onnx.Foo-1/open.html#onnx.Foo-1.int/U_A/gap")
        for link in hrefs(tmp_path / "r" / "open.html")
    )


def test_a_gap_without_two_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that reads outside gives none on the input of a gap: that is said of this gap, and the report is made."""
    monkeypatch.chdir(tmp_path)
    outside = STANDARD.partition("value Y")[0] + "value Y[i] = X[index (k in axes(X) -> i[k] + 1)]\n"
    written(tmp_path, f"{outside}[U_A] unspecified value Y[i] when X[i] = T(0)\n")
    assert run("report", "--out", "r").exit_code == 0
    words = words_of(tmp_path / "r" / "open.html")
    assert (
        "that shows it: onnx.Foo-1.int/U_A/gap, onnx.Foo-1: shape and value give no result on the input of U_A" in words
    )


def test_nothing_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then there is no page about it, and no entry in the menu."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, STANDARD)
    assert run("report", "--out", "r").exit_code == 0
    assert not list((tmp_path / "r").rglob("open.html"))
    assert "Left open" not in words_of(tmp_path / "r" / "index.html")


def test_names_that_differ_in_capitals_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have a page, on every file system."""
    monkeypatch.chdir(tmp_path)
    for name, file in (("Foo", "one"), ("foo", "two")):
        text = TEXT.replace('  page "foo.md"\n', "").replace("operator Foo", f"operator {name}")
        (tmp_path / f"{file}.sonnx").write_text(text, "utf-8")
    assert run("report", "--out", "r").exit_code == 0
    assert sorted(p.name for p in (tmp_path / "r" / "texts").iterdir()) == ["user.Foo-1", "user.foo-1~2"]


def test_two_texts_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are told, and nothing is written: one page cannot speak of both."""
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / f"{name}.sonnx").write_text(TEXT.replace('  page "foo.md"\n', ""), "utf-8")
    done = run("report", "--out", "r")
    assert done.exit_code == 2
    assert "user.Foo-1 is in one.sonnx and in two.sonnx" in done.output
    assert not (tmp_path / "r").exists()


def test_another_text_of_the_name_that_nobody_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not in the way: the report is on the one that was named."""
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / f"{name}.sonnx").write_text(TEXT.replace('  page "foo.md"\n', ""), "utf-8")
    assert run("report", "--out", "r", "two.sonnx").exit_code == 0
    assert "Formal text two.sonnx." in words_of(tmp_path / "r" / "texts" / "user.Foo-1" / "index.html")
    assert run("report", "--out", "s", "user.Foo-1").exit_code == 2


def test_the_version_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its number, whatever the files are called."""
    monkeypatch.chdir(tmp_path)
    numbers = (7, 13, 20, 2)
    written(tmp_path, *(STANDARD.replace("version 1", f"version {number}") for number in numbers))
    assert run("report", "--out", "r", "spec").exit_code == 0
    places = {n: tmp_path / "r" / "texts" / f"onnx.Foo-{n}" / "differences.html" for n in numbers}
    found = {n: re.findall(r"from onnx\.Foo-(\d+)", words_of(path)) for n, path in places.items() if path.is_file()}
    assert found == {7: ["2"], 13: ["7"], 20: ["13"]}


def test_versions_that_cannot_be_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report is written, and says so."""
    monkeypatch.chdir(tmp_path)
    more = STANDARD.replace("version 1", "version 2").replace("input  X", "input  W : tensor of T\ninput  X")
    written(tmp_path, STANDARD, more)
    assert run("diff", "--update-records").exit_code == 0
    assert run("report", "--out", "r").exit_code == 0
    words = words_of(tmp_path / "r" / "texts" / "onnx.Foo-2" / "differences.html")
    assert "from onnx.Foo-1 is not compared: onnx.Foo-1 and onnx.Foo-2 cannot be compared" in words


def test_a_text_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The place is told, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "foo.sonnx").write_text(TEXT.replace("rank(X) > 0", "rank(X) >"), "utf-8")
    done = run("report", "--out", "r")
    assert done.exit_code == 2
    assert "foo.sonnx:11:6" in done.output
    assert not (tmp_path / "r").exists()


def test_without_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing is named, with what installs it."""
    monkeypatch.chdir(folder)
    for name in [n for n in sys.modules if n.startswith(("sonnx_verify.outputs.html.", "latex2mathml"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "latex2mathml", None)
    done = run("report", "--out", "r", "foo.sonnx")
    assert done.exit_code == 2
    assert "needs the package latex2mathml" in done.output
    assert "sonnx-verify[report]" in done.output


PINS = """operator Half version 1 standard

types float = float16 float
types real  = real

input  X : tensor of T
output Y : tensor of T

shape Y              = X.shape
value Y[i] for float = X[i]
value Y[i] for real  = X[i]

[U_SIGN] unspecified value Y[i] "nothing is said of numbers below 0" for float when not X[i] >= 0
"""


def test_how_much_a_standard_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the page of its text, and of the operator: the two zeros, and what is above 0, infinity too."""
    (tmp_path / "spec" / "onnx").mkdir(parents=True)
    (tmp_path / "spec" / "onnx" / "half.sonnx").write_text(PINS, "utf-8")
    monkeypatch.chdir(tmp_path)
    run("report", "--out", "made")

    for page in ("texts/onnx.Half-1/index.html", "operators/Half.html"):
        words = " ".join("".join(Elements((tmp_path / "made" / page).read_text("utf-8")).words).split())
        assert "pins 31,746 of 65,536 float16 arguments." in words
