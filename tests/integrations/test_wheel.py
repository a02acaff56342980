"""The wheel in an environment of its own: the tutorial as its readers follow it, completion, the bill of materials."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.integrations

ROOT = Path(__file__).resolve().parents[2]


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def interpreters() -> dict[str, str]:
    """The interpreters of the versions that are installed, this one among them. One that does not start is none."""
    found = {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    for version in VERSIONS:
        path = shutil.which(f"python{version}")
        if version not in found and path is not None:
            done = subprocess.run([path, "-c", "import venv"], capture_output=True)
            if done.returncode == 0:
                found[version] = path
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module", params=sorted(interpreters()))
def python(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel and nothing of the checkout."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([interpreters()[request.param], "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq", "install"]
    subprocess.run([*pip, str(wheel)], check=True)
    return python


def environment_of(folder: Path) -> dict[str, str]:
    """What a user's shell has, and nothing of ours."""
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "SONNX_VERIFY_CACHE": str(folder / "cache")}


def test_the_tutorial(python: Path, tmp_path: Path) -> None:
    """Every step, from an empty folder, prints what the page shows."""
    tutorial, quoted = load("tutorial"), load("quoted")
    folder = tmp_path / "clamp"
    folder.mkdir()

    def run(words: list[str]) -> str:
        command = [str(python.with_name(words[0])), *words[1:]]
        done = subprocess.run(command, cwd=folder, env=environment_of(tmp_path), capture_output=True, text=True)
        assert done.returncode in (0, 1, 3), done.stderr
        return done.stdout

    done = tutorial.follow(folder, run)
    assert len(done) == tutorial.expected_commands() > 20
    for command, expected, printed in done:
        assert quoted.agrees(expected, printed), f"the tutorial shows another output of `{command}`"


def test_the_installed_package_is_what_runs(python: Path, tmp_path: Path) -> None:
    """From the environment alone; it has the specifications of the checkout, and the same verdicts."""
    command = [str(python), "-c", "import sonnx_verify; print(sonnx_verify.__file__)"]
    place = subprocess.run(command, cwd=tmp_path, env=environment_of(tmp_path), capture_output=True, text=True)
    assert place.stdout.startswith(str(python.parents[1]))

    command = [str(python), "-m", "sonnx_verify", "check", "sonnx.Max-13", "--format", "json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment_of(tmp_path), capture_output=True, text=True)
    verdicts = {o["id"]: o["verdict"] for o in json.loads(done.stdout)["obligations"]}
    path = ROOT / "spec" / "sonnx" / "max" / "verdicts.json"
    ledger = json.loads(path.read_text("utf-8"))["obligations"]
    known = {identity: row["verdict"] for identity, row in ledger.items() if identity.startswith("sonnx.Max-13")}
    assert done.returncode == 0
    assert verdicts == known


def test_completion_of_the_shell(python: Path, tmp_path: Path) -> None:
    """As docs/howto.md says, for bash: commands, and what a script of the shell is told."""
    command = [python.with_name("sonnx-verify")]
    asked = {"_SONNX_VERIFY_COMPLETE": "bash_complete", "COMP_WORDS": "sonnx-verify evi", "COMP_CWORD": "1"}
    done = subprocess.run(command, env={**environment_of(tmp_path), **asked}, capture_output=True, text=True)
    assert done.stdout == "plain,evidence\n"
    for shell in ("bash", "zsh", "fish"):
        script = {"_SONNX_VERIFY_COMPLETE": f"{shell}_source"}
        done = subprocess.run(command, env={**environment_of(tmp_path), **script}, capture_output=True, text=True)
        assert "_SONNX_VERIFY_COMPLETE" in done.stdout, (shell, done.stderr)


def test_bill_of_materials(python: Path, tmp_path: Path) -> None:
    """What is installed with the wheel, in CycloneDX: the solvers in the versions that answer, the same bytes again."""
    pytest.importorskip("cyclonedx_py", reason="an extra: make test-integrations installs it")
    made = []
    for name in ("one.json", "two.json"):
        command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", str(python)]
        subprocess.run([*command, "--output-file", str(tmp_path / name)], check=True, capture_output=True)
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]
    components = {c["name"]: c["version"] for c in json.loads(made[0])["components"]}
    done = subprocess.run([python, "-m", "sonnx_verify", "--version"], capture_output=True, text=True, check=True)
    assert components["sonnx-verify"] in done.stdout
    # The package of z3 has a fourth number, which may be what its build was made of.
    assert components["z3-solver"] in done.stdout
    assert components["cvc5"] in done.stdout
    assert not {"pytest", "sphinx", "playwright"} & components.keys()
