"""Trains the model or, with --task, the extractor or a baseline, on CPUs, GPUs or several machines.

Examples:
  accelerate launch scripts/train.py                               # a small model on the sample league, in minutes
  accelerate launch scripts/train.py --config configs/paper.yaml   # the paper's settings on RotoWire-Modified
  accelerate launch --config_file configs/accelerate/multi_gpu.yaml scripts/train.py --config configs/paper.yaml
  accelerate launch scripts/train.py --epochs 3 --model.hidden_size 64 --no-writer --output_dir runs/try
  accelerate launch scripts/train.py --resume                      # continue an interrupted run

In a single process, `stg train` does the same as `accelerate launch scripts/train.py`.
"""

from collections.abc import Sequence

from stg.cli.console import argument_parser, command
from stg.training.settings import add_options, read_settings


@command
def main(argv: Sequence[str] | None = None) -> int:
    parser = argument_parser("train", __doc__)
    add_options(parser)
    settings = read_settings(parser, argv)
    # Imported late, so that --help and mistyped settings answer at once.
    from stg.training.loop import train

    return train(settings)
