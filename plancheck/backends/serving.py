"""Served models without their library: openai is loaded only where a server is asked."""

from plancheck.answering.ports import Server
from plancheck.backends.models import LockedModel


def open_server(model: LockedModel) -> Server:
    """See `plancheck.backends.served.server.open_server`."""
    from plancheck.backends.served import server

    return server.open_server(model)
