"""Uploads have a quota, names that lead nowhere, and are gone soon after their session."""

import re
import socket
import time

import pytest

from tests.browser import driver
from tests.browser.driver import Server
from tests.support.visitor import Visitor, send

KILOBYTE = 1000


@pytest.fixture(scope="module")
def server():
    """Where one visitor may hold 3 MB, and all together 20 MB."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHSIDE_SESSION_UPLOAD_MB", "3")
        patch.setenv("BENCHSIDE_SERVER_UPLOAD_MB", "20")
        with driver.served() as started:
            yield started


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
    assert "one visitor may hold 3 MB" in words
    one.finish()
    assert words in one.texts


def test_an_upload_that_does_not_say_its_size_ends_at_the_same_limit(visitor):
    one = visitor()
    path = f"_stcore/upload_file/{one.session}/made-up"
    assert one.put(path, "a.csv", b"," * 500 * KILOBYTE, announced=False)[0] == 204
    assert one.put(path, "a.csv", b"," * 4500 * KILOBYTE, announced=False)[0] == 413


@pytest.mark.parametrize(("page", "status"), [("about", 403), ("isic", 204)])
def test_only_who_was_shown_an_input_for_files_uploads(visitor, page, status):
    one = visitor(page)
    assert one.put(f"_stcore/upload_file/{one.session}/made-up", "a.csv", b",")[0] == status


def test_an_upload_whose_connection_is_lost_leaves_nothing(visitor, server):
    one, size = visitor(), 2500 * KILOBYTE
    host, port = server.address.removeprefix("http://").split(":")
    for _ in range(3):
        with socket.create_connection((host, int(port))) as channel:
            head = f"PUT /_stcore/upload_file/{one.session}/lost HTTP/1.1\r\nHost: {host}:{port}\r\n"
            channel.sendall(f"{head}Content-Length: {size}\r\n\r\n".encode() + b"," * (size // 2))
    until = time.monotonic() + 60
    while one.upload("a.csv", b"," * size)[0] != 204:  # until the server has noticed
        assert time.monotonic() < until


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
def test_all_sessions_together_hold_so_much(visitor):
    """Others are told when, and nothing of theirs is lost. The last test: the server is full afterwards."""
    arrived, answers = [], []
    while not answers or answers[-1][0] == 204:
        arrived.append(visitor("puma"))
        answers.append(arrived[-1].upload("a.bin", b"," * 2500 * KILOBYTE))
    assert len(arrived) <= 9
    assert answers[-1][0] == 413
    assert "all visitors together may hold 20 MB" in answers[-1][1]
    assert arrived[-1].upload("b.bin", b"a,b\n")[0] == 204
