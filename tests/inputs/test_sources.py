"""Sources: a path, bytes, a dropped folder or a zip hold the same files and have the digests of the
contract."""

import ast
import hashlib
import os
import subprocess
import sys
import threading
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

from scoring.common.findings import InputRefused
from scoring.inputs.sources import open_source
from tests.support.archives import STORED, Member, archive, archive_of
from tests.support.findings import places, refused

ROOT = Path(__file__).parents[2]
FILES = {"labels.csv": b"id,v\n", "images/b.jpg": b"bb", "images/a.jpg": b"aaa"}
LITTER = {
    "__MACOSX/labels.csv": b"",
    ".DS_Store": b"",
    "images/._a.jpg": b"",
    ".git/labels.csv": b"",
    "Thumbs.db": b"",
}


def written(folder, files):
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("kind", ["folder", "dictionary", "zip", "zip bytes"])
def test_the_same_files_without_litter(kind, tmp_path):
    everything = {**LITTER, **FILES}
    source = {
        "folder": lambda: written(tmp_path, everything),
        "dictionary": lambda: everything,
        "zip bytes": lambda: archive_of(everything),
        "zip": lambda: written(tmp_path, {"t.zip": archive_of(everything)}) / "t.zip",
    }[kind]()
    found = open_source(source)
    assert found.members == ("images/a.jpg", "images/b.jpg", "labels.csv")
    assert found.sizes == {name: len(data) for name, data in FILES.items()}
    assert {name: found.read(name) for name in found.members} == FILES
    for name, data in FILES.items():
        with found.open(name) as file:
            assert (file.read(1), file.seek(0), file.read()) == (data[:1], 0, data)


def test_digests(tmp_path):
    used = {name: sha256(FILES[name]) for name in ("labels.csv", "images/a.jpg")}
    of_folder = sha256(f"{used['images/a.jpg']}  images/a.jpg\n{used['labels.csv']}  labels.csv\n".encode())
    assert open_source(written(tmp_path / "t", FILES)).digest(used) == of_folder
    assert open_source(FILES).digest(used) == of_folder
    assert (
        open_source(FILES).digest_of(["labels.csv", "images/a.jpg"])
        == open_source(tmp_path / "t").digest_of(used)
        == of_folder
    )
    packed = archive_of(FILES)
    assert (
        open_source(packed).digest(used)
        == open_source(written(tmp_path, {"t.zip": packed}) / "t.zip").digest(used)
        == sha256(packed)
    )
    assert open_source(packed).digest_of(FILES) == sha256(packed)
    assert (
        open_source(b"id,v\n").digest({})
        == open_source(tmp_path / "t" / "labels.csv").digest({})
        == sha256(b"id,v\n")
    )


def test_names_of_a_dropped_folder():
    assert open_source({r"top\labels.csv": b"1", "./images/a.jpg": b"2", "/b.jpg": b"3"}).members == (
        "b.jpg",
        "images/a.jpg",
        "top/labels.csv",
    )


def test_what_messages_call_it(tmp_path):
    path = written(tmp_path, {"data.csv": b"1", "t.zip": archive_of(FILES)})
    assert open_source(path / "data.csv").name == "data.csv"
    assert open_source(path / "data.csv", "upload.csv").called("upload.csv") == "upload.csv"
    assert open_source(path / "t.zip").called("images/a.jpg") == "t.zip \u203a images/a.jpg"
    assert open_source(path).called("data.csv") == "data.csv"


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a.zip", b"id,v", None),
        ("a.bin", archive_of({}), "zip"),
        ("a", archive_of(FILES), "zip"),
        ("a.csv", archive_of(FILES), "file"),
        ("a.xlsx", archive_of(FILES), "file"),
        ("A.ZIP", archive_of(FILES), "zip"),
    ],
)
def test_what_is_read_as_a_zip(name, head, kind):
    if kind is None:
        assert places(refused(open_source, head, name).problems) == [("bad-zip", name)]
    else:
        assert open_source(head, name).kind == kind


@pytest.mark.parametrize("missing", ["nothing.csv", "no/such/folder", "nul\0.csv"])
def test_what_is_not_there(missing, tmp_path):
    problems = refused(open_source, tmp_path / missing).problems
    assert [p.code for p in problems] == ["unreadable-file"]


@pytest.mark.parametrize("name", [b"a\xff.csv", b"a\x1b[2J.csv", "a\u202eb.csv".encode()])
def test_names_in_a_folder_that_are_no_plain_text(name, tmp_path):
    folder = written(tmp_path, FILES)
    (folder / os.fsdecode(name)).write_bytes(b"1")
    dropped = {os.fsdecode(name): b"1", **FILES}
    for source in (folder, dropped):
        (problem,) = refused(open_source, source).problems
        assert problem.code == "unsafe-path"
        assert problem.where.isprintable()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_names_beyond_ascii_in_a_locale_that_knows_only_ascii(tmp_path):
    names = ["sätze/größe.csv", "日本.csv"]
    folder = written(tmp_path, dict.fromkeys(names, b"1"))
    script = (
        "import sys\n"
        "from scoring.inputs.sources import open_source\n"
        "assert sys.getfilesystemencoding() != 'utf-8'\n"
        "files = open_source(sys.argv[1])\n"
        "print(ascii([(member, files.read(member), files.open(member).read()) for member in files.members]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        cwd=ROOT,
        env=os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ast.literal_eval(done.stdout) == [(name, b"1", b"1") for name in names]


def test_a_file_that_goes_away_while_it_is_read(tmp_path):
    folder = written(tmp_path, FILES)
    found = open_source(folder)
    os.remove(folder / "labels.csv")
    for read in (found.read, found.open, lambda member: found.digest_of([member])):
        assert places(refused(read, "labels.csv").problems) == [("unreadable-file", "labels.csv")]


def test_a_file_larger_than_anything_that_is_read(tmp_path):
    with open(tmp_path / "huge.csv", "wb") as file:
        file.truncate(500_000_001)
    for read in (
        lambda: open_source(tmp_path / "huge.csv"),
        lambda: open_source(tmp_path).read("huge.csv"),
        lambda: open_source(tmp_path).open("huge.csv"),
    ):
        problems = refused(read).problems
        assert places(problems) == [("unreadable-file", "huge.csv")]
        assert "500 MB" in problems[0].message


@pytest.mark.parametrize("kind", ["file", "folder", "dictionary", "zip"])
def test_tables_larger_than_a_challenge_takes(kind, tmp_path):
    files = {"big.csv": bytes(2001), "big.mha": bytes(2001), "small.json": bytes(2000)}
    source = {
        "file": lambda: written(tmp_path, files) / "big.csv",
        "folder": lambda: written(tmp_path, files),
        "dictionary": lambda: files,
        "zip": lambda: archive_of(files),
    }[kind]()
    found = open_source(source, "s.zip" if kind == "zip" else None, table_bytes=2000)
    assert places(refused(found.read, "big.csv").problems) == [("unreadable-file", found.called("big.csv"))]
    for member in set(found.members) - {"big.csv"}:
        assert found.read(member) == files[member]


DAMAGED = {
    "its stream": (Member("a.csv", bytes(range(256))), (b"\x10\x11\x12", b"\x10\xff\xff")),
    "its checksum": (Member("a.csv", b"1234", checksum=1), None),
    "its checksum, stored": (Member("a.csv", b"1234", checksum=1, method=STORED), None),
    "more than announced": (Member("a.csv", b"x" * 99, size=50), None),
    "less than announced": (Member("a.csv", b"x", size=5000), None),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_member_is_noticed_while_it_is_read(damage):
    member, replaced = DAMAGED[damage]
    packed = archive([member])
    file = open_source(packed.replace(*replaced, 1) if replaced else packed).open("a.csv")
    with file, pytest.raises((zipfile.BadZipFile, zlib.error, EOFError)):
        file.read()


def test_a_member_is_read_piece_by_piece_and_again_from_its_front():
    data = np.random.default_rng(0).bytes(300_000) + bytes(300_000)
    with open_source(archive_of({"a.nii": data})).open("a.nii") as file:
        for _ in range(2):
            assert b"".join(iter(lambda: file.read(70_000), b"")) == data
            assert file.seek(0) == 0


@pytest.mark.slow
def test_members_that_are_streamed_may_shrink_by_any_ratio():
    packed = archive_of({"a.nii": bytes(60_000_000)})
    assert places(refused(open_source, packed, "z.zip").problems) == [("bad-zip", "z.zip › a.nii")]
    assert open_source(packed, "z.zip", streamed=(".nii", ".mha")).sizes == {"a.nii": 60_000_000}
    assert places(refused(open_source, packed, "z.zip", streamed=(".mha",)).problems) == [
        ("bad-zip", "z.zip › a.nii")
    ]


def test_a_device_that_never_ends_is_not_read():
    with pytest.raises(InputRefused, match="it is a device"):
        open_source("/dev/zero")


def test_a_table_comes_through_a_pipe(tmp_path):
    path = tmp_path / "p.csv"
    os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=(b"a,b\n1,2\n",), daemon=True).start()
    files = open_source(path)
    assert files.read("p.csv") == b"a,b\n1,2\n"
