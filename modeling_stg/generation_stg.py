"""Algorithm 1: tracker-driven decoding."""


class TrackedGeneration:
    """`generate` for a model with a tracker."""
