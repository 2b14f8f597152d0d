"""The Hub's client, bounded: no request waits for ever, and no message shows the token."""

import huggingface_hub
from huggingface_hub.utils._http import default_client_factory


TIMEOUT = 60.0  # seconds without a byte from the Hub; the client's default is to wait for ever
LONGEST_REASON = 300  # characters


def limit_waiting() -> None:
    """Gives all later requests of this process a timeout."""
    huggingface_hub.set_client_factory(_client)


def _client():
    client = default_client_factory()
    client.timeout = TIMEOUT
    return client


def reason_without_token(error: object) -> str:
    """An error's message on one short line, with the token masked before anything is cut."""
    text, token = " ".join(str(error).split()), huggingface_hub.get_token()
    return (text.replace(token, "***") if token else text)[:LONGEST_REASON] or type(error).__name__
