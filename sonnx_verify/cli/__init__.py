"""The command line. It holds no logic: each command gathers its arguments, calls what works, and prints.

A command is a module of this package: its options, its help and the function that runs. A module is imported when its
command is run, and only then, so that neither `--help` nor another command waits for what it needs.
"""

from __future__ import annotations

import sys
from pkgutil import resolve_name

import click
from click.shell_completion import CompletionItem

from sonnx_verify.version import __version__

# Beside the commands, not in them: `--help` prints these, and importing all commands takes a second.
SUMMARIES = {
    "cache": "What earlier runs found, kept in a folder of the user: see how much it is, or remove it.",
    "check": "Check specifications and theorems.",
    "conform": "Hold other people's code against a specification, such as `sonnx.Max-13`.",
    "counterexample": "Show the smallest counterexample, or witness, of one obligation.",
    "coverage": "Say which clauses, branches and special values the tests in DIR exercise, and which they do not.",
    "diff": "Compare two specifications of one operator, such as `onnx.Op-12` and `onnx.Op-13`.",
    "eval": "Run an operator's specification on an input, by the reference evaluator.",
    "evidence": (
        "Decide specifications and file what the verdicts rest on: claim, ledger, queries, texts, hashes, in one "
        "archive."
    ),
    "explain": "Explain a clause, such as `sonnx.Max-13/C1`, or an obligation, such as `sonnx.Max-13.int/C1/covered`.",
    "export-smt": "Write the queries that verdicts rest on to DIR, each as a script that any SMT solver runs.",
    "fmt": "Lay out .sonnx files, in place: one layout for one text, with its comments and groups.",
    "gaps": "Show what a standard leaves open, such as `onnx.Op-13`.",
    "lint": (
        "Say what is wrong with pages of the profile, or with those of folders: tags, anchors, links, sections, words."
    ),
    "list": "List the obligations of specifications.",
    "lsp": "Serve an editor: the Language Server Protocol on standard input and output.",
    "mutate": "Make systematic slips in specifications, and see which of them no statement notices.",
    "new": "Begin a specification: a page and a formal text, from what ONNX says of the operator's signature.",
    "prove": 'Prove or refute a statement about operators and definitions, such as "Max(A, B) = Max(B, A)".',
    "render": "Print a formal text as a page: signature, clauses by their tags, shape and value as formulas.",
    "report": "Decide specifications and write what came of them as pages of HTML, that need no server and no network.",
    "shape": "Say which shapes an operator's outputs have where sizes are symbols, and what has to hold of them.",
    "show": "Show an operator's clauses, or an obligation's claims, with the terms they became.",
    "trace": "Print what belongs together: tags of a page, clauses of the formal text beside it, proofs and tests.",
    "vectors": "Write test vectors of an operator, such as `sonnx.Max`, in the layout of ONNX's node tests.",
    "verify-evidence": "Check the hashes of an archive that `evidence` made, and decide all of it again.",
    "watch": "Check specifications, and again what changes, until Ctrl-C.",
}
"""The commands, each with the first line of its help."""


_PLACES = {
    "cache": "sonnx_verify.cli.cache:cache",
    "check": "sonnx_verify.cli.check:check",
    "conform": "sonnx_verify.cli.conform:conform",
    "counterexample": "sonnx_verify.cli.counterexample:counterexample",
    "coverage": "sonnx_verify.cli.coverage:coverage",
    "diff": "sonnx_verify.cli.diff:diff",
    "eval": "sonnx_verify.cli.eval:evaluate",
    "evidence": "sonnx_verify.cli.evidence:evidence",
    "explain": "sonnx_verify.cli.explain:explain",
    "export-smt": "sonnx_verify.cli.export_smt:export_smt",
    "fmt": "sonnx_verify.cli.fmt:fmt",
    "gaps": "sonnx_verify.cli.gaps:gaps",
    "lint": "sonnx_verify.cli.lint:lint",
    "list": "sonnx_verify.cli.list:list_",
    "lsp": "sonnx_verify.cli.lsp:lsp",
    "mutate": "sonnx_verify.cli.mutate:mutate",
    "new": "sonnx_verify.cli.new:new",
    "prove": "sonnx_verify.cli.prove:prove",
    "render": "sonnx_verify.cli.render:render",
    "report": "sonnx_verify.cli.report:report",
    "shape": "sonnx_verify.cli.shape:shape",
    "show": "sonnx_verify.cli.show:show",
    "trace": "sonnx_verify.cli.trace:trace",
    "vectors": "sonnx_verify.cli.vectors:vectors",
    "verify-evidence": "sonnx_verify.cli.verify_evidence:verify_evidence",
    "watch": "sonnx_verify.cli.watch:watch",
}
"""The function of each command, by its module, as an entry point of a package is written."""


def command(name: str) -> click.Command | None:
    """Import a command; None for a name that is none."""
    if name not in _PLACES:
        return None
    made: click.Command = resolve_name(_PLACES[name])
    return made


class Commands(click.Group):
    """Commands that are imported when they are asked for. `commands` has an entry for each, with its summary alone:
    lists of commands are made of these. To run a command, or for its options, `get_command` imports it."""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import the command of that name."""
        return command(name)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, by their summaries."""
        # A plain group lists its entries; this one would import each command first.
        click.Group(commands=self.commands).format_commands(context, formatter)

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command, by the summaries, or of an option."""
        listed = [entry for name, entry in sorted(self.commands.items()) if name.startswith(incomplete)]
        found = [CompletionItem(entry.name, help=entry.get_short_help_str()) for entry in listed]
        return found + click.Command.shell_complete(self, context, incomplete)

    def invoke(self, context: click.Context) -> object:
        """Run a command; an interrupt, also of its import, ends with 130."""
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            # 128 + SIGINT, as a shell reports it: click would end with 1, which here means a finding.
            from sonnx_verify.cli.options import tell

            tell("interrupted")
            sys.exit(130)


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
    cls=Commands,
    commands=[click.Command(name, help=summary) for name, summary in SUMMARIES.items()],
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show versions.")
def main() -> None:
    """Specify and verify the operators of SONNX, the safety-related profile of ONNX.

    Exit status: 0 everything holds or the question was answered; 1 a finding; 2 bad usage or bad input; 3 undecided.
    """
