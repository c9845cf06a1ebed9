"""Text tables: encodings, delimiters, line ends, quotes, limits, and numbers in cells."""

import gzip
import io
import json
import math
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.inputs import tables
from scoring.inputs.number_parsing import parse_numbers
from tests.support.findings import codes, only, outcome, places, refused
from tests.support.lesion_tables import text

ROWS = (("id", "value", "note"), ("a", "1", "x"), ("b", "2", "y"), ("c", "3", "z"))
PLAIN = text(ROWS)


def read(data: bytes) -> tables.TextTable:
    return tables.read_table(data, "f.csv")


def rows_of(table: tables.TextTable) -> list[tuple[str, ...]]:
    return [table.header, *zip(*table.columns, strict=True)]


def unreadable(data: bytes) -> str:
    """What is said of a table of which nothing can be read."""
    problem = only(refused(read, data).problems, "unreadable-file")
    assert problem.where == "f.csv"
    return problem.message


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'[{"id": "a", "value": 1},\n{"id": "b\\ud800c", "value": 2}]', r"'b\ud800c'"),
        (b'{"a": {"va\\udfffl": 1}, "b": {"va\\udfffl": 2}}', r"'va\udfffl'"),
        (b'{"id": "a", "value": 1}\n{"id": "\\ude00\\ud83d", "value": 2}', r"'\ude00\ud83d'"),
    ],
)
def test_half_of_a_character_is_named_with_its_cell(data, place):
    message = f"its cell {place} has half of a character (a lone surrogate): write the whole character."
    assert unreadable(data) == message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_delimiters_and_line_ends(encoding, delimiter, end):
    table = read(text(ROWS, delimiter, end).encode(encoding))
    assert rows_of(table) == list(ROWS)
    assert table.lines == (2, 3, 4)
    assert (table.delimiter, table.written.byte_order_mark) == (delimiter, encoding != "utf-8")


@pytest.mark.parametrize(("mark", "encoding"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")])
def test_both_orders_of_utf_16(mark, encoding):
    assert rows_of(read(mark + PLAIN.encode(encoding))) == list(ROWS)


def test_mixed_line_ends_and_no_last_one():
    table = read(b"id,value\r\na,1\rb,2\nc,3")
    assert rows_of(table) == [("id", "value"), ("a", "1"), ("b", "2"), ("c", "3")]
    assert table.lines == (2, 3, 4)


def test_blank_lines_are_skipped_and_lines_stay_those_of_the_file():
    table = read(b"\n  \nid,value\n\na,1\n\n \t \nb,2\n\n")
    assert rows_of(table)[1:] == [("a", "1"), ("b", "2")]
    assert (table.header_line, table.lines, table.place(1), table.header_place) == (
        3,
        (5, 8),
        "f.csv:8",
        "f.csv:3",
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_first_line_of_excel_names_the_delimiter(delimiter):
    table = read(f"sep={delimiter}\n{text(ROWS, delimiter)}".encode())
    assert rows_of(table) == list(ROWS)
    assert (table.header_line, table.lines[0]) == (2, 3)


def test_the_delimiter_is_the_one_that_the_header_line_has_most():
    assert read(b"a;b,b;c\n1;2;3\n").delimiter == ";"
    assert read(b"a\tb,b\tc\n1\t2\t3\n").delimiter == "\t"
    assert read(b"id\nISIC_1;x,y\n").delimiter == ","


def test_quoted_cells():
    table = read(b'"id","a, b"\n"x ""y""","1,5"\nz," 2 "\n')
    assert rows_of(table) == [("id", "a, b"), ('x "y"', "1,5"), ("z", " 2 ")]
    assert table.cells(1) == ["1,5", "2"]


@pytest.mark.parametrize(
    "data",
    [
        *(b'id,v\na,"1\nb,2\n', b'id,v\na,"1\nb,2', b'id,v\nb,2\na,"1', b'id,"v\na,1\n'),
        *(b'id,v\na,"1\r\n2"\nb,3\n', b'id,v\na,"1\r2"\n'),
    ],
)
def test_a_quotation_mark_that_is_not_closed_on_its_line(data):
    message = unreadable(data)
    line = 1 + data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")[
        : data.replace(b"\r\n", b"\n").index(b'"')
    ].count(b"\n")
    assert f"line {line}:" in message
    assert "quotation mark" in message


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"  \r\n\t\r\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xef\xbb\xbf\n"]
)
def test_empty_files(data):
    assert f"{len(data)} bytes" in unreadable(data)


@pytest.mark.parametrize(
    "data", [b"id,value", b"id,value\n\n \n", b"sep=;\nid;value\n", b"\xef\xbb\xbfid,value\r\n"]
)
def test_a_header_without_rows(data):
    assert "no row" in unreadable(data)


def workbook() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo("[Content_Types].xml"), "<x/>")
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (workbook(), "Excel workbook"),
        (gzip.compress(b"%PDF-1.7\n", mtime=0), "PDF"),
        (gzip.compress(PLAIN.encode(), mtime=0)[:-9], "cut off"),
        (pickle.dumps([1]), "pickle"),
        (json.dumps({"a": 1}).encode(), "JSON"),
        (json.dumps([1]).encode(), "JSON"),
        (b"<!DOCTYPE html><table></table>", "HTML"),
        (b"\n <html>", "HTML"),
        (b"%PDF-1.7\n", "PDF"),
        (b"\x89PNG\r\n\x1a\n", "picture"),
        (b"\xff\xd8\xff\xe0", "picture"),
        (b"PAR1....", "Parquet"),
        (b"\x93NUMPY\x01\x00", "NumPy"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel"),
    ],
)
def test_other_kinds_of_files_are_named(data, kind):
    assert kind in unreadable(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"id,v\na,\x81\n", "byte 7"),
        ("id,näme,é\n".encode() + b"\xe4,1,2\n", "UTF-8"),
        (b"\xff\xfei\x00d", "UTF-16"),
        (b"\xff\xfei\x00d\x00,", "UTF-16"),
        (b"\xff\xfe\x00\xd8a\x00", "UTF-16"),
    ],
)
def test_bytes_that_are_no_text(data, words):
    assert words in unreadable(data)


def test_windows_1252_is_read_and_told():
    table = tables.read_table("id;Wahrscheinlichkeit für Melanom\n„a“;0,5\nb;1\n".encode("cp1252"), "t.csv")
    assert table.header == ("id", "Wahrscheinlichkeit für Melanom")
    assert table.cells(0) == ["„a“", "b"]
    assert "Windows-1252" in only(table.notes, "other-format").message


@pytest.mark.parametrize(
    "data", [PLAIN.encode("utf-16-le"), PLAIN.encode("utf-16-be"), b"id,v\na\x00b,1\n", b"\x00" * 100]
)
def test_nul_characters(data):
    assert "NUL" in unreadable(data)


@pytest.mark.slow
def test_limits():
    assert len(read((",".join(f"c{i}" for i in range(1000)) + "\n" + "," * 999).encode()).header) == 1000
    assert "1,001 columns" in unreadable(
        (",".join(f"c{i}" for i in range(1001)) + "\n" + "," * 1000).encode()
    )
    assert "line 3 " in unreadable(b"id,v\na,1\nb," + b"1" * 1_000_000 + b"\n")
    assert read(b"id,v\na," + b"1" * 999_998 + b"\n").columns[1][0] == "1" * 999_998
    assert "200 MB" in unreadable(bytes(200_000_001))
    assert len(read(b"id\n" + b"1\n" * 199_999)) == 199_999
    assert "200,001 lines" in unreadable(b"id\n" + b"1\r\n" * 200_000)
    wide = b",".join(b"%d" % k for k in range(500)) + b"\n"
    assert len(read(wide + wide * 7000)) == 7000
    assert "4,000,000 are read" in unreadable(wide + wide * 8000)
    assert "4,000,000 are read" in unreadable(wide + (b"," * 499 + b"\n") * 8000)
    assert "10,000,001 lines" in unreadable(b"id\n" + b"\n" * 10_000_000)


def test_rows_of_the_wrong_length():
    table = read(b"id,v\na\nb,1,\nc,1,2\nd,1, ,3\n,\n")
    assert places(table.problems) == [
        ("row-length", "f.csv:2"),
        ("row-length", "f.csv:4"),
        ("row-length", "f.csv:5"),
    ]
    assert table.problems[0].message.startswith("1 cell, 2 expected")
    assert table.ragged == {0, 2, 3}
    assert table.columns == (("a", "b", "c", "d", ""), ("", "1", "1", "1", ""))


@pytest.mark.parametrize("quoted", [False, True])
def test_empty_cells_at_line_ends(quoted):
    mark = '"' if quoted else ""
    table = read(f"{mark}id{mark}, v ,\na,1\nb,2,\nc,3,\n".encode())
    assert (table.header, table.written.header, table.written.padded, table.problems) == (
        ("id", "v"),
        ("id", " v ", ""),
        {1, 2},
        (),
    )
    assert table.columns == (("a", "b", "c"), ("1", "2", "3"))


def test_a_column_without_a_name_that_holds_something_is_a_column():
    assert read(b"id,v,\na,1,x\nb,2,\n").columns[2] == ("x", "")


def test_headers_are_compared_in_one_form():
    assert [tables.key(h) for h in ("  MEL ", "ben oth", "Ben-Oth", "BEN_OTH")] == [
        "mel",
        "ben_oth",
        "ben_oth",
        "ben_oth",
    ]
    table = read(b" Image-ID ,Image id\na,b\n")
    column, problems = tables.find_column(table, ("case", "image_id"))
    assert column == 0
    assert places(problems) == [("duplicate-column", "f.csv:1")]
    assert "columns 1 and 2" in problems[0].message
    assert tables.find_column(table, ("case",)) == (None, [])


CELL = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufeff"), max_size=12
)


@given(
    width=st.integers(1, 5),
    data=st.data(),
    delimiter=st.sampled_from([",", ";", "\t"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_is_written_is_read_again(width, data, delimiter, end, encoding):
    header = [f"h{i}" for i in range(width)]
    row = st.lists(CELL, min_size=width, max_size=width).filter(lambda cells: width > 1 or cells[0].strip())
    rows = data.draw(st.lists(row, min_size=1, max_size=6))
    table = read((f"sep={delimiter}{end}" + text([header, *rows], delimiter, end)).encode(encoding))
    assert rows_of(table) == [tuple(header), *map(tuple, rows)]
    assert table.problems == ()


@given(
    st.one_of(
        st.binary(max_size=200), st.text(alphabet='a1,;\t"\n\r\0 .=-\ufeffé', max_size=80).map(str.encode)
    )
)
def test_any_bytes_are_read_or_refused(data):
    table, problems = outcome(read, data)
    if table is None:
        assert codes(problems) == ["unreadable-file"]
    else:
        assert len(table) >= 1
        assert all(len(column) == len(table) for column in table.columns)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_written_by_python_are_read_to_the_last_bit(values):
    read_again = parse_numbers([repr(v) for v in values])
    assert read_again.values.tolist() == values
    assert not read_again.fault.any()


@given(
    st.lists(st.text(alphabet="0123456789+-.,eE_ infa٣½０", max_size=6), min_size=1, max_size=8),
    st.booleans(),
)
def test_numbers_restated(cells, decimal_comma):
    found = parse_numbers(cells, decimal_comma)
    for cell, value, fault in zip(cells, found.values, found.fault, strict=True):
        written = cell.strip()
        if decimal_comma and written.count(",") == 1 and "." not in written:
            written = written.replace(",", ".")
        plain = (
            written.isascii()
            and "_" not in written
            and not any(c.isspace() for c in written)
            and any(c.isdigit() for c in written)
        )
        try:
            number = float(written) if plain else math.nan
        except ValueError:
            number = math.nan
        assert (fault == "") == math.isfinite(number)
        assert np.isnan(value) if fault else value == number


@pytest.mark.parametrize(
    ("cell", "fault"),
    [
        *(("", "missing-value"), ("N/A", "missing-value"), ("-Infinity", "not-finite")),
        *(("1e999", "not-finite"), ("１", "not-a-number"), ("1_000", "not-a-number")),
        *(("infinit", "not-a-number"), ("1e400x", "not-a-number")),
    ],
)
def test_faults_of_numbers(cell, fault):
    found = parse_numbers(["1", cell])
    assert found.fault.tolist() == ["", fault]
    assert found.values[0] == 1
    assert np.isnan(found.values[1])


def test_decimal_commas_are_counted():
    found = parse_numbers(["0,5", "1.5", "2", "1,5e3", "x"], True)
    assert found.decimal_commas == 2
    assert found.values[:4].tolist() == [0.5, 1.5, 2, 1500]
    assert found.fault.tolist() == ["", "", "", "", "not-a-number"]


def test_comments_above_the_header_are_passed_over_and_said():
    table = tables.read_table(b"# model: x\n# date\nimage,MEL,NV\na,1,2\n", "p.csv")
    assert (table.header, table.header_line, len(table)) == (("image", "MEL", "NV"), 3, 1)
    assert table.notes[0].message.startswith("A table below comments")
    assert tables.read_table(b"#,MEL,NV\na,1,2\n", "p.csv").header == ("#", "MEL", "NV")


def test_rows_of_one_case_share_words_and_fixes():
    """A table may repeat one case 200,000 times."""
    table = tables.read_table(b"image,risk\n" + b"a.jpg,0.5\n" * 3, "p.csv")
    second, third = (tables.repeated_row(table, row, 0, 0, f"case {name!r}") for row, name in ROWS_OF_A)
    assert second.message is third.message
    assert second.fixes[0] is third.fixes[0]


ROWS_OF_A = ((1, "a.jpg"), (2, "a.jpg"))
