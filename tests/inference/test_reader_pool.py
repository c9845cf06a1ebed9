"""Files read in confined processes: the same tables, and one sentence for whatever a reader does."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import app
from scoring.common import transport
from scoring.common.findings import InputRefused
from scoring.common.fixes import InputChanges
from scoring.core.file_contents import BOARD_FORMAT, read_board_manifest
from scoring.inference import reader_pool
from scoring.inference.reader_pool import ReaderPool
from scoring.inference.worker_protocol import MALFORMED
from scoring.inputs import tables, workbooks
from scoring.inputs.grand_challenge_jobs import cases_of_jobs
from scoring.inputs.nuclei.reader import parse
from scoring.inputs.table_edits import fixed_table
from tests.support import readers
from tests.support.findings import refused
from tests.support.workbooks import sheet, workbook

ROOT = Path(__file__).parents[2]
MODULES = (*reader_pool.MODULES, "tests.support.readers")


@pytest.fixture(scope="module")
def pool():
    running = ReaderPool(replace(reader_pool.LIMITS, decoders=MODULES))
    transport.use(running.run)
    yield running
    transport.use(None)
    running.close()


def sentence(call, *arguments) -> str:
    (problem,) = refused(call, *arguments, "a.csv").problems
    assert (problem.code, problem.where) == ("unreadable-file", "a.csv")
    return problem.message


def here(call, *arguments):
    """What a reader gives in this process: its value, or what it refuses with."""
    try:
        return transport.READERS[f"{call.__module__}:{call.__qualname__}"](*arguments)
    except InputRefused as caught:
        return caught.problems


def there(call, *arguments):
    try:
        return call(*arguments)
    except InputRefused as caught:
        return caught.problems


@given(st.one_of(st.binary(max_size=60), st.text('ab,;\n\r\t" ï\x00', max_size=60).map(str.encode)))
def test_tables_are_the_same_there(pool, data):
    assert there(tables.read_table, data, "a.csv") == here(tables.read_table, data, "a.csv")
    assert there(workbooks.as_csv, data, "a.xlsx") == here(workbooks.as_csv, data, "a.xlsx")


def test_each_reader_that_is_marked_is_known_to_the_processes_that_read_it():
    marked = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "scoring").rglob("*.py")
        if "\n@isolated\n" in path.read_text("utf-8")
    }
    of_own_pools = {module for module in marked if module.startswith((app.BOARDS, app.ISIC))}
    assert len(of_own_pools) == 2
    assert marked - of_own_pools == {*reader_pool.MODULES} - {"scoring.inputs.parquet"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1", "cp932"])
def test_encodings_need_nothing_that_a_confined_process_cannot_load(pool, encoding):
    data, changes = (
        "id,größe\na,1\nb,2\n".encode(encoding, "replace"),
        InputChanges(columns=(("größe", "A"),)),
    )
    assert there(tables.read_table, data, "a.csv") == here(tables.read_table, data, "a.csv")
    assert there(fixed_table, data, "a.csv", changes) == here(fixed_table, data, "a.csv", changes)


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        (cases_of_jobs, {"j1": "P1"}),
        (read_board_manifest, ("isic", 2, None)),
    ],
)
def test_documents_of_jobs_and_boards_are_the_same_there(pool, reader, expected):
    """And nothing but the answer crosses, whatever else they hold."""
    board = {"format": BOARD_FORMAT, "board": {"challenge": "isic"}, "teams": [1, 2]}
    jobs = [{"pk": "j1", "inputs": [{"image": {"name": "P1.mha"}}]}]
    answers = [
        there(reader, json.dumps(document).encode(), "a.json")
        for document in (jobs, board, {**board, "format": 7}, {f"k{n}": [n] for n in range(100_000)})
    ]
    assert [answer for answer in answers if answer is not None] == [expected]
    assert there(reader, b"[" * 100_000, "a.json") is None
    doubled = json.dumps([*jobs, {**jobs[0], "pk": "j2"}]).encode()
    assert there(reader, doubled, "a.json") == here(reader, doubled, "a.json")


def test_nuclei_are_the_same_there(pool):
    data = b'{"polygons": [{"name": "x", "path_points": [[0, 0, 1], [4, 0, 1], [0, 4.5, 1]], "score": 0.5}]}'
    for file in (data, data[:-1], data.replace(b"4.5", b"NaN"), data.replace(b'"x"', b"7")):
        one, other = there(parse, file, "a.json", True), here(parse, file, "a.json", True)
        assert one.problems == other.problems
        assert (one.listed is None) == (other.listed is None)
        if one.listed is not None:
            np.testing.assert_array_equal(one.listed.points, other.listed.points)
            np.testing.assert_array_equal(one.listed.confidences, other.listed.confidences)


def test_workbooks_are_read_there(pool):
    assert workbooks.as_csv(workbook({"T": sheet([["a", "b"], ["x", 1]])}), "w.xlsx") == b"a,b\nx,1\n"


def test_refusals_keep_their_ways_to_fix_them(pool):
    (problem,) = refused(readers.refuse, b"", "a.csv").problems
    (same,) = here(readers.refuse, b"", "a.csv")
    assert problem.fixes == same.fixes != ()


def test_what_takes_too_long_too_much_or_ends_is_one_sentence_and_the_next_file_is_read(pool, monkeypatch):
    assert "1 GB of memory" in sentence(readers.allocate, b"1500000000")
    assert readers.allocate(b"500000000", "a.csv") == 500_000_000
    assert "ended unexpectedly" in sentence(readers.leave, b"")
    assert "ended unexpectedly" in sentence(readers.fail, b"")
    monkeypatch.setattr(pool, "_limits", replace(pool._limits, run_seconds=0.5))
    assert "longer than 20 s" in sentence(readers.sleep, b"")
    assert tables.read_table(b"a,b\n1,2\n", "a.csv").columns == (("1",), ("2",))


def test_a_file_beyond_the_limits_is_read_once_a_minute(pool, monkeypatch):
    """A page reads a file to recognise it, and to score it: 20 s each time."""
    started, now, start = [], [1000.0], pool._take
    monkeypatch.setattr(pool, "_take", lambda: (started.append(1), start())[1])
    monkeypatch.setattr(reader_pool, "monotonic", lambda: now[0])
    for _ in range(3):
        assert "1 GB of memory" in sentence(readers.allocate, b"1600000000")
    assert len(started) == 1
    assert "1 GB of memory" in sentence(readers.allocate, b"1700000000")
    now[0] += reader_pool.REMEMBERED_SECONDS
    assert "1 GB of memory" in sentence(readers.allocate, b"1600000000")
    assert len(started) == 3
    for k in range(reader_pool.REMEMBERED + 5):
        pool._remember((k,), "")
    assert len(pool._failures) == reader_pool.REMEMBERED


def test_a_reader_opens_no_file(pool):
    assert readers.open_file(b"/etc/hostname", "a.csv") is False


def test_processes_that_read_a_large_file_make_way(pool, monkeypatch):
    monkeypatch.setattr(reader_pool, "LARGE_BYTES", 10)
    pool.warm()
    (*_, worker) = pool._idle
    tables.read_table(b"a,b\n1,2\n" * 9, "a.csv")
    assert worker.ended


def test_readers_are_called_by_position():
    with pytest.raises(TypeError, match="by position"):
        tables.read_table(b"", name="a.csv")


PLAIN = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.binary())
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(st.text(), inner),
        st.frozensets(st.text()), st.frozensets(st.integers()),
    ),
    max_leaves=12,
)  # fmt: skip


@given(VALUES)
def test_values_arrive_as_they_were_sent(value):
    assert transport.decode([bytearray(part) for part in transport.encode(value)]) == value


@pytest.mark.parametrize(
    "array", [np.arange(6.0).reshape(2, 3).T, np.zeros((0, 2), np.int32), np.array([True])]
)
def test_arrays_arrive_as_they_were_sent(array):
    (arrived,) = transport.decode([bytearray(part) for part in transport.encode((array,))])
    np.testing.assert_array_equal(arrived, array)
    assert arrived.dtype == array.dtype


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=3), st.integers(0, 200), st.binary(max_size=4))
def test_parts_that_were_tampered_with_raise_nothing_unexpected(parts, at, piece):
    sent = transport.encode((np.arange(3), {"a": b"x"}, "text"))
    changed = [bytearray(part) for part in sent]
    changed[0][at : at + len(piece)] = piece
    for tampered in (changed, [bytearray(part) for part in parts]):
        try:
            transport.decode(tampered)
        except MALFORMED:
            continue


@pytest.mark.parametrize("value", [object(), np.array(["a"]), np.array([object()]), range])
def test_nothing_else_crosses(value):
    with pytest.raises(TypeError):
        transport.encode(value)
