"""Download buttons for files that no other visitor can fetch.

Streamlit names served files by a fingerprint of name and content; above 1 MiB it reads only samples of the
content. So every name contains a random part that belongs only to this session.
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
"""File extension -> media type."""


def nonce() -> str:
    """Return eight hexadecimal digits, the same for a whole session and different for every other."""
    return st.session_state.setdefault(NONCE, secrets.token_hex(4))


def session_name(stem: str, suffix: str) -> str:
    """Return `stem` reduced to letters and digits, the session's own part, and the suffix (without dot)."""
    return f"{file_name(stem)}-{nonce()}.{suffix}"


def forget_own() -> None:
    """Stop serving the downloads of this session; do nothing outside a server."""
    runtime = streamlit_internals.server()
    if runtime is not None:
        streamlit_internals.forget_downloads(runtime, st.session_state.get(NONCE))


def csv(table: pd.DataFrame, index: bool = True) -> bytes:
    """Return UTF-8 with a mark that spreadsheets need; text that they would treat as a formula is quoted,
    numbers stay."""
    safe = table.map(csv_cell).rename(columns=csv_cell)
    if index:
        safe.index = safe.index.map(csv_cell)
        safe.index.name = csv_cell(table.index.name)
    return safe.to_csv(index=index, lineterminator="\n").encode("utf-8-sig")


def button(label: str, content: Callable[[], bytes | str], name: str, key: str, **appearance) -> None:
    """Draw a download that is built on click and does not rerun the page. name: of the file, to which the
    session's own part is added. appearance: arguments of `st.download_button` such as `type` and `help`."""
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
    """Draw a download of a table. table: the table, or a function that builds it."""

    def content() -> bytes:
        return csv(table() if callable(table) else table, index)

    button(label, content, f"{stem}.csv", key, type="tertiary")


def report_buttons(report: Callable[[], str], paper: Callable[[], bytes], stem: str) -> None:
    """Draw the downloads of a report and of its version for a paper."""
    button("Report (HTML)", report, f"{stem}-report.html", "download_html")
    about = "Tables as LaTeX and CSV, figures as SVG, a paragraph on methods, BibTeX"
    button("For a paper (zip)", paper, f"{stem}-paper.zip", "download_paper", help=about)


def today() -> str:
    """Return the date of a report made now, in UTC."""
    return f"{datetime.now(UTC):%Y-%m-%d}"
