"""Tables in the formats that pandas, NumPy and pyarrow write are those of the CSV that they would write."""

import bz2
import gzip
import io
import json
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from scoring.common.findings import InputRefused
from scoring.inputs import table_formats
from scoring.inputs.tables import read_table
from tests.support.command_line import ROOT

FRAME = pd.DataFrame(
    {
        "image": [f"ISIC_{i}" for i in range(6)],
        "MEL": [0.1, 1 / 3, 0.25, 1e-7, 0.9, 0.5],
        "NV": [0.9, 2 / 3, 0.75, 1.0, 0.1, 0.5],
    }
)
SCORES = FRAME.columns[1:]


def parquet() -> bytes:
    file = io.BytesIO()
    FRAME.to_parquet(file)
    return file.getvalue()


def npy_of(header: str) -> bytes:
    """Return an array file whose header is this text."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def markdown() -> bytes:
    rows = [FRAME.columns, ["---"] * 3, *FRAME.astype(object).to_numpy().tolist()]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows).encode()


def as_json(**how) -> bytes:
    return FRAME.to_json(double_precision=15, **how).encode()


def by_case(entry) -> bytes:
    return json.dumps({row["image"]: entry(row) for row in FRAME.to_dict("records")}).encode()


IDS = FRAME["image"].to_numpy(str)
WRITTEN = {
    "gzip": gzip.compress(FRAME.to_csv(index=False).encode()),
    "parquet": parquet(),
    "npz of columns": npz(
        **{name: FRAME[name].to_numpy(str if name == "image" else float) for name in FRAME}
    ),
    "npz of a matrix": npz(image=IDS, scores=FRAME[SCORES].to_numpy(), classes=np.array(SCORES, str)),
    **{f"json {orient}": as_json(orient=orient) for orient in ("columns", "records", "split", "table")},
    "json lines": as_json(orient="records", lines=True),
    **{
        f"json of {name}": json.dumps(wrap([list(FRAME), *FRAME.to_numpy().tolist()])).encode()
        for name, wrap in {"rows": list, "Sheets": lambda rows: {"range": "A1:C7", "values": rows}}.items()
    },
    "records of an array": npy(
        FRAME.to_records(index=False).astype([("image", "U12"), ("MEL", float), ("NV", float)])
    ),
    "Markdown": markdown(),
    "printed": FRAME.to_string(index=False, float_format="%.17g").encode(),
    "json of lists": json.dumps(FRAME.to_dict("list")).encode(),
    "json by case": by_case(lambda row: {name: row[name] for name in SCORES}),
    "json under a key": json.dumps({"predictions": FRAME.to_dict("records")}).encode(),
    "json with scores apart": json.dumps(
        [{"image": row["image"], "scores": {n: row[n] for n in SCORES}} for row in FRAME.to_dict("records")]
    ).encode(),
    "pandas with an index": FRAME.set_index("image").to_json(double_precision=15).encode(),
    "long": FRAME.melt("image", var_name="class", value_name="score").sort_values("image").to_csv().encode(),
    "long json": FRAME.melt("image").to_json(orient="records", double_precision=15).encode(),
}


@pytest.mark.parametrize("written", WRITTEN)
def test_a_table_is_read_in_the_formats_of_the_field(written):
    table = read_table(WRITTEN[written], "p")
    assert list(table.header) == list(FRAME.columns)
    assert table.cells(0) == list(FRAME["image"])
    for place, name in enumerate(SCORES, 1):
        assert [float(cell) for cell in table.cells(place)] == pytest.approx(FRAME[name].tolist(), abs=2e-15)
    assert [note.code for note in table.notes] == ["other-format"]


@pytest.mark.parametrize(
    ("one", "other", "header"),
    [
        ("probs", "aux_probs", ["MEL", "NV", "aux_probs_MEL", "aux_probs_NV"]),
        ("logits", "Probs", ["logits_MEL", "logits_NV", "MEL", "NV"]),
        ("probs", "scores", ["probs_MEL", "probs_NV", "scores_MEL", "scores_NV"]),
        ("ema", "last", ["ema_MEL", "ema_NV", "last_MEL", "last_NV"]),
    ],
)
def test_of_two_arrays_of_scores_none_is_taken_by_its_place(one, other, header):
    arrays = {one: np.array([[1, 2]] * 3), other: np.array([[5, 6]] * 3)}
    table = read_table(npz(image=np.array(["a", "b", "c"]), classes=np.array(["MEL", "NV"]), **arrays), "p")
    assert table.header == ("image", *header)
    assert [table.cells(k) for k in range(1, 5)] == [[cell] * 3 for cell in "1256"]


@pytest.mark.parametrize(
    "rows",
    [
        "image,MEL,NV\na,1,2\na,3,4\nb,1,2\nb,3,4\n",
        "image,age,sex\na,50,f\nb,60,m\nc,70,f\nd,50,m\n",
        "image,class,score\na,NV,1\na,MEL,0\nb,NV,1\nc,NV,0\n",
        "image,class,score\na,NV,1\na,NV,0\nb,MEL,1\nb,MEL,0\nc,NV,1\nc,MEL,0\n",
    ],
    ids=["numbers", "a row each", "with gaps", "with repeats"],
)
def test_other_tables_of_three_columns_stay_as_they_are(rows):
    table = read_table(rows.encode(), "p")
    assert len(table) == rows.count("\n") - 1
    assert not table.notes


def twins_in_parquet() -> bytes:
    pq.write_table(pa.table([["x"], [0.1], [0.2]], names=["a", "b", "b"]), file := io.BytesIO())
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (gzip.compress(b"a,b\n" + b"0,0\n" * 60_000_000, 1), "unpacks to more than 200 MB"),
        (gzip.compress(gzip.compress(b"a,b\n1,2\n")), "another gzip file"),
        (gzip.compress(b"a,b\n1,2\n")[:-6], "cut off"),
        (gzip.compress(b"a,b\n1,2\n") + b"x", "damaged gzip"),
        (
            npz(ids=np.array(["a", {}], object), scores=np.ones((2, 2))),
            "not a NumPy array of numbers or text",
        ),
        (npy(np.ones((2, 3))), "without the ids"),
        (npy_of("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 10**27)}"), "NumPy array of numbers"),
        (
            npy_of(f"{{'descr': '<f8', 'fortran_order': False, 'shape': (0, {10**27})}}"),
            "text. Save ids as text",
        ),
        (npy_of(f"{{'descr': {'[' * 3000}}}"), "NumPy array of numbers"),
        (npz(scores=np.float64(1)), "which is not a table"),
        (b'{"a": {"x": 1, "x": 2}, "b": {"x": 3}}', "the key 'x' twice"),
        (b"PAR1" + b"\0" * 100, "Feather file is damaged or cut off"),
        (twins_in_parquet(), "two columns are called 'b'"),
        (b"[" * 100_000, "nested too deeply"),
        (json.dumps([{"image": "a", "box": [[1, 2], [3, 4]]}]).encode(), "objects in an image"),
        (json.dumps({"polygons": [{"name": "a", "centroid": 1}]}).encode(), "objects in an image"),
        (b'{"a": 1', "cannot be read"),
        (b"[{}, {}]", "its objects are empty"),
        (b"[ ]", "it is empty"),
        (b'{"a": {}}', "it is empty"),
        (b"[" + b"1," * 9_000_000 + b"1]", "at most"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_table_is_refused(data, words):
    with pytest.raises(InputRefused) as refused:
        read_table(data, "p")
    message = refused.value.problems[0].message
    assert words in message
    assert len(message) < 500


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"X\n\0\0\0\2\0\2\3\0\0\2\3\0", "an R data file (.rds)"),
        (gzip.compress(b"X\n\0\0\0\3\0\4\1\2\0\3\5\0"), "an R data file (.rds)"),
        (gzip.compress(b"RDX3\nX\n\0\0\0\3\0\4\1\2"), "an R workspace (.RData)"),
        (bz2.compress(b"RDX3\nX\n\0\0\0\3\0\4\1\2"), "a file compressed by bzip2, xz or zstd"),
        (b"$FL2@(#) SPSS DATA FILE", "an SPSS file"),
        (b"<stata_dta><header>", "a Stata file"),
        (b"MATLAB 5.0 MAT-file, Platform: GLNXA64", "a MATLAB file"),
        (b"\xff\xff\xff\xff\x78\0\0\0", "a stream of Apache Arrow"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_files_of_other_programs_are_called_what_they_are(data, words):
    with pytest.raises(InputRefused) as refused:
        read_table(data, "p.csv")
    (problem,) = refused.value.problems
    assert problem.message == f"it is {words}, not a table of text. Save it as CSV, UTF-8."


def test_a_long_column_of_parquet_is_refused_before_it_is_unpacked():
    """A text of a megabyte in each of 300 rows is 300 MB, in a file of a megabyte."""
    file = io.BytesIO()
    pd.DataFrame({"image": ["x" * 1_000_000] * 300}).to_parquet(file)
    with pytest.raises(InputRefused, match="more than 200 MB"):
        read_table(file.getvalue(), "p")


def in_parquet(table: pa.Table) -> bytes:
    pq.write_table(table, file := io.BytesIO())
    return file.getvalue()


def in_feather(table: pa.Table) -> bytes:
    feather.write_feather(table, file := io.BytesIO())
    return file.getvalue()


TEXT, ROWS = "x" * 900_000, 3_000
SHARED = pa.DictionaryArray.from_arrays(pa.array([0] * ROWS, pa.int32()), pa.array([TEXT]))
VIEW = np.array([len(TEXT), int.from_bytes(b"xxxx", "little"), 0, 0], np.int32).tobytes()


@pytest.mark.parametrize(
    ("form", "column"),
    [
        (in_parquet, SHARED),
        (in_feather, SHARED),
        (in_parquet, pa.FixedSizeListArray.from_arrays(SHARED, 1)),
        (in_feather, pa.FixedSizeListArray.from_arrays(SHARED, 1)),
        (in_feather, pa.RunEndEncodedArray.from_arrays(pa.array([ROWS], pa.int32()), pa.array([TEXT]))),
        (
            in_feather,
            pa.Array.from_buffers(
                pa.string_view(), ROWS, [None, pa.py_buffer(VIEW * ROWS), pa.py_buffer(TEXT.encode())]
            ),
        ),
        (
            in_feather,
            pa.DictionaryArray.from_arrays(
                pa.array([0] * ROWS, pa.int32()),
                pa.Array.from_buffers(
                    pa.string_view(), 1, [None, pa.py_buffer(VIEW), pa.py_buffer(TEXT.encode())]
                ),
            ),
        ),
    ],
    ids=lambda value: str(getattr(value, "type", value.__name__ if callable(value) else "")),
)
def test_a_text_that_many_rows_share_is_refused_before_it_is_unpacked(form, column):
    """900 kB that 3,000 rows share are 2.7 GB."""
    data = form(pa.table({"image": column}))
    assert len(data) < 4_000_000
    with pytest.raises(InputRefused, match=r"more than 200 MB|is not read"):
        read_table(data, "p")


def of_long_texts(write: Callable[..., None], columns: int, **how: object) -> bytes:
    """Return a file of 300 rows with a text of a megabyte in each column."""
    write(pa.table({f"c{k}": ["x" * 1_000_000] * 300 for k in range(columns)}), file := io.BytesIO(), **how)
    return file.getvalue()


PACKED = {
    "feather": lambda: of_long_texts(feather.write_feather, 1, compression="zstd"),
    "feather of lists": lambda: in_feather(pa.table({"image": [["x" * 1_000_000]] * 300})),
    "feather with a large dictionary": lambda: in_feather(pa.table({"image": distinct()})),
    "parquet": lambda: of_long_texts(pq.write_table, 1, compression="zstd", use_dictionary=False),
    "parquet with dictionaries": lambda: of_long_texts(pq.write_table, 3, store_schema=False),
}


def of_a_lying_footer() -> bytes:
    """Return a Parquet file whose footer says that its column takes 1,000 bytes."""
    how = {"compression": "zstd", "use_dictionary": False, "data_page_size": 1 << 30}
    data = of_long_texts(pq.write_table, 1, **how)
    size = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(0).column(0).total_uncompressed_size
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:footer] + data[footer:].replace(varint(size, 5), varint(1_000, 5))


def varint(number: int, length: int) -> bytes:
    """Return a number as Thrift writes it, in so many bytes."""
    digits = [2 * number >> 7 * k & 127 for k in range(length)]
    return bytes([*(digit | 128 for digit in digits[:-1]), digits[-1]])


PACKED["parquet with a footer that lies"] = of_a_lying_footer


def distinct() -> pa.DictionaryArray:
    """Return 300 different texts of a megabyte. Made when asked for: they take two seconds and 300 MB."""
    return pa.array([f"{k}{'x' * 1_000_000}" for k in range(300)]).dictionary_encode()


PEAK_OF_A_REFUSAL = """
import re, sys
from pathlib import Path
from scoring import InputRefused
from scoring.inputs.parquet import read_columns
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
data = Path(sys.argv[1]).read_bytes()
before = peak()
try:
    read_columns(data, "p")
except InputRefused as refused:
    print(refused, round(peak() - before), sep="\\n")
"""


@pytest.mark.parametrize("made", PACKED)
def test_what_is_packed_is_measured_before_it_is_unpacked(made, tmp_path):
    """In a process of its own: Arrow's memory pools do not see the pages that Parquet unpacks."""
    file = tmp_path / "p"
    assert file.write_bytes(PACKED[made]()) < 8_000_000
    run = [sys.executable, "-c", PEAK_OF_A_REFUSAL, str(file)]
    refused, megabytes = subprocess.run(
        run, check=True, cwd=ROOT, capture_output=True, text=True
    ).stdout.splitlines()
    assert "more than 200 MB" in refused
    assert int(megabytes) < 60


def test_a_gzip_file_of_several_parts_is_read_to_its_end():
    """`pigz` and `cat a.gz b.gz` write such files. Zeros may follow."""
    data = b"".join(map(gzip.compress, (b"a,b\n1,2\n", b"3,4\n"))) + bytes(8)
    assert read_table(data, "p.csv.gz").cells(0) == ["1", "3"]


@pytest.mark.parametrize("how", ["lz4", "zstd", "uncompressed"])
def test_feather_of_several_batches_is_read(how):
    texts = pa.array(["a", "b", None] * 400).dictionary_encode()
    table = pa.table({"image": [f"I{k}" for k in range(1_200)], "kind": texts})
    feather.write_feather(table, file := io.BytesIO(), compression=how, chunksize=500)
    found = read_table(file.getvalue(), "p")
    assert (found.cells(0), found.cells(1)) == (table["image"].to_pylist(), ["a", "b", ""] * 400)


@pytest.mark.parametrize("form", [parquet, lambda: in_feather(pa.table(FRAME))], ids=["parquet", "feather"])
def test_parquet_and_feather_cut_anywhere_are_refused_without_words_of_a_library(form):
    data = form()
    for end in range(8, len(data) - 400, 97):
        with pytest.raises(InputRefused) as refused:
            read_table(data[:end], "p")
        assert refused.value.problems[0].message == (
            "the Parquet or Feather file is damaged or cut off. Save the table as CSV."
        )


@pytest.mark.parametrize("how", ["lz4", "zstd", "uncompressed"])
def test_feather_whose_schema_is_in_its_footer_alone_is_read(how):
    """Polars writes no whole message of the schema before the batches."""
    texts = pa.array(["a", "b", None] * 400, pa.string_view())
    kinds = pa.DictionaryArray.from_arrays(pa.array([0, 1, None] * 400, pa.uint32()), texts[:2])
    table = pa.table({"image": texts, "kind": kinds})
    feather.write_feather(table, file := io.BytesIO(), compression=how, chunksize=500)
    data = bytearray(file.getvalue())
    data[8:16] = b"\4\0\0\0\xf2\xff\xff\xff"
    found = read_table(bytes(data), "p")
    assert found.cells(0) == found.cells(1) == ["a", "b", ""] * 400


def listing_its_batch(times: int) -> bytes:
    """Return a small Feather file whose footer lists its batch several times."""
    data = in_feather(pa.table({"image": [f"{k}{'x' * 5_000}" for k in range(50)]}))
    start = len(data) - 10 - int.from_bytes(data[-10:-6], "little")
    footer, reference = bytearray(data[start:-10]), 32
    listed = reference + int.from_bytes(footer[reference:][:4], "little")
    block = footer[listed + 4 : listed + 28]
    footer += bytes(4 - len(footer) % 8) if len(footer) % 8 <= 4 else bytes(12 - len(footer) % 8)
    footer[reference : reference + 4] = (len(footer) - reference).to_bytes(4, "little")
    footer += times.to_bytes(4, "little") + block * times
    return data[:start] + footer + len(footer).to_bytes(4, "little") + b"ARROW1"


@pytest.mark.parametrize(
    ("times", "words"), [(2_000, "more than 200 MB"), (500_000, "Feather file is damaged or cut off")]
)
def test_a_batch_that_a_footer_lists_again_and_again_is_counted_each_time(times, words):
    assert pa.ipc.open_file(listing_its_batch(times)).num_record_batches == times
    assert len(read_table(listing_its_batch(3), "p").cells(0)) == 150
    with pytest.raises(InputRefused, match=words):
        read_table(listing_its_batch(times), "p")


def test_ids_as_bytes_are_read_as_text():
    table = pa.table({"image": [b"a", b"\xc3\xa4", b"\xff"], "MEL": [0.1, 0.2, 0.3]})
    for form in (in_parquet, in_feather):
        assert read_table(form(table), "p").cells(0) == ["a", "ä", r"b'\xff'"]


def test_a_type_that_arrow_does_not_know_is_no_damage():
    """Polars writes numbers of 128 bits."""
    data = in_feather(pa.table({"image": pa.array([1, 2], pa.int32())}))
    footer = len(data) - 10 - int.from_bytes(data[-10:-6], "little")
    at = data.rindex((32).to_bytes(4, "little"), footer)
    with pytest.raises(InputRefused, match="a column has a type or compression that is not read"):
        read_table(data[:at] + (128).to_bytes(4, "little") + data[at + 4 :], "p")


def test_texts_as_views_are_read():
    """Polars writes them."""
    table = pa.table({"image": pa.array(["a", "b", None], pa.string_view()), "MEL": [0.1, 0.2, 0.3]})
    assert read_table(in_feather(table), "p").cells(0) == ["a", "b", ""]


@pytest.mark.parametrize("data", [b"[" * 200_000, b'{"a":' * 200_000 + b"1" + b"}" * 200_000])
def test_json_nested_too_deeply_is_refused_in_own_words(data):
    with pytest.raises(InputRefused, match="nested too deeply"):
        read_table(data, "p.json")


def test_json_of_too_many_entries_is_refused_before_its_columns_are_made(monkeypatch):
    monkeypatch.setattr(table_formats, "_columns", lambda document: pytest.fail("columns were made"))
    data = json.dumps(dict.fromkeys(map(str, range(200_001)), 0)).encode()
    with pytest.raises(InputRefused, match="lists 200,001 entries, more than are read"):
        read_table(data, "p.json")
