"""A page in the browser: a game's recap beside its box score, written or checked, on this machine alone.

python scripts/app.py                                     # opens http://127.0.0.1:8000
python scripts/app.py --model modeling_stg/no_writer --port 8080 --no-browser --season season.json

It listens on the loopback address only and answers nobody but the page that it serves. Ctrl-C ends it.
"""

import argparse
import warnings
import webbrowser

from modeling_stg.errors import GameWarning
from stg.app.server import HOST, App, serve
from stg.cli.console import exits_kindly, parser


def arguments() -> argparse.Namespace:
    options = parser()
    options.add_argument("--model", default="modeling_stg", metavar="DIR", help="default: %(default)s")
    options.add_argument("--season", metavar="FILE", help="other games of the season, for checking; see check.py")
    options.add_argument("--port", type=int, default=8000, help="default: %(default)s")
    options.add_argument("--no-browser", action="store_true", help="do not open the page")
    return options.parse_args()


@exits_kindly
def main() -> None:
    given = arguments()
    warnings.simplefilter("ignore", GameWarning)
    server = serve(App(given.model, given.season), given.port)
    address = f"http://{HOST}:{server.server_address[1]}"
    print(f"{address} is ready; Ctrl-C ends it", flush=True)
    if not given.no_browser:
        webbrowser.open(address)
    with server:
        server.serve_forever()


if __name__ == "__main__":
    main()
