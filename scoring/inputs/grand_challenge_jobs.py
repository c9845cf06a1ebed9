"""Job folders of Grand Challenge: their files are named by case, and their answers become a single table.

`predictions.json` lists the jobs of a submission. Each has a `pk` (the name of its folder) and `inputs` with
the names of its images; its files are below `<pk>/output/`. Here the files are named after the case, which is
the name of the input image without extension: `<case>/output/...`, and `<case>.json` if a job wrote a single
JSON.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import csv_text, shortened
from scoring.common.transport import isolated
from scoring.inputs.fix_suggestions import NUMERIC
from scoring.inputs.foreign_table_shapes import stacked_tables
from scoring.inputs.sources import FixedSource, Source, SourceFiles, open_source, sha256
from scoring.inputs.table_formats import cells_of
from scoring.inputs.table_text import CELLS, COLUMNS

LISTING, INPUTS = "predictions.json", "inputs.json"
"""Names of files that the platform writes: the list of a submission's jobs, and the list of a job's
inputs."""
LISTING_BYTES = 50_000_000
KIND = re.compile(r"(?<![_-])[_-]+[^_-]+$")
"""Pattern of the part of a file name in which the images of one case differ: `case__CT.nii.gz`,
`case_0000.nii.gz`."""
OUTPUT = "output/"
"""Folder of a job's output files; some downloads omit this folder."""


def by_case(files: SourceFiles) -> tuple[SourceFiles, Mapping[str, str]]:
    """Return the files named by their cases, and their original names. If there is no list of jobs, nothing
    is renamed. Raises InputRefused `unreadable-file` or `duplicate-case` if a job's case cannot be
    determined."""
    listing = _listing(files)
    case_of = cases_of_jobs(files.read(listing), files.called(listing)) if listing is not None else None
    if listing is None or not case_of:
        return files, {}
    folder_around = listing.removesuffix(LISTING)
    parts = {member: member.removeprefix(folder_around).partition("/") for member in files.members}
    of_jobs = [below for folder, _, below in parts.values() if folder in case_of]
    is_bare = not any(below.startswith(OUTPUT) for below in of_jobs)
    original: dict[str, str] = {}
    for member, (folder, _, below) in parts.items():
        if folder in case_of and (is_bare or below.startswith(OUTPUT)):
            original[f"{case_of[folder]}/{OUTPUT * is_bare}{below}"] = member
        elif folder not in case_of and member not in (listing, f"{folder_around}{INPUTS}"):
            original[member] = member
    original = _with_lone_json(original, set(case_of.values()))
    sizes = {name: files.sizes[original[name]] for name in sorted(original)}
    return (
        replace(
            files,
            sizes=sizes,
            read=lambda member: files.read(original[member]),
            open=lambda member: files.open(original[member]),
        ),
        original,
    )


def _listing(files: SourceFiles) -> str | None:
    """Return the list of jobs: the only file of that name, or the one that lies highest."""
    if files.kind == "file":
        return None
    places = sorted(
        (member for member in files.members if PurePosixPath(member).name == LISTING),
        key=lambda member: member.count("/"),
    )
    is_one = len({member.count("/") for member in places[:2]}) == len(places[:2])
    return next((member for member in places if is_one and files.sizes[member] < LISTING_BYTES), None)


@isolated
def cases_of_jobs(data: bytes, name: str) -> dict[str, str] | None:
    """Return job folder -> case; None if the file is another kind of list. Raises InputRefused with every job
    whose case cannot be determined."""
    try:
        listed = json.loads(data)
    except (ValueError, RecursionError):
        return None
    is_jobs = isinstance(listed, list) and all(
        isinstance(job, dict) and _is_folder(job.get("pk")) and isinstance(job.get("inputs"), list)
        for job in listed
    )
    return dict(_cases(name, listed)) if is_jobs else None


def _is_folder(name: object) -> bool:
    return isinstance(name, str) and name not in ("", ".", "..") and not set(name) & set("/\\\0")


def _cases(where: str, jobs: list[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield folder and case of every job. Raises InputRefused with every problem."""
    problems: list[Finding] = []
    cases: dict[str, str] = {}
    for job in jobs:
        names = {name for entry in job["inputs"] for name in _image(entry)}
        if len(names) > 1:  # CT and PET of one patient
            names = {KIND.sub("", name) for name in names}
        if len(names) == 1:
            cases[job["pk"]] = names.pop()
        else:
            named = f"several ({', '.join(sorted(names)[:3])})" if names else "none"
            text = (
                f"the inputs of job {job['pk'][:40]!r} should name the image of one case, but they "
                f"name {named}."
            )
            problems.append(error("unreadable-file", where, text))
    for case, count in Counter(cases.values()).items():
        if count > 1:
            text = f"{count} jobs have the case {case}: keep one."
            problems.append(error("duplicate-case", where, text))
    if problems:
        raise InputRefused(problems)
    yield from cases.items()


def _image(entry: object) -> Iterator[str]:
    """Yield the name of an input's image without ending, if it is an image."""
    image = entry.get("image") if isinstance(entry, dict) else None
    name = image.get("name") if isinstance(image, dict) else None
    if isinstance(name, str):
        base = PurePosixPath(name.replace("\\", "/")).name
        stem = PurePosixPath(base[:-3] if base.lower().endswith(".nii.gz") else base).stem
        if _is_folder(stem):
            yield stem


def _with_lone_json(original: Mapping[str, str], cases: set[str]) -> dict[str, str]:
    """Return the same, but the JSON of each case that has one called by the case."""
    answers = [name for name in original if name.split("/")[0] in cases and name.lower().endswith(".json")]
    count = Counter(name.split("/")[0] for name in answers)
    lone = {name for name in answers if count[name.split("/")[0]] == 1}
    return {
        f"{name.split('/')[0]}.json" if name in lone else name: member for name, member in original.items()
    }


@dataclass(frozen=True)
class AnswerColumns:
    """Headings of the table that is made from the answers of jobs. `several` says whether an answer may be a
    list of rows."""

    case: str = "image"
    number: str = "score"
    label: str = "prediction"
    several: bool = False


USUAL = AnswerColumns()
ANSWER_BYTES = 1_000_000
OF_JSON = (".json", ".out")
"""Extensions of JSON files of one case; SageMaker batch transform writes .out."""


def open_table(source: Source, name: str | None = None, columns: AnswerColumns = USUAL) -> SourceFiles:
    """Open a source that contains a table. Answers in job folders are combined into one table.

    Args:
        source: A table, job folders, or a folder or zip with a table.

    Raises:
        InputRefused: If it cannot be opened, or a job's answer is not a row.
    """
    files = open_source(source.source if isinstance(source, FixedSource) else source, name)
    table = as_table(files, columns)
    if table is not None:
        written = table.data
        files = SourceFiles(
            files.name,
            "file",
            {files.name: len(written)},
            lambda _member: written,
            lambda _member: io.BytesIO(written),
            files.whole or sha256(written),
        )
    return open_source(FixedSource(files, source.changes)) if isinstance(source, FixedSource) else files


def with_table(source: Source, name: str | None = None, columns: AnswerColumns = USUAL) -> Source:
    """Return a source in which the answers of job folders form one table. Changes that the source already has
    still apply. For arguments and errors see `open_table`."""
    if isinstance(source, FixedSource):
        return replace(source, source=open_table(source.source, name, columns))
    return open_table(source, name, columns)


@dataclass(frozen=True)
class JobTable:
    """Answers of job folders as a CSV table with unchanged numbers. `written` names the file from which each
    row comes."""

    data: bytes
    written: tuple[str, ...]

    def places(self, name: str) -> dict[str, str]:
        """Return location of a row in messages -> file from which the row comes. `name` is the name of the
        table."""
        return {f"{name}:{line}": shortened(file, 120) for line, file in enumerate(self.written, 2)}


def as_table(files: SourceFiles, columns: AnswerColumns = USUAL) -> JobTable | None:
    """Return the answers of job folders, or tables with the same columns, as one table. Return None for other
    files. Raises InputRefused with every job whose answer is not an object of names and numbers, a number, or
    a text."""
    if lines := _class_lines(files):
        return lines
    if stack := stacked_tables(files):
        return JobTable(stack.data, stack.written)
    named, original = by_case(files)
    if not original:
        return None
    answers: dict[str, list[Any]] = {}
    problems: list[Finding] = []
    several = Counter(
        member.split("/")[0] for member in named.members if "/" in member and member.endswith(".json")
    )
    for case in several:
        message = f"its job wrote {several[case]} JSON files; one JSON file with the prediction is expected."
        problems.append(error("unreadable-file", shortened(case, 64), message))
    for member in named.members:
        if "/" in member or not member.lower().endswith(".json"):
            continue
        try:
            answers[member] = _answers(named, member, columns)
        except (ValueError, RecursionError):
            message = 'write an object of names and numbers ({"MEL": 0.7, "NV": 0.3}), a number or a class.'
            problems.append(error("unreadable-file", shortened(original[member], 120), message))
    if problems:
        raise InputRefused(problems)
    return _table(answers, original, columns)


def _class_lines(files: SourceFiles) -> JobTable | None:
    """Return a table of texts of one case each that hold scores with their classes in lines, as YOLO writes
    them, or of such files of JSON; None for other files."""
    endings = {PurePosixPath(member).suffix for member in files.members}
    if files.kind == "file" or len(endings) != 1 or not endings <= {".txt", *OF_JSON}:
        return None
    if endings != {".txt"}:
        return _json_rows(files)
    rows: list[tuple[str, ...]] = []
    written = []
    for member in files.members:
        text = files.read(member).decode("utf-8", "replace") if files.sizes[member] < ANSWER_BYTES else "-"
        for score, label in (line.partition(" ")[::2] for line in _lines(text)):
            if not NUMERIC.fullmatch(score) or NUMERIC.fullmatch(label.partition(" ")[0]):
                return None
            rows.append((PurePosixPath(member).stem, label.strip(), score))
            written.append(member)
    text = csv_text((USUAL.case, "class", USUAL.number), rows)
    return JobTable(text.encode(), tuple(written)) if written else None


def _lines(text: str) -> list[str]:
    return [line for line in map(str.strip, text.splitlines()) if line]


def _json_rows(files: SourceFiles) -> JobTable | None:
    """Return a table with a row for each file of JSON, called by it; None if one is not of a case."""
    data = json_rows(files, {member: PurePosixPath(member).stem for member in files.members}, USUAL.case)
    return JobTable(data, tuple(files.members)) if data else None


def json_rows(files: SourceFiles, case_of: Mapping[str, str], case: str) -> bytes | None:
    """Return a table with a row per JSON file; None if one of the files does not contain the values of a
    case.

    Args:
        case_of: Name of each file -> case.
        case: Name of the case column.
    """
    rows: list[dict[str, str]] = []
    n_cells = 0
    for member, name in case_of.items():
        cells = cells_of(files.read(member)) if files.sizes[member] < ANSWER_BYTES else None
        n_cells += len(cells or ())
        if not cells or len(cells) > COLUMNS or n_cells > CELLS:
            return None
        rows.append({**cells, case: name})
    names = dict.fromkeys(name for row in rows for name in row if name != case)
    if len(names) >= COLUMNS or len(names) * len(rows) > CELLS or len(rows) < 2:
        return None
    text = csv_text((case, *names), ([row.get(n, "") for n in (case, *names)] for row in rows))
    return text.encode("utf-8", "surrogatepass")


def _table(
    answers: Mapping[str, Sequence[Any]], original: Mapping[str, str], columns: AnswerColumns
) -> JobTable:
    """Return the table. Lone answers are in one column, so that a text among numbers is seen as none."""
    every = [row for rows in answers.values() for row in rows]
    numbers = sum(
        isinstance(row, _Number) or (columns.number in row and isinstance(row, dict)) for row in every
    )
    column = columns.number if 2 * numbers >= len(every) else columns.label
    rows: list[Mapping[str, str]] = [
        {columns.case: member[: -len(".json")], **({column: row} if isinstance(row, str) else row)}
        for member, of_case in answers.items()
        for row in of_case
    ]
    text = io.StringIO()
    names = dict.fromkeys(name for row in rows for name in row)
    writer = csv.DictWriter(text, [*({columns.case: None} | names)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    written = tuple(original[member] for member, of_case in answers.items() for _ in of_case)
    return JobTable(text.getvalue().encode(), written)


def _answers(files: SourceFiles, member: str, columns: AnswerColumns) -> list[Any]:
    """Return the rows of an answer: a text, a number or cells by name each. Raises ValueError if it is
    none."""
    if files.sizes[member] > ANSWER_BYTES:
        raise ValueError
    value: Any = json.loads(
        files.read(member), parse_float=_Number, parse_int=_Number, parse_constant=_Number
    )
    if isinstance(value, str):
        return [value]
    rows: list[Any] = value if columns.several and isinstance(value, list) else [value]
    for row in rows:
        is_row = isinstance(row, dict) and columns.case not in row
        if not is_row or not all(isinstance(cell, str) for cell in row.values()):
            raise ValueError
    return rows


class _Number(str):
    """A number as its file writes it."""
