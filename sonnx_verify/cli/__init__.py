"""The command line. Each command gathers its arguments, calls what works, and prints.

A command is a module of this package: its options, its help and the function that runs. A module is imported when its
command is run, and only then, so that neither `--help` nor another command waits for what it needs.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import click
from click.shell_completion import CompletionItem

from sonnx_verify.interpreter import end_without_collecting
from sonnx_verify.version import __version__


class Group(StrEnum):
    """The groups in which `--help` lists commands, in its order."""

    VERIFY = "Verify"
    ASK = "Ask"
    CONFORM = "Conform"
    WRITE = "Write"
    REPORT = "Report"
    COMMANDS = "Commands"
    """The only group of a command that has commands of its own."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A command before it is imported. A hidden one has no `group`; an old name says the new one, `now`."""

    place: str
    """Its function, by its module, as an entry point of a package is written."""
    summary: str
    """The first line of its help."""
    group: Group | None = None
    now: str = ""


# Beside the commands, not in them: `--help` prints the summaries, and importing all commands takes a second.
COMMANDS = {
    "check": Entry("sonnx_verify.cli.check:check", "Prove or refute specifications and theorems.", Group.VERIFY),
    "prove": Entry("sonnx_verify.cli.prove:prove", "Prove or refute a statement of your own.", Group.VERIFY),
    "mutate": Entry(
        "sonnx_verify.cli.mutate:mutate", "Mutate specifications and report the mutants that survive.", Group.VERIFY
    ),
    "explain": Entry(
        "sonnx_verify.cli.explain:explain", "Explain an operator, clause, obligation or definition.", Group.ASK
    ),
    "eval": Entry("sonnx_verify.cli.eval:evaluate", "Run an operator's specification on tensors or shapes.", Group.ASK),
    "diff": Entry("sonnx_verify.cli.diff:diff", "Compare two specifications, or the project with a commit.", Group.ASK),
    "conform": Entry(
        "sonnx_verify.cli.conform:conform", "Check an implementation against a specification.", Group.CONFORM
    ),
    "vectors": Entry(
        "sonnx_verify.cli.vectors:vectors", "Write test vectors solved from a specification.", Group.CONFORM
    ),
    "coverage": Entry(
        "sonnx_verify.cli.coverage:coverage", "Measure how well a test suite covers a specification.", Group.CONFORM
    ),
    "new": Entry("sonnx_verify.cli.new:new", "Create a page and a specification for an ONNX operator.", Group.WRITE),
    "record": Entry("sonnx_verify.cli.record:record", "Make all records of an operator in its folders.", Group.WRITE),
    "fmt": Entry("sonnx_verify.cli.fmt:fmt", "Format .sonnx files.", Group.WRITE),
    "export": Entry("sonnx_verify.cli.export:export", "Export specifications as data.", Group.WRITE),
    "page": Entry("sonnx_verify.cli.page:page", "Lint, trace or render the pages of operators.", Group.WRITE),
    "serve": Entry("sonnx_verify.cli.serve:serve", "Serve a playground for your browser.", Group.WRITE),
    "report": Entry("sonnx_verify.cli.report:report", "Write an HTML report of all verdicts.", Group.REPORT),
    "evidence": Entry(
        "sonnx_verify.cli.evidence:evidence",
        "Archive the evidence behind verdicts, or verify an archive.",
        Group.REPORT,
    ),
    "cache": Entry("sonnx_verify.cli.cache:cache", "Show or clear the cache of earlier results.", Group.REPORT),
    "help": Entry("sonnx_verify.cli.help:help_", "Show the help of a command."),
    "lsp": Entry("sonnx_verify.cli.lsp:lsp", "Serve an editor over the Language Server Protocol."),
    "counterexample": Entry(
        "sonnx_verify.cli.old:counterexample",
        "Show the smallest counterexample, or witness, of an obligation.",
        now="explain --counterexample",
    ),
    "export-smt": Entry(
        "sonnx_verify.cli.old:export_smt", "Export the SMT queries behind verdicts.", now="check --export-smt"
    ),
    "gaps": Entry("sonnx_verify.cli.old:gaps", "Show what a standard leaves open.", now="explain --gaps"),
    "lint": Entry("sonnx_verify.cli.pages.lint:lint", "Report mistakes in pages.", now="page lint"),
    "list": Entry("sonnx_verify.cli.old:list_", "List obligations.", now="explain --list"),
    "render": Entry("sonnx_verify.cli.pages.render:render", "Print a formal text as a page.", now="page render"),
    "shape": Entry("sonnx_verify.cli.old:shape", "Infer output shapes from symbolic input shapes.", now="eval --shape"),
    "show": Entry("sonnx_verify.cli.old:show", "Show the terms of clauses or claims.", now="explain --terms"),
    "trace": Entry(
        "sonnx_verify.cli.pages.trace:trace",
        "Trace each tag of a page to its clause, proof and tests.",
        now="page trace",
    ),
    "verify-evidence": Entry(
        "sonnx_verify.cli.old:verify_evidence", "Verify an archive made by `evidence`.", now="evidence --verify"
    ),
    "watch": Entry(
        "sonnx_verify.cli.old:watch", "Check files again as they change, until Ctrl-C.", now="check --watch"
    ),
}
"""The commands by their names."""

EVERYTHING = "sonnx_verify.everything"
"""The key of a context, in its `meta`, whose help lists hidden commands too."""


class Commands(click.Group):
    """Commands that are imported when they are asked for. `commands` has an entry for each, with its summary alone:
    lists of commands are made of these. To run a command, or for its options, `get_command` imports it."""

    def __init__(self, *, entries: Mapping[str, Entry], **settings: Any) -> None:
        listed = [click.Command(n, help=e.summary, hidden=e.group is None) for n, e in entries.items()]
        super().__init__(commands=listed, **settings)
        self.entries = entries

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import the command of that name; None for a name that is none."""
        entry = self.entries.get(name)
        if entry is None:
            return None
        found: click.Command = resolve_name(entry.place)
        if entry.now:
            return _renamed(found, name, entry.now)
        return found

    def resolve_command(
        self, context: click.Context, words: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the words name, and its defaults in a file."""
        name, found, others = super().resolve_command(context, words)
        # A help is printed, and names are completed, whatever a file says.
        asks_for_help = name == "help" or "-h" in others or "--help" in others
        if found is not None and name is not None and not asks_for_help and not context.resilient_parsing:
            context.default_map = {name: self._defaults(context, name, found)}
        return name, found, others

    def _defaults(self, context: click.Context, name: str, found: click.Command) -> dict[str, Any]:
        from sonnx_verify.cli.configuration import defaults_of, settings_here

        try:
            settings = settings_here(Path.cwd())
        except OSError:  # the folder is gone, which the command says, or a file cannot be read
            return {}
        if settings is None:
            return {}
        path = [*context.command_path.split()[1:], name]
        if context.parent is None:
            path = [name]
        if self.entries[name].now:
            path = [word for word in self.entries[name].now.split() if not word.startswith("--")]
        shown = [one for one, entry in COMMANDS.items() if entry.group is not None]
        made = defaults_of(settings, shown, path, found)
        if isinstance(found, click.Group) and not isinstance(found, Commands):
            for below, inner in found.commands.items():
                made[below] = defaults_of(settings, shown, [*path, below], inner)
        return made

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands in their groups, by their summaries; the hidden ones only where everything is asked for."""
        listed = {name: entry.summary for name, entry in self.entries.items() if entry.group is not None}
        width = max(map(len, listed))
        for group in Group:
            # As wide in each group, so that the summaries stand below each other.
            rows = [(name.ljust(width), listed[name]) for name in listed if self.entries[name].group is group]
            _section(formatter, group, rows)
        if context.meta.get(EVERYTHING):
            hidden = {name: entry for name, entry in self.entries.items() if entry.group is None}
            _section(formatter, "Hidden", [(name, entry.summary) for name, entry in hidden.items() if not entry.now])
            _section(formatter, "Old names", [(name, f"now `{e.now}`") for name, e in hidden.items() if e.now])

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command that is shown, by the summaries, or of an option."""
        shown = [(name, entry) for name, entry in self.entries.items() if entry.group is not None]
        found = [CompletionItem(name, help=entry.summary) for name, entry in shown if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, context, incomplete)


def _section(formatter: click.HelpFormatter, title: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)


class Program(Commands):
    """All commands, with the end of a process."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Print the help where nothing is asked for, which is no mistake."""
        if not args and not context.resilient_parsing:
            click.echo(context.get_help(), color=context.color)
            context.exit()
        return super().parse_args(context, args)

    def invoke(self, context: click.Context) -> object:
        """Run a command; an interrupt, also of its import, ends with 130."""
        end_without_collecting()
        from sonnx_verify.errors import UserError

        # A job that is cancelled is asked to end before it is killed: what was decided is told as after Ctrl-C.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.default_int_handler)

        try:
            return super().invoke(context)
        except UserError as error:
            # Of the file with the defaults: a command tells its own errors.
            from sonnx_verify.cli.options import tell

            tell(str(error))
            sys.exit(2)
        except KeyboardInterrupt:
            # 128 + SIGINT, as a shell reports it: click would end with 1, which here means a finding.
            from sonnx_verify.cli.options import tell

            tell("interrupted")
            sys.exit(130)


def _renamed(found: click.Command, name: str, now: str) -> click.Command:
    """The command under its old name. It does the same, and says the new name where no program reads it."""
    old = copy(found)
    old.name, old.hidden = name, True
    run: Callable[..., object] | None = found.callback
    assert run is not None

    @wraps(run)
    def noted(*args: Any, **kwargs: Any) -> object:
        from sonnx_verify.cli.options import tell
        from sonnx_verify.progress import is_silent

        # Standard output and the status are what hooks and jobs of today read: they stay as they were.
        if not is_silent():
            tell(f"note: `{name}` is now `{now}`")
        return run(*args, **kwargs)

    old.callback = noted
    return old


def command(name: str) -> click.Command | None:
    """Import a command; None for a name that is none."""
    return main.get_command(click.Context(main), name)


def _version(context: click.Context, _: click.Parameter, value: object) -> None:
    """Print the versions of the tool and of the solvers, and end, if the option is given."""
    if not value:
        return
    from sonnx_verify.solving.solvers import Solvers

    # Verdicts are those of these solvers: a report of a problem without their versions cannot be repeated.
    found = (f"{name} {version or 'is not installed'}" for name, version in Solvers().versions().items())
    click.echo(f"sonnx-verify {__version__} ({', '.join(found)})")
    context.exit()


@click.group(
    cls=Program,
    entries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`sonnx-verify help COMMAND` explains a command; `sonnx-verify help --all` also lists hidden and old names.",
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show versions.")
def main() -> None:
    """Specify and verify the operators of SONNX, the safety-related profile of ONNX.

    Exit status: 0 success; 1 a finding; 2 a usage or input error; 3 undecided.
    """
