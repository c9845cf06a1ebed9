"""Excel workbooks, made of as little XML as there can be."""

from collections.abc import Mapping, Sequence

from tests.support.archives import archive_of

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DATE = 1
"""Style of the cells that show dates."""


def cell(place: str, value: object, style: int = 0) -> str:
    """Text is shared where it begins with a blank, otherwise it stands in its cell."""
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{place}" s="{style}"><v>{value!r}</v></c>'


def sheet(rows: Sequence[Sequence[object]], body: str = "") -> str:
    """body: further XML of the sheet's data."""
    lines = "".join(
        f'<row r="{k}">{"".join(cell(f"{LETTERS[j]}{k}", v) for j, v in enumerate(row))}</row>'
        for k, row in enumerate(rows, start=1)
    )
    return f'<worksheet xmlns="{MAIN}"><sheetData>{lines}{body}</sheetData></worksheet>'


def workbook(sheets: Mapping[str, str], **others: str) -> bytes:
    """The file. sheets: title -> XML; others: further members below "xl", without ".xml"."""
    listed = "".join(f'<sheet name="{t}" sheetId="{k}" r:id="r{k}"/>' for k, t in enumerate(sheets, start=1))
    targets = "".join(
        f'<Relationship Id="r{k}" Target="worksheets/sheet{k}.xml"/>' for k in range(1, len(sheets) + 1)
    )
    head = f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}">'
    members = {
        "xl/workbook.xml": f"{head}<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">{targets}</Relationships>',
        **{f"xl/worksheets/sheet{k}.xml": text for k, text in enumerate(sheets.values(), start=1)},
        **{f"xl/{name}.xml": text for name, text in others.items()},
    }
    return archive_of({name: text.encode() for name, text in members.items()})
