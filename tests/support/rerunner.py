"""Open a page of a running app without a browser, and rerun it, as fast as the server can."""

import contextlib
from collections.abc import Iterator

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from tests.browser.driver import Server


class Visit:
    """One session. What a page's widgets were set to stays as it was sent last."""

    def __init__(self, socket: ClientConnection, page: str, query: str):
        self._socket, self._page, self._query = socket, page, query
        self.elements = 0

    def rerun(self) -> None:
        """Run the whole page and wait for its end."""
        message = BackMsg()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_name = self._page
        message.rerun_script.context_info.timezone = "UTC"
        message.rerun_script.context_info.color_scheme = "light"
        self._socket.send(message.SerializeToString())
        self.elements = 0
        while True:
            answer = ForwardMsg()
            answer.ParseFromString(self._socket.recv(timeout=60))
            self.elements += answer.WhichOneof("type") in ("delta", "ref_hash")
            if answer.WhichOneof("type") == "script_finished":
                assert answer.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
                return


@contextlib.contextmanager
def visited(server: Server, page: str, query: str = "") -> Iterator[Visit]:
    """A session on a page of the app. query: the address's part behind "?"."""
    address = server.address.replace("http", "ws") + "/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], max_size=None) as socket:
        yield Visit(socket, page, query)


def cpu_seconds(server: Server) -> float:
    """CPU time that the server's process has used."""
    times = psutil.Process(server.pid).cpu_times()
    return times.user + times.system
