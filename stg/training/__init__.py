"""Training for all models: settings, data, the loop, checkpoints, release. The command is `stg train`."""
