"""A visitor without a browser: the messages that Streamlit's page exchanges with the server, over a
WebSocket."""

import contextlib
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from http.cookiejar import CookieJar
from typing import Self
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.sync.client import connect

PATIENCE = 120
ENDS = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
CHUNK = 100_000


class Visitor:
    """One session. Use it as a context manager, or `close` it.

    Attributes:
        session: Streamlit's name of it.
        widgets: Ids of widgets by the kind of their element, of the last run.
        texts: What the elements of the last run say.
        tabs: The labels of the tabs of the last run.
        received: Bytes of all messages so far.
        content: The messages of the last run themselves, in which every text of the page can be found.
        everything: All messages so far, where it is kept.
        script: Streamlit's name of the page that was drawn.
        fragments: The fragment of each widget that stands in one, of the last run.
        sliders: Least and most value of each slider, of the last run.
        later: What makes downloads when they are asked for, of the last run.
    """

    def __init__(
        self,
        address: str,
        page: str = "",
        headers: Mapping[str, str] | None = None,
        login: str = "",
        keep: bool = False,
    ):
        """login: the cookie that says who somebody is; keep: whether all messages are kept."""
        self.address, self._page, self._headers = address, page, dict(headers or {})
        host, token = address.removeprefix("http://"), generate_xsrf_token_string()
        cookies = {"Cookie": f"_streamlit_user={login}; _streamlit_xsrf={token}"} if login else {}
        opened = connect(
            f"ws://{host}/_stcore/stream",
            origin=address,
            subprotocols=["streamlit", token] if login else ["streamlit"],
            max_size=None,
            additional_headers=self._headers | cookies,
        )
        self._keep, self.everything, self.later = keep, b"", list[str]()
        self._channel = opened.__enter__()
        self.session, self.received, self.content = "", 0, b""
        self.widgets: dict[str, list[str]] = {}
        self.texts: list[str] = []
        self.tabs: list[str] = []
        self.fragments: dict[str, str] = {}
        self.sliders: dict[str, tuple[float, float]] = {}
        self._states: dict[str, WidgetState] = {}
        self.script = ""
        self._query: dict[str, str] = {}
        self._kept: dict[str, ForwardMsg] = {}

    def run(self, page: str | None = None, fragment: str = "", **address: str) -> None:
        """Ask for a page, or for the same one again, and wait until its script has ended. fragment: the part
        of it that runs. address: what stands behind its "?", as before where it is left out."""
        question = BackMsg()
        question.rerun_script.fragment_id = fragment
        if page is not None:
            self._page, self.script, self._states, self._query = page, "", {}, {}
        self._query = address or self._query
        question.rerun_script.query_string = urlencode(self._query)
        question.rerun_script.context_info.timezone = "UTC"
        question.rerun_script.context_info.color_scheme = "light"
        question.rerun_script.page_name = self._page
        question.rerun_script.page_script_hash = self.script
        question.rerun_script.widget_states.widgets.extend(self._states.values())
        question.rerun_script.cached_message_hashes.extend(self._kept)
        self._send(question)
        self.finish()

    def finish(self) -> None:
        """Wait for the end of a run that goes on."""
        self.content = b""
        self._clear()
        for message in self._messages():
            if message.WhichOneof("type") == "new_session":
                self._clear()
                self.session = message.new_session.initialize.session_id or self.session
            elif message.WhichOneof("type") == "navigation":
                self.script = message.navigation.page_script_hash
            elif message.WhichOneof("type") == "delta":
                self._element(message)
            elif message.WhichOneof("type") == "script_finished" and message.script_finished in ENDS:
                return

    def widget(self, key: str) -> str:
        """Return the id of the widget of a key."""
        return next(one for ids in self.widgets.values() for one in ids if one.endswith(f"-{key}"))

    def choose(self, widget: str, value: str) -> None:
        """Send a text as the value of a widget with every run from now on, whatever it offers."""
        self._states[widget] = WidgetState(id=widget, string_value=value)

    def tick(self, widget: str) -> None:
        """Tick a checkbox for good, and wait for the run that follows."""
        self._states[widget] = WidgetState(id=widget, bool_value=True)
        self.run()

    def download(self, maker: str) -> bytes:
        """Ask for a download that is made now, and return it."""
        question = BackMsg()
        question.backend_operation_request.request_id = secrets.token_hex(4)
        question.backend_operation_request.session_id = self.session
        question.backend_operation_request.deferred_file.file_id = maker
        self._send(question)
        answer = next(m for m in self._messages() if m.WhichOneof("type") == "backend_operation_response")
        return fetched(self.address, answer.backend_operation_response.deferred_file.url)

    def click(self, widget: str) -> None:
        """Click a button and wait for the run that follows."""
        state = WidgetState(id=widget, trigger_value=True)
        self._states[widget] = state
        try:
            self.run()
        finally:
            del self._states[widget]

    def move(self, slider: str, value: float, fragment: str = "") -> None:
        """Move a slider, and wait for the run of its fragment, or of the page."""
        state = self._states.setdefault(slider, WidgetState(id=slider))
        state.double_array_value.data[:] = [value]
        self.run(fragment=fragment)

    def upload(self, name: str, data: bytes, uploader: str | None = None) -> tuple[int, str]:
        """Upload a file as an uploader does, and return status and words of the answer; when it was taken,
        the page has run with it."""
        question = BackMsg()
        question.file_urls_request.request_id = secrets.token_hex(4)
        question.file_urls_request.file_names.append(name)
        question.file_urls_request.session_id = self.session
        self._send(question)
        response = next(m for m in self._messages() if m.WhichOneof("type") == "file_urls_response")
        place = response.file_urls_response.file_urls[0]
        status, words = self.put(place.upload_url, name, data)
        if status == 204:
            widget = uploader or self.widgets["file_uploader"][0]
            state = self._states.setdefault(widget, WidgetState(id=widget))
            state.file_uploader_state_value.uploaded_file_info.add(
                file_id=place.file_id, name=name, size=len(data), file_urls=place
            )
            self.run()
        return status, words

    def put(self, path: str, name: str, data: bytes, announced: bool = True) -> tuple[int, str]:
        """Send a file to an address of the server. announced: whether its size is said first."""
        boundary = secrets.token_hex(8)
        body = (
            (
                f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
                "Content-Type: application/octet-stream\r\n\r\n"
            ).encode()
            + data
            + f"\r\n--{boundary}--\r\n".encode()
        )
        kind = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        parts = body if announced else (body[at : at + CHUNK] for at in range(0, len(body), CHUNK))
        return send(self.address, path, "PUT", parts, self._headers | kind)

    def close(self) -> None:
        """Close the tab."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, message: BackMsg) -> None:
        self._channel.send(message.SerializeToString())

    def _messages(self) -> Iterator[ForwardMsg]:
        while True:
            data = self._channel.recv(PATIENCE)
            self.received += len(data)
            self.everything += data if self._keep else b""
            message = ForwardMsg.FromString(data)
            if message.ref_hash:  # large and sent before: a browser keeps it
                place = message.metadata
                message = ForwardMsg.FromString(self._kept[message.ref_hash].SerializeToString())
                message.metadata.CopyFrom(place)
                data = message.SerializeToString()
            elif message.metadata.cacheable:
                self._kept[message.hash] = message
            self.content += data
            yield message

    def _clear(self) -> None:
        self.widgets, self.texts, self.tabs, self.later = {}, [], [], []
        self.fragments, self.sliders = {}, {}

    def _element(self, message: ForwardMsg) -> None:
        if message.delta.add_block.WhichOneof("type") == "tab":
            self.tabs.append(message.delta.add_block.tab.label)
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind is None:
            return
        value = getattr(element, kind)
        if getattr(value, "id", ""):
            self.widgets.setdefault(kind, []).append(value.id)
            if message.delta.fragment_id:
                self.fragments[value.id] = message.delta.fragment_id
            if kind == "slider":
                self.sliders[value.id] = (value.min, value.max)
        if getattr(value, "deferred_file_id", ""):
            self.later.append(value.deferred_file_id)
        self.texts += [getattr(value, name) for name in ("body", "title") if getattr(value, name, "")]


def fetched(address: str, path: str) -> bytes:
    """Return what lies at an address of the server, asked for without any cookie."""
    with urllib.request.urlopen(f"{address}/{path.lstrip('/')}") as answer:
        return answer.read()


def send(
    address: str,
    path: str,
    method: str = "GET",
    body: bytes | Iterable[bytes] | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, str]:
    """Send a request with the cookie that guards against forgery, and return status and words."""
    jar = CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    opener.open(f"{address}/_stcore/health").read()
    token = {cookie.name: cookie.value or "" for cookie in jar}.get("_streamlit_xsrf", "")
    sent = {**(headers or {}), "X-Xsrftoken": token}
    if "Cookie" in sent:  # then the jar adds none
        sent["Cookie"] += f"; _streamlit_xsrf={token}"
    question = urllib.request.Request(f"{address}/{path.lstrip('/')}", body, sent, method=method)
    with contextlib.closing(_open(opener, question)) as answer:
        return answer.status, answer.read().decode(errors="replace")


def _open(opener: urllib.request.OpenerDirector, question: urllib.request.Request):
    try:
        return opener.open(question)
    except urllib.error.HTTPError as refused:
        return refused


def cpu_seconds(process: int) -> float:
    """CPU time that a process has used, of all its threads."""
    return time.clock_gettime((~process << 3) | 2)  # Linux: the CPU clock of a process
