"""The command line. It holds no logic: each command gathers its arguments, calls what works, and prints.

A command is a module of this package: its options, its help and the function that runs. A module is imported when its
command is run, and only then, so that neither `--help` nor another command waits for what it needs.
"""

from __future__ import annotations

import sys

import click
from click.shell_completion import CompletionItem

from sonnx_verify.version import __version__

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


def command(name: str) -> click.Command | None:
    """Import a command; None for a name that is none."""
    match name:
        case "cache":
            from sonnx_verify.cli.cache import cache

            return cache
        case "check":
            from sonnx_verify.cli.check import check

            return check
        case "conform":
            from sonnx_verify.cli.conform import conform

            return conform
        case "counterexample":
            from sonnx_verify.cli.counterexample import counterexample

            return counterexample
        case "coverage":
            from sonnx_verify.cli.coverage import coverage

            return coverage
        case "diff":
            from sonnx_verify.cli.diff import diff

            return diff
        case "eval":
            from sonnx_verify.cli.eval import evaluate

            return evaluate
        case "evidence":
            from sonnx_verify.cli.evidence import evidence

            return evidence
        case "explain":
            from sonnx_verify.cli.explain import explain

            return explain
        case "export-smt":
            from sonnx_verify.cli.export_smt import export_smt

            return export_smt
        case "fmt":
            from sonnx_verify.cli.fmt import fmt

            return fmt
        case "gaps":
            from sonnx_verify.cli.gaps import gaps

            return gaps
        case "lint":
            from sonnx_verify.cli.lint import lint

            return lint
        case "list":
            from sonnx_verify.cli.list import list_

            return list_
        case "lsp":
            from sonnx_verify.cli.lsp import lsp

            return lsp
        case "mutate":
            from sonnx_verify.cli.mutate import mutate

            return mutate
        case "new":
            from sonnx_verify.cli.new import new

            return new
        case "prove":
            from sonnx_verify.cli.prove import prove

            return prove
        case "render":
            from sonnx_verify.cli.render import render

            return render
        case "report":
            from sonnx_verify.cli.report import report

            return report
        case "shape":
            from sonnx_verify.cli.shape import shape

            return shape
        case "show":
            from sonnx_verify.cli.show import show

            return show
        case "trace":
            from sonnx_verify.cli.trace import trace

            return trace
        case "vectors":
            from sonnx_verify.cli.vectors import vectors

            return vectors
        case "verify-evidence":
            from sonnx_verify.cli.verify_evidence import verify_evidence

            return verify_evidence
        case "watch":
            from sonnx_verify.cli.watch import watch

            return watch
        case _:
            return None


class Commands(click.Group):
    """Commands that are imported when they are asked for. `commands` has an entry for each, with its summary alone:
    lists of commands are made of these. To run a command, or for its options, `get_command` imports it."""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import the command of that name."""
        return command(name)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, by their summaries."""
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
            from sonnx_verify.cli.options import tell

            tell("interrupted")
            sys.exit(130)


def _version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the versions of the tool and of the solvers, and end."""
    if asked:
        from sonnx_verify.solving.solvers import Solvers

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
