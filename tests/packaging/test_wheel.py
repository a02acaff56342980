"""The wheel carries the package and the formal library, nothing else; pyproject.toml explains its dependencies."""

import email
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import sonnx_verify

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = ROOT / "pyproject.toml"
KINDS = {".sonnx", ".md", ".json", ".toml"}
LIBRARY = "sonnx_verify/library/"


def files_under(*folders: str) -> set[str]:
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return {path.relative_to(ROOT).as_posix() for path in paths if path.is_file()}


def requirements() -> list[str]:
    table = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    project = table["project"]
    groups = [table["build-system"]["requires"], project["dependencies"], *project["optional-dependencies"].values()]
    return [requirement for group in groups for requirement in group]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.Path:
    """The root of a wheel built from this checkout, with the tools that are installed."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    return zipfile.Path(path)


@pytest.fixture(scope="module")
def names(wheel: zipfile.Path) -> set[str]:
    return {name for name in wheel.root.namelist() if not name.endswith("/")}


def test_library_is_complete(names: set[str]) -> None:
    """The wheel holds the texts, pages and records of spec/ and proofs/ under their own paths, and no other file."""
    expected = {name for name in files_under("spec", "proofs") if Path(name).suffix in KINDS}
    expected |= {name for name in files_under("spec", "proofs") if Path(name).name == "hints.txt"}

    assert any(name.startswith("spec/") for name in expected)
    assert expected == {name.removeprefix(LIBRARY) for name in names if name.startswith(LIBRARY)}


def test_code_is_complete(names: set[str]) -> None:
    """Every source file of the package, its grammar and its type marker are in the wheel."""
    expected = {name for name in files_under("sonnx_verify") if "__pycache__" not in name}

    assert "sonnx_verify/py.typed" in names
    assert expected == {name for name in names if name.startswith("sonnx_verify/") and not name.startswith(LIBRARY)}


def test_nothing_else(names: set[str]) -> None:
    """Beside the package there is only its metadata: no tests, no tools of the checkout."""
    folders = {name.split("/")[0] for name in names}

    assert {"sonnx_verify", f"sonnx_verify-{sonnx_verify.__version__}.dist-info"} == folders


def test_metadata(wheel: zipfile.Path) -> None:
    """The wheel installs one command, and carries the version of the package and its licence."""
    info = wheel / f"sonnx_verify-{sonnx_verify.__version__}.dist-info"

    assert "sonnx-verify = sonnx_verify.cli:main" in (info / "entry_points.txt").read_text(encoding="utf-8")
    assert f"\nVersion: {sonnx_verify.__version__}\n" in (info / "METADATA").read_text(encoding="utf-8")
    assert (info / "licenses" / "LICENSE").is_file()
    assert (info / "licenses" / "NOTICE").is_file()


def test_what_is_said_of_the_package(wheel: zipfile.Path) -> None:
    """Its versions of Python are those of the README and of the tests of the wheel; it names its parts and its page."""
    text = (wheel / f"sonnx_verify-{sonnx_verify.__version__}.dist-info" / "METADATA").read_text(encoding="utf-8")
    metadata = email.message_from_string(text)
    classifiers = metadata.get_all("Classifier", [])
    versions = [one.rpartition(" ")[2] for one in classifiers if re.search(r":: 3\.\d+$", one)]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert metadata["Requires-Python"] == f">={versions[0]}"
    assert f"Python {versions[0]} to {versions[-1]}" in readme
    assert "Typing :: Typed" in classifiers
    # The repository knows no address of its own: one that is invented leads somebody else's way.
    assert metadata.get_all("Project-URL") is None
    assert metadata["License-Expression"] == "Apache-2.0"


def test_tables_of_others_are_named(names: set[str]) -> None:
    """NOTICE names the files that are made from ONNX; each is in the checkout, and in the wheel."""
    files = re.findall(r"[\w/]+\.json", (ROOT / "NOTICE").read_text(encoding="utf-8"))

    assert files
    for name in files:
        assert (ROOT / name).is_file()
        assert {name, f"{LIBRARY}{name}"} & names


def test_one_version() -> None:
    """The documents' examples and the extension for VS Code are about the version of the package."""
    extension = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text(encoding="utf-8"))
    named = re.findall(r"v(\d+\.\d+\.\d+)", (ROOT / "docs" / "ci.md").read_text("utf-8"))

    assert extension["version"] == sonnx_verify.__version__
    assert set(named) == {sonnx_verify.__version__}


def test_every_extra_is_explained() -> None:
    """README.md says what each extra that a user needs is for."""
    extras = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    install = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Install")[2].partition("\n## ")[0]
    own = {"test", "docs", "integrations"}

    assert own < extras.keys()
    assert {name for name in extras if f"| `{name}` |" in install} == extras.keys() - own


@pytest.mark.parametrize("requirement", requirements())
def test_dependency_has_two_bounds_and_a_reason(requirement: str) -> None:
    """A dependency states the oldest version tested, excludes the next major one, and says why it is there."""
    bounds = re.fullmatch(r"[\w-]+>=(\d+)(?:\.\d+)*,<(\d+)", requirement)
    lines = [line for line in PYPROJECT.read_text(encoding="utf-8").splitlines() if f'"{requirement}"' in line]

    assert bounds is not None
    assert int(bounds[1]) + 1 == int(bounds[2])
    assert lines
    assert all(re.search(r'",\s+# \S.{10,}', line) for line in lines)
