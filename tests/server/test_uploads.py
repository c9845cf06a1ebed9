"""Uploads have a quota, names that lead nowhere, and are gone soon after their session."""

import re
import socket
import time
from contextlib import ExitStack

import pytest
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from tests.browser.driver import Server
from tests.support.visitor import Visitor, send

KILOBYTE = 1000


@pytest.fixture
def visitor(server):
    visitors = []

    def arrive(page: str = "isic") -> Visitor:
        visitors.append(Visitor(server.address, page))
        visitors[-1].run()
        return visitors[-1]

    yield arrive
    for one in visitors:
        one.close()


def held(server: Server) -> int:
    """Bytes of uploads that the server holds."""
    _, words = send(server.address, "_stcore/metrics")
    found = re.findall(r'cache_type="UploadedFileManager"[^}]*\} ([\d.e+]+)', words)
    return int(sum(map(float, found)))


def test_a_session_holds_so_much_and_its_page_says_what_was_refused(visitor):
    one = visitor()
    assert one.upload("a.csv", b"," * 2500 * KILOBYTE)[0] == 204
    status, words = one.upload("b.csv", b"," * 2500 * KILOBYTE)
    assert status == 413
    assert "one visitor may have at most 3 MB" in words
    one.finish()
    assert words in one.texts


def test_an_upload_that_does_not_say_its_size_ends_at_the_same_limit(visitor):
    one = visitor()
    path = f"_stcore/upload_file/{one.session}/made-up"
    assert one.put(path, "a.csv", b"," * 500 * KILOBYTE, announced=False)[0] == 204
    for _ in range(5):  # what is not read to its end is answered, or not, by chance
        assert one.put(path, "a.csv", b"," * 9500 * KILOBYTE, announced=False)[0] == 413


BEGINNING = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'


def sent(one: Visitor, file: str, framing: str, body: bytes) -> socket.socket:
    """Send a request, `framing` being the headers that say how long it is; leave the connection open."""
    host, port = one.address.removeprefix("http://").split(":")
    token = generate_xsrf_token_string()
    head = (
        f"PUT /_stcore/upload_file/{one.session}/{file} HTTP/1.1\r\nHost: {host}:{port}\r\n"
        f"Cookie: _streamlit_xsrf={token}\r\nX-Xsrftoken: {token}\r\n"
        f"Content-Type: multipart/form-data; boundary=b\r\n{framing}\r\n\r\n"
    )
    channel = socket.create_connection((host, int(port)), timeout=60)
    channel.sendall(head.encode() + body)
    return channel


def half_sent(one: Visitor, file: str, size: int) -> socket.socket:
    """Announce an upload, send half of it, and leave the connection open."""
    return sent(one, file, f"Content-Length: {size}", BEGINNING + b"," * (size // 2))


@pytest.mark.parametrize(("size", "status"), [(500, b"204"), (4500, b"413")])
def test_an_upload_that_lies_about_its_size_ends_at_the_same_limit(visitor, size, status):
    """Where a body comes in parts, no server looks at the length that is said beside it."""
    whole = BEGINNING + b"," * size * KILOBYTE + b"\r\n--b--\r\n"
    body = f"{len(whole):x}\r\n".encode() + whole + b"\r\n0\r\n\r\n"
    with sent(visitor(), "a", "Content-Length: 5000\r\nTransfer-Encoding: chunked", body) as channel:
        assert channel.recv(1000).split()[1] == status


def test_one_file_id_sent_many_times_at_once_counts_each_time(visitor):
    """Two that are on their way leave no room for a third of the same id."""
    one = visitor()
    path = f"_stcore/upload_file/{one.session}/probe"
    with half_sent(one, "same", 1400 * KILOBYTE), half_sent(one, "same", 1400 * KILOBYTE):
        until = time.monotonic() + 60
        while one.put(path, "a.csv", b"," * 300 * KILOBYTE)[0] != 413:  # until the server has seen both
            assert time.monotonic() < until


def test_an_upload_whose_connection_is_lost_leaves_nothing(visitor):
    one, size = visitor(), 2500 * KILOBYTE
    with half_sent(one, "lost", size):
        until = time.monotonic() + 60
        while one.upload("a.csv", b"," * size)[0] != 413:
            assert time.monotonic() < until
    while one.upload("b.csv", b"," * size)[0] != 204:  # until the server has noticed
        assert time.monotonic() < until


@pytest.mark.parametrize(("page", "status"), [("about", 403), ("isic", 204)])
def test_only_who_was_shown_an_input_for_files_uploads(visitor, page, status):
    one = visitor(page)
    assert one.put(f"_stcore/upload_file/{one.session}/made-up", "a.csv", b",")[0] == status


def test_a_session_that_nobody_knows_uploads_nothing(visitor):
    assert visitor().put("_stcore/upload_file/made-up/made-up", "a.csv", b",")[0] == 400


def test_names_lead_nowhere(visitor):
    one = visitor()
    one.upload("../../x\\y.exe", b"not a table")
    assert any("**x\\_y\\.exe**" in words for words in one.texts)


@pytest.mark.soak
def test_uploads_are_gone_within_30_seconds_of_leaving_though_nobody_else_comes(server, visitor):
    one = visitor()
    one.upload("a.csv", b"," * 2000 * KILOBYTE)
    assert held(server) >= 2000 * KILOBYTE
    one.close()
    until = time.monotonic() + 30
    while held(server) and time.monotonic() < until:
        time.sleep(0.5)
    assert held(server) == 0


@pytest.mark.soak
def test_uploads_that_are_announced_and_do_not_come_take_no_room_from_others(visitor):
    """Nine visitors announce 26 MB where 20 are, then send them."""
    length = 2900 * KILOBYTE
    with ExitStack() as stack:
        announced = [
            stack.enter_context(sent(visitor("puma"), "a", f"Content-Length: {length}", BEGINNING))
            for _ in range(9)
        ]
        assert visitor().upload("b.csv", b"," * length)[0] == 204
        for channel in announced:
            channel.sendall(b"," * (length - len(BEGINNING) - 10) + b"\r\n--b--\r\n ")
        answers = [channel.recv(1000).split()[1] for channel in announced]
    assert set(answers) == {b"204", b"413"}
    assert answers.count(b"204") <= 6


@pytest.mark.soak
def test_all_sessions_together_hold_so_much(visitor):
    """Others are told when, and nothing of theirs is lost. The last test: the server is full afterwards."""
    arrived, answers = [], []
    while not answers or answers[-1][0] == 204:
        arrived.append(visitor("puma"))
        answers.append(arrived[-1].upload("a.bin", b"," * 2500 * KILOBYTE))
    assert len(arrived) <= 9
    assert answers[-1][0] == 413
    assert "all visitors together may have 20 MB" in answers[-1][1]
    assert arrived[-1].upload("b.bin", b"a,b\n")[0] == 204
