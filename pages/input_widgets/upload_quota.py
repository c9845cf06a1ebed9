"""Upload quota: maximum bytes of each session and of the whole server; only sessions that show an input may
upload.

`scoring.common.limits` has the numbers. Streamlit itself only limits the size of one file, and accepts any
number of files from any session.
"""

import logging
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.input_widgets import dropped_photographs, reload_recovery
from pages.server import memory_budget, request_guard, streamlit_internals
from pages.server.streamlit_internals import AppSession, Runtime, UploadedFile
from scoring.cli.doctor import Occupancy
from scoring.common import limits
from scoring.common.text import uploaded_name

ROUTE = "/_stcore/upload_file/"
SETTLED_SECONDS = 60
"""Time after which an unused upload is deleted."""
FRAME_BYTES = 4096
"""Approximate bytes that a form adds to a file."""
STEP_BYTES = 1_000_000
"""Number of bytes after which the remaining space for an upload is checked again."""

NO_ROOM = (
    "This file was not accepted: the server could not store it ({}). Your other files are still here. "
    "Please inform the operator of the server."
)
GONE = "The server no longer has a file that you dropped: drop it again."
FREED = "_freed_uploads"
"""Session key of the ids of uploads that may be missing: Benchside has read and deleted the file, or the
visitor was already asked to drop it again."""
LOG = logging.getLogger(__name__)


class _FileKey(NamedTuple):
    session: str
    file: str


@dataclass(eq=False)
class _Arrival:
    """One upload on its way. Several may bring the same file id: each counts.

    Attributes:
        announced: Bytes that it is to have: its own session has no room for others beside it.
        came: Bytes that have come, which may be more.
    """

    session: str
    announced: int
    came: int = 0


class _TooMuch(Exception):
    """An upload went beyond the quota while it came."""


class UploadQuota:
    """Bytes of uploads by session, and refused uploads. Used on the thread of the server's event loop; all
    threads may call `refusal` and `close`."""

    def __init__(self) -> None:
        self.arrivals: set[_Arrival] = set()
        self._came: dict[_FileKey, float] = {}
        self._refused: dict[str, str] = {}

    def refusal(self, session: str) -> str:
        """Return why a session's last upload was refused; "" if it was not."""
        return self._refused.get(session, "")

    def close(self, session: str) -> None:
        """Forget the refusal."""
        self._refused.pop(session, None)

    def refuse(self, session: AppSession, message: str) -> None:
        """Let a session's page show the reason."""
        self.note(session.id, message)
        streamlit_internals.run_again(session)

    def note(self, session: str, message: str) -> None:
        """Let a session's page show the reason in its next run."""
        self._refused[session] = message

    def beyond(self, runtime: Runtime, session: AppSession, size: int) -> str:
        """Return why an upload of this size is refused, as a sentence with the limit; "" if it fits."""
        allowed = limits.uploads(request_guard.is_public())
        own = self._held(runtime, session)
        if own + size > allowed.session_bytes:
            self._drop_unused(runtime, session)
            own = self._held(runtime, session)
        if own + size > allowed.session_bytes:
            return (
                f"This file was not accepted: your files would then have {_mb(own + size)} MB, but one "
                f"visitor may have at most {_mb(allowed.session_bytes)} MB here. Remove files that you no "
                "longer need."
            )
        everybody = self._held_by_all(runtime)
        if everybody + size > allowed.server_bytes:
            return (
                f"This file was not accepted: all visitors together may have {_mb(allowed.server_bytes)} MB "
                "of files here, and this space is full. Try again in a minute. Your other files are still "
                "here."
            )
        return ""

    def occupancy(self, runtime: Runtime) -> Occupancy:
        """Return the number of connected visitors, and the bytes of all sessions."""
        shared, own = memory_budget.RESULTS.held_bytes, memory_budget.sessions_bytes()
        return Occupancy(streamlit_internals.n_connected(runtime), self._held_by_all(runtime), shared, own)

    def stored(self, runtime: Runtime, key: _FileKey) -> None:
        """Clean the name of a file that arrived, and record the time."""
        now = monotonic()
        with streamlit_internals.uploads_of(runtime, key.session) as files:
            if key.file in files:
                record = files[key.file]
                files[key.file] = record._replace(name=uploaded_name(record.name))
        self._came = {k: t for k, t in self._came.items() if now - t < SETTLED_SECONDS} | {key: now}
        self.close(key.session)

    def _held_by_all(self, runtime: Runtime) -> int:
        """Bytes that all sessions hold. What is announced and does not come takes no room from others."""
        return sum(self._held(runtime, other, False) for other in streamlit_internals.sessions(runtime))

    def _held(self, runtime: Runtime, session: AppSession, counts_announced: bool = True) -> int:
        """Bytes that a session holds: what it uploaded, what it took over when its tab was loaded again, its
        decoded images, and what is on its way."""
        with streamlit_internals.uploads_of(runtime, session.id) as files:
            sizes = {key: len(file.data) for key, file in files.items()}
        state = streamlit_internals.state_of(session)
        sizes |= {file.file_id: file.size for file in reload_recovery.files_of(state)}
        arrivals = [arrival for arrival in self.arrivals if arrival.session == session.id]
        coming = sum(max(arrival.announced * counts_announced, arrival.came) for arrival in arrivals)
        return sum(sizes.values()) + dropped_photographs.held_bytes(state) + coming

    def _drop_unused(self, runtime: Runtime, session: AppSession) -> None:
        """Free uploads that went with their widget: a visitor has no way to remove them any more."""
        used = streamlit_internals.files_of_widgets(session)
        if used is None:  # known only after the run
            return
        manager = streamlit_internals.upload_manager(runtime)
        with streamlit_internals.uploads_of(runtime, session.id) as files:
            unused = files.keys() - used
        for file_id in unused:
            if _FileKey(session.id, file_id) not in self._came:
                manager.remove_file(session.id, file_id)


QUOTA = UploadQuota()
"""The uploads of this server."""


class UploadQuotaMiddleware:
    """ASGI middleware that refuses uploads beyond the quota (413) and from sessions without a file input
    (403), and cleans the names of the others."""

    def __init__(self, app: ASGIApp, quota: UploadQuota = QUOTA):
        self._app, self._quota = app, quota

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = _file_key(scope)
        session = streamlit_internals.connected_session(Runtime.instance(), key.session) if key else None
        if key is None or session is None:  # Streamlit answers for sessions that it does not know
            await self._app(scope, receive, send)
        elif not streamlit_internals.takes_files(session):
            await _answer(send, 403, "This page accepts no files.")
        else:
            await self._upload(key, session, scope, receive, send)

    async def _upload(
        self, key: _FileKey, session: AppSession, scope: Scope, receive: Receive, send: Send
    ) -> None:
        runtime, quota = Runtime.instance(), self._quota
        announced = _announced(scope)
        message = quota.beyond(runtime, session, max(0, announced - FRAME_BYTES))
        if message:
            await _drain(receive)
            quota.refuse(session, message)
            await _answer(send, 413, message)
            return
        arrival = _Arrival(session.id, announced)
        quota.arrivals.add(arrival)

        async def counted() -> Message:
            message = await receive()
            steps = arrival.came // STEP_BYTES
            arrival.came += len(message.get("body", b""))
            if arrival.came // STEP_BYTES > steps and (words := quota.beyond(runtime, session, 0)):
                raise _TooMuch(words)
            return message

        async def cleaned(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 300:
                quota.arrivals.discard(arrival)
                quota.stored(runtime, key)
            await send(message)

        try:
            await self._app(scope, counted, cleaned)
        except _TooMuch as refused:
            await _drain(receive)
            quota.refuse(session, str(refused))
            await _answer(send, 413, str(refused))
        except OSError as fault:  # uploads pass through the folder for temporary files
            LOG.exception("an upload could not be accepted")
            quota.refuse(session, NO_ROOM.format(fault.strerror))
            await _answer(send, 507, NO_ROOM.format(fault.strerror))
        finally:
            quota.arrivals.discard(arrival)


def occupancy() -> Occupancy:
    """Return the use of this server; empty outside a server."""
    runtime = streamlit_internals.server()
    return QUOTA.occupancy(runtime) if type(runtime) is Runtime else Occupancy(0, 0)


def arrived(key: str) -> list[UploadedFile]:
    """Return the files in an upload widget that the server still has. The page says if one is gone unread: a
    browser goes on naming it, for example after a restart of the server."""
    value = st.session_state[key]
    files = value if isinstance(value, list) else [value] if value else []
    there = [file for file in files if isinstance(file, UploadedFile)]
    freed = st.session_state.setdefault(FREED, set())
    gone = {file.file_id for file in files} - {file.file_id for file in there} - freed
    session = streamlit_internals.current_session()
    if gone and session:
        freed |= gone
        QUOTA.note(session, GONE)
    return there


def free(file: UploadedFile) -> None:
    """Free an upload that was read."""
    streamlit_internals.forget_upload(file.file_id)
    st.session_state.setdefault(FREED, set()).add(file.file_id)


def say_refused() -> None:
    """Say why this session's last upload was refused, until another is accepted. Call it above the page."""
    session = streamlit_internals.current_session()
    message = QUOTA.refusal(session) if session else ""
    if not message or session is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.error(message, icon=":material/upload_file:")
        st.button("Close", key="uploads_close", type="tertiary", on_click=QUOTA.close, args=(session,))


def _file_key(scope: Scope) -> _FileKey | None:
    """Session and file of an upload, None of any other request."""
    if scope["type"] != "http" or scope["method"] != "PUT" or ROUTE not in scope["path"]:
        return None
    session, _, file = scope["path"].partition(ROUTE)[2].partition("/")
    return _FileKey(session, file)


def _announced(scope: Scope) -> int:
    """Bytes of the request's body; 0 if it does not say."""
    length = next((value for key, value in scope["headers"] if key == b"content-length"), b"0")
    return int(length) if length.isdigit() else 0


async def _drain(receive: Receive) -> None:
    """Read and discard the rest of a refused request, also where it did not announce its size. Otherwise the
    browser would report a lost connection instead of the answer."""
    remaining = (st.get_option("server.maxUploadSize") + 1) << 20
    while remaining > 0:
        message = await receive()
        remaining -= len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return


async def _answer(send: Send, status: int, message: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": message.encode()})


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f}"
