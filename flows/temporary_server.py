"""The process of a temporary Prefect API server: ``python -m flows.temporary_server PARENT_PID``.

It chooses a free port on 127.0.0.1, prints it, and ends when its parent does.
"""

import socket
import sys

from plancheck.plumbing.lifeline import exit_with


def serve(parent: int) -> None:
    exit_with(parent)
    with socket.socket() as listener:
        # Bound before it is announced, so no other process can take the port in between.
        listener.bind(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)

        import uvicorn
        from prefect.server.api.server import create_app

        config = uvicorn.Config(
            create_app(ephemeral=True, final=True), log_level="error", lifespan="on", timeout_graceful_shutdown=2
        )
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    serve(int(sys.argv[1]))
