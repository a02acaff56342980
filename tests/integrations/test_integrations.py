"""What other systems run: the steps of the GitHub action and of the GitLab job, the hooks, the container file, each as
it stands, with the package installed from this checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from sonnx_verify import __version__

yaml = pytest.importorskip("yaml", reason="an extra: make test-integrations installs it")
pytestmark = pytest.mark.integrations

ROOT = Path(__file__).parents[2]
GOOD = """operator Foo version 1 user
types int = int8
input X : tensor of T
output Y : tensor of T
[C1] constraint "X has an axis" : rank(X) > 0
[E1] error "X has none" : when C1 fails
shape Y = X.shape
value Y[i] = X[i]
"""
BAD = GOOD.replace("rank(X) > 0", "rank(X) > 1").replace("when C1 fails", "when rank(X) = 0")
EARLY = """library early "Of indices"
define is_axis(k : int, n : int) : bool
  "k is an index of an axis of size n"
  = 0 <= k and k < n
"""
PICK = """use early
operator Pick version 1 user
  page "pick.md"
types int = int8
input X : tensor of T
output Y : tensor of T
attribute k : int
[C1] constraint "X is a vector" : rank(X) = 1
[C2] constraint "k is an index of X" : is_axis(k, X.shape[0])
[E1] error "X is no vector" : when C1 fails
[E2] error "k is outside" : when C2 fails
shape Y = X.shape
value Y[i] = X[[k]]
"""


CACHE = "${{ runner.temp }}/sonnx-verify"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a job in which nothing is installed yet but Python."""
    folder = tmp_path_factory.mktemp("job")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    kept = ("HOME", "LANG", *(name for name in os.environ if name.startswith("PIP_")))
    made = {name: os.environ[name] for name in kept if name in os.environ}
    path = f"{folder / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**made, "PATH": path, "SONNX_VERIFY_CACHE": str(folder / "cache")}


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A folder with one text in which an error does not cover its constraint, on line 5."""
    (tmp_path / "foo.sonnx").write_text(BAD, "utf-8")
    return tmp_path


def shell(script: str, folder: Path, environment: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    """Run a script as its system does."""
    command = ["bash", "--noprofile", "--norc", *options, "-c", script]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def action(folder: Path, environment: dict[str, str], again: bool = False, **inputs: str) -> tuple[int, str, str]:
    """The steps of action.yml one after the other, as their conditions say: status, output, summary of the job. What a
    run before installed does for one that comes `again`."""
    text = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    given = {name: inputs.get(name, value["default"]) for name, value in text["inputs"].items()}
    summary = folder / "summary.md"
    summary.unlink(missing_ok=True)
    output, status = "", 0
    outcomes: dict[str, str] = {}
    for step in text["runs"]["steps"]:
        if step.get("uses", "").startswith("actions/cache/"):
            # What the action keeps is where the commands look for it.
            assert step["with"]["path"] == CACHE
            continue
        assert step["shell"] == "bash"
        assert step.get("id") == "install" or step["env"]["SONNX_VERIFY_CACHE"] == CACHE
        if again and step.get("id") == "install":
            outcomes["install"] = "success"
            continue
        if not _holds(step.get("if", ""), given, outcomes, status):
            continue
        own = {name: _filled(value, given) for name, value in step.get("env", {}).items()}
        own.pop("SONNX_VERIFY_CACHE", None)
        own["GITHUB_STEP_SUMMARY"] = str(summary)
        done = shell(step["run"], folder, {**environment, **own}, "-eo", "pipefail")
        output += done.stdout + done.stderr
        outcomes[step.get("id", step["name"])] = "failure" if done.returncode else "success"
        status = status or done.returncode
    return status, output, summary.read_text("utf-8") if summary.exists() else ""


def _holds(condition: str, given: dict[str, str], outcomes: dict[str, str], status: int) -> bool:
    """Whether a step runs. Where its condition says nothing of the steps before it, all of them have to be well."""
    parts = condition.removeprefix("${{").removesuffix("}}").split("&&") if condition else []
    held = "!cancelled()" in condition or not status
    for part in (p.strip() for p in parts):
        if part != "!cancelled()":
            found = re.fullmatch(r"(inputs|steps)\.(\w+)(?:\.outcome)? (!=|==) '(.*)'", part)
            assert found is not None, part
            value = given[found[2]] if found[1] == "inputs" else outcomes[found[2]]
            held = held and (value == found[4]) is (found[3] == "==")
    return held


def _filled(value: str, given: dict[str, str]) -> str:
    known = {f"inputs.{name}": text for name, text in given.items()}
    known |= {"github.action_path": str(ROOT), "github.server_url": "https://example.org"}
    known |= {"runner.temp": "/nowhere"}
    known |= {"github.action_repository": "owner/sonnx-verify", "github.action_ref": "v1"}
    return re.sub(r"\$\{\{\s*([\w.-]+)\s*\}\}", lambda found: known[found[1]], value)


def test_github_action(installed: dict[str, str], job: Path) -> None:
    """A text with a finding: the job fails, with one annotation at its line, a summary and the reports; fixed, it
    passes. Pages are linted where they are named."""
    status, output, summary = action(job, installed)
    assert status == 1, output
    (line,) = [text for text in output.splitlines() if text.startswith("::")]
    assert line.startswith("::error file=foo.sonnx,line=5,")
    assert "X = int8 (0) []" in line
    assert line.endswith("rule: https://example.org/owner/sonnx-verify/blob/v1/docs/obligations.md#covered")
    assert "user.Foo-1.int/C1/covered" in summary
    assert Xml.parse(job / "sonnx-reports" / "check.xml").getroot().get("failures") == "1"
    assert json.loads((job / "sonnx-reports" / "check.sarif").read_text("utf-8"))["version"] == "2.1.0"

    (job / "foo.sonnx").write_text(GOOD, "utf-8")
    (job / "a page.md").write_text("# **Max** (int, int)\n\nTODO\n", "utf-8")
    (job / "pages").mkdir()
    (job / "a page.md").rename(job / "pages" / "page.md")
    published = {"report-url": "https://example.org/report/"}
    status, output, summary = action(job, installed, again=True, check="foo.sonnx", lint="pages", **published)
    assert status == 1, output
    assert "[the report](https://example.org/report/)" in summary
    assert "::error file=pages/page.md" in output.replace("::warning", "::error"), output
    assert action(job, installed, again=True)[0] == 0

    # What did not run leaves no summary of the run before it; a finding of `check` hides none of `lint`.
    status, output, summary = action(job, installed, again=True, check="nowhere.sonnx", lint="pages")
    assert status == 2
    assert "check: passed" not in summary
    assert not (job / "sonnx-reports" / "check.xml").exists()
    assert "file=pages/page.md" in output
    # A list has lines.
    (job / "bar.sonnx").write_text(BAD.replace("operator Foo", "operator Bar"), "utf-8")
    status, output, _ = action(job, installed, again=True, check="foo.sonnx\nbar.sonnx\n")
    assert status == 1
    assert "file=bar.sonnx" in output


def test_gitlab_job(installed: dict[str, str], job: Path) -> None:
    """The same of the job that a GitLab project extends."""
    text: dict[str, Any] = yaml.safe_load((ROOT / "integrations" / "gitlab-ci.yml").read_text("utf-8"))
    template = text[".sonnx-verify"]
    environment = {**installed, **template["variables"], "SONNX_PACKAGE": str(ROOT)}
    script = "\n".join(["set -eo pipefail", *template["before_script"], *template["script"]])
    again = "\n".join(["set -eo pipefail", *template["script"]])
    assert f"$PWD/{template['cache']['paths'][0]}" in again
    done = shell(script, job, environment)
    assert done.returncode == 1, done.stderr
    assert "refuted" in done.stdout, done.stderr
    assert Xml.parse(job / "sonnx-reports" / "check.xml").getroot().get("failures") == "1"
    quality, _ = template["artifacts"]["reports"]["codequality"]
    (issue,) = json.loads((job / quality).read_text("utf-8"))
    assert issue["location"] == {"path": "foo.sonnx", "lines": {"begin": 5}}

    (job / "foo.sonnx").write_text(GOOD, "utf-8")
    assert shell(again, job, environment).returncode == 0

    # No report of an earlier run, and the first status that is not 0.
    (job / "page.md").write_text("# **Max** (int, int)\n\nTODO\n", "utf-8")
    done = shell(again, job, {**environment, "SONNX_CHECK": "nowhere.sonnx", "SONNX_LINT": "page.md"})
    assert done.returncode == 2
    assert not (job / "sonnx-reports" / "check.xml").exists()
    assert (job / "sonnx-reports" / "lint.xml").exists()
    unsaid = {name: value for name, value in environment.items() if name != "SONNX_PACKAGE"}
    assert "say what is to be installed" in shell(script, job, unsaid).stderr


def test_container(installed: dict[str, str], tmp_path: Path) -> None:
    """RUN installs, ENTRYPOINT and CMD check the folder that is there."""
    lines = (ROOT / "Containerfile").read_text("utf-8").splitlines()
    steps = [line.partition(" ")[::2] for line in lines if line and not line.startswith("#")]
    # Of several steps of a kind the first: the other RUN makes a folder that only the image has.
    said = dict(reversed(steps))
    copied, target = said["COPY"].split()
    assert copied == "."
    assert said["WORKDIR"] == "/work"
    # The image runs as somebody who is not root, and whose answers have a place.
    names = [name for name, _ in steps]
    user, _, group = said["USER"].partition(":")
    assert int(user) > 0
    assert int(group) > 0
    assert max(n for n, name in enumerate(names) if name == "RUN") < names.index("USER") < names.index("ENTRYPOINT")
    folder = said["ENV"].removeprefix("SONNX_VERIFY_CACHE=")
    assert f"-m 1777 {folder}" in dict(steps)["RUN"]
    done = shell(said["RUN"].replace(target, str(ROOT)), tmp_path, installed, "-e")
    assert done.returncode == 0, done.stderr
    (tmp_path / "foo.sonnx").write_text(BAD, "utf-8")
    command = [*json.loads(said["ENTRYPOINT"]), *json.loads(said["CMD"])]
    done = subprocess.run(command, cwd=tmp_path, env=installed, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "refuted" in done.stdout, done.stderr


def test_pre_commit(installed: dict[str, str], tmp_path: Path) -> None:
    """The hooks, by pre-commit itself, in a repository of their own."""
    repository, source = tmp_path / "repository", tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "tests"))
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
    for folder in (source, repository):
        folder.mkdir(exist_ok=True)
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (repository / "foo.sonnx").write_text(BAD, "utf-8")
    for folder in (source, repository):
        subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
        subprocess.run(["git", *identity, "commit", "-q", "-m", "all"], cwd=folder, check=True)
    environment = {**installed, "PRE_COMMIT_HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]}
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=source, check=True, capture_output=True, text=True)
    hooks = [{"id": "sonnx-check"}, {"id": "sonnx-fmt"}, {"id": "sonnx-lint"}]
    configuration = {"repos": [{"repo": str(source), "rev": head.stdout.strip(), "hooks": hooks}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configuration), "utf-8")
    subprocess.run(["git", "add", "-A"], cwd=repository, check=True)

    def pre_commit(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pre_commit", *arguments]
        return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True)

    def hook(name: str) -> subprocess.CompletedProcess[str]:
        return pre_commit("run", name, "--all-files")

    def commit(*hooks: str) -> subprocess.CompletedProcess[str]:
        """All that changed, committed with some of the hooks, by git."""
        assert pre_commit("install").returncode == 0
        subprocess.run(["git", "add", "-A"], cwd=repository, check=True)
        others = {"sonnx-check", "sonnx-fmt", "sonnx-lint"} - set(hooks)
        command = ["git", *identity, "commit", "-q", "-m", "a change"]
        return subprocess.run(
            command, cwd=repository, env={**environment, "SKIP": ",".join(others)}, capture_output=True, text=True
        )

    done = hook("sonnx-check")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "user.Foo-1.int/C1/covered" in done.stdout, done.stdout + done.stderr
    done = hook("sonnx-fmt")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "files were modified" in done.stdout, done.stdout + done.stderr
    (repository / "foo.sonnx").write_text(GOOD, "utf-8")
    subprocess.run(["git", "add", "-A"], cwd=repository, check=True)
    assert hook("sonnx-check").returncode == 0

    # What uses a library is checked when the library changes, and its page is linted.
    (repository / "early.sonnx").write_text(EARLY, "utf-8")
    (repository / "pick.sonnx").write_text(PICK, "utf-8")
    (repository / "pick.md").write_text("# **Pick** (int)\n\nTODO\n", "utf-8")
    assert commit("sonnx-check").returncode == 0
    (repository / "early.sonnx").write_text(EARLY.replace("k < n", "k <= n"), "utf-8")
    done = commit("sonnx-check", "sonnx-lint")
    assert done.returncode == 1
    assert "refuted user.Pick-1.int/Y.value/in-bounds" in done.stderr
    assert "pick.md:3:1: " in done.stderr
    # A commit that only removes a text names no file.
    (repository / "early.sonnx").unlink()
    done = commit("sonnx-check")
    assert done.returncode == 1
    assert "unknown library `early`" in done.stderr


def test_what_the_documentation_has_to_copy() -> None:
    """Is YAML, and speaks of inputs, hooks and jobs that there are."""
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    github, gitlab, hooks = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    step = next(s for s in github["jobs"]["specifications"]["steps"] if "OWNER" in s["uses"])
    template = yaml.safe_load((ROOT / gitlab["include"][0]["local"]).read_text("utf-8"))
    job = gitlab["specifications"]
    known = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    (repository,) = hooks["repos"]

    assert step["with"].keys() <= yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"].keys()
    assert all(name in str(template[job["extends"]]) for name in job["variables"])
    assert {hook["id"] for hook in repository["hooks"]} <= known
    assert {step["uses"].rpartition("@")[2], repository["rev"]} == {f"v{__version__}"}
    assert f"-{__version__}-" in job["variables"]["SONNX_PACKAGE"]
