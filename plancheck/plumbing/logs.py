"""What the programs of this project print while they work."""

import logging
import sys


def set_up_logging(level: int = logging.INFO) -> None:
    """Print the records of the ``plancheck`` logger to stderr: coloured in a terminal, plain lines elsewhere.

    Calling it again changes the level only. Prefect's records of runs go to its server and not to the console:
    they would repeat our own messages, with tracebacks.
    """
    logger = logging.getLogger("plancheck")
    logger.setLevel(level)
    logger.propagate = False
    for runs in ("prefect.flow_runs", "prefect.task_runs"):
        logging.getLogger(runs).propagate = False
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    for worker in ("APILogWorker", "EventsWorker"):
        logging.getLogger(worker).setLevel(logging.ERROR)
    if not any(handler.get_name() == "plancheck" for handler in logger.handlers):
        handler = terminal_handler() if sys.stderr.isatty() else plain_handler()
        handler.set_name("plancheck")
        logger.addHandler(handler)


def terminal_handler() -> logging.Handler:
    # Outside a terminal, as under DVC, no stage waits for it.
    from rich.console import Console
    from rich.logging import RichHandler

    return RichHandler(console=Console(stderr=True), show_path=False, show_level=False, log_time_format="%H:%M:%S")


def plain_handler() -> logging.Handler:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S"))
    return handler
