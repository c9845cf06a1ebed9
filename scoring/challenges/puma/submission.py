"""Which file of a submission is the prediction of which case: by `submission.csv`, by file names, or the one
file there is."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from scoring.challenges.puma.cases import by_case, case_id, is_nuclei_file
from scoring.common.findings import Finding, InputRefused, error, note
from scoring.inputs.sources import SourceFiles, sha256
from scoring.inputs.tables import TextTable, find_column, key, read_table, repeated_row

TABLE = "submission.csv"
CASE, PATH = "case_id", "predicted_nuclei_path"
MEND = f"Write {CASE},{PATH} with paths relative to {TABLE}."


@dataclass(frozen=True)
class SubmissionMembers:
    """member_of: case -> the member that predicts it, None where none can be read. digest_of: SHA-256 of the
    table, where there is one.

    table: its member, None without.
    """

    member_of: Mapping[str, str | None]
    digest_of: Mapping[str, str]
    table: str | None
    problems: tuple[Finding, ...]
    findings: tuple[Finding, ...]


def find_predictions(
    files: SourceFiles, ids: Sequence[str] | None, leaves: Callable[[str], bool]
) -> SubmissionMembers:
    """Return the predictions of a submission. ids: the cases of the truth, None without one. leaves: whether
    a member leads out of the submission, which is then not opened."""
    member = _table_of(files)
    if member is not None and leaves(member):
        return SubmissionMembers({}, {}, member, (outward(member),), ())
    if member is not None:
        return _by_table(files, member, frozenset(ids or ()))
    if files.kind == "file":
        return _by_position(files, ids)
    member_of, problems = by_case(files, filter(is_nuclei_file, files.members))
    if not member_of:
        words = (
            f"it holds no prediction: neither {TABLE} nor a file <case>.json, <case>_nuclei.json, "
            "<case>.geojson or <case>_nuclei.geojson."
        )
        problems = [error("bad-submission", files.name, words)]
    return SubmissionMembers(member_of, {}, None, tuple(problems), ())


def outward(member: str) -> Finding:
    """`unsafe-path` for a link to the outside."""
    return error(
        "unsafe-path", member, "it is a link that leads out of the folder: put the file itself there."
    )


def _table_of(files: SourceFiles) -> str | None:
    """`submission.csv` at the top, or in the one folder that holds everything."""
    if files.kind == "file":
        return files.name if files.name.lower().endswith(".csv") else None
    tops = {member.split("/")[0] for member in files.members}
    places = {TABLE, *(f"{top}/{TABLE}" for top in tops if len(tops) == 1)}
    return next(
        (member for member in files.members if member.lower() in {place.lower() for place in places}), None
    )


def _by_position(files: SourceFiles, ids: Sequence[str] | None) -> SubmissionMembers:
    case = case_id(files.name)
    if ids is None or len(ids) != 1 or case == ids[0]:
        return SubmissionMembers({case: files.name}, {}, None, (), ())
    said = note(
        "case-by-position",
        files.name,
        f"one file against a truth of one case: read as case {ids[0]}, whatever its name.",
    )
    return SubmissionMembers({ids[0]: files.name}, {}, None, (), (said,))


def _by_table(files: SourceFiles, member: str, ids: frozenset[str]) -> SubmissionMembers:
    where = files.called(member)
    try:
        data = files.read(member)
        table = read_table(data, where)
    except InputRefused as refusal:
        return SubmissionMembers({}, {}, member, refusal.problems, ())
    marks = (
        [note("bom", where, "it begins with a byte order mark: read all the same.")]
        if table.written.byte_order_mark
        else []
    )
    member_of: dict[str, str | None] = {}
    problems = [*table.problems]
    columns = [column for name in (CASE, PATH) if (column := _column(table, name, problems)) is not None]
    if len(columns) == 2:
        member_of, of_rows = _rows(files, member, table, columns, ids)
        problems += of_rows
    return SubmissionMembers(member_of, {member: sha256(data)}, member, tuple(problems), tuple(marks))


def _column(table: TextTable, name: str, problems: list[Finding]) -> int | None:
    column, twice = find_column(table, (key(name),))
    problems += twice
    if column is None:
        found = ", ".join(repr(heading[:40]) for heading in table.header[:12])
        problems.append(
            error(
                "bad-submission", table.header_place, f"there is no column {name!r}. Found: {found}. {MEND}"
            )
        )
    return column


def _rows(
    files: SourceFiles, member: str, table: TextTable, columns: list[int], ids: frozenset[str]
) -> tuple[dict[str, str | None], list[Finding]]:
    member_of: dict[str, str | None] = {}
    row_of: dict[str, int] = {}
    problems: list[Finding] = []
    for row, (named, path) in enumerate(zip(*map(table.cells, columns), strict=True)):
        if row in table.ragged:
            continue
        if not named or not path:
            problems.append(error("bad-submission", table.place(row), f"{CASE} or {PATH} is empty. {MEND}"))
            continue
        case = named if named in ids else case_id(named)
        if case in row_of:
            problems.append(repeated_row(table, row, row_of[case], columns[0], f"case {case}"))
            continue
        row_of[case] = row
        member_of[case], wrong = _member(files, member, path)
        problems += [error(code, table.place(row), f"case {case}: {words}") for code, words in wrong]
    return member_of, problems


def _member(files: SourceFiles, table: str, path: str) -> tuple[str | None, list[tuple[str, str]]]:
    """Return the member that a path of the table names, or why there is none: a code and words."""
    shown = repr(path if len(path) <= 120 else path[:117] + "...")
    if (
        path.startswith("/")
        or re.match(r"[A-Za-z]:", path)
        or "\\" in path
        or ".." in path.split("/")
        or "\0" in path
    ):
        return None, [
            ("unsafe-path", f"{shown} is an absolute path, leaves the folder or has a backslash. {MEND}")
        ]
    member = PurePosixPath(table).parent.joinpath(path).as_posix()
    if member not in files.sizes:
        return None, [("bad-submission", f"there is no file {shown}: add it, or leave the row out.")]
    return member, []
