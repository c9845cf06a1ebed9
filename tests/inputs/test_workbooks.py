"""Excel workbooks: the cells of the one sheet with a table, whatever a hostile file claims."""

import csv
import io

import pytest

import scoring
from scoring.inputs import workbooks
from scoring.inputs.sources import open_source
from scoring.inputs.table_text import LINES
from scoring.inputs.tables import read_table
from tests.support.archives import archive_of
from tests.support.findings import refused
from tests.support.workbooks import DATE, MAIN, cell, sheet, workbook

ROWS = [["image", "risk"], ["a.jpg", 0.25], ["b;c, d", 1]]
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="164" formatCode="0.0&quot;m&quot;"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>'
)


def cells(data):
    return list(csv.reader(io.StringIO(workbooks.as_csv(data, "w.xlsx").decode())))


def test_cells_are_those_of_the_sheet():
    assert cells(workbook({"Table": sheet(ROWS)})) == [["image", "risk"], ["a.jpg", "0.25"], ["b;c, d", "1"]]


def test_shared_texts_formulas_truths_and_numbers_with_units():
    strings = f'<sst xmlns="{MAIN}"><si><r><t>im</t></r><r><t>age</t></r><rPh><t>x</t></rPh></si></sst>'
    body = (
        '<row><c t="s"><v>0</v></c><c t="str"><f>A1</f><v>risk</v></c></row>'
        '<row><c t="b"><v>1</v></c><c s="2"><f>1/4</f><v>0.25</v></c></row>'
    )
    data = workbook({"T": sheet([], body)}, sharedStrings=strings, styles=STYLES)
    assert cells(data) == [["image", "risk"], ["TRUE", "0.25"]]


def test_a_date_is_no_number():
    body = f'<row r="3">{cell("A3", "c.jpg")}{cell("B3", 45000, DATE)}</row>'
    data = workbook({"T": sheet(ROWS[:2], body)}, styles=STYLES)
    assert cells(data)[2] == ["c.jpg", "2023-03-15"]


def test_ids_that_a_format_fills_with_zeros_are_read_as_shown():
    styles = STYLES.replace("0.0&quot;m&quot;", "0000")
    body = f'<row r="3">{cell("A3", 61, 2)}{cell("B3", 1.5, 2)}</row>'
    data = workbook({"T": sheet(ROWS[:2], body)}, styles=styles)
    assert cells(data)[2] == ["0061", "1.5"]


def test_lines_are_those_of_the_sheet():
    body = f'<row r="7">{cell("B7", 1)}</row>'
    table = read_table(workbooks.as_csv(workbook({"T": sheet(ROWS[:2], body)}), "w"), "w.xlsx")
    assert table.lines == (2, 7)
    assert table.columns == (("a.jpg", ""), ("0.25", "1"))


def test_an_empty_sheet_and_a_note_are_no_tables():
    assert cells(workbook({"Note": sheet([["made by hand"]]), "T": sheet(ROWS), "Empty": sheet([])})) == [
        ["image", "risk"], ["a.jpg", "0.25"], ["b;c, d", "1"],
    ]  # fmt: skip


FAR = '<row r="1048577"><c r="A1048577"><v>1</v></c></row>'
WIDE = '<row r="2"><c r="XFD2"><v>1</v></c></row>'
LAUGHS = '<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;">]><worksheet><sheetData>&b;</sheetData></worksheet>'


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (workbook({"One": sheet(ROWS), "Two": sheet(ROWS)}), "2 sheets ('One', 'Two')"),
        (workbook({"One": sheet([])}), "no sheet has a table"),
        (workbook({"One": sheet(ROWS, FAR)}), f"beyond {LINES:,} lines"),
        (workbook({"One": sheet(ROWS, WIDE)}), "1,000 columns"),
        (workbook({"One": LAUGHS}), "document type"),
        (workbook({"One": sheet(ROWS)[:-20]}), "damaged"),
        (workbook({"One": sheet(ROWS)})[:-40], "cut off"),
        (archive_of({"a.csv": b"image,risk"}), "not an Excel workbook"),
        (archive_of({"../x": b"a"}), "the workbook cannot be read"),
        (b"", "the workbook cannot be read"),
    ],
)
def test_what_is_no_table_is_refused_once(data, words):
    (problem,) = refused(workbooks.as_csv, data, "w.xlsx").problems
    assert problem.code == "unreadable-file"
    assert problem.where == "w.xlsx"
    assert words in problem.message


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch):
    monkeypatch.setattr(workbooks, "TABLE_BYTES", 1000)
    (problem,) = refused(workbooks.as_csv, workbook({"T": sheet(ROWS * 20)}), "w.xlsx").problems
    assert "MB of cells" in problem.message
    monkeypatch.undo()
    monkeypatch.setattr(workbooks, "CELLS", 3)
    (problem,) = refused(workbooks.as_csv, workbook({"T": sheet(ROWS)}), "w.xlsx").problems
    assert "more than 3 cells" in problem.message


def test_a_workbook_gives_the_card_of_its_csv(tmp_path):
    challenge = scoring.load_challenge("melanoma")
    truth = "image,label\na.jpg,True\nb.jpg,False\nc.jpg,True\n"
    rows = [["image", "risk"], ["a.jpg", 0.9], ["b.jpg", 0.2], ["c.jpg", 0.4]]
    (tmp_path / "t.xlsx").write_bytes(workbook({"T": sheet([line.split(",") for line in truth.split()])}))
    (tmp_path / "p.xlsm").write_bytes(workbook({"T": sheet(rows)}))
    (tmp_path / "t.csv").write_text(truth)
    (tmp_path / "p.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))

    def metrics(labels, scores):
        read = challenge.read_truth(tmp_path / labels)
        predicted = challenge.read_predictions(tmp_path / scores, read)
        return challenge.score(read, predicted, resamples=0).metrics

    assert metrics("t.xlsx", "p.xlsm") == metrics("t.csv", "p.csv")


def test_the_digest_is_that_of_the_workbook():
    data = workbook({"T": sheet(ROWS)})
    files = open_source(data, "p.xlsx")
    assert files.whole == open_source(data, "p.csv").whole
    assert files.open("p.xlsx").read() == files.read("p.xlsx")


def test_formulas_without_their_values_are_one_problem():
    body = (
        '<row r="3"><c r="A3" t="str"><f>""</f><v></v></c><c r="B3"><f>1/4</f><v></v></c></row>'
        '<row r="4"><c r="AB4"><f>1/4</f></c></row>'
    )
    words = "2 cells contain formulas without values (first: B3)"
    found = refused(workbooks.as_csv, workbook({"T": sheet(ROWS[:2], body)}), "w.xlsx")
    assert [problem.message.startswith(words) for problem in found.problems] == [True]


def test_a_title_above_the_table_is_no_header():
    titled = [["Our results"], [], *ROWS]
    table = read_table(workbooks.as_csv(workbook({"T": sheet(titled)}), "w"), "w.xlsx")
    assert (table.header, table.header_line, table.lines) == (("image", "risk"), 3, (4, 5))
    unnamed = workbook(
        {
            "T": sheet(
                [],
                '<row r="1"><c r="B1"><v>7</v></c></row>'
                + f'<row r="2">{cell("A2", "x")}{cell("B2", 1)}</row>',
            )
        }
    )
    assert cells(unnamed) == [["", "7"], ["x", "1"]]
    assert cells(workbook({"T": sheet([["a"], ["b"]])})) == [["a"], ["b"]]
