"""Generates many games in one process and prints how the memory grows.

  python -m tests.robustness.memory --games 5000

The model is the tests' tiny one, so that thousands of games take minutes; the code is the same for every model.
"""

import argparse
import gc
import sys
from pathlib import Path

import torch

from tests.helpers import tiny_model


BATCH = 50
ALLOWED = 1.05


def resident() -> float:
    """Megabytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=5000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    model, processor, games = tiny_model.trained_model(), tiny_model.processor(), tiny_model.league()
    base, done = 0.0, 0
    while done < options.games:
        batch = [games[(done + offset) % len(games)] for offset in range(BATCH)]
        sequences = model.generate(**processor(batch), max_new_tokens=60)
        processor.batch_decode(sequences, batch)
        processor.trace(sequences, batch)
        done += BATCH
        if done == max(BATCH, options.games // 5 // BATCH * BATCH):
            gc.collect()
            base = resident()
            print(f"after {done:,} games: {base:.0f} MB", flush=True)
    gc.collect()
    end = resident()
    print(f"after {done:,} games: {end:.0f} MB, {100 * (end / base - 1):+.1f}%")
    return int(end > ALLOWED * base)


if __name__ == "__main__":
    sys.exit(main())
