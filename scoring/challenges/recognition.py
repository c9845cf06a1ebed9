"""Recognises dropped files: to which challenge, input and test set a table, zip or model belongs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import PurePosixPath

import numpy as np

from scoring.challenges import REGISTRY, challenge_ids, is_known, load_challenge, remember
from scoring.challenges.samples import test_sets
from scoring.common.findings import InputRefused, error
from scoring.common.fixes import InputChanges, SuggestedFix, editing, renamed
from scoring.common.text import shortened
from scoring.core.file_contents import (
    BOARD_MANIFEST,
    MODEL,
    POSSIBLE,
    SURE,
    Candidate,
    FileContents,
    is_picture,
    opened,
    read_board_manifest,
    read_contents,
)
from scoring.inputs.case_ids import ID_COLUMNS
from scoring.inputs.column_guess import guess, readings_of
from scoring.inputs.fix_suggestions import NUMERIC, between_cells, shared_affix
from scoring.inputs.foreign_table_shapes import stacked_tables
from scoring.inputs.grand_challenge_jobs import as_table
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.sources import TABLES, FixedSource, SourceFiles, is_zip, open_source
from scoring.inputs.table_text import FOREIGN
from scoring.inputs.tables import TextTable

MASKS = (".nii.gz",)
"""Extensions of masks that other kinds of files have too."""
SAME_CASES = 0.5
"""A test set is recommended if it contains at least this share of the file's cases."""
MATCHED = 10
"""Number that is added to the certainty if a test set contains the cases of the file."""
LEAST_CASES = 20
"""A table with more columns than rows, and at least this number of columns, may have a column per case."""
MOST_CELLS = 500_000
"""Maximum number of cells of a table for which Benchside tries whether its columns are cases."""
CASE_HEADERS = ("image", "PatientID")
"""Headers that replace an unknown header of the case column."""
AS_CSV = "Save the table as CSV, Excel workbook, JSON, Parquet or NumPy archive."
AS_ONNX = "Export the model as ONNX."
AS_ZIP = "Unpack the archive, and drop the files or a zip of the files."
ENDINGS = {
    (".docx", ".pptx"): f"It is a document or presentation. {AS_CSV}",
    (".ods",): f"It is an OpenDocument spreadsheet. {AS_CSV}",
    (".npy", ".mat", ".rds"): f"It is a file of arrays or tables. {AS_CSV}",
    (".pt", ".pth", ".h5", ".keras", ".tflite", ".safetensors", ".ckpt"): f"It is a model. {AS_ONNX}",
    (".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z", ".rar"): f"It is another kind of archive. {AS_ZIP}",
}
"""Extension of unsupported files -> message about them."""
READ = "Drop a table of predictions or labels, an ONNX model, masks, lists of nuclei, or a zip of them."


@dataclass(frozen=True)
class Recognised:
    """What a group of dropped files may be.

    Attributes:
        readings: Possible uses, likeliest first; empty if no challenge accepts the files.
        source: The table, opened and parsed already, if the group is a single table; else None.
        header: Headings of a table that no challenge here accepts.
    """

    files: tuple[str, ...]
    readings: tuple[Candidate, ...]
    why_not: str = ""
    source: SourceFiles | None = field(default=None, compare=False, repr=False)
    header: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether one possible use is likelier than all others."""
        ranks = [_rank(reading) for reading in self.readings[:2]]
        return len(ranks) == 1 or (len(ranks) == 2 and ranks[0] > ranks[1])


def recognise(files: Mapping[str, bytes]) -> list[Recognised]:
    """Recognise dropped files. A test set and a submission are recognised separately.

    Args:
        files: Bytes by name; files of a folder have their path as name.

    Returns:
        Groups of files that belong together, in the order of the drop.
    """
    recognised = []
    for part in _parts(files):
        recognised += _split(part) if len(part) > 1 else [_recognised(part)]
    plain = [part.readings[0] for part in recognised if part.is_plain]
    return [replace(part, readings=_beside(part, plain)) for part in recognised]


def _beside(entry: Recognised, plain: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return readings of files that could as well be a test set as a submission, decided by what was dropped
    with them: beside a submission of the same cases they are its test set, and the other way round."""
    if entry.is_plain:
        return entry.readings
    likeliest = [reading for reading in entry.readings if _rank(reading) == _rank(entry.readings[0])]
    fits = [reading for reading in likeliest if any(_belong_together(reading, other) for other in plain)]
    if len(fits) != 1:
        return entry.readings
    return (replace(fits[0], certainty=SURE), *(other for other in entry.readings if other != fits[0]))


def _belong_together(candidate: Candidate, other: Candidate) -> bool:
    """Return whether one is a test set and the other a submission of some of its cases."""
    places = {candidate.place, other.place}
    return (
        candidate.challenge == other.challenge
        and places == {"truth", "submission"}
        and bool(candidate.ids & other.ids)
    )


def _parts(files: Mapping[str, bytes]) -> list[dict[str, bytes]]:
    """Return the groups of files that can belong to one input: each folder, zip and model, and the other
    files together."""
    parts: dict[str, dict[str, bytes]] = {}
    for name, data in files.items():
        foreign = _foreign({name: data}) and not is_picture(name, data)
        alone = foreign or name.lower().endswith(MODEL) or is_zip(data[:4], name)
        part = name.split("/")[0] + "/" if "/" in name else name if alone else ""
        parts.setdefault(part, {})[name] = data
    return list(parts.values())


def _split(files: dict[str, bytes]) -> list[Recognised]:
    """Return files that were dropped together: as one where a challenge takes them as one, else each table
    with the other files that it belongs to."""
    tables = [name for name in files if name.lower().endswith(TABLES) and "/" not in name]
    others = {name: data for name, data in files.items() if name not in tables}
    if "/" in next(iter(files)) or len(tables) < 2:
        whole = _recognised(files)
        if whole.readings or not (tables and others) or "/" in next(iter(files)):
            return [whole]
    if not others and (parts := _whole({name: files[name] for name in tables})):
        return [parts]
    single = {name: _recognised({name: files[name]}) for name in tables}
    home = next((n for n in tables if _takes_others(single[n])), tables[0]) if others else None
    if others and home is not None:
        single[home] = _recognised({home: files[home], **others})
    return list(single.values())


def _whole(tables: dict[str, bytes]) -> Recognised | None:
    """Return tables that are parts of one submission; None if they are not."""
    try:
        stack = stacked_tables(opened(tables)) if len(tables) > 1 else None
    except InputRefused:
        return None
    whole = _recognised(tables) if stack and stack.is_disjoint else None
    return whole if whole and whole.readings and whole.readings[0].place == "submission" else None


def _takes_others(entry: Recognised) -> bool:
    return bool(entry.readings) and entry.readings[0].place == "truth"


def _recognised(files: dict[str, bytes]) -> Recognised:
    names = tuple(files)
    foreign = _foreign(files)
    if foreign:
        return Recognised(names, (), foreign)
    try:
        whole = opened(files)
        if BOARD_MANIFEST in whole.members and (board := _board(whole)):
            return Recognised(names, (board,))
        contents = read_contents(whole)
        readings = _readings(contents)
    except InputRefused as refused:
        return Recognised(names, (), refused.problems[0].message)
    best = readings[0] if readings else None
    if best is None or best.certainty == POSSIBLE or (best.test_set is None and best.certainty < SURE):
        readings = max(
            readings,
            _as_meant(files, contents),
            key=lambda candidates: max(map(_rank, candidates), default=0),
        )
    why_not = "" if readings else contents.problem or _nothing_takes(contents)
    header = contents.tables[0].header if contents.tables and not readings else ()
    source = whole if whole.kind == "file" and contents.tables else None
    return Recognised(names, readings, why_not, source, header)


def _board(files: SourceFiles) -> Candidate | None:
    """Return the reading of an exported board; None for files that only look like one. Raises
    InputRefused."""
    board = read_board_manifest(files.read(BOARD_MANIFEST), files.called(BOARD_MANIFEST))
    if board is None:
        return None
    challenge_id, count, declaration = board
    if problem := remember(declaration):
        message = f"the challenge of this board has a problem: {problem}."
        raise InputRefused([error("bad-bundle", files.called(BOARD_MANIFEST), message)])
    if not is_known(challenge_id):
        return None
    row = REGISTRY.get(challenge_id)
    name = row.short_name if row else load_challenge(challenge_id).words.title
    title = f"a board of {name} with {count} team{'s' * (count != 1)}"
    return Candidate(challenge_id, "board", title, SURE)


def _readings(contents: FileContents) -> tuple[Candidate, ...]:
    """Return what challenges say of files, likeliest first, one reading for each input of each."""
    candidates: dict[tuple[str, str], Candidate] = {}
    for challenge_id in challenge_ids():
        for reading in load_challenge(challenge_id).readers.recognise(contents):
            placed = replace(reading, test_set=_test_set(reading))
            input_key = (challenge_id, reading.place)
            if input_key not in candidates or _rank(placed) > _rank(candidates[input_key]):
                candidates[input_key] = placed
    return tuple(sorted(candidates.values(), key=lambda reading: -_rank(reading)))


def _as_meant(files: Mapping[str, bytes], contents: FileContents) -> tuple[Candidate, ...]:
    """Return the readings of a lone table with a change that its page will offer as a fix."""
    if len(files) > 1 or len(contents.tables) != 1:
        return ()
    ((name, data),), (table,) = files.items(), contents.tables
    for challenge_id in challenge_ids():
        form = load_challenge(challenge_id).readers.form
        guessed = guess(table, form(None), None) if form else None
        if form and guessed and (guessed.is_whole or guessed.any_of):
            changes = next((fix.changes for fix in readings_of(table, form(None), guessed)), InputChanges())
            is_one = len(guessed.columns) == 1
            others = {guessed.case, *guessed.columns.values(), *dict(changes.columns)} if is_one else ()
            left_out = tuple((header, "") for header in table.header if is_one and header not in others)
            readings = _changed(name, data, changes.joined(InputChanges(columns=left_out)))
            readings = tuple(r for r in readings if r.test_set or not is_one)  # a lone number can be anything
            if readings:
                return readings
    width, rows = len(table.header), len(table)
    turned = (editing("transpose"),) * (LEAST_CASES < width > rows and width * rows <= MOST_CELLS)
    for fix in (*between_cells(table.header, table.columns), *shared_affix(table.header), *turned):
        texts = tuple(
            (header, "") for header in _texts(table) if renamed(header, fix.changes.columns) != header
        )
        read = [_changed(name, data, fix.changes)]
        if texts:  # the class of each case, which has the prefix of the scores
            read.append(_changed(name, data, fix.changes.joined(InputChanges(columns=texts))))
        readings = max(read, key=lambda candidates: max(map(_rank, candidates), default=0))
        if readings:
            return readings
    for known in CASE_HEADERS if table.header[0] and table.keys[0] not in ID_COLUMNS else ():
        readings = _changed(name, data, InputChanges(columns=((table.header[0], known),)))
        if readings and _rank(readings[0]) >= SURE:
            return readings
    return ()


def _texts(table: TextTable) -> list[str]:
    """Return the headings of columns whose first cells are no numbers."""
    columns = zip(table.header, table.columns, strict=True)
    return [header for header, cells in columns if not any(map(NUMERIC.fullmatch, cells[:LEAST_CASES]))]


def _changed(name: str, data: bytes, changes: InputChanges) -> tuple[Candidate, ...]:
    """Return the readings of a table that is changed before."""
    answers = as_table(open_source(data, name))
    if answers is not None:
        data, name = answers.data, f"{name}.csv"
    return _readings(read_contents(open_source(FixedSource(data, changes), name)))


def _rank(reading: Candidate) -> int:
    return reading.certainty + MATCHED * (reading.test_set is not None)


def _test_set(reading: Candidate) -> str | None:
    """Return the sample test set that the challenge names, else the one that has most of the cases."""
    cases = _sample_cases(reading.challenge)
    if reading.test_set in cases:
        return reading.test_set
    for key, ids in cases.items():
        if reading.ids and len(reading.ids & ids) >= SAME_CASES * len(reading.ids):
            return key
    return None


@cache
def _sample_cases(challenge_id: str) -> dict[str, frozenset[str]]:
    """Return the cases of each sample test set, read as a dropped one would be."""
    challenge = load_challenge(challenge_id)
    try:
        samples = test_sets(challenge_id)
    except FileNotFoundError:  # an installed package comes without sample data
        return {}
    return {
        key: frozenset().union(
            *(
                reading.ids
                for reading in challenge.readers.recognise(read_contents(open_source(sample.path)))
                if reading.place == "truth"
            )
        )
        for key, sample in samples.items()
    }


def fitting_test_set(challenge_id: str, files: Mapping[str, bytes], chosen: str) -> SuggestedFix | None:
    """Return the fix that scores a submission on the sample test set that contains its cases. Return None if
    that test set is chosen already, or none fits.

    Args:
        files: The submission, bytes by name.
        chosen: Name of the chosen sample test set.
    """
    for part in recognise(files):
        for reading in part.readings:
            if (reading.challenge, reading.place) == (challenge_id, "submission") and reading.test_set:
                sample = test_sets(challenge_id)[reading.test_set]
                if sample.name != chosen:
                    title = sample.title[0].lower() + sample.title[1:].split(":")[0]
                    return SuggestedFix(f"Use the {title}", InputChanges(test_set=reading.test_set))
    return None


def _foreign(files: Mapping[str, bytes]) -> str:
    """Return a sentence about a single file whose kind cannot be read here, "" for others."""
    if len(files) > 1:
        return ""
    (name, data), *_ = files.items()
    ending = PurePosixPath(name).suffix.lower()
    if not data:
        return "It is empty: was the upload cut off?"
    foreign = next((sentence for endings, sentence in ENDINGS.items() if ending in endings), "")
    if foreign and not name.lower().endswith((*MASKS, *TABLES)):
        return foreign
    if is_picture(name, data):
        return "It is an image: open it on the page “Single image”. A test set also needs a table of labels."
    if ending == ".toml":
        return "It declares a challenge: open it on the page “More challenges”."
    if data.startswith(b"version https://git-lfs"):
        return "It is a pointer of Git LFS, not the file itself: fetch that with “git lfs pull”."
    kind = next((sentence for magic, sentence in FOREIGN.items() if data.startswith(magic)), None)
    if (
        kind is not None
        and not is_zip(data[:4], name)
        and not name.lower().endswith((*MASKS, *TABLES, MODEL))
    ):
        return f"It is {kind}. {READ}"
    return ""


def _too_large(table: TextTable) -> str:
    """Return a sentence about the first number that no float can hold; "" if there is none."""
    for header, cells in zip(table.header, table.columns, strict=True):
        for i in np.flatnonzero(parse_numbers(cells).fault == "not-finite").tolist():
            if NUMERIC.fullmatch(cells[i]):
                place = f"row {table.lines[i]} of {shortened(table.name)}, column {shortened(header)}"
                length = f"{len(cells[i].strip()):,} characters"
                return f"In {place}, the number of {length} is too large: the limit is ±1.8e308."
    return ""


def _nothing_takes(contents: FileContents) -> str:
    if contents.model is not None:
        return "Its outputs match no challenge of Benchside."
    if contents.tables and (too_large := _too_large(contents.tables[0])):
        return too_large
    if contents.tables:
        columns = ", ".join(contents.tables[0].header[:6])
        return f"No challenge of Benchside has a table with these columns: {columns}."
    if contents.pictures:
        return "There are images but no table: also drop the table with their labels."
    return f"No challenge of Benchside uses such files. {READ}"
