"""Packets for a blind reading: a game's fact sheet and, in random order, the texts of several systems about it."""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from modeling_stg.errors import StgError
from modeling_stg.game_facts import GameFacts
from modeling_stg.text import detokenize, tokenize
from stg.reading.fact_sheet import fact_sheet
from stg.reading.forms import blank_form, form_name


INSTRUCTIONS = Path(__file__).with_name("instructions.md")
_STRAIGHT_QUOTES = str.maketrans("‘’“”", "''\"\"")


class Packet(NamedTuple):
    """One game to read about.

    Args:
        facts: the game.
        systems: which system each text is by: {"Text 1": "ours", "Text 2": "people"}.
        texts: the texts by the same labels, as plain prose.
    """

    facts: GameFacts
    systems: dict[str, str]
    texts: dict[str, str]


def draw_packets(
    games: Sequence[GameFacts], texts: Mapping[str, Sequence[str]], count: int, seed: int
) -> list[Packet]:
    """Draws games about which every system has written, and shuffles the texts of each.

    Args:
        games: the games to draw from.
        texts: for every system a text for each game, plain or tokenized, in the same order; "" where it has none.
        count: how many games to draw.
        seed: decides the games and the order of their texts.

    Returns:
        The packets, in random order.

    Example:
        >>> packets = draw_packets(games, {"ours": ours, "people": summaries}, 30, seed=1)
    """
    complete = [at for at in range(len(games)) if all(written[at].strip() for written in texts.values())]
    if count > len(complete):
        raise StgError(
            f"--n {count}: only {len(complete)} of {len(games)} games have a text of every system; "
            "give a smaller number, or more texts"
        )
    generator = random.Random(seed)
    packets = []
    for at in generator.sample(complete, count):
        order = generator.sample(sorted(texts), len(texts))
        systems = {f"Text {number}": system for number, system in enumerate(order, 1)}
        shown = {label: plain_prose(texts[system][at]) for label, system in systems.items()}
        packets.append(Packet(games[at], systems, shown))
    return packets


def plain_prose(text: str) -> str:
    """A text as one paragraph. Plain texts are tokenized too: neither layout nor punctuation may betray a system."""
    return detokenize(tokenize(text.translate(_STRAIGHT_QUOTES)))


def packet_files(packets: Sequence[Packet]) -> dict[str, str]:
    """What readers get, by file name: the instructions, and a packet and a form for each game."""
    files = {"INSTRUCTIONS.md": INSTRUCTIONS.read_text(encoding="utf-8")}
    for number, packet in enumerate(packets, 1):
        form = form_name(number, len(packets))
        files[form.replace("form", "packet").replace(".json", ".md")] = _render(number, packet)
        files[form] = _json(blank_form(number, packet.texts))
    return files


def key_file(packets: Iterable[Packet], **made_with: Any) -> str:
    """What readers must not see: which system wrote which text of which game, and how the packets were made."""
    rows = [
        {"packet": number, "game_id": packet.facts.game.game_id, "texts": packet.systems}
        for number, packet in enumerate(packets, 1)
    ]
    return _json({**made_with, "packets": rows})


def _render(number: int, packet: Packet) -> str:
    parts = [f"# Packet {number}", "## Fact sheet", f"```\n{fact_sheet(packet.facts)}```"]
    for label, text in packet.texts.items():
        parts += [f"## {label}", text]
    return "\n\n".join(parts) + "\n"


def _json(data: Any) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
