"""Files of a store in a bucket: the same boards, and a sentence where the bucket cannot be used."""

import http.server
import threading
from collections.abc import Iterator

import fsspec
import pytest

from scoring.common.findings import InputRefused
from scoring.store.database import open_store
from scoring.store.kept_files import Bucket
from tests.support.boards import board, labels, predictions


@pytest.fixture
def memory() -> Iterator[str]:
    """An address in memory."""
    yield "memory://bucket/boards"
    fsspec.filesystem("memory").store.clear()


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    return tmp_path


def created(tmp_path):
    truth = labels(tmp_path / "labels.csv")
    return board("create", "melanoma", "--id", "b", "--title", "B", "--truth", truth, "--resamples", 0)


def a_board_lives_there(tmp_path) -> None:
    """Create a board, submit, score again, export and delete it."""
    assert created(tmp_path).status == 0
    for number in (1, 2):
        file = predictions(tmp_path / "p.csv", number, 1.0)
        done = board("submit", "b", "--team", f"team{number}", "--predictions", file)
        assert done.status == 0, done.err
    files = open_store().files
    assert isinstance(files, Bucket)
    assert len(list(files.digests())) == 1 + 2 * 2
    assert not (tmp_path / "store" / "files").exists()
    again = board("rescore", "b", "--yes", "--truth", labels(tmp_path / "corrected.csv", wrong=(1,)))
    assert again.status == 0, again.err
    assert board("export", "b", tmp_path / "b.zip", "--with-truth").status == 0
    done = board("delete", "b", "--yes")
    assert (done.status, list(files.digests())) == (0, []), done.err
    assert board("import", tmp_path / "b.zip").status == 0
    assert len(board("show", "b", "--json", "-").json["teams"]) == 2


@pytest.mark.slow
def test_a_board_lives_in_a_bucket(place, memory, monkeypatch):
    monkeypatch.setenv("BENCHSIDE_FILES", memory)
    a_board_lives_there(place)
    files = open_store().files
    digest = files.keep(b"content")
    assert files.holds(digest)
    system = fsspec.filesystem("memory")
    system.pipe_file(f"/bucket/boards/{digest[:2]}/{digest}", b"cont")
    with pytest.raises(InputRefused, match=r"store-damaged .*was changed"):
        files.read(digest)
    assert files.keep(b"content") == digest, "a half-written file is written again"
    assert files.read(digest) == b"content"
    system.pipe_file("/bucket/boards/mine.txt", b"of somebody else")
    assert "mine.txt" not in set(files.digests())
    files.discard([digest, digest])
    with pytest.raises(InputRefused, match=r"store-damaged .*not in the store"):
        files.read(digest)


def test_a_folder_can_be_named(place, monkeypatch):
    monkeypatch.setenv("BENCHSIDE_FILES", f"file://{place / 'elsewhere'}")
    assert created(place).status == 0
    assert len(list(open_store().files.digests())) == 1
    assert (place / "elsewhere").stat().st_mode & 0o077 == 0


class Denying(http.server.BaseHTTPRequestHandler):
    """A bucket to which nobody has rights."""

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else body)

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = answer

    def log_message(self, *_arguments: object) -> None: ...


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "code"),
    [
        pytest.param("nonsense://user:password@bucket", "store-unusable", marks=pytest.mark.soak),
        ("s3://bucket/x", "store-read-only"),
    ],
)
def test_a_bucket_that_cannot_be_used_is_a_sentence(place, monkeypatch, address, code):
    pytest.importorskip("s3fs")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Denying)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("BENCHSIDE_FILES", address)
    try:
        done = created(place)
    finally:
        server.shutdown()
        server.server_close()
    assert (done.status, done.err.count("\n"), "password" in done.err) == (2, 1, False), done.err
    assert code in done.err
    assert board("list", "--json", "-").json == {"boards": []}


@pytest.mark.soak
def test_a_board_lives_in_an_s3_bucket_that_must_be_there(place, database, monkeypatch):
    server = pytest.importorskip("moto.server").ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    fsspec.get_filesystem_class("s3").clear_instance_cache()  # of another server's address
    try:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        monkeypatch.setenv("BENCHSIDE_FILES", f"s3://boards-{database}/prefix")
        done = created(place)
        assert (done.status, "there is no such bucket" in done.err) == (2, True), done.err
        fsspec.filesystem("s3", skip_instance_cache=True).mkdir(f"boards-{database}")
        a_board_lives_there(place)
        assert open_store().engine.dialect.name == database
        monkeypatch.setenv("BENCHSIDE_FILES", "s3://other/prefix")
        assert "store-damaged" in board("show", "b").err
    finally:
        server.stop()
    monkeypatch.setenv("BENCHSIDE_FILES", "s3://third/prefix")
    done = board("show", "b")
    assert (done.status, "store-unusable" in done.err, "Traceback" in done.err) == (2, True, False)
