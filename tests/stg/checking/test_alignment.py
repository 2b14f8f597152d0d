"""Tokens are found in the text as written."""

from modeling_stg.text import tokenize
from stg.checking.alignment import character_spans


def test_alignment_with_both_kinds_of_quotation_marks():
    text = "`` We won , '' said Greg Monroe , who is 6'11\" tall and had nine rebounds ."
    tokens = tokenize(text)
    assert text[slice(*character_spans(text, tokens)[tokens.index("nine")])] == "nine"


def test_alignment_with_typographic_text():
    text = 'Rose ("D.Rose") scored 15 –  a 105–104 loss; it was n\'t enough.\n\nThe end.'
    tokens = tokenize(text)
    pieces = [text[start:end] for start, end in character_spans(text, tokens)]
    plain = [{"``": '"', "''": '"'}.get(token, token) for token in tokens]
    assert [part.replace("–", "-") for part in pieces] == [part.replace("–", "-") for part in plain]
