"""Download buttons whose files no other user can be handed.

Streamlit names served files by a fingerprint of the file's name and content; above 1 MiB it reads only
samples of the content. So every name carries a part that belongs to this session alone.
"""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from pages.server import streamlit_internals
from pages.server.session_cleanup import NONCE
from scoring.common.text import csv_cell, file_name

TYPES = {
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "png": "image/png",
    "toml": "application/toml",
    "zip": "application/zip",
}
"""Ending of a file -> its media type."""


def nonce() -> str:
    """Eight hexadecimal digits, the same for all of a session and for no other."""
    return st.session_state.setdefault(NONCE, secrets.token_hex(4))


def session_name(stem: str, suffix: str) -> str:
    """`stem`, cleaned of everything that is not a letter or digit, the session's own part, and the suffix
    (without dot)."""
    return f"{file_name(stem)}-{nonce()}.{suffix}"


def forget_own() -> None:
    """Serve the downloads of this session no more; nothing to do outside of a server."""
    runtime = streamlit_internals.server()
    if runtime is not None:
        streamlit_internals.forget_downloads(runtime, st.session_state.get(NONCE))


def csv(table: pd.DataFrame, index: bool = True) -> bytes:
    """UTF-8 with a mark that spreadsheets need; text they would run as a formula is quoted, numbers are
    untouched."""
    safe = table.map(csv_cell).rename(columns=csv_cell)
    if index:
        safe.index = safe.index.map(csv_cell)
        safe.index.name = csv_cell(table.index.name)
    return safe.to_csv(index=index, lineterminator="\n").encode("utf-8-sig")


def button(label: str, content: Callable[[], bytes | str], name: str, key: str, **appearance) -> None:
    """Draw a download that is built when it is clicked and reruns nothing.

    name: of the file, to which the session's own part is added. appearance: arguments of `st.download_button`
    such as `type` and `help`.
    """
    stem, _, suffix = name.rpartition(".")
    st.download_button(
        label,
        content,
        session_name(stem, suffix),
        TYPES[suffix],
        key=key,
        on_click="ignore",
        icon=":material/download:",
        **appearance,
    )


def csv_button(
    table: pd.DataFrame | Callable[[], pd.DataFrame],
    stem: str,
    key: str,
    label: str = "CSV",
    index: bool = True,
) -> None:
    """Draw a download of a table. table: the table, or the function that builds it for the download."""

    def content() -> bytes:
        return csv(table() if callable(table) else table, index)

    button(label, content, f"{stem}.csv", key, type="tertiary")


def report_buttons(report: Callable[[], str], paper: Callable[[], bytes], stem: str) -> None:
    """Draw the downloads of a report and of its parts for a paper."""
    button("Report (HTML)", report, f"{stem}-report.html", "download_html")
    about = "Tables as LaTeX and CSV, figures as SVG, a paragraph on methods, BibTeX"
    button("For a paper (zip)", paper, f"{stem}-paper.zip", "download_paper", help=about)


def today() -> str:
    """Return the date of a report that is made now, in UTC."""
    return f"{datetime.now(UTC):%Y-%m-%d}"
