"""What visitors drop is read outside of the server: hostile files cost it neither memory nor its answers."""

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import driver
from tests.browser.driver import Server
from tests.support.visitor import Visitor, cpu_seconds
from tests.support.workbooks import sheet, workbook

MEGABYTES = 50
"""What a refused file may cost the server at most, beside the upload itself."""
SECONDS = 6
"""Processor time that a refused file may cost the server, also a large one that is uploaded."""
SHARED = 400_000


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with driver.served() as started:
        with Visitor(started.address, "melanoma") as first:
            first.run()
            first.upload("a.xlsx", workbook({"T": sheet([["image", "risk"], ["a.jpg", 0.5]])}))
        yield started


def peak(server: Server) -> float:
    """MB that the server held at most since `forget_peak`."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{server.pid}/status").read_text())[1]) / 1024


def forget_peak(server: Server) -> float:
    """Let the peak begin at what the server holds now, and return that."""
    Path(f"/proc/{server.pid}/clear_refs").write_text("5")
    return peak(server)


def many_references() -> bytes:
    """A workbook of a megabyte whose cells name one text of 32 kB 400,000 times: 13 GB if written out."""
    cells = "".join(
        f'<row r="{k}"><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>' for k in range(1, SHARED // 2)
    )
    return workbook({"T": sheet([], cells)}, sharedStrings=f"<sst><si><t>{'x' * 32_000}</t></si></sst>")


def many_sheets() -> bytes:
    return workbook({f"T{k}": sheet([["a"], ["b"]]) for k in range(5_000)})


def foreign_encoding() -> bytes:
    return workbook({"T": '<?xml version="1.0" encoding="shift_jisx0213"?>' + sheet([["a", "b"], [1, 2]])})


def cells_far_apart() -> bytes:
    """A workbook of 1.5 MB whose two columns stand at the edges: 200 million cells if written out."""
    rows = (
        f'<row r="{k}"><c r="A{k}"><v>1</v></c><c r="ALL{k}"><v>2</v></c></row>' for k in range(1, 199_000)
    )
    return workbook({"T": sheet([], "".join(rows))})


def many_columns() -> bytes:
    """A table of 3,960,000 cells, none of them what the challenge asks for."""
    header, row = ["image", *(f"c{k}" for k in range(989))], ",0.1" * 989
    return "\n".join([",".join(header), *(f"i{k}{row}" for k in range(4_000))]).encode()


def long_names() -> bytes:
    """A zip of 300 tables with names of 60,000 characters."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for k in range(300):
            packed.writestr(f"{k}{'n' * 60_000}.csv", b"image,label\n")
    return file.getvalue()


def one_long_line() -> bytes:
    return b"image,risk\n" + b"x" * 60_000_000


@pytest.mark.parametrize(
    ("name", "make", "words"),
    [
        ("a.xlsx", many_references, "million characters"),
        ("b.xlsx", many_sheets, "5,000 sheets"),
        ("c.xlsx", foreign_encoding, "its XML is damaged"),
        ("d.csv", one_long_line, "million characters"),
        ("e.csv", many_columns, "no column for the label"),
        ("f.xlsx", cells_far_apart, "at most 4,000,000"),
        ("g.zip", long_names, "its list of files takes 18 MB"),
    ],
)
def test_a_hostile_table_is_one_sentence_and_the_server_stays_small(server, name, make, words):
    data, before, used = make(), forget_peak(server), cpu_seconds(server.pid)
    with Visitor(server.address, "melanoma") as visitor:
        visitor.run()
        assert visitor.upload(name, data)[0] == 204
        for _ in range(200):
            if any(words in text.replace("\\", "") for text in visitor.texts):
                break
            visitor.run()
        assert any(words in text.replace("\\", "") for text in visitor.texts)
    assert peak(server) - before < MEGABYTES + 3 * len(data) / 1e6
    assert cpu_seconds(server.pid) - used < SECONDS
