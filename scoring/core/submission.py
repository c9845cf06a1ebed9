"""Predictions aligned with the cases of a truth, and the provenance (hashes, versions, fixes) of a card."""

import hashlib
import io
import zipfile
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar, cast, runtime_checkable

import numpy as np

from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.common.findings import Finding, note, split
from scoring.common.fixes import OF_COORDINATES, InputChanges, SuggestedFix
from scoring.common.text import csv_text
from scoring.core.scorecard import ScoreCard
from scoring.core.submitted_part import offered
from scoring.inputs import table_formats
from scoring.inputs.sources import FixedSource, Source, SourceFiles, open_source
from scoring.inputs.table_edits import fixed_table
from scoring.inputs.tables import OTHER_FORMAT
from scoring.statistics.interval_options import StatisticsOptions
from scoring.version import __version__


class NamedCases(Protocol):
    """Cases with ids."""

    @property
    def ids(self) -> tuple[str, ...]: ...


@runtime_checkable
class TruthFiles(Protocol):
    """Where a truth was read: its table from `files`, its images from `pictures`; and the SHA-256 of the
    members of `files` that were read."""

    @property
    def files(self) -> SourceFiles: ...
    @property
    def pictures(self) -> SourceFiles: ...
    @property
    def digest_of(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Predictions:
    """Outputs aligned with the N cases of a truth.

    Attributes:
        outputs: Float64 [N, K], rows of NaN for cases without outputs (all cases where only labels were
            given).
        labels: Predicted class number [N], -1 = none.
        labels_only: Whether only labels were given.
        faults: Cases without a usable prediction, as errors; `grade` makes warnings of them.
        digest: SHA-256 of the source, None for a model.
        model: What was inspected of a model (`Inspection.model`), None for a file.
        images: SHA-256 of the images that a model was run on, by member.
    """

    per_case: ClassVar[tuple[str, ...]] = ("outputs", "labels")
    name: str
    outputs: Floats
    labels: Ints
    labels_only: bool = False
    faults: tuple[Finding, ...] = ()
    findings: tuple[Finding, ...] = ()
    digest: str | None = None
    model: Mapping[str, Any] | None = None
    images: Mapping[str, str] = field(default_factory=dict)

    @property
    def fingerprint(self) -> Array:
        """SHA-256, uint8 [32], of outputs and labels; equal for equal predictions."""
        return fingerprint(self.outputs, self.labels)

    @property
    def has_outputs(self) -> Bools:
        """Which cases have outputs [N]."""
        return _complete(self.outputs)


def fingerprint(outputs: Floats, labels: Ints) -> Array:
    """Return the SHA-256, uint8 [32], of predictions.

    Args:
        outputs: Their outputs [N, K].
        labels: Their class numbers [N].
    """
    content = np.ascontiguousarray(outputs, float).tobytes() + np.ascontiguousarray(labels).tobytes()
    return np.frombuffer(hashlib.sha256(content).digest(), np.uint8)


def largest(outputs: Floats) -> Ints:
    """Return the first index of the largest value of each row.

    Args:
        outputs: Values [N, K].

    Returns:
        Indices [N], -1 for a row with NaN.
    """
    undefined = np.isnan(outputs)
    return np.where(undefined.any(1), -1, np.where(undefined, -np.inf, outputs).argmax(1))


NAMED_MEMBERS = 5


def ignored(files: SourceFiles, used: Container[str | None]) -> list[Finding]:
    """Return `ignored-files` for the members from which nothing was read.

    Args:
        used: Members that were read, or that another finding names.
    """
    members = [member for member in files.members if member not in used]
    if not members:
        return []
    listing = ", ".join(members[:NAMED_MEMBERS]) + (", ..." if len(members) > NAMED_MEMBERS else "")
    text = f"{len(members):,} other file{'s' * (len(members) > 1)} not read: {listing}."
    return [note("ignored-files", files.name, text)]


def grade(faults: Iterable[Finding], missing: str) -> tuple[list[Finding], list[Finding]]:
    """Decide whether cases without a usable prediction refuse a submission.

    Args:
        faults: An error for each such case.
        missing: "refuse" leaves them errors, "wrong" makes warnings of them.

    Returns:
        The errors, and the warnings.
    """
    faults = list(faults)
    if missing == "wrong":
        return split(replace(f, level="warning") for f in offered(faults))
    cases = f"{len(faults)} case{'s' * (len(faults) != 1)} without a usable prediction"
    as_wrong = SuggestedFix(f"Count the {cases} as wrong", InputChanges(options=(("missing", "wrong"),)))
    return split(offered(f.with_fixes(as_wrong) for f in faults))


def faults_by_option(
    predictions: Predictions, options: Mapping[str, Any]
) -> tuple[list[Finding], list[Finding]]:
    """Return the faults of predictions as errors and warnings.

    Args:
        options: Of which `missing` tells errors from warnings.
    """
    return grade(predictions.faults, options.get("missing", "refuse"))


def table(
    cases: NamedCases, predictions: Predictions, columns: Sequence[str], id_name: str = "filename"
) -> str:
    """Return predictions as a CSV file: ids and outputs of every case that has outputs.

    Args:
        cases: The cases.
        predictions: Their predictions.
        columns: Headers of the K outputs.
        id_name: Header of the ids.
    """
    return table_of(cases.ids, predictions.outputs, columns, id_name)


def table_of(ids: Sequence[str], outputs: Floats, columns: Sequence[str], id_name: str) -> str:
    """Return outputs as a CSV file, unrounded, so that reading it gives the same numbers.

    Args:
        ids: Id of each case [N].
        outputs: Outputs [N, K]; rows with NaN are left out.
    """
    rows = zip(ids, outputs.tolist(), _complete(outputs), strict=True)
    return csv_text((id_name, *columns), ((name, *row) for name, row, is_usable in rows if is_usable))


def example_table(ids: Sequence[str], columns: Sequence[str], id_name: str = "filename") -> tuple[str, bytes]:
    """Return the name and the bytes of a table in which all outputs of all cases are equal, by name of case.

    Args:
        ids: Id of each case.
    """
    outputs = np.full((len(ids), len(columns)), 1 / max(2, len(columns)))
    return "example.csv", table_of(sorted(ids), outputs, columns, id_name).encode()


def _complete(outputs: Floats) -> Bools:
    """Return which rows are without NaN [N]."""
    complete: Bools = np.logical_not(np.isnan(outputs).any(1))
    return complete


class RunOnImages(Protocol):
    """A submission that may be a model. images: SHA-256 of the images that it was run on, by member."""

    @property
    def images(self) -> Mapping[str, str]: ...


class Submitted(Protocol):
    """A submission of any challenge.

    Attributes:
        digest: SHA-256 of its file, None for a model.
        model: What was inspected of a model, None for a file.
    """

    @property
    def digest(self) -> str | None: ...
    @property
    def model(self) -> Mapping[str, Any] | None: ...


def truth_digest(truth: TruthFiles, predictions: RunOnImages) -> str:
    """Return the SHA-256 of a truth.

    Args:
        truth: Where it was read.
        predictions: Predictions to score on it; if they come from a model, only the images that it was run
        on count.
    """
    used = predictions.images if truth.pictures is truth.files else {}
    return truth.files.digest({**truth.digest_of, **used})


def labels_digest(truth: object) -> str | None:
    """Return the SHA-256 of a truth whatever is scored on it; None where the truth does not say its files."""
    return truth.files.digest(truth.digest_of) if isinstance(truth, TruthFiles) else None


def provenance(
    truth_sha256: str,
    predictions: Submitted,
    options: Mapping[str, Any],
    statistics: StatisticsOptions,
    metadata: Source | None,
    unit: str,
    units: Ints,
) -> dict[str, Any]:
    """Return `provenance` of a scorecard.

    Args:
        truth_sha256: SHA-256 of the truth.
        options: Options of the challenge, defaults included.
        unit: What a unit of the resampling is called.
        units: Unit number of each case [N].
    """
    n_units = int(units.max()) + 1
    return {
        "version": __version__,
        "truth_sha256": truth_sha256,
        "predictions_sha256": predictions.digest,
        "model_sha256": predictions.model["sha256"] if predictions.model else None,
        **({"device": device} if (device := (predictions.model or {}).get("device")) else {}),
        "options": {
            **options,
            "group": statistics.group,
            "interval": statistics.interval,
            "metadata_sha256": open_source(metadata).whole if metadata is not None else None,
        },
        "seed": statistics.seed,
        "resamples": statistics.resamples,
        "interval": statistics.method(n_units),
        "unit": unit,
        "n_units": n_units,
    }


FIXED = "mended"
"""Code of the note about what was changed of an input before it was read."""


class NamedInput(Protocol):
    """Something that was read."""

    @property
    def name(self) -> str: ...
    @property
    def findings(self) -> Sequence[Finding]: ...


Read = TypeVar("Read", bound=NamedInput)


def with_note(result: Read, source: Source, is_table: bool = True) -> Read:
    """Return what was read with a note about what was changed of its files before.

    Args:
        source: The source; as it is where nothing was changed of it.
        is_table: Whether it is what the official program reads, before the changes: not a table inside of a
            workbook, a zip or a job.
    """
    changes = source.changes.of_files if isinstance(source, FixedSource) else InputChanges()
    changes = changes if is_table else replace(changes, one_table=True)
    if not changes:
        return result
    message = f"read with changes: {changes.words()}. The official program needs this in the file itself."
    finding = note(FIXED, result.name, message).with_fixes(SuggestedFix("", changes))
    return with_findings(result, (*findings_of(result), finding))


def findings_of(result: NamedInput) -> Sequence[Finding]:
    """Return the findings that something was read with."""
    findings: Sequence[Finding] = getattr(result, _of_findings(result))
    return findings


def with_findings(result: Read, findings: Sequence[Finding]) -> Read:
    """Return what was read with other findings."""
    return cast(Read, replace(cast(Any, result), **{_of_findings(result): tuple(findings)}))


def _of_findings(result: NamedInput) -> str:
    names = {entry.name for entry in fields(cast(Any, result))}
    return "findings" if "findings" in names else "read"  # HECKTOR adds what is missing to what was read


def is_one_table(source: Source, opened: Source) -> bool:
    """Return whether a submission is a table of text, and nothing that holds one.

    Args:
        opened: The same, opened; answers of jobs are one table there.
    """
    plain, files = (entry.source if isinstance(entry, FixedSource) else entry for entry in (source, opened))
    if not isinstance(files, SourceFiles):
        return True
    inside = next(iter(files.sizes), "").lower()
    if files.kind == "zip" or len(files.sizes) != 1 or inside.endswith(table_formats.ENDINGS):
        return False
    if isinstance(plain, bytes):
        return not plain.startswith(b"PK")
    is_of_jobs = isinstance(plain, Mapping) or (isinstance(plain, (str, Path)) and not Path(plain).is_file())
    return files.kind == "folder" or not is_of_jobs


def with_provenance(card: ScoreCard, reading: str = "") -> ScoreCard:
    """Return the card with the changes of its inputs as provenance `mended`, and not official, as official
    programs read files as they are; as it is, without any.

    Args:
        reading: What is said if there is no official program for the score.
    """
    fixes, official = changes_in(card.findings), replace(card.official, reading=reading)
    if not fixes:
        other = next((f.message for f in card.findings if f.code == OTHER_FORMAT), None)
        if other and official.same:
            official = replace(official, same=False, score=None, reason=other, changes=1)
        return replace(card, official=official)
    n = n_changes(fixes)
    needed = f"{n} change{'s' * (n > 1)}, which the file itself needs: "
    needed += f"{'; '.join(changes.words() for changes in fixes)}."
    if official.same:
        reason = f"It is official after {needed}"
        official = replace(official, same=False, score=None, reason=reason, changes=n)
    elif official.score is not None:  # that of the changed file
        official = replace(official, score=None, reason=f"{official.reason} It was read with {needed}")
    mended = [changes.as_dict() for changes in fixes]
    return replace(card, provenance={**card.provenance, "mended": mended}, official=official)


def changes_in(findings: Iterable[Finding]) -> list[InputChanges]:
    """Return what was changed of inputs before they were read, by findings of them."""
    return [fix.changes for finding in findings if finding.code == FIXED for fix in finding.fixes]


def n_changes(changed: Iterable[InputChanges]) -> int:
    """Return how many changes there are; each name that is read otherwise is one."""
    values = [value for changes in changed for value in changes.as_dict().values()]
    return sum(len(value) if isinstance(value, dict) else 1 for value in values)


def changed_file(
    source: Source,
    name: str,
    table: str | bytes | None = None,
    is_table: bool = False,
    moved: Callable[..., bytes] | None = None,
) -> tuple[str, bytes]:
    """Return a submission with its changes applied, as it has to be handed in: its name and its bytes.

    Args:
        source: The submission, read with changes.
        table: What the challenge writes of it as the official program takes it; None: it is not known.
        is_table: Whether the official program takes one table.
        moved: Makes the edits of coordinates in a file, by its bytes, its name and them.
    """
    stem = name.rsplit(".", 1)[0] or name
    if table is not None and is_table:
        return f"{stem}-changed.csv", table.encode() if isinstance(table, str) else table
    files = open_source(source, name)
    edits = dict(source.changes.edits) if isinstance(source, FixedSource) else {}
    if moved is not None and OF_COORDINATES & edits.keys():
        plain, called = files.read, files.called
        files = replace(files, read=lambda member: moved(plain(member), called(member), edits))
    if files.kind == "file":
        (member,) = files.members
        if not member.lower().endswith(table_formats.ENDINGS):
            return f"{stem}-changed{name[len(stem) :]}", files.read(member)
        return f"{stem}-changed.csv", fixed_table(files.read(member), name, InputChanges())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in files.members:
            archive.writestr(zipfile.ZipInfo(member), files.read(member), zipfile.ZIP_DEFLATED)
    return f"{stem}-changed.zip", packed.getvalue()
