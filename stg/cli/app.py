"""Opens a page in the browser that writes and checks recaps beside their box scores, on this machine only.

Examples:
  stg app                                                    # http://127.0.0.1:8000
  stg app --games last_night.json --season season.json       # games to choose from; streaks and next games
  stg app --model modeling_stg/no_writer --port 8080 --no-browser

The server listens on the loopback address only and answers only its own page. Press Ctrl-C to stop it.
"""

import argparse
import warnings
import webbrowser
from collections.abc import Sequence

from modeling_stg.errors import GameWarning, StgError
from stg.cli.console import (
    GAMES_HELP,
    add_model_option,
    add_season_option,
    argument_parser,
    check_inputs,
    command,
)
from stg.files import project_path
from stg.loading import check_model


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("app", __doc__)
    parser.add_argument(
        "--games",
        nargs="+",
        type=project_path,
        metavar="FILE",
        help=f"to choose from, beside the examples: {GAMES_HELP}",
    )
    add_model_option(parser)
    purpose = "streaks, averages and next games become facts that recaps state and are checked with"
    add_season_option(parser, purpose, default="nba")
    parser.add_argument("--port", type=int, default=8000, help="port to listen on")
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    options = parser.parse_args(argv)
    check_inputs(options)
    check_model(options.model)
    if not 0 <= options.port < 65536:
        raise StgError(f"--port {options.port}: is not between 0 and 65535")
    return options


@command
def main(argv: Sequence[str] | None = None) -> None:
    options = parse_arguments(argv)
    warnings.simplefilter("ignore", GameWarning)
    from stg.app.server import HOST, serve  # late: it imports torch
    from stg.app.service import App

    server = serve(App(options.model, options.season, options.games), options.port)
    address = f"http://{HOST}:{server.server_address[1]}"
    print(f"Ready at {address}; press Ctrl-C to stop", flush=True)
    if not options.no_browser:
        webbrowser.open(address)
    with server:
        server.serve_forever()
