"""The STG model. The same files are a Python package and, with the weights beside them, a Hub repository.

Import from the modules (`from modeling_stg.game import Game`): reading a box score then does not load torch.
"""
