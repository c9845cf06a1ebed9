"""The command `benchside app`: opens the pages in a browser, from a checkout or an installed package."""

import os
import runpy
import socket
import sys
from argparse import Namespace
from importlib.util import find_spec
from pathlib import Path

from scoring.cli.refusing_parser import Parser
from scoring.common.findings import Finding, InputRefused, error

LIBRARY = Path(__file__).parents[1]
FOLDERS = LIBRARY.parent, LIBRARY.parent / "benchside_app"
"""Folders that may contain `app.py`: in a checkout, and in an installed package."""
HOST, PORT = "localhost", 8501


def fill(command: Parser) -> None:
    """Add the arguments of `benchside app` to its parser."""
    command.add_argument("--port", type=int, default=PORT, metavar="N", help=f"port (default {PORT})")
    about = f"address to listen on (default {HOST}: only this machine)"
    command.add_argument("--host", default=HOST, metavar="ADDRESS", help=about)
    about = "the address that visitors use, for a server that other machines can reach"
    command.add_argument("--name", metavar="NAME", help=about)
    about = "folder of boards and history (default: BENCHSIDE_STORE, or your own data folder)"
    command.add_argument("--store", metavar="FOLDER", help=about)
    command.add_argument("--headless", action="store_true", help="do not open a browser")


def run(arguments: Namespace) -> None:
    """Serve the app until it is stopped. Raises InputRefused if it cannot start."""
    if arguments.store:
        os.environ["BENCHSIDE_STORE"] = arguments.store
    problems = [*_missing(), *_exposed(arguments), *_taken(arguments), *_unwritable()]
    if problems:
        raise InputRefused(problems)
    sys.argv = ["streamlit", *streamlit_arguments(arguments)]
    runpy.run_module("streamlit", run_name="__main__")


def streamlit_arguments(arguments: Namespace) -> list[str]:
    """Return the arguments for Streamlit's command line."""
    script = next(folder / "app.py" for folder in FOLDERS if (folder / "app.py").exists())
    settings = {
        "server.address": arguments.host,
        "server.port": arguments.port,
        "server.headless": str(arguments.headless).lower(),
        "server.fileWatcherType": "none",
        "browser.serverAddress": arguments.name or arguments.host,
    }
    return ["run", str(script), *(f"--{name}={value}" for name, value in settings.items())]


def _missing() -> list[Finding]:
    if not any((folder / "app.py").exists() for folder in FOLDERS):
        message = (
            "the pages are not installed: install Benchside's wheel, or run this command in a clone of the "
            "repository."
        )
    elif find_spec("streamlit") is None:
        message = 'the app needs Streamlit, which is not installed: pip install "benchside[app]".'
    else:
        return []
    return [error("app-not-installed", "app", message)]


def _exposed(arguments: Namespace) -> list[Finding]:
    """Refuse an address that other machines can reach, unless the name that visitors use is given."""
    if arguments.name or arguments.host in (HOST, "127.0.0.1", "::1"):
        return []
    message = (
        f"other machines could reach {arguments.host}. Put a proxy with a login in front of the server, and "
        "give the visitors' address with --name. For use on this machine only, leave --host out."
    )
    return [error("bad-option", "--host", message)]


def _taken(arguments: Namespace) -> list[Finding]:
    """Refuse a port or address on which the server cannot listen."""
    if not 1 <= arguments.port <= 65535:
        return [
            error("bad-option", "--port", f"{arguments.port} is not a port: give a number from 1 to 65535.")
        ]
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            arguments.host, arguments.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind) as probe:
            if os.name == "posix":  # a port that a server left a moment ago is free
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except socket.gaierror:
        return [error("bad-option", "--host", f"{arguments.host!r} is not an address of this machine.")]
    except OSError as refused:
        where = f"{arguments.host}:{arguments.port}"
        message = f"cannot listen on {where}: {refused.strerror}. Try another --port."
        return [error("port-unusable", "--port", message)]
    return []


def _unwritable() -> list[Finding]:
    """Refuse a folder in which boards and history cannot be stored. An existing store is accepted, even if it
    can only be read."""
    from scoring.store.database import is_there, store_folder

    folder = store_folder()
    nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if is_there() or (nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)):
        return []
    message = "nothing can be written there: name another folder with --store."
    return [error("store-read-only", str(folder), message)]
