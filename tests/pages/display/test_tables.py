"""Tables of a page: names of cases, colours of cells, and small tables as text."""

import re

import pandas as pd
from streamlit.elements.lib.pandas_styler_utils import marshall_styler
from streamlit.proto.ArrowData_pb2 import ArrowData

from pages.display import tables
from pages.display.tables import shortened_column, shortener
from scoring.core.views import Column, Table
from scoring.presentation.figures.theme import LIGHT

TABLE = Table(
    "What moves?",
    (
        Column("category", "category", "class"),
        Column("sensitivity", "sens.", "number", full="sensitivity"),
        Column("gain", "gain", "number", digits=1, unit="%", sign=True),
        Column("interval", "95%", "interval", lighter=True),
        Column("cases", "cases", "count"),
        Column("more", "for reports", detail=True),
    ),
    {
        "category": ["MEL", "a|b *c*"],
        "sensitivity": [0.25, None],
        "gain": [1.26, -2.0],
        "interval": [(0.1, 0.4), None],
        "cases": [7, 20],
        "more": ["x", "y"],
    },
    risks={"MEL": "malignant"},
)


def test_cells_are_written_as_in_every_table():
    lines = tables.written(TABLE).splitlines()
    assert lines == [
        r"| category | sens\. | gain | 95% | cases |",
        "| :-- | --: | --: | --: | --: |",
        r"| :red[▲ MEL] | 0\.250 | \+1\.3% | :gray[0\.100 to 0\.400] | 7\* |",
        r"| a\|b \*c\* | – | −2\.0% | :gray[–] | 20 |",
    ]


def test_cells_have_the_colour_of_their_risk_and_of_lighter_type():
    sent = ArrowData()
    marshall_styler(sent, tables.styled(TABLE, LIGHT)[0].set_uuid("t"), "t")
    rules = re.findall(r"([^{}]+)\{\s*color: (\S+?);?\s*\}", sent.styler.styles)
    colours = {cell.strip(): colour for cells, colour in rules for cell in cells.split(",")}
    assert colours == {
        "#T_t_row0_col0": LIGHT.risk["malignant"],
        "#T_t_row0_col3": LIGHT.soft,
        "#T_t_row1_col3": LIGHT.soft,
    }


def test_what_all_names_begin_with_is_left_out_and_said():
    rows = pd.DataFrame({"case": ["sample_a", "sample_b"], "n": [1, 2]})
    shown, columns = shortened_column(rows, {"case": {"label": "case", "help": "Of the truth."}, "n": {}})
    assert shown["case"].tolist() == ["a", "b"]
    assert columns["case"]["help"].startswith(
        "Of the truth. Names are shown without their common beginning sample"
    )
    assert rows["case"].tolist() == ["sample_a", "sample_b"], "what is downloaded stays whole"
    assert shortener(["sample_a", "sample_b"])("sample_b") == "b"


def test_names_without_a_common_beginning_stay():
    rows, columns = pd.DataFrame({"case": ["a_1", "b_1"]}), {"case": {"label": "case"}}
    assert shortened_column(rows, columns)[0] is rows
    assert shortener(["a_1", "b_1"])("a_1") == "a_1"
    none = pd.DataFrame({"n": [1]})
    assert shortened_column(none, {"n": {}})[0] is none


def test_names_in_arabic_or_hebrew_stand_inside_their_cells():
    """The grid drew them beside the cell, where one clipped letter was left."""
    rows = [{"team": name} for name in ("\u0645\u062e\u062a\u0628\u0631", "7 \u05de\u05e2", "Lab \u05de")]
    entry = Table.of("", rows, [Column("team", "team")])
    marked = [text.startswith("\u200e") for text in tables.cells_of(entry.columns[0], entry)]
    assert marked == [True, True, False]
    assert tables.frame(entry)["team"].tolist() == [row["team"] for row in rows], (
        "a download has the name alone"
    )
