"""The `stg` command: one subcommand per task, each in a module of its own that is imported only when it is called."""

import importlib
import sys


COMMANDS = {
    "generate": "write recaps of games, every number traced to its cell of the box score",
    "check": "check recaps against their box scores",
    "score": "score summaries: RG, CS, CO, BLEU, repetition and sanity",
    "app": "open a page that writes and checks recaps, on this machine only",
    "demo": "show the project at work",
    "train": "train the model, the extractor or a baseline",
    "annotate": "find which record every name and number of a summary states",
    "figures": "draw the paper's figures",
    "build": "build RotoWire-Modified from its sources",
    "league": "make the sample league anew",
    "ship": "copy a trained model into the package",
    "push_to_hub": "upload a finished model folder, or the dataset's card, to the Hub",
    "results": "put results/ into the docs",
    "score_system": "make results/NAME: texts, scores, log and commands of one system",
    "score_checker": "score the checker on annotated recaps",
    "compare_choices": "compare ways of choosing among sampled texts",
    "compare_rewrites": "compare numbers of rewrites",
}


def usage() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {summary}" for name, summary in COMMANDS.items()]
    return "\n".join(["usage: stg COMMAND [options]", "", *lines, "", "stg COMMAND --help says more, with examples"])


def main() -> None:
    """Runs the subcommand that the command line names; its own arguments follow it."""
    name, *rest = sys.argv[1:] or ["--help"]
    if name in ("-h", "--help"):
        print(usage())
        return
    if name not in COMMANDS:
        print(f"error: {name!r} is not a command; commands are {', '.join(COMMANDS)}", file=sys.stderr)
        sys.exit(2)
    sys.argv = [f"stg {name}", *rest]
    importlib.import_module(f"stg.cli.{name}").main()
