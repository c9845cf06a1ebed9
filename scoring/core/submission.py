"""Predictions aligned with the cases of a truth, and the provenance (hashes, versions, options) of a card."""

import hashlib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.common.findings import Finding, note, split
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.common.text import csv_text
from scoring.core.submitted_part import offered
from scoring.inputs.sources import Source, SourceFiles, open_source
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
