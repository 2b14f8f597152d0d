"""Prints a text while it is being generated."""

import os
import sys
from collections.abc import Callable
from typing import TextIO

import torch
from transformers.generation.streamers import BaseStreamer

from .errors import StgError
from .text import detokenize


HELD_BACK = 3  # tokens whose spacing may depend on what follows ("105", "-", "104")


class RecapStreamer(BaseStreamer):
    def __init__(self, read: Callable[[list[int]], list[str]], file: TextIO | None = None):
        """Prints to `file`, or to stdout; `read` turns sequence ids into the dataset's tokens."""
        self.read, self.file = read, file
        self.ids: list[int] = []
        self.printed = ""

    def put(self, value: torch.Tensor) -> None:
        if value.numel() != 1:
            raise StgError(f"streamer: {value.numel()} texts at once; stream a batch of one game")
        self.ids.append(int(value))
        tokens = self.read(self.ids)
        self._print(os.path.commonprefix([detokenize(tokens[:-HELD_BACK]), detokenize(tokens)]))

    def end(self) -> None:
        self._print(detokenize(self.read(self.ids)))
        print(file=self.file or sys.stdout, flush=True)
        self.ids, self.printed = [], ""

    def _print(self, text: str) -> None:
        if text.startswith(self.printed):
            print(text[len(self.printed) :], end="", file=self.file or sys.stdout, flush=True)
            self.printed = text
