"""The outputs that a run is asked for: the form that is printed, and the files that are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from sonnx_verify.errors import UsageError
from sonnx_verify.paths import resolved

if TYPE_CHECKING:
    from sonnx_verify.outputs.record import Run


class Form(StrEnum):
    """The forms of what a command prints."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"
    MARKDOWN = "markdown"
    GITLAB = "gitlab"
    CSV = "csv"


FORMS = (Form.JUNIT, Form.SARIF, Form.GITHUB, Form.GITLAB, Form.MARKDOWN)
"""The forms that are made of a run; each command makes the others."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The form that is printed, and the files with theirs."""

    form: Form
    files: tuple[tuple[Form, Path], ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, form: Form, reports: Sequence[str], links: Sequence[str] = ()) -> Wanted:
        """By the options. UserError for what is no form, cannot be a file, or is a file of another kind, and for what
        is no link."""
        from sonnx_verify.stores.folder import refuse_other_file

        made: list[tuple[Form, Path]] = []
        for one in reports:
            name, equals, path = one.partition("=")
            if name not in FORMS or not equals or not path:
                raise UsageError(f"`{one}` is not a report", cure=f"write FORM=FILE, FORM one of {', '.join(FORMS)}")
            # A report may be written over an older one, but over no folder, pipe or device.
            if (Path(path).exists() and not Path(path).is_file()) or not Path(path).absolute().parent.is_dir():
                raise UsageError(f"{path} cannot be written", cure="name a file in a folder that is there")
            refuse_other_file(Path(path), *_begins(Form(name)))
            # The second report would be written over the first.
            if resolved(Path(path)) in {resolved(other) for _, other in made}:
                raise UsageError(f"{path} is named for two reports", cure="give each a file of its own")
            made.append((Form(name), Path(path)))
        return cls(form, tuple(made), dict(map(_link, links)))

    @property
    def is_text(self) -> bool:
        """Return whether a person reads what is printed."""
        return self.form is Form.TEXT

    @property
    def needs_run(self) -> bool:
        """Return whether anything is made of the run."""
        return bool(self.files) or self.form in FORMS

    def refuse(self, read: Iterable[Path], kept: Iterable[Path] = ()) -> None:
        """Raise UsageError where a file that is written is one that is read, or the page or the text beside it, or one
        of those that are `kept`."""
        if not self.files:
            return
        # A report that is written over a text or its page would destroy work.
        known = {resolved(path.with_suffix(suffix)) for path in read for suffix in (path.suffix, ".md", ".sonnx")}
        known |= {resolved(path) for path in kept}
        for _, path in self.files:
            if resolved(path) in known:
                what = f"{path} is what the run reads, or stands beside it"
                raise UsageError(what, cure="name another file for the report")

    def finish(self, run: Run) -> str:
        """Write the files. Returns what is to be printed, empty where that is text or JSON, which the command makes."""
        from sonnx_verify.outputs.record import Links
        from sonnx_verify.stores.folder import write_file

        linked = replace(run, links=Links(**self.links))
        for name, path in self.files:
            write_file(path, made_of(linked, name))
        if self.form not in FORMS:
            return ""
        return made_of(linked, self.form)


def _link(said: str) -> tuple[str, str]:
    """The name and the address of a link. UsageError for what is none."""
    name, _, url = said.partition("=")
    is_address = re.fullmatch(r"https?://[^\s()<>\"]+", url) is not None
    match name:
        case "report" if is_address:
            return name, url
        case "docs" if is_address and url.count("*") == 1:
            return name, url
    cure = "write report=URL, or docs=URL with a star for the name of a page, as in docs=https://HOST/docs/*.html"
    raise UsageError(f"`{said}` is not a link", cure=cure)


def _begins(form: Form) -> tuple[bytes, ...]:
    """The beginnings of files in a form, up to the name of the tool: XML or JSON of others begins differently."""
    from sonnx_verify.outputs.gitlab import BEGINS
    from sonnx_verify.outputs.record import Run

    if form is Form.GITLAB:
        return BEGINS
    head, name, _ = made_of(Run("", (), (), (), {}), form).partition("sonnx-verify")
    # An annotation names no tool; no other kind of text begins with such a command.
    return (f"{head}{name}".encode() or b"::",)


def made_of(run: Run, form: Form) -> str:
    """A run in one of FORMS."""
    # Most runs need none of them.
    from sonnx_verify.outputs.github import workflow_commands
    from sonnx_verify.outputs.gitlab import code_quality
    from sonnx_verify.outputs.junit import junit
    from sonnx_verify.outputs.markdown import summary
    from sonnx_verify.outputs.sarif import sarif

    match form:
        case Form.JUNIT:
            return junit(run)
        case Form.SARIF:
            return sarif(run)
        case Form.GITHUB:
            return workflow_commands(run)
        case Form.GITLAB:
            return code_quality(run)
        case Form.MARKDOWN:
            return summary(run)
        case Form.TEXT | Form.JSON | Form.CSV:
            raise ValueError(f"{form} is made by each command")
