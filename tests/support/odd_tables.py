"""Tables with a fault or two, by a seed: what spreadsheets, scripts and hands make of a right one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

NUMBERS = (
    "",
    " ",
    "nan",
    "NA",
    "None",
    "inf",
    "-inf",
    "1e400",
    "1e-400",
    "-1e-300",
    "1",
    "0",
    "1.",
    ".5",
    "-0.0",
    "+0.5",
    "5e-1",
    "5E-1",
    "00.5",
    "0,5",
    "0.5 ",
    "\t0.5",
    "\u00a00.5",
    "0.69999999999999996",
    "0.7",
    "0.70000000000000007",
    "0.30813645758914420",
    "1.0000000000000002",
    "1_0",
    "0x1",
    "50%",
    "True",
    "high",
    "٠.٥",
    "9" * 30,
    "0." + "3" * 40,
    "4.9e-324",
    "0.5000000000000001",
)
LABELS = ("", " ", "nan", "mel", "MEL ", "MEL", "true", "TRUE", " True", "1", "0", "1.0", "False", "x", "NV")
PEOPLE = (
    "",
    " ",
    "42",
    "42.0",
    " 7",
    "-1",
    "121",
    "4_2",
    "+5",
    "m",
    "F",
    "Male",
    "arm",
    " Head ",
    "5",
    "nowhere",
)
HEADINGS = {
    "newfilename": ("filepath", "FILENAME", "image", "image_path", "Image-Name", "id"),
    "filename": ("NewFileName", "FilePath", "image", "path", "case_id"),
    "class": ("label", "LABEL", "diagnosis", "Target", "cl ass"),
    "label": ("Class", "truth", "ground-truth"),
    "age": ("AGE", "age_approx"),
    "location": ("site", "Location"),
    "gender": ("sex", "GENDER"),
    "image": ("lesion_id", "lesion", "Image", "isic_id"),
    "patientid": ("Patient ID", "patient_id", "PATIENTID"),
    "risk": ("Prediction", "RFS", "Risk "),
    "rfs": ("RFS days", "rfs_days"),
    "t_stage": ("T-stage", "T stage", "tstage"),
}


@dataclass
class Sheet:
    """A table on its way to a file. rows: the heading first."""

    rows: list[list[str]]
    delimiter: str = ","
    end: str = "\n"
    encoding: str = "utf-8"
    head: str = ""
    tail: str = "\n"
    quoted: bool = False

    def file(self) -> bytes:
        def cell(text: str) -> str:
            odd = self.quoted or any(mark in text for mark in (self.delimiter, '"', "\n"))
            return '"' + text.replace('"', '""') + '"' if odd else text

        lines = (self.delimiter.join(map(cell, row)) for row in self.rows)
        return (self.head + self.end.join(lines) + self.tail).encode(self.encoding, "replace")


Fault = Callable[[Random, Sheet], None]


def _row(random: Random, sheet: Sheet) -> list[str]:
    return sheet.rows[random.randrange(1, len(sheet.rows))]


def _column(random: Random, sheet: Sheet) -> int:
    return random.randrange(len(sheet.rows[0]))


def blank_beside_heading(random: Random, sheet: Sheet) -> None:
    k, blank = _column(random, sheet), random.choice((" ", "\t", "\u00a0", "  "))
    sheet.rows[0][k] = random.choice((f"{blank}{sheet.rows[0][k]}", f"{sheet.rows[0][k]}{blank}"))


def other_heading(random: Random, sheet: Sheet) -> None:
    k = _column(random, sheet)
    name = sheet.rows[0][k]
    others = HEADINGS.get(name.lower(), ())
    sheet.rows[0][k] = random.choice((name.upper(), name.lower(), *others))


def heading_twice(random: Random, sheet: Sheet) -> None:
    k = _column(random, sheet)
    for row in sheet.rows:
        row.append(row[k])


def column_away(random: Random, sheet: Sheet) -> None:
    k = _column(random, sheet)
    for row in sheet.rows if len(sheet.rows[0]) > 1 else ():
        del row[k]


def column_more(random: Random, sheet: Sheet) -> None:
    k, name = _column(random, sheet), random.choice(("", "note", "index", "Unnamed: 0", "a;b"))
    for i, row in enumerate(sheet.rows):
        row.insert(k, str(i) if i else name)


def columns_in_another_order(random: Random, sheet: Sheet) -> None:
    order = random.sample(range(len(sheet.rows[0])), len(sheet.rows[0]))
    sheet.rows = [[row[k] for k in order] for row in sheet.rows]


def empty_heading_at_the_end(_random: Random, sheet: Sheet) -> None:
    sheet.rows[0].append("")


def empty_column_at_the_end(_random: Random, sheet: Sheet) -> None:
    for row in sheet.rows:
        row.append("")


def number(random: Random, sheet: Sheet) -> None:
    k = random.randrange(1, len(sheet.rows[0])) if len(sheet.rows[0]) > 1 else 0
    row = _row(random, sheet)
    if k < len(row):
        row[k] = random.choice(NUMBERS)


def column_of_numbers(random: Random, sheet: Sheet) -> None:
    k, value = (
        random.randrange(1, len(sheet.rows[0])) if len(sheet.rows[0]) > 1 else 0,
        random.choice(NUMBERS),
    )
    for row in sheet.rows[1:]:
        if k < len(row):
            row[k] = value


def two_spellings_of_a_tie(random: Random, sheet: Sheet) -> None:
    k = random.randrange(1, len(sheet.rows[0])) if len(sheet.rows[0]) > 1 else 0
    for row in sheet.rows[1:]:
        if k < len(row):
            row[k] = random.choice(("0.7", "0.69999999999999996", "0.70000000000000001"))


def label(random: Random, sheet: Sheet) -> None:
    row = _row(random, sheet)
    if len(row) > 1:
        row[1] = random.choice(LABELS)


def person(random: Random, sheet: Sheet) -> None:
    for _ in range(random.choice((1, 1, 3))):
        row = _row(random, sheet)
        if len(row) > 2:
            row[random.randrange(2, len(row))] = random.choice(PEOPLE)


def blank_beside_cell(random: Random, sheet: Sheet) -> None:
    k, rows = _column(random, sheet), random.choice(([_row(random, sheet)], sheet.rows[1:]))
    for row in rows:
        if k < len(row):
            row[k] = random.choice((f" {row[k]}", f"{row[k]} ", f"{row[k]}\t"))


def other_id(random: Random, sheet: Sheet) -> None:
    def spelled(name: str, how: int) -> str:
        stem, dot, ending = name.rpartition(".")
        return (
            f"images/{name}",
            f"./{name}",
            f"/{name}",
            f"images\\{name}",
            name.upper(),
            stem or ending,
            f"{stem or ending}.jpeg",
            f"{stem or ending}.png",
            f"{stem or ending}{dot or '.'}JPG",
            f" {name}",
            f"{name} ",
            "NA",
            "007",
            "1.10",
            "x.y/z",
        )[how]

    how = random.randrange(15)
    rows = [_row(random, sheet)] if how > 10 or random.random() < 0.5 else sheet.rows[1:]
    for row in rows:
        row[0] = spelled(row[0], how)


def numbers_as_ids(random: Random, sheet: Sheet) -> None:
    for i, row in enumerate(sheet.rows[1:], 1):
        row[0] = random.choice((str(i), f"{i}.1", f"0{i}"))


def row_twice(random: Random, sheet: Sheet) -> None:
    sheet.rows.insert(random.randrange(1, len(sheet.rows) + 1), list(_row(random, sheet)))


def row_away(random: Random, sheet: Sheet) -> None:
    if len(sheet.rows) > 2:
        del sheet.rows[random.randrange(1, len(sheet.rows))]


def row_more(random: Random, sheet: Sheet) -> None:
    sheet.rows.append(["other.jpg", *_row(random, sheet)[1:]])


def rows_in_another_order(random: Random, sheet: Sheet) -> None:
    head, *rows = sheet.rows
    random.shuffle(rows)
    sheet.rows = [head, *rows]


def row_longer(random: Random, sheet: Sheet) -> None:
    for row in random.choice(([_row(random, sheet)], sheet.rows[1:])):
        row.append(random.choice(("", "", " ", "0.5")))


def row_shorter(random: Random, sheet: Sheet) -> None:
    row = _row(random, sheet)
    if row:
        row.pop()


def blank_line(random: Random, sheet: Sheet) -> None:
    sheet.rows.insert(random.randrange(len(sheet.rows) + 1), [random.choice(("", "", "  ", "\t"))])


def line_before(random: Random, sheet: Sheet) -> None:
    sheet.head += random.choice(("\n", "  \n", "sep=,\n", "sep=;\n", "\ufeff"))


def line_ends(random: Random, sheet: Sheet) -> None:
    sheet.end = random.choice(("\r\n", "\r"))
    sheet.tail = random.choice(("", sheet.end, sheet.end * 2))


def last_line(random: Random, sheet: Sheet) -> None:
    sheet.tail = random.choice(("", "\n\n\n", "\n  ", "\n \n", "\n,,\n"))


def delimiter(random: Random, sheet: Sheet) -> None:
    sheet.delimiter = random.choice((";", "\t", ";", "|", ", "))


def decimal_commas(_random: Random, sheet: Sheet) -> None:
    sheet.delimiter = ";"
    sheet.rows[1:] = [[row[0], *(cell.replace(".", ",") for cell in row[1:])] for row in sheet.rows[1:]]


def encoding(random: Random, sheet: Sheet) -> None:
    sheet.encoding = random.choice(("utf-8-sig", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"))


def quotes(_random: Random, sheet: Sheet) -> None:
    sheet.quoted = True


def one_case(random: Random, sheet: Sheet) -> None:
    sheet.rows = [sheet.rows[0], _row(random, sheet)]


def whole_numbers(random: Random, sheet: Sheet) -> None:
    k = _column(random, sheet)
    for row in sheet.rows[1:]:
        if k and k < len(row):
            row[k] = random.choice("01")


FAULTS: Sequence[Fault] = (
    blank_beside_heading,
    blank_beside_heading,
    other_heading,
    other_heading,
    heading_twice,
    column_away,
    column_more,
    columns_in_another_order,
    empty_heading_at_the_end,
    empty_column_at_the_end,
    number,
    number,
    column_of_numbers,
    two_spellings_of_a_tie,
    label,
    label,
    person,
    blank_beside_cell,
    blank_beside_cell,
    other_id,
    other_id,
    numbers_as_ids,
    row_twice,
    row_away,
    row_more,
    rows_in_another_order,
    row_longer,
    row_shorter,
    blank_line,
    line_before,
    line_ends,
    last_line,
    delimiter,
    decimal_commas,
    encoding,
    quotes,
    one_case,
    whole_numbers,
)


def odd(random: Random, rows: Sequence[Sequence[str]]) -> tuple[bytes, tuple[str, ...]]:
    """A table with one or two faults, and their names."""
    sheet = Sheet([list(map(str, row)) for row in rows])
    faults = sorted((random.choice(FAULTS) for _ in range(random.choice((1, 1, 2)))), key=FAULTS.index)
    for fault in faults:  # those of columns first, while all rows are as long as the heading
        fault(random, sheet)
    return sheet.file(), tuple(fault.__name__ for fault in faults)
