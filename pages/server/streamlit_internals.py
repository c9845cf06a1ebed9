"""Private parts of Streamlit that pages use, one function each: a release may change them without notice.

`tests/pages/server/test_streamlit_internals.py` names each one, so that an upgrade shows which is missing.
"""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st
from streamlit.auth_util import get_cookie_with_chunks, set_cookie_with_chunks
from streamlit.dataframe_util import convert_pandas_df_to_arrow_table
from streamlit.elements.lib.column_types import ColumnConfig
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec
from streamlit.web.server.server_util import get_cookie_secret, get_url
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value, decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import TOKENS_COOKIE_NAME as TOKENS_COOKIE
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME as USER_COOKIE

__all__ = [
    "TOKENS_COOKIE",
    "USER_COOKIE",
    "AppSession",
    "BackMsg",
    "ColumnConfig",
    "MemoryUploadedFileManager",
    "Runtime",
    "UploadedFile",
]
ATTRIBUTES_BYTES = 200
"""Bytes reserved for the attributes after a cookie's value."""


def current_run() -> Any | None:
    """Return an object that is unique to each run, None outside a run: Streamlit has no name for a run."""
    context = get_script_run_ctx(suppress_warning=True)
    return context and context.parallel_coordinator


def current_session() -> str | None:
    """Return the server's name of the current session, None outside one: `st.session_state` lacks it."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else None


def server() -> Runtime | None:
    """Return the server, None outside one."""
    return Runtime.instance() if Runtime.exists() else None


def address() -> str:
    """Return the address that visitors open, with the port that the server took."""
    return get_url(st.get_option("browser.serverAddress"))


def presence() -> Callable[[], bool]:
    """Return a function that tells whether this session is connected; outside a server it always is."""
    session, runtime = current_session(), server()
    if session is None or runtime is None:
        return lambda: True
    return lambda: runtime.is_active_session(session)


def disconnected_sessions(runtime: Runtime) -> Mapping[str, AppSession]:
    """Return the disconnected sessions that Streamlit keeps, by id: it frees them too late."""
    stored = runtime._session_mgr._session_storage.list()  # type: ignore[attr-defined]
    return {info.session.id: info.session for info in stored}


def sessions(runtime: Runtime) -> list[AppSession]:
    """Return all sessions, connected or not: their uploads count for the server's quota."""
    return [info.session for info in runtime._session_mgr.list_sessions()]


def connected_session(runtime: Runtime, session_id: str) -> AppSession | None:
    """Return a connected session; None if it is not connected."""
    info = runtime._session_mgr.get_active_session_info(session_id)
    return info.session if info else None


def n_connected(runtime: Runtime) -> int:
    """Return the number of connected sessions."""
    return len(runtime._session_mgr.list_active_sessions())


def state_of(session: AppSession) -> Mapping[str, Any]:
    """Return the state of any session; `st.session_state` offers only the current session's."""
    return session.session_state.filtered_state


def run_again(session: AppSession) -> None:
    """Rerun the page of a session unchanged, because a refused upload starts no run."""
    session.request_rerun(session._client_state)


def takes_files(session: AppSession) -> bool:
    """Return whether a session shows a widget that accepts files: others have no reason to upload."""
    widgets = session.session_state._new_widget_state.widget_metadata
    return any(entry.value_type == "file_uploader_state_value" for entry in list(widgets.values()))


def files_of_widgets(session: AppSession) -> set[str] | None:
    """Return ids of the uploads in a session's widgets; None while its script runs."""
    if session._scriptrunner is not None:
        return None
    widgets = session._client_state.widget_states.widgets
    return {
        entry.file_id for widget in widgets for entry in widget.file_uploader_state_value.uploaded_file_info
    }


def upload_manager(runtime: Runtime) -> MemoryUploadedFileManager:
    """Return the manager that holds uploads in memory."""
    manager: Any = runtime.uploaded_file_mgr
    return manager  # type: ignore[no-any-return]


@contextmanager
def uploads_of(runtime: Runtime, session_id: str) -> Iterator[dict[str, UploadedFileRec]]:
    """Yield the stored uploads of a session by id, under a lock, so that they can be renamed and measured."""
    manager = upload_manager(runtime)
    with manager._lock:
        yield manager.file_storage.get(session_id, {})


def forget_upload(file_id: str) -> None:
    """Free an upload of this session now; Streamlit would keep it until the session ends.

    Raises:
        RuntimeError: If uploads are not held in memory, because a file must not remain unnoticed.
    """
    context = get_script_run_ctx()
    uploads = context.uploaded_file_mgr if context else None
    if context is None or not isinstance(uploads, MemoryUploadedFileManager):
        raise RuntimeError("uploads are not held in memory")
    uploads.remove_file(context.session_id, file_id)


def uploaded_file(name: str, data: bytes) -> UploadedFile:
    """Return a file as if it had been dropped, because only a widget can make one."""
    record = UploadedFileRec(secrets.token_hex(16), name, "application/octet-stream", data)
    return UploadedFile(record, FileURLs())


def forget_downloads(runtime: Runtime, part: str | None) -> None:
    """Stop serving the downloads whose name contains a part; None: do nothing. Streamlit serves them for
    minutes."""
    files: Any = runtime.media_file_mgr
    with files._lock:
        stored: Iterable[tuple[str, Any]] = list(files._storage._files_by_id.items())
        for file_id in [i for i, file in stored if part and f"-{part}." in (file.filename or "")]:
            files._delete_file(file_id)
    files.remove_orphaned_files()


def arrow_table(cells: pd.DataFrame) -> pa.Table:
    """Return rows in the form that is sent, converted once; Streamlit would convert them in every run."""
    return convert_pandas_df_to_arrow_table(cells, preserve_index=False)


def signed_content(name: str, cookies: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of this server's signed cookies with a name, from one or several; {} if there are
    none."""

    def decoded(cookie: str) -> bytes | None:
        return decode_signed_value(get_cookie_secret(), cookie, cookies.get(cookie, ""))

    content = json.loads(get_cookie_with_chunks(decoded, name) or b"{}")
    return content if isinstance(content, dict) else {}


def signed_cookies(name: str, content: dict[str, Any]) -> dict[str, str]:
    """Return signed cookies with a dictionary, by name; several if it is long."""
    cookies: dict[str, str] = {}

    def signed(cookie: str, value: str) -> bytes:
        return create_signed_value(get_cookie_secret(), cookie, value)

    def keep(cookie: str, value: str) -> None:
        cookies[cookie] = signed(cookie, value).decode("ascii")

    set_cookie_with_chunks(keep, signed, name, content, cookie_attr_size=ATTRIBUTES_BYTES)
    return cookies
