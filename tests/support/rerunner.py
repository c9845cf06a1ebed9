"""Open a page of a running app without a browser, and rerun it, as fast as the server can."""

import contextlib
import time
from collections.abc import Iterator
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from tests.browser.driver import Server


class Visit:
    """One session. What a page's widgets were set to stays as it was sent last.

    Attributes:
        elements: How many elements the last run drew.
        tabs: The labels of the tabs that it drew.
    """

    def __init__(self, socket: ClientConnection, page: str):
        self._socket, self._page = socket, page
        self.elements, self.tabs = 0, []

    def rerun(self, **address: str) -> None:
        """Run the whole page and wait for its end. address: what stands behind its "?"."""
        message = BackMsg()
        message.rerun_script.query_string = urlencode(address)
        message.rerun_script.page_name = self._page
        message.rerun_script.context_info.timezone = "UTC"
        message.rerun_script.context_info.color_scheme = "light"
        self._socket.send(message.SerializeToString())
        self.elements, self.tabs = 0, []
        while True:
            answer = ForwardMsg()
            answer.ParseFromString(self._socket.recv(timeout=60))
            kind = answer.WhichOneof("type")
            self.elements += kind in ("delta", "ref_hash")
            if kind == "delta" and answer.delta.add_block.WhichOneof("type") == "tab":
                self.tabs.append(answer.delta.add_block.tab.label)
            if kind == "script_finished":
                assert answer.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
                return


@contextlib.contextmanager
def visited(server: Server, page: str) -> Iterator[Visit]:
    """A session on a page of the app."""
    address = server.address.replace("http", "ws") + "/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], max_size=None) as socket:
        yield Visit(socket, page)


def cpu_seconds(server: Server) -> float:
    """CPU time that the server's process has used, of all its threads."""
    return time.clock_gettime((~server.pid << 3) | 2)  # Linux: the CPU clock of a process
