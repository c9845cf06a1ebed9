"""Small tables as text."""

from pages.display import text_tables
from scoring.core.views import Column, Table

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
    lines = text_tables.written(TABLE).splitlines()
    assert lines == [
        r"| category | sens\. | gain | 95% | cases |",
        "| :-- | --: | --: | --: | --: |",
        r"| :red[▲ MEL] | 0\.250 | \+1\.3% | :gray[0\.100 to 0\.400] | 7\* |",
        r"| a\|b \*c\* | – | −2\.0% | :gray[–] | 20 |",
    ]
