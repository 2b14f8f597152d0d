"""The model as a Python package; as a Hub folder, the same files are loaded by `trust_remote_code`.

Import from the modules (`from modeling_stg.game import Game`): reading a box score then needs no torch.
"""
