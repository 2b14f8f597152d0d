"""Everything around the model: extraction, checking, metrics, baselines, training, analysis, app and command line."""
