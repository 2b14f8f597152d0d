"""The Gradio Space: writes recaps and checks them. `generate` and `check` are also tools of its MCP server."""

import functools
import json
from typing import Any

import gradio as gr

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.schema import STYLES
from stg.checking.alignment import recap_tokens
from stg.checking.report import check_report
from stg.files import shipped
from stg.writing import RecapWriter


EXAMPLES = [shipped(f"examples/{name}.json").read_text("utf-8") for name in ("bucks_at_knicks", "sample_league")]
MAX_CHARACTERS = 200_000  # of a box score, which has about 20,000, and of a text
TEXT = "The Milwaukee Bucks edged the New York Knicks, 105-104, on Thursday. Giannis Antetokounmpo had 27 points."


@functools.cache
def writer() -> RecapWriter:
    """Loaded by the first request, so that the page opens at once."""
    return RecapWriter()


def read_game(box_score: str) -> Game:
    if len(box_score) > MAX_CHARACTERS:
        raise StgError(f"box score: {len(box_score):,} characters is too long; the limit is {MAX_CHARACTERS:,}")
    try:
        data = json.loads(box_score)
    except (ValueError, RecursionError) as error:
        raise StgError(f"box score: is not JSON ({error}); give the RotoWire JSON of one game") from None
    return Game.from_json(data[0] if isinstance(data, list) and len(data) == 1 else data)


def shown_errors(function):
    """Shows a user's mistake as it is; any other error stays hidden behind Gradio's own message."""

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except StgError as error:
            raise gr.Error(" ".join(str(error).split()), print_exception=False) from None

    return run


@shown_errors
def generate(box_score: str, style: str = STYLES[0], seed: int = 0) -> tuple[str, list[dict]]:
    """Write a recap of an NBA game; the checker reads every sentence.

    Args:
        box_score: The game as JSON in RotoWire's format.
        style: How to write it: wire, story, players, numbers, plain or season.
        seed: Another seed gives another text.

    Returns:
        The recap, and every name and number in it with the cell or formula that it comes from.
    """
    recap = writer().write(read_game(box_score), style=style, seed=int(seed))
    return recap.text, [token for token in recap.tokens if token["form"]]


@shown_errors
def check(box_score: str, text: str) -> tuple[str, list[dict]]:
    """Check a recap of an NBA game against its box score: every number, and many names and words.

    Args:
        box_score: The game as JSON in RotoWire's format.
        text: The recap, as plain text.

    Returns:
        A summary, and the claims: verdict (true, false or unknown), the words, and the truth where they are false.
    """
    if not text.strip() or len(text) > MAX_CHARACTERS:
        raise StgError(f"text: {len(text):,} characters; give between 1 and {MAX_CHARACTERS:,}")
    game, tokens = read_game(box_score), recap_tokens(text)
    report = check_report(game, text, tokens, writer().checker.check(tokens, game))
    return report["summary"], report["findings"]


with gr.Blocks(title="Select, Track, Generate") as demo:
    gr.Markdown(
        "# Select, Track, Generate\nA box score in, a recap out; every number is a fact. And a checker for any text."
    )
    game = gr.Code(EXAMPLES[0], language="json", label="Box score (RotoWire's JSON)", max_lines=12)
    gr.Examples(
        [[example] for example in EXAMPLES], [game], example_labels=["Bucks at Knicks", "A sample league game"]
    )
    with gr.Tab("Generate"):
        style = gr.Dropdown(list(STYLES), value=STYLES[0], label="Style")
        seed = gr.Number(0, precision=0, label="Seed")
        write = gr.Button("Write", variant="primary")
        recap, facts = gr.Textbox(label="Recap", lines=8), gr.JSON(label="Facts behind it")
        write.click(generate, [game, style, seed], [recap, facts], api_name="generate")
    with gr.Tab("Check"):
        claimed = gr.Textbox(TEXT, label="Recap to check", lines=6)
        judge = gr.Button("Check", variant="primary")
        summary, findings = gr.Textbox(label="Summary"), gr.JSON(label="Claims")
        judge.click(check, [game, claimed], [summary, findings], api_name="check")


if __name__ == "__main__":
    demo.launch(mcp_server=True)
