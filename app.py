"""Start with `streamlit run app.py`.

Imports what pages need, once, and hands over to the module that names the pages.
"""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from pages.shared import access, exposure, garbage, kept_settings, leaving
from pages.shared.logins import LoginWays
from pages.shared.origins import OwnOrigins
from pages.shared.private_routes import PrivateRoutes
from pages.shared.uploads import UploadQuota


@asynccontextmanager
async def warm(_app):
    """Import and draw once before the first visitor, then keep all of it out of the garbage collector's
    rounds. A mistake in the settings of logins ends the start."""
    try:
        access.begin()
    except SystemExit as stopped:  # raised further, the server would print where it came from
        print(stopped, file=sys.stderr, flush=True)
        os._exit(2)
    from scoring import preload
    from scoring.common import host
    from scoring.inference import stale_folders

    preload.preload()
    from pages.shared import challenge_page  # noqa: F401

    exposure.require_confinement()
    garbage.keep_short()
    kept_settings.keep()
    host.raise_descriptors()
    stale_folders.sweep()
    departures = asyncio.create_task(leaving.watch())
    yield
    departures.cancel()


app = st.App(
    Path(__file__).parent / "pages" / "shared" / "navigation.py",
    lifespan=warm,
    middleware=[
        Middleware(OwnOrigins),
        Middleware(PrivateRoutes),
        Middleware(UploadQuota),
        Middleware(LoginWays),
    ],
)
