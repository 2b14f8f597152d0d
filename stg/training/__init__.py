"""Training: settings, data, the loop, checkpoints and the way to the Hub. Used by `scripts/train.py`."""
