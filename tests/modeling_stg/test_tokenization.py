"""The tokenizer shows the records that a text states by name; nothing is dropped."""

import subprocess
import sys

import pytest
import torch
from transformers import TextStreamer

from modeling_stg.processing_stg import StgProcessor
from modeling_stg.tokenization_stg import StgTokenizer


@pytest.fixture
def sequence(processor) -> list[int]:
    """ "<the visitor's city> won . <the home team's points, as a word> <a point of player 3> <EoD>"."""
    layout, words = processor.layout, processor.tokenizer.get_vocab()
    team, player = processor.team_attributes, processor.player_attributes
    records = [
        layout.record_id(1, team.index("TEAM-CITY"), False),
        layout.record_id(0, team.index("TEAM-PTS"), True),
        layout.record_id(4, player.index("PTS"), False),
    ]
    return [records[0], words["won"], words["."], *records[1:], layout.eos_token_id]


SHOWN = "[visitor TEAM-CITY] won . [home TEAM-PTS] [player 3 PTS]"


def test_records_are_shown_by_name(processor, sequence):
    tokenizer = processor.tokenizer
    assert tokenizer.decode(sequence) == f"{SHOWN} <EoD>"
    assert tokenizer.batch_decode(torch.tensor([sequence]), skip_special_tokens=True) == [SHOWN]
    assert tokenizer.convert_ids_to_tokens(sequence)[:2] == ["[visitor TEAM-CITY]", "won"]
    assert tokenizer.decode(sequence[1]) == "won" and tokenizer.decode(sequence[0]) == "[visitor TEAM-CITY]"


def test_foreign_streamer_prints_every_record(processor, sequence, capsys):
    streamer = TextStreamer(processor.tokenizer, skip_special_tokens=True)
    for token in sequence:
        streamer.put(torch.tensor([token]))
    streamer.end()
    assert capsys.readouterr().out == f"{SHOWN}\n"


def test_words_are_encoded_and_decoded_as_before(processor):
    words = "the bench won .".split()
    known = [word for word in words if word in processor.tokenizer.get_vocab()]
    assert processor.tokenizer.decode(processor.tokenizer(" ".join(known))["input_ids"]) == " ".join(known)


def test_saved_processors_keep_the_names(processor, sequence, tmp_path):
    processor.save_pretrained(tmp_path)
    assert StgTokenizer.from_pretrained(tmp_path).decode(sequence) == f"{SHOWN} <EoD>"
    again = StgProcessor.from_pretrained(tmp_path, trust_remote_code=False)
    assert type(again.tokenizer) is StgTokenizer and again.tokenizer.decode(sequence) == f"{SHOWN} <EoD>"


@pytest.mark.parametrize("subfolder", ["", "rotowire", "no_writer"])
def test_shipped_tokenizers_need_nothing_but_their_folder(root, tmp_path, subfolder):
    """In a process of its own that has not imported this package."""
    program = """
import sys
from transformers import AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained(sys.argv[1], subfolder=sys.argv[2], trust_remote_code=True)
print(tokenizer.decode([len(tokenizer)]), type(tokenizer).__module__.split(".")[0])
"""
    command = [sys.executable, "-c", program, "modeling_stg", subfolder]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.split("] ")[1].strip() == "transformers_modules", done.stderr
    assert done.stdout.startswith("[home ")
