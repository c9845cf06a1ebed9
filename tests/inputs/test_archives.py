"""Untrusted ZIP archives: each attack and each accident, and that good ones are read."""

import io
import lzma
import random
import struct
import zipfile

import pytest

from scoring.inputs import archives
from scoring.inputs.sources import open_source
from scoring.inputs.tables import read_table
from tests.support.archives import (
    BZIP2,
    DEFLATE64,
    ENCRYPTED,
    LINK,
    LZMA,
    STORED,
    UTF8,
    Member,
    archive,
    archive_of,
)
from tests.support.findings import codes, outcome, places, refused
from tests.support.soak import FACTOR

GOOD = archive_of({"labels.csv": b"id,v\na,1\n", "images/a.jpg": b"picture"})


def opened(data: bytes) -> archives.Archive:
    return archives.open_archive(data, "z.zip")


def refusal(data: bytes, code: str) -> str:
    """The messages of an archive that is refused with that code only, each with its place."""
    problems = refused(opened, data).problems
    assert set(codes(problems)) == {code}
    assert all(p.where.startswith("z.zip") for p in problems)
    return "\n".join(f"{p.where}: {p.message}" for p in problems)


def test_a_good_archive_is_read():
    found = opened(GOOD)
    assert found.sizes == {"labels.csv": 9, "images/a.jpg": 7}
    assert (found.read("labels.csv"), found.read("images/a.jpg")) == (b"id,v\na,1\n", b"picture")


def test_archives_of_zipfile_are_read(tmp_path):
    path = tmp_path / "any name"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as writer:
        writer.mkdir("folder")
        writer.writestr("folder/größe.csv", "x" * 1000)
        with writer.open("streamed.csv", "w", force_zip64=True) as member:
            member.write(b"y" * 1000)
    found = archives.open_archive(path, "z.zip")
    assert found.sizes == {"folder/größe.csv": 1000, "streamed.csv": 1000}
    assert found.read("streamed.csv") == b"y" * 1000


def test_an_archive_streamed_to_a_pipe_is_read():
    class Pipe(io.RawIOBase):
        def __init__(self):
            self.data = b""

        def writable(self):
            return True

        def write(self, data):
            self.data += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as writer:
        writer.writestr("a.csv", "a" * 100)
        writer.writestr("b.csv", "b" * 100)
    assert opened(pipe.data).read("b.csv") == b"b" * 100


def test_an_archive_with_a_comment_is_read():
    assert opened(archive([Member("a.csv", b"1")], comment=b"made by hand")).sizes == {"a.csv": 1}


def test_nothing_in_it():
    assert opened(archive([])).sizes == {}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "0 bytes"),
        (b"7z\xbc\xaf\x27\x1c", "not a zip"),
        (b"Rar!\x1a\x07", "not a zip"),
        (b"\x1f\x8b\x08", "not a zip"),
        (b"\x89PNG\r\n\x1a\n" + GOOD, "not a zip"),
        (GOOD[:-30], "cut off"),
        (GOOD[:60], "cut off"),
        (GOOD[:-10], "cut off"),
        (b"PK\x03\x04", "cut off"),
    ],
)
def test_other_files_and_such_as_were_cut_off(data, words):
    assert words in refusal(data, "bad-zip")


@pytest.mark.parametrize("cut", range(1, len(GOOD), 7))
def test_cut_off_anywhere(cut):
    refusal(GOOD[:cut], "bad-zip")


@pytest.mark.parametrize(
    "name",
    [
        *("../a.csv", "a/../../b.csv", "..", "/etc/passwd", "//server/a", r"..\a.csv", r"a\b.csv"),
        *("C:/a.csv", r"C:\a.csv", "c:a.csv", "./a.csv", "a//b.csv", "a/./b.csv", "a\nb.csv", "a\x7f.csv"),
        *("\u202egpj.csv", "a\u200b.csv", "\ufeffa.csv", "a/../"),
        *("", "/", "//", ".", "./", "   ", "\u3000", " /a.csv", "a/ /"),
    ],
)
def test_names_that_lead_elsewhere_or_hide(name):
    refusal(archive([Member("ok.csv", b"1"), Member(name, b"2")]), "unsafe-path")


def test_hidden_characters_are_shown_written_out():
    assert r"a\u202eb.csv" in refusal(archive([Member("a\u202eb.csv", b"1")]), "unsafe-path")


def test_a_name_with_nul():
    assert "unsafe-path" in codes(refused(opened, archive([Member(b"a.csv\0.exe", b"1")])).problems)


def test_a_link():
    assert "link" in refusal(archive([Member("labels.csv", b"/etc/passwd", attributes=LINK)]), "unsafe-path")


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (("mimetype", "content.xml", "META-INF/manifest.xml"), "an OpenDocument file, such as .ods"),
        (("[Content_Types].xml", "xl/workbook.bin"), "a binary Excel workbook"),
        (("Index/Document.iwa",), "a document of Apple Numbers, Pages or Keynote"),
        (("[Content_Types].xml", "word/document.xml"), "a Word document"),
    ],
)
@pytest.mark.parametrize("name", ["z.zip", "scores.ods", "scores.xlsx", "scores", "letter.docx"])
def test_documents_that_are_zips_are_called_what_they_are(members, words, name):
    data = archive([Member(member, b"x") for member in members])
    (problem,) = refused(lambda: read_table(open_source(data, name).read(name), name)).problems
    assert (problem.code, problem.where) == ("unreadable-file", name)
    assert problem.message == f"it is {words}, which is not read. Export the table as CSV or Excel (.xlsx)."


def test_every_bad_name_is_listed():
    problems = refused(
        opened,
        archive(
            [Member("../a", b""), Member("ok", b""), Member("/b", b""), Member("c", b"x", flags=ENCRYPTED)]
        ),
    ).problems
    assert places(problems) == [
        ("unsafe-path", "z.zip › ../a"),
        ("unsafe-path", "z.zip › /b"),
        ("bad-zip", "z.zip › c"),
    ]


def test_a_name_that_is_not_the_utf_8_it_claims_to_be():
    refusal(archive([Member(b"\xb2\xe2.csv", b"1", flags=UTF8)]), "bad-zip")


def test_names_in_an_old_chinese_encoding_are_read_as_they_come():
    members = [Member(f"测试图像文件{i}.csv".encode("gbk"), str(i).encode(), method=STORED) for i in range(3)]
    found = opened(archive(members))
    assert [found.read(name) for name in found.sizes] == [b"0", b"1", b"2"]


def test_a_name_in_utf_8_without_its_flag_is_read_as_it_was_written():
    name = "Universität Graz/p.csv"
    found = opened(archive([Member(name.encode(), b"1", method=STORED)]))
    assert {member: found.read(member) for member in found.sizes} == {name: b"1"}
    refusal(archive([Member("ä\u202e.csv".encode(), b"1")]), "unsafe-path")
    refusal(archive([Member("../ä.csv".encode(), b"1")]), "unsafe-path")


@pytest.mark.parametrize(
    "names",
    [("a.csv", "a.csv"), ("A.csv", "a.csv"), ("\u00e9.csv", "e\u0301.csv"), ("Straße.csv", "STRASSE.CSV")],
)
def test_a_name_twice(names):
    said = refusal(archive([Member(names[0], b"1"), Member(names[1], b"2")]), "bad-zip")
    assert said.count("occurs twice") == len({*names})


def test_an_encrypted_member():
    assert "encrypted" in refusal(archive([Member("a.csv", b"1", flags=ENCRYPTED)]), "bad-zip")


@pytest.mark.parametrize("method", [DEFLATE64, BZIP2, LZMA, 99])
def test_other_methods_of_compression(method):
    said = refusal(archive([Member("a.csv", lzma.compress(bytes(1000)), method=method)]), "bad-zip")
    assert f"method {method}" in said
    assert "Zip the folder again" in said


@pytest.mark.parametrize(
    "member",
    [
        Member("a.csv", b"1234", checksum=1),
        Member("a.csv", b"1234", method=STORED, checksum=1),
        Member("a.csv", b"x" * 99, size=50),
        Member("a.csv", b"x", size=5000),
        Member("a.csv", b"\xff" * 9, method=STORED, packed_size=9, size=4),
    ],
)
def test_a_damaged_member_is_named_when_it_is_read(member):
    found = opened(archive([Member("ok.csv", b"fine"), member]))
    problems = refused(found.read, "a.csv").problems
    assert places(problems) == [("bad-zip", "z.zip › a.csv")]
    assert found.read("ok.csv") == b"fine"


def test_a_member_whose_stream_is_broken():
    whole = bytearray(archive([Member("a.csv", bytes(range(256)) * 9)]))
    whole[60:70] = b"\xff" * 10
    assert places(refused(opened(bytes(whole)).read, "a.csv").problems) == [("bad-zip", "z.zip › a.csv")]


def test_an_end_record_that_lies_about_the_number_of_files(monkeypatch):
    """Reading 1,500,000 entries, of which the end record named 5, took 25 s."""
    monkeypatch.setattr(archives.zipfile, "ZipFile", None)
    data = archive([Member("a.csv", b"1")])
    at, end = data.rfind(b"PK\1\2"), data.rfind(b"PK\5\6")
    entry, count = data[at:end], archives.MEMBERS + 1
    record = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 5, 5, len(entry) * count, at, 0)
    said = refusal(data[:at] + entry * count + record, "bad-zip")
    assert "more than its directory lists" in said


@pytest.mark.parametrize("name", ["n" * 4_097, "\u202e" * 1_400, "n/" * 2_049])
def test_a_name_that_is_too_long_is_refused_before_anything_looks_at_it(monkeypatch, name):
    """300 names of 60,000 characters took 20 s."""
    data = archive([Member("a.csv", b"1"), *(Member(f"{name}{i}", b"1") for i in range(3))])
    monkeypatch.setattr(archives.zipfile, "ZipFile", None)
    assert "file 2 has a name of 4," in refusal(data, "bad-zip")


@pytest.mark.parametrize("size", [2_052, 60_000])
def test_additions_that_take_the_square_of_their_size_are_refused(monkeypatch, size):
    """zipfile takes 0.2 s for each member with 60,000 bytes of them."""
    data = zipped({"a.csv": b"1"}, extra=struct.pack("<HH", 0x7777, 0) * (size // 4))
    monkeypatch.setattr(archives.zipfile, "ZipFile", None)
    assert f"{size:,} bytes of extra fields" in refusal(data, "bad-zip")


def test_a_list_of_files_that_is_too_large_is_refused(monkeypatch):
    data = zipped({f"{k}.csv": b"1" for k in range(40)}, comment=b"c" * 60_000)
    assert opened(data).sizes == {f"{k}.csv": 1 for k in range(40)}
    monkeypatch.setattr(archives, "DIRECTORY_BYTES", 2_000_000)
    monkeypatch.setattr(archives.zipfile, "ZipFile", None)
    assert "its list of files takes 2 MB; at most 2 MB" in refusal(data, "bad-zip")


def zipped(members: dict[str, bytes], **attributes: bytes) -> bytes:
    """A zip of members of which the directory says more."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name)
            for attribute, value in attributes.items():
                setattr(entry, attribute, value)
            packed.writestr(entry, data)
    return file.getvalue()


def test_a_large_table_is_refused_before_it_is_unpacked():
    files = open_source(
        archive([Member("t.csv", b"1" * 1_100_000, size=200_000_001, method=STORED)]), "s.zip"
    )
    problems = refused(files.read, "t.csv").problems
    assert (codes(problems), "200 MB" in problems[0].message) == (["unreadable-file"], True)


def claiming(size: int, packed: int, name: str = "a.bin", count: int = 1) -> bytes:
    """Members that hold nothing, whatever the directory says of their sizes."""
    return archive(
        [
            Member("ok.csv", b"1"),
            *(Member(f"{i}{name}", size=size, packed_size=packed, offset=0) for i in range(count)),
        ]
    )


@pytest.mark.parametrize(
    ("size", "packed", "words"),
    [
        (500_000_001, 500_000_001, "500 MB"),
        (2_000_000_000, 2_000_000, "500 MB"),
        (60_000_000, 299_000, "200-fold"),
        (400_000_000, 1, "400,000,000-fold"),
        (0xFFFFFFFE, 100, "500 MB"),
    ],
)
def test_members_that_would_unpack_to_too_much(size, packed, words):
    assert words in refusal(claiming(size, packed), "bad-zip")


@pytest.mark.parametrize(
    ("size", "packed"), [(500_000_000, 2_500_000), (50_000_000, 1), (60_000_000, 300_000)]
)
def test_sizes_at_the_limit_are_no_bombs(size, packed):
    said = refusal(claiming(size, packed), "bad-zip")
    assert "overlap" in said
    assert "\n" not in said


def test_tables_of_more_than_four_gigabytes_together():
    assert "4.1 GB" in refusal(claiming(460_000_000, 3_000_000, ".json", 9), "bad-zip")
    assert " GB" not in refusal(claiming(440_000_000, 3_000_000, ".json", 9), "bad-zip")
    assert " GB" not in refusal(claiming(460_000_000, 3_000_000, ".jpg", 9), "bad-zip")


def test_entries_that_overlap():
    first = Member("a.csv", b"x" * 1000, method=STORED)
    assert "overlap" in refusal(
        archive([first, *(Member(f"{i}.csv", b"x" * 1000, method=STORED, offset=0) for i in range(9))]),
        "bad-zip",
    )
    assert "overlap" in refusal(
        archive([Member("a.csv", b"x" * 9, method=STORED, packed_size=500)]), "bad-zip"
    )


@pytest.mark.slow
def test_more_members_than_are_read():
    assert "20,001 files" in refusal(archive(Member(str(i), method=STORED) for i in range(20_001)), "bad-zip")
    assert len(opened(archive(Member(str(i), method=STORED) for i in range(20_000))).sizes) == 20_000


def test_a_million_members_are_refused_by_the_end_record():
    assert "65,535 files" in refusal(archive([Member("a.csv", b"1")], count=0xFFFF), "bad-zip")


def test_an_end_record_that_lies_about_the_count():
    refusal(archive([Member("a.csv", b"1"), Member("b.csv", b"2")], count=30_000), "bad-zip")


def test_a_nested_archive_is_never_opened():
    assert opened(archive([Member("inner.zip", GOOD)])).sizes == {"inner.zip": len(GOOD)}
    assert opened(archive([Member("inner.zip", GOOD)])).read("inner.zip") == GOOD


def test_a_very_deep_path_is_read():
    name = "d/" * 2000 + "a.csv"
    assert opened(archive([Member(name, b"1")])).read(name) == b"1"


def test_a_long_name_is_shown_cut():
    assert "x" * 118 not in refusal(archive([Member("../" + "x" * 4000, b"1")]), "unsafe-path")


def test_a_good_archive_is_read_after_a_bad_one():
    refusal(GOOD[:-10], "bad-zip")
    assert opened(GOOD).read("labels.csv").startswith(b"id")


def everything_in(data: bytes) -> list[bytes]:
    found = open_source(data, "z.zip")
    return [found.read(member) for member in found.members]


def test_damage_anywhere_is_refused_or_read_but_nothing_else():
    dice, outcomes = random.Random(0), set()
    for _ in range(1500 * FACTOR):
        data = bytearray(GOOD)
        for _ in range(dice.randint(1, 6)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        if dice.random() < 0.3:
            del data[dice.randrange(len(data)) :]
        found, problems = outcome(everything_in, bytes(data))
        assert set(codes(problems)) <= {"bad-zip", "unsafe-path"}
        outcomes.add(found is None)
    assert outcomes == {True, False}
