"""JUnit, SARIF, annotations, summary and JSON of one run tell the same; each is what its readers take."""

from __future__ import annotations

import json
import os
import re
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import jsonschema
import pytest
from click.testing import CliRunner, Result
from markdown_it import MarkdownIt

from sonnx_verify.cli import main
from sonnx_verify.errors import UserError
from sonnx_verify.outputs.record import BROKEN, FAILED, PASSED, UNDECIDED, About, Case, Run
from sonnx_verify.outputs.wanted import FORMS, Form, made_of
from sonnx_verify.pages.lint.rules import RULES
from sonnx_verify.results.place import Place
from sonnx_verify.results.sentences import KINDS
from sonnx_verify.stores.folder import write_bytes
from sonnx_verify.stores.ledger import joined, read_ledgers

ROOT = Path(__file__).parents[2]
SCHEMA, GITLAB = (
    json.loads(Path(__file__).with_name(f"{name}.schema.json").read_text("utf-8")) for name in ("sarif", "gitlab")
)
TEXT = """operator Foo version 1 user
types int = int8 uint8
input X : tensor of T
output Y : tensor of T
[C1] constraint "X has an axis" : rank(X) > {least}
[E1] error "X has none" : when rank(X) = 0
shape Y = X.shape
value Y[i] = X[i]
"""
FUNCTION = """import numpy as np


def maximum(*inputs):
    result = inputs[0]
    for x in inputs[1:]:
        result = np.{name}(result, x)
    return result
"""


def run(*args: str) -> Result:
    """What `sonnx-verify` prints and returns."""
    return CliRunner().invoke(main, list(args), catch_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a text whose error leaves out inputs of rank 1, on line 5."""
    (tmp_path / "foo.sonnx").write_text(TEXT.format(least=1), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def reports(folder: Path, *args: str) -> tuple[Result, dict[str, str]]:
    """A run, and its reports in each form."""
    asked = [part for form in FORMS for part in ("--report", f"{form}={folder / form}")]
    done = run(*args, *asked)
    made: dict[str, str] = {form: (folder / form).read_text("utf-8") for form in FORMS}
    jsonschema.validate(json.loads(made["sarif"]), SCHEMA)
    jsonschema.validate(json.loads(made["gitlab"]), GITLAB)
    return done, made


def failed_of(made: dict[str, str]) -> dict[str, list[tuple[str, int]]]:
    """The files and lines of what did not pass, by form."""
    root = Xml.fromstring(made["junit"])
    tests = [t for t in root.iter("testcase") if t.find("failure") is not None or t.find("error") is not None]
    results = json.loads(made["sarif"])["runs"][0]["results"]
    places = [r["locations"][0]["physicalLocation"] for r in results]
    lines = re.findall(r"^::(?:error|warning|notice) file=(.*?),line=(\d+),", made["github"], re.MULTILINE)
    summary = re.findall(r"^### .* at `(.*):(\d+)`$", made["markdown"], re.MULTILINE)
    return {
        "junit": [(t.get("file", ""), int(t.get("line", "0"))) for t in tests],
        "sarif": [(p["artifactLocation"]["uri"], p["region"]["startLine"]) for p in places],
        "gitlab": [(i["location"]["path"], i["location"]["lines"]["begin"]) for i in json.loads(made["gitlab"])],
        "github": [(name, int(line)) for name, line in lines],
        "markdown": [(name, int(line)) for name, line in summary],
    }


def test_forms_agree_on_check(folder: Path) -> None:
    """A constraint that no error covers: exit status 1, one annotation at its line with the counterexample."""
    done, made = reports(folder, "check")
    answer = json.loads(run("check", "--format", "json").stdout)
    wrong = [o for o in answer["obligations"] if o["verdict"] not in ("proved", "holds")]

    assert done.exit_code == 1
    assert [o["id"] for o in wrong] == ["user.Foo-1.int/C1/covered"]
    assert failed_of(made) == dict.fromkeys(FORMS, [("foo.sonnx", 5)])
    assert all("X = int8 (0) []" in text for form, text in made.items() if form != "gitlab")
    root = Xml.fromstring(made["junit"])
    assert int(root.get("tests", "0")) == len(answer["obligations"]) == len(list(root.iter("testcase")))
    log = json.loads(made["sarif"])["runs"][0]
    assert len(log["results"]) + log["properties"]["passed"] == len(answer["obligations"])


FAMILIES = TEXT.replace("types int = int8 uint8\n", "types int = int8 uint8\ntypes float = float double\n")


def test_one_mistake_of_several_families(folder: Path) -> None:
    """It is one annotation, which names the families and says what is wrong; each obligation is a test of its own."""
    (folder / "foo.sonnx").write_text(FAMILIES.format(least=1), "utf-8")
    _, made = reports(folder, "check")
    found = failed_of(made)
    title = "C1 (X has an axis): some input that it rejects raises no error (int, float)"
    name = "user.Foo-1.{}/C1/covered"
    (result,) = json.loads(made["sarif"])["runs"][0]["results"]
    (issue,) = json.loads(made["gitlab"])

    often: dict[str, int] = {form: 1 for form in FORMS}
    assert {form: len(places) for form, places in found.items()} == often | {"junit": 2}
    assert f",title={title.replace(',', '%2C').replace(':', '%3A')}::" in made["github"]
    assert made["github"].endswith("%0A  the same in float\n")
    assert result["message"]["text"].startswith(f"{title}\n")
    names = [one["fullyQualifiedName"] for one in result["locations"][0]["logicalLocations"]]
    assert names == [name.format("int"), name.format("float")]
    assert issue["description"] == title
    assert f"### Finding: {title} at " in made["markdown"]
    assert "\n  the same in float\n```\n" in made["markdown"]


def test_two_mistakes_of_one_clause(folder: Path) -> None:
    """Two clauses that fail the same way, and a clause that fails in two ways, are mistakes of their own."""
    text = FAMILIES.format(least=1).replace("[E1]", '[C2] constraint "X is short" : rank(X) < 3\n[E1]')
    (folder / "foo.sonnx").write_text(text.replace("= X[i]\n", "= X[[i[0]]]\n"), "utf-8")
    _, made = reports(folder, "check")
    marks = [r["partialFingerprints"]["case/v1"] for r in json.loads(made["sarif"])["runs"][0]["results"]]
    titles = [issue["description"] for issue in json.loads(made["gitlab"])]

    assert titles == [
        "Y.value: violated: the read X[[i[0]]] is in bounds (foo.sonnx:10:14) (int, float)",
        "C1 (X has an axis): some input that it rejects raises no error (int, float)",
        "C2 (X is short): some input that it rejects raises no error (int, float)",
    ]
    assert len(set(marks)) == 3


def test_a_mistake_that_moves_is_the_same(folder: Path) -> None:
    """Its fingerprints have no line; those of a text with another mistake differ."""

    def marks(text: str) -> list[str]:
        (folder / "foo.sonnx").write_text(text, "utf-8")
        _, made = reports(folder, "check")
        (result,) = json.loads(made["sarif"])["runs"][0]["results"]
        return [*result["partialFingerprints"].values(), json.loads(made["gitlab"])[0]["fingerprint"]]

    text = TEXT.format(least=0).replace("= X[i]\n", "= X[[i[0]]]\n")
    assert marks(f"-- a line\n{text}") == marks(text)
    before = marks(TEXT.format(least=1))
    assert marks(f"-- a line\n{TEXT.format(least=1)}") == before
    assert set(marks(TEXT.format(least=1).replace("C1", "C2"))).isdisjoint(before)


def test_links(folder: Path) -> None:
    """To the section about the rule, and to the report, where they are given."""
    links = ("--link", "docs=https://example.org/docs/*.html", "--link", "report=https://example.org/report/")
    done, made = reports(folder, "check", *links)
    rule = "https://example.org/docs/obligations.html#covered"
    rules = json.loads(made["sarif"])["runs"][0]["tool"]["driver"]["rules"]

    assert done.exit_code == 1
    assert {r["id"]: r.get("helpUri") for r in rules}["covered"] == rule
    assert made["github"].endswith(f"%0Arule: {rule}%0Areport: https://example.org/report/\n")
    assert f"]({rule})" in made["markdown"]
    assert "[the report](https://example.org/report/)" in made["markdown"]
    (folder / "foo.md").write_text("# **Max** (int, int)\n\nTODO: all of it\n", "utf-8")
    _, made = reports(folder, "lint", "foo.md", *links)
    rules = json.loads(made["sarif"])["runs"][0]["tool"]["driver"]["rules"]
    assert all(r["helpUri"] == f"https://example.org/docs/lint-rules.html#{r['id']}" for r in rules if r["id"] in RULES)


def test_every_rule_has_the_section_that_links_lead_to() -> None:
    """In the documents, under the name of the rule."""
    for page, names in (("obligations", KINDS), ("lint-rules", RULES)):
        heads = re.findall(r"^## (\S+)$", (ROOT / "docs" / f"{page}.md").read_text("utf-8"), re.MULTILINE)
        assert set(names) <= set(heads)


@pytest.mark.parametrize(
    "link",
    ["docs", "docs=", "docs=https://a.org/docs/", "docs=ftp://a/*", "report=https://a.org/)(", "other=https://a"],
)
def test_what_is_no_link(folder: Path, link: str) -> None:
    done = run("check", "--link", link)
    assert done.exit_code == 2
    assert f"`{link}` is not a link" in done.stderr
    assert "to fix: write report=URL" in done.stderr


def times_of(folder: Path, *options: str) -> list[float]:
    """The times of the tests in a report, of what was decided anew."""
    run("check", "--no-cache", *options, "--report", f"junit={folder / 'times.xml'}")
    return [float(t.get("time", "")) for t in Xml.parse(folder / "times.xml").getroot().iter("testcase")]


def test_times_only_where_they_are_asked_for(folder: Path) -> None:
    """The same texts make the same bytes; of a measured run the times of the tests add up to those of the suites."""
    assert set(times_of(folder)) == {0.0}
    taken = times_of(folder, "--times")
    assert max(taken) > 0
    root = Xml.parse(folder / "times.xml").getroot()
    assert float(root.get("time", "")) == pytest.approx(sum(taken), abs=0.1)


def test_all_is_well(folder: Path) -> None:
    """Nothing to tell: no annotation, and a summary that says so."""
    (folder / "foo.sonnx").write_text(TEXT.format(least=0), "utf-8")
    done, made = reports(folder, "check")
    assert done.exit_code == 0
    assert made["github"] == ""
    assert made["markdown"].startswith("## sonnx-verify check: passed")
    assert failed_of(made) == dict.fromkeys(FORMS, [])


@pytest.mark.parametrize("form", FORMS)
def test_printed_as_written(folder: Path, form: Form) -> None:
    """`--format` prints what `--report` writes, and nothing else."""
    _, made = reports(folder, "check")
    assert run("check", "--format", form.value).stdout == made[form]


def test_a_text_that_cannot_be_read(folder: Path) -> None:
    """It is an error of the run, at its line."""
    (folder / "bar.sonnx").write_text("operator Bar version\n", "utf-8")
    done, made = reports(folder, "check")
    assert done.exit_code == 2
    found = failed_of(made)
    assert all(("bar.sonnx", 1) in places or ("bar.sonnx", 2) in places for places in found.values())
    assert Xml.fromstring(made["junit"]).get("errors") == "1"


def test_forms_agree_on_lint(folder: Path) -> None:
    """Each finding at its line; notes are told and pass."""
    (folder / "foo.md").write_text("# **Max** (int, int)\n\nTODO: all of it\n\n## Inputs\n\n- `[C1]` x\n", "utf-8")
    done, made = reports(folder, "page", "lint", "foo.md")
    findings = json.loads(run("page", "lint", "foo.md", "--format", "json").stdout)["findings"]
    places = sorted((f["file"], f["line"]) for f in findings if f["severity"] != "note")
    assert done.exit_code == 1
    assert places
    assert {form: sorted(found) for form, found in failed_of(made).items()} == dict.fromkeys(FORMS, places)
    (suite,) = Xml.fromstring(made["junit"]).iter("testsuite")
    assert suite.get("name") == "foo.md"
    rules = json.loads(made["sarif"])["runs"][0]["tool"]["driver"]["rules"]
    assert {r["id"] for r in rules} == {f["rule"] for f in findings}
    assert all(RULES[r["id"]].about == r["shortDescription"]["text"] for r in rules if r["id"] in RULES)


@pytest.mark.soak
def test_forms_agree_on_conform(folder: Path) -> None:
    """Each divergence with its repro."""
    (folder / "own.py").write_text(FUNCTION.format(name="minimum"), "utf-8")
    options = ("--types", "int8", "--bound", "rank=1,dim=1,inputs=2", "--short", "--random", "0")
    done, made = reports(folder, "conform", "sonnx.Max-13", "--against", "python:own:maximum", *options)
    answer = json.loads(run("conform", "sonnx.Max-13", "--against", "python:own:maximum", *options,
                            "--format", "json").stdout)  # fmt: skip  # a table
    assert done.exit_code == 1
    (divergence,) = answer["divergences"]
    titles = [issue["description"] for issue in json.loads(made["gitlab"])]
    assert titles == [f"sonnx.Max-13 against python:own:maximum: {divergence['title']} (int8)"]
    assert {form: len(found) for form, found in failed_of(made).items()} == dict.fromkeys(FORMS, 1)
    assert all("python -c" in text for form, text in made.items() if form != "gitlab")

    (folder / "right.py").write_text(FUNCTION.format(name="maximum"), "utf-8")
    done, made = reports(folder, "conform", "sonnx.Max-13", "--against", "python:right:maximum", *options)
    assert done.exit_code == 0
    assert failed_of(made) == dict.fromkeys(FORMS, [])


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ("junit", "`junit` is not a report"),
        ("html=x", "`html=x` is not a report"),
        ("junit=", "`junit=` is not a report"),
        ("junit=.", ". cannot be written"),
        ("sarif=nowhere/at/all.json", "nowhere/at/all.json cannot be written"),
    ],
)
def test_report_that_cannot_be_written(folder: Path, report: str, message: str) -> None:
    """It is told before anything is decided."""
    done = run("check", "--report", report)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "to fix: " in done.stderr


HOSTILE = "a,b:c%\n::error::x\x00<&>\"'`````|\ud7ff &amp; $x$ ~~y~~ *z*\n## passed <b>w</b> [v](http://u)\n- t"


@pytest.mark.parametrize("form", FORMS)
def test_hostile_words(form: Form) -> None:
    """Whatever is told, the form is well-formed, and no line of it makes another annotation."""
    place = Place(f"{HOSTILE[:4]} ü.sonnx", 3, 4, 5)
    cases = [Case("s", f"{n}{HOSTILE}", outcome, "r", HOSTILE, (HOSTILE,), place=place)
             for n, outcome in enumerate((PASSED, FAILED, UNDECIDED, BROKEN))]  # fmt: skip  # a table
    made = made_of(Run("check", cases, [About("r", "a rule", "help")], [HOSTILE], {"z3": HOSTILE}), form)
    if form == "junit":
        assert len(list(Xml.fromstring(made).iter("testcase"))) == 4
    elif form == "sarif":
        answer: dict[str, Any] = json.loads(made)
        jsonschema.validate(answer, SCHEMA)
        assert [r["kind"] for r in answer["runs"][0]["results"]] == ["fail", "open", "fail"]
        assert answer["runs"][0]["properties"] == {"passed": 1}
    elif form == "gitlab":
        issues: list[dict[str, Any]] = json.loads(made)
        jsonschema.validate(issues, GITLAB)
        assert [issue["severity"] for issue in issues] == ["major", "minor", "critical"]
        assert len({issue["fingerprint"] for issue in issues}) == 3
    elif form == "github":
        lines = made.splitlines()
        assert len(lines) == 3
        assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::error"]
    else:
        tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(made)
        inside = [t for token in tokens for t in (token, *(token.children or ()))]
        kinds = Counter(t.type for t in inside)
        # Three cases below the one heading of the run, and no HTML, link or further item of a list.
        assert (kinds["heading_open"], kinds["fence"], kinds["list_item_open"]) == (4, 3, 2)
        others = {"html_block", "html_inline", "link_open", "image", "em_open", "strong_open", "s_open"}
        assert not kinds.keys() & others
        # What the words are is what was told, the signs that make a formula or a name of a character too.
        assert sum(t.content.count("&amp;") + t.content.count("$x$") for t in inside if t.type == "text") > 0


def test_every_kind_of_obligation_is_described() -> None:
    """A rule of SARIF for each kind that the library has."""
    kinds = {identity.rpartition("/")[2] for identity in joined(read_ledgers(ROOT).values())}
    assert kinds == KINDS.keys()


@pytest.mark.parametrize("name", ["lint", "conform"])
def test_json_keeps_to_its_schema(folder: Path, name: str) -> None:
    """Beside that of `check`, which has tests of its own."""
    schema = json.loads((ROOT / "sonnx_verify" / "outputs" / f"{name}.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    (folder / "wrong.py").write_text(FUNCTION.format(name="minimum"), "utf-8")
    (folder / "foo.md").write_text("# **Max** (int, int)\n\nTODO: all of it \n", "utf-8")
    target = ("conform", "sonnx.Max-13", "--against", "python:wrong:maximum", "--types", "int8")
    few = ("--short", "--random", "0")
    proof, tests = ("--bound", "rank=1,dim=1,inputs=2", *few), ("--test-only", *few)
    commands = {
        "lint": [("page", "lint", "foo.md"), ("page", "lint", "foo.md", "--fix")],
        "conform": [(*target, *proof), (*target, *tests)],
    }
    for command in commands[name]:
        answer = json.loads(run(*command, "--format", "json").stdout)
        jsonschema.validate(answer, schema)
        assert answer["findings" if name == "lint" else "divergences"]


def test_reports_replace_no_input_and_no_device(folder: Path) -> None:
    """What is read stays as it is; so does what is no regular file; and a link leads where it led."""
    (folder / "foo.md").write_text("# **Max** (int, int)\n", "utf-8")
    (folder / "proofs").mkdir()
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    read = ("what the run reads", "or stands beside it")
    for command in (
        ("page", "lint", "foo.md", "--report", "sarif=foo.md"),
        ("page", "lint", "foo.md", "--report", "sarif=foo.sonnx"),
        ("check", "--report", "junit=./foo.sonnx"),
        ("check", "--report", "junit=foo.md"),
        ("check", "--report", "junit=proofs/ledger.json"),
        ("conform", "user.Foo-1", "--against", "evaluator", "--report", "junit=proofs/../foo.sonnx"),
    ):
        done = run(*command)
        assert done.exit_code == 2
        assert all(words in done.stderr for words in read) or "refusing to overwrite" in done.stderr
    done = run("check", "--report", "junit=a.xml", "--report", "sarif=./a.xml")
    assert done.exit_code == 2
    assert "named for two reports" in done.stderr

    os.mkfifo(folder / "pipe")
    done = run("check", "--report", "junit=pipe")
    assert done.exit_code == 2
    assert (folder / "pipe").is_fifo()
    with pytest.raises(UserError, match="not a regular file"):
        write_bytes(folder / "pipe", b"")
    assert (folder / "pipe").is_fifo()
    (folder / "pipe").unlink()

    (folder / "target.xml").write_text(made_of(Run("", (), (), (), {}), Form.JUNIT), "utf-8")
    (folder / "link.xml").symlink_to("target.xml")
    assert run("check", "--report", "junit=link.xml").exit_code == 1
    assert (folder / "link.xml").is_symlink()
    assert "<testsuites" in (folder / "target.xml").read_text("utf-8")
    assert {name: (folder / name).read_bytes() for name in before} == before


@pytest.mark.parametrize("command", [
    ("check", "--report", "junit={}"), ("check", "--report", "markdown={}"), ("evidence", "--out", "{}"),
    ("check", "--report", "sarif={}"),
    ("check", "--report", "gitlab={}"),
])  # fmt: skip  # a table
@pytest.mark.parametrize("name", ["other.md", "other.sonnx", "notes", "link", "pom.xml", "data.json", "backup.tar.gz"])
def test_what_is_something_else_is_left(folder: Path, command: tuple[str, ...], name: str) -> None:
    """A page, a text or any other file that is there, whether it is read or not; also through a link."""
    (folder / "notes").write_text("# my own\n", "utf-8")
    (folder / "link").symlink_to("notes")
    (folder / "other.md").write_text("# **Max** (int, int)\n", "utf-8")
    (folder / "other.sonnx").write_text('theory other "Other"\n\ntheorem one "one" : 1 = 1\n', "utf-8")
    (folder / "pom.xml").write_text('<?xml version="1.0" encoding="UTF-8"?>\n<project/>\n', "utf-8")
    (folder / "data.json").write_text('{\n "$schema": "mine"\n}\n', "utf-8")
    with tarfile.open(folder / "backup.tar.gz", "w:gz") as archive:
        archive.add(folder / "notes", "notes")
    before = (folder / name).read_bytes()

    done = run(*(word.format(name) for word in command))

    assert done.exit_code == 2
    assert "to fix: " in done.stderr
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize("command", [
    *(("check", "--report", f"{form}={{}}") for form in FORMS), ("evidence", "--out", "{}"),
])  # fmt: skip  # a table
def test_what_is_ours_is_made_again(folder: Path, command: tuple[str, ...]) -> None:
    """Also where nothing is in it but its head."""
    words = [word.format("out") for word in command]
    (folder / "out").touch()
    first = run(*words)
    made = (folder / "out").read_bytes()
    assert made
    assert run(*words).exit_code == first.exit_code
    assert (folder / "out").read_bytes() == made


@pytest.mark.parametrize(
    "command",
    [
        ("page", "lint", "{}"),
        ("page", "render", "{}.sonnx"),
        ("page", "trace", "{}.md"),
        ("check", "--report", "junit={}"),
        ("page", "lint", "foo.md"),
    ],
)
def test_names_that_no_file_system_takes(folder: Path, command: tuple[str, ...]) -> None:
    """On the command line or in a page: a message, and no traceback."""
    name = "a" * 5000
    (folder / "foo.md").write_text(f"# **Foo** (int, int)\n\n<!-- render: {name}.sonnx Y.value -->\n", "utf-8")
    done = run(*(word.format(name) for word in command))
    assert done.exit_code in (1, 2)
    assert len(done.output) < 2000 + name.count("a") * (command == ("page", "lint", "foo.md"))
