"""Private parts of Streamlit that pages use, one function each: a release may change them without notice.

`tests/pages/server/test_streamlit_internals.py` names every one, so that an upgrade says which is gone.
"""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pandas as pd
import pyarrow as pa
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
from streamlit.web.server.server_util import get_cookie_secret
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
"""Room for what is behind the value of a cookie."""


def current_run() -> Any | None:
    """Return an object of each run's own, None outside of a run: Streamlit has no name for a run."""
    context = get_script_run_ctx(suppress_warning=True)
    return context and context.parallel_coordinator


def current_session() -> str | None:
    """Return the server's name of the session that runs, None outside of one: `st.session_state` lacks it."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else None


def server() -> Runtime | None:
    """Return the server, None outside of one."""
    return Runtime.instance() if Runtime.exists() else None


def presence() -> Callable[[], bool]:
    """Return a function that tells whether this session is connected; outside of a server it always is."""
    session, runtime = current_session(), server()
    if session is None or runtime is None:
        return lambda: True
    return lambda: runtime.is_active_session(session)


def disconnected_sessions(runtime: Runtime) -> Mapping[str, AppSession]:
    """Return the sessions that Streamlit keeps for those who come back, by id: it frees them too late."""
    stored = runtime._session_mgr._session_storage.list()  # type: ignore[attr-defined]
    return {info.session.id: info.session for info in stored}


def sessions(runtime: Runtime) -> list[AppSession]:
    """Return all sessions, connected or not: their uploads count against the server's quota."""
    return [info.session for info in runtime._session_mgr.list_sessions()]


def connected_session(runtime: Runtime, session_id: str) -> AppSession | None:
    """Return a connected session; None of another."""
    info = runtime._session_mgr.get_active_session_info(session_id)
    return info.session if info else None


def n_connected(runtime: Runtime) -> int:
    """Return how many sessions are connected."""
    return len(runtime._session_mgr.list_active_sessions())


def state_of(session: AppSession) -> Mapping[str, Any]:
    """Return the state of any session, which `st.session_state` has of the own one alone."""
    return session.session_state.filtered_state


def run_again(session: AppSession) -> None:
    """Run the page of a session again as it is: a refused upload reaches no script."""
    session.request_rerun(session._client_state)


def takes_files(session: AppSession) -> bool:
    """Return whether a session was shown a widget that takes files: others have no reason to upload."""
    widgets = session.session_state._new_widget_state.widget_metadata
    return any(entry.value_type == "file_uploader_state_value" for entry in list(widgets.values()))


def files_of_widgets(session: AppSession) -> set[str] | None:
    """Return ids of the uploads that the widgets of a session hold; None while its script runs."""
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
    """Yield the stored uploads of a session by id, locked: they can be renamed, and their sizes read."""
    manager = upload_manager(runtime)
    with manager._lock:
        yield manager.file_storage.get(session_id, {})


def forget_upload(file_id: str) -> None:
    """Free an upload of this session now; Streamlit would keep it until the session ends.

    Raises:
        RuntimeError: Uploads are not held in memory: a file must not outlive its use unnoticed.
    """
    context = get_script_run_ctx()
    uploads = context.uploaded_file_mgr if context else None
    if context is None or not isinstance(uploads, MemoryUploadedFileManager):
        raise RuntimeError("uploads are not held in memory")
    uploads.remove_file(context.session_id, file_id)


def uploaded_file(name: str, data: bytes) -> UploadedFile:
    """Return a file as if it had been dropped: only a widget makes one."""
    record = UploadedFileRec(secrets.token_hex(16), name, "application/octet-stream", data)
    return UploadedFile(record, FileURLs())


def forget_downloads(runtime: Runtime, part: str | None) -> None:
    """Serve no more the downloads whose name holds a part; None: none. Streamlit serves them for minutes."""
    files: Any = runtime.media_file_mgr
    with files._lock:
        stored: Iterable[tuple[str, Any]] = list(files._storage._files_by_id.items())
        for file_id in [i for i, file in stored if part and f"-{part}." in (file.filename or "")]:
            files._delete_file(file_id)
    files.remove_orphaned_files()


def arrow_table(cells: pd.DataFrame) -> pa.Table:
    """Return rows as they are sent: converted once, where Streamlit converts them with every run."""
    return convert_pandas_df_to_arrow_table(cells, preserve_index=False)


def signed_content(name: str, cookies: Mapping[str, str]) -> dict[str, Any]:
    """Return what signed cookies of this server hold under a name, in one or several; {} where nothing."""

    def decoded(cookie: str) -> bytes | None:
        return decode_signed_value(get_cookie_secret(), cookie, cookies.get(cookie, ""))

    content = json.loads(get_cookie_with_chunks(decoded, name) or b"{}")
    return content if isinstance(content, dict) else {}


def signed_cookies(name: str, content: dict[str, Any]) -> dict[str, str]:
    """Return the signed cookies that hold a dictionary, by name: several where it is long."""
    cookies: dict[str, str] = {}

    def signed(cookie: str, value: str) -> bytes:
        return create_signed_value(get_cookie_secret(), cookie, value)

    def keep(cookie: str, value: str) -> None:
        cookies[cookie] = signed(cookie, value).decode("ascii")

    set_cookie_with_chunks(keep, signed, name, content, cookie_attr_size=ATTRIBUTES_BYTES)
    return cookies
