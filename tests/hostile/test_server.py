"""Every hostile file, dropped on a real server as a visitor does: each has its answer after 20 s of
processor time and costs the server 50 MB at most, and twice the upload itself. `make hostile` prints seconds
and memory of each."""

import io
import json
import re
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed

from scoring.inputs.sources import sha256
from tests.browser import driver
from tests.browser.driver import Server
from tests.hostile import inputs
from tests.hostile.test_bundles import HOSTILE
from tests.hostile.test_table import ROWS
from tests.support import archives, bundles
from tests.support.memory import forget_peak, peak
from tests.support.visitor import Visitor
from tests.support.workbooks import sheet, workbook

SECONDS, MEGABYTES = 20, 50
PENDING = (
    "While other runs wait, a run is stopped after",
    "confirm this text to see the model",
    "Waiting",
)
"""What a page says while a file is read beside it."""
UNHURRIED = """
from dataclasses import replace
from scoring.inference import reader_pool
from streamlit.web.cli import main

reader_pool.LIMITS = replace(reader_pool.LIMITS, run_seconds=900)
main()
"""
"""Starts the server. Where others use the processors, reading takes more seconds than the product gives it;
`SECONDS` of processors still hold."""
SHARED = 400_000
TILE, PATIENT = "sample_metastatic_roi_001", "ALD-003"
"""Cases of the samples of PUMA and HECKTOR."""


@dataclass(frozen=True)
class Drop:
    """A file and where it is dropped. words: what the page has to say of it; "" where the table of inputs is
    tested for that."""

    page: str
    uploader: str
    name: str
    data: bytes
    words: str = ""


@dataclass
class Cost:
    """Seconds, also of processors in the server and its workers, and MB that the server held more than before
    and the largest worker at all."""

    name: str
    size: float
    seconds: float = 0
    processors: float = 0
    server: float = 0
    worker: float = 0

    def __str__(self) -> str:
        return (
            f"{self.name:<28} {self.size:8.1f} MB {self.seconds:6.1f} s"
            f"  processors {self.processors:5.1f} s  server {self.server:+7.1f} MB"
            f"  worker {self.worker:6.0f} MB"
        )


def workers(server: Server) -> list[int]:
    tasks = Path(f"/proc/{server.pid}/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]


def processor_seconds(server: Server) -> float:
    """Return what the server, its workers and those that ended have used."""
    own = psutil.Process(server.pid)
    alive = sum(sum(child.cpu_times()[:2]) for child in own.children(recursive=True))
    return alive + sum(own.cpu_times()[:4])


@contextmanager
def costing(server: Server, cost: Cost) -> Iterator[None]:
    """Measure what a block costs."""
    over, before = threading.Event(), forget_peak(server.pid)
    for pid in workers(server):
        forget_peak(pid)

    def watch() -> None:
        while not over.wait(0.05):
            cost.worker = max([cost.worker, *map(peak, workers(server))])

    watching, begun, used = threading.Thread(target=watch), time.monotonic(), processor_seconds(server)
    watching.start()
    try:
        yield
    finally:
        cost.seconds = time.monotonic() - begun
        cost.processors = processor_seconds(server) - used
        cost.server = peak(server.pid) - before
        over.set()
        watching.join()


@pytest.fixture(scope="module")
def costs(request) -> Iterator[list[Cost]]:
    """What each file cost, printed at the end."""
    found: list[Cost] = []
    yield found
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print("", *sorted(found, key=lambda cost: -cost.processors), sep="\n")


@pytest.fixture(scope="module")
def server(request) -> Iterator[Server]:
    """A server that has drawn each page of the tests once, with a file of a visitor."""
    own = [item for item in request.session.items if item.path == request.path]
    port = driver.free_port()
    command = [sys.executable, "-c", UNHURRIED, "run", "app.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.fileWatcherType=none"]
    with driver.running(command, port) as started:
        for drop in WARMING_SOAK if any(item.get_closest_marker("soak") for item in own) else WARMING:
            give(started, drop)
        yield started


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


def of_many_numbers() -> bytes:
    """300 bytes that took 5 GB: a set of as many numbers as its version says was made."""
    value = bundles.manifest()
    lists = {name: [] for name in ("test_sets", "teams", "submissions", "scorings")} | {"files": {}}
    value = {"format": value["format"], "board": value["board"] | {"version": 10**10}} | lists
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(bundles.MANIFEST, json.dumps(value))
    return target.getvalue()


def of_large_cards() -> bytes:
    """Half a megabyte with ten scorecards of 45 MB each."""
    value, cards = bundles.manifest(), dict[str, bytes]()
    for number in range(10):
        card = io.BytesIO()
        with zipfile.ZipFile(card, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            packed.writestr(f"arrays/{number}", bytes(45_000_000))
        digest = sha256(card.getvalue())
        cards[f"files/{digest}"] = card.getvalue()
        value["files"][digest] = len(card.getvalue())
        value["scorings"].append(value["scorings"][0] | {"card": digest, "number": number + 2})
    return bundles.packed(cards | {bundles.MANIFEST: json.dumps(value).encode()}, zipfile.ZIP_DEFLATED)


def many_keys() -> bytes:
    return b"{" + b",".join(b'"%d":1' % k for k in range(4_000_000)) + b"}"


def equal_ids() -> bytes:
    return b"image,risk\n" + b"a.jpg,0.5\n" * 190_000


def large_picture() -> bytes:
    """12 kB that are 10,000 x 10,000 pixels: 300 MB in colours."""
    return inputs.png(10_000, 10_000, bits=1, colour=0, is_whole=True)


SUBMISSION, TABLE_OF_TRUTH = "melanoma_submission_files", "melanoma_set_files"
PICTURE, BOARDS = "single_image_files_0", "any_files"
KINDS: dict[str, Callable[..., Drop]] = {
    "table": lambda data, _ids=(), name="p.csv": Drop("isic", "isic_submission_files", name, data),
    "nuclei": lambda data: Drop("puma", "puma_submission_files", f"{TILE}.json", data),
    "masks": lambda data, name="p1.nii.gz": Drop(
        *("hecktor2026", "hecktor2026_submission_files", "masks.zip"),
        archives.archive_of({f"masks/{name.replace('p1', PATIENT)}": data}),
    ),
    "zipped": lambda data: Drop("isic", "isic_submission_files", "p.zip", data),
    "picture": lambda data: Drop("single_image", PICTURE, "p.png", data),
    "model": lambda data: Drop("melanoma", SUBMISSION, "m.onnx", data),
}
"""What makes a drop of what `inputs` gives to a reader."""


def truth(name: str, make: Callable[[], bytes], words: str) -> Callable[[], Drop]:
    return lambda: Drop("melanoma", TABLE_OF_TRUTH, name, make(), words)


def bundle(make: Callable[[], bytes], words: str = "") -> Callable[[], Drop]:
    return lambda: Drop("", BOARDS, "board.zip", make(), words)


ALWAYS: dict[str, Callable[[], Drop]] = {
    "shared string": truth("a.xlsx", many_references, "million characters"),
    "5,000 sheets": truth("b.xlsx", many_sheets, "5,000 sheets"),
    "foreign XML": truth("c.xlsx", foreign_encoding, "its XML is damaged"),
    "one long line": truth("d.csv", one_long_line, "million characters"),
    "many columns": truth("e.csv", many_columns, "no column for the label"),
    "cells far apart": truth("f.xlsx", cells_far_apart, "at most 4,000,000"),
    "long names": truth("g.zip", long_names, "its list of files takes 18 MB"),
    "version 10**10": bundle(of_many_numbers, "is not a number from 1 to"),
    "large cards": bundle(of_large_cards, "it unpacks to 45"),
}
"""Those that once took a server down."""
SOAK: dict[str, Callable[[], Drop]] = {
    "keys": truth("k.json", many_keys, ""),
    "equal ids": truth("i.csv", equal_ids, ""),
    "10,000 x 10,000": lambda: KINDS["picture"](large_picture()),
    **{f"bundle: {name}": bundle(make) for name, make in HOSTILE.items() if name != "the same board"},
    **{f"{row.row} {row.input[:20]}": lambda row=row: of_row(row.row) for row in ROWS if not row.test},
}
WARMING = (
    KINDS["table"](b""),
    Drop("melanoma", TABLE_OF_TRUTH, "a.xlsx", workbook({"T": sheet([["image", "risk"], ["a.jpg", 0.5]])})),
    Drop("", BOARDS, "warm.zip", bundles.packed({})),
)
WARMING_SOAK = (
    *WARMING,
    *(KINDS[kind](b"") for kind in KINDS if kind != "table"),
    Drop("single_image", PICTURE, "p.png", inputs.photograph()),
)


def of_row(row: str) -> Drop:
    """Return what a row of the table gives to its reader."""
    with pytest.MonkeyPatch.context() as patch:
        for name, make in KINDS.items():
            patch.setattr(inputs, name, make)
        drop: Drop = inputs.INPUTS[row]()  # type: ignore[assignment]
        return drop


def give(server: Server, drop: Drop) -> list[str]:
    """Return what the page says of a file once it has been read."""
    with Visitor(server.address, drop.page) as visitor:
        visitor.run()
        assert visitor.upload(drop.name, drop.data, visitor.widget(drop.uploader))[0] == 204
        for box in visitor.widgets.get("checkbox", ()):
            if box.endswith("-single_agreed"):  # without it no photograph is read
                visitor.tick(box)
        used = processor_seconds(server)
        while any(mark in text for text in visitor.texts for mark in PENDING):
            if processor_seconds(server) > used + SECONDS:
                break
            time.sleep(0.1)  # to ask all the time would keep the reader waiting
            visitor.run()
        assert b'", line ' not in visitor.content, "a traceback"
        return [text.replace("\\", "") for text in visitor.texts]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ALWAYS, *(pytest.param(name, marks=pytest.mark.soak) for name in SOAK)])
def test_a_hostile_file_has_its_answer_and_the_server_stays_small(server, costs, name):
    drop = (ALWAYS | SOAK)[name]()
    cost = Cost(name, len(drop.data) / 1e6)
    with costing(server, cost):
        texts = give(server, drop)
    costs.append(cost)
    assert not any(mark in text for text in texts for mark in PENDING)
    assert len([text for text in texts if drop.words in text]) == 1 or not drop.words, texts
    assert cost.processors < SECONDS, "of processors, because others use them as well"
    assert cost.server < MEGABYTES + 2 * cost.size


def kept_results(server: Server) -> int:
    """Return MB of results for all visitors, as the server says of itself."""
    with Visitor(server.address, "about") as visitor:
        visitor.run()
        return int(KEPT.search(" ".join(visitor.texts))[1].replace(",", ""))


KEPT = re.compile(r"predictions kept in memory\D+([\d,]+) MB")


@pytest.mark.soak
def test_the_problems_of_a_large_refused_table_go_with_its_visitor(server):
    table = b"image,risk\n" + b"images/M0001.jpg,0.5\n" * 199_000
    before = kept_results(server)
    for _ in range(5):  # they also go when an earlier visitor's session ends
        give(server, Drop("melanoma", SUBMISSION, "twice.csv", table))
        if kept_results(server) > before + 20:
            break
    else:
        pytest.fail("they were never kept")
    until = time.monotonic() + 180
    while kept_results(server) > before + 5:
        assert time.monotonic() < until


LISTS = "[" + "[]," * 66_000 + "[]]"


def message(**value: object) -> bytes:
    """Return a visitor's message with the value of a widget."""
    sent = BackMsg()
    sent.rerun_script.widget_states.widgets.add(id="x", **value)
    return sent.SerializeToString()


def addresses() -> bytes:
    """Return a question for the addresses of half a million uploads."""
    return BackMsg(file_urls_request={"file_names": [""] * 500_000}).SerializeToString()


FRAMES: dict[str, tuple[Callable[[], bytes | str], int]] = {
    "JSON": (lambda: message(json_value=LISTS * 2), 1009),
    "numbers": (lambda: message(int_array_value={"data": [1] * 400_000}), 1009),
    "files": (lambda: message(file_uploader_state_value={"uploaded_file_info": [{}] * 500_000}), 1009),
    "addresses": (addresses, 1009),
    "larger": (lambda: message(string_value="x" * 3_000_000), 1009),
    "text": (lambda: "hello", 1002),
    "no message": (lambda: b"?" * 1000, 1002),
}
"""Messages that the server would turn into many times their size in objects, or into a traceback in its log;
with the code of the answer."""


@pytest.mark.parametrize("name", FRAMES)
def test_a_hostile_message_ends_its_connection_and_the_server_stays_small(server, name):
    make, code = FRAMES[name]
    with Visitor(server.address, "isic") as visitor:
        visitor.run()
        before = forget_peak(server.pid)
        visitor._channel.send(make())
        with pytest.raises(ConnectionClosed) as closed:
            visitor.finish()
        assert closed.value.rcvd.code == code
        assert peak(server.pid) - before < MEGABYTES


def test_values_of_every_widget_together_take_little(server):
    """A session keeps the last value of each: 24 MB of JSON were 640 MB for each of 25."""
    with Visitor(server.address, "isic") as visitor:
        visitor.run()
        before = forget_peak(server.pid)
        for widget in {one for ids in visitor.widgets.values() for one in ids}:
            visitor._states = {"": WidgetState(id=widget, json_value=LISTS)}
            visitor.run()
        assert peak(server.pid) - before < 3 * MEGABYTES


def test_a_visitor_names_thousands_of_files(server):
    with Visitor(server.address, "isic") as visitor:
        visitor.run()
        uploader = visitor.widget("isic_submission_files")
        state = visitor._states.setdefault(uploader, WidgetState(id=uploader))
        for number in range(6_000):
            state.file_uploader_state_value.uploaded_file_info.add(
                file_id=f"{number:036}",
                name=f"ISIC_{number:07}.png",
                size=1,
                file_urls={"upload_url": "u" * 120},
            )
        visitor.run()
        assert visitor.content, "it goes on"
