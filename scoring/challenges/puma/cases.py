"""Reads files of nuclei, and finds the case of each file by its name or in `submission.csv`."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import ClassVar

import numpy as np

from scoring.challenges.puma import nucleus_classes
from scoring.challenges.puma.nucleus_classes import Naming
from scoring.common.findings import Finding, InputRefused, error, note, warning
from scoring.common.fixes import InputChanges, SuggestedFix, written_pairs
from scoring.common.text import did_you_mean
from scoring.inputs.nuclei import imagej_rois
from scoring.inputs.nuclei.reader import POLYGONS, Nuclei, NucleiFile, counted, positions, read_nuclei
from scoring.inputs.nuclei.tiles import TYPE_FILES
from scoring.inputs.sources import TABLES_IN_FOLDERS, SourceFiles, sha256
from scoring.inputs.tables import TextTable, find_column, key, read_table, repeated_row

ENDINGS = (".geojson", ".json")
OF_IMAGES = (".tif", ".tiff", ".png", ".jpg", ".jpeg")
OF_CLASSES = (*TYPE_FILES, "meta.json")
"""Names of files that list the classes of other files; Supervisely writes meta.json."""
SUFFIX = "_nuclei"
TISSUE = "_tissue"
UNKNOWN_NAMES = 20
N_CLASSES = len(nucleus_classes.CLASSES)
ORDERS = ((nucleus_classes.CLASSES, ""), (sorted(nucleus_classes.CLASSES), " in alphabetical order"))
"""Pairs of an order in which programs number the classes, and words for this order."""
SHOWN = 5
LEAVE_OUT = SuggestedFix(
    "Leave out nuclei of other classes", InputChanges(options=(("unknown_classes", "ignore"),))
)


@dataclass(frozen=True)
class WrittenFiles:
    """Those details of the files on which the official evaluator depends.

    Attributes:
        keys: Key of the list of nuclei in each case's file; `POLYGONS` for a case without a file.
        marked: Whether a file begins with a byte order mark.
        unnamed: Whether a nucleus of Multiple polygons lacks the key `name`.
    """

    per_case: ClassVar[tuple[str, ...]] = ("keys", "names")
    keys: tuple[str, ...] = ()
    names: tuple[frozenset[str], ...] = ()
    marked: bool = False
    unnamed: bool = False

    @property
    def is_foreign(self) -> bool:
        """Whether any file is in a form that the official evaluator does not read."""
        return bool({*self.keys} - {POLYGONS})


NO_FILE = NucleiFile(Nuclei.empty(), key=POLYGONS)


@dataclass(frozen=True)
class CaseFiles:
    """Content of several files in their order, with all errors (`problems`) and the SHA-256 of each file."""

    contents: tuple[NucleiFile, ...]
    digest_of: Mapping[str, str]
    problems: tuple[Finding, ...]
    findings: tuple[Finding, ...]

    @property
    def names(self) -> Counter[str]:
        """Number of nuclei by class name as written."""
        return sum((Counter(nuclei_file.names) for nuclei_file in self.contents), Counter())

    @property
    def nuclei(self) -> tuple[Nuclei, ...]:
        return tuple(nuclei_file.nuclei for nuclei_file in self.contents)

    def written(self, of_case: Iterable[NucleiFile]) -> WrittenFiles:
        """Return the format of the files. `of_case` is the content of each case's file; `NO_FILE` for a case
        without a file."""
        files = tuple(of_case)
        return WrittenFiles(
            tuple(file.key for file in files),
            tuple(frozenset(file.names or ()) for file in files),
            any(finding.code == "bom" for file in self.contents for finding in file.findings),
            any(file.unnamed and file.key == POLYGONS for file in self.contents),
        )


def case_id(name: str) -> str:
    """Return the case of a file name: without folder, extension, image extension (a.tif.json), final
    `_nuclei`."""
    base = PurePosixPath(name).name
    ending = next((ending for ending in ENDINGS if base.lower().endswith(ending)), "")
    base = base[: len(base) - len(ending)]
    drawn = next((drawn for drawn in OF_IMAGES if ending and base.lower().endswith(drawn)), "")
    return base[: len(base) - len(drawn)].removesuffix(SUFFIX)


def is_nuclei_file(member: str) -> bool:
    """Return whether a file name can be a file of nuclei: JSON, but not a file of tissue or classes."""
    path = PurePosixPath(member)
    named = path.suffix.lower() in ENDINGS and path.name not in OF_CLASSES
    return named and not path.stem.endswith(TISSUE)


def by_case(files: SourceFiles, members: Iterable[str]) -> tuple[dict[str, str], list[Finding]]:
    """Return case -> its first file, and a finding `duplicate-case` for each case with several files."""
    members_of: dict[str, list[str]] = {}
    for member in members:
        members_of.setdefault(case_id(member), []).append(member)
    twice = []
    for case, several in members_of.items():
        if len(several) > 1:
            message = f"case {case} has {len(several)} files ({', '.join(several[:SHOWN])}): keep one file."
            twice.append(error("duplicate-case", files.called(several[1]), message))
    return {case: several[0] for case, several in members_of.items()}, twice


def read_cases(files: SourceFiles, members: Iterable[str], naming: Naming, graded: bool) -> CaseFiles:
    """Read files of nuclei. `graded`: also read confidences. `naming`: how to treat unknown class names."""
    contents: list[NucleiFile] = []
    digest_of: dict[str, str] = {}
    problems: list[Finding] = []
    findings: list[Finding] = []
    for member in members:
        where = files.called(member)
        try:
            data = files.read(member)
        except InputRefused as refusal:
            problems += refusal.problems
            contents.append(NO_FILE)
            continue
        digest_of[member] = sha256(data)
        nuclei_file = read_nuclei(
            data, where, naming.position, graded, left_out=", as the official evaluator does."
        )
        unknown = list(_unknown(nuclei_file, where, naming))
        problems += [*nuclei_file.problems, *(entry for entry in unknown if entry.level == "error")]
        findings += [*nuclei_file.findings, *(entry for entry in unknown if entry.level != "error")]
        contents.append(nuclei_file)
    problems = _asked_once(problems, contents, naming, files.name)
    return CaseFiles(tuple(contents), digest_of, tuple(problems), tuple(findings))


def _asked_once(
    problems: list[Finding], contents: Sequence[NucleiFile], naming: Naming, where: str
) -> list[Finding]:
    """Return problems with what can be done with nuclei of other classes: numbers are asked about once for
    all files, as the ten in their order from 0 or 1; nuclei are left out where most are of a known class."""
    unknown = Counter[str]()
    for file in contents:
        named = (file.unknown or {}).items()
        unknown.update({name: len(numbers) for name, numbers in named if not naming.ignores(name)})
    if unknown and all(map(str.isdecimal, unknown)):
        numbers = sorted(map(int, unknown))
        starts = [n for n in (0, 1) if n <= numbers[0] and numbers[-1] < n + N_CLASSES]
        fixes = [_in_order(n, *order) for n in starts for order in ORDERS]
        listing = ", ".join(map(str, numbers[:N_CLASSES])) + (", ..." if len(numbers) > N_CLASSES else "")
        message = (
            f"{unknown.total():,} nuclei have a number as class ({listing}): name the class of each number."
        )
        others = [entry for entry in problems if entry.code != "unknown-class"]
        return [*others, error("unknown-class", where, message).with_fixes(*fixes)]
    counted_too = 2 * sum(len(file.nuclei) for file in contents) >= sum(file.items for file in contents)
    fixes = [LEAVE_OUT] * counted_too
    return [entry.with_fixes(*fixes) if entry.code == "unknown-class" else entry for entry in problems]


def _in_order(first: int, names: Sequence[str], order: str) -> SuggestedFix:
    """Return the fix that reads numbers as the ten classes in an order."""
    pairs = [(str(number), name) for number, name in enumerate(names, first)]
    label = ", ".join(f"{number} {name.replace('_', ' ')}" for number, name in pairs)
    changes = InputChanges(options=(("class_map", written_pairs(pairs)),))
    return SuggestedFix(f"Read numbers as the ten classes{order}, from {first}: {label}", changes)


def in_place(files: CaseFiles, sizes: np.ndarray, places: Iterable[str]) -> CaseFiles:
    """Return a copy with findings `out-of-image` about nuclei outside their image. `sizes` are in px."""
    beyond = [
        entry
        for nuclei_file, size, where in zip(files.contents, sizes, places, strict=True)
        for entry in outside(nuclei_file, size, where)
    ]
    return replace(files, findings=(*files.findings, *beyond))


def outside(contents: NucleiFile, size: np.ndarray, where: str) -> Iterator[Finding]:
    """Yield a finding `out-of-image` if centroids are outside an image of `size` (width and height in px)."""
    nuclei = contents.nuclei
    beyond = nuclei.outside(size)
    if beyond.any():
        numbers = nuclei.numbers[beyond]
        x, y = nuclei.centroids[beyond][0]
        message = (
            f"{counted(numbers)} of {len(nuclei):,} {'lies' if len(numbers) == 1 else 'lie'} "
            f"outside the image of {size[0]} x {size[1]} px ({positions(contents.key, numbers)}; "
            f"the first at {x:g}, {y:g}). Nuclei outside the image are scored too."
        )
        yield warning("out-of-image", where, message)


def _unknown(contents: NucleiFile, where: str, naming: Naming) -> Iterator[Finding]:
    unknown = contents.unknown or {}
    for name in list(unknown)[:UNKNOWN_NAMES]:
        hint = did_you_mean(nucleus_classes.variant(name) or "")
        description = (
            f"{counted(unknown[name])} of class {_quoted(name)} ({positions(contents.key, unknown[name])})"
        )
        yield _graded(naming.ignores(name), where, f"{description}, which is none of the ten.{hint}")
    for ignored_too in (True, False):
        others = [name for name in list(unknown)[UNKNOWN_NAMES:] if naming.ignores(name) == ignored_too]
        if others:
            nuclei = sum(len(unknown[name]) for name in others)
            description = f"{nuclei:,} nuclei of {len(others):,} other classes, which are not among the ten."
            yield _graded(
                ignored_too, where, f"{description} The ten are {', '.join(nucleus_classes.CLASSES)}."
            )


def _graded(is_ignored: bool, where: str, description: str) -> Finding:
    if is_ignored:
        return warning("unknown-class", where, f"{description} Such nuclei are left out.")
    message = f"{description} Rename the class, map it to one of the ten, or leave such nuclei out."
    return error("unknown-class", where, message)


def _quoted(name: str) -> str:
    return repr(name if len(name) <= 60 else name[:57] + "...")


TABLE = "submission.csv"
CASE, PATH = "case_id", "predicted_nuclei_path"
NO_FORM = (
    "Benchside cannot read this list of nuclei: write image, class, and x, y (or xmin, ymin, xmax, ymax) of "
    "each nucleus. Benchside cannot read run-length encodings, and reads only one box per table cell."
)
HOW_TO_FIX = f"Write {CASE},{PATH} with paths relative to {TABLE}."


@dataclass(frozen=True)
class SubmissionMembers:
    """Files of a submission that contain predictions.

    Attributes:
        member_of: Case -> name of the file with its prediction; None if none can be read.
        digest_of: SHA-256 of the table `submission.csv`, if there is one.
    """

    member_of: Mapping[str, str | None]
    digest_of: Mapping[str, str]
    table: str | None
    problems: tuple[Finding, ...]
    findings: tuple[Finding, ...]


def find_predictions(
    files: SourceFiles, ids: Sequence[str] | None, leaves: Callable[[str], bool]
) -> SubmissionMembers:
    """Find the prediction file of each case (`ids`, None without a truth) in a submission. `leaves` returns
    whether a member is a link to a file outside the submission, which is then not opened."""
    member = _table_of(files)
    if member is not None and leaves(member):
        return SubmissionMembers({}, {}, member, (outward(member),), ())
    if member is not None:
        return _by_table(files, member, frozenset(ids or ()))
    if files.kind == "file":
        return _by_position(files, ids)
    member_of, problems = by_case(files, filter(is_nuclei_file, files.members))
    if not member_of:
        problems = _unreadable_tables(files) or [error("bad-submission", files.name, _nothing_of(files))]
    return SubmissionMembers(member_of, {}, None, tuple(problems), ())


def _unreadable_tables(files: SourceFiles) -> list[Finding]:
    """Return why the tables in it cannot be read: a table of nuclei may be among them."""
    problems: list[Finding] = []
    for member in files.members:
        if member.lower().endswith(TABLES_IN_FOLDERS) and not member.lower().endswith(".txt"):
            try:
                read_table(files.read(member), files.called(member))
            except InputRefused as refusal:
                problems += refusal.problems
    return problems


def _nothing_of(files: SourceFiles) -> str:
    message = (
        f"no file in it can be read as nuclei. Benchside looks for {TABLE}, <case>.json, "
        "<case>_nuclei.json, <case>.geojson or <case>_nuclei.geojson."
    )
    if any(member.lower().endswith(".mat") for member in files.members):
        message += " HoVer-Net also writes nuclei as JSON: give its folder json, not the .mat files."
    if any(member.lower().endswith((".npy", ".npz")) for member in files.members):
        message += " Maps of pixels (.npy, .npz) are not read: write the outline or centre of each nucleus."
    if any(member.lower().endswith(imagej_rois.ENDING) for member in files.members):
        message += " Put the ImageJ regions (.roi) of each image into a zip, <case>.zip."
    return message


def outward(member: str) -> Finding:
    """Return the finding `unsafe-path` about a link to a file outside the submission."""
    return error(
        "unsafe-path", member, "it is a link to a file outside the folder: put the file itself there."
    )


def _table_of(files: SourceFiles) -> str | None:
    """`submission.csv` at the top, or in the one folder that holds everything."""
    if files.kind == "file":
        return files.name if files.name.lower().endswith(".csv") else None
    tops = {member.split("/")[0] for member in files.members}
    places = {TABLE, *(f"{top}/{TABLE}" for top in tops if len(tops) == 1)}
    return next(
        (member for member in files.members if member.lower() in {candidate.lower() for candidate in places}),
        None,
    )


def _by_position(files: SourceFiles, ids: Sequence[str] | None) -> SubmissionMembers:
    case = case_id(files.name)
    if ids is None or len(ids) != 1 or case == ids[0]:
        return SubmissionMembers({case: files.name}, {}, None, (), ())
    message = f"the truth has one case, so Benchside reads this file as case {ids[0]}, whatever its name."
    finding = note("case-by-position", files.name, message)
    return SubmissionMembers({ids[0]: files.name}, {}, None, (), (finding,))


def _by_table(files: SourceFiles, member: str, ids: frozenset[str]) -> SubmissionMembers:
    where = files.called(member)
    try:
        data, table = files.read_table(member)
    except InputRefused as refusal:
        return SubmissionMembers({}, {}, member, refusal.problems, ())
    bom = note("bom", where, "the file begins with a byte order mark. Benchside read it anyway.")
    member_of: dict[str, str | None] = {}
    problems = [*table.problems]
    if {key(CASE), key(PATH)}.isdisjoint(table.keys) and len(files.members) < 2:  # no index of other files
        return SubmissionMembers({}, {}, member, (*problems, _no_column(table, NO_FORM)), ())
    columns = [column for name in (CASE, PATH) if (column := _column(table, name, problems)) is not None]
    if len(columns) == 2:
        member_of, of_rows = _rows(files, member, table, columns, ids)
        problems += of_rows
    return SubmissionMembers(
        member_of, {member: sha256(data)}, member, tuple(problems), (bom,) * table.written.byte_order_mark
    )


def _column(table: TextTable, name: str, problems: list[Finding]) -> int | None:
    column, twice = find_column(table, (key(name),))
    problems += twice
    if column is None:
        problems.append(_no_column(table, f"there is no column {name!r}.", HOW_TO_FIX))
    return column


def _no_column(table: TextTable, said: str, how: str = "") -> Finding:
    headings = ", ".join(repr(heading[:40]) for heading in table.header[:12])
    return error("bad-submission", table.header_place, f"{said} Found: {headings}. {how}".rstrip())


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
            problems.append(
                error("bad-submission", table.place(row), f"{CASE} or {PATH} is empty. {HOW_TO_FIX}")
            )
            continue
        case = named if named in ids else case_id(named)
        if case in row_of:
            problems.append(repeated_row(table, row, row_of[case], columns[0], f"case {case}"))
            continue
        row_of[case] = row
        member_of[case], wrong = _member(files, member, path)
        problems += [error(code, table.place(row), f"case {case}: {message}") for code, message in wrong]
    return member_of, problems


def _member(files: SourceFiles, table: str, path: str) -> tuple[str | None, list[tuple[str, str]]]:
    """Return the member that a path of the table names, or why there is none: a code and words."""
    quoted = repr(path if len(path) <= 120 else path[:117] + "...")
    parts = path.split("/")
    if not parts[0] or ".." in parts or re.match(r"[A-Za-z]:", path) or {"\\", "\0"} & {*path}:
        text = f"{quoted} is an absolute path, leaves the folder or has a backslash. {HOW_TO_FIX}"
        return None, [("unsafe-path", text)]
    member = PurePosixPath(table).parent.joinpath(path).as_posix()
    if member not in files.sizes:
        return None, [("bad-submission", f"there is no file {quoted}: add it, or leave the row out.")]
    return member, []
