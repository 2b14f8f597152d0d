"""Trains the model (or, with --task, the extractor or a baseline): on one CPU, one GPU, several, or several machines.

accelerate launch scripts/train.py                                  # a small model on the sample league, minutes
accelerate launch scripts/train.py --config configs/paper.yaml      # the paper's setting on RotoWire-Modified
accelerate launch --config_file configs/accelerate/multi_gpu.yaml scripts/train.py --config configs/paper.yaml
accelerate launch scripts/train.py --epochs 3 --model.hidden_size 64 --no-writer --output_dir runs/try
accelerate launch scripts/train.py --resume                         # goes on where a run was stopped
"""

from stg.cli.console import exits_kindly, parser
from stg.training.settings import add_options, read_settings


@exits_kindly
def main() -> int:
    options = parser()
    add_options(options)
    settings = read_settings(options)
    # Imported late: --help and a mistyped setting answer at once.
    from stg.training.loop import train

    return train(settings)


if __name__ == "__main__":
    main()
