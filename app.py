"""App: navigation, guards and page style; start it with `streamlit run app.py`.

Imports the modules that pages need, once, and starts `pages.server.navigation`, which lists the pages.
"""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import streamlit as st
from starlette.middleware import Middleware

from pages.input_widgets.upload_quota import UploadQuotaMiddleware
from pages.server import access, preload, request_guard, session_cleanup, streamlit_internals
from pages.server.login_cookies import LoginCookiesMiddleware
from pages.server.login_redirect import LoginRedirectMiddleware
from pages.server.page_style import PageStyleMiddleware
from pages.server.request_guard import RequestGuardMiddleware


@asynccontextmanager
async def warm(_app):
    """Import all modules and draw a page before the first visitor, so that no visitor waits for imports. The
    server does not start if the process that reads files cannot start."""
    from scoring.common import limits, transport
    from scoring.inference.reader_pool import LIMITS, ReaderPool
    from scoring.inference.worker_results import ModelFailed

    preload.preload()
    from pages.challenge import challenge_page  # noqa: F401

    request_guard.require_confinement()
    preload.tune_garbage_collection()
    limits.raise_descriptors()
    readers = ReaderPool(LIMITS)
    boards = ReaderPool(replace(LIMITS, decoders=(f"{BOARDS}bundles.bundle_worker",)), 1, IMPORT)
    of_isic = ReaderPool(replace(LIMITS, decoders=(f"{ISIC}official_rejections", "pandas")), 1)
    pools = {BOARDS: boards, ISIC: of_isic}

    def run(name: str, arguments: tuple) -> Any:
        return next((pools[start] for start in pools if name.startswith(start)), readers).run(name, arguments)

    transport.use(run)
    try:
        await asyncio.to_thread(readers.warm)
    except (ModelFailed, OSError):
        _end("The confined process that reads files cannot start: `benchside doctor` says what is missing.")
    departures = asyncio.create_task(session_cleanup.watch())
    print(f"Benchside is open at {streamlit_internals.address()}", flush=True)
    yield
    departures.cancel()


def _end(why: object) -> NoReturn:
    """End the server with one sentence, because Python would print a traceback for an exception."""
    print(why, file=sys.stderr, flush=True)
    os._exit(2)


BOARDS, ISIC = "scoring.boards.", "scoring.challenges.isic."
"""Prefixes of the modules that read exported boards and tables for the official ISIC scorer. Their reader
processes need 3 s to start, so each process starts when its first file arrives."""
IMPORT = "Import it on the command line: `benchside board import`."


try:  # before Streamlit reads the same secrets, which answers every request by an error where it cannot
    access.begin()
except SystemExit as stopped:
    _end(stopped)
app = st.App(
    Path(__file__).parent / "pages" / "server" / "navigation.py",
    lifespan=warm,
    middleware=[
        Middleware(RequestGuardMiddleware),
        Middleware(PageStyleMiddleware),
        Middleware(UploadQuotaMiddleware),
        Middleware(LoginRedirectMiddleware),
        Middleware(LoginCookiesMiddleware),
    ],
)
