"""The process of a lasting Prefect server with its UI: ``python -m flows.lasting_server PARENT_PID PORT``.

It listens on 127.0.0.1 alone, prints its port (a free one for 0), shows the folder reports under /reports, so that
pages can link to it, and ends when its parent does.
"""

import socket
import sys
from typing import Final

from plancheck.plumbing.lifeline import exit_with

# The browser asks no other server for anything: Prefect's V2 UI asks a service of statistics, though they are off.
INSIDE: Final = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"


def serve(parent: int, port: int) -> None:
    exit_with(parent)
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Bound before it is announced, so no other process can take the port in between.
        listener.bind(("127.0.0.1", port))
        print(listener.getsockname()[1], flush=True)

        import uvicorn
        from prefect.server.api.server import create_app
        from starlette.routing import Mount
        from starlette.staticfiles import StaticFiles

        app = create_app(final=True)
        # Before the UI, which takes every path.
        app.router.routes.insert(0, Mount("/reports", StaticFiles(directory="reports", html=True, check_dir=False)))
        config = uvicorn.Config(
            app,
            log_level="error",
            lifespan="on",
            timeout_graceful_shutdown=2,
            headers=[("Content-Security-Policy", INSIDE)],
        )
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    serve(*map(int, sys.argv[1:]))
