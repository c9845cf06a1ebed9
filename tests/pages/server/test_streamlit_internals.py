"""Every private part of Streamlit that pages use is there in the installed release."""

import inspect
from importlib import import_module

import pytest

PARTS = [
    ("streamlit.auth_util", "get_cookie_with_chunks"),
    ("streamlit.auth_util", "set_cookie_with_chunks"),
    ("streamlit.dataframe_util", "convert_pandas_df_to_arrow_table"),
    ("streamlit.elements.lib.column_types", "ColumnConfig"),
    ("streamlit.proto.Common_pb2", "FileURLs"),
    ("streamlit.runtime", "Runtime.instance"),
    ("streamlit.runtime", "Runtime.exists"),
    ("streamlit.runtime", "Runtime.is_active_session"),
    ("streamlit.runtime", "Runtime.close_session"),
    ("streamlit.runtime", "Runtime.media_file_mgr"),
    ("streamlit.runtime", "Runtime.uploaded_file_mgr"),
    ("streamlit.runtime.scriptrunner", "get_script_run_ctx"),
    ("streamlit.runtime.app_session", "AppSession.request_rerun"),
    ("streamlit.runtime.app_session", "AppSession.session_state"),
    ("streamlit.runtime.websocket_session_manager", "WebsocketSessionManager.list_sessions"),
    ("streamlit.runtime.websocket_session_manager", "WebsocketSessionManager.list_active_sessions"),
    ("streamlit.runtime.websocket_session_manager", "WebsocketSessionManager.get_active_session_info"),
    ("streamlit.runtime.session_manager", "SessionStorage.list"),
    ("streamlit.runtime.uploaded_file_manager", "UploadedFile"),
    ("streamlit.runtime.uploaded_file_manager", "UploadedFileRec"),
    ("streamlit.runtime.memory_uploaded_file_manager", "MemoryUploadedFileManager.remove_file"),
    ("streamlit.runtime.memory_media_file_storage", "MemoryMediaFileStorage"),
    ("streamlit.runtime.media_file_manager", "MediaFileManager._delete_file"),
    ("streamlit.runtime.media_file_manager", "MediaFileManager.remove_orphaned_files"),
    ("streamlit.runtime.state.safe_session_state", "SafeSessionState.filtered_state"),
    ("streamlit.web.server.server_util", "get_cookie_secret"),
    ("streamlit.web.server.server_util", "get_url"),
    ("streamlit.web.server.starlette.starlette_app_utils", "create_signed_value"),
    ("streamlit.web.server.starlette.starlette_app_utils", "decode_signed_value"),
    ("streamlit.web.server.starlette.starlette_server_config", "TOKENS_COOKIE_NAME"),
    ("streamlit.web.server.starlette.starlette_server_config", "USER_COOKIE_NAME"),
]
"""Module, and the name in it."""
ATTRIBUTES = [
    ("streamlit.runtime.runtime", "Runtime", "_session_mgr"),
    ("streamlit.runtime.websocket_session_manager", "WebsocketSessionManager", "_session_storage"),
    ("streamlit.runtime.app_session", "AppSession", "_client_state"),
    ("streamlit.runtime.app_session", "AppSession", "_scriptrunner"),
    ("streamlit.runtime.memory_uploaded_file_manager", "MemoryUploadedFileManager", "_lock"),
    ("streamlit.runtime.memory_uploaded_file_manager", "MemoryUploadedFileManager", "file_storage"),
    ("streamlit.runtime.media_file_manager", "MediaFileManager", "_lock"),
    ("streamlit.runtime.media_file_manager", "MediaFileManager", "_storage"),
    ("streamlit.runtime.memory_media_file_storage", "MemoryMediaFileStorage", "_files_by_id"),
    ("streamlit.runtime.scriptrunner_utils.script_run_context", "ScriptRunContext", "parallel_coordinator"),
    ("streamlit.runtime.state.session_state", "SessionState", "_new_widget_state"),
    ("streamlit.runtime.state.session_state", "WStates", "widget_metadata"),
]
"""Module, class, and what its objects hold."""


@pytest.mark.parametrize(("module", "name"), PARTS)
def test_streamlit_has_the_part(module, name):
    part = import_module(module)
    for step in name.split("."):
        part = getattr(part, step, None)
    assert part is not None, f"This release of Streamlit lacks {module}.{name}: see streamlit_internals.py."


@pytest.mark.parametrize(("module", "owner", "attribute"), ATTRIBUTES)
def test_streamlit_keeps_the_attribute(module, owner, attribute):
    source = inspect.getsource(getattr(import_module(module), owner))
    assert attribute in source, (
        f"This release of Streamlit has no {owner}.{attribute}: see streamlit_internals.py."
    )
